//! The planner from wire to wire as a subject: it answers `proposed_new` for values that msgpack preserves.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack::{decode, encode};
use planfuzz_core::planner::{Planner, Prepared, Request};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value, raw_equals};
use planfuzz_optimized::Wire;

use super::Subject;
use super::in_process::answer_request;
use super::outcome::{LeftOut, Outcome};
use crate::case::Shown;
use crate::case::has_minus_zero_in_set;
use crate::case::{Case, Op};
use crate::guard::guard;

/// The planner from wire to wire.
///
/// The metamorphic properties are not checked on it: they ask for more operations than it answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfBytes;

impl Subject for OfBytes {
    fn name(&self) -> &str {
        Wire.name()
    }

    fn can(&self, op: Op, _: Dialect) -> bool {
        op == Op::ProposedNew
    }

    /// Bytes contain as little of types as text: the optional markers of the schema (S34) are lost.
    fn shows(&self) -> Shown {
        Shown::Written
    }

    fn answer(&mut self, cases: &[Case]) -> Vec<Vec<Outcome>> {
        cases.chunk_by(Case::is_prepared_like).flat_map(answer_alike).collect()
    }
}

/// Answers cases that are prepared alike.
fn answer_alike(cases: &[Case]) -> Vec<Vec<Outcome>> {
    let asks = |case: &Case| case.ops().contains(&Op::ProposedNew);
    let schema = cases.iter().find(|case| asks(case)).and_then(|case| Some((case.schema()?, case.dialect)));
    let Some((schema, dialect)) = schema else {
        return cases.iter().map(|case| vec![Outcome::LeftOut(LeftOut::UnknownOp); case.ops().len()]).collect();
    };
    let ty = schema.implied_type(dialect);
    let prepared = guard(|| prepare(schema, dialect));
    let answer = |case: &Case, op: Op| match (case.request(op), &prepared) {
        (Some(Request::ProposedNew { prior, config }), Ok(prepared)) => match is_kept(&ty, [prior, config]) {
            true => answer_request(&**prepared, Request::ProposedNew { prior, config }),
            false => Outcome::LeftOut(LeftOut::ChangedOnTheWire),
        },
        (Some(Request::ProposedNew { .. }), Err(panic)) => panic.clone().into(),
        _ => Outcome::LeftOut(LeftOut::UnknownOp),
    };
    cases.iter().map(|case| case.ops().into_iter().map(|op| answer(case, op)).collect()).collect()
}

fn prepare(schema: &Schema, dialect: Dialect) -> Box<dyn Prepared + '_> {
    Wire.prepare(schema, dialect)
}

/// V95: whether the planner reads the same values. The sign of a zero shows only in the order of sets (V56).
fn is_kept(ty: &Type, values: [&Value; 2]) -> bool {
    values.iter().all(|value| {
        let read = encode(value.view(), ty).ok().and_then(|bytes| decode(&bytes, ty).ok());
        read.is_some_and(|read| raw_equals(read.view(), value.view())) && !has_minus_zero_in_set(value.view())
    })
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;

    use super::*;
    use crate::case::CaseFile;

    #[test]
    fn it_answers_the_merge_of_what_msgpack_keeps() {
        let case = |prior: &str, op: &str| {
            let text = format!(
                r#"{{"format":1,"purpose":"","dialect":"terraform-1.11","op":"{op}",
                "schema":{{"block":{{"attributes":{{"n":{{"type":"number","optional":true,"computed":true}}}}}}}},
                "prior":{{"n":{prior}}},"config":{{"n":null}}}}"#
            );
            CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").case
        };
        let cases = [case("1.5", "proposed_new"), case(r#"{"$unknown":{}}"#, "proposed_new")];
        let answers = OfBytes.answer(&cases);
        assert!(matches!(answers[0][..], [Outcome::Value(_)]), "{answers:?}");
        assert!(matches!(answers[1][..], [Outcome::LeftOut(LeftOut::ChangedOnTheWire)]), "{answers:?}");
    }
}
