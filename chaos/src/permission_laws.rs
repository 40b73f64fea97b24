//! Laws of standing permissions: a call skips approval only under a permission that was granted, was not revoked, is
//! not over, and covers calls of this risk. The call is sent only while the permission is neither revoked nor expired.

use std::collections::BTreeMap;

use roundtable::kernel::call::{Risk, StandingPermission};
use roundtable::kernel::{CallId, Event, Fact, PermissionId};

/// Permissions in the part of a session's log that has been read.
#[derive(Default)]
pub struct PermissionLaws {
    live: BTreeMap<PermissionId, StandingPermission>,
    /// Permissions under which calls were allowed.
    used: BTreeMap<CallId, PermissionId>,
}

impl PermissionLaws {
    pub fn read(&mut self, event: &Event) -> Result<(), String> {
        match &event.fact {
            Fact::PermissionGranted { permission } => {
                self.live.insert(permission.id, permission.clone());
                Ok(())
            }
            Fact::PermissionRevoked { permission, .. } => match self.live.remove(permission) {
                Some(_) => Ok(()),
                None => Err(format!("{permission} was revoked, and there was none")),
            },
            Fact::ToolStarted { call, .. } => match self.used.get(call) {
                Some(id) if self.live.get(id).is_none_or(|used| used.has_expired(event.at)) => {
                    Err(format!("{call} was sent after {id} was revoked or over"))
                }
                _ => Ok(()),
            },
            Fact::ToolChecked { standing: None, call, .. } => {
                self.used.remove(call);
                Ok(())
            }
            Fact::ToolChecked { standing: Some(id), call, run, risk, .. } => {
                self.used.insert(*call, *id);
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
