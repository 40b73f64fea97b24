//! Table-driven tests of the recipients of a text.

use roundtable::kernel::mention::{RouteReason, route};
use roundtable::kernel::*;

use super::harness::*;

fn start_session() -> KernelHarness {
    let roles = [("Gen", AgentRole::Generator), ("Generator-2", AgentRole::Generator), ("Rev", AgentRole::Reviewer)];
    let mut harness = KernelHarness::with(team(&roles), Settings::default());
    let actor = Actor::participant(id(2), ActorKind::User, "张伟");
    let by = CommandSender::Participant { actor, id: "x".parse().expect("an id"), granted_role: None, max_role: None };
    let at = Timestamp::from_millis(harness.now);
    harness.decide(&Envelope { at, by, command: Command::Enter { role: Role::Member } }).expect("accepted");
    harness
}

fn targets(text: &str) -> String {
    let harness = start_session();
    let route = route(harness.state.view(), text, None);
    let names = route.to.iter().map(|target| match target {
        Target::All => "all".to_owned(),
        Target::Agent(id) => id.to_string(),
        Target::Participant(id) => harness.state.view().member(*id).expect("known").name.to_string(),
        Target::Role(role) => format!("role:{}", role.as_str()),
        Target::People => "people".to_owned(),
    });
    let unresolved = route.unresolved.iter().map(|unknown| format!("?{}", unknown.text));
    names.chain(unresolved).collect::<Vec<_>>().join(" ")
}

#[test]
fn names_are_found_where_people_write_them() {
    let table = [
        ("@Gen add tests", "Gen"),
        ("please @gen, and @Rev.", "Gen Rev"),
        ("@Generator-2 go", "Generator-2"),
        ("@Gen @gen @GEN", "Gen"),
        ("请＠Rev看一下", "Rev"),
        ("@张伟你好", "张伟"),
        ("@ALL again", "all"),
        ("@all重新生成", "all"),
        ("@alliance", "?alliance"),
        ("@people and @role:reviewer", "people role:reviewer"),
        ("write to gen@Rev.example", ""),
        ("a.b@Gen", ""),
        ("\\@Gen", ""),
        ("é@Gen", ""),
        ("e\u{301}@Gen", ""),
        ("ж@Gen", ""),
        ("ß@Gen ١@Gen Ａ@Gen", ""),
        ("한@Gen", ""),
        ("请@Gen 看看、＠Rev", "Gen Rev"),
        ("はい@Gen นี่@Rev", "Gen Rev"),
        ("`@Gen` and ``@Rev ` `` but @Rev", "Rev"),
        ("```\n@Gen\n```\n@Rev", "Rev"),
        ("```\n@Gen\n``` @Rev", ""),
        ("~~~\n@Gen\n~~~\n@Rev", "Rev"),
        ("~~~ `text`\n@Gen\n~~~~ \n@Rev", "Rev"),
        ("~~~~\n@Gen\n~~~\n@Rev", ""),
        ("~~~\n@Gen\n```\n@Rev", ""),
        ("   ~~~\n@Gen\n   ~~~\n@Rev", "Rev"),
        ("    ~~~\n@Gen", "Gen"),
        ("~~\n@Gen\n~~", "Gen"),
        ("a ~~~ @Gen", "Gen"),
        ("```\n~~~\n@Gen\n```\n@Rev", "Rev"),
        ("`a\n```\n@Gen\n```\n` @Rev", "Rev"),
        ("``` `@Gen", ""),
        ("```\n@Gen", ""),
        ("@", ""),
        ("@ Gen", ""),
        ("@Nobody", "?Nobody"),
        ("no mention", ""),
    ];
    for (text, expected) in table {
        assert_eq!(targets(text), expected, "{text:?}");
    }
}

#[test]
fn explicit_addressees_override_mentions() {
    use mention::Addressee;
    let harness = start_session();
    let beside = [Addressee::Name("@rev".into()), Addressee::Target(Target::Agent(agent("Gen")))];
    let route = route(harness.state.view(), "@Generator-2 hello", Some(&beside));
    assert_eq!(route.to, [Target::Agent(agent("Rev")), Target::Agent(agent("Gen"))]);
    assert_eq!(route.reason, RouteReason::Explicit);
}

fn start_session_with_guest(name: &str) -> KernelHarness {
    let mut harness = start_session();
    let actor = Actor::participant(id(3), ActorKind::User, name);
    let by = CommandSender::Participant { actor, id: "y".parse().expect("an id"), granted_role: None, max_role: None };
    let at = Timestamp::from_millis(harness.now);
    harness.decide(&Envelope { at, by, command: Command::Enter { role: Role::Member } }).expect("accepted");
    harness
}

#[test]
fn an_ambiguous_name_is_not_resolved() {
    let route = route(start_session_with_guest("张伟").state.view(), "@张伟", None);
    assert_eq!((route.to.len(), route.unresolved.len(), route.reason), (0, 1, RouteReason::Unresolved));
    let ids: Vec<String> = route.unresolved[0].nearest.iter().map(|name| name.to_string()).collect();
    assert!(ids.len() == 2 && ids.iter().all(|id| id.starts_with("u_")), "ids tell them apart: {ids:?}");
}

#[test]
fn a_guest_cannot_silence_an_agent_by_its_name() {
    let route = route(start_session_with_guest("Gen").state.view(), "@Gen", None);
    assert_eq!(route.to, [Target::Agent(agent("Gen"))]);
}

#[test]
fn a_text_with_only_unknown_names_has_a_bounded_receipt() {
    let harness = start_session();
    let text: String = (0..1_000).map(|n| format!("@x{n} ")).collect();
    assert_eq!(route(harness.state.view(), &text, None).unresolved.len(), 10);
    let essay = [mention::Addressee::Name("x".repeat(250_000))];
    assert_eq!(route(harness.state.view(), "", Some(&essay)).unresolved[0].text.len(), 64);
}
