//! Checks of the paths that make a change a replacement (PL10, L82 to L87, I18).

use planfuzz_core::json::Json;
use planfuzz_core::plans::json::{PathItem, has_true};
use planfuzz_core::plans::{Action, ActionReason};
use planfuzz_core::value::{Tri, Type, ValueRef, equals};

use crate::artifact::{Encoded, Release};
use crate::lint::case::{ChangeCase, Typed};
use crate::lint::check::{Check, Needs, PLANS, Run, Severity};
use crate::lint::outcome::{CheckOutcome, Fault};
use crate::lint::place::{self, part};
use crate::lint::same::same;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "PL10-replace-paths",
        severity: Severity::Error,
        must: "Only replacements have paths that ask for replacement.",
        spec: "plans.md section 4",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(only_replacements),
    },
    Check {
        id: "I18-cannot-update",
        severity: Severity::Error,
        must: "A replacement because the provider cannot update has the paths that it cannot update.",
        spec: "lifecycle.md section 21",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(cannot_update),
    },
    Check {
        id: "L82-replace-path-exists",
        severity: Severity::Error,
        must: "A path that asks for replacement leads somewhere, before or after.",
        spec: "lifecycle.md section 9",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(exists),
    },
    Check {
        id: "L84-replace-path-changes",
        severity: Severity::Warning,
        must: "What a path that asks for replacement leads to changes, or may: it differs, is not known, or is write-only.",
        spec: "lifecycle.md section 9",
        needs: Needs::Nothing,
        kinds: PLANS,
        run: Run::Change(changes),
    },
];

fn is_replacement(action: Action) -> bool {
    action.is_replace() || action == Action::ForgetThenCreate
}

fn only_replacements(case: &ChangeCase<'_>) -> CheckOutcome {
    if is_replacement(case.action()) {
        return CheckOutcome::DoesNotApply;
    }
    let count = case.change.replace.len();
    CheckOutcome::hold(count == 0, || {
        format!("{} with {count} paths that ask for replacement; expected none", case.action())
    })
}

fn cannot_update(case: &ChangeCase<'_>) -> CheckOutcome {
    if case.change.reason != Some(ActionReason::ReplaceBecauseCannotUpdate) || !is_replacement(case.action()) {
        return CheckOutcome::DoesNotApply;
    }
    // 0.15 has the reason but not the paths; files of 1.7 have them.
    case.since(Release::new(1, 7), Release::new(1, 7), || {
        CheckOutcome::hold(!case.change.replace.is_empty(), || {
            "a replacement because the provider cannot update, without a path; expected the paths".to_owned()
        })
    })
}

/// The result of following a path on one side.
enum PathLookup<'v> {
    Nothing,
    Unknown,
    Value(ValueRef<'v>),
    Json(&'v Json),
}

/// Follows each path on both sides.
fn each(case: &ChangeCase<'_>, check: impl Fn(&[PathItem], [PathLookup<'_>; 2]) -> Option<String>) -> CheckOutcome {
    let change = case.change;
    if change.replace.is_empty() || !is_replacement(case.action()) {
        return CheckOutcome::DoesNotApply;
    }
    let schema = case.typed.as_ref().ok().map(|typed| &typed.schema.schema);
    let fault = |path: &[PathItem], sides: [PathLookup<'_>; 2]| {
        Some(Fault::at(place::items(path, change, schema), check(path, sides)?))
    };
    let paths = change.replace.iter();
    if let (Encoded::Shown(before), Encoded::Shown(after)) = (&change.before, &change.after) {
        let faults = paths.filter_map(|path| {
            let before = in_json(before.after.as_ref(), None, path);
            fault(path, [before, in_json(after.after.as_ref(), after.after_unknown.as_ref(), path)])
        });
        return CheckOutcome::none(faults.collect());
    }
    case.typed(|typed| {
        let faults = paths.filter_map(|path| {
            let (before, after) = (typed.before().value().view(), typed.after().value().view());
            fault(path, [in_value(before, path), in_value(after, path)])
        });
        CheckOutcome::none(faults.collect())
    })
}

/// L81: with the lenient rules of the language.
fn in_value<'v>(value: ValueRef<'v>, path: &[PathItem]) -> PathLookup<'v> {
    let mut at = value;
    for item in path {
        if at.is_unknown() {
            return PathLookup::Unknown;
        }
        let next = match item {
            PathItem::Name(name) => at.entry(name),
            PathItem::Index(index) => usize::try_from(*index).ok().and_then(|index| at.element(index)),
        };
        match next {
            Some(next) if !matches!(at.ty(), Type::Set(_)) => at = next,
            _ => return PathLookup::Nothing,
        }
    }
    if at.is_wholly_known() { PathLookup::Value(at) } else { PathLookup::Unknown }
}

fn in_json<'v>(value: Option<&'v Json>, unknown: Option<&'v Json>, path: &[PathItem]) -> PathLookup<'v> {
    let (mut at, mut unknown) = (value, unknown);
    for item in path {
        if unknown == Some(&Json::Bool(true)) {
            return PathLookup::Unknown;
        }
        (at, unknown) = (at.and_then(|at| part(at, item)), unknown.and_then(|tree| part(tree, item)));
    }
    match at {
        _ if unknown.is_some_and(has_true) => PathLookup::Unknown,
        None => PathLookup::Nothing,
        Some(json) => PathLookup::Json(json),
    }
}

fn exists(case: &ChangeCase<'_>) -> CheckOutcome {
    each(case, |_, sides| match sides {
        [PathLookup::Nothing, PathLookup::Nothing] => Some(
            "a path that asks for replacement leads nowhere; expected a part of the value before or after".to_owned(),
        ),
        _ => None,
    })
}

fn changes(case: &ChangeCase<'_>) -> CheckOutcome {
    let is_write_only = |path: &[PathItem]| match &case.typed {
        Ok(typed) => is_write_only(typed, path),
        Err(_) => false,
    };
    each(case, |path, sides| {
        let is_same = match sides {
            [PathLookup::Value(before), PathLookup::Value(after)] => equals(before, after) == Tri::True,
            [PathLookup::Json(before), PathLookup::Json(after)] => same(before, after),
            _ => false,
        };
        (is_same && !is_write_only(path))
            .then(|| "what asks for replacement is the same before and after; expected a difference".to_owned())
    })
}

/// L85.
fn is_write_only(typed: &Typed, path: &[PathItem]) -> bool {
    use planfuzz_core::schema::AttributePlace;
    use planfuzz_core::value::Step;
    let place = path.iter().fold(AttributePlace::in_block(&typed.schema.schema.block), |place, item| match item {
        PathItem::Name(name) => place.step(&Step::Attribute(name.as_str().into())),
        PathItem::Index(index) => place.step(&Step::Index(*index)),
    });
    place.attribute().is_some_and(|attribute| attribute.write_only)
}
