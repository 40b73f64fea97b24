//! Lists, a page at a time: `after` and `limit` ask for one, and `next` says what `after` has to be for the one behind it.

use serde::Deserialize;

use crate::node::Node;
use crate::protocol::{Code, Problem};

/// The page of a list that is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// Where the page begins; absent: at the beginning.
    pub(super) after: Option<String>,
    limit: Option<u32>,
}

impl Asked {
    /// Items on the page: as many as a page may have where nothing is said, which is all of a usual list.
    pub(super) fn limit(&self, node: &Node) -> Result<u32, Problem> {
        node.page(self.limit.or(Some(node.config.http.page_at_most)))
    }
}

/// The last item of the page where there is another page. What was read is one item more than the page has, if there are
/// as many, and is cut to it.
pub(super) fn last_before_more<T>(read: &mut Vec<T>, limit: u32) -> Option<&T> {
    let more = read.len() > limit as usize;
    read.truncate(limit as usize);
    read.last().filter(|_| more)
}

/// Where a page should begin is nothing that an earlier one said.
pub(super) fn unknown_place(parameter: &str) -> Problem {
    Problem::new(Code::InvalidArgument, format!("{parameter} is what an earlier page's next says"))
}
