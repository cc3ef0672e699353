//! The duties of Core to providers: the values and private data that it sends.

use super::breach::Answers;
use super::calls::{Calls, Part, Segment, Segments, is_as_stored, value_of};
use super::findings::Findings;
use super::id::Id;
use super::planned::is_unmade;
use super::{Lifecycle, ignored, show};
use planfuzz_core::planner::{
    ApplyWalk, Configured, Exchange, PlanAnswer, PlanChange, PlanWalk, UpgradeState, ValidateConfig,
};
use planfuzz_core::plans::Action;
use planfuzz_core::state::{Object, Private, Status};
use planfuzz_core::value::Value;

/// The calls of a walk with a wrong request; the provider is not to blame for their answers.
#[derive(Debug)]
pub(super) struct Sent(Vec<bool>);

impl Sent {
    pub(super) fn new(calls: usize) -> Sent {
        Sent(vec![false; calls])
    }

    pub(super) fn is_wrong(&self, call: usize) -> bool {
        self.0[call]
    }

    fn note(&mut self, call: usize, holds: bool) {
        self.0[call] |= !holds;
    }
}

/// The requests of a plan walk.
pub(super) fn of_plan(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    walk: &PlanWalk,
    answers: &Answers,
    sent: &mut Sent,
) {
    in_general(of, findings, calls, sent);
    let segments = Segments::of(of.schema, walk);
    let is_ours = segments.stray.is_none();
    findings.hold(Id::I35, is_ours, || "expected upgrade calls for stored objects only, found another".to_owned());
    for segment in &segments.segments {
        let mut check = SegmentCheck { of, findings, calls, walk, answers, sent, segment };
        check.upgrades();
        check.private_data();
    }
    let Some(first) = calls.find(Part::First) else { return };
    if let Exchange::Plan(request, _) = &walk.exchanges[first] {
        let holds = prior_of_first(of, findings, walk, request);
        sent.note(first, holds & ignored::check(of, findings, calls, &request.prior, &request.config));
    }
    if let Some(second) = calls.find(Part::Second) {
        second_call(of, findings, calls, second, sent);
    }
    let more = calls.parts.iter().filter(|part| **part == Part::Second).count();
    findings.hold(Id::I13, more <= 1, || format!("expected at most two plan calls, found {}", more + 1));
}

/// The requests of an apply walk.
pub(super) fn of_apply(
    of: &Lifecycle<'_>,
    findings: &mut Findings,
    calls: &Calls<'_>,
    walk: &ApplyWalk,
    sent: &mut Sent,
) {
    in_general(of, findings, calls, sent);
    let Some(first) = calls.find(Part::First) else { return };
    if let Exchange::Plan(request, _) = &walk.exchanges[first] {
        let holds = ignored::check(of, findings, calls, &request.prior, &request.config);
        let is_replaced = calls.applies.is_some_and(|change| change.change.action != Action::Update);
        let prior_holds = findings.hold(Id::I03, request.prior.is_null() || !is_replaced, || {
            format!("expected a null prior where an object is created, found {}", show(&request.prior))
        });
        sent.note(first, holds & prior_holds);
    }
    if let Some(second) = calls.find(Part::Second) {
        second_call(of, findings, calls, second, sent);
    }
}

/// The checks of every request.
fn in_general(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, sent: &mut Sent) {
    for (call, part, exchange) in calls.iter() {
        let holds = match exchange {
            Exchange::Validate(request, _) => validated(of, findings, calls, request),
            Exchange::ReadData(request, _) => is_written(of, findings, calls, &request.config),
            Exchange::Apply(request, _) if request.config.is_null() => {
                destroys(findings, [&request.planned], &request.prior)
            }
            Exchange::Apply(request, _) => is_written(of, findings, calls, &request.config),
            Exchange::Plan(request, _) if part == Part::Destroy => {
                destroys(findings, [&request.proposed], &request.prior)
            }
            Exchange::Plan(request, _) => is_merged(of, findings, request),
            Exchange::Upgrade(..) | Exchange::Read(..) | Exchange::Import(..) => true,
        };
        sent.note(call, holds);
    }
}

/// I01 for a validation, the static one included.
fn validated(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, request: &ValidateConfig) -> bool {
    let at_validation = calls.configured().map(Configured::at_static_validation);
    if at_validation.is_some_and(|config| of.is_as_written(&config, &request.config)) {
        findings.count(Id::I01);
        return true;
    }
    is_written(of, findings, calls, &request.config)
}

/// I01.
fn is_written(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, config: &Value) -> bool {
    let written = calls.configured().map(|configured| configured.config.value());
    let holds = written.is_some_and(|written| of.is_as_written(written, config));
    findings.hold(Id::I01, holds, || {
        let wanted = written.map_or_else(|| "no call".to_owned(), show);
        format!("expected the configuration as written, {wanted}, found {}", show(config))
    })
}

/// I04.
fn destroys<const N: usize>(findings: &mut Findings, nulls: [&Value; N], prior: &Value) -> bool {
    let holds = nulls.iter().all(|value| value.is_null()) && !prior.is_null();
    findings.hold(Id::I04, holds, || {
        format!("expected the end of an object, found {} of prior {}", nulls.map(show).concat(), show(prior))
    })
}

/// I03: the proposed object.
fn is_merged(of: &Lifecycle<'_>, findings: &mut Findings, request: &PlanChange) -> bool {
    let broken = of.broken_merge(&request.prior, &request.config, &request.proposed);
    findings.hold_at(Id::I03, broken.is_none(), || {
        let path = broken.as_ref().map(|broken| (&broken.path).into()).unwrap_or_default();
        let message = broken.map(|broken| format!("{} ({})", broken.message, broken.rule)).unwrap_or_default();
        (path, format!("the proposed object: {message}"))
    })
}

/// I03, I39: the prior, in a plan walk.
fn prior_of_first(of: &Lifecycle<'_>, findings: &mut Findings, walk: &PlanWalk, request: &PlanChange) -> bool {
    if is_unmade(walk) {
        return true;
    }
    let Some(object) = &walk.plan.refreshed.current else {
        return findings.hold(Id::I03, request.prior.is_null(), || {
            format!("expected a null prior for a creation, found {}", show(&request.prior))
        });
    };
    if object.status == Status::Tainted {
        return findings.hold(Id::I39, request.prior.is_null() && request.private.is_none(), || {
            format!("expected no prior and no private data for a tainted object, found {}", show(&request.prior))
        });
    }
    if let Some(read) = read_with_unknowns(of, walk) {
        // LD23: a known break, because a prior should be known.
        findings.hold_though_predicted(Id::I03, request.prior.is_wholly_known(), || {
            format!("expected a known prior, found {}", show(&request.prior))
        });
        return findings.hold(Id::I03, of.is_normal_form(read, &request.prior), || {
            format!("expected what was read, {}, as prior, found {}", show(read), show(&request.prior))
        });
    }
    // It is open what engines that do not check for unknowns make of an upgrade.
    let Some(value) = value_of(object).filter(|value| value.is_wholly_known()) else { return true };
    findings.hold(Id::I03, request.prior == *value, || {
        format!("expected the refreshed object {} as prior, found {}", show(value), show(&request.prior))
    })
}

/// LD23: the read value of the current object if it has unknowns that are no error; `None` otherwise.
pub(super) fn read_with_unknowns<'a>(of: &Lifecycle<'_>, walk: &'a PlanWalk) -> Option<&'a Value> {
    if of.dialect.refuses_unknowns_in_reads() {
        return None;
    }
    let before_plan = walk.exchanges.iter().take_while(|exchange| !matches!(exchange, Exchange::Plan(..)));
    let read = before_plan.filter_map(|exchange| match exchange {
        Exchange::Read(_, answer) => Some(&answer.new_state),
        _ => None,
    });
    read.last().filter(|read| !read.is_wholly_known())
}

/// I38, and the private data of L47.
fn second_call(of: &Lifecycle<'_>, findings: &mut Findings, calls: &Calls<'_>, second: usize, sent: &mut Sent) {
    let Exchange::Plan(request, _) = &calls.exchanges[second] else { return };
    let written = calls.configured().map(|configured| configured.config.value());
    let is_written = written.is_some_and(|written| of.is_as_written(written, &request.config));
    let holds = findings.hold(Id::I38, is_written && request.prior.is_null(), || {
        format!("expected the configuration as written and no prior, found {}", show(&request.config))
    });
    sent.note(second, holds);
    if let Some(Exchange::Plan(_, first)) = calls.find(Part::First).map(|first| &calls.exchanges[first]) {
        sent.note(
            second,
            passes_on(findings, "the private data of the first answer", &first.private, &request.private),
        );
    }
}

/// I41.
pub(super) fn passes_on(findings: &mut Findings, what: &str, given: &Private, passed: &Private) -> bool {
    findings.hold(Id::I41, given == passed, || format!("expected {what}, {given:?}, found {passed:?}"))
}

/// The calls about one object in a plan walk.
struct SegmentCheck<'c, 's, 'a> {
    of: &'c Lifecycle<'s>,
    findings: &'c mut Findings,
    calls: &'c Calls<'a>,
    walk: &'a PlanWalk,
    answers: &'c Answers,
    sent: &'c mut Sent,
    segment: &'c Segment<'a>,
}

impl<'a> SegmentCheck<'_, '_, 'a> {
    fn exchanges(&self) -> impl Iterator<Item = (usize, &'a Exchange)> + use<'a> {
        let range = self.segment.range.clone();
        range.clone().zip(&self.walk.exchanges[range])
    }

    /// I35, Core's part.
    fn upgrades(&mut self) {
        let Some(object) = self.segment.object else { return };
        for (call, exchange) in self.exchanges() {
            let Exchange::Upgrade(UpgradeState { version, state }, _) = exchange else { continue };
            let holds = is_as_stored(self.of.schema, object, *version, state);
            let holds = self.findings.hold(Id::I35, holds, || "expected the object as it is stored".to_owned());
            self.sent.note(call, holds);
        }
    }

    /// I41 from the stored object to the planned one.
    fn private_data(&mut self) {
        let none = Private::NONE;
        let object = self.segment.object;
        let mut held = object.map_or(&none, |object| &object.private);
        let is_tainted = object.is_some_and(|object| object.status == Status::Tainted);
        let is_current = self.segment.deposed.is_none();
        let is_nothing = |exchange: &Exchange| match exchange {
            Exchange::Upgrade(_, answer) => answer.upgraded.is_null() || answer.upgraded.is_unknown(),
            Exchange::Read(_, answer) => answer.new_state.is_unknown(),
            _ => false,
        };
        if self.exchanges().any(|(_, exchange)| is_nothing(exchange)) {
            // It is open what an object is that was upgraded to null, or read as unknown.
            return;
        }
        for (call, exchange) in self.exchanges() {
            match exchange {
                Exchange::Import(_, answer) => {
                    held = answer.imported.first().map_or(&none, |(_, private)| private);
                }
                Exchange::Read(request, answer) => {
                    let holds = passes_on(self.findings, "the object's private data", held, &request.private);
                    self.sent.note(call, holds);
                    if self.answers.goes_on(call) {
                        // An object that is gone leaves the private data of that answer (L33).
                        held = &answer.private;
                    }
                }
                Exchange::Plan(request, _) if self.calls.parts[call] == Part::First => {
                    let given = if is_tainted && is_current { &none } else { held };
                    let holds = passes_on(self.findings, "the object's private data", given, &request.private);
                    self.sent.note(call, holds);
                }
                Exchange::Plan(request, _) if self.calls.parts[call] == Part::Destroy => {
                    let holds = passes_on(self.findings, "the object's private data", held, &request.private);
                    self.sent.note(call, holds);
                }
                _ => {}
            }
        }
    }
}

/// The private data that a plan keeps: that of the last answer, or without one that of the object (L120).
pub(super) fn planned_private<'a>(answer: Option<&'a PlanAnswer>, object: Option<&'a Object>) -> Private {
    match (answer, object) {
        (Some(answer), _) => answer.private.clone(),
        (None, Some(object)) => object.private.clone(),
        (None, None) => Private::NONE,
    }
}
