//! A breakable link between two parts. All their traffic goes through it; it can be cut, stalled and delayed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::plan::How;

/// Target of a link.
#[derive(Debug, Clone)]
pub enum Target {
    Nowhere,
    Tcp(SocketAddr),
    Unix(PathBuf),
}

#[derive(Debug, Clone, Copy)]
struct Now {
    /// The current fault, if any.
    how: Option<How>,
    /// Raised to end the current connections.
    generation: u64,
}

/// A link. It ends when this is dropped.
pub struct Link {
    pub address: SocketAddr,
    target: Arc<Mutex<Target>>,
    now: watch::Sender<Now>,
    _end: DropGuard,
}

impl Link {
    pub async fn to(target: Target) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, target) = (listener.local_addr()?, Arc::new(Mutex::new(target)));
        let (now, seen) = watch::channel(Now { how: None, generation: 0 });
        let end = CancellationToken::new();
        let accept = end.clone().run_until_cancelled_owned(accept(listener, target.clone(), seen, end.clone()));
        tokio::spawn(accept);
        Ok(Self { address, target, now, _end: end.drop_guard() })
    }

    /// Directs new connections elsewhere; current ones stay.
    pub fn lead(&self, target: Target) {
        *self.target.lock() = target;
    }

    pub fn misbehave(&self, how: How) {
        self.now.send_modify(|now| match how {
            How::Drop => now.generation += 1,
            How::Cut => (now.how, now.generation) = (Some(how), now.generation + 1),
            How::Stall | How::Delay(_) => now.how = Some(how),
        });
    }

    pub fn heal(&self) {
        self.now.send_modify(|now| now.how = None);
    }
}

async fn accept(listener: TcpListener, target: Arc<Mutex<Target>>, now: watch::Receiver<Now>, end: CancellationToken) {
    while let Ok((caller, _)) = listener.accept().await {
        if matches!(now.borrow().how, Some(How::Cut)) {
            continue;
        }
        let (target, now) = (target.lock().clone(), now.clone());
        tokio::spawn(end.clone().run_until_cancelled_owned(async move {
            let _ = caller.set_nodelay(true);
            match target {
                Target::Nowhere => {}
                Target::Tcp(address) => {
                    if let Ok(called) = TcpStream::connect(address).await {
                        let _ = called.set_nodelay(true);
                        join(caller.into_split(), called.into_split(), now).await;
                    }
                }
                Target::Unix(path) => {
                    if let Ok(called) = UnixStream::connect(path).await {
                        join(caller.into_split(), called.into_split(), now).await;
                    }
                }
            }
        }));
    }
}

/// Carries bytes in both directions until both sides are done or the link ends the connection.
async fn join<A, B, C, D>(caller: (A, B), called: (C, D), mut now: watch::Receiver<Now>)
where
    A: AsyncRead + Unpin,
    B: AsyncWrite + Unpin,
    C: AsyncRead + Unpin,
    D: AsyncWrite + Unpin,
{
    let generation = now.borrow().generation;
    let there = carry(caller.0, called.1, now.clone());
    let back = carry(called.0, caller.1, now.clone());
    tokio::select! {
        _ = async { tokio::join!(there, back) } => {}
        _ = now.wait_for(|now| now.generation != generation) => {}
    }
}

async fn carry(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, mut now: watch::Receiver<Now>) {
    let mut bytes = vec![0; 4 << 10];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        // Also the end of a connection is news that a stalled link keeps to itself.
        let how = match now.wait_for(|now| !matches!(now.how, Some(How::Stall))).await {
            Ok(now) => now.how,
            Err(_) => return,
        };
        if let Some(How::Delay(millis)) = how {
            tokio::time::sleep(Duration::from_millis(millis)).await;
        }
        if read == 0 || to.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
