//! The slots of a Redis cluster.

/// Number of slots of a Redis cluster. Its nodes have about equal shares of them.
const SLOTS: usize = 16384;

/// Returns the slot of a hash tag: its CRC-16 (XMODEM), as defined by the Redis cluster specification.
fn slot(word: &str) -> usize {
    let crc = word.bytes().fold(0u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| (crc << 1) ^ if crc >> 15 == 1 { 0x1021 } else { 0 })
    });
    usize::from(crc) % SLOTS
}

/// Returns the hash tag of a lane, derived from the prefix. All nodes derive the same tag. The tags of all lanes are
/// spread evenly over the slots, and therefore over the nodes of a cluster. The tag of a single lane is the prefix.
pub(super) fn lane_tag(prefix: &str, lane: usize, lanes: usize) -> String {
    let mut word = prefix.to_owned();
    for number in 1.. {
        if slot(&word) * lanes / SLOTS == lane {
            break;
        }
        word = format!("{prefix}:{number}");
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_what_redis_says() {
        // Values returned by `CLUSTER KEYSLOT`.
        assert_eq!(["roundtable", "b", "123456789"].map(slot), [15690, 3300, 12739]);
    }

    #[test]
    fn lanes_lie_evenly_over_the_slots() {
        assert_eq!(lane_tag("roundtable", 0, 1), "roundtable");
        for lanes in 1..=64 {
            let tags: Vec<String> = (0..lanes).map(|lane| lane_tag("roundtable", lane, lanes)).collect();
            let shares: Vec<usize> = tags.iter().map(|word| slot(word) * lanes / SLOTS).collect();
            assert!(shares.iter().copied().eq(0..lanes), "{tags:?}");
        }
    }
}
