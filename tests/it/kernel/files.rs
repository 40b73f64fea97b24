//! Files: what counts as a version, and who may change them.

use roundtable::kernel::*;

use super::harness::*;

pub(super) const ROOM: FileRoom = FileRoom { versions: 6, bytes: 100 };

/// A file with this content.
pub(super) fn file(name: &str, content: &str) -> NewFile {
    let digest = blake3::hash(content.as_bytes()).to_hex().as_str().into();
    let (name, media_type) = (name.parse().expect("a name"), "text/plain".into());
    NewFile { name, media_type, bytes: content.len() as u64, digest }
}

pub(super) fn add(name: &str, content: &str) -> Command {
    Command::AddFile { file: file(name, content), room: ROOM }
}

/// The current files, each with its version.
fn current(stage: &KernelHarness) -> Vec<(String, u32)> {
    stage.state.view().current_files().map(|file| (file.name.to_string(), file.version)).collect()
}

fn listed(stage: &KernelHarness, files: &[(&str, u32)]) {
    let expected: Vec<_> = files.iter().map(|(name, version)| (name.to_string(), *version)).collect();
    assert_eq!(current(stage), expected);
}

#[test]
fn a_version_is_one_more_and_the_same_content_is_none() {
    let mut stage = KernelHarness::new();
    assert_eq!(stage.ok(OWNER, add("a.md", "one")), ["file.added"]);
    assert!(stage.ok(OWNER, add("a.md", "one")).is_empty(), "sent again because the answer was lost");
    assert_eq!(stage.ok(OWNER, add("a.md", "two")), ["file.added"]);
    assert_eq!(stage.ok(OWNER, add("b.md", "one")), ["file.added"]);
    listed(&stage, &[("a.md", 2), ("b.md", 1)]);
    assert_eq!(stage.ok(OWNER, add("a.md", "one")), ["file.added"], "an older content is a new version");
    listed(&stage, &[("b.md", 1), ("a.md", 3)]);
}

#[test]
fn a_removed_file_is_restored() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, add("a.md", "one"));
    stage.ok(OWNER, add("a.md", "two"));
    let first = stage.state.view().files[0].id;
    let remove = || Command::RemoveFile { name: "a.md".parse().expect("a name") };
    assert_eq!(stage.ok(OWNER, remove()), ["file.removed"]);
    assert!(stage.ok(OWNER, remove()).is_empty(), "it is removed already");
    listed(&stage, &[]);
    assert_eq!(stage.ok(OWNER, Command::RestoreFile { file: first, room: ROOM }), ["file.added"]);
    listed(&stage, &[("a.md", 3)]);
    let view = stage.state.view();
    assert_eq!(view.files[0].digest, view.files[2].digest);
    stage.ok(OWNER, remove());
    assert_eq!(stage.ok(OWNER, add("a.md", "one")), ["file.added"], "the content that was removed");
    let unknown = Command::RestoreFile { file: FileId(99), room: ROOM };
    assert_eq!(stage.does(OWNER, unknown), Err(Rejection::UnknownFile(FileId(99))));
    let unknown = Command::RemoveFile { name: "c.md".parse().expect("a name") };
    assert_eq!(stage.does(OWNER, unknown), Err(Rejection::UnknownFileName("c.md".into())));
}

#[test]
fn a_session_holds_so_many_versions_and_bytes() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, add("large", &"x".repeat(90)));
    stage.ok(OWNER, add("again", &"x".repeat(90)));
    assert!(matches!(stage.does(OWNER, add("more", &"y".repeat(11))), Err(Rejection::FilesFull(_))), "bytes");
    for content in ["1", "2", "3", "4"] {
        stage.ok(OWNER, add("small", content));
    }
    stage.ok(OWNER, Command::RemoveFile { name: "small".parse().expect("a name") });
    assert!(matches!(stage.does(OWNER, add("small", "5")), Err(Rejection::FilesFull(_))), "versions");
    let restore = Command::RestoreFile { file: stage.state.view().files[0].id, room: ROOM };
    assert!(stage.ok(OWNER, restore).is_empty(), "what is there needs no room");
}

#[test]
fn adding_files_needs_the_right_to_speak() {
    let mut stage = KernelHarness::new();
    for (who, role) in [(2, Role::Bot), (3, Role::Reviewer), (4, Role::Member)] {
        stage.enter(who, role);
        let content = who.to_string();
        assert_eq!(stage.ok(who, add("a", &content)), ["file.added"]);
        assert_eq!(
            stage.state.view().files.last().map(|file| file.by.clone()),
            stage.log.last().map(|event| event.by.clone())
        );
    }
    stage.enter(5, Role::Viewer);
    assert!(matches!(stage.does(5, add("a", "5")), Err(Rejection::Forbidden { .. })));
    let remove = Command::RemoveFile { name: "a".parse().expect("a name") };
    assert!(matches!(stage.does(5, remove), Err(Rejection::Forbidden { .. })));
    assert_eq!(stage.does(6, add("a", "6")), Err(Rejection::NotAMember));
}

#[test]
fn words_come_with_files_that_are_there() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, add("a.md", "one"));
    let file = stage.state.view().files[0].id;
    let say = |text: &str, files: Vec<FileId>| Command::Say { text: text.into(), to: None, mode: Mode::Queue, files };
    assert_eq!(stage.does(OWNER, say("look", vec![FileId(77)])), Err(Rejection::UnknownFile(FileId(77))));
    stage.ok(OWNER, say("look", vec![file, file]));
    assert_eq!(stage.state.view().messages[0].files, [file]);
    // Files without text do not approve the gate, and no text is required.
    stage.finish("a draft");
    stage.finish("a review");
    assert_eq!(stage.state.view().gates.len(), 1);
    let names = stage.ok(OWNER, say("", vec![file]));
    assert!(names.contains(&"gate.decided".into()), "{names:?}");
    assert_eq!(stage.writing(), ["Gen"], "it is feedback");
}
