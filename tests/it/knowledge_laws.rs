//! The laws of `KnowledgeStore`, on every engine.

use roundtable::audit::{AuditAction, NewAuditEntry};
use roundtable::identity::{Participant, ServerRole, create_participant};
use roundtable::kernel::{ActorKind, Role, SessionId, Timestamp};
use roundtable::knowledge::{
    BaseChange, BaseId, BasePage, BaseReaders, BaseRoom, CandidatePassage, IndexedPassage, KnowledgeStore, NewDocument,
    PassageSource, TextId, passages, query_terms, rank,
};
use roundtable::store::{Append, StoreSettings, Stores, backup};

use crate::{
    append_builders::{append, begun},
    fresh_database::{Fresh, laws},
};

laws! {
    a_document_is_found_by_its_words_from_any_process,
    forms_of_an_english_word_find_each_other,
    documents_of_an_earlier_version_are_found_after_reindexing,
    chinese_is_found_by_two_characters_and_beside_other_scripts,
    the_better_match_comes_first,
    replaced_and_removed_documents_are_not_found,
    a_text_is_found_only_where_it_is_asked_for,
    no_query_is_more_than_words,
    a_base_counts_while_its_owner_or_a_reader_takes_part,
    neither_bases_nor_documents_become_more_than_they_may,
    removing_a_document_removes_its_passages,
    incomplete_texts_are_removed_by_age,
    a_text_of_many_passages_is_found_to_its_end,
}

const ROOM: BaseRoom = BaseRoom { documents: 100, bytes: 1 << 20 };
const LATER: Timestamp = Timestamp::MAX;

struct Shelf {
    fresh: Fresh,
    engines: Stores,
    ann: Participant,
    base: BaseId,
}

impl Shelf {
    async fn new(fresh: Fresh) -> Self {
        let engines = fresh.open().await;
        let ann =
            create_participant(&*engines.identities, "Ann", ActorKind::User, ServerRole::Member).await.expect("enrols");
        let base = engines
            .knowledge
            .add_base(ann.id, "Rules", "", &BaseReaders::default(), 10)
            .await
            .expect("keeps")
            .expect("has room");
        Self { fresh, engines, ann, base }
    }

    fn store(&self) -> &dyn KnowledgeStore {
        &*self.engines.knowledge
    }

    async fn put(&self, name: &str, content: &str) {
        assert!(self.put_into(self.base, name, content, ROOM).await, "has room");
    }

    async fn put_into(&self, base: BaseId, name: &str, content: &str, room: BaseRoom) -> bool {
        let passages = cut(content);
        let document = NewDocument { name, media_type: "text/plain", content, passages: &passages };
        self.store().put_document(base, &document, room).await.expect("keeps").is_some()
    }

    /// The documents that a query finds in the base, best first.
    async fn names(&self, query: &str) -> Vec<String> {
        names(query, self.store().find(&[self.base], None, &query_terms(query), 200).await.expect("finds"))
    }

    async fn in_session(&self, session: SessionId, texts: &[TextId], query: &str) -> Vec<String> {
        let found = self.store().find(&[], Some((session, texts)), &query_terms(query), 200).await.expect("finds");
        names(query, found)
    }
}

fn every_member() -> BaseReaders {
    BaseReaders { members: true, ..BaseReaders::default() }
}

fn cut(content: &str) -> Vec<IndexedPassage> {
    passages(content).into_iter().map(IndexedPassage::from).collect()
}

fn names(query: &str, found: Vec<CandidatePassage>) -> Vec<String> {
    let name = |source: PassageSource| match source {
        PassageSource::Document { name, .. } => name.to_string(),
        PassageSource::Content { digest } => digest.to_string(),
    };
    rank(&query_terms(query), found, 50).into_iter().map(|hit| name(hit.found.source)).collect()
}

async fn a_document_is_found_by_its_words_from_any_process(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf
        .put("limits.md", "# Limits\n\nA transfer is at most 5,000 EUR.\n\n# Locks\n\nThree wrong PINs lock a card.")
        .await;
    shelf.put("weather.md", "Rain is likely.").await;
    for query in ["transfer", "TRANSFER", "what about transfers, or one transfer?", "eur"] {
        assert_eq!(shelf.names(query).await, ["limits.md"], "{query}");
    }
    assert!(shelf.names("snow").await.is_empty());
    let other = shelf.fresh.open().await;
    let found = other.knowledge.find(&[shelf.base], None, &query_terms("card"), 10).await.expect("finds");
    assert_eq!((found[0].line, found.len()), (5, 1));
    assert_eq!(&*found[0].words, "# Locks\n\nThree wrong PINs lock a card.");
    let documents = other.knowledge.documents(shelf.base, "", 10).await.expect("reads");
    let told: Vec<_> = documents.iter().map(|document| (&*document.name, document.passages)).collect();
    assert_eq!(told, [("limits.md", 2), ("weather.md", 1)]);
    let content = other.knowledge.document_content(shelf.base, "weather.md").await.expect("reads");
    assert_eq!(content.as_deref(), Some(&b"Rain is likely."[..]));
}

async fn forms_of_an_english_word_find_each_other(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf.put("one.md", "The lock of an account.").await;
    shelf.put("many.md", "Locks of accounts.").await;
    for query in ["lock", "locks", "locked", "LOCKING", "account", "accounts"] {
        let mut names = shelf.names(query).await;
        names.sort();
        assert_eq!(names, ["many.md", "one.md"], "{query}");
    }
    assert_eq!(shelf.names("locks").await[0], "many.md", "the same form comes first");
    assert!(shelf.names("clock").await.is_empty());
}

async fn documents_of_an_earlier_version_are_found_after_reindexing(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let (session, _) = begun(&shelf.engines.events).await;
    shelf.engines.contents.put(session, "d", b"locks").await.expect("keeps");
    let text = shelf.store().add_text(session, "d", &cut("locks")).await.expect("cuts");
    let long: String = (0..100).map(|number| format!("# Part {number}\n\nlocks\n\n")).collect();
    shelf.put("long.md", &long).await;
    let of_session = format!("'话{}' 'locks'", session.0.simple()).replace('\'', "''");
    for (terms, which) in [("''库1'' ''locks''", "<>"), (&*of_session, "=")] {
        let those = format!("select id from passages where text {which} {}", text.0);
        shelf.fresh.tamper(&format!("update passage_terms set terms = '{terms}' where rowid in ({those})")).await;
    }
    shelf.fresh.tamper("update texts set edition = 1").await;
    let found = async |query: &str| {
        let found = shelf.store().find(&[shelf.base], Some((session, &[text])), &query_terms(query), 200).await;
        found.expect("finds").len()
    };
    assert_eq!((found("lock").await, found("locks").await), (0, 101), "as that program found them");
    let (mut renewed, mut last) = (0, None);
    while let Some(text) = shelf.store().outdated(last).await.expect("reads") {
        shelf.store().renew_terms(text).await.expect("renews");
        (renewed, last) = (renewed + 1, Some(text));
    }
    assert_eq!(shelf.store().outdated(None).await.expect("reads"), None);
    assert_eq!((renewed, found("lock").await, found("locks").await), (2, 101, 101));
    assert!(shelf.names("lock").await.iter().all(|name| name == "long.md"), "each in its place");
}

async fn chinese_is_found_by_two_characters_and_beside_other_scripts(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf.put("锁定.md", "连续三次输错密码后，账户锁定三十分钟。").await;
    shelf.put("接口.md", "调用OpenAPI接口时使用ＨＴＴＰＳ协议，版本v2。").await;
    shelf.put("かな.md", "パスワードを忘れた場合").await;
    shelf.put("稀字.md", "𠮷野家的菜单").await;
    for (query, name) in [
        ("锁定", "锁定.md"),
        ("账户", "锁定.md"),
        ("锁", "锁定.md"),
        ("账户什么时候锁定？", "锁定.md"),
        ("接口", "接口.md"),
        ("openapi", "接口.md"),
        ("OpenAPI接口", "接口.md"),
        ("https", "接口.md"),
        ("v2", "接口.md"),
        ("忘れ", "かな.md"),
        ("𠮷野", "稀字.md"),
    ] {
        assert_eq!(shelf.names(query).await, [name], "{query}");
    }
    assert!(shelf.names("定锁").await.is_empty(), "the order of characters counts");
    assert!(shelf.names("天气").await.is_empty());
}

async fn the_better_match_comes_first(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf.put("a.md", "The password is changed once a year.").await;
    shelf
        .put("b.md", "After three wrong tries the password is locked; a locked password is unlocked by the desk.")
        .await;
    shelf.put("c.md", "密码每年更换一次。").await;
    shelf.put("d.md", "输错三次密码会被锁定，锁定后由服务台解锁。").await;
    for number in 0..20 {
        shelf.put(&format!("other{number}.md"), &format!("The {number} other things of the desk are here.")).await;
    }
    assert_eq!(shelf.names("locked password").await, ["b.md", "a.md"]);
    assert_eq!(shelf.names("密码锁定").await, ["d.md", "c.md"]);
    assert_eq!(shelf.names("the desk of the password").await[0], "b.md");
}

async fn replaced_and_removed_documents_are_not_found(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf.put("a.md", "apples").await;
    shelf.put("b.md", "apples and pears").await;
    shelf.put("a.md", "oranges").await;
    assert_eq!(shelf.names("apples").await, ["b.md"]);
    assert_eq!(shelf.names("oranges").await, ["a.md"]);
    assert!(shelf.store().remove_document(shelf.base, "b.md").await.expect("removes"));
    assert!(!shelf.store().remove_document(shelf.base, "b.md").await.expect("looks"), "there is none any more");
    assert!(shelf.names("apples pears").await.is_empty());
    assert_eq!(shelf.store().document_content(shelf.base, "b.md").await.expect("reads"), None);
    shelf.store().remove_base(shelf.base).await.expect("removes");
    assert!(shelf.names("oranges").await.is_empty());
    assert_eq!(shelf.store().base(shelf.base).await.expect("looks"), None);
    let next = shelf
        .store()
        .add_base(shelf.ann.id, "New", "", &BaseReaders::default(), 10)
        .await
        .expect("keeps")
        .expect("has room");
    assert!(next > shelf.base, "sessions may still name the old one");
}

async fn a_text_is_found_only_where_it_is_asked_for(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let other =
        shelf.store().add_base(shelf.ann.id, "Other", "", &every_member(), 10).await.expect("keeps").expect("has room");
    shelf.put_into(other, "other.md", "apples", ROOM).await;
    shelf.put("mine.md", "apples").await;
    let (one, _) = begun(&shelf.engines.events).await;
    let (two, _) = begun(&shelf.engines.events).await;
    let mut texts = vec![];
    for (session, digest) in [(one, "old"), (one, "new"), (two, "new")] {
        shelf.engines.contents.put(session, digest, b"apples").await.expect("keeps");
        texts.push(shelf.store().add_text(session, digest, &cut("apples")).await.expect("cuts"));
    }
    assert_eq!(shelf.names("apples").await, ["mine.md"]);
    assert_eq!(shelf.in_session(one, &texts[1..2], "apples").await, ["new"]);
    assert_eq!(
        shelf.in_session(two, &texts[..2], "apples").await,
        Vec::<String>::new(),
        "those are of another session"
    );
    let both = shelf.store().find(&[other], Some((one, &texts[..1])), &query_terms("apples"), 10).await.expect("finds");
    let mut both = names("apples", both);
    both.sort();
    assert_eq!(both, ["old", "other.md"]);
    assert!(shelf.store().find(&[], None, &query_terms("apples"), 10).await.expect("finds").is_empty());
    let known = shelf.store().texts(one).await.expect("reads");
    assert_eq!(known.iter().map(|(digest, _)| &**digest).collect::<Vec<_>>(), ["new", "old"]);
}

async fn no_query_is_more_than_words(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    shelf.put("a.md", "apples near pears").await;
    shelf.put("b.md", "nothing").await;
    for query in [
        "apples AND NOT pears",
        "\"apples",
        "apples*",
        "NEAR(apples pears, 2)",
        "terms:apples",
        "-apples ^apples",
        "apples' & !'pears",
        "apples\\ | (pears",
        "apples:*A <-> pears",
        "apples\0",
        "b1 OR apples); drop table passages; --",
    ] {
        assert_eq!(shelf.names(query).await, ["a.md"], "{query}");
    }
    for query in ["", "?!*\"'", "NOT", "b1", "rowid", "%"] {
        assert!(shelf.names(query).await.is_empty(), "{query}");
    }
}

async fn a_base_counts_while_its_owner_or_a_reader_takes_part(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let (session, fence) = begun(&shelf.engines.events).await;
    let enrolled = async |name, server_role| {
        create_participant(&*shelf.engines.identities, name, ActorKind::User, server_role).await.expect("enrols")
    };
    let (ben, gus) = (enrolled("Ben", ServerRole::Member).await, enrolled("Gus", ServerRole::Guest).await);
    let counts = async || !shelf.store().bases_of(session, &[shelf.base]).await.expect("reads").is_empty();
    let takes_part = async |who: &Participant, role| {
        let head = shelf.engines.events.head(session).await.expect("reads");
        let append = Append { members: vec![(who.id, role)], ..append(session, fence, head, &["x"]) };
        shelf.engines.events.append(append).await.expect("writes");
    };
    let readable = async |who: &Participant, named, all| {
        let page = BasePage { reader: who.id, named, all, after: None, limit: 10 };
        shelf.store().bases(&page).await.expect("reads").len()
    };
    let nobody = BaseReaders::default();
    let ben_alone = BaseReaders { participants: [ben.id].into(), ..BaseReaders::default() };
    let gus_alone = BaseReaders { participants: [gus.id].into(), ..BaseReaders::default() };
    for (readers, by_ben, by_gus) in
        [(&nobody, false, false), (&every_member(), true, false), (&ben_alone, true, false), (&gus_alone, false, false)]
    {
        let change = BaseChange { readers: Some(readers.clone()), ..BaseChange::default() };
        shelf.store().change_base(shelf.base, &change).await.expect("changes");
        let kept = shelf.store().base(shelf.base).await.expect("reads").expect("is there").readers;
        assert_eq!(kept, *readers);
        for (who, then) in [(&ben, by_ben), (&gus, by_gus), (&shelf.ann, true)] {
            takes_part(who, Some(Role::Viewer)).await;
            assert_eq!(counts().await, then, "{} and {readers:?}", who.name);
            takes_part(who, None).await;
            assert!(!counts().await, "{} and {readers:?}", who.name);
        }
        assert_eq!(readable(&ben, true, false).await, usize::from(by_ben), "{readers:?}");
        assert_eq!((readable(&ben, true, true).await, readable(&shelf.ann, true, false).await), (1, 1));
        assert_eq!(readable(&gus, false, false).await, 0, "a guest reads no base");
    }
}

async fn neither_bases_nor_documents_become_more_than_they_may(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let more = async |most| {
        shelf.store().add_base(shelf.ann.id, "More", "", &BaseReaders::default(), most).await.expect("looks").is_some()
    };
    assert_eq!((more(1).await, more(2).await, more(2).await), (false, true, false));
    let room = BaseRoom { documents: 2, bytes: 10 };
    let put = async |name, content| shelf.put_into(shelf.base, name, content, room).await;
    assert!(put("a", "12345").await && put("b", "12345").await);
    assert!(!put("c", "").await, "that would be three documents");
    assert!(!put("a", "123456").await, "that would be eleven bytes");
    assert!(put("a", "apple").await, "one that is replaced does not count");
    assert_eq!(shelf.names("12345").await, ["b"]);
    let base = shelf.store().base(shelf.base).await.expect("reads").expect("is there");
    assert_eq!((base.documents, base.bytes, &*base.owner_name), (2, 10, "Ann"));
}

async fn removing_a_document_removes_its_passages(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let (session, _) = begun(&shelf.engines.events).await;
    for digest in ["swept", "kept"] {
        shelf.engines.contents.put(session, digest, b"apples").await.expect("keeps");
        shelf.store().add_text(session, digest, &cut("apples")).await.expect("cuts");
    }
    shelf.put("a.md", "apples").await;
    let rows = async || (shelf.fresh.count("passages").await, shelf.fresh.count("passage_terms").await);
    assert_eq!(rows().await, (3, 3));
    shelf.engines.contents.delete_unreferenced(session, &["kept".into()], LATER).await.expect("settles");
    assert_eq!(rows().await, (2, 2));
    shelf.engines.events.remove_expired(LATER).await.expect("removes");
    assert_eq!(rows().await, (1, 1));
    assert!(shelf.store().texts(session).await.expect("reads").is_empty());
    assert_eq!(shelf.names("apples").await, ["a.md"]);
    shelf.store().remove_base(shelf.base).await.expect("removes");
    assert_eq!(rows().await, (0, 0));
}

async fn incomplete_texts_are_removed_by_age(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let (session, _) = begun(&shelf.engines.events).await;
    shelf.engines.contents.put(session, "d", b"apples").await.expect("keeps");
    shelf.store().add_text(session, "d", &cut("apples")).await.expect("cuts");
    shelf.put("a.md", "apples").await;
    assert_eq!(shelf.store().remove_unused(LATER).await.expect("looks"), 0, "all is in use");
    // The states that a crash leaves: before the last passage, and between the new text and the removal of the old one.
    shelf
        .fresh
        .tamper(
            "insert into texts (base, session, digest, at, whole) select base, session, digest, 7, whole from texts",
        )
        .await;
    let flag = if shelf.fresh.is_sqlite() { "0" } else { "false" };
    shelf.fresh.tamper(&format!("update texts set whole = {flag} where session is not null and at = 7")).await;
    assert_eq!(shelf.store().texts(session).await.expect("reads").len(), 1);
    assert_eq!(shelf.store().remove_unused(Timestamp::from_millis(7)).await.expect("looks"), 0, "it is young");
    assert_eq!(shelf.store().remove_unused(Timestamp::from_millis(8)).await.expect("removes"), 2);
    assert_eq!((shelf.names("apples").await.len(), shelf.fresh.count("texts").await), (1, 2));
}

async fn a_text_of_many_passages_is_found_to_its_end(fresh: Fresh) {
    let shelf = Shelf::new(fresh).await;
    let content: String = (0..300).map(|number| format!("# Part {number}\n\nword{number}\n\n")).collect();
    shelf.put("long.md", &content).await;
    assert_eq!(shelf.fresh.count("passages").await, 300);
    for number in [0, 63, 64, 299] {
        let found =
            shelf.store().find(&[shelf.base], None, &query_terms(&format!("word{number}")), 10).await.expect("finds");
        assert_eq!((found.len(), found[0].line), (1, number * 4 + 1));
    }
    shelf.put("long.md", "short").await;
    assert_eq!(shelf.fresh.count("passages").await, 1);
}

#[tokio::test]
async fn a_copy_of_a_sqlite_database_is_searched_as_it_is() {
    let shelf = Shelf::new(Fresh::sqlite().await).await;
    shelf.put("a.md", "输错三次密码，账户锁定").await;
    shelf.put("b.md", "apples").await;
    shelf.put("b.md", "pears").await;
    let copy = Fresh::sqlite().await;
    let to = std::path::Path::new(copy.file());
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("makes it");
    let entry = NewAuditEntry::new(AuditAction::BackupCreated).by_terminal();
    backup(&shelf.fresh.url, &StoreSettings::default(), to, &entry).await.expect("copies");
    let engines = copy.open().await;
    for (query, found) in [("锁定", &["a.md"][..]), ("pears", &["b.md"]), ("apples", &[])] {
        let hits = engines.knowledge.find(&[shelf.base], None, &query_terms(query), 10).await.expect("finds");
        assert_eq!(names(query, hits), found, "{query}");
    }
    engines.knowledge.remove_base(shelf.base).await.expect("removes");
    assert_eq!(copy.count("passage_terms").await, 0);
}
