//! Position in a stream of a door, as clients send it in `Last-Event-ID`.

use crate::kernel::SessionId;

/// Parses `session:seq:…` with exactly `N` numbers after the session.
pub(super) fn parse<const N: usize>(text: &str) -> Result<(SessionId, [u64; N]), ()> {
    let mut parts = text.split(':');
    let session = parts.next().and_then(|part| part.parse().ok()).ok_or(())?;
    let numbers: Result<Vec<u64>, _> = parts.map(str::parse).collect();
    Ok((session, numbers.map_err(|_| ())?.try_into().map_err(|_| ())?))
}
