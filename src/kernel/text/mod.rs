//! Text helpers: checks, invisible characters, code in Markdown, conversion to one line, truncation.

pub(super) mod check;
pub(super) mod invisible_chars;
pub(super) mod markdown_code;
pub(super) mod single_line;
pub(super) mod truncate;
