//! The laws of `KnowledgeStore`, on every engine.

use roundtable::audit::{AuditAction, NewAuditEntry};
use roundtable::identity::{Participant, ServerRole, create_participant};
use roundtable::kernel::{ActorKind, Role, SessionId, Timestamp};
use roundtable::knowledge::{
    BaseChange, BaseId, BaseLimits, BasePage, BaseReaders, CandidatePassage, IndexedPassage, KnowledgeStore,
    NewDocument, PassageSource, TextId, passages, query_terms, rank,
};
use roundtable::store::{Append, StoreSettings, Stores, backup};

use crate::{
    append_builders::{append, start_session},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    a_document_is_found_by_its_words_from_any_process,
    inflected_english_words_match_each_other,
    documents_of_an_earlier_version_are_found_after_reindexing,
    chinese_is_found_by_two_characters_and_beside_other_scripts,
    the_better_match_comes_first,
    replaced_and_removed_documents_are_not_found,
    a_text_is_found_only_in_the_searched_bases,
    query_syntax_is_treated_as_plain_words,
    a_base_counts_while_its_owner_or_a_reader_takes_part,
    bases_and_documents_are_limited,
    removing_a_document_removes_its_passages,
    incomplete_texts_are_removed_by_age,
    a_text_of_many_passages_is_found_to_its_end,
}

const BASE_LIMITS: BaseLimits = BaseLimits { documents: 100, bytes: 1 << 20 };
const LATER: Timestamp = Timestamp::MAX;

struct KnowledgeStoreHarness {
    fresh: FreshDatabase,
    engines: Stores,
    ann: Participant,
    base: BaseId,
}

impl KnowledgeStoreHarness {
    async fn new(fresh: FreshDatabase) -> Self {
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

    async fn put_text(&self, name: &str, content: &str) {
        assert!(self.add_document(self.base, name, content, BASE_LIMITS).await, "has room");
    }

    async fn add_document(&self, base: BaseId, name: &str, content: &str, limits: BaseLimits) -> bool {
        let passages = split_passages(content);
        let document = NewDocument { name, media_type: "text/plain", content, passages: &passages };
        self.store().put_document(base, &document, limits).await.expect("keeps").is_some()
    }

    /// Returns the documents that a query finds in the base, best first.
    async fn find(&self, query: &str) -> Vec<String> {
        ranked_names(query, self.store().find(&[self.base], None, &query_terms(query), 200).await.expect("finds"))
    }

    async fn find_in_session(&self, session: SessionId, texts: &[TextId], query: &str) -> Vec<String> {
        let found = self.store().find(&[], Some((session, texts)), &query_terms(query), 200).await.expect("finds");
        ranked_names(query, found)
    }
}

fn every_member() -> BaseReaders {
    BaseReaders { members: true, ..BaseReaders::default() }
}

fn split_passages(content: &str) -> Vec<IndexedPassage> {
    passages(content).into_iter().map(IndexedPassage::from).collect()
}

fn ranked_names(query: &str, found: Vec<CandidatePassage>) -> Vec<String> {
    let name = |source: PassageSource| match source {
        PassageSource::Document { name, .. } => name.to_string(),
        PassageSource::Content { digest } => digest.to_string(),
    };
    rank(&query_terms(query), found, 50).into_iter().map(|hit| name(hit.found.source)).collect()
}

async fn a_document_is_found_by_its_words_from_any_process(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness
        .put_text(
            "limits.md",
            "# Limits\n\nA transfer is at most 5,000 EUR.\n\n# Locks\n\nThree wrong PINs lock a card.",
        )
        .await;
    harness.put_text("weather.md", "Rain is likely.").await;
    for query in ["transfer", "TRANSFER", "what about transfers, or one transfer?", "eur"] {
        assert_eq!(harness.find(query).await, ["limits.md"], "{query}");
    }
    assert!(harness.find("snow").await.is_empty());
    let other = harness.fresh.open().await;
    let found = other.knowledge.find(&[harness.base], None, &query_terms("card"), 10).await.expect("finds");
    assert_eq!((found[0].line, found.len()), (5, 1));
    assert_eq!(&*found[0].text, "# Locks\n\nThree wrong PINs lock a card.");
    let documents = other.knowledge.documents(harness.base, "", 10).await.expect("reads");
    let counts: Vec<_> = documents.iter().map(|document| (&*document.name, document.passages)).collect();
    assert_eq!(counts, [("limits.md", 2), ("weather.md", 1)]);
    let content = other.knowledge.document_content(harness.base, "weather.md").await.expect("reads");
    assert_eq!(content.as_deref(), Some(&b"Rain is likely."[..]));
}

async fn inflected_english_words_match_each_other(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness.put_text("one.md", "The lock of an account.").await;
    harness.put_text("many.md", "Locks of accounts.").await;
    for query in ["lock", "locks", "locked", "LOCKING", "account", "accounts"] {
        let mut names = harness.find(query).await;
        names.sort();
        assert_eq!(names, ["many.md", "one.md"], "{query}");
    }
    assert_eq!(harness.find("locks").await[0], "many.md", "the same form comes first");
    assert!(harness.find("clock").await.is_empty());
}

async fn documents_of_an_earlier_version_are_found_after_reindexing(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let (session, _) = start_session(&harness.engines.events).await;
    harness.engines.contents.put(session, "d", b"locks").await.expect("keeps");
    let text = harness.store().add_text(session, "d", &split_passages("locks")).await.expect("cuts");
    let long: String = (0..100).map(|number| format!("# Part {number}\n\nlocks\n\n")).collect();
    harness.put_text("long.md", &long).await;
    let of_session = format!("'话{}' 'locks'", session.0.simple()).replace('\'', "''");
    for (terms, which) in [("''库1'' ''locks''", "<>"), (&*of_session, "=")] {
        let those = format!("select id from passages where text {which} {}", text.0);
        harness
            .fresh
            .execute_sql(&format!("update passage_terms set terms = '{terms}' where rowid in ({those})"))
            .await;
    }
    harness.fresh.execute_sql("update texts set edition = 1").await;
    let found = async |query: &str| {
        let found = harness.store().find(&[harness.base], Some((session, &[text])), &query_terms(query), 200).await;
        found.expect("finds").len()
    };
    assert_eq!((found("lock").await, found("locks").await), (0, 101), "as that program found them");
    let (mut renewed, mut last) = (0, None);
    while let Some(text) = harness.store().outdated(last).await.expect("reads") {
        harness.store().renew_terms(text).await.expect("renews");
        (renewed, last) = (renewed + 1, Some(text));
    }
    assert_eq!(harness.store().outdated(None).await.expect("reads"), None);
    assert_eq!((renewed, found("lock").await, found("locks").await), (2, 101, 101));
    assert!(harness.find("lock").await.iter().all(|name| name == "long.md"), "each in its place");
}

async fn chinese_is_found_by_two_characters_and_beside_other_scripts(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness.put_text("锁定.md", "连续三次输错密码后，账户锁定三十分钟。").await;
    harness.put_text("接口.md", "调用OpenAPI接口时使用ＨＴＴＰＳ协议，版本v2。").await;
    harness.put_text("かな.md", "パスワードを忘れた場合").await;
    harness.put_text("稀字.md", "𠮷野家的菜单").await;
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
        assert_eq!(harness.find(query).await, [name], "{query}");
    }
    assert!(harness.find("定锁").await.is_empty(), "the order of characters counts");
    assert!(harness.find("天气").await.is_empty());
}

async fn the_better_match_comes_first(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness.put_text("a.md", "The password is changed once a year.").await;
    harness
        .put_text("b.md", "After three wrong tries the password is locked; a locked password is unlocked by the desk.")
        .await;
    harness.put_text("c.md", "密码每年更换一次。").await;
    harness.put_text("d.md", "输错三次密码会被锁定，锁定后由服务台解锁。").await;
    for number in 0..20 {
        harness
            .put_text(&format!("other{number}.md"), &format!("The {number} other things of the desk are here."))
            .await;
    }
    assert_eq!(harness.find("locked password").await, ["b.md", "a.md"]);
    assert_eq!(harness.find("密码锁定").await, ["d.md", "c.md"]);
    assert_eq!(harness.find("the desk of the password").await[0], "b.md");
}

async fn replaced_and_removed_documents_are_not_found(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness.put_text("a.md", "apples").await;
    harness.put_text("b.md", "apples and pears").await;
    harness.put_text("a.md", "oranges").await;
    assert_eq!(harness.find("apples").await, ["b.md"]);
    assert_eq!(harness.find("oranges").await, ["a.md"]);
    assert!(harness.store().remove_document(harness.base, "b.md").await.expect("removes"));
    assert!(!harness.store().remove_document(harness.base, "b.md").await.expect("looks"), "there is none any more");
    assert!(harness.find("apples pears").await.is_empty());
    assert_eq!(harness.store().document_content(harness.base, "b.md").await.expect("reads"), None);
    harness.store().remove_base(harness.base).await.expect("removes");
    assert!(harness.find("oranges").await.is_empty());
    assert_eq!(harness.store().base(harness.base).await.expect("looks"), None);
    let next = harness
        .store()
        .add_base(harness.ann.id, "New", "", &BaseReaders::default(), 10)
        .await
        .expect("keeps")
        .expect("has room");
    assert!(next > harness.base, "sessions may still name the old one");
}

async fn a_text_is_found_only_in_the_searched_bases(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let other = harness
        .store()
        .add_base(harness.ann.id, "Other", "", &every_member(), 10)
        .await
        .expect("keeps")
        .expect("has room");
    harness.add_document(other, "other.md", "apples", BASE_LIMITS).await;
    harness.put_text("mine.md", "apples").await;
    let (one, _) = start_session(&harness.engines.events).await;
    let (two, _) = start_session(&harness.engines.events).await;
    let mut texts = vec![];
    for (session, digest) in [(one, "old"), (one, "new"), (two, "new")] {
        harness.engines.contents.put(session, digest, b"apples").await.expect("keeps");
        texts.push(harness.store().add_text(session, digest, &split_passages("apples")).await.expect("cuts"));
    }
    assert_eq!(harness.find("apples").await, ["mine.md"]);
    assert_eq!(harness.find_in_session(one, &texts[1..2], "apples").await, ["new"]);
    assert_eq!(
        harness.find_in_session(two, &texts[..2], "apples").await,
        Vec::<String>::new(),
        "those are of another session"
    );
    let both =
        harness.store().find(&[other], Some((one, &texts[..1])), &query_terms("apples"), 10).await.expect("finds");
    let mut both = ranked_names("apples", both);
    both.sort();
    assert_eq!(both, ["old", "other.md"]);
    assert!(harness.store().find(&[], None, &query_terms("apples"), 10).await.expect("finds").is_empty());
    let known = harness.store().texts(one).await.expect("reads");
    assert_eq!(known.iter().map(|(digest, _)| &**digest).collect::<Vec<_>>(), ["new", "old"]);
}

async fn query_syntax_is_treated_as_plain_words(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    harness.put_text("a.md", "apples near pears").await;
    harness.put_text("b.md", "nothing").await;
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
        assert_eq!(harness.find(query).await, ["a.md"], "{query}");
    }
    for query in ["", "?!*\"'", "NOT", "b1", "rowid", "%"] {
        assert!(harness.find(query).await.is_empty(), "{query}");
    }
}

async fn a_base_counts_while_its_owner_or_a_reader_takes_part(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let (session, fence) = start_session(&harness.engines.events).await;
    let enrolled = async |name, server_role| {
        create_participant(&*harness.engines.identities, name, ActorKind::User, server_role).await.expect("enrols")
    };
    let (ben, gus) = (enrolled("Ben", ServerRole::Member).await, enrolled("Gus", ServerRole::Guest).await);
    let counts = async || !harness.store().bases_of(session, &[harness.base]).await.expect("reads").is_empty();
    let takes_part = async |who: &Participant, role| {
        let head = harness.engines.events.head(session).await.expect("reads");
        let append = Append { members: vec![(who.id, role)], ..append(session, fence, head, &["x"]) };
        harness.engines.events.append(append).await.expect("writes");
    };
    let readable = async |who: &Participant, named, all| {
        let page = BasePage { reader: who.id, named, all, after: None, limit: 10 };
        harness.store().bases(&page).await.expect("reads").len()
    };
    let nobody = BaseReaders::default();
    let ben_alone = BaseReaders { participants: [ben.id].into(), ..BaseReaders::default() };
    let gus_alone = BaseReaders { participants: [gus.id].into(), ..BaseReaders::default() };
    for (readers, by_ben, by_gus) in
        [(&nobody, false, false), (&every_member(), true, false), (&ben_alone, true, false), (&gus_alone, false, false)]
    {
        let change = BaseChange { readers: Some(readers.clone()), ..BaseChange::default() };
        harness.store().change_base(harness.base, &change).await.expect("changes");
        let kept = harness.store().base(harness.base).await.expect("reads").expect("is there").readers;
        assert_eq!(kept, *readers);
        for (who, then) in [(&ben, by_ben), (&gus, by_gus), (&harness.ann, true)] {
            takes_part(who, Some(Role::Viewer)).await;
            assert_eq!(counts().await, then, "{} and {readers:?}", who.name);
            takes_part(who, None).await;
            assert!(!counts().await, "{} and {readers:?}", who.name);
        }
        assert_eq!(readable(&ben, true, false).await, usize::from(by_ben), "{readers:?}");
        assert_eq!((readable(&ben, true, true).await, readable(&harness.ann, true, false).await), (1, 1));
        assert_eq!(readable(&gus, false, false).await, 0, "a guest reads no base");
    }
}

async fn bases_and_documents_are_limited(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let more = async |most| {
        harness
            .store()
            .add_base(harness.ann.id, "More", "", &BaseReaders::default(), most)
            .await
            .expect("looks")
            .is_some()
    };
    assert_eq!((more(1).await, more(2).await, more(2).await), (false, true, false));
    let limits = BaseLimits { documents: 2, bytes: 10 };
    let put = async |name, content| harness.add_document(harness.base, name, content, limits).await;
    assert!(put("a", "12345").await && put("b", "12345").await);
    assert!(!put("c", "").await, "that would be three documents");
    assert!(!put("a", "123456").await, "that would be eleven bytes");
    assert!(put("a", "apple").await, "one that is replaced does not count");
    assert_eq!(harness.find("12345").await, ["b"]);
    let base = harness.store().base(harness.base).await.expect("reads").expect("is there");
    assert_eq!((base.documents, base.bytes, &*base.owner_name), (2, 10, "Ann"));
}

async fn removing_a_document_removes_its_passages(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let (session, _) = start_session(&harness.engines.events).await;
    for digest in ["swept", "kept"] {
        harness.engines.contents.put(session, digest, b"apples").await.expect("keeps");
        harness.store().add_text(session, digest, &split_passages("apples")).await.expect("cuts");
    }
    harness.put_text("a.md", "apples").await;
    let rows = async || (harness.fresh.count("passages").await, harness.fresh.count("passage_terms").await);
    assert_eq!(rows().await, (3, 3));
    harness.engines.contents.delete_unreferenced(session, &["kept".into()], LATER).await.expect("settles");
    assert_eq!(rows().await, (2, 2));
    harness.engines.events.remove_expired(LATER).await.expect("removes");
    assert_eq!(rows().await, (1, 1));
    assert!(harness.store().texts(session).await.expect("reads").is_empty());
    assert_eq!(harness.find("apples").await, ["a.md"]);
    harness.store().remove_base(harness.base).await.expect("removes");
    assert_eq!(rows().await, (0, 0));
}

async fn incomplete_texts_are_removed_by_age(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let (session, _) = start_session(&harness.engines.events).await;
    harness.engines.contents.put(session, "d", b"apples").await.expect("keeps");
    harness.store().add_text(session, "d", &split_passages("apples")).await.expect("cuts");
    harness.put_text("a.md", "apples").await;
    assert_eq!(harness.store().remove_unused(LATER).await.expect("looks"), 0, "all is in use");
    // The states after a crash: before the last passage, and between adding the new text and removing the old one.
    harness
        .fresh
        .execute_sql(
            "insert into texts (base, session, digest, at, whole) select base, session, digest, 7, whole from texts",
        )
        .await;
    let flag = if harness.fresh.is_sqlite() { "0" } else { "false" };
    harness.fresh.execute_sql(&format!("update texts set whole = {flag} where session is not null and at = 7")).await;
    assert_eq!(harness.store().texts(session).await.expect("reads").len(), 1);
    assert_eq!(harness.store().remove_unused(Timestamp::from_millis(7)).await.expect("looks"), 0, "it is young");
    assert_eq!(harness.store().remove_unused(Timestamp::from_millis(8)).await.expect("removes"), 2);
    assert_eq!((harness.find("apples").await.len(), harness.fresh.count("texts").await), (1, 2));
}

async fn a_text_of_many_passages_is_found_to_its_end(fresh: FreshDatabase) {
    let harness = KnowledgeStoreHarness::new(fresh).await;
    let content: String = (0..300).map(|number| format!("# Part {number}\n\nword{number}\n\n")).collect();
    harness.put_text("long.md", &content).await;
    assert_eq!(harness.fresh.count("passages").await, 300);
    for number in [0, 63, 64, 299] {
        let found = harness
            .store()
            .find(&[harness.base], None, &query_terms(&format!("word{number}")), 10)
            .await
            .expect("finds");
        assert_eq!((found.len(), found[0].line), (1, number * 4 + 1));
    }
    harness.put_text("long.md", "short").await;
    assert_eq!(harness.fresh.count("passages").await, 1);
}

#[tokio::test]
async fn a_copy_of_a_sqlite_database_is_searched_as_it_is() {
    let harness = KnowledgeStoreHarness::new(FreshDatabase::sqlite().await).await;
    harness.put_text("a.md", "输错三次密码，账户锁定").await;
    harness.put_text("b.md", "apples").await;
    harness.put_text("b.md", "pears").await;
    let copy = FreshDatabase::sqlite().await;
    let to = std::path::Path::new(copy.file());
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("makes it");
    let entry = NewAuditEntry::new(AuditAction::BackupCreated).by_terminal();
    backup(&harness.fresh.url, &StoreSettings::default(), to, &entry).await.expect("copies");
    let engines = copy.open().await;
    for (query, found) in [("锁定", &["a.md"][..]), ("pears", &["b.md"]), ("apples", &[])] {
        let hits = engines.knowledge.find(&[harness.base], None, &query_terms(query), 10).await.expect("finds");
        assert_eq!(ranked_names(query, hits), found, "{query}");
    }
    engines.knowledge.remove_base(harness.base).await.expect("removes");
    assert_eq!(copy.count("passage_terms").await, 0);
}
