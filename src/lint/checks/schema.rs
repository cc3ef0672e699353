//! Checks values against their schemas (I05, I11, S02, S52, ST03, PF50).

use planfuzz_core::msgpack::encode;
use planfuzz_core::plans::Action;
use planfuzz_core::schema::{Attribute, NestedBlock};
use planfuzz_core::value::{Path, ValueRef};

use crate::artifact::{Encoded, Kind, Untyped};
use crate::lint::case::{ChangeCase, List, ObjectCase, Typed};
use crate::lint::check::{Check, Flag, Needs, PLAN_FILE, PLANS, Run, STATES, Severity};
use crate::lint::outcome::{CheckOutcome, Fault, Why};
use crate::lint::place;
use crate::lint::walk::{Visitor, walk};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "I05-conforms",
        severity: Severity::Error,
        must: "Values fit the schema that the file itself has for their resource type.",
        spec: "lifecycle.md section 21",
        needs: Needs::Schema,
        kinds: PLANS,
        run: Run::Change(conforms),
    },
    Check {
        id: "PF50-canonical",
        severity: Severity::Warning,
        must: "A value of a plan file has the bytes that engines write for it.",
        spec: "plan-files.md section 2.8",
        needs: Needs::Schema,
        kinds: PLAN_FILE,
        run: Run::Change(canonical),
    },
    Check {
        id: "S52-block-count",
        severity: Severity::Warning,
        must: "What is planned has as many blocks of each type as the schema allows.",
        spec: "schema.md",
        needs: Needs::Flag(Flag::Count),
        kinds: PLANS,
        run: Run::Change(counts),
    },
    Check {
        id: "S02-required",
        severity: Severity::Warning,
        must: "What is planned has a value for every attribute that the configuration must set.",
        spec: "schema.md",
        needs: Needs::Flag(Flag::Required),
        kinds: PLANS,
        run: Run::Change(required),
    },
    Check {
        id: "I11-write-only-planned",
        severity: Severity::Error,
        must: "Write-only attributes are null in a plan.",
        spec: "lifecycle.md section 21",
        needs: Needs::Flag(Flag::WriteOnly),
        kinds: PLANS,
        run: Run::Change(write_only_planned),
    },
    Check {
        id: "I49-write-only-stored",
        severity: Severity::Error,
        must: "Write-only attributes are null in a state.",
        spec: "lifecycle.md section 21",
        needs: Needs::Flag(Flag::WriteOnly),
        kinds: STATES,
        run: Run::Object(write_only_stored),
    },
    Check {
        id: "L05-schema-version",
        severity: Severity::Warning,
        must: "An object was stored with no newer version of the schema than the one that is known.",
        spec: "lifecycle.md section 4",
        needs: Needs::Schema,
        kinds: STATES,
        run: Run::Object(version),
    },
    Check {
        id: "ST05-attributes",
        severity: Severity::Error,
        must: "The attributes of an object fit the schema of the version that they were stored with.",
        spec: "plan-files.md section 3",
        needs: Needs::Schema,
        kinds: STATES,
        run: Run::Object(attributes),
    },
];

/// A schema within the file is the one that it was made with: a value that does not fit it is wrong.
fn conforms(case: &ChangeCase<'_>) -> CheckOutcome {
    match (&case.typed, &case.file.artifact.schemas) {
        (_, None) => CheckOutcome::DoesNotApply,
        (Ok(_), Some(_)) => CheckOutcome::Held,
        (Err(Untyped::Misfit { misfit, .. }), Some(_)) => CheckOutcome::Broken(vec![Fault::at(
            misfit.path.clone(),
            format!("a value that does not fit the schema; expected {}", misfit.expected),
        )]),
        (Err(untyped), Some(_)) => CheckOutcome::Cannot(crate::lint::case::why(untyped)),
    }
}

fn canonical(case: &ChangeCase<'_>) -> CheckOutcome {
    case.typed(|typed| {
        let sides = [("before", &case.change.before, typed.before()), ("after", &case.change.after, typed.after())];
        let faults = sides.into_iter().filter_map(|(side, encoded, marked)| {
            let Encoded::Packed { bytes, .. } = encoded else { return None };
            let again = encode(marked.value().view(), &typed.schema.ty).ok();
            (again.as_ref() != Some(bytes)).then(|| {
                Fault::new(format!("the value {side} has other bytes than engines write for it; expected those"))
            })
        });
        CheckOutcome::none(faults.collect())
    })
}

/// Whether the value after is the planned value of a configured instance.
fn is_planned(case: &ChangeCase<'_>) -> bool {
    case.list == List::Changes
        && (matches!(case.action(), Action::Create | Action::Update | Action::ForgetThenCreate)
            || case.action().is_replace())
}

struct Counts<'t> {
    typed: &'t Typed,
    faults: Vec<Fault>,
}

impl Visitor for Counts<'_> {
    fn attribute(&mut self, _: &Path, _: &Attribute, _: ValueRef<'_>) {}

    fn blocks(&mut self, path: &Path, nested: &NestedBlock, value: ValueRef<'_>) {
        use planfuzz_core::schema::Nesting;
        // Dynamic blocks may become any number of blocks while something in them is unknown.
        let is_counted = matches!(nested.nesting, Nesting::List | Nesting::Set | Nesting::Map);
        if !is_counted || !value.is_wholly_known() || value.is_null() {
            return;
        }
        let count = i64::try_from(value.len()).unwrap_or(i64::MAX);
        let (least, most) = (nested.min_items, nested.max_items);
        if count < least || (most > 0 && count > most) {
            let wanted = match most {
                0 => format!("at least {least}"),
                most => format!("{least} to {most}"),
            };
            let message = format!("{count} blocks; expected {wanted}");
            self.faults.push(Fault::at(place::printable(path, self.typed), message));
        }
    }
}

fn counts(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_planned(case) {
        return CheckOutcome::DoesNotApply;
    }
    case.typed(|typed| {
        let mut counts = Counts { typed, faults: Vec::new() };
        walk(&typed.schema.schema.block, typed.after().value().view(), &mut counts);
        CheckOutcome::none(counts.faults)
    })
}

/// Finds attributes of a kind that are, or are not, null.
struct Nulls<'t> {
    typed: &'t Typed,
    is_wrong: fn(&Attribute, ValueRef<'_>) -> bool,
    message: &'static str,
    faults: Vec<Fault>,
}

impl Visitor for Nulls<'_> {
    fn attribute(&mut self, path: &Path, attribute: &Attribute, value: ValueRef<'_>) {
        if (self.is_wrong)(attribute, value) {
            self.faults.push(Fault::at(place::printable(path, self.typed), self.message));
        }
    }
}

fn find(
    typed: &Typed,
    value: ValueRef<'_>,
    message: &'static str,
    is_wrong: fn(&Attribute, ValueRef<'_>) -> bool,
) -> Vec<Fault> {
    let mut nulls = Nulls { typed, is_wrong, message, faults: Vec::new() };
    walk(&typed.schema.schema.block, value, &mut nulls);
    nulls.faults
}

fn required(case: &ChangeCase<'_>) -> CheckOutcome {
    if !is_planned(case) {
        return CheckOutcome::DoesNotApply;
    }
    case.typed(|typed| {
        let is_wrong =
            |attribute: &Attribute, value: ValueRef<'_>| attribute.required && !attribute.write_only && value.is_null();
        let message = "null for an attribute that the configuration must set; expected a value";
        CheckOutcome::none(find(typed, typed.after().value().view(), message, is_wrong))
    })
}

const WRITE_ONLY: &str = "a value for a write-only attribute; expected null";

fn is_leaked(attribute: &Attribute, value: ValueRef<'_>) -> bool {
    attribute.write_only && !value.is_null()
}

fn write_only_planned(case: &ChangeCase<'_>) -> CheckOutcome {
    case.typed(|typed| {
        let sides = [typed.before(), typed.after()];
        CheckOutcome::none(
            sides.iter().flat_map(|side| find(typed, side.value().view(), WRITE_ONLY, is_leaked)).collect(),
        )
    })
}

fn write_only_stored(case: &ObjectCase<'_>) -> CheckOutcome {
    case.typed(|typed| CheckOutcome::none(find(typed, typed.after().value().view(), WRITE_ONLY, is_leaked)))
}

fn version(case: &ObjectCase<'_>) -> CheckOutcome {
    let Some(version) = case.object.schema_version else { return CheckOutcome::DoesNotApply };
    let candidates = case.file.candidates(&case.object.id);
    let newest = candidates.iter().map(|schema| schema.schema.version).max();
    match newest {
        None => CheckOutcome::Cannot(match &case.typed {
            Err(untyped) => crate::lint::case::why(untyped),
            Ok(_) => Why::NoSchema,
        }),
        Some(newest) => CheckOutcome::hold(version <= newest, || {
            format!(
                "stored with version {version} of the schema; expected one up to {newest}, which is the newest known"
            )
        }),
    }
}

/// Only with a schema within the file: any other may be of another version of the provider.
fn attributes(case: &ObjectCase<'_>) -> CheckOutcome {
    if case.file.artifact.schemas.is_none() || case.file.artifact.kind != Kind::PlanJson {
        return case.typed(|_| CheckOutcome::DoesNotApply);
    }
    match &case.typed {
        Ok(typed) if typed.is_same_version => CheckOutcome::Held,
        Ok(_) => CheckOutcome::Cannot(Why::OtherSchemaVersion),
        Err(Untyped::Misfit { misfit, .. }) => CheckOutcome::Broken(vec![Fault::at(
            misfit.path.clone(),
            format!("attributes that do not fit the schema; expected {}", misfit.expected),
        )]),
        Err(untyped) => CheckOutcome::Cannot(crate::lint::case::why(untyped)),
    }
}
