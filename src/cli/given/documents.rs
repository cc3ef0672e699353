//! The documents of one source, one after the other: a whole file, or its lines.
//!
//! Sources are unpacked as they are read, and only lines of bounded length are kept, so that a document is in memory and not its source.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use planfuzz_core::json::Json;

use super::{Given, INPUT_NAME, Source};
use crate::cli::error::CliError;
use crate::cli::files::{self, MAX_CASE};
use crate::cli::output::{self, DIM, styled};

/// The first bytes of a compressed stream.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// The documents of one source.
pub(super) enum Documents {
    Done,
    /// The whole source is one document.
    Whole(Given),
    Lines(Lines),
}

/// A document in each line.
pub(super) struct Lines {
    from: Box<dyn BufRead + Send>,
    name: PathBuf,
    number: usize,
    /// Lines that were read ahead to decide whether the source is one document.
    ahead: Vec<(usize, Vec<u8>)>,
    /// In Markdown only lines within `jsonl` fences are read.
    fence: Fence,
    /// The only line to read.
    only: Option<usize>,
}

/// The position of a reader in a Markdown file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fence {
    None,
    Outside,
    Inside,
}

impl Documents {
    pub(super) fn open(source: Source) -> Documents {
        let (name, only) = match &source {
            Source::Input => (PathBuf::from(INPUT_NAME), None),
            Source::File(path) => (path.clone(), None),
            Source::Line(path, line) => (path.clone(), Some(*line)),
        };
        if matches!(source, Source::Input) && io::stdin().is_terminal() {
            output::report_once(&styled(
                DIM,
                "cases are read from the terminal: a document, or one in each line, then the end of input",
            ));
        }
        let opened = open(&source).map_err(|problem| files::unreadable(&name, &problem));
        match opened.and_then(|from| Documents::begin(from, &source, &name, only)) {
            Ok(documents) => documents,
            Err(problem) => Documents::Whole(Given { place: name, is_line: false, bytes: Err(problem) }),
        }
    }

    fn begin(
        mut from: Box<dyn BufRead + Send>,
        source: &Source,
        name: &Path,
        only: Option<usize>,
    ) -> Result<Documents, CliError> {
        let unreadable = |problem: io::Error| files::unreadable(name, &problem);
        let begins = from.fill_buf().map_err(unreadable)?;
        let is_artifact = matches!(source, Source::File(path) if files::is_artifact(path));
        if !is_artifact {
            files::refuse_encoding(name, &begins[..begins.len().min(4)])?;
        }
        let may_be_lines = begins.first() == Some(&b'{');
        let is_markdown = name.extension().is_some_and(|extension| extension == "md");
        let fence = if is_markdown { Fence::Outside } else { Fence::None };
        let mut lines = Lines { from, name: name.to_owned(), number: 0, ahead: Vec::new(), fence, only };
        if files::is_lines(name) || is_markdown || only.is_some() {
            return Ok(Documents::Lines(lines));
        }
        if !may_be_lines || is_artifact {
            let bytes = whole(Vec::new(), lines.from, name)?;
            return Ok(Documents::Whole(Given { place: name.to_owned(), is_line: false, bytes: Ok(bytes) }));
        }
        // If the first line is a document and another line follows, each line is a document.
        let Some((number, first)) = lines.line().map_err(unreadable)? else { return Ok(Documents::Done) };
        let first = first.map_err(|TooLong| too_large(name))?;
        if Json::parse_bytes(&first).is_err() {
            let mut head = first;
            head.push(b'\n');
            let bytes = whole(head, lines.from, name)?;
            return Ok(Documents::Whole(Given { place: name.to_owned(), is_line: false, bytes: Ok(bytes) }));
        }
        match lines.line().map_err(unreadable)? {
            None => Ok(Documents::Whole(Given { place: name.to_owned(), is_line: false, bytes: Ok(first) })),
            Some((next, second)) => {
                let second = second.map_err(|TooLong| too_large(name))?;
                lines.ahead = vec![(next, second), (number, first)];
                Ok(Documents::Lines(lines))
            }
        }
    }
}

/// The line is too long.
struct TooLong;

fn too_large(name: &Path) -> CliError {
    CliError::input(format!("{}: expected at most {} MiB, found more", name.display(), MAX_CASE >> 20))
}

fn open(source: &Source) -> io::Result<Box<dyn BufRead + Send>> {
    let path = match source {
        Source::Input => {
            let mut input = BufReader::new(io::stdin());
            let is_packed = input.fill_buf()?.starts_with(&GZIP);
            return Ok(if is_packed { unpacked(input) } else { Box::new(input) });
        }
        Source::File(path) | Source::Line(path, _) => path,
    };
    let file = BufReader::new(File::open(path)?);
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if is_packed { unpacked(file) } else { Box::new(file) })
}

fn unpacked(packed: impl Read + Send + 'static) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::new(MultiGzDecoder::new(packed)))
}

fn whole(mut head: Vec<u8>, from: impl Read, name: &Path) -> Result<Vec<u8>, CliError> {
    let room = (MAX_CASE + 1).saturating_sub(head.len() as u64);
    from.take(room).read_to_end(&mut head).map_err(|problem| files::unreadable(name, &problem))?;
    if head.len() as u64 > MAX_CASE { Err(too_large(name)) } else { Ok(head) }
}

/// A line and its number, from 1.
type Numbered = (usize, Result<Vec<u8>, TooLong>);

impl Lines {
    /// The next line that is not blank, with its number; `None` at the end.
    fn line(&mut self) -> io::Result<Option<Numbered>> {
        if let Some((number, line)) = self.ahead.pop() {
            return Ok(Some((number, Ok(line))));
        }
        loop {
            let Some(line) = bounded_line(&mut *self.from)? else { return Ok(None) };
            self.number += 1;
            let is_blank = line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty());
            if !is_blank {
                return Ok(Some((self.number, line)));
            }
        }
    }

    /// Whether a line is a document, rather than text around the fences or a fence.
    fn is_inside(&mut self, line: &[u8]) -> bool {
        match (self.fence, line.trim_ascii()) {
            (Fence::None, _) => true,
            (Fence::Outside, b"```jsonl") => {
                self.fence = Fence::Inside;
                false
            }
            (Fence::Inside, b"```") => {
                self.fence = Fence::Outside;
                false
            }
            (fence, _) => fence == Fence::Inside,
        }
    }

    fn next(&mut self) -> Option<Given> {
        loop {
            let (number, line) = match self.line() {
                Ok(line) => line?,
                Err(problem) => {
                    let bytes = Err(files::unreadable(&self.name, &problem));
                    return Some(Given { place: self.name.clone(), is_line: false, bytes });
                }
            };
            if self.only.is_some_and(|only| number < only) || !line.as_ref().map_or(true, |line| self.is_inside(line)) {
                continue;
            }
            if self.only.is_some_and(|only| number > only) {
                return None;
            }
            let place = PathBuf::from(format!("{}:{number}", self.name.display()));
            let bytes = line.map_err(|TooLong| too_large(&place));
            return Some(Given { place, is_line: true, bytes });
        }
    }
}

/// A line without its end; `None` at the end of the input. The content of a line that is too long is dropped.
fn bounded_line(from: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let (mut line, mut is_too_long, mut is_any) = (Vec::new(), false, false);
    loop {
        let buffer = match from.fill_buf() {
            Err(problem) if problem.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            break;
        }
        is_any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_too_long |= (line.len() + part.len()) as u64 > MAX_CASE;
        if is_too_long {
            line = Vec::new()
        } else {
            line.extend_from_slice(part)
        }
        let taken = end.map_or(buffer.len(), |end| end + 1);
        from.consume(taken);
        if end.is_some() {
            break;
        }
    }
    Ok(is_any.then_some(if is_too_long { Err(TooLong) } else { Ok(line) }))
}

impl Iterator for Documents {
    type Item = Given;

    fn next(&mut self) -> Option<Given> {
        match std::mem::replace(self, Documents::Done) {
            Documents::Done => None,
            Documents::Whole(given) => Some(given),
            Documents::Lines(mut lines) => {
                let given = lines.next()?;
                // After an error of the source there are no further lines.
                if given.is_line {
                    *self = Documents::Lines(lines);
                }
                Some(given)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines_of(text: &str, fence: Fence) -> Vec<(String, String)> {
        let from = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let lines = Lines { from, name: "f".into(), number: 0, ahead: Vec::new(), fence, only: None };
        let read = |given: Given| {
            let text = String::from_utf8(given.bytes.expect("a line")).expect("text");
            (given.place.display().to_string(), text)
        };
        Documents::Lines(lines).map(read).collect()
    }

    #[test]
    fn lines_have_their_numbers_and_blank_ones_are_passed_over() {
        let named = |place: &str, text: &str| (place.to_owned(), text.to_owned());
        assert_eq!(
            lines_of("{}\n\n [1]\r\n{", Fence::None),
            [named("f:1", "{}"), named("f:3", " [1]\r"), named("f:4", "{")]
        );
        assert_eq!(lines_of("text\n```jsonl\n{}\n```\n{}\n", Fence::Outside), [named("f:3", "{}")]);
        assert_eq!(lines_of("", Fence::None), []);
    }
}
