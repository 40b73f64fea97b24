//! Text helpers: checks, invisible characters, code in Markdown, truncation.

pub(super) mod check;
pub(super) mod invisible_chars;
pub(super) mod markdown_code;
pub(super) mod truncate;
