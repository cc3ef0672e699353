//! Expressions for an engine: many in one run, each with names of its own.

use std::collections::BTreeMap;

use planfuzz_core::value::Text;
use planfuzz_engine::{NamedValue, Question, Reply};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::{Locals, ROOT, sensitive, write_reply};
use planfuzz_language::expression::{Expression, Kind, parse};

use super::Driven;
use crate::case::ExpressionCall;
use crate::subject::Outcome;
use crate::subject::outcome::LeftOut;

/// Why an expression is not asked: in an indented heredoc, places are those of the text without its indentation.
const MISPLACED: &str = "a name in an indented heredoc, whose place is not told";

/// The number of expressions in one run.
const BATCH: usize = 256;

/// The answers, each with the index of its case.
pub fn answer(driven: &mut Driven, calls: &[(usize, &ExpressionCall)]) -> Vec<(usize, Outcome)> {
    calls.chunks(BATCH).flat_map(|calls| answer_run(driven, calls)).collect()
}

fn answer_run(driven: &mut Driven, calls: &[(usize, &ExpressionCall)]) -> Vec<(usize, Outcome)> {
    let asked: Vec<Option<Question>> =
        calls.iter().enumerate().map(|(place, (_, call))| question(place, call)).collect();
    let questions: Vec<Question> = asked.iter().flatten().cloned().collect();
    let replies = match driven.engine.expressions(&questions) {
        Ok(replies) => {
            let mut replies = replies.into_iter().map(outcome);
            let unasked = Outcome::LeftOut(LeftOut::Unaskable(MISPLACED));
            asked.iter().map(|asked| asked.as_ref().and_then(|_| replies.next()).unwrap_or(unasked.clone())).collect()
        }
        Err(problem) => {
            driven.trouble.get_or_insert(problem.to_string());
            vec![Outcome::LeftOut(LeftOut::Interrupted); calls.len()]
        }
    };
    calls.iter().map(|(index, _)| *index).zip(replies).collect()
}

fn outcome(reply: Reply) -> Outcome {
    match reply {
        Reply::Value { value, sensitive } => Outcome::Want(write_reply(value, &sensitive)),
        Reply::Errors(summaries) => {
            Outcome::Want(planfuzz_language::expression::notation::write_outcome(&Err(summaries)))
        }
        Reply::Crashed(site) => Outcome::Crashed { site, message: String::new(), predicted: false },
        Reply::OverBudget(limit) => Outcome::OverBudget { limit },
        Reply::LeftOut(reason) => Outcome::LeftOut(LeftOut::Engine(reason)),
    }
}

/// The question, with a prefix for its names: a name has one value in a run. `None` if a name is not at the place that the parser
/// gives.
fn question(place: usize, call: &ExpressionCall) -> Option<Question> {
    let Ok(tree) = parse(&call.expression, SourcePlace::default()) else {
        // An expression that cannot be parsed uses no names.
        return Some(Question { scope: Vec::new(), expression: call.expression.clone(), is_readable: false });
    };
    let mut ends = BTreeMap::new();
    names(&tree, &call.scope, &mut ends);
    let mut expression = call.expression.clone();
    for (end, name) in ends.iter().rev() {
        let begin = end.checked_sub(name.as_str().len())?;
        if call.expression.get(begin..*end) != Some(name.as_str()) {
            return None;
        }
        expression.insert_str(begin, &mark(place));
    }
    let used = call.scope.iter().filter(|(name, _)| ends.values().any(|used| used == *name));
    let scope = used.map(|(name, value)| NamedValue {
        name: Text::new(&format!("{}{}", mark(place), name.as_str())),
        value: value.value.clone(),
        sensitive: sensitive(value),
    });
    Some(Question { scope: scope.collect(), expression, is_readable: true })
}

fn mark(place: usize) -> String {
    format!("q{place}_")
}

/// The names of the scope that an expression uses, by the byte after each.
fn names(tree: &Expression, scope: &Locals, ends: &mut BTreeMap<usize, Text>) {
    let mut waiting = vec![tree];
    while let Some(node) = waiting.pop() {
        if let Kind::Attribute(of, name) = &node.kind
            && matches!(&of.kind, Kind::Root(root) if root.as_str() == ROOT)
            && scope.get(name.as_str()).is_some()
        {
            ends.insert(node.place.span.end as usize, name.clone());
        }
        waiting.extend(node.children());
    }
}

#[cfg(test)]
mod tests {
    use planfuzz_core::value::Value;
    use planfuzz_language::expression::Marked;

    use super::*;

    #[test]
    fn names_are_distinguished_wherever_they_stand() {
        let scope = Locals::new(["a", "b"].map(|name| (Text::new(name), Marked::from(Value::string(name)))));
        let ask =
            |expression: &str| question(3, &ExpressionCall { scope: scope.clone(), expression: expression.to_owned() });
        let asked =
            ask("\"é ${local.a} local.a\" == [for a in [local.b]: a.local.a][0] && local.c").expect("a question");
        assert_eq!(asked.expression, "\"é ${local.q3_a} local.a\" == [for a in [local.q3_b]: a.local.a][0] && local.c");
        assert_eq!(asked.scope.iter().map(|named| named.name.as_str()).collect::<Vec<_>>(), ["q3_a", "q3_b"]);
        assert_eq!(ask("local.a +").expect("a question").scope, []);
        assert!(ask("<<-T\n  x ${local.a}\n  T\n").is_none_or(|asked| asked.expression.contains("local.q3_a")));
    }
}
