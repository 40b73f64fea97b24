//! Roundtable: a server where people and bots watch and steer one run of a team of AI agents together.
//!
//! The core loop is five calls, in `orchestrator::apply`: decide (pure), append (durable, or nothing happened),
//! publish, advance (the next state and its work), settle (snapshots and erasure). The code in front of it is in
//! [`http`], [`socket`] and [`doors`]; the code behind it is in [`agent`], [`store`] and [`demo_model`]. A module uses
//! only modules of lower layers; `tests/it/layers.rs` lists the layers and checks this.
//!
//! The laws, as in `docs/architecture.md`, each with tests in `tests/it` that fail when it is broken. `make mutants`
//! breaks the laws to check the tests:
//!
//! 1. Persist, then publish. `run::laws::events_are_shown_only_after_they_are_durable`.
//! 2. Everyone sees the events in one order, without gaps or repeats, however often they reconnect.
//!    `process::drops::a_client_that_reconnects_fifty_times_sees_exactly_the_log`,
//!    `socket_viewers::a_viewer_gets_the_whole_log_and_then_live_events_without_gap_or_repeat`.
//! 3. The kernel is pure: no async, I/O, clock or randomness. `layout::the_kernel_uses_only_pure_code`,
//!    `layout::the_kernel_depends_only_on_pure_crates`.
//! 4. State is a fold of the log. Outstanding work can be derived from the state, so a restart continues every run. The
//!    one exception is the generated title of a session: nothing waits for it, and a restart does not request it again.
//!    `kernel::properties::every_history_keeps_the_laws`, `run::crash::a_restart_in_mid_turn_resumes_the_run`.
//! 5. Each session has one fenced writer. `store_laws::a_lower_fence_appends_nothing`,
//!    `run::crash::a_node_that_lost_the_session_writes_nothing_more`.
//! 6. A command counts once, and an acknowledged command survives every crash.
//!    `run::laws::an_append_with_a_lost_answer_counts_once`,
//!    `run::crash::an_acknowledged_command_counts_once_across_a_restart`,
//!    `run::shared_commit::commands_that_wait_together_share_a_commit`,
//!    `kernel::asked_commands::a_repeated_vote_gets_the_seq_after_the_command_that_it_approved`.
//! 7. The server sets the actor of every event. `process::sockets::the_server_sets_the_actor`.
//! 8. A run does not depend on the lifetime of any socket. `process::sockets::a_run_outlives_every_socket`,
//!    `socket_input::a_command_counts_even_if_its_sender_disconnects`.
//! 9. A slow viewer slows nobody down.
//!    `socket_viewers::a_stalled_viewer_slows_nobody_and_loses_nothing`.
//! 10. Everything is bounded. Each `*Limits` and `*Settings` type is checked at start;
//!     `run::laws::waiting_commands_of_a_session_are_limited` and similar tests.
//! 11. What runs is exactly what was approved. `kernel::gates::a_vote_names_the_revision_it_saw`,
//!     `kernel::gates::a_gate_names_the_text_under_review`,
//!     `kernel::partial_votes::the_dispatched_calls_are_exactly_those_approved_at_the_voted_revision`,
//!     `kernel::partial_votes::the_executed_items_are_exactly_those_that_were_left_in_the_plan`,
//!     `kernel::asked_commands::the_executed_command_is_exactly_the_approved_one`.
//! 12. Everyone who has the right to watch sees the same log. [`kernel::View`] is the same for all;
//!     `socket_viewers::a_viewer_starts_with_the_same_snapshot_as_an_owner`.
//! 13. A call that needs approval skips it only while a permission that people granted is in force.
//!     `kernel::standing_permissions::a_revoked_permission_lets_no_later_call_through`,
//!     `kernel::standing_permissions::a_permission_is_decided_under_the_rule_of_its_gate`.
//! 14. Nobody approves a command that they asked for. Where duties are separated, nobody approves something that they
//!     had a part in. `kernel::duties_properties::no_author_of_a_command_decides_it_alone`,
//!     `kernel::approval_rules::votes_of_involved_participants_do_not_decide`,
//!     `kernel::approval_rules::participants_who_directed_the_run_cannot_approve`.
//! 15. One person has one vote, even when voting on behalf of others; a batch of votes counts as a whole or not at all.
//!     `kernel::votes::a_delegate_of_both_reviewers_still_has_one_vote`,
//!     `kernel::votes::a_batch_of_votes_is_atomic`.
//! 16. Where an approval rule names a source, no call that results from that source has a side effect without approval
//!     under the rule that applies to the call. The approval covers the call itself or, as a permission, calls with
//!     that source. `kernel::call_sources::a_call_that_the_rules_allow_waits_for_the_stricter_gate`,
//!     `flows::injections::injected_text_reaches_no_side_effect_without_the_stricter_gate`.
//! 17. Spending never exceeds a budget by more than the upper bound on one turn's usage, even with parallel work and
//!     after a takeover.
//!     `kernel::budget_properties::spending_never_passes_a_budget_by_more_than_the_bound_of_one_turn`,
//!     `kernel::budget::a_takeover_charges_the_bound_of_lost_requests`.
//! 18. No transport and no door lets a role take an action that the role's rights in the session exclude. An action
//!     that the role must request waits until owners approve it.
//!     `kernel::rights::a_role_cannot_exceed_its_rights_under_any_rule`,
//!     `access::commands::every_command_requires_the_right_that_session_rules_set`,
//!     `kernel::asked_commands::the_right_is_checked_again_when_the_command_runs`,
//!     `asked_commands::an_approved_command_of_a_disabled_participant_is_not_carried_out`.
//! 19. The forecast of a rule learned from votes equals the result of replaying the log with that rule. The rule never
//!     weakens the approval rule of its calls.
//!     `kernel::learned_rules::the_forecast_of_a_rule_equals_a_replay_of_the_log_with_it`,
//!     `kernel::learned_rules::a_learned_rule_never_weakens_the_rule_of_its_calls`,
//!     `kernel::learned_rules::a_rule_is_decided_under_the_rule_of_its_calls_and_covers_no_calls_under_another`.
//! 20. Model usage never exceeds a monthly quota by more than the upper bound on one request's usage, across all nodes
//!     and after a takeover. `model_quotas::requests_pass_no_quota_by_more_than_one_bound`,
//!     `model_quotas::a_request_that_a_restart_interrupted_counts_with_its_bound`,
//!     `model_quotas::once_a_session_is_claimed_again_its_last_owner_reserves_nothing`.

pub mod access;
pub mod agent;
pub mod audit;
pub mod backoff;
pub mod bus;
pub mod cli;
pub mod clock;
pub mod config;
pub mod demo_model;
pub mod dispatch;
pub mod doors;
pub mod feed;
mod fence;
pub mod files;
pub mod health;
pub mod http;
mod http_client;
pub mod identity;
mod ip_networks;
mod json_pointer;
pub mod knowledge;
pub mod limits;
pub mod network;
pub mod node;
pub mod node_id;
mod openapi;
pub mod orchestrator;
pub mod peer_messages;
mod peers;
pub mod protocol;
pub mod provisioning;
pub mod quotas;
pub mod redaction_worker;
pub mod redactions;
pub mod secret_text;
pub mod sign_in;
pub mod socket;
mod spelling;
pub mod store;
pub mod store_error;
mod supervise;
pub mod sweep;
pub mod telemetry;
mod toml_error;
pub mod tool;

/// Pure core of the program. It is a separate crate, so that the compiler prevents it from using anything impure.
pub use roundtable_kernel as kernel;

/// Runs a server on this listener until `shutdown` completes, then shuts it down gracefully.
pub async fn run(
    config: config::Config,
    listener: tokio::net::TcpListener,
    shutdown: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let node = node::Node::start(config, listener.local_addr()?).await?;
    let stopping = node.stopping.clone();
    let _monitoring = http::monitoring::MonitoringServer::start(&node).await?;
    let serving = http::serve(node, doors::routes(), listener);
    tokio::pin!(serving);
    tokio::select! {
        ended = &mut serving => return ended,
        () = shutdown => stopping.cancel(),
    }
    serving.await
}
