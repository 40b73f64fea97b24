//! Tests for direct delivery: what a socket gets, and when its task is woken.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Wake, Waker};

use parking_lot::Mutex;

use super::super::ring::Ring;
use super::super::watchers::Watchers;
use super::*;

/// A socket that takes this many bytes and no more.
struct FakeSocket {
    room: Mutex<usize>,
    taken: Mutex<Vec<u8>>,
}

impl FakeSocket {
    fn with_room(room: usize) -> Arc<Self> {
        Arc::new(Self { room: Mutex::new(room), taken: Mutex::default() })
    }
}

impl DirectWriter for FakeSocket {
    fn write(&self, frames: &[u8]) -> DirectWrite {
        let mut room = self.room.lock();
        let written = frames.len().min(*room);
        *room -= written;
        let (end, _) = frame::find_cut(frames, written);
        self.taken.lock().extend_from_slice(&frames[..end]);
        DirectWrite { bytes: end, is_complete: written == frames.len() }
    }
}

/// Counts how often a task is woken.
#[derive(Default)]
struct WakeCount(AtomicUsize);

impl Wake for WakeCount {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A feed with one parked viewer.
struct DeliveryFixture {
    core: FeedCore,
    watchers: Watchers,
    key: usize,
    woken: Arc<WakeCount>,
}

impl DeliveryFixture {
    fn with(socket: Option<Arc<FakeSocket>>) -> Self {
        let (core, mut watchers) = (FeedCore::new(Ring::new(0, 1 << 20)), Watchers::default());
        let key = watchers.add(|| None);
        if let Some(socket) = socket {
            watchers.set_writer(key, socket);
        }
        let mut scene = Self { core, watchers, key, woken: Arc::default() };
        scene.park(ViewerPosition::default());
        scene
    }

    fn park(&mut self, position: ViewerPosition) {
        self.watchers.park(self.key, &Waker::from(self.woken.clone()), position);
    }

    /// Publishes events and delivers them. Returns their frames.
    fn publish(&mut self, count: u64) -> Vec<u8> {
        let from = self.core.ring.end();
        for _ in 0..count {
            let seq = self.core.ring.seq() + 1;
            self.core.ring.push(format!(r#"{{"type":"event","seq":{seq}}}"#).as_bytes(), Some(seq));
        }
        if self.watchers.begin_delivery()
            && let Some(batch) = self.watchers.next_batch(&self.core)
        {
            while self.watchers.deliver(&batch, &mut 0, MAX_SLICE_CONNECTIONS) {}
            assert!(self.watchers.next_batch(&self.core).is_none(), "everything is delivered");
        }
        self.core.ring.window(from, usize::MAX >> 1, u64::MAX).expect("is in the ring").bytes.to_vec()
    }

    fn woken(&self) -> usize {
        self.woken.0.load(Relaxed)
    }

    fn head(&self) -> ViewerPosition {
        ViewerPosition { offset: self.core.ring.end(), seq: self.core.ring.seq() }
    }
}

#[test]
fn a_socket_at_rest_gets_every_frame_and_its_task_sleeps() {
    let socket = FakeSocket::with_room(usize::MAX);
    let mut scene = DeliveryFixture::with(Some(socket.clone()));
    let frames = [scene.publish(1), scene.publish(2), scene.publish(1)].concat();
    assert_eq!(*socket.taken.lock(), frames);
    assert_eq!(scene.woken(), 0);
    assert_eq!(scene.watchers.unpark(scene.key), Some(scene.head()));
    assert_eq!(scene.watchers.unpark(scene.key), None, "it is woken once");
}

#[test]
fn a_task_whose_socket_is_full_goes_on_after_the_frame_that_was_cut() {
    let whole = DeliveryFixture::with(None).publish(2).len();
    let socket = FakeSocket::with_room(whole / 2 + 3);
    let mut scene = DeliveryFixture::with(Some(socket.clone()));
    let frames = scene.publish(3);
    assert_eq!(*socket.taken.lock(), frames[..whole]);
    assert_eq!(scene.woken(), 1);
    scene.publish(1);
    assert_eq!(scene.woken(), 1, "an awake task is not woken");
    let position = ViewerPosition { offset: whole as u64, seq: 2 };
    assert_eq!(scene.watchers.unpark(scene.key), Some(position));
}

#[test]
fn a_task_without_a_socket_is_woken() {
    let mut scene = DeliveryFixture::with(None);
    scene.publish(1);
    assert_eq!((scene.woken(), scene.watchers.unpark(scene.key)), (1, None));
    // It is also woken if another viewer has a socket that is written to, as with server-sent events in a session with
    // sockets.
    scene.park(scene.head());
    let (socket, key) = (FakeSocket::with_room(usize::MAX), scene.watchers.add(|| None));
    scene.watchers.set_writer(key, socket.clone());
    scene.watchers.park(key, Waker::noop(), scene.head());
    let frames = scene.publish(1);
    assert_eq!((scene.woken(), socket.taken.lock().len()), (2, frames.len()));
}

#[test]
fn nobody_gets_frames_directly_after_participants_change_or_frames_are_missing() {
    let socket = FakeSocket::with_room(usize::MAX);
    let mut scene = DeliveryFixture::with(Some(socket.clone()));
    scene.core.epoch += 1;
    scene.publish(1);
    assert_eq!((scene.woken(), socket.taken.lock().len()), (1, 0), "the viewer itself might have been removed");
    scene.park(scene.head());
    scene.core.ring.skip_to(9);
    scene.publish(1);
    assert_eq!((scene.woken(), socket.taken.lock().len()), (2, 0), "the viewer has to read the store");
    scene.park(scene.head());
    let frames = scene.publish(1);
    assert_eq!((scene.woken(), socket.taken.lock().len()), (2, frames.len()));
}

#[test]
fn a_delivery_ends_when_everyone_is_woken() {
    let socket = FakeSocket::with_room(usize::MAX);
    let mut scene = DeliveryFixture::with(Some(socket.clone()));
    scene.core.ring.push(b"{}", None);
    assert!(scene.watchers.begin_delivery() && !scene.watchers.begin_delivery(), "one at a time");
    let batch = scene.watchers.next_batch(&scene.core).expect("is new");
    scene.watchers.wake();
    scene.park(ViewerPosition::default());
    assert!(!scene.watchers.deliver(&batch, &mut 0, MAX_SLICE_CONNECTIONS));
    assert_eq!((scene.woken(), socket.taken.lock().len()), (1, 0), "frames of before might have been redacted since");
}

#[test]
fn a_large_frame_is_written_by_the_tasks() {
    let socket = FakeSocket::with_room(usize::MAX);
    let mut scene = DeliveryFixture::with(Some(socket.clone()));
    scene.core.ring.push(&vec![b'x'; MAX_BATCH_BYTES], None);
    scene.publish(0);
    assert_eq!((scene.woken(), socket.taken.lock().len()), (1, 0));
}

#[test]
fn connections_beyond_the_limit_are_woken_once() {
    let mut scene = DeliveryFixture::with(Some(FakeSocket::with_room(usize::MAX)));
    for _ in 1..MAX_DIRECT_CONNECTIONS {
        scene.watchers.add(|| None);
    }
    let woken = Arc::<WakeCount>::default();
    for _ in 0..2 {
        let key = scene.watchers.add(|| None);
        scene.watchers.set_writer(key, FakeSocket::with_room(usize::MAX));
        scene.watchers.park(key, &Waker::from(woken.clone()), ViewerPosition::default());
    }
    scene.core.ring.push(b"{}", None);
    assert!(scene.watchers.begin_delivery());
    let batch = scene.watchers.next_batch(&scene.core).expect("is new");
    for key in [MAX_DIRECT_CONNECTIONS, MAX_DIRECT_CONNECTIONS + 1] {
        scene.watchers.park(key, &Waker::from(woken.clone()), scene.head());
    }
    while scene.watchers.deliver(&batch, &mut 0, MAX_DIRECT_CONNECTIONS) {}
    assert!(scene.watchers.next_batch(&scene.core).is_none());
    assert_eq!((scene.woken(), woken.0.load(Relaxed)), (0, 2));
}

#[test]
fn a_delivery_that_is_abandoned_wakes_everyone_and_another_begins() {
    let mut scene = DeliveryFixture::with(Some(FakeSocket::with_room(usize::MAX)));
    assert!(scene.watchers.begin_delivery());
    scene.watchers.abandon_delivery();
    assert_eq!(scene.woken(), 1);
    assert!(scene.watchers.begin_delivery());
}
