//! The demo model: an OpenAI-compatible server with scripted responses. The demo, tests and load tests use it to
//! exercise the real model path over HTTP without a model. Settings determine the tokens per second, the delay and the
//! faults of all requests. Options in the model's name override them per request:
//! `demo?tokens_per_second=200&fault=cut&fault_times=1`.

pub(crate) mod example;
pub(crate) mod prompt_parser;
mod reply;
mod schema_merge;
mod schema_text;
mod schema_value;
mod script;
mod server;
mod settings;
mod state;
mod story;
mod stream;
mod structured_output;
mod task_context;
mod tokenize;
mod tool_calls;
mod wrong_value;

use std::{net::SocketAddr, sync::Arc};

use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::CancellationToken;

pub use settings::{DemoSettings, Fault, Mistake};
pub use state::{DemoCounters, LoggedRequest};
pub(crate) use story::title_of;

use state::DemoState;

/// A running demo model. Dropping it stops the server and ends all open streams.
#[derive(Debug)]
pub struct DemoModel {
    address: SocketAddr,
    state: Arc<DemoState>,
    stop: CancellationToken,
}

impl DemoModel {
    /// Names of the models, without options. The first model is the default.
    pub const NAMES: [&str; 3] = ["demo", "demo-fast", "demo-slow"];

    /// Starts a server on a free port of the loopback address.
    pub async fn start(settings: DemoSettings) -> std::io::Result<Self> {
        Self::spawn(TcpListener::bind("127.0.0.1:0").await?, settings)
    }

    /// Starts a server on a listener, in a background task.
    pub fn spawn(listener: TcpListener, settings: DemoSettings) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(DemoState::new(settings));
        let stop = CancellationToken::new();
        let serving = axum::serve(listener, server::router(state.clone())).into_future();
        tokio::spawn(stop.clone().run_until_cancelled_owned(serving));
        Ok(Self { address, state, stop })
    }

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the `base_url` for a provider's configuration.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the counters. Tests wait for their changes instead of sleeping.
    pub fn counters(&self) -> watch::Receiver<DemoCounters> {
        self.state.counters()
    }

    /// Releases all streams that are currently held.
    pub fn release(&self) {
        self.state.release();
    }

    /// Returns up to [`LoggedRequest::KEPT`] of the newest requests, oldest first.
    pub fn requests(&self) -> Vec<Arc<LoggedRequest>> {
        self.state.requests()
    }

    /// Waits until the token is cancelled. The `roundtable demo-model` command uses this.
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
