//! End of all executions of a team, before the team is deleted.

use super::control::command_run;
use crate::agent::teams::{ExecutionQuery, ExecutionStatus, TeamId};
use crate::identity::Participant;
use crate::kernel::Command;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum executions that one request cancels.
const MAX_CANCELLED: u32 = 1000;

/// Cancels the executions of a team that are in progress, if `cancel` is true.
///
/// # Errors
/// `team_busy` if executions are in progress that must not be cancelled, or that the participant cannot cancel.
pub(in crate::doors::teams) async fn end_all(
    node: &Node,
    who: &Participant,
    team: TeamId,
    cancel: bool,
) -> Result<(), Problem> {
    let status = Some(ExecutionStatus::Running);
    let query = ExecutionQuery { team, reader: who.id, all: true, status, offset: 0, limit: MAX_CANCELLED };
    let page = node.executions.executions(&query).await?;
    if page.total == 0 {
        return Ok(());
    }
    if !cancel {
        let words = format!(
            "executions of the team in progress: {}; wait until they are over, or add ?cancel=true to cancel them",
            page.total
        );
        return Err(Problem::new(Code::TeamBusy, words));
    }
    for execution in page.executions {
        let cancelled = command_run(node, who, &execution, |run| Command::Cancel { run, reason: None }).await;
        match cancelled.map_err(|problem| problem.code()) {
            // The run ended in the meantime, or ends because of an earlier request.
            Ok(_) | Err(Code::NoRun | Code::TargetOver | Code::AlreadyRequested) => {}
            Err(_) => {
                let id = execution.id;
                let words = format!(
                    "execution {id} is in progress, and you cannot cancel it; ask its participants or an administrator to"
                );
                return Err(Problem::new(Code::TeamBusy, words));
            }
        }
    }
    Ok(())
}
