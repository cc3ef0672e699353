//! The input of a planner of workspaces.

use std::borrow::Cow;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::pairs;
use planfuzz_core::plans::Mode;
use planfuzz_core::record;
use planfuzz_language::Sources;
use planfuzz_language::check::Schemas;

use super::command::Command;
use super::interrupt::Interrupt;
use super::state::State;

/// A workspace and a command on it.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Which engine in which version.
    pub dialect: Dialect,
    /// The files of the configuration.
    pub sources: Sources,
    /// The schemas of its providers.
    pub schemas: Schemas,
    /// The state; `None` if there is none.
    pub state: Option<State>,
    /// The options of the command.
    pub options: Options,
}

impl Workspace {
    /// The workspace as the apply of a plan sees it: variables that are given again with a saved plan have the new values (U06).
    pub fn of_apply(&self, command: &Command) -> Cow<'_, Workspace> {
        let mut workspace = Cow::Borrowed(self);
        let Command::ApplySaved(saved) = command else { return workspace };
        for (name, value) in &saved.variables {
            let place = self.options.variables.iter().position(|(planned, _)| planned == name);
            if let Some(place) = place.filter(|&place| self.options.variables[place].1 != *value) {
                workspace.to_mut().options.variables[place].1.clone_from(value);
            }
        }
        workspace
    }
}

/// What the user asks for (section 8 of workspace-plan.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Normal, destroy or refresh-only.
    pub mode: Mode,
    /// Whether stored objects are read again.
    pub refresh: bool,
    /// Targets, as they are written.
    pub targets: Vec<String>,
    /// OpenTofu: excluded addresses, as they are written.
    pub excludes: Vec<String>,
    /// Instances to be replaced, as they are written.
    pub replace: Vec<String>,
    /// Values of root variables, as on a command line (E124).
    pub variables: Vec<(String, String)>,
    /// How many nodes may work at a time.
    pub parallelism: usize,
    /// When a signal ends the apply, if one does.
    pub interrupt: Option<Interrupt>,
}

impl Options {
    /// Whether targets or excludes leave something out.
    pub fn is_selective(&self) -> bool {
        !self.targets.is_empty() || !self.excludes.is_empty()
    }
}

record!(Options, "options":
    mode or Mode::Normal,
    refresh or true,
    targets or Vec::new(),
    excludes or Vec::new(),
    replace or Vec::new(),
    variables by pairs or Vec::new(),
    parallelism by parallelism or Options::default().parallelism,
    interrupt or None,
);

/// The least and the most nodes that may work at a time.
const PARALLELISM: std::ops::RangeInclusive<usize> = 1..=256;

mod parallelism {
    use planfuzz_core::json::{Json, JsonError};

    use super::PARALLELISM;

    pub(super) fn write(number: &usize) -> Json {
        Json::int(*number as u64)
    }

    pub(super) fn read(json: &Json) -> Result<usize, JsonError> {
        let number = usize::try_from(json.expect_u64()?).ok().filter(|number| PARALLELISM.contains(number));
        let wanted = || format!("a number from {} to {}", PARALLELISM.start(), PARALLELISM.end());
        number.ok_or_else(|| json.unexpected(wanted()))
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Normal,
            refresh: true,
            targets: Vec::new(),
            excludes: Vec::new(),
            replace: Vec::new(),
            variables: Vec::new(),
            parallelism: 10,
            interrupt: None,
        }
    }
}
