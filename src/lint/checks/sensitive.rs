//! Checks of sensitive parts (L16, L43, L201, PL08, JS23).

use std::collections::BTreeSet;

use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::value::{PathSet, WrittenPath};

use crate::artifact::{Encoded, Kind, Release};
use crate::lint::case::{ChangeCase, List, ObjectCase, Typed};
use crate::lint::check::{Check, Flag, Needs, PLAN_FILE, PLAN_JSON, PLANS, Run, STATE_FILES, STATES, Severity};
use crate::lint::indexed_file::IndexedFile;
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::place;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "JS23-schema-sensitive",
        severity: Severity::Error,
        must: "What the schema calls sensitive is sensitive in the JSON of a plan, before and after.",
        spec: "plan-files.md section 4.3",
        needs: Needs::Flag(Flag::Sensitive),
        kinds: PLAN_JSON,
        run: Run::Change(shown),
    },
    Check {
        id: "L43-schema-sensitive",
        severity: Severity::Error,
        must: "What the schema calls sensitive is sensitive in what a plan file has after, but after a replacement.",
        spec: "lifecycle.md section 7",
        needs: Needs::Flag(Flag::Sensitive),
        kinds: PLAN_FILE,
        run: Run::Change(planned),
    },
    Check {
        id: "I44-schema-sensitive",
        severity: Severity::Error,
        must: "What the schema calls sensitive is sensitive in a stored object.",
        spec: "lifecycle.md section 21",
        needs: Needs::Flag(Flag::Sensitive),
        kinds: &[Kind::StateFile, Kind::StateJson, Kind::PlanJson],
        run: Run::Object(stored),
    },
    Check {
        id: "PL08-planned-places",
        severity: Severity::Error,
        must: "Each sensitive path of a change leads somewhere in its value.",
        spec: "plans.md section 3",
        needs: Needs::Schema,
        kinds: PLAN_FILE,
        run: Run::Change(places_planned),
    },
    Check {
        id: "PL08-stored-places",
        severity: Severity::Error,
        must: "Each sensitive path of a stored object leads somewhere in its value.",
        spec: "plans.md section 3",
        needs: Needs::Schema,
        kinds: STATE_FILES,
        run: Run::Object(places_stored),
    },
    Check {
        id: "PF30-absent-marks",
        severity: Severity::Error,
        must: "Nothing is sensitive in a value that is not there.",
        spec: "plan-files.md section 2.3",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(absent),
    },
    Check {
        id: "ST04-paths-once",
        severity: Severity::Warning,
        must: "Each sensitive path of a stored object is there once.",
        spec: "plan-files.md section 3",
        needs: Needs::Nothing,
        kinds: STATES,
        run: Run::Object(once),
    },
];

/// The paths in values that the schema calls sensitive but the file does not.
fn missing(typed: &Typed, values: &[&Marked], file: &IndexedFile<'_>) -> CheckOutcome {
    let (mut faults, mut cannot) = (Vec::new(), None);
    for marked in values {
        match missing_in(typed, marked, file) {
            Ok(found) => faults.extend(found),
            Err(why) => cannot = Some(why),
        }
    }
    match cannot {
        Some(why) if faults.is_empty() => CheckOutcome::Cannot(why),
        _ => CheckOutcome::none(faults),
    }
}

fn missing_in(typed: &Typed, marked: &Marked, file: &IndexedFile<'_>) -> Result<Vec<Fault>, Why> {
    if !typed.schema.marks {
        return Ok(Vec::new());
    }
    let dialect = file.artifact.producer.dialect();
    let value = marked.value().view();
    let paths = typed.schema.schema.sensitive_paths(value, dialect).map_err(|_| Why::NoSensitivePaths)?;
    let wanted: PathSet = paths.iter().map(WrittenPath::from).collect();
    let on = wanted.on(value);
    let unmarked = on.iter().filter(|path| !is_covered(path, marked.sensitive()));
    let fault = |path: &WrittenPath| {
        let message = "not sensitive, though the schema calls it so; expected a sensitive path";
        Fault::at(place::written(path, typed), message)
    };
    Ok(unmarked.map(fault).collect())
}

/// Whether a path or one above it is marked.
fn is_covered(path: &WrittenPath, marks: &PathSet) -> bool {
    let steps = path.steps();
    (0..=steps.len()).any(|length| marks.contains(&WrittenPath::new(steps[..length].to_vec())))
}

fn shown(case: &ChangeCase<'_>) -> CheckOutcome {
    let (Encoded::Shown(before), Encoded::Shown(after)) = (&case.change.before, &case.change.after) else {
        return CheckOutcome::DoesNotApply;
    };
    // Formats before 1.0 have no such members, or not of all values.
    if before.after_sensitive.is_none() || after.after_sensitive.is_none() {
        return CheckOutcome::Cannot(Why::NotInFile);
    }
    case.typed(|typed| missing(typed, &[typed.before(), typed.after()], case.file))
}

fn planned(case: &ChangeCase<'_>) -> CheckOutcome {
    let has_marks = matches!(case.action(), Action::Create | Action::Update | Action::NoOp | Action::Read);
    if !has_marks || case.list != List::Changes {
        return CheckOutcome::DoesNotApply;
    }
    case.since(Release::new(1, 11), Release::new(1, 11), || {
        case.typed(|typed| missing(typed, &[typed.after()], case.file))
    })
}

fn stored(case: &ObjectCase<'_>) -> CheckOutcome {
    case.since(Release::new(1, 11), Release::new(1, 11), || {
        case.typed(|typed| missing(typed, &[typed.after()], case.file))
    })
}

/// The sensitive paths that lead to no part of the value.
fn nowhere(encoded: &Encoded, marked: &Marked, typed: &Typed, side: &str) -> Vec<Fault> {
    let value = marked.value().view();
    let is_nowhere = |path: &&WrittenPath| {
        let one: PathSet = [(*path).clone()].into_iter().collect();
        one.on(value).is_empty()
    };
    let lost = encoded.sensitive().iter().filter(is_nowhere);
    lost.map(|path| {
        let message = format!("a sensitive path that leads nowhere in the value{side}; expected a part of it");
        Fault::at(place::written(path, typed), message)
    })
    .collect()
}

fn places_planned(case: &ChangeCase<'_>) -> CheckOutcome {
    let change = case.change;
    if change.before.sensitive().is_empty() && change.after.sensitive().is_empty() {
        return CheckOutcome::DoesNotApply;
    }
    case.typed(|typed| {
        let mut faults = nowhere(&change.before, typed.before(), typed, " before");
        faults.extend(nowhere(&change.after, typed.after(), typed, " after"));
        CheckOutcome::none(faults)
    })
}

fn places_stored(case: &ObjectCase<'_>) -> CheckOutcome {
    if case.object.value.sensitive().is_empty() {
        return CheckOutcome::DoesNotApply;
    }
    case.typed(|typed| CheckOutcome::none(nowhere(&case.object.value, typed.after(), typed, "")))
}

fn absent(case: &ChangeCase<'_>) -> CheckOutcome {
    let sides = [("before", &case.change.before), ("after", &case.change.after)];
    let null = sides.iter().filter(|(_, side)| side.is_null());
    let has_marks = |side: &Encoded| {
        side.sensitive().iter().any(|path| !path.is_root())
            || side.sensitive_tree().is_some_and(planfuzz_core::plans::json::has_true)
    };
    if null.clone().count() == 0 {
        return CheckOutcome::DoesNotApply;
    }
    let faults = null
        .filter(|(_, side)| has_marks(side))
        .map(|(side, _)| Fault::new(format!("sensitive parts in a value {side} that is not there; expected none")));
    CheckOutcome::none(faults.collect())
}

fn once(case: &ObjectCase<'_>) -> CheckOutcome {
    let paths = case.object.value.sensitive();
    let distinct: BTreeSet<_> = paths.iter().collect();
    CheckOutcome::hold(distinct.len() == paths.len(), || {
        "a sensitive path that is there twice; expected it once".to_owned()
    })
}
