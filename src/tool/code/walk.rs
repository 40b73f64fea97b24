//! Concurrent walk through all files below some folders.

use std::{ffi::OsString, sync::Arc, thread};

use parking_lot::{Condvar, Mutex};

use super::{
    blocking::Stop,
    folder::{Folder, Kind},
};

/// Files that one thread takes at a time, so that several threads share a large folder.
const PORTION: usize = 64;

enum Task {
    Top(Folder),
    /// A folder that is opened only when its turn comes, so that thousands of waiting folders are not open files.
    Folder(Arc<Folder>, OsString),
    Files(Arc<Folder>, Vec<OsString>),
}

struct Waiting {
    tasks: Vec<Task>,
    at_work: usize,
    unread: usize,
}

struct Walk<'a> {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    stop: &'a Stop,
}

/// Visits every file that agents can see, in no particular order, with one visitor per thread. Returns the number of
/// folders that could not be read.
pub(super) fn files<V: FnMut(&Folder, &OsString)>(
    tops: Vec<Folder>,
    threads: usize,
    stop: &Stop,
    visitor: impl Fn() -> V + Sync,
) -> usize {
    let tasks = tops.into_iter().map(Task::Top).collect();
    let waiting = Mutex::new(Waiting { tasks, at_work: 0, unread: 0 });
    let walk = Walk { waiting, changed: Condvar::new(), stop };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| walk.work(visitor()));
        }
        walk.work(visitor());
    });
    walk.waiting.into_inner().unread
}

impl Walk<'_> {
    fn work(&self, mut visit: impl FnMut(&Folder, &OsString)) {
        while let Some(task) = self.next() {
            let done = Done(self);
            match task {
                Task::Top(folder) => self.open(Some(folder)),
                Task::Folder(parent, name) => self.open(parent.folder(&name).ok()),
                Task::Files(folder, names) => {
                    for name in names.iter().take_while(|_| !self.stop.over()) {
                        visit(&folder, name);
                    }
                }
            }
            drop(done);
        }
    }

    /// Waits for the next task. Returns `None` when all work is done or the walk must end.
    fn next(&self) -> Option<Task> {
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
        let files: Vec<OsString> = of(Kind::File).collect();
        let mut tasks: Vec<Task> = of(Kind::Folder).map(|name| Task::Folder(folder.clone(), name)).collect();
        tasks.extend(files.chunks(PORTION).map(|names| Task::Files(folder.clone(), names.to_vec())));
        self.waiting.lock().tasks.append(&mut tasks);
        self.changed.notify_all();
    }
}

/// Counts a task as done when dropped, even after a panic. Otherwise the other threads would wait for it forever.
struct Done<'a, 'b>(&'a Walk<'b>);

impl Drop for Done<'_, '_> {
    fn drop(&mut self) {
        self.0.waiting.lock().at_work -= 1;
        self.0.changed.notify_all();
    }
}
