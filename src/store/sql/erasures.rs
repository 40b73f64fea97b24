//! Statements that replace events with their redacted form.

use std::borrow::Cow;

use super::rows;

/// Stages frames only under the fence of the latest claim, because frames from an earlier owner might contain content
/// that has since been erased.
pub(in crate::store) fn stage(frames: usize, lock: &str) -> Cow<'static, str> {
    format!(
        "with staged (session, fence, seq, frame) as (values {}) \
         insert into erased_frames (session, fence, seq, frame) \
         select staged.session, staged.fence, staged.seq, staged.frame from staged \
         join sessions on sessions.id = staged.session and sessions.fence = staged.fence{lock}",
        rows(frames, 4)
    )
    .into()
}

/// Commits an erasure. From this commit on, readers get the staged events.
pub(in crate::store) const COMMIT: &str = "update sessions set erased_fence = $2 where id = $1";

/// Deletes a few events that were staged without a commit, under this fence or an earlier one. A statement that arrives
/// late must not delete those of a later writer.
pub(in crate::store) const DROP_STAGED: &str = "\
    delete from erased_frames where session = $1 and (fence, seq) in \
    (select fence, seq from erased_frames where session = $1 and fence <= $2 limit $3)";

pub(in crate::store) const COMMITTED: &str = "select id from sessions where erased_fence is not null";
/// Selects the fence of the committed erasure and locks the session. Two processes that replace the same events would
/// otherwise deadlock.
pub(in crate::store) fn fence(lock: &str) -> Cow<'static, str> {
    format!("select erased_fence from sessions where id = $1{lock}").into()
}
/// Selects the last seq of the next slice; null if nothing is left.
pub(in crate::store) const SLICE: &str = "\
    select max(seq) from \
    (select seq from erased_frames where session = $1 and fence = $2 order by seq limit $3) as slice";
pub(in crate::store) const REPLACE: &str = "\
    update events set frame = erased_frames.frame from erased_frames \
    where erased_frames.session = $1 and erased_frames.fence = $2 and erased_frames.seq <= $3 \
    and events.session = $1 and events.seq = erased_frames.seq";
pub(in crate::store) const DROP_REPLACED: &str =
    "delete from erased_frames where session = $1 and fence = $2 and seq <= $3";
pub(in crate::store) const REPLACED: &str = "update sessions set erased_fence = null where id = $1";
