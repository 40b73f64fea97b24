//! Cache of token counts. It is needed because every turn sends the conversation to a model again, and counting the
//! tokens of a text takes hundreds of times as long as looking up its digest.

use std::collections::HashMap;

use blake3::Hash;
use parking_lot::Mutex;

use crate::agent::Tokenizer;

/// Maximum number of entries in each of the two generations of the cache.
const MAX_GENERATION_ENTRIES: usize = 16 * 1024;

/// Token counts of recently counted texts.
#[derive(Default)]
pub(crate) struct TokenCountCache(Mutex<CacheGenerations>);

#[derive(Default)]
struct CacheGenerations {
    newer: HashMap<TokenCountKey, u64>,
    older: HashMap<TokenCountKey, u64>,
}

type TokenCountKey = (Tokenizer, Hash);

impl TokenCountCache {
    /// Returns the number of tokens in `text` for this tokenizer.
    pub(crate) fn count(&self, tokenizer: Tokenizer, text: &str) -> u64 {
        if matches!(tokenizer, Tokenizer::Estimate | Tokenizer::Claude) || text.is_empty() {
            return tokenizer.count(text);
        }
        let key = (tokenizer, blake3::hash(text.as_bytes()));
        let known = self.0.lock().get(&key);
        known.unwrap_or_else(|| {
            let tokens = tokenizer.count(text);
            self.0.lock().insert(key, tokens);
            tokens
        })
    }
}

impl CacheGenerations {
    fn get(&mut self, key: &TokenCountKey) -> Option<u64> {
        if let Some(tokens) = self.newer.get(key) {
            return Some(*tokens);
        }
        let tokens = self.older.remove(key)?;
        self.insert(*key, tokens);
        Some(tokens)
    }

    /// Stores a count. If the newer generation is full, it replaces the older one, which drops the entries that were
    /// not read since the last replacement.
    fn insert(&mut self, key: TokenCountKey, tokens: u64) {
        if self.newer.len() == MAX_GENERATION_ENTRIES {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_the_tokenizers_the_second_time_too() {
        let (counts, long) = (TokenCountCache::default(), "What was said before counts. ".repeat(20));
        for text in [&long, "short", ""] {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate, Tokenizer::Claude] {
                let once = counts.count(tokenizer, text);
                assert_eq!((once, counts.count(tokenizer, text)), (tokenizer.count(text), once), "{text}");
            }
        }
        assert_eq!(counts.0.lock().newer.len(), 4, "of both texts, by each vocabulary");
    }

    #[test]
    fn used_entries_stay_and_the_cache_is_bounded() {
        let mut kept = CacheGenerations::default();
        let key = |number: usize| (Tokenizer::O200k, blake3::hash(&number.to_be_bytes()));
        for number in 0..MAX_GENERATION_ENTRIES * 5 {
            kept.insert(key(number + 1), 1);
            if number % 1000 == 0 {
                kept.insert(key(0), 7);
            }
            assert_eq!(kept.get(&key(0)), Some(7));
        }
        assert!(kept.newer.len() <= MAX_GENERATION_ENTRIES && kept.older.len() <= MAX_GENERATION_ENTRIES);
        assert_eq!(kept.get(&key(1)), None);
    }
}
