//! Three nodes, their people, their viewers, and a plan of faults.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::bus::{Bus, BusSettings, BusStatus, Hub, Urgency};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::kernel::call::{StandingArguments, StandingTerms};
use roundtable::kernel::gate::{BatchedVote, Choice, CommentTarget, CommentThread, FileLine, Gate, GateKind};
use roundtable::kernel::*;
use roundtable::node_id::NodeId;
use roundtable::orchestrator::{Cluster, ClusterSettings, OrchestratorSettings, SessionRegistry};
use roundtable::protocol::{Code, Family};
use roundtable::store::{EventStore, LeaseStore, LiveNode};
use roundtable::tool::Toolbox;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::counting_tool::{CountingPutTool, ToolExecutions, any_budget, any_team};
use super::erasure;
use super::faulty_links::{FaultyBusLink, FaultyModel, FaultyStoreLink, NodeFaults};
use super::memory_store::MemoryStore;
use super::pause::pause;
use super::random_settings;
use super::viewer::{SimViewer, watch_nodes};
use servers::random::Random;

/// One node, as the plan sees it.
#[derive(Clone)]
pub(super) struct SimNode {
    pub(super) id: NodeId,
    pub(super) feeds: FeedRegistry,
    session_registry: SessionRegistry,
    pub(super) faults: Arc<NodeFaults>,
    /// Set once the node has been told to stop.
    stopping: Arc<AtomicBool>,
}

/// Acknowledged commands, each with the seq of its acknowledgement.
type AcknowledgedCommands = Mutex<HashMap<(SessionId, String, String), u64>>;

/// The complete simulation.
pub(super) struct Simulation {
    pub(super) memory: Arc<MemoryStore>,
    hub: Arc<Hub>,
    pub(super) nodes: Mutex<Vec<SimNode>>,
    pub(super) sessions: Vec<SessionId>,
    pub(super) acknowledged: AcknowledgedCommands,
    /// Kinds of participants' commands that were accepted.
    pub(super) accepted: Mutex<BTreeSet<String>>,
    /// Controls that were rejected because their target was over.
    pub(super) over: Mutex<HashSet<(SessionId, String)>>,
    pub(super) viewers: Mutex<Vec<Arc<SimViewer>>>,
    /// Effects of tools.
    pub(super) executions: ToolExecutions,
    /// First violation in a response.
    pub(super) violation: Mutex<Option<String>>,
    /// Set once the plan is over, after which no further faults occur.
    pub(super) healed: AtomicBool,
    /// Status of the bus.
    pub(super) bus: watch::Sender<BusStatus>,
    /// Effects of bus failures.
    pub(super) bus_outage_effects: BusOutageEffects,
}

/// Counts of the effects of bus failures.
#[derive(Debug, Default)]
pub(super) struct BusOutageEffects {
    /// Number of times that a command for another node's session was rejected.
    pub(super) refused_commands: AtomicU64,
    /// Number of times that a viewer was told that its session is not live.
    pub(super) liveness_signals: AtomicU64,
    /// Number of times that a viewer received an event that another node wrote.
    pub(super) events_from_store: AtomicU64,
}

const PEOPLE: u64 = 3;

fn id_of(number: u64) -> ParticipantId {
    ParticipantId(Uuid::from_u128(u128::from(number) + 1))
}

/// Returns the number of a participant, or that of the first participant for an actor who is not a participant.
fn number_of(actor: &Actor) -> u64 {
    let number = actor.participant_id().and_then(|id| u64::try_from(id.0.as_u128() - 1).ok());
    number.unwrap_or_default()
}

pub(super) fn person(number: u64) -> Actor {
    // The last two people are not in any session at first.
    let names = ["Ann", "Bob", "Cyd", "Vic", "Wim"];
    let kind = if number == 2 { ActorKind::Bot } else { ActorKind::User };
    Actor::participant(id_of(number), kind, names[usize::try_from(number).expect("is small")])
}

fn by(number: u64, id: &str) -> CommandSender {
    CommandSender::Participant {
        actor: person(number),
        id: id.parse().expect("an id"),
        granted_role: None,
        max_role: None,
    }
}

impl Simulation {
    pub(super) async fn new(dice: &mut Random) -> Arc<Self> {
        let sessions = (0..2).map(|n| SessionId(Uuid::from_u128(100 + n))).collect();
        let simulation = Arc::new(Self {
            memory: Arc::default(),
            hub: Hub::new(),
            nodes: Mutex::default(),
            sessions,
            acknowledged: Mutex::default(),
            accepted: Mutex::default(),
            over: Mutex::default(),
            viewers: Mutex::default(),
            executions: ToolExecutions::default(),
            violation: Mutex::default(),
            healed: AtomicBool::new(false),
            bus: watch::Sender::new(BusStatus::Up),
            bus_outage_effects: BusOutageEffects::default(),
        });
        for _ in 0..3 {
            simulation.add_node(dice).await;
        }
        for session in &simulation.sessions {
            let team = any_team(dice);
            let settings = if team.origin.is_some() { Settings::of(&team.flow) } else { Settings::default() };
            let settings = Settings { budget: any_budget(dice), ..settings };
            let create = Command::Create { title: team.title.clone(), team, settings };
            simulation.create(*session, create);
            for number in 1..PEOPLE {
                simulation
                    .clone()
                    .send(dice, number, &format!("enter-{number}"), *session, Command::Enter { role: Role::Owner }, 1)
                    .await;
            }
            // In half of the sessions, people start with other rules.
            if dice.below(2) == 0 {
                let rules = random_settings::approval_rules(dice);
                let member = Command::SetRole { participant: id_of(1), role: Role::Member };
                let begin = [rules, random_settings::learning(), random_settings::members_ask(), member];
                for (number, command) in begin.into_iter().enumerate() {
                    simulation.clone().send(dice, 0, &format!("set-{number}"), *session, command, 1).await;
                }
            }
            for number in 0..3 {
                let viewer = SimViewer::new(*session, number == 2);
                simulation.viewers.lock().push(viewer.clone());
                tokio::spawn(watch_nodes(simulation.clone(), viewer, dice.split()));
            }
        }
        simulation
    }

    /// Creates a session whose log begins in the year 2100. Its time then follows only the clock of the simulation.
    /// With the time of day, the load on the machine would determine what is due first.
    fn create(&self, session: SessionId, command: Command) {
        let at = Timestamp::from_millis(4_102_444_800_000);
        let by = CommandSender::Participant {
            actor: person(0),
            id: "create".parse().expect("an id"),
            granted_role: None,
            max_role: None,
        };
        let created = decide(&State::new(session), &Envelope { at, by, command }).expect("is valid");
        let CommandOutcome::Events { events, .. } = created else { panic!("it is the first command") };
        self.memory.create(session, &events);
    }

    async fn add_node(&self, dice: &mut Random) {
        let faults = NodeFaults::none(dice.split());
        let id = NodeId(Uuid::from_u128(u128::from(dice.draw())));
        let me = LiveNode { node: id, name: "sim".into(), version: "1".into(), bus: None };
        let joined = self.hub.join(me.node, &BusSettings::default());
        let bus: Arc<dyn Bus> =
            Arc::new(FaultyBusLink { bus: joined.bus, faults: faults.clone(), status: self.bus.clone() });
        let line = Arc::new(FaultyStoreLink { memory: self.memory.clone(), faults: faults.clone() });
        let settings = ClusterSettings { lease_ms: 200, renew_ms: 60, takeover_ms: 40, ..ClusterSettings::default() };
        let store: Arc<dyn EventStore> = line.clone();
        let leases: Arc<dyn LeaseStore> = line;
        let feeds = FeedRegistry::new(
            store.clone(),
            FeedSettings { check_ms: 60, poll_ms: 40, ..FeedSettings::default() },
            Some(bus.clone()),
        );
        tokio::spawn(feeds.clone().keep_up(bus.status()));
        let cluster = Cluster { me, leases, bus, settings };
        // A sleeping session is restored from the log, which would hide anything that the session missed, so some nodes
        // never put sessions to sleep.
        let idle_seconds = *dice.pick(&[1, 3_600]);
        let bounds = OrchestratorSettings {
            idle_seconds,
            snapshot_interval_events: 7,
            store_retry_ms: 10,
            ..Default::default()
        };
        let models = Arc::new(FaultyModel { faults: faults.clone() });
        let put = Arc::new(CountingPutTool::new(faults.clone(), self.executions.clone()));
        let toolbox = Toolbox::new(vec![put], vec![]);
        let session_registry = SessionRegistry::new(store, feeds.clone(), models, toolbox, bounds, Some(cluster), None);
        session_registry.start(Some(joined.requests)).await.expect("starts");
        faults.starting.store(false, Relaxed);
        let stopping = Arc::default();
        self.nodes.lock().push(SimNode { id, feeds, session_registry, faults, stopping });
    }

    /// Returns a random node that can be reached.
    pub(super) fn node(&self, dice: &mut Random) -> SimNode {
        dice.pick(&self.living()).clone()
    }

    /// Sends a command through several nodes, and retries it as a client would.
    pub(super) async fn send(
        self: Arc<Self>,
        dice: &mut Random,
        who: u64,
        id: &str,
        session: SessionId,
        command: Command,
        at_once: u64,
    ) {
        let mut dice = dice.split();
        let mut sent = vec![];
        for _ in 0..at_once {
            let (simulation, mut dice) = (self.clone(), dice.split());
            let (id, command) = (id.to_owned(), command.clone());
            sent.push(tokio::spawn(async move {
                for _ in 0..6 {
                    let node = simulation.node(&mut dice);
                    let tried = node.session_registry.submit(session, by(who, &id), command.clone());
                    match timeout(Duration::from_millis(3_000), tried).await {
                        Ok(Ok(seq)) => {
                            simulation.accepted.lock().insert(super::coverage::kind_of(&command));
                            return simulation.acknowledge(session, who, &id, seq);
                        }
                        Ok(Err(problem)) if problem.code().family() == Family::Rejection => {
                            if problem.code() == Code::TargetOver {
                                simulation.over.lock().insert((session, id.clone()));
                            }
                            // Some responses are lost in transit, and the command is sent again.
                            if dice.below(3) > 0 {
                                return;
                            }
                            pause(dice.below(400)).await;
                        }
                        Ok(Err(problem)) if problem.code() == Code::Busy && !simulation.bus.borrow().is_up() => {
                            simulation.bus_outage_effects.refused_commands.fetch_add(1, Relaxed);
                            pause(dice.below(200)).await;
                        }
                        _ => pause(dice.below(200)).await,
                    }
                }
            }));
        }
        for sent in sent {
            sent.await.expect("sends");
        }
    }

    fn acknowledge(&self, session: SessionId, who: u64, id: &str, seq: u64) {
        let key = (session, person(who).id.to_string(), id.to_owned());
        let before = self.acknowledged.lock().insert(key.clone(), seq);
        if let Some(before) = before.filter(|before| *before != seq) {
            self.violation.lock().get_or_insert(format!("{key:?} got two answers: {before} and {seq}"));
        }
    }

    /// Performs people's actions and injects faults, one after another.
    pub(super) async fn run_steps(self: &Arc<Self>, dice: &mut Random, steps: u64) {
        for step in 0..steps {
            pause(dice.below(40)).await;
            match dice.below(20) {
                0 => self.kill(dice).await,
                1 => self.freeze(dice),
                2 => self.fail_for_a_while(dice, |node| &node.faults.cut),
                3 => self.fail_for_a_while(dice, |node| &node.faults.unheard),
                4 => self.stop(dice).await,
                5 => self.lose_bus(dice),
                _ => self.submit_random_command(dice, step),
            }
        }
        self.heal_all();
    }

    fn submit_random_command(self: &Arc<Self>, dice: &mut Random, step: u64) {
        let session = *dice.pick(&self.sessions);
        let state = super::check::state(self, session).0;
        let open = state.view().gates.iter().map(|gate| gate.id).collect::<Vec<_>>();
        let run = state.view().run.as_ref().map_or(RunId(1), |run| run.id);
        let gate = if open.is_empty() { GateId(1 + dice.below(60)) } else { *dice.pick(&open) };
        let text = *dice.pick(&["写测试", "approve", "shorter", "@Rev stricter", "@all again"]);
        // Participants outside the session knock, and owners answer.
        let visitor = PEOPLE + dice.below(2);
        let mut by_visitor = false;
        let (mut who, id) = (dice.below(PEOPLE), format!("c{step}"));
        let mark = erasure::mark(who, &id);
        let text: Arc<str> = if text == "approve" { text.into() } else { format!("{text} {mark}").into() };
        let command = match dice.below(61) {
            22 => {
                let text = format!("@people aside {mark}").into();
                Command::Say { text, to: None, mode: Mode::Queue, files: vec![] }
            }
            23 | 26 => erasure::redaction(dice, &state, step + 10 > super::STEPS),
            27 => Command::Set { title: Some(format!("About {mark}").into()), settings: None },
            28 => {
                let name = (*dice.pick(&["plan.md", &format!("{mark}.md")])).parse().expect("a name");
                let digest = call::digest(&mark);
                let file = NewFile { name, media_type: "text/plain".into(), bytes: 10, digest };
                Command::AddFile { file, limits: FileLimits { versions: 100, bytes: 10_000 } }
            }
            31 | 32 | 56 | 57 => {
                let asks = state.view().gates.iter().find(|open| open.kind == GateKind::Tool);
                let gate = asks.map_or(gate, |open| open.id);
                let arguments = if dice.below(3) == 0 { StandingArguments::Same } else { StandingArguments::Any };
                let max_uses = (dice.below(2) == 0).then_some(1 + u32::try_from(dice.below(3)).expect("small"));
                let standing = Some(StandingTerms { arguments, this_run: max_uses.is_none(), until: None, max_uses });
                Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing }
            }
            33 | 58 => {
                let known = state.view().permissions.last().map(|known| known.id);
                Command::RevokePermission { permission: known.unwrap_or(PermissionId(1 + dice.below(60))) }
            }
            34 => {
                let some = 1 + dice.below(3) as usize;
                let vote = |gate: &Gate| {
                    let choice = *dice.pick(&[Choice::Approve, Choice::Reject, Choice::Abstain]);
                    BatchedVote { gate: gate.id, rev: gate.rev, choice }
                };
                Command::VoteBatch { votes: state.view().gates.iter().take(some).map(vote).collect() }
            }
            35 | 54 => {
                let voted = state.view().gates.iter().find_map(|open| Some((open.id, open.votes.first()?)));
                let Some((gate, vote)) = voted else { return };
                who = number_of(&vote.by);
                Command::WithdrawVote { gate }
            }
            43 => {
                // Only the participant who asked can withdraw the command.
                let asked = state.view().gates.iter().find_map(|open| Some((open.id, open.command.as_deref()?)));
                let Some((gate, asked)) = asked else { return };
                who = number_of(&asked.by);
                Command::WithdrawCommand { gate }
            }
            47 => {
                let Some(waiting) = state.view().inbox.first().map(|queued| queued.message) else { return };
                let author = state.view().messages.iter().find(|message| message.id == waiting);
                who = author.map_or(who, |message| number_of(&message.by));
                Command::Withdraw { message: waiting }
            }
            // The first participant stays, so that somebody can decide and redact.
            48 => {
                who = 1 + dice.below(PEOPLE - 1);
                Command::Leave
            }
            49 => Command::Remove { participant: id_of(1 + dice.below(PEOPLE - 1)) },
            50 | 51 => {
                let number = 1 + dice.below(PEOPLE - 1);
                let Actor { kind, name, .. } = person(number);
                Command::Invite { participant: id_of(number), kind, name, role: Role::Owner, guest: false }
            }
            52 => {
                let old = state.view().files.first().map_or(FileId(1), |file| file.id);
                Command::RestoreFile { file: old, limits: FileLimits { versions: 100, bytes: 10_000 } }
            }
            53 if step + 5 > super::STEPS => Command::Close { reason: mark.into() },
            44 => {
                // Owners need no approval. The first one stays an owner, so that somebody can decide.
                let role = *dice.pick(&[Role::Owner, Role::Member, Role::Reviewer]);
                Command::SetRole { participant: id_of(1 + dice.below(PEOPLE - 1)), role }
            }
            45 => {
                let known = state.view().gates.iter().find(|open| open.id == gate);
                let thread = known.and_then(|open| open.threads.first()).filter(|_| dice.below(2) == 0);
                let file = state.view().current_files().last().filter(|_| dice.below(2) == 0);
                let target = match (thread, file) {
                    (Some(thread), _) => CommentTarget::Thread(thread.place.thread),
                    (None, Some(file)) => {
                        // The line is part of the file's content, so it has the mark of the file's author.
                        let text = Some(erasure::mark(number_of(&file.by), &format!("{id}q")).into());
                        CommentTarget::File { file: file.id, line: Some(FileLine { number: 1, text }) }
                    }
                    (None, None) => CommentTarget::Subject { path: "".into(), line: None },
                };
                let rev = known.map_or(1, |open| open.rev);
                Command::Comment { gate, rev, target, text: format!("why {mark}").into() }
            }
            46 | 59 | 60 => {
                let begun = state.view().gates.iter().find_map(|open| Some((open.id, open.threads.last()?)));
                let Some((gate, CommentThread { place, comments, .. })) = begun else { return };
                let thread = place.thread;
                match dice.below(3) {
                    0 => {
                        who = comments.first().map_or(who, |comment| number_of(&comment.by));
                        Command::DeleteComment { gate, comment: thread }
                    }
                    other => Command::ResolveComment { gate, thread, resolved: other > 1 },
                }
            }
            40 | 55 => {
                let known = call::RuleSuggestion::all(state.view()).first().map(|known| known.id.clone());
                Command::ProposeRule { suggestion: known.unwrap_or_else(|| "0".into()) }
            }
            41 => random_settings::learning(),
            36 => {
                let until = (dice.below(2) == 0).then(|| state.view().updated_at.plus(1 + dice.below(60_000)));
                Command::DelegateVotes { to: person(dice.below(PEOPLE)).participant_id(), until }
            }
            37 => random_settings::approval_rules(dice),
            42 => random_settings::rights(dice),
            38 => random_settings::budget(dice),
            39 => {
                let edit = match dice.below(3) {
                    0 => json!({ "model": "hand/small" }),
                    1 => json!({ "max_tokens": dice.below(60_000), "model": "" }),
                    _ => json!({ "max_tokens": dice.below(60_000) }),
                };
                let edit = serde_json::value::to_raw_value(&edit).ok();
                Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit, standing: None }
            }
            30 => {
                let relayed_mark = erasure::mark(who, &format!("{id}h"));
                let context = serde_json::json!({ "key": mark }).as_object().cloned().unwrap_or_default();
                let schema = serde_json::json!({ "type": "object", "required": ["note"], "description": mark });
                let request = MessageRequest::of(context, (dice.below(2) == 0).then_some(schema), None);
                let earlier = vec![PriorMessage {
                    role: RelayRole::Assistant,
                    text: format!("Hello {relayed_mark}").into(),
                    files: vec![],
                }];
                Command::Start { flow: None, input: text, files: vec![], earlier, request }
            }
            29 => Command::RemoveFile { name: "plan.md".parse().expect("a name") },
            18 | 19 => {
                by_visitor = true;
                Command::Knock { role: Role::Reviewer }
            }
            20 => Command::Admit { participant: id_of(visitor) },
            21 => Command::Refuse { participant: id_of(visitor) },
            24 | 25 => Command::Rename { name: (*dice.pick(&["Ann", "Аnn", "Bob", "Gen"])).into() },
            0 => Command::Interrupt { run, step: None, message: None, text: None },
            1 => {
                let step = state.view().active_run().and_then(|run| run.step);
                Command::Interrupt { run, step, message: None, text: Some(text) }
            }
            2 => Command::Pause { run },
            3 | 4 => Command::Resume { run },
            5 => Command::Cancel { run, reason: Some(mark.into()) },
            9 => Command::Answer { rev: (dice.below(2) == 0).then_some(1), gate, text },
            10 => {
                Command::Vote { gate, rev: 1, choice: Choice::Reject, comment: Some(text), edit: None, standing: None }
            }
            11 => {
                // The word differs from the one in the message, which can be redacted alone.
                let note = erasure::mark(who, &format!("{id}e"));
                let edit = serde_json::json!({ "n": 100 + dice.below(100), "note": note });
                let edit = serde_json::value::to_raw_value(&edit).ok();
                Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit, standing: None }
            }
            6 => Command::Vote { gate, rev: 1, choice: Choice::Approve, comment: None, edit: None, standing: None },
            7 | 8 => Command::Say { text, to: None, mode: Mode::Steer, files: vec![] },
            _ => Command::Say { text, to: None, mode: Mode::Queue, files: vec![] },
        };
        let (simulation, at_once) = (self.clone(), 1 + dice.below(5) / 4);
        let who = if by_visitor { visitor } else { who };
        let mut own = dice.split();
        tokio::spawn(async move { simulation.send(&mut own, who, &id, session, command, at_once).await });
    }

    async fn kill(self: &Arc<Self>, dice: &mut Random) {
        let node = self.node(dice);
        node.faults.dead.store(true, Relaxed);
        self.add_node(dice).await;
    }

    async fn stop(self: &Arc<Self>, dice: &mut Random) {
        let node = self.node(dice);
        node.stopping.store(true, Relaxed);
        self.add_node(dice).await;
        tokio::spawn(async move { node.session_registry.shutdown().await });
    }

    fn freeze(self: &Arc<Self>, dice: &mut Random) {
        let (node, long) = (self.node(dice), 50 + dice.below(900));
        node.faults.frozen.store(true, Relaxed);
        tokio::spawn(async move {
            pause(long).await;
            node.faults.thaw();
        });
    }

    fn fail_for_a_while(self: &Arc<Self>, dice: &mut Random, which: fn(&SimNode) -> &AtomicBool) {
        let (node, long) = (self.node(dice), 50 + dice.below(600));
        which(&node).store(true, Relaxed);
        tokio::spawn(async move {
            pause(long).await;
            which(&node).store(false, Relaxed);
        });
    }

    /// Takes the bus down for a while, for all nodes. When the bus is back, all followers are notified of a loss.
    fn lose_bus(self: &Arc<Self>, dice: &mut Random) {
        let long = 50 + dice.below(2_500);
        // Nodes wait for a bus that has just gone down, but not for one that has been down for a while.
        let since = Instant::now() - Duration::from_millis(*dice.pick(&[0, 1_000]));
        let down = BusStatus::Down { since, reason: "away".into() };
        if !self.bus.send_replace(down).is_up() {
            return;
        }
        let simulation = self.clone();
        tokio::spawn(async move {
            pause(long).await;
            simulation.restore_bus();
        });
    }

    fn restore_bus(&self) {
        if self.bus.send_replace(BusStatus::Up).is_up() {
            return;
        }
        // A message that is too large for the bus counts as a loss for every follower.
        let settings = BusSettings::default();
        let somebody = self.hub.join(NodeId::fresh(), &settings).bus;
        let large = Bytes::from(vec![0; settings.max_message_bytes + 1]);
        self.sessions.iter().for_each(|session| somebody.publish(*session, large.clone(), Urgency::Now));
    }

    fn heal_all(&self) {
        self.healed.store(true, Relaxed);
        self.restore_bus();
        for node in self.nodes.lock().iter() {
            node.faults.thaw();
            node.faults.cut.store(false, Relaxed);
            node.faults.unheard.store(false, Relaxed);
        }
    }

    /// Returns a description of a node that serves a session that another node has taken over, or that owns a session
    /// without serving it, so that no node could serve the session.
    pub(super) fn misplaced_session(&self) -> Option<String> {
        let owned =
            |id| self.sessions.iter().filter(|session| self.memory.ownership(**session).owner == Some(id)).count();
        let nodes = self.nodes.lock();
        let mut living = nodes.iter().filter(|node| !node.faults.dead.load(Relaxed));
        let stale = living.find(|node| node.session_registry.len() != owned(node.id))?;
        Some(format!("{} serves {} sessions and has {}", stale.id, stale.session_registry.len(), owned(stale.id)))
    }

    /// Returns the seq that the session's owner has reached.
    pub(super) async fn seq_of_owner(&self, session: SessionId) -> Option<u64> {
        Some(self.state_of_owner(session).await?.seq())
    }

    /// Returns the serialized state that the session's owner holds.
    pub(super) async fn snapshot_of_owner(&self, session: SessionId) -> Option<String> {
        serde_json::to_string(&self.state_of_owner(session).await?.snapshot()).ok()
    }

    async fn state_of_owner(&self, session: SessionId) -> Option<Arc<State>> {
        let owner = self.memory.ownership(session).owner?;
        let node = self.nodes.lock().iter().find(|node| node.id == owner)?.clone();
        // A dead node never responds.
        timeout(Duration::from_millis(1_000), node.session_registry.state(session)).await.ok()?.ok()
    }

    /// Returns the nodes that can be reached.
    pub(super) fn living(&self) -> Vec<SimNode> {
        let nodes = self.nodes.lock();
        let lives = |node: &&SimNode| !node.faults.dead.load(Relaxed) && !node.stopping.load(Relaxed);
        nodes.iter().filter(lives).cloned().collect()
    }

    /// Returns all logs, each with the fences of its appends.
    pub(super) fn transcript(&self) -> String {
        let mut text = String::new();
        for (session, log) in &*self.memory.logs.lock() {
            text += &format!("{session} {:?}\n", log.writers);
            for frame in &log.frames {
                text += &format!("{}\n", String::from_utf8_lossy(frame));
            }
        }
        text
    }

    /// Returns the log as it is stored.
    pub(super) fn log(&self, session: SessionId) -> Vec<Bytes> {
        self.memory.logs.lock().get(&session).map_or_else(Vec::new, |log| log.frames.clone())
    }
}
