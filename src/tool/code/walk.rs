//! Concurrent walk through all files below a set of folders.

use std::{ffi::OsString, sync::Arc, thread};

use parking_lot::{Condvar, Mutex};

use super::{
    folder::{Folder, FolderEntryKind},
    worker_thread::Deadline,
};

/// Number of files that one thread takes at a time. It is small so that several threads share a large folder.
const FILES_PER_TASK: usize = 64;

enum WalkTask {
    Top(Folder),
    /// A folder that is opened only when its turn comes, so that thousands of waiting folders do not use up file
    /// descriptors.
    Folder(Arc<Folder>, OsString),
    Files(Arc<Folder>, Vec<OsString>),
}

struct WalkQueue {
    tasks: Vec<WalkTask>,
    at_work: usize,
    unread: usize,
}

struct FileWalk<'a> {
    waiting: Mutex<WalkQueue>,
    changed: Condvar,
    stop: &'a Deadline,
}

/// Visits every file that agents can see, in no particular order, with one visitor per thread. Returns the number of
/// folders that could not be read.
pub(super) fn walk_files<V: FnMut(&Folder, &OsString)>(
    tops: Vec<Folder>,
    threads: usize,
    stop: &Deadline,
    visitor: impl Fn() -> V + Sync,
) -> usize {
    let tasks = tops.into_iter().map(WalkTask::Top).collect();
    let waiting = Mutex::new(WalkQueue { tasks, at_work: 0, unread: 0 });
    let walk = FileWalk { waiting, changed: Condvar::new(), stop };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| walk.work(visitor()));
        }
        walk.work(visitor());
    });
    walk.waiting.into_inner().unread
}

impl FileWalk<'_> {
    fn work(&self, mut visit: impl FnMut(&Folder, &OsString)) {
        while let Some(task) = self.next() {
            let done = WalkTaskGuard(self);
            match task {
                WalkTask::Top(folder) => self.open(Some(folder)),
                WalkTask::Folder(parent, name) => self.open(parent.folder(&name).ok()),
                WalkTask::Files(folder, names) => {
                    for name in names.iter().take_while(|_| !self.stop.over()) {
                        visit(&folder, name);
                    }
                }
            }
            drop(done);
        }
    }

    /// Waits for the next task. Returns `None` when all work is done or the walk must end.
    fn next(&self) -> Option<WalkTask> {
        let mut waiting = self.waiting.lock();
        loop {
            if self.stop.over() {
                return None;
            }
            if let Some(task) = waiting.tasks.pop() {
                waiting.at_work += 1;
                return Some(task);
            }
            if waiting.at_work == 0 {
                return None;
            }
            self.changed.wait(&mut waiting);
        }
    }

    fn open(&self, folder: Option<Folder>) {
        let read = folder.and_then(|folder| Some((folder.entries(|| self.stop.over()).ok()?, folder)));
        let Some((entries, folder)) = read else {
            self.waiting.lock().unread += 1;
            return;
        };
        let folder = Arc::new(folder);
        let of = |kind| entries.iter().filter(move |entry| entry.kind == kind).map(|entry| entry.name.clone());
        let files: Vec<OsString> = of(FolderEntryKind::File).collect();
        let mut tasks: Vec<WalkTask> =
            of(FolderEntryKind::Folder).map(|name| WalkTask::Folder(folder.clone(), name)).collect();
        tasks.extend(files.chunks(FILES_PER_TASK).map(|names| WalkTask::Files(folder.clone(), names.to_vec())));
        self.waiting.lock().tasks.append(&mut tasks);
        self.changed.notify_all();
    }
}

/// Counts a task as done when dropped, even after a panic. Otherwise, the other threads would wait for it forever.
struct WalkTaskGuard<'a, 'b>(&'a FileWalk<'b>);

impl Drop for WalkTaskGuard<'_, '_> {
    fn drop(&mut self) {
        self.0.waiting.lock().at_work -= 1;
        self.0.changed.notify_all();
    }
}
