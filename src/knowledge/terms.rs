//! What a text is found by: its words in lower case with their English stems, and of Chinese, Japanese and Korean, which have
//! no blanks between words, every character and every two that stand together.

use std::collections::BTreeSet;
use std::fmt;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

/// Higher than before where a text gets other terms than before, as by a newer stemmer: what has those of an earlier edition
/// gets its terms anew.
pub const EDITION: u32 = 2;

/// Characters of a term; what is longer is no word, and its beginning will do.
const LONGEST: usize = 64;
/// Different terms of a query that are looked for.
const ASKED: usize = 64;

/// A word, a stem, a character or two: letters and digits alone, so that it can be part of no query language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(String);

impl Term {
    /// One that no text has by itself, as characters of Chinese and digits are never one term: where something is, to be
    /// looked for together with words.
    pub(crate) fn of_place(letter: char, number: impl fmt::Display) -> Self {
        Self(format!("{letter}{number}"))
    }

    /// The term as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// All terms of a text, as often as they are in it.
pub fn terms(text: &str) -> Vec<Term> {
    let mut terms = vec![];
    each_run(text, |run, unspaced| {
        if !unspaced {
            terms.extend(forms(run));
            return;
        }
        terms.extend(run.iter().map(|letter| Term(letter.to_string())));
        terms.extend(pairs(run));
    });
    terms
}

/// The terms that a query looks for, each once. Of characters that stand together only the pairs: one of them alone, as 的, is in
/// nearly every text.
pub fn asked(query: &str) -> Vec<Term> {
    let (mut seen, mut asked) = (BTreeSet::new(), vec![]);
    each_run(query, |run, unspaced| {
        let terms: Vec<Term> = if unspaced && run.len() > 1 { pairs(run).collect() } else { forms(run).collect() };
        asked.extend(terms.into_iter().filter(|term| seen.insert(term.clone())));
    });
    asked.truncate(ASKED);
    asked
}

/// A word, and its stem where that is another one: so all forms of a word find each other, and the same form counts for more.
fn forms(run: &[char]) -> impl Iterator<Item = Term> {
    let word: String = run.iter().take(LONGEST).collect();
    let stem = stem(&word);
    std::iter::once(word).chain(stem).map(Term)
}

/// Other languages with these letters get a stem too; that does no harm, as it stands beside the word.
fn stem(word: &str) -> Option<String> {
    if !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let stem = Stemmer::new(Algorithm::English).stem(word);
    (stem != word).then(|| stem.into_owned())
}

fn pairs(run: &[char]) -> impl Iterator<Item = Term> {
    run.windows(2).map(|pair| Term(pair.iter().collect()))
}

/// Each run of letters and digits that are all of one sort, and whether it is of a script without blanks.
fn each_run(text: &str, mut take: impl FnMut(&[char], bool)) {
    let mut run: Vec<char> = vec![];
    let mut of_run = false;
    // Compatibility composition makes ordinary letters and digits of full-width ones, which Chinese texts are full of.
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

/// Han, kana, hangul.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(terms: Vec<Term>) -> Vec<String> {
        terms.into_iter().map(|term| term.0).collect()
    }

    #[test]
    fn no_text_has_the_term_of_a_place() {
        let place = Term::of_place('库', 7);
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
        assert_eq!(words(asked("Lock lock LOCK")), ["lock"]);
    }

    #[test]
    fn forms_of_an_english_word_have_its_stem_beside_them() {
        assert_eq!(words(terms("Locks")), ["locks", "lock"]);
        assert_eq!(words(asked("locked lock locking")), ["locked", "lock", "locking"]);
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
        assert_eq!(words(asked("登录失败的API")), ["登录", "录失", "失败", "败的", "api"]);
        assert_eq!(words(asked("锁")), ["锁"]);
    }

    #[test]
    fn nothing_but_letters_and_digits_comes_through() {
        let hostile = "\"a\" OR b* NEAR(c, 2) -d ^e {f g}: h' & !i | (j <-> k):*A\\ \0 %_ ; drop table";
        for term in terms(hostile).iter().chain(&asked(hostile)) {
            assert!(term.0.chars().all(char::is_alphanumeric), "{term:?}");
        }
        assert_eq!(words(asked("?! … \u{1f600}")), Vec::<String>::new());
    }

    #[test]
    fn a_term_and_a_query_are_bounded() {
        assert_eq!(terms(&"x".repeat(5_000))[0].0.len(), LONGEST);
        let many: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(asked(&many).len(), ASKED);
    }
}
