//! The result of a plan: its changes, its refreshed state, the value for expressions.

use super::breach::Answers;
use super::calls::{Calls, Part, Segments, is_newer, value_of};
use super::findings::Findings;
use super::fits::is_equal;
use super::id::Id;
use super::requests::{passes_on, planned_private, read_with_unknowns};
use super::{Lifecycle, replaced, show};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Exchange, PlanAnswer, PlanWalk, ReadAnswer};
use planfuzz_core::plans::{Action, Mode, ResourceInstanceChange};
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private};
use planfuzz_core::value::{PathSet, Value};

/// Checks the result of a plan walk against its calls.
pub(super) fn check(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    walk: &PlanWalk,
    answers: &Answers,
) {
    one_change_each(findings, walk);
    let segments = Segments::of(of.schema, walk);
    for change in &walk.plan.changes {
        PlannedChange { of, findings, calls, walk, answers, segments: &segments, change }.check();
    }
    if calls.kind == ResourceKind::Managed && !is_unmade(walk) {
        refreshed(of, findings, &segments, walk, answers);
        deposed_are_planned(of, findings, &segments, walk, answers);
    }
    if walk.request.mode == Mode::RefreshOnly {
        findings.hold(Id::I34, walk.plan.changes.is_empty(), || {
            format!("expected no changes in refresh-only mode, found {}", walk.plan.changes.len())
        });
    }
    visible_value(findings, walk);
}

/// Whether there is no plan: one of destruction whose refresh failed (LD09).
pub(super) fn is_unmade(walk: &PlanWalk) -> bool {
    walk.request.mode == Mode::Destroy && !walk.request.options.skip_refresh && walk.plan.is_errored()
}

/// I51.
fn one_change_each(findings: &mut Findings, walk: &PlanWalk) {
    let keys: Vec<_> = walk.plan.changes.iter().map(|change| change.deposed.as_ref()).collect();
    let ascend = keys.windows(2).all(|pair| pair[0] < pair[1]);
    findings.hold(Id::I51, ascend, || {
        format!("expected the current object's change and then each deposed one's, by key, found {keys:?}")
    });
}

/// I43.
fn visible_value(findings: &mut Findings, walk: &PlanWalk) {
    let current = walk.plan.changes.iter().find(|change| change.deposed.is_none());
    let Some(change) = current.filter(|_| walk.request.mode == Mode::Normal).map(|change| &change.change) else {
        return;
    };
    let seen = walk.plan.working.as_ref();
    let holds = match change.action {
        Action::Delete | Action::Forget => return,
        Action::NoOp if change.after.is_null() => seen.is_none_or(|seen| seen.is_null()),
        Action::NoOp => seen.is_some_and(|seen| is_equal(seen.value(), change.after.value())),
        _ => seen.is_some_and(|seen| seen.raw_equals(&change.after)),
    };
    findings.hold(Id::I43, holds, || {
        let found = seen.map_or_else(|| "nothing".to_owned(), |seen| show(seen.value()));
        format!("expected expressions to see {} as marked, found {found}", show(change.after.value()))
    });
}

struct PlannedChange<'c, 's, 'a> {
    of: &'c Lifecycle<'s>,
    findings: &'c mut Findings,
    calls: &'c Calls<'a>,
    walk: &'a PlanWalk,
    answers: &'c Answers,
    segments: &'c Segments<'a>,
    change: &'a ResourceInstanceChange,
}

impl<'a> PlannedChange<'_, '_, 'a> {
    fn check(&mut self) {
        let is_current = self.change.deposed.is_none();
        match self.change.change.action {
            Action::NoOp => self.no_op(),
            Action::Update => self.update(),
            Action::Create => self.create(),
            Action::Read => {}
            Action::Delete | Action::Forget => self.delete(),
            Action::DeleteThenCreate
            | Action::CreateThenDelete
            | Action::CreateThenForget
            | Action::ForgetThenCreate => self.replace(),
        }
        if is_current && self.calls.kind == ResourceKind::Managed && self.calls.configured().is_some() {
            self.configured();
        }
        self.private_data();
    }

    /// I14.
    fn no_op(&mut self) {
        let change = &self.change.change;
        let holds = is_equal(change.before.value(), change.after.value())
            && change.before.sensitive() == change.after.sensitive();
        self.findings.hold(Id::I14, holds, || {
            format!("expected {} with its marks, found {}", show(change.before.value()), show(change.after.value()))
        });
    }

    /// I15.
    fn update(&mut self) {
        let change = &self.change.change;
        let is_there = !change.before.is_null() && (!change.after.is_null() || self.is_legacy_null());
        self.findings.hold(Id::I15, is_there, || "expected an object before and after an update".to_owned());
        let is_same = is_equal(change.before.value(), change.after.value())
            && change.before.sensitive() == change.after.sensitive();
        self.findings.hold(Id::I15, !is_same, || "expected an update to change something, found a no-op".to_owned());
        self.findings.hold(Id::I15, self.change.required_replace.is_empty(), || {
            format!("expected nothing that requires replacement, found {:?}", self.change.required_replace.texts())
        });
    }

    /// I16.
    fn create(&mut self) {
        let change = &self.change.change;
        let holds = change.before.is_null() && (!change.after.is_null() || self.is_legacy_null());
        self.findings.hold(Id::I16, holds, || {
            format!("expected an object out of nothing, found {} out of {}", show(change.after.value()), {
                show(change.before.value())
            })
        });
    }

    /// I19.
    fn delete(&mut self) {
        let change = &self.change.change;
        let is_data = self.calls.kind == ResourceKind::Data;
        if self.is_forgotten_though_gone() {
            // L130
            self.findings
                .hold_though_predicted(Id::I19, false, || "expected nothing to be done, found it forgotten".to_owned());
            return;
        }
        let holds = change.after.is_null() && (is_data || !change.before.is_null());
        self.findings.hold(Id::I19, holds, || {
            format!("expected nothing out of an object, found {} out of {}", show(change.after.value()), {
                show(change.before.value())
            })
        });
        let is_current = self.change.deposed.is_none();
        let is_configured = self.calls.configured().is_some() && self.walk.request.mode == Mode::Normal;
        self.findings.hold(Id::I19, !is_current || !is_configured, || {
            "expected what is configured to stay, found a deletion".to_owned()
        });
    }

    /// L130: OpenTofu's change for a deposed object that it should keep and that the refresh found gone.
    fn is_forgotten_though_gone(&self) -> bool {
        let change = &self.change.change;
        let stored = self.change.deposed.as_ref().and_then(|key| self.walk.request.state.deposed.get(key));
        self.of.dialect.forgets_absent_deposed()
            && change.action == Action::Forget
            && change.before.is_null()
            && stored.is_some_and(|object| object.skip_destroy)
    }

    /// I17.
    fn replace(&mut self) {
        let change = &self.change.change;
        let object = self.walk.plan.refreshed.current.as_ref();
        let value = object.and_then(value_of);
        let is_replaced = match read_with_unknowns(self.of, self.walk) {
            Some(read) => self.of.is_normal_form(read, change.before.value()),
            None => value.is_some_and(|value| value == change.before.value()),
        };
        self.findings.hold(Id::I17, is_replaced, || {
            let wanted = value.map_or_else(|| "an object that is there".to_owned(), show);
            format!("expected {wanted} to be replaced, found {}", show(change.before.value()))
        });
        let last = self.last_plan();
        let is_planned =
            last.is_some_and(|(prior_is_null, answer)| prior_is_null && answer.planned == *change.after.value());
        self.findings.hold(Id::I17, is_planned, || {
            format!("expected what was planned without a prior, found {}", show(change.after.value()))
        });
    }

    /// The choice of the action for a configured object (section 10).
    fn configured(&mut self) {
        let Some(first) = self.calls.find(Part::First) else { return };
        let Exchange::Plan(request, answer) = &self.walk.exchanges[first] else { return };
        let is_tainted = replaced::is_tainted(self.walk);
        let is_replacement = replaced::is_replacement(self.change.change.action);
        if is_tainted {
            let is_normal = self.walk.request.mode == Mode::Normal;
            self.findings.hold(Id::I39, is_replacement || !is_normal, || {
                format!("expected a tainted object to be replaced, found {}", self.change.change.action)
            });
            let more = self.calls.find(Part::Second).is_some();
            self.findings.hold(Id::I39, !more, || "expected one plan call for a tainted object, found two".to_owned());
        }
        replaced::check(self.of, self.findings, self.calls, self.walk, self.change, (request, answer));
    }

    /// I41: the private data that the change keeps.
    fn private_data(&mut self) {
        let wanted = match self.change.change.action {
            Action::Forget | Action::Read => Private::NONE,
            Action::Delete if self.calls.kind == ResourceKind::Data => Private::NONE,
            Action::Delete => planned_private(self.destroy_answer(), self.object()),
            Action::NoOp if self.walk.request.mode != Mode::Normal => return,
            _ => match self.last_plan() {
                Some((_, answer)) => answer.private.clone(),
                None => return,
            },
        };
        passes_on(self.findings, "the planned private data", &wanted, &self.change.private);
    }

    /// The last plan call with a configuration: whether it had no prior, and its answer.
    fn last_plan(&self) -> Option<(bool, &'a PlanAnswer)> {
        if self.change.deposed.is_some() {
            return None;
        }
        let part = if self.calls.find(Part::Second).is_some() { Part::Second } else { Part::First };
        let call = self.calls.find(part)?;
        match &self.walk.exchanges[call] {
            Exchange::Plan(request, answer) => Some((request.prior.is_null(), answer)),
            _ => None,
        }
    }

    /// The answer to the last destroy call about the change's object.
    fn destroy_answer(&self) -> Option<&'a PlanAnswer> {
        let segment = self.segments.last_of(self.change.deposed.as_ref())?;
        let call = segment.range.clone().rev().find(|call| self.calls.parts[*call] == Part::Destroy)?;
        match &self.walk.exchanges[call] {
            Exchange::Plan(_, answer) => Some(answer),
            _ => None,
        }
    }

    /// The object that the change destroys, as it was when that was planned: of an orphan maybe before its refresh (L123).
    fn object(&self) -> Option<&'a Object> {
        let is_orphan = self.calls.configured().is_none() && self.change.deposed.is_none();
        let is_unrefreshed = is_orphan && !self.of.dialect.refreshes_orphans_first();
        match is_unrefreshed && self.walk.request.mode == Mode::Normal {
            true => self.walk.request.state.current.as_ref(),
            false => object_of(&self.walk.plan.refreshed, self.change.deposed.as_ref()),
        }
    }

    /// L41: whether a legacy provider answered null for a configured object.
    fn is_legacy_null(&self) -> bool {
        let first = self.calls.find(Part::First).map(|first| &self.walk.exchanges[first]);
        let is_null = |answer: &PlanAnswer| answer.legacy_type_system && answer.planned.is_null();
        let of_first = matches!(first, Some(Exchange::Plan(_, answer)) if is_null(answer));
        of_first && self.answers.goes_on(self.calls.find(Part::First).unwrap_or_default())
    }
}

fn object_of<'a>(state: &'a InstanceState, deposed: Option<&DeposedKey>) -> Option<&'a Object> {
    match deposed {
        None => state.current.as_ref(),
        Some(key) => state.deposed.get(key),
    }
}

/// I34, I41, I44: what a refresh keeps.
fn refreshed(of: &Lifecycle<'_>, findings: &mut Findings, segments: &Segments<'_>, walk: &PlanWalk, answers: &Answers) {
    for segment in segments.segments.iter().filter(|segment| !segment.is_destroying) {
        let reads = segment.range.clone().rev().find_map(|call| match &walk.exchanges[call] {
            Exchange::Read(_, answer) => Some((call, answer)),
            _ => None,
        });
        let Some((_, answer)) = reads.filter(|(call, _)| answers.goes_on(*call)) else { continue };
        let kept = object_of(&walk.plan.refreshed, segment.deposed);
        if answer.new_state.is_null() {
            findings.hold(Id::I34, kept.is_none(), || "expected nothing where nothing was read".to_owned());
        } else if let Some(kept) = kept {
            let upgraded = walk.exchanges[segment.range.clone()].iter().find_map(|exchange| match exchange {
                Exchange::Upgrade(_, answer) => Some(&answer.upgraded),
                _ => None,
            });
            kept_as_read(of, findings, segment.object, upgraded, answer, kept);
        } else {
            findings.hold(Id::I34, false, || format!("expected {}, found nothing", show(&answer.new_state)));
        }
    }
}

fn kept_as_read(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    before: Option<&Object>,
    upgraded: Option<&Value>,
    answer: &ReadAnswer,
    kept: &Object,
) {
    let Some(value) = value_of(kept) else {
        findings.hold(Id::I34, false, || "expected a value of the schema's type, found stored attributes".to_owned());
        return;
    };
    // LD23: engines that do not check for unknowns turn them into null here; what else becomes null with them is not checked.
    let is_read_unknown = !answer.new_state.is_wholly_known() && value.is_wholly_known();
    let is_open = is_read_unknown || !answer.new_state.ty().conforms_to(of.ty());
    findings.hold(Id::I34, is_open || of.is_normal_form(&answer.new_state, value), || {
        format!("expected what was read, {}, found {}", show(&answer.new_state), show(value))
    });
    let status = before.map(|before| before.status).unwrap_or_default();
    findings.hold(Id::I34, kept.status == status, || format!("expected {status:?}, found {:?}", kept.status));
    passes_on(findings, "the private data that was read", &answer.private, &kept.private);
    let Some(wanted) = of.schema_marks(value) else { return };
    // A mark on a place that the old object does not have is lost before the read brings that place.
    let sitting = before.and_then(|before| upgraded.map(|upgraded| before.sensitive.on(upgraded.view())));
    let old = sitting.map_or(PathSet::EMPTY, |marks| marks.on(value.view()));
    let missing = wanted.union(&old).iter().find(|path| !kept.sensitive.contains(path)).cloned();
    findings.hold_at(Id::I44, missing.is_none(), || {
        (missing.unwrap_or_default(), "expected a sensitive mark, found none".to_owned())
    });
}

/// I48.
fn deposed_are_planned(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    segments: &Segments<'_>,
    walk: &PlanWalk,
    answers: &Answers,
) {
    let has_begun = walk.exchanges.iter().any(|exchange| matches!(exchange, Exchange::Upgrade(..)));
    let is_planned = walk.request.mode == Mode::Normal && (has_begun || !walk.plan.is_errored());
    if !is_planned {
        return;
    }
    let planned: Vec<_> = walk.plan.changes.iter().filter_map(|change| change.deposed.as_ref()).collect();
    for (key, object) in &walk.request.state.deposed {
        if is_newer(of.schema, object) {
            continue;
        }
        let segment = segments.last_of(Some(key));
        let is_clean = segment.is_none_or(|segment| segment.range.clone().all(|call| answers.goes_on(call)));
        let holds = !is_clean || (segment.is_some() && planned.binary_search(&key).is_ok());
        findings.hold(Id::I48, holds, || format!("expected a change of the deposed object {}", key.as_str()));
    }
}
