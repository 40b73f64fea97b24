//! `code_read`: lines of a file.

use std::{
    ffi::OsStr,
    fmt::Write,
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CodeSettings,
    bases::{Bases, Found, unreachable},
    matches,
};
use crate::tool::{Output, Place, Spec, Tool, ToolError, arguments};

/// Bytes in which a zero byte makes a file a binary one, as git looks for it.
const BEGINNING: usize = 8000;

/// What `code_read` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, beginning with a code base's name: `server/src/main.rs`.
    path: String,
    /// The first line to read, counted from 1; absent: 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// How many lines; absent: as many as one call reads.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// The tool.
pub(super) struct Read {
    bases: Bases,
    spec: Spec,
}

impl Read {
    pub(super) fn new(bases: Bases) -> Self {
        let words = "Reads lines of a text file in a code base, each with its number and a tab before it.";
        let spec = bases.settings.spec("code_read", words, arguments::schema::<Arguments>());
        Self { bases, spec }
    }
}

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    async fn call(&self, at: &Place, arguments: Value) -> Result<Output, ToolError> {
        let asked: Arguments = arguments::read(arguments)?;
        let at = at.clone();
        let read = self.bases.work(move |bases, _| {
            let (folder, name) = match bases.find(&at, &asked.path)? {
                Found::File(folder, name) => (folder, name),
                Found::Folder(_) | Found::Top(_) => {
                    let words = format!("`{}` is a folder; see what is in it with code_list", asked.path);
                    return Err(ToolError::new("not_found", words));
                }
            };
            let path = folder.path_of(OsStr::new(&name));
            let (file, bytes) = folder.file(OsStr::new(&name)).map_err(|error| unreachable(&path, &error))?;
            let most = bases.settings.file_bytes;
            if bytes > most {
                let words = format!("`{path}` has {bytes} bytes; no file of more than {most} is read");
                return Err(ToolError::new("too_large", words));
            }
            lines(file, &path, &asked, &bases.settings).map_err(|error| unreachable(&path, &error))
        });
        Ok(read.await?.into())
    }
}

/// The lines that were asked for, and where they end.
fn lines(file: File, path: &str, asked: &Arguments, settings: &CodeSettings) -> io::Result<String> {
    // The file may have grown since its size was read.
    let mut file = BufReader::with_capacity(64 * 1024, file.take(settings.file_bytes));
    let beginning = file.fill_buf()?;
    if beginning[..beginning.len().min(BEGINNING)].contains(&0) {
        return Ok(format!("[`{path}` is a binary file and is not shown]"));
    }
    let first = asked.offset.unwrap_or(1).max(1);
    let most = asked.limit.unwrap_or(usize::MAX).min(settings.lines);
    let (mut text, mut line, mut number, mut shown) = (String::new(), vec![], 0, 0);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        let room = shown < most && text.len() < settings.answer_bytes.saturating_sub(settings.line_bytes);
        if number >= first && room && shown == number - first {
            shown += 1;
            let words = matches::cut(&line, 0, settings.line_bytes);
            let _ = writeln!(text, "{number}\t{words}");
        }
    }
    let last = first + shown.saturating_sub(1);
    let _ = match (shown, number) {
        (_, 0) => write!(text, "[`{path}` is empty]"),
        (0, _) => write!(text, "[`{path}` has {number} lines; there is no line {first}]"),
        _ if last < number => {
            write!(text, "[lines {first} to {last} of {number}; go on with offset {}]", last + 1)
        }
        _ => write!(text, "[lines {first} to {last} of {number}, the end]"),
    };
    Ok(text)
}
