//! Tests for writing to one socket from two places.

use tokio::io::AsyncReadExt;

use super::*;
use crate::socket::SocketSettings;

const BUSY: DirectWrite = DirectWrite { bytes: 0, is_complete: false };

async fn connected() -> (Arc<SharedSocket>, TcpStream, CancellationToken) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (socket, over) = (SharedSocket::new(accepted.expect("accepts").0), CancellationToken::new());
    let traffic = SocketTraffic::new(&SocketSettings::default());
    socket.set_permission(traffic, over.clone());
    // Writes fail until the runtime has seen that the socket is writable.
    socket.tcp.writable().await.expect("is open");
    (socket, client.expect("connects"), over)
}

#[tokio::test]
async fn feeds_write_only_while_the_task_sleeps_and_the_credential_lasts() {
    let (socket, _client, over) = connected().await;
    let frames = frame::text_frame(b"{}");
    assert_eq!(socket.write(&frames), BUSY, "the task has not slept yet");
    socket.allow_direct_writes();
    assert_eq!(socket.write(&frames), DirectWrite { bytes: frames.len(), is_complete: true });
    assert!(socket.begin_write().is_empty());
    assert_eq!(socket.write(&frames), BUSY, "two writers could cut each other's frames");
    socket.allow_direct_writes();
    over.cancel();
    assert_eq!(socket.write(&frames), BUSY, "the credential has ended");
}

#[tokio::test]
async fn a_frame_that_is_cut_is_written_to_its_end_first() {
    let (socket, mut client, _over) = connected().await;
    socket.allow_direct_writes();
    let frames = frame::text_frame(&[b'x'; 100_000]).repeat(2);
    let mut taken = 0;
    loop {
        let written = socket.write(&frames);
        taken += written.bytes;
        if !written.is_complete {
            break;
        }
    }
    assert_eq!(socket.write(&frames), BUSY, "the task has to continue");
    let remainder = socket.begin_write();
    assert!(!remainder.is_empty(), "the buffers of a socket are no multiple of a frame's size");
    let mut received = vec![0; taken - remainder.len()];
    client.read_exact(&mut received).await.expect("reads");
    received.extend(remainder);
    let whole = frame::text_frame(&[b'x'; 100_000]);
    assert!(received.chunks(whole.len()).all(|frame| frame == whole), "every frame is whole");
    assert!(client.try_read(&mut [0]).is_err(), "nothing else was written");
}
