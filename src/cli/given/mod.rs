//! The input of a command: cases and vectors in files, folders, JSON Lines, compressed or not, and standard input.
//!
//! Documents are read one after the other, so that a command has one of them in memory however many there are, and a malformed one hides no
//! other. Each has a place, which errors and results report, and which a command accepts as an argument: `scenarios.jsonl.gz:12` is a line of a
//! file.

mod documents;

use std::path::{Path, PathBuf};

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field as _, Json, JsonError};

use self::documents::Documents;
use super::error::CliError;
use super::files;
use super::output::{self, DIM, styled};
use crate::case::{Case, CaseFile, KeptFinding, Task, Vector};
use crate::fuzz::{Document, wire};

/// The argument for standard input.
const INPUT: &str = "-";

/// The name of standard input in messages.
const INPUT_NAME: &str = "standard input";

/// The member by which findings of providers are known, in builds without the crate that reads them too.
const PROVIDER_CASE: &str = "provider_case";

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

#[cfg(test)]
mod tests {
    use super::*;

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
