//! Pagination of lists: `after` and `limit` select a page, and `next` is the `after` of the following page.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Query of a page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageParameters {
    /// `next` of the previous page. If absent, the first page.
    pub(super) after: Option<String>,
    /// Maximum number of items. Default and maximum are `http.max_page_size`.
    limit: Option<u32>,
}

impl PageParameters {
    /// Returns the maximum number of items on the page. The default is the largest page, which fits a typical list
    /// completely.
    pub(super) fn limit(&self, node: &Node) -> Result<u32, Problem> {
        node.page(self.limit.or(Some(node.config.http.max_page_size)))
    }
}

/// Cuts a list to one page, and returns the last item if there is another page. The list must have been read with
/// `limit` + 1 as its limit.
pub(super) fn truncate_page<T>(read: &mut Vec<T>, limit: u32) -> Option<&T> {
    let more = read.len() > limit as usize;
    read.truncate(limit as usize);
    read.last().filter(|_| more)
}

/// Returns the error for a position that is not the `next` of an earlier page.
pub(super) fn unknown_position(parameter: &str) -> Problem {
    Problem::new(Code::InvalidArgument, format!("invalid {parameter}; use the next of an earlier page"))
}
