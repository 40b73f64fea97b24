//! Cancellation of all executions of a team, before the team is deleted.

use super::control::active_run;
use crate::agent::teams::{ExecutionId, ExecutionQuery, ExecutionStatus, TeamId};
use crate::identity::Participant;
use crate::kernel::{Command, Right, Role, SessionId};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of executions that one request cancels.
const MAX_CANCELLED: u32 = 1000;

/// Cancels the executions of a team that are in progress. If `cancel` is false, only checks that there are none.
///
/// # Errors
/// `team_busy` if executions are in progress and `cancel` is false, if the participant cannot cancel one of them, or if
/// there are more than 1000.
pub(in crate::doors::teams) async fn cancel_all(
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
        let message = format!(
            "executions of the team in progress: {}; wait until they are over, or add ?cancel=true to cancel them",
            page.total
        );
        return Err(Problem::new(Code::TeamBusy, message));
    }
    // Check all of them first: otherwise, a denial in the middle would leave some cancelled and the team in place.
    for execution in &page.executions {
        match node.access.role(who, execution.id.session()).await {
            Ok(role) if may_cancel(node, execution.id.session(), role).await? => {}
            Ok(_) => return Err(not_yours(execution.id)),
            Err(problem) if is_denied(problem.code()) => return Err(not_yours(execution.id)),
            Err(problem) => return Err(problem),
        }
    }
    // These errors mean that the run has ended in the meantime, or is ending because of an earlier request.
    let is_over = |code| matches!(code, Code::NoRun | Code::TargetOver | Code::AlreadyRequested);
    let cancel = |run| Command::Cancel { run, reason: None };
    for execution in page.executions {
        let (id, session) = (execution.id, execution.id.session());
        let cancelled = async {
            let command = cancel(active_run(node, id).await?);
            // Not counted toward the rate limit of commands, which the executions of one request would exceed.
            node.dispatcher.submit_counted(who, session, None, command).await
        };
        if let Err(problem) = cancelled.await
            && !is_over(problem.code())
        {
            return Err(if is_denied(problem.code()) { not_yours(id) } else { problem });
        }
    }
    match page.total.checked_sub(MAX_CANCELLED.into()) {
        None | Some(0) => Ok(()),
        Some(left) => {
            let message = format!("{MAX_CANCELLED} executions were cancelled, {left} are left; send the request again");
            Err(Problem::new(Code::TeamBusy, message))
        }
    }
}

fn is_denied(code: Code) -> bool {
    matches!(code, Code::NotAMember | Code::Forbidden | Code::UnknownSession)
}

/// Returns whether a caller with this role in the session may cancel its run.
async fn may_cancel(node: &Node, session: SessionId, role: Role) -> Result<bool, Problem> {
    let state = node.session_registry.state(session).await?;
    Ok(state.view().settings.may(role, Right::Interrupt))
}

fn not_yours(id: ExecutionId) -> Problem {
    let message = format!(
        "execution {id} is in progress, and you are not allowed to cancel it; set the team's status to inactive so that \
         no other starts, and delete the team later, or ask an administrator to"
    );
    Problem::new(Code::TeamBusy, message)
}
