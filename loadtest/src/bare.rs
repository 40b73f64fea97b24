//! The baseline: a loop that only writes the same pre-framed bytes to the same number of sockets.

use std::sync::Arc;

use anyhow::Context;
use roundtable::feed::frame;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::fanout::{Fanout, FanoutServer};
use crate::max_rate_server::MaxRate;
use crate::report::{Report, median};
use crate::watching_client::WatchingClient;
use crate::{machine, server};

/// Bytes per write, as in the server.
const WRITE_BYTES: usize = 64 << 10;

/// Serves until standard input ends. Each line requests a round and contains its number of events.
pub fn serve(load: &MaxRate) -> anyhow::Result<()> {
    machine::raise_open_files();
    machine::pin([load.core])?;
    machine::runtime(1)?.block_on(bare(load))
}

async fn bare(load: &MaxRate) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    server::print_line(&format!("{}", listener.local_addr()?))?;
    let frame = frame::text_frame(&vec![b'x'; load.bytes as usize]);
    let count = (WRITE_BYTES / frame.len()).max(1);
    let (len, block) = (frame.len(), Arc::<[u8]>::from(frame.repeat(count)));
    let (round, rounds) = watch::channel(0);
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(feed(tcp, block.clone(), len, rounds.clone()));
        }
    });
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let events: usize = line.trim().parse().context("a number of events")?;
        round.send_modify(|total| *total += events);
        server::print_line("published")?;
    }
    Ok(())
}

async fn feed(mut tcp: TcpStream, block: Arc<[u8]>, frame: usize, mut rounds: watch::Receiver<usize>) {
    let _ = tcp.set_nodelay(true);
    let mut head = [0; 1024];
    let response = b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    if tcp.read(&mut head).await.is_err() || tcp.write_all(response).await.is_err() {
        return;
    }
    let mut written = 0;
    while rounds.changed().await.is_ok() {
        let due = *rounds.borrow_and_update() * frame;
        while written < due {
            let len = block.len().min(due - written);
            if tcp.write_all(&block[..len]).await.is_err() {
                return;
            }
            written += len;
            // Yield for fairness, as a server has to.
            tokio::task::yield_now().await;
        }
    }
}

/// Starts the bare loop as a child process, and connects its viewers.
pub async fn start(load: &Fanout) -> anyhow::Result<FanoutServer> {
    let mut server = server::Server::start_hidden(
        "serve-bare",
        &[("core", 0), ("events", load.events), ("bytes", load.bytes), ("viewers", load.viewers)],
    )?;
    let address = server.read_line().await?;
    let mut viewers = Vec::new();
    for _ in 0..load.viewers {
        viewers.push(WatchingClient::connect(&address).await?);
    }
    Ok(FanoutServer::new(server, viewers, false))
}

/// Measures the bare loop alone.
pub async fn measure(load: &Fanout) -> anyhow::Result<Report> {
    machine::avoid_core(0)?;
    let mut bare = start(load).await?;
    let mut costs = Vec::new();
    let mut rates = Vec::new();
    for _ in 0..load.rounds {
        let (cost, rate) = bare.run(load.events).await?;
        costs.push(cost);
        rates.push(rate);
    }
    let cost = median(costs);
    Ok(Report {
        scenario: "bare",
        deliveries_per_s: median(rates),
        cpu_s_per_million: cost,
        bare_cpu_s_per_million: cost,
        ratio_to_bare: cost.map(|_| 1.0),
        ..Report::default()
    })
}
