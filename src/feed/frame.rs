//! WebSocket frames from the server (RFC 6455). They are not masked, so all viewers get the same bytes and each frame
//! is encoded once.

/// First byte of an unfragmented text frame: FIN and opcode 1.
const TEXT_FRAME_BYTE: u8 = 0x81;

/// Prefix of every event's payload; see [`crate::protocol::encode_event`]. Because the log is gapless, counting these
/// prefixes gives a viewer's seq without an index.
const EVENT_PREFIX: &[u8] = b"{\"type\":\"event\"";

/// Appends `json` as one unfragmented text frame.
pub fn push_text(into: &mut Vec<u8>, json: &[u8]) {
    push_header(into, TEXT_FRAME_BYTE, json.len());
    into.extend_from_slice(json);
}

/// Appends the header of an unfragmented frame with this first byte and payload length.
pub fn push_header(into: &mut Vec<u8>, first: u8, len: usize) {
    match len {
        0..=125 => into.extend_from_slice(&[first, len as u8]),
        126..=0xffff => {
            into.extend_from_slice(&[first, 126]);
            into.extend_from_slice(&(len as u16).to_be_bytes());
        }
        _ => {
            into.extend_from_slice(&[first, 127]);
            into.extend_from_slice(&(len as u64).to_be_bytes());
        }
    }
}

/// Returns `json` as one unfragmented text frame.
pub fn text_frame(json: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(json.len() + 10);
    push_text(&mut bytes, json);
    bytes
}

/// Returns the size of [`text_frame`]'s header in bytes for a payload of this length.
pub fn header_len(len: usize) -> usize {
    match len {
        0..=125 => 2,
        126..=0xffff => 4,
        _ => 10,
    }
}

/// Returns the lengths of the header and payload of the first frame in `bytes`, which must start at a frame. `None` if
/// the header is incomplete.
pub fn first_frame_lengths(bytes: &[u8]) -> Option<(usize, usize)> {
    match *bytes.get(1)? & 0x7f {
        126 => Some((4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)))),
        127 => Some((10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?)),
        short => Some((2, usize::from(short))),
    }
}

/// Returns whether this payload is an event.
pub fn is_event(payload: &[u8]) -> bool {
    payload.starts_with(EVENT_PREFIX)
}

/// Returns the end of the frame in which `bytes` (whole frames) are cut after `written` bytes, and the number of events
/// up to that end.
pub fn find_cut(bytes: &[u8], written: usize) -> (usize, u64) {
    let (mut end, mut events) = (0, 0);
    while end < written {
        let Some((header, payload)) = first_frame_lengths(&bytes[end..]) else { break };
        events += u64::from(is_event(&bytes[end + header..]));
        end += header + payload;
    }
    (end, events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_every_length_class_reads_back() {
        for len in [0, 1, 125, 126, 127, 65_535, 65_536, 200_000] {
            let bytes = text_frame(&vec![b'x'; len]);
            let (header, payload) = first_frame_lengths(&bytes).expect("whole");
            assert_eq!((header, payload), (header_len(len), len));
            assert_eq!(bytes.len(), header + payload);
            assert!(first_frame_lengths(&bytes[..header - 1]).is_none());
        }
    }

    #[test]
    fn a_cut_is_found_at_the_end_of_its_frame() {
        let mut bytes = text_frame(br#"{"type":"event","seq":1}"#);
        let one = bytes.len();
        push_text(&mut bytes, br#"{"type":"delta"}"#);
        let two = bytes.len();
        push_text(&mut bytes, br#"{"type":"event","seq":2}"#);
        assert_eq!(find_cut(&bytes, 0), (0, 0));
        assert_eq!(find_cut(&bytes, 1), (one, 1));
        assert_eq!(find_cut(&bytes, one), (one, 1));
        assert_eq!(find_cut(&bytes, one + 1), (two, 1));
        assert_eq!(find_cut(&bytes, two + 3), (bytes.len(), 2));
    }
}
