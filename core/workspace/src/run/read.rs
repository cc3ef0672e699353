//! Reading a line of recorded runs.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Field, Json, JsonError};
use planfuzz_core::state::file::{Snapshot, StateFileError};
use planfuzz_language::Sources;
use planfuzz_language::check::Schemas;

use super::exchange::Exchange;
use crate::command::Command;
use crate::state::{State, StateError, completed};
use crate::workspace::{Options, Workspace};

/// Why a line is no recorded run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// Not in the form of recorded runs.
    #[error("expected a recorded run: {0}")]
    Json(#[from] JsonError),
    /// A state that is not a state file.
    #[error("expected a state: {0}")]
    StateFile(#[from] StateFileError),
    /// A state file that is not the state of a workspace.
    #[error("expected a state: {0}")]
    State(#[from] StateError),
    /// An unknown dialect.
    #[error("expected a dialect, found {0:?}")]
    Dialect(String),
    /// A file that is too large.
    #[error("expected files of a bounded size")]
    Size,
}

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its name.
    pub id: String,
    /// The workspace and the options.
    pub workspace: Workspace,
    /// The command.
    pub command: Command,
    /// The calls of the plan command and of the apply command.
    pub exchanges: [Vec<Exchange>; 2],
    /// The recorded results.
    pub want: Json,
    /// The state before, as it is recorded.
    pub state: Json,
}

impl Recorded {
    /// What stands for a plan that an engine wrote and cannot show (G152).
    pub fn unshown() -> Json {
        Json::Object(Vec::new())
    }

    /// Whether the engine wrote a plan that it cannot show.
    pub fn is_unshown(&self) -> bool {
        self.want.member("plan") == Some(&Recorded::unshown())
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The line is not a recorded run.
    pub fn read(line: &str) -> Result<Recorded, RunError> {
        Recorded::from_json(&Json::parse(line)?)
    }

    /// Reads the document of a line.
    ///
    /// # Errors
    /// The document is not a recorded run.
    pub fn from_json(json: &Json) -> Result<Recorded, RunError> {
        let member = |name: &str| json.member(name).unwrap_or(&Json::Null);
        let dialect = member("dialect").expect_string()?;
        let dialect: Dialect = dialect.parse().map_err(|_| RunError::Dialect(dialect.to_owned()))?;
        let mut sources = Sources::new();
        for (path, contents) in member("files").expect_object()? {
            sources.add(path.to_string(), contents.to_compact()).map_err(|_| RunError::Size)?;
        }
        let schemas = Json::object([("provider_schemas", member("schemas").clone())]);
        let schemas = Schemas::from_json(&schemas)?;
        let state = match member("state") {
            Json::Null => None,
            state => {
                let file = completed(state, "0.0.0", "recorded")?.to_compact();
                Some(State::of_file(&Snapshot::read(file.as_bytes())?)?)
            }
        };
        let mut exchanges = [Vec::new(), Vec::new()];
        for (phase, name) in ["plan", "apply"].into_iter().enumerate() {
            for exchange in member("exchanges").member(name).map_or(Ok(&[][..]), Json::expect_array)? {
                exchanges[phase].push(Exchange::read(exchange, &schemas, dialect)?);
            }
        }
        let options = Options::read(member("options"))?;
        Ok(Recorded {
            id: member("id").expect_string()?.to_owned(),
            workspace: Workspace { dialect, sources, schemas, state, options },
            command: Command::of(json)?,
            exchanges,
            want: member("want").clone(),
            state: member("state").clone(),
        })
    }
}
