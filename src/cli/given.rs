//! The input of a command: cases and vectors in files, folders, JSON Lines, compressed or not, and standard input.
//!
//! Documents are read one after the other, so that a command has one of them in memory however many there are, and a malformed one hides no
//! other. Each has a place, which errors and results report, and which a command accepts as an argument: `scenarios.jsonl.gz:12` is a line of a
//! file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field as _, Json, JsonError};

use super::error::CliError;
use super::files::{self, MAX_CASE};
use super::output::{self, DIM, styled};
use crate::case::{Case, CaseFile, KeptFinding, Task, Vector};
use crate::fuzz::{Document, wire};

/// The argument for standard input.
const INPUT: &str = "-";

/// The name of standard input in messages.
const INPUT_NAME: &str = "standard input";

/// The member by which findings of providers are known, in builds without the crate that reads them too.
const PROVIDER_CASE: &str = "provider_case";

/// The first bytes of a compressed stream.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// A source of documents.
#[derive(Clone, Debug)]
enum Source {
    Input,
    File(PathBuf),
    /// One line of a file.
    Line(PathBuf, usize),
}

/// The sources of a command's documents, in the order of its arguments.
#[derive(Clone, Debug)]
pub struct Sources(Vec<Source>);

/// A document with its place.
pub struct Given {
    /// Its place: a file, a line of one, or standard input.
    pub place: PathBuf,
    /// Whether it is one of the lines of a source.
    pub is_line: bool,
    /// The bytes, or why they could not be read.
    bytes: Result<Vec<u8>, CliError>,
}

/// The kind of a document.
pub enum Kind {
    /// A case.
    Case(Box<CaseFile>),
    /// The call of a vector, which is asked anew, with the vector's id.
    Call(String, Box<Case>),
    /// A document for a reader of bytes, with the finding in its file.
    Codec(Document<'static>, Option<KeptFinding>),
}

/// The error without cases, and its hint.
const NO_CASES: (&str, &str) =
    ("expected cases, found none", "name a .json or .jsonl file, a folder of them, or - for standard input");

/// The files of cases below a path. Files of JSON Lines are skipped beside files of one case each, with a message: their lines are many,
/// and some are no cases.
fn files_of_cases(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut found = files::finding_files(paths)?;
    let others = files::files_below(paths, &[".jsonl"])?;
    let passed: Vec<PathBuf> = others.into_iter().filter(|path| !found.contains(path)).collect();
    if found.is_empty() {
        return Ok(passed);
    }
    if !passed.is_empty() {
        let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let text = format!(
            "{}: {} of JSON Lines not read: name them to have them read",
            named.join(", "),
            output::counted(passed.len() as u64, "file")
        );
        output::report_once(&styled(DIM, text));
    }
    found.sort();
    Ok(found)
}

impl Sources {
    /// The sources of cases: below folders every `.json` and the artifacts of fuzzers, or every `.jsonl` if there are none of these.
    ///
    /// # Errors
    /// A path that does not exist, and no cases.
    pub fn of_cases(paths: &[PathBuf]) -> Result<Sources, CliError> {
        Sources::of(paths, files_of_cases)?.or_none(NO_CASES.0, NO_CASES.1)
    }

    /// The sources of cases, and of vectors to be asked anew: below folders every `.json` and `.jsonl`.
    ///
    /// # Errors
    /// As [`Sources::of_cases`].
    pub fn of_both(paths: &[PathBuf]) -> Result<Sources, CliError> {
        Sources::of(paths, |paths| files::files_below(paths, &[".json", ".jsonl"]))?.or_none(NO_CASES.0, NO_CASES.1)
    }

    /// The sources of vectors: below folders every `.jsonl`, compressed or not, and every `.md`.
    ///
    /// # Errors
    /// As [`Sources::of_cases`].
    pub fn of_vectors(paths: &[PathBuf]) -> Result<Sources, CliError> {
        let sources = Sources::of(paths, |paths| files::files_below(paths, &[".jsonl", ".md"]))?;
        sources.or_none(
            "expected vectors, found none",
            "name a .jsonl file, compressed or not, a Markdown file with such, a folder of them, or - for standard input",
        )
    }

    fn of(
        paths: &[PathBuf],
        below: impl Fn(&[PathBuf]) -> Result<Vec<PathBuf>, CliError>,
    ) -> Result<Sources, CliError> {
        let mut sources = Vec::new();
        for path in paths {
            if path == Path::new(INPUT) {
                sources.push(Source::Input);
            } else if let Some((file, line)) = line_of(path) {
                sources.push(Source::Line(file, line));
            } else {
                sources.extend(below(std::slice::from_ref(path))?.into_iter().map(Source::File));
            }
        }
        Ok(Sources(sources))
    }

    fn or_none(self, message: &str, hint: &str) -> Result<Sources, CliError> {
        if self.0.is_empty() { Err(CliError::input(message).with_hint(hint)) } else { Ok(self) }
    }

    /// The file of the first source, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self.0.first() {
            Some(Source::File(path)) => Some(path),
            _ => None,
        }
    }

    /// The number of sources.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Each source by itself.
    pub fn each(self) -> impl Iterator<Item = Sources> {
        self.0.into_iter().map(|source| Sources(vec![source]))
    }

    /// The documents of all sources.
    pub fn documents(self) -> impl Iterator<Item = Given> + Send {
        self.0.into_iter().flat_map(Documents::open)
    }

    /// The documents of each source, with the number of sources after it.
    pub fn counted(self) -> impl Iterator<Item = (usize, Given)> {
        let count = self.0.len();
        self.0
            .into_iter()
            .zip(1..)
            .flat_map(move |(source, number)| Documents::open(source).map(move |given| (count - number, given)))
    }
}

/// The only case of a path, for commands that take one.
///
/// # Errors
/// A path without a case, or with several.
pub fn one_case(path: &Path, dialect: Option<Dialect>) -> Result<(PathBuf, CaseFile), CliError> {
    let mut documents = Sources::of_cases(&[path.to_owned()])?.documents();
    let Some(given) = documents.next() else {
        return Err(CliError::input(format!("{}: expected a case, found none", path.display())));
    };
    if documents.next().is_some() {
        let message = format!("{}: expected one case, found several", path.display());
        return Err(CliError::input(message).with_hint("name a file of the folder, or a line as FILE:LINE"));
    }
    let place = given.place.clone();
    given.case(dialect).map(|case| (place, case))
}

/// Splits a place of the form FILE:LINE, unless a file has that very name.
fn line_of(path: &Path) -> Option<(PathBuf, usize)> {
    let (file, line) = path.to_str()?.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!path.exists() && Path::new(file).is_file()).then(|| (PathBuf::from(file), line))
}

/// Whether a place is a line of a file.
pub fn is_line(place: &Path) -> bool {
    line_of(place).is_some()
}

impl Given {
    /// Parses the document; a case gets the given dialect instead of its own if there is one.
    ///
    /// # Errors
    /// A document that could not be read or parsed.
    pub fn read(self, dialect: Option<Dialect>) -> Result<Kind, CliError> {
        let Given { place, is_line, bytes } = self;
        kind_of(bytes?, is_line, dialect).map_err(|problem| match problem {
            Unread::Json(problem) => CliError::in_file(&place, problem),
            Unread::Bytes(problem) => CliError::in_file(&place, problem),
            Unread::OfProvider => {
                let message = format!("{}: expected a case of planners, found a finding of a provider", place.display());
                CliError::input(message).with_hint(
                    "it is minimized already, and a regression case as it is: replay, probe and triage take such files, alone",
                )
            }
        })
    }

    /// The case of the document.
    ///
    /// # Errors
    /// As [`Given::read`], and a document of another kind.
    pub fn case(self, dialect: Option<Dialect>) -> Result<CaseFile, CliError> {
        let place = self.place.clone();
        match self.read(dialect)? {
            Kind::Case(file) => Ok(*file),
            Kind::Call(id, case) => Ok(CaseFile { case: Case { purpose: id, ..*case }, finding: None }),
            Kind::Codec(..) => {
                let message = format!("{}: expected a case, found a document for a reader of bytes", place.display());
                Err(CliError::input(message).with_hint(format!("planfuzz replay {} puts it to that", place.display())))
            }
        }
    }

    /// The vector that the document is.
    ///
    /// # Errors
    /// A document that could not be read or parsed.
    pub fn vector(self) -> Result<Vector, CliError> {
        let place = self.place;
        let bytes = self.bytes?;
        Json::parse_bytes(&bytes).and_then(Vector::from_json).map_err(|problem| CliError::in_file(&place, problem))
    }

    /// Takes the error if the source could not be read; errors of single lines stay, as they hide no others.
    pub fn source_error(&mut self) -> Option<CliError> {
        if self.is_line || self.bytes.is_ok() {
            return None;
        }
        std::mem::replace(&mut self.bytes, Ok(Vec::new())).err()
    }
}

enum Unread {
    Json(JsonError),
    Bytes(wire::WireError),
    /// A finding of a provider, which the planners are not asked about.
    OfProvider,
}

impl From<JsonError> for Unread {
    fn from(problem: JsonError) -> Unread {
        Unread::Json(problem)
    }
}

fn kind_of(bytes: Vec<u8>, is_line: bool, dialect: Option<Dialect>) -> Result<Kind, Unread> {
    let is_text = bytes.first() == Some(&b'{');
    if !is_text
        && !is_line
        && let Some(Document { codec, bytes }) = Document::read(&bytes)
    {
        return Ok(Kind::Codec(Document { codec, bytes: bytes.into_owned().into() }, None));
    }
    let json = wire::document(&bytes).map_err(Unread::Bytes)?;
    if !is_text {
        return Ok(Kind::Case(Box::new(files::case_of(json, dialect)?)));
    }
    if json.member(PROVIDER_CASE).is_some() {
        return Err(Unread::OfProvider);
    }
    if json.member("codec").is_some()
        && let Ok(document) = Document::from_json(&json)
    {
        return Ok(Kind::Codec(document, json.member("finding").map(KeptFinding::read).transpose()?));
    }
    let is_vector = json.member("format").is_none() && (is_line || json.member("want").is_some());
    if is_vector { Ok(asked_anew(json, dialect)?) } else { Ok(Kind::Case(Box::new(files::case_of(json, dialect)?))) }
}

/// The call of a vector, without the recorded answer.
fn asked_anew(json: Json, dialect: Option<Dialect>) -> Result<Kind, JsonError> {
    let vector = Vector::from_json(json)?;
    let of_vector = || vector.dialects.as_ref().and_then(|dialects| dialects.first().copied());
    let dialect = dialect.or_else(of_vector).unwrap_or_default();
    let call = vector.read_call(dialect)?;
    Ok(Kind::Call(vector.id, Box::new(Case::new(dialect, Task::Call(call)))))
}

/// The documents of one source.
enum Documents {
    Done,
    /// The whole source is one document.
    Whole(Given),
    Lines(Lines),
}

/// A document in each line.
struct Lines {
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
    fn open(source: Source) -> Documents {
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

    #[test]
    fn a_line_of_a_file_is_named_by_its_number_unless_a_file_has_that_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, "").expect("written");
        let named = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
        assert_eq!(line_of(&named(":12")), Some((file.clone(), 12)));
        assert_eq!([named(":0"), named(":x"), named("")].map(|path| line_of(&path)), [None, None, None]);
        std::fs::write(named(":12"), "").expect("written");
        assert_eq!(line_of(&named(":12")), None);
    }
}
