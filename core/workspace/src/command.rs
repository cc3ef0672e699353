//! The commands of a user (section 9 of workspace-apply.md), with their form in cases and recorded runs.

use planfuzz_core::json::{Field, Json, JsonError, ObjectReader, Record, RecordMembers, pairs};
use planfuzz_core::{record, words};

use crate::plan::Plan;
use crate::planner::Planned;
use crate::workspace::Options;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Command {
    /// `plan`.
    Plan,
    /// `plan` into a file, and `apply` of that file where there is anything to apply.
    Apply,
    /// `plan` into a file, and `apply` of that file whatever is in it, after something happened between the two (U02 to U05).
    ApplySaved(Saved),
    /// `refresh` (U114).
    Refresh,
    /// `import ADDRESS ID` (U116).
    Import(Import),
}

/// An object that is to be imported by the command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The target address, as it is written.
    pub to: String,
    /// The id by which its provider knows it.
    pub id: String,
}

/// What has changed since a plan was saved, when it is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Saved {
    /// The state at the time of the apply.
    pub state: Meanwhile,
    /// Values of variables that are given with the plan file (U05).
    pub variables: Vec<(String, String)>,
}

record!(Import, "an import": to, id);
record!(Saved, "what happens before a saved plan is applied":
    state or Meanwhile::Nothing,
    variables by pairs or Vec::new(),
);

impl Saved {
    /// The apply right after the plan, with the same variables again: a plan file keeps no ephemeral ones (U06).
    pub fn at_once(planned: &Options) -> Saved {
        Saved { variables: planned.variables.clone(), ..Saved::default() }
    }
}

/// What happened to the state after a plan was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meanwhile {
    /// Nothing.
    #[default]
    Nothing,
    /// Another command wrote it: its serial is higher.
    Written,
    /// It is the state of another workspace: its lineage is another.
    Foreign,
}

words!(Meanwhile, "what happened to the state": Nothing = "nothing", Written = "written", Foreign = "foreign");

impl Command {
    /// The word of the command in cases and recorded runs.
    pub fn word(&self) -> &'static str {
        match self {
            Command::Plan => "plan",
            Command::Apply => "apply",
            Command::ApplySaved(_) => "apply_saved",
            Command::Refresh => "refresh",
            Command::Import(_) => "import",
        }
    }

    /// Reads the members of a document that describe it, among others.
    ///
    /// # Errors
    /// As [`Record::read_members`].
    pub fn of(json: &Json) -> Result<Command, JsonError> {
        let own = |name: &'static str| json.member(name).map(|member| (name, member.clone()));
        let members = Json::object(["command", "import", "saved"].into_iter().filter_map(own));
        Command::read_members(&mut ObjectReader::new(&members, "a command")?)
    }

    /// The plan that the command goes on to apply, if any; [`Command::ApplySaved`] tries every plan.
    pub fn applied_plan<'p>(&self, planned: &'p Planned) -> Option<&'p Plan> {
        let plan = planned.plan.as_ref()?;
        let is_tried = match self {
            Command::Apply => plan.applyable && !planned.is_errored(),
            Command::ApplySaved(_) => true,
            Command::Plan | Command::Refresh | Command::Import(_) => false,
        };
        is_tried.then_some(plan)
    }

    /// Whether it makes a plan (refresh and import write a state and no plan).
    pub fn plans(&self) -> bool {
        match self {
            Command::Plan | Command::Apply | Command::ApplySaved(_) => true,
            Command::Refresh | Command::Import(_) => false,
        }
    }
}

impl Record for Command {
    fn members(&self) -> RecordMembers {
        let mut members = vec![("command", Json::string(self.word()))];
        match self {
            Command::ApplySaved(saved) if *saved != Saved::default() => members.push(("saved", saved.write())),
            Command::Plan | Command::Apply | Command::ApplySaved(_) | Command::Refresh => {}
            Command::Import(import) => members.push(("import", import.write())),
        }
        members
    }

    fn read_members(reader: &mut ObjectReader<'_>) -> Result<Command, JsonError> {
        let word = reader.required("command", |word| Ok((word.expect_string()?.to_owned(), word.clone())))?;
        let import = reader.optional("import", Import::read)?;
        let saved = reader.optional("saved", Saved::read)?;
        match (word.0.as_str(), import, saved) {
            ("plan", None, None) => Ok(Command::Plan),
            ("apply", None, None) => Ok(Command::Apply),
            ("refresh", None, None) => Ok(Command::Refresh),
            ("apply_saved", None, saved) => Ok(Command::ApplySaved(saved.unwrap_or_default())),
            ("import", Some(import), None) => Ok(Command::Import(import)),
            _ => Err(word.1.unexpected("a command with the members that belong to it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Command, JsonError> {
        let json = Json::parse(text)?;
        let mut reader = ObjectReader::new(&json, "a step")?;
        let command = Command::read_members(&mut reader)?;
        reader.finish()?;
        Ok(command)
    }

    #[test]
    fn every_command_reads_back_as_it_was_written() {
        let variables = vec![("a".to_owned(), "1".to_owned())];
        let import = Import { to: "t.a[0]".into(), id: "i".into() };
        for command in [
            Command::Plan,
            Command::Apply,
            Command::ApplySaved(Saved::default()),
            Command::ApplySaved(Saved { state: Meanwhile::Foreign, variables }),
            Command::ApplySaved(Saved { state: Meanwhile::Written, variables: Vec::new() }),
            Command::Refresh,
            Command::Import(import),
        ] {
            let text = Json::object(command.members()).to_compact();
            assert_eq!(read(&text).expect("a command"), command, "{text}");
        }
    }

    #[test]
    fn members_of_another_command_are_refused() {
        for text in [
            r#"{"command": "plan", "import": {"to": "t.a", "id": "i"}}"#,
            r#"{"command": "import"}"#,
            r#"{"command": "apply", "saved": {}}"#,
            r#"{"command": "apply_saved", "saved": {"state": "lost"}}"#,
            r#"{"command": "destroy"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
