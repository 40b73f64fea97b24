//! A link between two parts, into which faults are injected. All their traffic goes through the link, which can be cut,
//! stalled and delayed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::plan::LinkFault;

/// Target of a link.
#[derive(Debug, Clone)]
pub enum Target {
    Unset,
    Tcp(SocketAddr),
    Unix(PathBuf),
}

#[derive(Debug, Clone, Copy)]
struct LinkState {
    /// The current fault, if any.
    fault: Option<LinkFault>,
    /// Incremented to end the current connections.
    generation: u64,
}

/// A link. It closes when this value is dropped.
pub struct FaultyProxy {
    pub address: SocketAddr,
    target: Arc<Mutex<Target>>,
    state: watch::Sender<LinkState>,
    _stop: DropGuard,
}

impl FaultyProxy {
    pub async fn start(target: Target) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, target) = (listener.local_addr()?, Arc::new(Mutex::new(target)));
        let (state, receiver) = watch::channel(LinkState { fault: None, generation: 0 });
        let stop = CancellationToken::new();
        let accept = stop.clone().run_until_cancelled_owned(accept(listener, target.clone(), receiver, stop.clone()));
        tokio::spawn(accept);
        Ok(Self { address, target, state, _stop: stop.drop_guard() })
    }

    /// Changes the target of new connections; existing ones stay open.
    pub fn set_target(&self, target: Target) {
        *self.target.lock() = target;
    }

    pub fn inject(&self, fault: LinkFault) {
        self.state.send_modify(|state| match fault {
            LinkFault::Drop => state.generation += 1,
            LinkFault::Cut => (state.fault, state.generation) = (Some(fault), state.generation + 1),
            LinkFault::Stall | LinkFault::Delay(_) => state.fault = Some(fault),
        });
    }

    pub fn heal(&self) {
        self.state.send_modify(|state| state.fault = None);
    }
}

async fn accept(
    listener: TcpListener,
    target: Arc<Mutex<Target>>,
    state: watch::Receiver<LinkState>,
    stop: CancellationToken,
) {
    while let Ok((client, _)) = listener.accept().await {
        if matches!(state.borrow().fault, Some(LinkFault::Cut)) {
            continue;
        }
        let (target, state) = (target.lock().clone(), state.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(async move {
            let _ = client.set_nodelay(true);
            match target {
                Target::Unset => {}
                Target::Tcp(address) => {
                    if let Ok(server) = TcpStream::connect(address).await {
                        let _ = server.set_nodelay(true);
                        relay(client.into_split(), server.into_split(), state).await;
                    }
                }
                Target::Unix(path) => {
                    if let Ok(server) = UnixStream::connect(path).await {
                        relay(client.into_split(), server.into_split(), state).await;
                    }
                }
            }
        }));
    }
}

/// Copies bytes in both directions until both sides are done or the link ends the connection.
async fn relay<A, B, C, D>(client: (A, B), server: (C, D), mut state: watch::Receiver<LinkState>)
where
    A: AsyncRead + Unpin,
    B: AsyncWrite + Unpin,
    C: AsyncRead + Unpin,
    D: AsyncWrite + Unpin,
{
    let generation = state.borrow().generation;
    let upstream = copy(client.0, server.1, state.clone());
    let downstream = copy(server.0, client.1, state.clone());
    tokio::select! {
        _ = async { tokio::join!(upstream, downstream) } => {}
        _ = state.wait_for(|state| state.generation != generation) => {}
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut state: watch::Receiver<LinkState>,
) {
    let mut bytes = vec![0; 4 << 10];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        // A stalled link also withholds the end of a connection.
        let fault = match state.wait_for(|state| !matches!(state.fault, Some(LinkFault::Stall))).await {
            Ok(state) => state.fault,
            Err(_) => return,
        };
        if let Some(LinkFault::Delay(delay_ms)) = fault {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
        }
        if read == 0 || to.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
