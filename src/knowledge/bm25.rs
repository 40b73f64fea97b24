//! Ranking of candidate passages with BM25.

use std::collections::BTreeMap;

use super::{CandidatePassage, SearchTerm, terms};

/// Parameters of BM25 with their usual values: saturation of repeated terms (`K1`), and weight of the passage length
/// (`B`).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Candidate passage with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageHit {
    /// The passage.
    pub found: CandidatePassage,
    /// Score. Higher is better; scores are comparable only within one result.
    pub score: f64,
}

/// Returns up to `limit` candidates with the best BM25 scores, best first. Terms that occur in few candidates weigh
/// more. Candidates without any query term are left out. Candidates with equal scores are in the order of their sources
/// and lines.
pub fn rank(query_terms: &[SearchTerm], found: Vec<CandidatePassage>, limit: usize) -> Vec<PassageHit> {
    let counted: Vec<(BTreeMap<&SearchTerm, f64>, f64)> =
        found.iter().map(|found| count_terms(query_terms, &found.text)).collect();
    #[allow(clippy::cast_precision_loss, reason = "a few hundred passages")]
    let all = counted.len() as f64;
    let usual = counted.iter().map(|(_, length)| length).sum::<f64>() / all.max(1.0);
    #[allow(clippy::cast_precision_loss, reason = "a few hundred passages")]
    let having = |term: &SearchTerm| counted.iter().filter(|(counts, _)| counts.contains_key(term)).count() as f64;
    let weights: BTreeMap<&SearchTerm, f64> = query_terms
        .iter()
        .map(|term| (term, having(term)))
        .map(|(term, having)| (term, (1.0 + (all - having + 0.5) / (having + 0.5)).ln()))
        .collect();
    let score = |(counts, length): &(BTreeMap<&SearchTerm, f64>, f64)| -> f64 {
        let long = K1 * (1.0 - B + B * length / usual.max(1.0));
        counts.iter().map(|(term, count)| weights[term] * count * (K1 + 1.0) / (count + long)).sum()
    };
    let mut hits: Vec<PassageHit> =
        found.into_iter().zip(&counted).map(|(found, counted)| PassageHit { found, score: score(counted) }).collect();
    hits.retain(|hit| hit.score > 0.0);
    let place = |hit: &PassageHit| (hit.found.source.clone(), hit.found.line);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
    hits.truncate(limit);
    hits
}

/// Returns the number of occurrences of each query term in a passage, and the passage's number of terms.
fn count_terms<'a>(query_terms: &'a [SearchTerm], text: &str) -> (BTreeMap<&'a SearchTerm, f64>, f64) {
    let (mut counts, terms) = (BTreeMap::new(), terms(text));
    for term in &terms {
        if let Some(term) = query_terms.iter().find(|query_terms| *query_terms == term) {
            *counts.entry(term).or_default() += 1.0;
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "a few thousand terms")]
    let length = terms.len() as f64;
    (counts, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::{PassageSource, query_terms};

    fn order(query: &str, passages: &[&str]) -> Vec<usize> {
        let found = |(line, text): (u32, &&str)| {
            let source = PassageSource::Content { digest: "d".into() };
            CandidatePassage { source, line, text: (*text).into() }
        };
        let found = (0..).zip(passages).map(found).collect();
        rank(&query_terms(query), found, 10).into_iter().map(|hit| hit.found.line as usize).collect()
    }

    #[test]
    fn more_of_the_query_comes_first_and_what_has_none_of_it_is_left_out() {
        assert_eq!(order("account lock", &["the account", "an account lock", "nothing"]), [1, 0]);
        assert_eq!(order("账户锁定", &["账户的余额", "连续失败后锁定账户", "天气"]), [1, 0]);
    }

    #[test]
    fn rare_terms_count_for_more_than_common_ones() {
        let passages = ["how does the weather", "how does the tide", "the lockout", "how does the sun"];
        assert_eq!(order("how does the lockout", &passages)[0], 2);
    }

    #[test]
    fn a_short_passage_beats_a_long_one_and_equals_keep_their_order() {
        let long = format!("lock {}", "and many other words ".repeat(20));
        assert_eq!(order("lock", &[&long, "lock it", "lock it"]), [1, 2, 0]);
    }
}
