//! Reading a case: the reader is strict, and checks bounds before it allocates memory.

use std::collections::BTreeMap;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field, Json, JsonError, ObjectReader};
use planfuzz_core::plans::Mode;
use planfuzz_core::record;
use planfuzz_core::state::file::StateFileError;
use planfuzz_workspace::Options;
use planfuzz_workspace::state::StateError;

use super::{Case, Command, Step};

/// The most files of a case.
pub const MAX_FILES: usize = 1000;
/// The most steps of a case.
pub const MAX_STEPS: usize = 100;

/// Why a document is not a case, or the case cannot be played.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CaseError {
    /// The document does not have the form of a case.
    #[error("expected a case of a workspace: {0}")]
    Json(#[from] JsonError),
    /// The state is not a state file.
    #[error(transparent)]
    StateFile(#[from] StateFileError),
    /// The state is not the state of a workspace.
    #[error("expected a state: {0}")]
    State(#[from] StateError),
    /// A file that is too large.
    #[error("expected files of a bounded size")]
    Size,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// The text is not a case, or has unknown members.
    pub fn parse(text: &str) -> Result<Case, CaseError> {
        Ok(Case::from_json(&Json::parse(text)?)?)
    }

    /// Reads a case.
    ///
    /// # Errors
    /// The document is not a case, or has unknown members.
    pub fn from_json(json: &Json) -> Result<Case, JsonError> {
        let mut reader = ObjectReader::new(json, "a case of a workspace")?;
        reader.required("op", |op| match op.expect_string()? {
            "workspace" => Ok(()),
            _ => Err(op.unexpected("\"workspace\"")),
        })?;
        let dialect = reader.required("dialect", Dialect::read)?;
        let purpose = reader.optional("purpose", String::read)?;
        let case = Case { purpose, ..Case::read(&mut reader, dialect)? };
        reader.finish()?;
        Ok(case)
    }

    /// Reads the members of a case beside its operation, its dialect and its purpose.
    ///
    /// # Errors
    /// A member is missing or invalid.
    pub fn read(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<Case, JsonError> {
        Ok(Case {
            dialect,
            purpose: None,
            providers: reader.required("providers", |json| json.expect_object().map(|_| json.clone()))?,
            models: reader.required("models", BTreeMap::read)?,
            files: reader.required("files", files)?,
            state: reader.optional("state", |json| Ok(json.clone()))?.filter(|state| *state != Json::Null),
            steps: reader.required("steps", steps)?,
        })
    }
}

fn files(json: &Json) -> Result<BTreeMap<String, Json>, JsonError> {
    let files = edits::read(json)?;
    files.into_iter().map(|(path, file)| Ok((path, file.ok_or_else(|| json.unexpected("files"))?))).collect()
}

/// The documents of files by their paths; `null` is a file that goes.
mod edits {
    use std::collections::BTreeMap;

    use planfuzz_core::json::{Field, Json, JsonError};

    use super::MAX_FILES;

    pub(super) fn write(files: &BTreeMap<String, Option<Json>>) -> Json {
        files.write()
    }

    pub(super) fn read(json: &Json) -> Result<BTreeMap<String, Option<Json>>, JsonError> {
        let members = json.expect_object()?;
        if members.len() > MAX_FILES {
            return Err(json.unexpected("fewer files"));
        }
        let mut files = BTreeMap::new();
        for (path, contents) in members {
            let is_inside = !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            if !is_inside || !path.ends_with(".tf.json") {
                return Err(json.unexpected("paths of files in JSON syntax below the root module").inside_member(path));
            }
            let contents = match contents {
                Json::Null => None,
                Json::Object(_) => Some(contents.clone()),
                other => return Err(other.unexpected("a document or null").inside_member(path)),
            };
            files.insert(path.to_string(), contents);
        }
        Ok(files)
    }
}

fn steps(json: &Json) -> Result<Vec<Step>, JsonError> {
    match json.expect_array()?.len() {
        1..=MAX_STEPS => json.read_items(step),
        _ => Err(json.unexpected("one step or more, not too many")),
    }
}

record!(Step, "a step":
    command[flat],
    options or Options::default(),
    edits as "files" by edits or BTreeMap::new(),
    taint or Vec::new(),
    events[flat],
);

fn step(json: &Json) -> Result<Step, JsonError> {
    let step = Step::read(json)?;
    match takes(&step.command, &step.options) {
        true => Ok(step),
        false => Err(json.unexpected(format!("options that {} takes", step.command.word()))),
    }
}

/// Whether a command takes options.
fn takes(command: &Command, options: &Options) -> bool {
    let is_usual = options.mode == Mode::Normal && options.refresh && options.replace.is_empty();
    let takes_all = !options.is_selective();
    match command {
        Command::Plan | Command::Apply | Command::ApplySaved(_) => true,
        Command::Refresh => is_usual,
        Command::Import(_) => is_usual && takes_all,
    }
}
