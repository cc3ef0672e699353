//! Whole workspaces: cases of them, and recorded runs (workspace-plan.md, workspace-apply.md).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_workspace::run::{Difference, Recorded, Replay, RunError};

/// A recorded run of a workspace: its inputs, and the calls with their answers.
#[derive(Clone, Debug)]
pub struct RunCall {
    /// The run as planners replay it, including the wanted outcome.
    pub recorded: Arc<Recorded>,
    /// The members as they are written.
    members: Vec<(&'static str, Json)>,
}

/// The members of a recorded run that are inputs.
const ASKED: [&str; 6] = ["files", "schemas", "state", "command", "options", "exchanges"];

/// The members of a recorded run that only some commands have.
const OF_COMMAND: [&str; 2] = ["import", "saved"];

/// The member of an outcome of a recorded run that has its differences from the record.
const DIFFERENCES: &str = "differences";

/// The member that has the names of tolerated differences.
const TOLERATED: &str = "tolerated";

/// The member that has what is not compared, and why.
const NOT_COMPARED: &str = "not_compared";

/// How many differences of a run are reported.
const MAX_REPORTED: usize = 50;

impl RunCall {
    /// Reads the members of a vector.
    pub(super) fn read(reader: &mut ObjectReader<'_>, dialect: Dialect) -> Result<RunCall, JsonError> {
        let mut members = Vec::new();
        for name in ASKED {
            members.push((name, reader.required(name, |json| Ok(json.clone()))?));
        }
        for name in OF_COMMAND {
            members.extend(reader.take(name).map(|json| (name, json.clone())));
        }
        // Requests over a line never ask for a recorded run, so a missing want is read as null.
        let want = reader.take("want").cloned().unwrap_or(Json::Null);
        let heads = [("id", Json::string("run")), ("dialect", Json::string(&dialect.to_string())), ("want", want)];
        let document = Json::object(heads.into_iter().chain(members.iter().cloned()));
        let recorded = Recorded::from_json(&document).map_err(|problem| match problem {
            RunError::Json(problem) => problem,
            other => document.unexpected(format!("a recorded run ({other})")),
        })?;
        Ok(RunCall { recorded: Arc::new(recorded), members })
    }

    /// The members as they were read.
    pub(super) fn members(&self) -> Vec<(&'static str, Json)> {
        self.members.clone()
    }

    /// A member as it is written.
    pub fn member(&self, name: &str) -> &Json {
        self.members.iter().find(|(member, _)| *member == name).map_or(&Json::Null, |(_, json)| json)
    }
}

/// The outcome of a recorded run: its differences from the record.
pub fn reported_differences(differences: &[Difference]) -> Json {
    let one = |difference: &Difference| {
        let kind = Json::string(difference.kind.word());
        Json::object([("kind", kind), ("text", Json::string(&difference.text))])
    };
    let reported = differences.iter().take(MAX_REPORTED).map(one).collect();
    let mut members = vec![(DIFFERENCES, Json::Array(reported))];
    if differences.len() > MAX_REPORTED {
        members.push(("more", Json::int((differences.len() - MAX_REPORTED) as u64)));
    }
    Json::object(members)
}

/// The outcome of a replay: its differences from the record, with the names of those that are tolerated and of what is not compared.
pub fn reported_replay(replay: &Replay) -> Json {
    let names = |all: Vec<&'static str>| Json::Array(all.into_iter().map(Json::string).collect());
    let tolerated: BTreeSet<&'static str> = replay.tolerated.iter().map(|one| one.name).collect();
    let mut answer = reported_differences(&replay.differences);
    let asides = [(TOLERATED, tolerated.into_iter().collect()), (NOT_COMPARED, replay.not_compared.clone())];
    if let Json::Object(members) = &mut answer {
        let asides = asides.into_iter().filter(|(_, all)| !all.is_empty());
        members.extend(asides.map(|(name, all)| (name.into(), names(all))));
    }
    answer
}

/// What an answer to a recorded run tolerates, and what it does not compare.
#[derive(Clone, Debug, Default)]
pub struct Asides {
    /// The names of tolerated differences.
    pub tolerated: Vec<String>,
    /// What is not compared, and why.
    pub not_compared: Vec<String>,
}

impl Asides {
    /// Those of an answer; none if it answers no recorded run.
    pub fn of(answer: &Json) -> Asides {
        let list = |name| {
            let texts = answer.member(name).and_then(|list| list.expect_array().ok()).unwrap_or_default();
            texts.iter().filter_map(|text| text.expect_string().ok()).map(str::to_owned).collect()
        };
        if answer.member(DIFFERENCES).is_none() {
            return Asides::default();
        }
        Asides { tolerated: list(TOLERATED), not_compared: list(NOT_COMPARED) }
    }
}

/// An answer to a recorded run without its asides, which are no part of what is compared; any other document as it is.
pub fn without_asides(answer: &Json) -> Cow<'_, Json> {
    match answer {
        Json::Object(members) if answer.member(DIFFERENCES).is_some() => {
            let is_kept = |name: &str| name != TOLERATED && name != NOT_COMPARED;
            Cow::Owned(Json::Object(members.iter().filter(|(name, _)| is_kept(name)).cloned().collect()))
        }
        _ => Cow::Borrowed(answer),
    }
}

/// The kind and the text of the first difference in an answer to a recorded run; `None` if the answer is not such a document.
pub fn first_reported(answer: &Json) -> Option<(&str, &str)> {
    let first = answer.member(DIFFERENCES)?.expect_array().ok()?.first()?;
    let text = |name: &str| first.member(name).and_then(|text| text.expect_string().ok());
    Some((text("kind")?, text("text")?))
}

/// The wanted outcome of a run in the form of answers: no difference from the record.
///
/// # Errors
/// A want that is not that of a recorded run.
pub fn canonical_run(want: &Json) -> Result<Json, JsonError> {
    let mut reader = ObjectReader::new(want, "the result of a run")?;
    reader.required("plan", Ok)?;
    reader.required("diagnostics", Json::expect_object)?;
    reader.required("state", Ok)?;
    reader.required("raised", Json::expect_bool)?;
    reader.required("exit", Json::expect_object)?;
    reader.finish()?;
    Ok(reported_differences(&[]))
}
