//! Files: what counts as a version, and who may change them.

use roundtable::kernel::*;

use super::harness::*;

pub(super) const FILE_LIMITS: FileLimits = FileLimits { versions: 6, bytes: 100 };

/// Returns a file with this content.
pub(super) fn file(name: &str, content: &str) -> NewFile {
    let digest = blake3::hash(content.as_bytes()).to_hex().as_str().into();
    let (name, media_type) = (name.parse().expect("a name"), "text/plain".into());
    NewFile { name, media_type, bytes: content.len() as u64, digest }
}

pub(super) fn add(name: &str, content: &str) -> Command {
    Command::AddFile { file: file(name, content), limits: FILE_LIMITS }
}

/// Returns the names of the current files, each with its version.
fn current(harness: &KernelHarness) -> Vec<(String, u32)> {
    harness.state.view().current_files().map(|file| (file.name.to_string(), file.version)).collect()
}

fn assert_files(harness: &KernelHarness, files: &[(&str, u32)]) {
    let expected: Vec<_> = files.iter().map(|(name, version)| (name.to_string(), *version)).collect();
    assert_eq!(current(harness), expected);
}

#[test]
fn new_content_adds_a_version_and_equal_content_does_not() {
    let mut harness = KernelHarness::new();
    assert_eq!(harness.ok(OWNER, add("a.md", "one")), ["file.added"]);
    assert!(harness.ok(OWNER, add("a.md", "one")).is_empty(), "sent again because the answer was lost");
    assert_eq!(harness.ok(OWNER, add("a.md", "two")), ["file.added"]);
    assert_eq!(harness.ok(OWNER, add("b.md", "one")), ["file.added"]);
    assert_files(&harness, &[("a.md", 2), ("b.md", 1)]);
    assert_eq!(harness.ok(OWNER, add("a.md", "one")), ["file.added"], "an older content is a new version");
    assert_files(&harness, &[("b.md", 1), ("a.md", 3)]);
}

#[test]
fn a_removed_file_is_restored() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, add("a.md", "one"));
    harness.ok(OWNER, add("a.md", "two"));
    let first = harness.state.view().files[0].id;
    let remove = || Command::RemoveFile { name: "a.md".parse().expect("a name") };
    assert_eq!(harness.ok(OWNER, remove()), ["file.removed"]);
    assert!(harness.ok(OWNER, remove()).is_empty(), "it is removed already");
    assert_files(&harness, &[]);
    assert_eq!(harness.ok(OWNER, Command::RestoreFile { file: first, limits: FILE_LIMITS }), ["file.added"]);
    assert_files(&harness, &[("a.md", 3)]);
    let view = harness.state.view();
    assert_eq!(view.files[0].digest, view.files[2].digest);
    harness.ok(OWNER, remove());
    assert_eq!(harness.ok(OWNER, add("a.md", "one")), ["file.added"], "the content that was removed");
    let unknown = Command::RestoreFile { file: FileId(99), limits: FILE_LIMITS };
    assert_eq!(harness.submit(OWNER, unknown), Err(Rejection::UnknownFile(FileId(99))));
    let unknown = Command::RemoveFile { name: "c.md".parse().expect("a name") };
    assert_eq!(harness.submit(OWNER, unknown), Err(Rejection::UnknownFileName("c.md".into())));
}

#[test]
fn versions_and_bytes_of_a_session_are_limited() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, add("large", &"x".repeat(90)));
    harness.ok(OWNER, add("again", &"x".repeat(90)));
    assert!(matches!(harness.submit(OWNER, add("more", &"y".repeat(11))), Err(Rejection::FilesFull(_))), "bytes");
    for content in ["1", "2", "3", "4"] {
        harness.ok(OWNER, add("small", content));
    }
    harness.ok(OWNER, Command::RemoveFile { name: "small".parse().expect("a name") });
    assert!(matches!(harness.submit(OWNER, add("small", "5")), Err(Rejection::FilesFull(_))), "versions");
    let restore = Command::RestoreFile { file: harness.state.view().files[0].id, limits: FILE_LIMITS };
    assert!(harness.ok(OWNER, restore).is_empty(), "what is there needs no room");
}

#[test]
fn adding_files_needs_the_right_to_speak() {
    let mut harness = KernelHarness::new();
    for (who, role) in [(2, Role::Bot), (3, Role::Reviewer), (4, Role::Member)] {
        harness.enter(who, role);
        let content = who.to_string();
        assert_eq!(harness.ok(who, add("a", &content)), ["file.added"]);
        assert_eq!(
            harness.state.view().files.last().map(|file| file.by.clone()),
            harness.log.last().map(|event| event.by.clone())
        );
    }
    harness.enter(5, Role::Viewer);
    assert!(matches!(harness.submit(5, add("a", "5")), Err(Rejection::Forbidden { .. })));
    let remove = Command::RemoveFile { name: "a".parse().expect("a name") };
    assert!(matches!(harness.submit(5, remove), Err(Rejection::Forbidden { .. })));
    assert_eq!(harness.submit(6, add("a", "6")), Err(Rejection::NotAMember));
}

#[test]
fn a_message_can_reference_only_existing_files() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, add("a.md", "one"));
    let file = harness.state.view().files[0].id;
    let say = |text: &str, files: Vec<FileId>| Command::Say { text: text.into(), to: None, mode: Mode::Queue, files };
    assert_eq!(harness.submit(OWNER, say("look", vec![FileId(77)])), Err(Rejection::UnknownFile(FileId(77))));
    harness.ok(OWNER, say("look", vec![file, file]));
    assert_eq!(harness.state.view().messages[0].files, [file]);
    // A message with files needs no text, and does not approve the gate.
    harness.finish("a draft");
    harness.finish("a review");
    assert_eq!(harness.state.view().gates.len(), 1);
    let names = harness.ok(OWNER, say("", vec![file]));
    assert!(names.contains(&"gate.decided".into()), "{names:?}");
    assert_eq!(harness.writing_agents(), ["Gen"], "it is feedback");
}
