//! Laws of standing permissions: a call is made without asking only under a permission that was granted, was not
//! revoked, is not over, and is for calls of this risk.

use std::collections::BTreeMap;

use roundtable::kernel::call::{Risk, StandingPermission};
use roundtable::kernel::{Event, Fact, PermissionId};

/// Permissions of a session's log, as far as it has been read.
#[derive(Default)]
pub struct PermissionLaws {
    live: BTreeMap<PermissionId, StandingPermission>,
}

impl PermissionLaws {
    pub fn read(&mut self, event: &Event) -> Result<(), String> {
        match &event.fact {
            Fact::PermissionGranted { permission } => {
                self.live.insert(permission.id, permission.clone());
                Ok(())
            }
            Fact::PermissionRevoked { permission } => match self.live.remove(permission) {
                Some(_) => Ok(()),
                None => Err(format!("{permission} was revoked, and there was none")),
            },
            Fact::ToolChecked { standing: Some(id), run, risk, .. } => {
                let permission = self.live.get_mut(id).ok_or_else(|| format!("{id} was revoked or never granted"))?;
                if permission.is_over(event.at) || permission.run.is_some_and(|only| only != *run) {
                    return Err(format!("{id} was over"));
                }
                if *risk > permission.risk || permission.rule.is_some() && *risk == Risk::High {
                    return Err(format!("{id} does not cover a call of this risk"));
                }
                permission.uses += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
