//! The laws of `TeamStore`, on every engine.

use futures_util::future::join_all;
use roundtable::agent::teams::topology::{TeamReferences, TopologySummary};
use roundtable::agent::teams::{
    NewTeam, TeamContent, TeamEntry, TeamId, TeamLimits, TeamQuery, TeamReplacement, TeamRight,
};
use roundtable::identity::{Participant, ServerRole, create_participant};
use roundtable::kernel::{ActorKind, REDACTED};
use roundtable::store::Stores;

use crate::fresh_database::{FreshDatabase, laws};

laws! {
    acknowledged_teams_are_read_back_by_any_process,
    one_of_two_replacements_of_one_version_succeeds,
    teams_of_an_owner_are_limited,
    a_participant_sees_their_own_teams_and_those_shared_with_them,
    lists_have_pages_and_a_total,
    a_removed_team_leaves_nothing_behind,
}

const LIMITS: TeamLimits = TeamLimits { teams: 100, bytes: 1 << 20 };

async fn person(engines: &Stores, name: &str) -> Participant {
    create_participant(&*engines.identities, name, ActorKind::User, ServerRole::Member).await.expect("enrols")
}

fn entry() -> TeamEntry {
    let summary = TopologySummary { node_count: 2, agent_count: 3, edge_count: 1 };
    TeamEntry { summary, references: TeamReferences::default() }
}

async fn try_add_team(engines: &Stores, owner: &Participant, document: &str, limits: TeamLimits) -> Option<TeamId> {
    let content = TeamContent { name: "Team", description: "团队", document, entry: &entry() };
    let team = NewTeam { id: TeamId::fresh(), owner: owner.id, content };
    engines.teams.add_team(&team, limits).await.expect("keeps").map(|_| team.id)
}

async fn add_team(engines: &Stores, owner: &Participant, document: &str) -> TeamId {
    try_add_team(engines, owner, document, LIMITS).await.expect("has room")
}

async fn replace_team(engines: &Stores, id: TeamId, expected: Option<u64>, document: &str) -> TeamReplacement {
    let content = TeamContent { name: "Other", description: "", document, entry: &entry() };
    engines.teams.replace_team(id, expected, &content, 100).await.expect("answers")
}

fn query(reader: &Participant) -> TeamQuery {
    TeamQuery { reader: reader.id, all: false, active: None, offset: 0, limit: 10 }
}

/// Returns the ids on a page, with the reader's right to each, and the total.
async fn list_teams(engines: &Stores, query: TeamQuery) -> (Vec<(TeamId, Option<TeamRight>)>, u64) {
    let page = engines.teams.teams(&query).await.expect("reads");
    (page.teams.iter().map(|team| (team.id, team.right)).collect(), page.total)
}

async fn acknowledged_teams_are_read_back_by_any_process(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let ann = person(&engines, "Ann").await;
    let document = "{\"team_name\": \"订单\\u0000\",  \"x\": 1.0}";
    let id = add_team(&engines, &ann, document).await;
    let other = fresh.open().await;
    let team = other.teams.team(id, ann.id).await.expect("reads").expect("is there");
    assert_eq!((&*team.document, team.listing.bytes), (document, document.len() as u64), "byte for byte");
    let first = team.listing;
    assert_eq!((first.owner, &*first.owner_name, &*first.name, &*first.description), (ann.id, "Ann", "Team", "团队"));
    assert_eq!((first.version, first.active, first.right, &first.entry), (1, true, None, &entry()));
    assert_eq!(first.created_at, first.updated_at);
    assert_eq!(engines.teams.team_listing(id, ann.id).await.expect("reads").as_ref(), Some(&first));

    assert_eq!(replace_team(&other, id, Some(1), "{}").await, TeamReplacement::Replaced(2));
    let team = engines.teams.team(id, ann.id).await.expect("reads").expect("is there");
    assert_eq!((&*team.document, &*team.listing.name, team.listing.version), ("{}", "Other", 2));
    assert_eq!(team.listing.created_at, first.created_at);
    assert!(team.listing.updated_at >= first.updated_at);

    assert!(engines.teams.set_team_active(id, false).await.expect("answers"));
    assert!(!other.teams.team_listing(id, ann.id).await.expect("reads").expect("is there").active);
    assert!(!engines.teams.set_team_active(TeamId::fresh(), false).await.expect("answers"));
    assert_eq!(engines.teams.team(TeamId::fresh(), ann.id).await.expect("reads"), None);
}

async fn one_of_two_replacements_of_one_version_succeeds(fresh: FreshDatabase) {
    let (engines, other) = (fresh.open().await, fresh.open().await);
    let ann = person(&engines, "Ann").await;
    let id = add_team(&engines, &ann, "{}").await;
    assert_eq!(replace_team(&engines, id, Some(2), "{}").await, TeamReplacement::Conflict(1));
    let both = (0..8).map(|number| replace_team(if number % 2 == 0 { &engines } else { &other }, id, Some(1), "{}"));
    let outcomes = join_all(both).await;
    let succeeded = outcomes.iter().filter(|outcome| **outcome == TeamReplacement::Replaced(2)).count();
    assert_eq!(succeeded, 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| !matches!(outcome, TeamReplacement::Replaced(3..))), "{outcomes:?}");
    assert_eq!(
        replace_team(&engines, id, None, "{}").await,
        TeamReplacement::Replaced(3),
        "whoever expects none replaces any"
    );
    assert_eq!(replace_team(&engines, TeamId::fresh(), None, "{}").await, TeamReplacement::Unknown);
}

async fn teams_of_an_owner_are_limited(fresh: FreshDatabase) {
    let (engines, other) = (fresh.open().await, fresh.open().await);
    let (ann, ben) = (person(&engines, "Ann").await, person(&engines, "Ben").await);
    let limits = TeamLimits { teams: 3, ..LIMITS };
    let many = (0..10).map(|number| try_add_team(if number % 2 == 0 { &engines } else { &other }, &ann, "{}", limits));
    let added = join_all(many).await.into_iter().flatten().count();
    assert_eq!(added, 3, "however many come at once");
    assert_eq!(list_teams(&engines, query(&ann)).await.1, 3);

    let limits = TeamLimits { bytes: 100, ..LIMITS };
    let document = "x".repeat(40);
    let added = join_all((0..5).map(|_| try_add_team(&engines, &ben, &document, limits))).await;
    let added: Vec<TeamId> = added.into_iter().flatten().collect();
    assert_eq!(added.len(), 2, "80 of 100 bytes");
    assert_eq!(replace_team(&engines, added[0], None, &"x".repeat(61)).await, TeamReplacement::Full);
    assert_eq!(replace_team(&engines, added[0], None, &"x".repeat(60)).await, TeamReplacement::Replaced(2));
    let long = "x".repeat(55);
    let both = added.iter().map(|id| replace_team(&engines, *id, None, &long));
    let outcomes = join_all(both).await;
    assert!(outcomes.contains(&TeamReplacement::Full), "{outcomes:?}: 55 + 55 are more than 100");
}

async fn a_participant_sees_their_own_teams_and_those_shared_with_them(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, ben, eve) = (person(&engines, "Ann").await, person(&engines, "Ben").await, person(&engines, "Eve").await);
    let (own, shared) = (add_team(&engines, &ben, "{}").await, add_team(&engines, &ann, "{}").await);
    let share = async |who: &Participant, right, max| {
        engines.teams.share_team(shared, who.id, right, max).await.expect("answers")
    };
    assert!(share(&ben, TeamRight::Read, 1).await);
    assert!(!share(&eve, TeamRight::Read, 1).await, "no more than the maximum");
    assert!(share(&ben, TeamRight::Execute, 1).await, "a change is not one more");
    assert_eq!(list_teams(&engines, query(&ben)).await, (vec![(shared, Some(TeamRight::Execute)), (own, None)], 2));
    assert_eq!(list_teams(&engines, query(&eve)).await, (vec![], 0));
    let all = TeamQuery { all: true, ..query(&eve) };
    assert_eq!(list_teams(&engines, all).await, (vec![(shared, None), (own, None)], 2));
    let team = engines.teams.team(shared, ben.id).await.expect("reads").expect("is there");
    assert_eq!(team.listing.right, Some(TeamRight::Execute));
    assert!(share(&eve, TeamRight::Edit, 2).await);
    let access = engines.teams.team_access(shared).await.expect("reads");
    let rights: Vec<_> = access.iter().map(|access| (&*access.name, access.right)).collect();
    assert_eq!(rights, [("Ben", TeamRight::Execute), ("Eve", TeamRight::Edit)]);
    assert!(engines.teams.unshare_team(shared, ben.id).await.expect("answers"));
    assert!(!engines.teams.unshare_team(shared, ben.id).await.expect("answers"));
    assert_eq!(list_teams(&engines, query(&ben)).await, (vec![(own, None)], 1));
    let nowhere = engines.teams.share_team(TeamId::fresh(), ben.id, TeamRight::Read, 5).await;
    assert!(!nowhere.expect("answers"), "a team that is gone is shared with nobody");
}

async fn lists_have_pages_and_a_total(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let ann = person(&engines, "Ann").await;
    let mut teams = vec![];
    for _ in 0..5 {
        teams.insert(0, add_team(&engines, &ann, "{}").await);
    }
    engines.teams.set_team_active(teams[1], false).await.expect("answers");
    let page = async |offset: u64, active: Option<bool>| {
        let query = TeamQuery { offset, limit: 2, active, ..query(&ann) };
        let (page, total) = list_teams(&engines, query).await;
        (page.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), total)
    };
    assert_eq!(page(0, None).await, (teams[..2].to_vec(), 5), "newest first");
    assert_eq!(page(4, None).await, (teams[4..].to_vec(), 5));
    assert_eq!(page(6, None).await, (vec![], 5));
    assert_eq!(page(u64::MAX, None).await, (vec![], 5));
    assert_eq!(page(0, Some(false)).await, (vec![teams[1]], 1));
    assert_eq!(page(2, Some(true)).await, (teams[3..].to_vec(), 4));
}

async fn a_removed_team_leaves_nothing_behind(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, ben) = (person(&engines, "Ann").await, person(&engines, "Ben").await);
    let first = add_team(&engines, &ann, "{}").await;
    assert!(engines.teams.share_team(first, ben.id, TeamRight::Read, 5).await.expect("answers"));
    assert!(engines.teams.remove_team(first).await.expect("answers"));
    assert!(!engines.teams.remove_team(first).await.expect("answers"));
    assert_eq!((fresh.count("teams").await, fresh.count("team_access").await), (0, 0));

    let secret = "planted-words-of-a-prompt";
    let (own, other) = (add_team(&engines, &ann, secret).await, add_team(&engines, &ben, "{}").await);
    for (team, who) in [(own, &ben), (other, &ann)] {
        assert!(engines.teams.share_team(team, who.id, TeamRight::Read, 5).await.expect("answers"));
    }
    assert!(engines.redactions.erase_identity(ann.id, REDACTED, false).await.expect("answers"));
    assert!(engines.teams.team(own, ben.id).await.expect("reads").is_some(), "only the name goes");
    assert_eq!(engines.teams.team_access(other).await.expect("reads"), []);
    assert!(engines.redactions.erase_identity(ann.id, REDACTED, true).await.expect("answers"));
    assert_eq!(engines.teams.team(own, ben.id).await.expect("reads"), None);
    assert!(engines.teams.team(other, ben.id).await.expect("reads").is_some());
    assert_eq!(fresh.count("team_access").await, 0);
    fresh.wait_until_absent(secret).await;
}
