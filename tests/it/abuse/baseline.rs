//! A measurement without abuse, as the baseline for the bounds of the other tests.

use super::LatencyProbe;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_abuse_commands_are_acknowledged_quickly() {
    let mut probe = LatencyProbe::start(&[]).await;
    let measurement = probe.measure().await;
    measurement.assert_within_limits(32 << 20);
}
