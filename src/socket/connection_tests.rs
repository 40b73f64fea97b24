//! Tests for the number of bytes that a connection reads per wake-up.

use std::task::Waker;

use super::super::{read_budget::MAX_WAKEUP_BYTES, unfinished_messages};
use super::*;

/// A masked, empty fragment of an unfinished message.
const FRAGMENT: [u8; 6] = [0x00, 0x80, 0, 0, 0, 0];

/// Creates a connection that has this many bytes of fragments of one message to read.
async fn fragments(bytes: usize) -> WebSocketConnection {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (tcp, _) = accepted.expect("accepts");
    drop(client);
    let first = [0x01, 0x80, 0, 0, 0, 0];
    let sent: Vec<u8> = first.into_iter().chain(FRAGMENT.into_iter().cycle()).take(bytes).collect();
    let settings = Arc::new(SocketSettings::default());
    let budget = unfinished_messages::budget(&settings);
    WebSocketConnection::guarded(tcp, sent.into(), settings, budget)
}

#[tokio::test]
async fn a_connection_is_read_so_far_and_then_it_is_anothers_turn() {
    let mut connection = fragments(4 * MAX_WAKEUP_BYTES).await;
    let mut cx = Context::from_waker(Waker::noop());
    let mut left = vec![];
    for _ in 0..3 {
        connection.begin_wakeup();
        assert!(connection.poll_read(&mut cx).is_pending(), "no message is whole");
        left.push(connection.leftover.len());
    }
    let read: Vec<usize> = [4 * MAX_WAKEUP_BYTES, left[0], left[1]].iter().zip(&left).map(|(a, b)| a - b).collect();
    // One read more than the allowance.
    let max_bytes = MAX_WAKEUP_BYTES + SocketSettings::default().read_buffer_bytes;
    assert!(read.iter().all(|read| (MAX_WAKEUP_BYTES..=max_bytes).contains(read)), "{read:?}");
}
