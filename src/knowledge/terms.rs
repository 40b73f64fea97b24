//! Splits text into search terms: words in lower case with their English stems, or, for Chinese, Japanese and Korean,
//! which have no spaces between words, every character and every pair of adjacent characters.

use std::collections::BTreeSet;
use std::fmt;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

/// Version of the term splitter. Increase it when the terms of a text change, for example because of a newer stemmer:
/// texts of an earlier edition are then re-indexed.
pub const EDITION: u32 = 2;

/// Maximum number of characters in a term. A longer one is not a word, and is cut.
const MAX_TERM_CHARS: usize = 64;
/// Maximum number of distinct terms in a query.
const MAX_QUERY_TERMS: usize = 64;

/// Search term: a word, a stem, a character or a pair. It consists of letters and digits, so that it cannot contain the
/// syntax of a query language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchTerm(String);

impl SearchTerm {
    /// Creates a term from a Chinese character and the number of a passage's base or session, so that a search can be
    /// limited to that base or session. No text contains such a term, because Chinese characters and digits never form
    /// one term.
    pub(crate) fn of_place(letter: char, number: impl fmt::Display) -> Self {
        Self(format!("{letter}{number}"))
    }

    /// Returns the term as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns all terms of a text, with repetitions.
pub fn terms(text: &str) -> Vec<SearchTerm> {
    let mut terms = vec![];
    each_run(text, |run, unspaced| {
        if !unspaced {
            terms.extend(word_forms(run));
            return;
        }
        terms.extend(run.iter().map(|letter| SearchTerm(letter.to_string())));
        terms.extend(bigrams(run));
    });
    terms
}

/// Returns the distinct terms of a query. For adjacent Chinese, Japanese or Korean characters, returns only the pairs,
/// because a single character, such as 的, occurs in nearly every text.
pub fn query_terms(query: &str) -> Vec<SearchTerm> {
    let (mut seen, mut distinct) = (BTreeSet::new(), vec![]);
    each_run(query, |run, unspaced| {
        let terms: Vec<SearchTerm> =
            if unspaced && run.len() > 1 { bigrams(run).collect() } else { word_forms(run).collect() };
        distinct.extend(terms.into_iter().filter(|term| seen.insert(term.clone())));
    });
    distinct.truncate(MAX_QUERY_TERMS);
    distinct
}

/// Returns a word, and its stem if it differs, so that all forms of a word match each other and the same form weighs
/// more.
fn word_forms(run: &[char]) -> impl Iterator<Item = SearchTerm> {
    let word: String = run.iter().take(MAX_TERM_CHARS).collect();
    let stem = stem(&word);
    std::iter::once(word).chain(stem).map(SearchTerm)
}

/// Returns the English stem of a word, if it differs. Words of other languages that use these letters get a stem too,
/// which is harmless because the word itself is also a term.
fn stem(word: &str) -> Option<String> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let stem = Stemmer::new(Algorithm::English).stem(word);
    (stem != word).then(|| stem.into_owned())
}

fn bigrams(run: &[char]) -> impl Iterator<Item = SearchTerm> {
    run.windows(2).map(|pair| SearchTerm(pair.iter().collect()))
}

/// Calls `take` for each run of letters and digits of one kind. The second argument is true if the run's script is
/// written without spaces between words.
fn each_run(text: &str, mut take: impl FnMut(&[char], bool)) {
    let mut run: Vec<char> = vec![];
    let mut of_run = false;
    // Compatibility composition converts full-width letters and digits, which are common in Chinese text, to ordinary
    // ones.
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        let unspaced = is_unspaced(letter);
        if !run.is_empty() && (!letter.is_alphanumeric() || unspaced != of_run) {
            take(&run, of_run);
            run.clear();
        }
        if letter.is_alphanumeric() {
            run.push(letter);
            of_run = unspaced;
        }
    }
    if !run.is_empty() {
        take(&run, of_run);
    }
}

/// Returns whether a character is Han, kana or hangul, which are written without spaces.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(terms: Vec<SearchTerm>) -> Vec<String> {
        terms.into_iter().map(|term| term.0).collect()
    }

    #[test]
    fn no_text_has_the_term_of_a_place() {
        let place = SearchTerm::of_place('库', 7);
        for text in ["库7", "b7", "库 7", "知识库7号"] {
            assert!(!terms(text).contains(&place), "{text}");
        }
    }

    #[test]
    fn words_are_told_apart_in_any_case() {
        assert_eq!(
            words(terms("The user_id of Ærøskøbing, v2.1!")),
            ["the", "user", "id", "of", "ærøskøbing", "v2", "1"]
        );
        assert_eq!(words(terms("ＡＰＩ ﬁrm")), ["api", "firm"]);
        assert_eq!(words(query_terms("Lock lock LOCK")), ["lock"]);
    }

    #[test]
    fn forms_of_an_english_word_have_its_stem_beside_them() {
        assert_eq!(words(terms("Locks")), ["locks", "lock"]);
        assert_eq!(words(query_terms("locked lock locking")), ["locked", "lock", "locking"]);
        assert_eq!(words(terms("policies naïveties v2s 锁s")), ["policies", "polici", "naïveties", "v2s", "锁", "s"]);
        let stems = |word: &str| words(terms(word)).pop();
        for forms in
            [["policy", "policies"], ["transfer", "transferred"], ["index", "indexing"], ["happiness", "happy"]]
        {
            assert_eq!(stems(forms[0]), stems(forms[1]), "{forms:?}");
        }
    }

    #[test]
    fn scripts_without_blanks_give_characters_and_pairs() {
        assert_eq!(words(terms("调用API接口")), ["调", "用", "调用", "api", "接", "口", "接口"]);
        assert_eq!(words(query_terms("登录失败的API")), ["登录", "录失", "失败", "败的", "api"]);
        assert_eq!(words(query_terms("锁")), ["锁"]);
    }

    #[test]
    fn nothing_but_letters_and_digits_comes_through() {
        let hostile = "\"a\" OR b* NEAR(c, 2) -d ^e {f g}: h' & !i | (j <-> k):*A\\ \0 %_ ; drop table";
        for term in terms(hostile).iter().chain(&query_terms(hostile)) {
            assert!(term.0.chars().all(char::is_alphanumeric), "{term:?}");
        }
        assert_eq!(words(query_terms("?! … \u{1f600}")), Vec::<String>::new());
    }

    #[test]
    fn a_term_and_a_query_are_bounded() {
        assert_eq!(terms(&"x".repeat(5_000))[0].0.len(), MAX_TERM_CHARS);
        let many: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(query_terms(&many).len(), MAX_QUERY_TERMS);
    }
}
