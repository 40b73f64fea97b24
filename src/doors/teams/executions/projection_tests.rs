//! Tests of a stream's heartbeats, and of its end after a period of silence.

use futures_util::{StreamExt, stream};
use tokio::time::Instant;
use uuid::Uuid;

use super::*;
use crate::agent::teams::{TeamSettings, builtin_teams};

#[tokio::test(start_paused = true)]
async fn a_silent_stream_has_a_heartbeat_every_half_minute_and_is_closed_after_five_minutes() {
    let team = builtin_teams::get("incident-en").expect("a team");
    let (team_id, execution_id) = (TeamId(Uuid::from_u128(1)), ExecutionId(Uuid::from_u128(2)));
    let interval = Duration::from_secs(TeamSettings::default().heartbeat_seconds);
    let projection = ExecutionProjection::new(team_id, execution_id, team, interval);
    let (began, mut beats) = (Instant::now(), vec![]);
    let mut lines = Box::pin(sse::events(projection, stream::pending().boxed(), 0));
    while lines.next().await.is_some() {
        beats.push(began.elapsed().as_secs());
    }
    assert_eq!(began.elapsed(), Duration::from_secs(300));
    // The last heartbeat and the end of the stream are due at the same time, so the heartbeat might not be sent.
    assert_eq!(beats[..9], [30, 60, 90, 120, 150, 180, 210, 240, 270]);
    assert!(beats.len() <= 10, "{beats:?}");
}
