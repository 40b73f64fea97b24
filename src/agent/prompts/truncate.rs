//! Truncates long texts in the middle, so that both ends stay.

use crate::agent::PromptBlock;

/// Cuts the middle out of the author's text if the envelope has more than `max_tokens` tokens. The header and all
/// entries after the text stay. Returns `None` if there is no room for any of the text.
pub(super) fn truncate(block: &PromptBlock, max_tokens: u64, count: impl Fn(&str) -> u64) -> Option<PromptBlock> {
    let (mut some, mut bytes) = (block.clone(), block.quoted_bytes());
    loop {
        let counted = count(some.text());
        if counted <= max_tokens {
            return Some(some);
        }
        // A first guess can be too long, because parts of a text differ in tokens per byte and the note between the
        // ends counts too.
        let by_count = u128::from(max_tokens) * bytes as u128 / u128::from(counted);
        bytes = usize::try_from(by_count).map_or(0, |fair| fair.min(bytes / 16 * 15));
        if bytes == 0 {
            return None;
        }
        some = block.cut(bytes);
    }
}

/// Returns the maximum cost of one text for which all texts fit into the room. Texts that cost less than their share
/// leave the rest of it to the others.
pub(super) fn fair_share(mut costs: Vec<u64>, mut room: u64) -> u64 {
    costs.sort_unstable();
    for (place, cost) in costs.iter().enumerate() {
        let share = room / (costs.len() - place) as u64;
        if *cost > share {
            return share;
        }
        room -= cost;
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> u64 {
        text.len() as u64
    }

    #[test]
    fn a_text_is_as_long_as_it_may_be() {
        let short = PromptBlock::returned("short");
        assert_eq!(truncate(&short, 5, bytes), Some(short));
        let long = PromptBlock::returned(&"长".repeat(1_000));
        for max_tokens in [100, 500, 2_000, 2_999] {
            let squeezed = truncate(&long, max_tokens, bytes).expect("has room");
            let text = squeezed.text();
            assert!((max_tokens * 3 / 4..=max_tokens).contains(&bytes(text)), "{} of {max_tokens}", bytes(text));
            assert!(text.contains("bytes left out"), "{text}");
        }
        assert_eq!(truncate(&long, 20, bytes), None);
        assert_eq!(truncate(&long, 0, bytes), None);
    }

    #[test]
    fn quoted_words_stay_quoted_behind_their_header() {
        let message = PromptBlock::anonymous(&"一二三四五六七八九\n".repeat(100));
        let squeezed = truncate(&message, 500, bytes).expect("has room");
        assert!((300..=500).contains(&bytes(squeezed.text())), "{}", squeezed.text());
        assert!(squeezed.text().starts_with("[message]\n| 一"), "{}", squeezed.text());
        let own = |line: &&str| !line.starts_with('|');
        assert_eq!(squeezed.text().lines().filter(own).count(), 2, "the header, and how much is missing");
    }

    #[test]
    fn an_unused_share_goes_to_the_others() {
        assert_eq!(fair_share(vec![50, 10, 50], 70), 30);
        assert_eq!(fair_share(vec![50, 10, 50], 110), u64::MAX);
        assert_eq!(fair_share(vec![5, 5], 0), 0);
    }
}
