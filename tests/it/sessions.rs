//! Sessions over REST: creating, listing, inviting and reading back.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::{ActorKind, SessionId};
use roundtable::limits::RateLimit;
use serde_json::{Value, json};

use crate::server::{self, Person, Server};
use crate::sse::SseReader;

async fn invite(server: &Server, by: &Person, session: SessionId, role: &str) -> String {
    let body = json!({ "role": role, "max_uses": 100 });
    let (status, made) = server.post(by, &format!("/api/v1/sessions/{session}/invites"), &body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let link = made["link"].as_str().expect("a link");
    let (page, secret) = link.split_once('#').expect("the secret is behind the #");
    assert_eq!(page, format!("{}/invite", server.url));
    secret.to_owned()
}

async fn accept(server: &Server, who: Option<&Person>, body: &Value) -> reqwest::Response {
    let request = match who {
        Some(who) => server.as_person(who, Method::POST, "/api/v1/invites/accept"),
        None => server.request(Method::POST, "/api/v1/invites/accept"),
    };
    request.json(body).send().await.expect("answers")
}

/// Reads the session's stream up to this event. Returns all frames.
async fn watch_until(server: &Server, who: &Person, path: &str, event: &str) -> Vec<crate::sse::SseEvent> {
    let answer = server.as_person(who, Method::GET, path).send().await.expect("answers");
    let mut stream = SseReader::of(answer);
    let mut seen = vec![];
    loop {
        let sent = stream.next().await.expect("goes on");
        let last = sent.data["event"] == event;
        seen.push(sent);
        if last {
            return seen;
        }
    }
}

#[tokio::test]
async fn a_session_starts_with_a_message_in_its_language() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let message = "生成支付接口的测试用例";
    let (status, created) = server.post(&ann, "/api/v1/sessions", &json!({ "message": message })).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!((&created["team"], &created["title"]), (&json!("testcase-zh"), &json!(message)));
    let (_, english) = server.post(&ann, "/api/v1/sessions", &json!({ "title": "t", "language": "en" })).await;
    assert_eq!((&english["team"], &english["title"]), (&json!("testcase-en"), &json!("t")));

    let session = created["session"].as_str().expect("an id");
    watch_until(&server, &ann, &format!("/api/v1/sessions/{session}/events"), "gate.opened").await;
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(response["role"], "owner");
    assert_eq!(response["state"]["messages"][0]["text"], message);
    assert_eq!(response["state"]["gates"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn guests_can_create_nothing_and_see_only_their_own_sessions() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let guest = server.person("Gus", ServerRole::Guest).await;
    let admin = server.person("Ada", ServerRole::Admin).await;
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    assert_eq!(server.post(&guest, "/api/v1/sessions", &json!({})).await.1["code"], "forbidden");
    for path in ["", "/log", "/messages", "/events"] {
        let path = format!("/api/v1/sessions/{session}{path}");
        let answer = server.as_person(&guest, Method::GET, &path).send().await.expect("answers");
        assert_eq!(server::json(answer, StatusCode::NOT_FOUND).await["code"], "unknown_session", "{path}");
    }
    let command = json!({ "id": "c1", "do": "say", "data": { "text": "hi" } });
    let (status, refused) = server.post(&guest, &format!("/api/v1/sessions/{session}/commands"), &command).await;
    assert!(status == StatusCode::FORBIDDEN || status == StatusCode::NOT_FOUND, "{refused}");
    assert_eq!(server.get(&guest, "/api/v1/sessions").await["sessions"], json!([]));
    let listed = server.get(&admin, "/api/v1/sessions?search=paym").await;
    assert_eq!(listed["sessions"][0]["session"], session.to_string());
    assert_eq!(server.get(&admin, &format!("/api/v1/sessions/{session}")).await["role"], "owner");
    let unknown = SessionId(uuid::Uuid::from_u128(1));
    let path = format!("/api/v1/sessions/{unknown}/log");
    let answer = server.as_person(&admin, Method::GET, &path).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_invitation_admits_a_stranger_with_its_role() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    let secret = invite(&server, &ann, session, "reviewer").await;
    let preview = server.request(Method::POST, "/api/v1/invites/preview").json(&json!({ "secret": secret }));
    let preview = server::json(preview.send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(
        (&preview["title"], &preview["role"], &preview["invited_by"]),
        (&json!("Payment"), &json!("reviewer"), &json!("Ann"))
    );

    let nameless = accept(&server, None, &json!({ "secret": secret })).await;
    assert_eq!(server::json(nameless, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");
    let come_in = accept(&server, None, &json!({ "secret": secret, "name": "Bob" })).await;
    let cookie = come_in.headers()["set-cookie"].to_str().expect("text").to_owned();
    let accepted = server::json(come_in, StatusCode::OK).await;
    assert_eq!((&accepted["server_role"], &accepted["you"]["name"]), (&json!("guest"), &json!("Bob")));
    let path = format!("/api/v1/sessions/{session}");
    let as_bob = server.request(Method::GET, &path).header("cookie", cookie.split(';').next().expect("a pair"));
    let response = server::json(as_bob.send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(response["you_can"], json!(["watch", "say", "steer", "answer", "approve", "edit"]));

    let carl = server.person("Carl", ServerRole::Member).await;
    let again = accept(&server, Some(&carl), &json!({ "secret": secret })).await;
    assert_eq!(server::json(again, StatusCode::OK).await["you"]["name"], "Carl");
    let members = server.get(&ann, &path).await["state"]["participants"].as_array().expect("a list").len();
    assert_eq!(members, 3);
}

#[tokio::test]
async fn an_invitation_grants_at_most_the_inviters_role() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Guest).await;
    let eve = server.person("Eve", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let secret = invite(&server, &ann, session, "member").await;
    accept(&server, Some(&bob), &json!({ "secret": secret })).await;
    let path = format!("/api/v1/sessions/{session}/invites");
    assert_eq!(server.post(&bob, &path, &json!({ "role": "reviewer" })).await.0, StatusCode::CREATED);
    assert_eq!(server.post(&bob, &path, &json!({ "role": "owner" })).await.1["code"], "forbidden");
    assert_eq!(server.post(&eve, &path, &json!({ "role": "viewer" })).await.1["code"], "unknown_session");
    assert_eq!(server.post(&ann, &path, &json!({ "role": "king" })).await.1["code"], "invalid_argument");
    assert_eq!(server.post(&ann, &path, &json!(["viewer"])).await.1["code"], "invalid_argument", "it has no names");
    let short = json!({ "role": "viewer", "expires_in_seconds": 1 });
    assert_eq!(server.post(&ann, &path, &short).await.1["code"], "invalid_argument");
    let wrong = accept(&server, None, &json!({ "secret": "rt_invite_00", "name": "Mallory" })).await;
    assert_eq!(server::json(wrong, StatusCode::GONE).await["code"], "link_invalid");
}

async fn command(server: &Server, who: &Person, session: SessionId, name: &str, data: Value) {
    let frame = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
    let (status, answer) = server.post(who, &format!("/api/v1/sessions/{session}/commands"), &frame).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

#[tokio::test]
async fn a_link_grants_no_more_than_its_creator_can_still_grant() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Guest).await;
    let session = server.session(&ann, &json!({})).await;
    let from_ann = invite(&server, &ann, session, "member").await;
    accept(&server, Some(&bob), &json!({ "secret": from_ann })).await;
    let from_bob = invite(&server, &bob, session, "member").await;
    let stranger =
        async |secret: &str| accept(&server, None, &json!({ "secret": secret, "name": "Eve" })).await.status();
    assert_eq!(stranger(&from_bob).await, StatusCode::OK);

    command(&server, &ann, session, "set_role", json!({ "participant": bob.participant.id, "role": "viewer" })).await;
    assert_eq!(stranger(&from_bob).await, StatusCode::GONE);
    let preview = server.request(Method::POST, "/api/v1/invites/preview").json(&json!({ "secret": from_bob }));
    assert_eq!(preview.send().await.expect("answers").status(), StatusCode::GONE);
    let again = accept(&server, Some(&bob), &json!({ "secret": from_ann })).await;
    assert_eq!(server::json(again, StatusCode::OK).await["role"], "viewer", "an old link does not undo it");
    assert_eq!(server.get(&bob, &format!("/api/v1/sessions/{session}")).await["role"], "viewer");

    command(&server, &ann, session, "remove", json!({ "participant": bob.participant.id })).await;
    assert_eq!(stranger(&from_bob).await, StatusCode::GONE);
    assert_eq!(stranger(&from_ann).await, StatusCode::OK);
    let back = accept(&server, Some(&bob), &json!({ "secret": from_ann })).await;
    assert_eq!(server::json(back, StatusCode::FORBIDDEN).await["code"], "forbidden");
}

#[tokio::test]
async fn the_event_stream_of_a_removed_participant_ends_with_the_reason() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    accept(&server, Some(&bob), &json!({ "secret": invite(&server, &ann, session, "member").await })).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let answer = server.as_person(&bob, Method::GET, &path).send().await.expect("answers");
    command(&server, &ann, session, "remove", json!({ "participant": bob.participant.id })).await;
    let frames = SseReader::of(answer).rest().await;
    let [.., event, last] = &frames[..] else { panic!("{frames:?}") };
    assert_eq!(event.data["event"], "participant.left", "the events before the removal");
    assert_eq!((&last.data["type"], &last.data["code"]), (&json!("closing"), &json!("removed")));
    assert_eq!((&last.id, &last.data["session"]), (&None, &json!(session)));
}

#[tokio::test]
async fn an_administrator_keeps_all_rights_with_any_role() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let ada = server.person("Ada", ServerRole::Admin).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let unlisted = server.get(&ada, &path).await["you_can"].take();
    // By reading the session, Ada was listed as a viewer.
    command(&server, &ann, session, "set_role", json!({ "participant": ada.participant.id, "role": "reviewer" })).await;
    assert_eq!(server.get(&ada, &path).await["you_can"], unlisted);
    command(&server, &ada, session, "set", json!({ "title": "Looked after" })).await;
    invite(&server, &ada, session, "owner").await;
}

#[tokio::test]
async fn messages_of_a_guest_stay_marked_after_they_left() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let other = server.person("Ann", ServerRole::Guest).await;
    let session = server.session(&ann, &json!({})).await;
    let link = invite(&server, &ann, session, "member").await;
    accept(&server, Some(&other), &json!({ "secret": link })).await;
    for who in [&ann, &other] {
        command(&server, who, session, "say", json!({ "text": "It is me", "to": ["people"] })).await;
    }
    command(&server, &other, session, "leave", json!({})).await;
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let messages = response["state"]["messages"].as_array().expect("messages").iter();
    let messages: Vec<_> =
        messages.map(|message| (message["by"]["name"].clone(), message["by"]["guest"].clone())).collect();
    assert_eq!(messages, [(json!("Ann"), Value::Null), (json!("Ann"), json!(true))]);
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
    let events = log["events"].as_array().expect("events").iter();
    let theirs: Vec<_> = events.filter(|event| event["by"]["id"] == json!(other.participant.id)).collect();
    assert!(theirs.len() >= 3 && theirs.iter().all(|event| event["by"]["guest"] == true), "{theirs:?}");
}

#[tokio::test]
async fn nobody_approves_their_own_work_as_a_guest() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let rule = json!({ "quorum": { "kind": "any" }, "separate_duties": true });
    let body = json!({ "message": "write tests", "settings": { "approval_rules": [rule] } });
    let session = server.session(&ann, &body).await;
    watch_until(&server, &ann, &format!("/api/v1/sessions/{session}/events"), "gate.opened").await;
    let link = invite(&server, &ann, session, "reviewer").await;
    let joined = accept(&server, None, &json!({ "secret": link, "name": "Zed" })).await;
    let cookie = joined.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a cookie").to_owned();
    let seen = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let zed = seen["state"]["participants"].as_array().expect("a list").iter().find(|one| one["name"] == "Zed");
    assert_eq!(zed.expect("has joined")["guest"], true);
    let path = format!("/api/v1/sessions/{session}/commands");
    let vote = json!({ "gate": seen["state"]["gates"][0]["id"], "choice": "approve" });
    let vote = json!({ "id": "v1", "do": "vote", "expect": { "rev": 1 }, "data": vote });
    let request = server.request(Method::POST, &path).header("cookie", cookie).header("origin", &server.url);
    let refused = server::json(request.json(&vote).send().await.expect("answers"), StatusCode::FORBIDDEN).await;
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("you are a guest")), "{refused}");
    let bob = server.person("Bob", ServerRole::Member).await;
    accept(&server, Some(&bob), &json!({ "secret": link })).await;
    let (status, decided) = server.post(&bob, &path, &vote).await;
    assert_eq!(status, StatusCode::OK, "{decided}");
}

#[tokio::test]
async fn invitations_are_listed_and_deleted_by_their_owners() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Guest).await;
    let vic = server.person("Vic", ServerRole::Guest).await;
    let session = server.session(&ann, &json!({})).await;
    let (member, viewer) =
        (invite(&server, &ann, session, "member").await, invite(&server, &ann, session, "viewer").await);
    accept(&server, Some(&bob), &json!({ "secret": member })).await;
    accept(&server, Some(&vic), &json!({ "secret": viewer })).await;
    let guests = server.get(&vic, &format!("/api/v1/sessions/{session}/guests")).await;
    assert_eq!(guests, json!({ "guests": [bob.participant.id, vic.participant.id] }));
    invite(&server, &bob, session, "reviewer").await;
    let path = format!("/api/v1/sessions/{session}/invites");
    let listed = async |who: &Person| -> Vec<Value> {
        server.get(who, &path).await["invites"].as_array().expect("a list").clone()
    };
    let delete = async |who: &Person, id: &Value| {
        let path = format!("{path}/{}", id.as_str().expect("an id"));
        server.as_person(who, Method::DELETE, &path).send().await.expect("answers").status()
    };
    assert_eq!(listed(&ann).await.len(), 3);
    let bobs = listed(&bob).await;
    assert_eq!((bobs.len(), &bobs[0]["role"], &bobs[0]["by"]), (1, &json!("reviewer"), &json!(bob.participant.id)));
    let refused = server.as_person(&vic, Method::GET, &path).send().await.expect("answers");
    assert_eq!(server::json(refused, StatusCode::FORBIDDEN).await["code"], "forbidden");

    let anns = listed(&ann).await.into_iter().find(|invite| invite["role"] == "member").expect("is listed");
    assert_eq!(delete(&bob, &anns["id"]).await, StatusCode::NOT_FOUND);
    assert_eq!(delete(&ann, &anns["id"]).await, StatusCode::NO_CONTENT);
    assert_eq!(delete(&ann, &anns["id"]).await, StatusCode::NOT_FOUND);
    let response = accept(&server, None, &json!({ "secret": member, "name": "Eve" })).await;
    assert_eq!(response.status(), StatusCode::GONE);
    assert_eq!(delete(&ann, &bobs[0]["id"]).await, StatusCode::NO_CONTENT);
    assert_eq!(listed(&ann).await.len(), 1);
}

#[tokio::test]
async fn no_guest_is_created_without_access() {
    let once = std::num::NonZeroU32::MIN;
    let pace = RateLimit { burst: once, per_second: once };
    let server = Server::start_with(|config| config.rate_limits.newcomer = pace).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let secret = invite(&server, &ann, session, "viewer").await;
    // The requests are concurrent, so that the refill of one per second does not admit more of them.
    let body = json!({ "secret": secret, "name": "Eve" });
    let many = (0..20).map(|_| accept(&server, None, &body));
    let answers = futures_util::future::join_all(many).await;
    assert!(answers.iter().any(|answer| answer.status() == StatusCode::OK));
    assert!(answers.iter().any(|answer| answer.status() == StatusCode::TOO_MANY_REQUESTS));

    command(&server, &ann, session, "close", json!({})).await;
    let late = accept(&server, None, &json!({ "secret": secret, "name": "Mallory" })).await;
    assert_eq!(server::json(late, StatusCode::CONFLICT).await["code"], "session_closed");
    let made = server.node.identities.participant_named("Mallory", ActorKind::User).await;
    assert_eq!(made.expect("reads"), None);
}

#[tokio::test]
async fn a_bot_posts_over_rest_and_a_repeated_command_counts_once() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bot = server.bot("linter").await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}/commands");
    let invite = json!({ "id": "c1", "do": "invite", "data": { "participant": bot.participant.id, "role": "bot" } });
    assert_eq!(server.post(&ann, &path, &invite).await.0, StatusCode::OK);
    let say = json!({ "id": "c1", "do": "say", "data": { "text": "@people the build is red" } });
    let (_, first) = server.post(&bot, &path, &say).await;
    let (_, second) = server.post(&bot, &path, &say).await;
    assert_eq!(first, second);
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
    let events = log["events"].as_array().expect("a list");
    let joined = events.iter().find(|event| event["data"]["participant"] == json!(bot.participant.id));
    let joined = &joined.expect("joined")["data"];
    assert_eq!((&joined["name"], &joined["kind"]), (&json!("linter"), &json!("bot")));
    let posted: Vec<_> = events.iter().filter(|event| event["event"] == "message.posted").collect();
    assert_eq!(posted.len(), 1);
    assert_eq!(posted[0]["by"]["kind"], "bot");
    let unknown =
        json!({ "id": "c2", "do": "invite", "data": { "participant": format!("u_{:032x}", 7), "role": "bot" } });
    assert_eq!(server.post(&ann, &path, &unknown).await.1["code"], "unknown_participant");
    let other = json!({ "id": "c3", "session": format!("s_{:032x}", 7), "do": "pause", "data": { "run": "r_1" } });
    assert_eq!(server.post(&ann, &path, &other).await.1["code"], "invalid_argument");
}

#[tokio::test]
async fn a_stream_resumes_where_it_stopped() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "message": "Write test cases for a payment API" })).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let all = watch_until(&server, &ann, &path, "gate.opened").await;
    let ids: Vec<u64> = all.iter().filter_map(|sent| sent.id.as_ref()?.parse().ok()).collect();
    let count = u64::try_from(ids.len()).expect("fits");
    assert_eq!(ids, (1..=count).collect::<Vec<_>>());
    for sent in &all {
        assert_eq!(sent.id, sent.data["seq"].as_u64().map(|seq| seq.to_string()), "ids are seqs, deltas have none");
    }
    let request = server.as_person(&ann, Method::GET, &path).header("last-event-id", "4");
    let mut rest = SseReader::of(request.send().await.expect("answers"));
    assert_eq!(rest.next().await.expect("goes on").id.as_deref(), Some("5"));
    let beyond = server.as_person(&ann, Method::GET, &path).header("last-event-id", "4000");
    assert_eq!(beyond.send().await.expect("answers").status(), 400, "it would wait for events that may never come");
    let wrong = server.as_person(&ann, Method::GET, &path).header("last-event-id", "x");
    let wrong = wrong.send().await.expect("answers");
    assert_eq!(server::json(wrong, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");

    // The paged log equals the events of the stream, byte for byte as JSON.
    let mut paged = vec![];
    while let Some(page) = {
        let path = format!("/api/v1/sessions/{session}/log?after={}&limit=3", paged.len());
        let page = server.get(&ann, &path).await["events"].as_array().expect("a list").clone();
        (!page.is_empty()).then_some(page)
    } {
        paged.extend(page);
    }
    let streamed: Vec<_> = all.iter().filter(|sent| sent.id.is_some()).map(|sent| sent.data.clone()).collect();
    assert!(paged.starts_with(&streamed), "{} events in pages, {} streamed", paged.len(), streamed.len());
}

#[tokio::test]
async fn older_messages_are_read_page_by_page_as_in_the_view() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "message": "Write test cases for a payment API" })).await;
    let path = format!("/api/v1/sessions/{session}");
    watch_until(&server, &ann, &format!("{path}/events"), "gate.opened").await;
    for at in 0..3 {
        let say = json!({ "id": format!("c{at}"), "do": "say", "data": { "text": format!("@people note {at}") } });
        assert_eq!(server.post(&ann, &format!("{path}/commands"), &say).await.0, StatusCode::OK);
    }
    let view = server.get(&ann, &path).await["state"]["messages"].clone();
    let mut read: Vec<Value> = vec![];
    loop {
        let before =
            read.first().map_or(String::new(), |first| format!("&before={}", first["id"].as_str().expect("an id")));
        let page = server.get(&ann, &format!("{path}/messages?limit=2{before}")).await;
        let mut messages = page["messages"].as_array().expect("a list").clone();
        messages.extend(read);
        read = messages;
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(json!(read), view);
}

#[tokio::test]
async fn an_unknown_message_as_position_gives_the_newest_messages() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "message": "Write test cases for a payment API" })).await;
    watch_until(&server, &ann, &format!("/api/v1/sessions/{session}/events"), "gate.opened").await;
    let newest = server.get(&ann, &format!("/api/v1/sessions/{session}/messages")).await;
    for never in [9_000_000_000_000_000_000, u64::MAX] {
        let path = format!("/api/v1/sessions/{session}/messages?before=m_{never}");
        assert_eq!(server.get(&ann, &path).await, newest, "{never}");
    }
}

#[tokio::test]
async fn lists_come_in_pages() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    for at in 0..3 {
        server.session(&ann, &json!({ "title": format!("Session {at}") })).await;
    }
    let first = server.get(&ann, "/api/v1/sessions?limit=2").await;
    let next = first["next"].as_str().expect("there is more");
    let second = server.get(&ann, &format!("/api/v1/sessions?limit=2&before={next}")).await;
    let titles = |page: &Value| -> Vec<String> {
        let entries = page["sessions"].as_array().expect("a list").iter();
        entries.map(|entry| entry["title"].as_str().expect("text").to_owned()).collect()
    };
    assert_eq!([titles(&first), titles(&second)].concat(), ["Session 2", "Session 1", "Session 0"]);
    assert_eq!(second["next"], Value::Null);
    assert_eq!(first["sessions"][0]["summary"]["participants"], 1);
    assert_eq!(first["sessions"][0]["summary"]["team"], "Write test cases");
}

#[tokio::test]
async fn messages_survive_a_restart() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "message": "Write test cases for a payment API" })).await;
    let path = format!("/api/v1/sessions/{session}/events");
    watch_until(&server, &ann, &path, "gate.opened").await;
    let data = server.stop().await;
    let server = Server::start_in(data, |_| {}).await;
    let again = watch_until(&server, &ann, &path, "gate.opened").await;
    assert!(again.iter().any(|sent| sent.data["event"] == "message.completed"));
}

#[tokio::test]
async fn a_bot_that_joins_by_a_link_for_people_can_speak_but_not_decide() {
    let server = Server::start().await;
    let (ann, bot) = (server.person("Ann", ServerRole::Member).await, server.bot("reviewer-1").await);
    let session = server.session(&ann, &json!({ "title": "Payment", "message": "Write cases" })).await;
    watch_until(&server, &ann, &format!("/api/v1/sessions/{session}/events"), "gate.opened").await;
    for (role, gets) in [("member", "bot"), ("viewer", "bot")] {
        let secret = invite(&server, &ann, session, role).await;
        let answer = accept(&server, Some(&bot), &json!({ "secret": secret })).await;
        assert_eq!(server::json(answer, StatusCode::OK).await["role"], gets, "what it has stays");
    }
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let gate = response["state"]["gates"][0]["id"].clone();
    let commands = format!("/api/v1/sessions/{session}/commands");
    let (data, expect) = (json!({ "gate": gate, "choice": "approve" }), json!({ "rev": 1 }));
    let vote = json!({ "id": "c1", "do": "vote", "data": data, "expect": expect });
    assert_eq!(server.post(&bot, &commands, &vote).await.1["code"], "forbidden");
    let say = json!({ "id": "c2", "do": "say", "data": { "text": "the refund cases are missing" } });
    assert_eq!(server.post(&bot, &commands, &say).await.0, StatusCode::OK);
}
