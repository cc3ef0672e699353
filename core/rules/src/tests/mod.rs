//! For each rule a right answer, and wrong ones that break that rule and no other.

mod checks;
mod dynamic;
mod laws;
mod values;

use super::{ALL, Answered, Checked, Rules};
use planfuzz_core::json::Json;
use planfuzz_core::planner::Request;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

/// One input with its right answer and wrong ones, each with the rule that it breaks. Answers are written as in vectors,
/// or `refused`.
struct Fixture {
    name: &'static str,
    dialect: &'static str,
    /// The block of the schema.
    schema: &'static str,
    op: &'static str,
    /// The inputs in the order of the request's fields.
    inputs: &'static [&'static str],
    right: &'static str,
    wrong: &'static [(&'static str, &'static str)],
}

enum Written {
    Value(Value),
    Violations(Vec<String>),
    Refused,
}

impl Written {
    fn read(text: &str, op: &str, ty: &Type) -> Written {
        if text == "refused" {
            return Written::Refused;
        }
        let json = Json::parse(text).expect("an answer is JSON");
        if !op.starts_with("assert") {
            return Written::Value(Value::from_json(&json, ty).expect("an answer conforms"));
        }
        let mut paths = json.read_items(|item| item.expect_string().map(str::to_owned)).expect("paths");
        paths.sort();
        Written::Violations(paths)
    }

    fn answered(&self) -> Answered<'_> {
        match self {
            Written::Value(value) => Answered::Value(value),
            Written::Violations(paths) => Answered::Violations(paths),
            Written::Refused => Answered::Refused,
        }
    }
}

fn schema(block: &str) -> Schema {
    let json = Json::parse(&format!("{{\"block\":{block}}}")).expect("a schema is JSON");
    Schema::from_json(&json).expect("a schema")
}

fn request<'a>(op: &str, inputs: &'a [Value]) -> Request<'a> {
    match (op, inputs) {
        ("proposed_new", [prior, config]) => Request::ProposedNew { prior, config },
        ("planned_data_resource", [config]) => Request::PlannedDataResource { config },
        ("assert_plan_valid", [prior, config, planned]) => Request::AssertPlanValid { prior, config, planned },
        ("assert_object_compatible", [planned, actual]) => Request::AssertObjectCompatible { planned, actual },
        ("normalize_legacy", [value]) => Request::NormalizeLegacy { value },
        ("prepare_computed_blocks", [value]) => Request::PrepareComputedBlocks { value },
        _ => panic!("no such operation with so many inputs: {op}"),
    }
}

fn rules_of(checked: &Checked) -> Vec<&'static str> {
    let mut rules: Vec<_> = checked.broken.iter().map(|broken| broken.rule).collect();
    rules.dedup();
    rules
}

impl Fixture {
    fn problems(&self) -> Vec<String> {
        let schema = schema(self.schema);
        let dialect = self.dialect.parse().expect("a dialect");
        assert!(schema.is_valid(dialect), "{}: {:?}", self.name, schema.problems(dialect));
        let ty = schema.implied_type(dialect);
        let read =
            |text: &&str| Value::from_json(&Json::parse(text).expect("an input is JSON"), &ty).expect("conforms");
        let inputs: Vec<_> = self.inputs.iter().map(read).collect();
        let rules = Rules::new(&schema, dialect);
        let check = |text| rules.check(request(self.op, &inputs), Written::read(text, self.op, &ty).answered());
        let mut problems = Vec::new();
        let right = check(self.right);
        if !right.broken.is_empty() || (right.checks == 0 && self.right != "refused") {
            problems.push(format!("{}: {right:?}", self.name));
        }
        for (wrong, rule) in self.wrong {
            let checked = check(wrong);
            if rules_of(&checked) != [*rule] {
                problems.push(format!("{} {wrong}: {checked:?}", self.name));
            }
        }
        problems
    }
}

fn fixtures() -> impl Iterator<Item = &'static Fixture> {
    values::FIXTURES.iter().chain(checks::FIXTURES).chain(dynamic::FIXTURES)
}

/// The rules that no fixture can break, because the answer cannot be written; [`laws`] breaks them.
const IN_CODE: [&str; 3] = ["V03", "V50", "MP07"];

#[test]
fn every_rule_that_can_be_reported_is_broken_by_a_wrong_answer() {
    let broken: Vec<_> =
        fixtures().flat_map(|fixture| fixture.wrong.iter().map(|(_, rule)| *rule)).chain(IN_CODE).collect();
    let never: Vec<_> = ALL.iter().map(|rule| rule.id).filter(|id| !broken.contains(id)).collect();
    assert!(never.is_empty(), "{never:?}");
}

#[test]
fn right_answers_hold_and_wrong_ones_break_their_rule_alone() {
    let problems: Vec<_> = fixtures().flat_map(Fixture::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
