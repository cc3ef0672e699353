//! Faults planted in the result of an apply walk.

use planfuzz_core::planner::{Applied, ApplyAnswer, ApplyChange, ApplyRequest, Diagnostic, Provider, Refusal, summary};
use planfuzz_core::plans::{Action, ResourceInstanceChange};
use planfuzz_core::state::{Object, Status, Stored};
use planfuzz_core::value::{PathSet, WrittenPath};

use super::super::catalogue::Fault;
use super::between::{Calls, has_errors};
use super::planned::unsorted;
use super::{Walks, marks, value_of};

/// The course of an apply.
struct Course<'c> {
    of: &'c ResourceInstanceChange,
    /// The object before it.
    before: Option<&'c Object>,
    /// The last apply call.
    call: Option<(&'c ApplyChange, &'c ApplyAnswer)>,
    is_errored: bool,
}

impl Course<'_> {
    fn action(&self) -> Action {
        self.of.change.action
    }

    fn creates(&self) -> bool {
        self.action() == Action::Create || self.action().is_replace() || self.action() == Action::ForgetThenCreate
    }

    /// Whether the provider reported an error.
    fn has_failed(&self) -> bool {
        self.call.is_some_and(|(_, answer)| has_errors(&answer.remarks))
    }

    /// Whether the provider returned null.
    fn is_answered_null(&self) -> bool {
        self.call.is_some_and(|(_, answer)| answer.new_state.as_ref().is_some_and(|new| new.is_null()))
    }

    /// Whether the provider returned an object.
    fn is_answered_object(&self) -> bool {
        self.call.is_some_and(|(_, answer)| answer.new_state.as_ref().is_some_and(|new| !new.is_null()))
    }

    fn is_answered_nothing(&self) -> bool {
        self.call.is_some_and(|(_, answer)| answer.new_state.is_none())
    }

    /// Whether only sensitivity changes.
    fn is_of_marks(&self) -> bool {
        self.action() == Action::Update && self.of.change.before.value() == self.of.change.after.value()
    }

    fn was_tainted(&self) -> bool {
        self.before.is_some_and(|object| object.status == Status::Tainted)
    }
}

/// Alters the saved state and the diagnostics of an apply walk.
///
/// # Errors
/// Refuses where the reference does when further calls are made.
pub(super) fn spoil(
    walks: &Walks<'_>,
    fault: Fault,
    request: &ApplyRequest,
    calls: &Calls,
    applied: &mut Applied,
) -> Result<(), Refusal> {
    let Some(of) = request.changes.iter().find(|of| of.deposed.is_none()) else { return Ok(()) };
    let course = Course {
        of,
        before: request.state.current.as_ref(),
        call: calls.applies.last().map(|(asked, answer)| (asked, answer)),
        is_errored: applied.is_errored(),
    };
    diagnostics(walks, fault, &course, calls, applied)?;
    whole(fault, &course, request, applied);
    taint(fault, &course, applied);
    if let Some(current) = &mut applied.state.current {
        object(fault, &course, current);
        if fault == Fault::SavedMarksUnread && (course.creates() || course.action() == Action::Update) {
            unmarked(walks, current);
        }
    }
    Ok(())
}

/// Removes the marks of an object except those of the schema (B128).
fn unmarked(walks: &Walks<'_>, current: &mut Object) {
    let Some(value) = value_of(current) else { return };
    let of_schema = walks.schema.sensitive_paths(value.view(), walks.dialect).unwrap_or_default();
    current.sensitive = of_schema.iter().map(WrittenPath::from).collect::<PathSet>().on(value.view());
}

/// Makes additional calls after an apply walk.
pub(super) fn ask_more(fault: Fault, request: &ApplyRequest, provider: &mut dyn Provider) {
    let of = request.changes.iter().find(|of| of.deposed.is_none() && of.change.action == Action::Update);
    if let (Fault::MarkUpdateApplied, Some(of), Some(configured)) = (fault, of, request.presence.configured())
        && of.change.before.value() == of.change.after.value()
    {
        provider.apply(ApplyChange {
            prior: of.change.before.value().clone(),
            config: configured.config.value().clone(),
            planned: of.change.after.value().clone(),
            private: of.private.clone(),
        });
    }
}

fn diagnostics(
    walks: &Walks<'_>,
    fault: Fault,
    course: &Course<'_>,
    calls: &Calls,
    applied: &mut Applied,
) -> Result<(), Refusal> {
    match fault {
        Fault::NoOpIsInconsistent => {
            let comes_to_nothing = calls.applies.is_empty() && !calls.plans.is_empty() && !course.is_errored;
            if course.action() == Action::Update && comes_to_nothing && !course.is_of_marks() {
                let root = WrittenPath::default();
                applied.diagnostics.push(Diagnostic::error(summary::INCONSISTENT_FINAL_PLAN, root, "A06"));
            }
        }
        Fault::ResultComparedAfterError if course.has_failed() => {
            let Some((asked, answer)) = course.call else { return Ok(()) };
            let Some(new) = answer.new_state.as_ref().filter(|new| !new.is_null()) else { return Ok(()) };
            if asked.config.is_null() || answer.legacy_type_system || new.ty() != asked.planned.ty() {
                return Ok(());
            }
            let found = walks.reference.assert_object_compatible(&asked.planned, new)?;
            let blamed = found.iter().map(|violation| WrittenPath::from(&violation.path));
            let errors = blamed.map(|path| Diagnostic::error(summary::INCONSISTENT_RESULT, path, "A31"));
            applied.diagnostics.extend(errors);
        }
        Fault::MarkedSetDiffers if !course.is_errored => {
            let blamed = course.call.map(|call| marks::blamed_sets(walks.schema, course.of, call));
            applied.diagnostics.extend(blamed.unwrap_or_default());
        }
        Fault::OneUnknownReported => {
            let mut is_first = true;
            applied.diagnostics.retain(|diagnostic| diagnostic.rule != "A29" || std::mem::take(&mut is_first));
        }
        _ => {}
    }
    Ok(())
}

fn whole(fault: Fault, course: &Course<'_>, request: &ApplyRequest, applied: &mut Applied) {
    let key = &request.options.fresh_key;
    let state = &mut applied.state;
    let creates_first = course.action() == Action::CreateThenDelete;
    match fault {
        Fault::DeposedNotRestored
            if creates_first
                && course.is_errored
                && !state.deposed.contains_key(key)
                && !course.is_answered_object() =>
        {
            if let Some(restored) = state.current.take() {
                state.deposed.insert(key.clone(), restored);
            }
        }
        Fault::DependenciesUnsorted => {
            if let (Some(current), Some(configured)) = (&mut state.current, request.presence.configured()) {
                unsorted(configured, &mut current.dependencies);
            }
        }
        Fault::DeposedRestoredTooSoon if creates_first && course.call.is_none() && state.current.is_none() => {
            state.current = state.deposed.remove(key);
        }
        Fault::UnfitResultKeepsPrior
            if course.action() == Action::Update
                && state.current.is_none()
                && applied.diagnostics.iter().any(|diagnostic| diagnostic.summary == summary::INVALID_OBJECT) =>
        {
            state.current = request.state.current.clone();
        }
        Fault::FailedDeleteForgets
            if course.action() == Action::Delete && course.has_failed() && course.is_answered_null() =>
        {
            state.current = None;
        }
        _ => {}
    }
}

fn taint(fault: Fault, course: &Course<'_>, applied: &mut Applied) {
    let has_error = |summary: &str| {
        applied.diagnostics.iter().any(|diagnostic| diagnostic.is_error() && diagnostic.summary == summary)
    };
    let becomes = match fault {
        Fault::UpdateTaints if course.action() == Action::Update && course.has_failed() => Status::Tainted,
        Fault::ProvisionerDoesNotTaint if course.creates() && has_error(summary::PROVISIONER) => Status::Ready,
        Fault::FailedCreateReady if course.creates() && course.has_failed() && course.is_answered_object() => {
            Status::Ready
        }
        Fault::PostconditionTaints if course.creates() && has_error(summary::POSTCONDITION) => Status::Tainted,
        Fault::FailureClearsTaint if course.was_tainted() && course.is_errored => {
            let kept = applied.state.current.as_ref().and_then(value_of);
            if kept != course.before.and_then(value_of) {
                return;
            }
            Status::Ready
        }
        _ => return,
    };
    if let Some(current) = &mut applied.state.current {
        current.status = becomes;
    }
}

fn object(fault: Fault, course: &Course<'_>, current: &mut Object) {
    let Some(before) = course.before else { return created(fault, course, current) };
    let is_update = course.action() == Action::Update;
    match fault {
        Fault::MarkUpdateUnsaved if course.is_of_marks() => current.sensitive = before.sensitive.clone(),
        Fault::NoOpSavesPlannedPrivate if course.action() == Action::NoOp => {
            current.private = course.of.private.clone();
        }
        Fault::LostAnswerKeepsPrivate if is_update && course.is_answered_nothing() => {
            current.private = before.private.clone();
        }
        Fault::ErrorRenewsPrivate if course.has_failed() && course.is_answered_null() && !course.creates() => {
            current.private = course.call.map(|(_, answer)| answer.private.clone()).unwrap_or_default();
        }
        Fault::PartialUpdateDropped if is_update && course.has_failed() && course.is_answered_object() => {
            current.stored = before.stored.clone();
        }
        Fault::DependenciesNotRenewed if is_update => current.dependencies = before.dependencies.clone(),
        _ => created(fault, course, current),
    }
}

fn created(fault: Fault, course: &Course<'_>, current: &mut Object) {
    if !(course.creates() || course.action() == Action::Update) {
        return;
    }
    match (fault, &current.stored) {
        (Fault::PlannedMarksOnly, Stored::Value(value)) if course.is_answered_object() => {
            current.sensitive = course.of.change.after.sensitive().on(value.view());
        }
        (Fault::FlagLost, _) => current.create_before_destroy = false,
        _ => {}
    }
}
