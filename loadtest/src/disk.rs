//! Latency of the disk operation that a commit waits for.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::report::latency_histogram;

/// Bytes of one write: a page.
const PAGE: [u8; 4096] = [1; 4096];

/// Appends a page to a file in this folder and syncs it, at this rate.
pub async fn measure_syncs(folder: &Path, rate: u64, seconds: u64) -> anyhow::Result<Histogram<u64>> {
    let mut file = File::create(folder.join("syncs"))?;
    let mut histogram = latency_histogram();
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate as f64));
    for _ in 0..rate * seconds {
        ticks.tick().await;
        let took = tokio::task::block_in_place(|| {
            file.write_all(&PAGE)?;
            let started = Instant::now();
            file.sync_data()?;
            std::io::Result::Ok(started.elapsed())
        })?;
        histogram.saturating_record(u64::try_from(took.as_nanos())?);
    }
    Ok(histogram)
}
