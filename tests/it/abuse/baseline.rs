//! No abuse: the baseline for the bounds of the other tests.

use super::Bystander;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_abuse_a_bystander_is_served_at_once() {
    let mut ann = Bystander::start(&[]).await;
    let felt = ann.work().await;
    felt.is_bearable(32 << 20);
}
