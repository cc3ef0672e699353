//! Runs of scenarios judged: a planner that answers or acts otherwise is found, with what differs and where.

use std::collections::BTreeMap;
use std::path::Path;

use planfuzz::case::{Case, CaseFile};
use planfuzz::compare::trace_properties::{ALL, check};
use planfuzz::compare::{Answers, Judge, Summary};
use planfuzz::generate::{Generator, Scenarios, Settings};
use planfuzz::subject::{InProcess, Subject};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    Applied, ApplyRequest, Plan, PlanRequest, Planner, Prepared, Provider, Refusal, ValidateConfig, Violation,
};
use planfuzz_core::plans::ActionReason;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Path as ValuePath, Type, Value};
use planfuzz_optimized::Optimized;
use planfuzz_reference::Reference;

/// A planner that walks as the reference does, and then alters its answers.
#[derive(Clone, Copy)]
struct Spoilt {
    plan: fn(&mut Plan) -> Result<(), Refusal>,
    apply: fn(&mut Applied) -> Result<(), Refusal>,
    /// Whether it asks for one validation too many.
    asks_again: bool,
}

const SOUND: Spoilt = Spoilt { plan: |_| Ok(()), apply: |_| Ok(()), asks_again: false };

impl Planner for Spoilt {
    fn name(&self) -> &str {
        "spoilt"
    }

    fn prepare<'s>(&self, schema: &'s Schema, dialect: Dialect) -> Box<dyn Prepared + 's> {
        Box::new(SpoiltAnswers { right: Reference.prepare(schema, dialect), spoilt: *self })
    }
}

struct SpoiltAnswers<'s> {
    right: Box<dyn Prepared + 's>,
    spoilt: Spoilt,
}

impl Prepared for SpoiltAnswers<'_> {
    fn proposed_new(&self, prior: &Value, config: &Value) -> Result<Value, Refusal> {
        self.right.proposed_new(prior, config)
    }

    fn planned_data_resource(&self, config: &Value) -> Result<Value, Refusal> {
        self.right.planned_data_resource(config)
    }

    fn assert_plan_valid(&self, prior: &Value, config: &Value, planned: &Value) -> Result<Vec<Violation>, Refusal> {
        self.right.assert_plan_valid(prior, config, planned)
    }

    fn assert_object_compatible(&self, planned: &Value, actual: &Value) -> Result<Vec<Violation>, Refusal> {
        self.right.assert_object_compatible(planned, actual)
    }

    fn normalize_legacy(&self, value: &Value) -> Result<Value, Refusal> {
        self.right.normalize_legacy(value)
    }

    fn prepare_computed_blocks(&self, value: &Value) -> Result<Value, Refusal> {
        self.right.prepare_computed_blocks(value)
    }

    fn plan(&self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, Refusal> {
        let mut plan = self.right.plan(request, provider)?;
        if self.spoilt.asks_again {
            provider.validate(ValidateConfig { config: Value::null(Type::Dynamic) });
        }
        (self.spoilt.plan)(&mut plan)?;
        Ok(plan)
    }

    fn apply(&self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, Refusal> {
        let mut applied = self.right.apply(request, provider)?;
        (self.spoilt.apply)(&mut applied)?;
        Ok(applied)
    }
}

/// An update, and a plan that has nothing to do.
fn case() -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/lifecycle/update-in-place.json");
    let text = std::fs::read_to_string(path).expect("a file of the corpus");
    CaseFile::from_json(&Json::parse(&text).expect("a document")).expect("a case").case
}

/// The signatures of the findings, and how many walks were compared.
fn found(planner: Spoilt) -> (Vec<String>, u64, u64) {
    let case = [case()];
    let (mut reference, mut spoilt) = (InProcess::new(Reference), InProcess::new(planner));
    let outcomes = [reference.answer(&case).remove(0), spoilt.answer(&case).remove(0)];
    let answers = [Answers::of(&reference, &outcomes[0]), Answers::of(&spoilt, &outcomes[1])];
    let mut summary = Summary::default();
    let found = Judge::default().judge(&case[0], &answers, &mut summary);
    let signatures = found.iter().map(|found| found.signature.to_string());
    (signatures.collect(), summary.comparisons, summary.tally.agree)
}

fn refusal() -> Refusal {
    Refusal::new("T1", &ValuePath::root(), "refused by a test")
}

#[test]
fn a_sound_planner_agrees_in_every_walk() {
    assert_eq!(found(SOUND), (Vec::new(), 3, 3));
}

#[test]
fn another_reason_is_found_in_the_change_that_has_it() {
    let plan = |plan: &mut Plan| {
        plan.changes.iter_mut().for_each(|change| change.reason = ActionReason::ReplaceByRequest);
        Ok(())
    };
    let (signatures, comparisons, agree) = found(Spoilt { plan, ..SOUND });
    assert_eq!(signatures[0], "scenario diverge:reason root reference/spoilt");
    assert_eq!((comparisons, agree), (1, 0), "the first difference ends the comparison");
    assert!(signatures[1..].iter().all(|signature| signature.ends_with("root spoilt")), "{signatures:?}");
}

#[test]
fn the_saved_state_counts_and_the_invariants_see_it_too() {
    let apply = |applied: &mut Applied| {
        applied.state.current = None;
        Ok(())
    };
    let (signatures, comparisons, agree) = found(Spoilt { apply, ..SOUND });
    assert_eq!(signatures[0], "scenario diverge:state root reference/spoilt");
    assert_eq!((comparisons, agree), (2, 1));
    assert!(signatures.iter().any(|signature| signature.starts_with("scenario rule_broken:I")), "{signatures:?}");
}

#[test]
fn a_request_too_many_is_found() {
    let (signatures, _, _) = found(Spoilt { asks_again: true, ..SOUND });
    assert_eq!(signatures[0], "scenario diverge:request root reference/spoilt");
}

#[test]
fn a_refusal_by_one_is_found_in_its_walk() {
    let (signatures, comparisons, agree) = found(Spoilt { apply: |_| Err(refusal()), ..SOUND });
    assert_eq!(signatures, ["scenario diverge:refused_by_one root reference/spoilt"]);
    assert_eq!((comparisons, agree), (2, 1));
}

#[test]
fn a_panic_is_a_crash_and_the_walks_before_it_agree() {
    let (signatures, comparisons, agree) = found(Spoilt { apply: |_| panic!("by a test"), ..SOUND });
    assert_eq!(signatures.len(), 1, "{signatures:?}");
    assert!(signatures[0].starts_with("scenario crash:tests/evidence/scenarios.rs:"), "{signatures:?}");
    assert_eq!((comparisons, agree), (1, 1));
}

/// How many scenarios are checked for the properties of scenarios.
const RELATED: u64 = 400;

#[test]
fn right_planners_keep_every_property_of_traces() {
    let mut scenarios = Scenarios::new(Generator::new(Settings::MIXED).in_dialects(&Dialect::ALL), 5);
    let planners: [&dyn Planner; 2] = [&Reference, &Optimized];
    let mut applied: BTreeMap<&str, u64> = BTreeMap::new();
    let mut broken = Vec::new();
    for number in 0..RELATED {
        let case = scenarios.case(number);
        for planner in planners {
            let checked = check(planner, &case);
            broken.extend(checked.broken.into_iter().map(|broken| (number, planner.name(), broken)));
            checked.applied.into_iter().for_each(|property| *applied.entry(property).or_default() += 1);
        }
    }
    assert!(broken.is_empty(), "{} of {applied:?}: {broken:#?}", broken.len());
    let rare = ALL.iter().filter(|property| applied.get(property.id).is_none_or(|count| *count < RELATED / 4));
    assert_eq!(rare.map(|property| property.id).collect::<Vec<_>>(), Vec::<&str>::new(), "{applied:?}");
}
