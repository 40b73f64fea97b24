//! Reads whole request bodies, with limits on size, time and concurrency. The layers of `tower-http` have one limit for
//! all clients, while here unidentified clients have lower limits, and all bodies share a memory limit.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use futures_util::StreamExt;

use crate::limits::{RequestPermit, RequestSender};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Reads the whole body. The request releases its slot while it reads, and takes one again before this function
/// returns.
pub(super) async fn read(node: &Arc<Node>, request: Request) -> Result<Vec<u8>, Problem> {
    read_up_to(node, request, node.config.http.max_body_bytes, "http.max_body_bytes").await
}

/// Reads the whole body. An identified client can send up to `max_bytes`, the route's own limit; `limit` is the name of
/// its setting. An unidentified client can send up to `http.max_stranger_body_bytes`, unless doors accept guests.
pub(crate) async fn read_up_to(
    node: &Arc<Node>,
    request: Request,
    max_bytes: usize,
    limit: &'static str,
) -> Result<Vec<u8>, Problem> {
    let (http, admission) = (&node.config.http, &node.admission);
    let (parts, body) = request.into_parts();
    let Some(sender) = RequestSender::of(&parts.extensions) else {
        return Err(Problem::internal("a request without the address of its client"));
    };
    let is_known = matches!(sender, RequestSender::Participant(_)) || node.takes_guests();
    let (max, seconds, setting) = if is_known {
        (max_bytes, http.timeout_seconds, "http.timeout_seconds")
    } else {
        (
            http.max_stranger_body_bytes,
            http.stranger_body_seconds.min(http.timeout_seconds),
            "http.stranger_body_seconds",
        )
    };
    let place = parts.extensions.get::<RequestPermit>();
    if let Some(place) = place {
        place.pause();
    }
    let _on_its_way = admission.body(sender)?;
    let mut pieces = body.into_data_stream();
    let whole = async {
        let (mut content, mut memory) = (Vec::new(), admission.memory(sender));
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Problem::new(Code::BadFrame, "the body is incomplete; send it again"))?;
            let bytes = content.len() + piece.len();
            if bytes > max {
                return Err(too_large(max, is_known, limit));
            }
            // Reserve memory as data arrives, because an announced length alone must not take memory from other
            // requests.
            memory.grow_to(bytes)?;
            content.extend_from_slice(&piece);
        }
        Ok((content, memory))
    };
    let late = |_| Problem::new(Code::TimedOut, format!("the body took longer than {setting}; send it again"));
    let (content, memory) = tokio::time::timeout(Duration::from_secs(seconds), whole).await.map_err(late)??;
    if let Some(place) = place {
        place.resume(Some(memory))?;
    }
    Ok(content)
}

fn too_large(max: usize, is_known: bool, limit: &str) -> Problem {
    let message = match is_known {
        true => format!("the body is larger than {max} bytes ({limit}); make it smaller"),
        false => {
            format!("the body is larger than {max} bytes (http.max_stranger_body_bytes); sign in or make it smaller")
        }
    };
    Problem::too_large(message, max)
}
