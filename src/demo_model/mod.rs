//! The demo model: an OpenAI-compatible server whose answers are scripted, so that demo, tests and load tests run the real
//! model path over HTTP without a model. Speed, delay and faults are set by options, or in the model's name per request:
//! `demo?speed=200&fault=cut&fault_times=1`.

mod calls;
pub(crate) mod example;
mod options;
mod pieces;
mod reply;
mod schema;
mod script;
mod server;
mod shapes;
mod state;
mod story;
mod stream;
pub(crate) mod transcript;
mod work;

use std::{net::SocketAddr, sync::Arc};

use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::CancellationToken;

pub use options::{DemoOptions, Fault, Mistake};
pub use state::{Counters, Logged};
pub(crate) use story::title_of;

use state::State;

/// A running demo model. Dropping it ends the server and every stream that is open.
#[derive(Debug)]
pub struct DemoModel {
    address: SocketAddr,
    state: Arc<State>,
    stop: CancellationToken,
}

impl DemoModel {
    /// Serve on a free port of the loopback address.
    pub async fn start(options: DemoOptions) -> std::io::Result<Self> {
        Self::spawn(TcpListener::bind("127.0.0.1:0").await?, options)
    }

    /// Serve on a listener, in a task of its own.
    pub fn spawn(listener: TcpListener, options: DemoOptions) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(options));
        let stop = CancellationToken::new();
        let serving = axum::serve(listener, server::router(state.clone())).into_future();
        tokio::spawn(stop.clone().run_until_cancelled_owned(serving));
        Ok(Self { address, state, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to configure as a provider's `base_url`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What has happened so far; wait on it instead of on the clock.
    pub fn counters(&self) -> watch::Receiver<Counters> {
        self.state.counters()
    }

    /// Let every stream go on that is held now.
    pub fn release(&self) {
        self.state.release();
    }

    /// The newest requests, oldest first, at most [`Logged::KEPT`].
    pub fn requests(&self) -> Vec<Arc<Logged>> {
        self.state.requests()
    }

    /// Serve until the token is cancelled: for `roundtable demo-model`.
    pub async fn wait(&self, shutdown: &CancellationToken) {
        shutdown.cancelled().await;
        self.stop.cancel();
    }
}

impl Drop for DemoModel {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
