//! Faults in marks of sensitive values.

use planfuzz_core::planner::{ApplyAnswer, ApplyChange, Configured, Diagnostic, summary};
use planfuzz_core::plans::{Action, Marked, ResourceInstanceChange};
use planfuzz_core::schema::{Nesting, Schema};
use planfuzz_core::value::{PathSet, Type, WrittenPath, WrittenStep};

use super::super::catalogue::Fault;
use super::between::Calls;
use super::paths::at;

/// Alters the marks of a planned change.
pub(super) fn planned(fault: Fault, configured: &Configured, calls: &Calls, of: &mut ResourceInstanceChange) {
    let after = &of.change.after;
    let marks = match fault {
        Fault::LegacyMarksDropped if has_legacy_answer(calls) => {
            let of_config = configured.config.sensitive();
            after.sensitive().iter().filter(|path| !of_config.contains(path)).cloned().collect()
        }
        Fault::ObjectMarkCopied => after.sensitive().union(&of_members(after)),
        _ => return,
    };
    of.change.after = Marked::new(after.value().clone(), &marks);
    let (before, after) = (&of.change.before, &of.change.after);
    let are_marked_alike = before.sensitive() == after.sensitive();
    of.change.action = match of.change.action {
        Action::NoOp if !are_marked_alike => Action::Update,
        Action::Update if are_marked_alike && before.value() == after.value() => Action::NoOp,
        right => right,
    };
}

/// Whether a provider of the legacy type system planned a configuration.
pub(super) fn has_legacy_answer(calls: &Calls) -> bool {
    calls.plans.iter().any(|(request, answer)| !request.config.is_null() && answer.legacy_type_system)
}

/// The paths of all attributes of marked objects (B047).
fn of_members(marked: &Marked) -> PathSet {
    let members = marked.sensitive().iter().flat_map(|path| {
        let object = at(marked.value(), path).filter(|part| part.is_present());
        let names = object.into_iter().flat_map(|part| match part.ty() {
            Type::Object(object) => object.attributes().iter().map(|member| member.name.clone()).collect(),
            _ => Vec::new(),
        });
        names.map(|name| {
            let last = std::iter::once(WrittenStep::Attribute(name));
            WrittenPath::new(path.steps().iter().cloned().chain(last).collect())
        })
    });
    members.collect()
}

/// Removes the marks of a change.
pub(super) fn forget(of: &mut ResourceInstanceChange) {
    of.change.before = Marked::plain(of.change.before.value().clone());
    of.change.after = Marked::plain(of.change.after.value().clone());
}

/// The errors about a result with marked blocks of a set (B034).
pub(super) fn blamed_sets(
    schema: &Schema,
    of: &ResourceInstanceChange,
    (asked, answer): (&ApplyChange, &ApplyAnswer),
) -> Vec<Diagnostic> {
    let is_object = answer.new_state.as_ref().is_some_and(|new| !new.is_null());
    if asked.config.is_null() || answer.legacy_type_system || !is_object {
        return Vec::new();
    }
    let is_set = |path: &&WrittenPath| {
        let block = path.to_path().and_then(|path| schema.block.block_at(&path));
        block.is_some_and(|block| block.nesting == Nesting::Set)
    };
    let sets = of.change.after.sensitive().iter().filter(is_set);
    sets.map(|path| Diagnostic::error(summary::INCONSISTENT_RESULT, path.clone(), "A31")).collect()
}
