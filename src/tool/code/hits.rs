//! Matches of a search so far, and search in a single file.

use std::{
    ffi::OsStr,
    fmt::Write,
    io::{self, Read},
};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use parking_lot::Mutex;

use super::{
    CodeSettings, folder::Folder, glob, limited_reader::LimitedReader, pattern::Pattern, worker_thread::Deadline,
};
use crate::agent::to_single_line;
use crate::kernel::CallGuard;

/// Matches that all threads have found, within the limits of one search.
pub(super) struct CodeHits<'a> {
    settings: &'a CodeSettings,
    stop: &'a Deadline,
    guard: &'a CallGuard,
    found: Mutex<CodeHitsState>,
}

#[derive(Default)]
struct CodeHitsState {
    files: Vec<(String, String)>,
    matches: usize,
    bytes: usize,
    enough: bool,
    searched: usize,
    binary: usize,
    large: Vec<String>,
    /// Number of lines that were not searched to the end, and the first file, by path, with such a line.
    cut: Option<(usize, String)>,
    unread: usize,
    barred: usize,
}

impl<'a> CodeHits<'a> {
    pub(super) fn new(settings: &'a CodeSettings, stop: &'a Deadline, guard: &'a CallGuard) -> Self {
        Self { settings, stop, guard, found: Mutex::default() }
    }

    /// Reserves room for this many bytes and matches in the result. Returns true if there was room; otherwise, ends the
    /// search and returns false.
    fn admit(&self, bytes: usize, matches: usize) -> bool {
        let mut found = self.found.lock();
        let room = found.matches + matches <= self.settings.max_matches
            && found.bytes + bytes <= self.settings.max_output_bytes;
        if room {
            found.matches += matches;
            found.bytes += bytes;
        } else {
            found.enough = true;
            self.stop.end();
        }
        room
    }

    /// Formats the result: the matches in the order of their paths, then notes about the files and lines that were left
    /// out.
    pub(super) fn render(self, skipped_folders: usize) -> String {
        let mut found = self.found.into_inner();
        found.files.sort_unstable();
        let mut text: String = found.files.iter().map(|(_, lines)| lines.as_str()).collect();
        let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        let matched = count(found.matches, "match", "matches");
        let _ =
            write!(text, "[{matched} in {}, {} searched", count(found.files.len(), "file", "files"), found.searched);
        if found.enough {
            text.push_str("; there are more: use a folder, a glob or a narrower pattern");
        } else if self.stop.late() {
            text.push_str("; then the time limit was reached: use a folder or a glob");
        }
        text.push(']');
        if found.binary > 0 {
            let _ = write!(text, "\n[{}]", count(found.binary, "binary file left out", "binary files left out"));
        }
        if let Some(first) = found.large.iter().min().map(|first| to_single_line(first)) {
            let left_out = count(found.large.len(), "file", "files");
            let max_bytes = self.settings.max_file_bytes;
            let _ = write!(text, "\n[{left_out} of more than {max_bytes} bytes left out, as `{first}`]");
        }
        if let Some((lines, first)) = found.cut.map(|(lines, first)| (lines, to_single_line(&first))) {
            let lines = count(lines, "line was", "lines were");
            let _ = write!(
                text,
                "\n[{lines} too long for this pattern and not searched to the end, as in `{first}`; a simpler pattern \
                 reaches further]"
            );
        }
        let unread = found.unread + skipped_folders;
        if unread > 0 {
            let _ = write!(text, "\n[{} could not be read]", count(unread, "file or folder", "files or folders"));
        }
        if found.barred > 0 {
            let left_out = count(found.barred, "file", "files");
            let _ = write!(text, "\n[{left_out} left out: the rules ask before they are read, or do not allow it]");
        }
        text
    }
}

/// Searches files on one thread.
pub(super) struct FileSearcher<'a> {
    hits: &'a CodeHits<'a>,
    pattern: &'a Pattern,
    searcher: Searcher,
}

impl<'a> FileSearcher<'a> {
    pub(super) fn new(hits: &'a CodeHits<'a>, pattern: &'a Pattern, context: usize) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .before_context(context)
            .after_context(context)
            .line_number(true)
            .build();
        Self { hits, pattern, searcher }
    }

    /// Searches one file.
    pub(super) fn read(&mut self, folder: &Folder, name: &OsStr) {
        let max_bytes = self.hits.settings.max_file_bytes;
        let path = || folder.path_of(name);
        if self.hits.guard.blocks_code_content(&path()) {
            return self.hits.found.lock().barred += 1;
        }
        let file = match folder.file(name) {
            Ok((_, bytes)) if bytes > max_bytes => return self.hits.found.lock().large.push(path()),
            Ok((file, _)) => file,
            Err(_) => return self.hits.found.lock().unread += 1,
        };
        let matcher = &self.pattern.matcher;
        let mut lines = MatchSink { hits: self.hits, matcher, path, text: String::new(), binary: false };
        // The file can have grown since its size was read.
        let mut pieces = LimitedReader::new(file.take(max_bytes), self.pattern.max_piece_bytes, self.hits.stop);
        let read = self.searcher.search_reader(matcher, &mut pieces, &mut lines);
        let (text, binary, cut_lines) = (lines.text, lines.binary, pieces.cut_lines);
        let mut found = self.hits.found.lock();
        if cut_lines > 0 {
            let path = folder.path_of(name);
            let (lines, first) = found.cut.take().unwrap_or_else(|| (0, path.clone()));
            found.cut = Some((lines + cut_lines, first.min(path)));
        }
        found.searched += 1;
        found.binary += usize::from(binary);
        found.unread += usize::from(read.is_err());
        if !text.is_empty() {
            found.files.push((folder.path_of(name), text));
        }
    }
}

/// The matching lines of one file.
struct MatchSink<'a, P> {
    hits: &'a CodeHits<'a>,
    matcher: &'a RegexMatcher,
    path: P,
    text: String,
    binary: bool,
}

impl<P: Fn() -> String> Sink for MatchSink<'_, P> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let from = self.matcher.find(line.bytes()).ok().flatten().map_or(0, |found| found.start());
        let shown = glob::line_excerpt(line.bytes(), from, self.hits.settings.max_line_bytes);
        let number = line.line_number().unwrap_or_default();
        let line = format!("{}:{number}: {shown}\n", to_single_line(&(self.path)()));
        if !self.hits.admit(line.len(), 1) {
            return Ok(false);
        }
        self.text.push_str(&line);
        Ok(!self.hits.stop.over())
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let shown = glob::line_excerpt(line.bytes(), 0, self.hits.settings.max_line_bytes);
        let number = line.line_number().unwrap_or_default();
        let line = format!("{}-{number}- {shown}\n", to_single_line(&(self.path)()));
        if !self.hits.admit(line.len(), 0) {
            return Ok(false);
        }
        self.text.push_str(&line);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.text.push_str("--\n");
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}
