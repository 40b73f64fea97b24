//! One rate limit per participant across all nodes, in a real Redis.

use std::net::IpAddr;

use roundtable::bus;
use roundtable::clock;
use roundtable::identity::SecretHash;
use roundtable::kernel::{CommandKind, ParticipantId};
use roundtable::limits::{RateLimitSender, RateLimitSettings, RateLimiters, SharedRateLimiter};
use roundtable::network::ClientAddress;
use roundtable::protocol::Code;
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::run::ordered_viewer::TIMEOUT;
use crate::{redis, redis_cluster};

fn build_node(url: &str, prefix: &str) -> RateLimiters {
    let shared = SharedRateLimiter::new(bus::redis::RedisRoute::new(url, prefix).expect("a URL"));
    RateLimiters::new(&RateLimitSettings::default(), Some(shared))
}

fn new_prefix_and_participant() -> (String, ParticipantId) {
    let id = uuid::Uuid::now_v7();
    (format!("test-{}", id.simple()), ParticipantId(id))
}

/// Returns the key of the participant's counts in Redis.
fn key(prefix: &str, who: ParticipantId) -> String {
    format!("{{{prefix}}}:r:chat:{who}")
}

const CHAT: CommandKind = CommandKind::Ordinary;

#[tokio::test]
async fn requests_on_one_node_count_on_the_other() {
    let url = redis::shared();
    check_shared_count(&url, &url).await;
}

#[tokio::test]
async fn a_flood_of_chat_on_one_node_leaves_the_limit_of_controls_on_another() {
    let ((prefix, who), url) = (new_prefix_and_participant(), redis::shared());
    let (one, two) = (build_node(&url, &prefix), build_node(&url, &prefix));
    // Stop before chat is rejected: a debt beyond a burst of controls is interpreted as a clock that was set back.
    for _ in 0..10 {
        one.command_everywhere(who, CHAT).await.expect("half of what may be said at once");
    }
    for number in 1..=60 {
        two.command_everywhere(who, CommandKind::Control)
            .await
            .unwrap_or_else(|problem| panic!("control {number}: {problem:?}"));
    }
    for number in 11..=20 {
        one.command_everywhere(who, CHAT).await.unwrap_or_else(|problem| panic!("message {number}: {problem:?}"));
    }
}

#[tokio::test]
async fn a_redis_cluster_counts_for_any_node_in_the_urls() {
    let urls = redis_cluster::shared();
    for (one, two) in [(0, 1), (1, 2), (2, 0)] {
        check_shared_count(&urls[one], &urls[two]).await;
    }
}

async fn check_shared_count(one: &str, two: &str) {
    let (prefix, who) = new_prefix_and_participant();
    let (one, two) = (build_node(one, &prefix), build_node(two, &prefix));
    let mut taken = 0;
    for _ in 0..20 {
        for node in [&one, &two] {
            taken += u32::from(node.command_everywhere(who, CHAT).await.is_ok());
        }
    }
    assert!((20..=25).contains(&taken), "a burst of 20 on both together, not each: {taken}");
    let problem = one.command_everywhere(who, CHAT).await.expect_err("too fast");
    assert_eq!(problem.code(), Code::RateLimited);
    assert!((1..=201).contains(&problem.0.retry_after_ms.expect("says when")));
    one.command_everywhere(who, CommandKind::Control).await.expect("has a limit of its own");
    two.command_everywhere(new_prefix_and_participant().1, CHAT).await.expect("is somebody else");
}

#[tokio::test]
async fn expensive_requests_count_on_all_nodes_together() {
    let (prefix, who) = new_prefix_and_participant();
    let (one, two) = (build_node(&redis::shared(), &prefix), build_node(&redis::shared(), &prefix));
    let mut taken = 0;
    for number in 0..400 {
        let node = if number % 2 == 0 { &one } else { &two };
        taken += u32::from(node.expensive(who).await.wait.is_zero());
    }
    let pace = RateLimitSettings::default().expensive;
    assert!((pace.burst.get()..2 * pace.burst.get()).contains(&taken), "{taken}");
}

#[tokio::test]
async fn requests_count_in_batches_on_all_nodes_together() {
    let ((prefix, who), url) = (new_prefix_and_participant(), redis::shared());
    let (one, two) = (build_node(&url, &prefix), build_node(&url, &prefix));
    let address = IpAddr::from([192, 0, 2, 1]);
    let settings = RateLimitSettings::default();
    for (limit, kind) in [(settings.request, 0), (settings.stranger, 1), (settings.address, 2)] {
        let ask = async |node: &RateLimiters| match kind {
            0 => node.request(who).await,
            1 => node.stranger(address).await,
            _ => node.address(address).await,
        };
        let burst = limit.burst.get();
        let mut taken = 0;
        // Each node alone has room for all of its requests.
        for _ in 0..burst {
            for node in [&one, &two] {
                taken += u32::from(ask(node).await.wait.is_zero());
            }
        }
        // The range has room for two batches, and for the refill in the meantime.
        assert!((burst..burst * 3 / 2).contains(&taken), "a burst of {burst} on both together, not each: {taken}");
    }
    assert!(one.request(new_prefix_and_participant().1).await.wait.is_zero(), "is somebody else");
}

#[tokio::test]
async fn the_limit_of_a_token_counts_on_all_nodes_and_with_its_owner() {
    let ((prefix, participant), url) = (new_prefix_and_participant(), redis::shared());
    let settings = RateLimitSettings {
        token: Some(serde_json::from_value(serde_json::json!({ "burst": 6, "per_second": 1 })).expect("a limit")),
        ..RateLimitSettings::default()
    };
    let node = || {
        let shared = SharedRateLimiter::new(bus::redis::RedisRoute::new(&url, &prefix).expect("a URL"));
        RateLimiters::new(&settings, Some(shared))
    };
    let (one, two) = (node(), node());
    let by = |token: &str| RateLimitSender { participant, token: Some(SecretHash::of(token)) };
    let mut taken = 0;
    for _ in 0..5 {
        for node in [&one, &two] {
            node.command(by("bot"), CHAT).expect("each node alone has room");
            taken += u32::from(node.command_everywhere(by("bot"), CHAT).await.is_ok());
        }
    }
    assert!((6..=7).contains(&taken), "a burst of 6 on both together, not each: {taken}");
    for node in [&one, &two] {
        let problem = node.command_everywhere(by("bot"), CHAT).await.expect_err("too fast");
        assert_eq!(problem.0.details.expect("details")["limit"], "rate_limits.token");
        assert_eq!(node.expensive(by("bot")).await.name, "token", "joins and reads count with commands");
        node.command_everywhere(by("bot"), CommandKind::Control).await.expect("it can stop what it began");
    }
    two.command_everywhere(by("another"), CHAT).await.expect("has a limit of its own");
    two.command_everywhere(participant, CHAT).await.expect("its owner goes on");
}

#[tokio::test]
async fn a_flood_of_a_token_does_not_use_up_the_limits_of_its_owner() {
    let limit = |burst: u32| serde_json::from_value(serde_json::json!({ "burst": burst, "per_second": 1 }));
    let settings = RateLimitSettings {
        token: Some(limit(6).expect("a limit")),
        chat: limit(20).expect("a limit"),
        join: limit(20).expect("a limit"),
        expensive: limit(20).expect("a limit"),
        ..RateLimitSettings::default()
    };
    let participant = new_prefix_and_participant().1;
    let by = |token: &str| RateLimitSender { participant, token: Some(SecretHash::of(token)) };
    let limiters = RateLimiters::new(&settings, None);
    let commands = (0..50).filter(|_| limiters.command(by("chat"), CHAT).is_ok()).count();
    let joins = (0..50).filter(|_| limiters.join(by("join")).is_ok()).count();
    for _ in 0..50 {
        limiters.expensive(by("expensive")).await;
    }
    assert!(commands < 12 && joins < 12, "{commands} and {joins}");
    for _ in 0..8 {
        limiters.command(participant, CHAT).expect("has room");
        limiters.join(participant).expect("has room");
        assert!(limiters.expensive(participant).await.wait.is_zero());
    }
}

#[tokio::test]
async fn new_guests_count_by_link_and_by_address_on_all_nodes_together() {
    let ((prefix, _), url) = (new_prefix_and_participant(), redis::shared());
    let (one, two) = (build_node(&url, &prefix), build_node(&url, &prefix));
    let link = |name: &str| SecretHash::of(name);
    let address = |last| ClientAddress([192, 0, 2, last].into());
    let mut taken = 0;
    for number in 0..100 {
        for node in [&one, &two] {
            taken += u32::from(node.new_guest_everywhere(link("a link"), address(number)).await.is_ok());
        }
    }
    assert!((100..=110).contains(&taken), "a burst of 100 on both together, not each: {taken}");
    let problem = one.new_guest_everywhere(link("a link"), address(200)).await.expect_err("too many by this link");
    assert_eq!(problem.code(), Code::RateLimited);
    two.new_guest_everywhere(link("another"), address(200)).await.expect("is another link, from elsewhere");
}

#[tokio::test]
async fn a_redis_clock_that_was_ahead_locks_nobody_out() {
    let ((prefix, who), url) = (new_prefix_and_participant(), redis::shared());
    let node = build_node(&url, &prefix);
    // The value that an operation leaves behind if the clock was an hour ahead and was then corrected.
    let ahead = clock::now().plus(3_600_000).millis() * 1_000;
    let mut raw = redis::raw(&url);
    let () = ::redis::cmd("SET").arg(key(&prefix, who)).arg(ahead).query(&mut raw).expect("is written");
    let taken = async || node.command_everywhere(who, CHAT).await.is_ok();
    assert!(taken().await, "not in an hour");
    let mut more = 0;
    while taken().await {
        more += 1;
    }
    assert!((19..=24).contains(&more), "the limit is what it was: {more}");
}

#[tokio::test]
async fn without_redis_each_node_counts_for_itself() {
    let (prefix, who) = new_prefix_and_participant();
    let mut redis = redis::Server::start(&[]);
    let limits = build_node(&redis.url(), &prefix);
    limits.command_everywhere(who, CHAT).await.expect("is counted");
    redis.freeze();
    for _ in 0..200 {
        limits.command_everywhere(who, CHAT).await.expect("this node's own limits hold alone");
    }
    let refused = (0..100).filter(|_| limits.command(who, CHAT).is_err()).count();
    assert!(refused >= 75, "{refused}");
    redis.thaw();
    redis.kill();
    limits.command_everywhere(who, CHAT).await.expect("as before");
}

/// Starts a proxy to this Redis, which serves the first connection once `open` is cancelled, and never serves any
/// other. Returns its folder and URL.
fn start_slow_proxy(url: &str, open: CancellationToken) -> (TempDir, String) {
    let to = url.strip_prefix("unix://").expect("a socket").to_owned();
    let folder = tempfile::tempdir().expect("makes a folder");
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).expect("listens");
    tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.expect("comes");
        open.cancelled().await;
        let mut there = UnixStream::connect(to).await.expect("is there");
        let others = async {
            let mut kept = vec![];
            while let Ok(other) = listener.accept().await {
                kept.push(other);
            }
        };
        tokio::join!(copy_bidirectional(&mut first, &mut there), others)
    });
    (folder, format!("unix://{}", socket.display()))
}

#[tokio::test]
async fn a_redis_that_connects_slowly_counts_once_connected() {
    let ((prefix, who), url) = (new_prefix_and_participant(), redis::shared());
    let open = CancellationToken::new();
    let (_folder, slow) = start_slow_proxy(&url, open.clone());
    let limits = build_node(&slow, &prefix);
    limits.command_everywhere(who, CHAT).await.expect("is not kept waiting");
    open.cancel();
    let mut raw = redis::raw(&url);
    let mut is_counted = || ::redis::cmd("EXISTS").arg(key(&prefix, who)).query::<bool>(&mut raw);
    let counted = async {
        while !is_counted().expect("answers") {
            let _ = limits.command_everywhere(who, CHAT).await;
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, counted).await.expect("counts for all nodes");
}
