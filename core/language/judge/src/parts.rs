//! Finds the smallest part of an expression that still shows the same difference as the whole.

use planfuzz_language::SourcePlace;
use planfuzz_language::expression::notation::ROOT;
use planfuzz_language::expression::{Expression, Kind, parse};

/// The parts of an expression that can stand alone, the shortest first; the last is the whole.
pub fn parts(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(expression) = parse(source, SourcePlace::default()) {
        collect(&expression, source, &mut found);
    }
    found.retain(|part| is_closed(part));
    found.push(source.to_owned());
    found.sort_by_key(String::len);
    found.dedup();
    found
}

/// The kind of an expression in a word: the likely cause of a difference in its smallest part.
pub fn kind(source: &str) -> String {
    let Ok(expression) = parse(source, SourcePlace::default()) else { return "no expression".to_owned() };
    let mut at = &expression;
    while let Kind::Parentheses(inner) = &at.kind {
        at = inner;
    }
    match &at.kind {
        Kind::Call(name, _, _) => name.as_str().to_owned(),
        Kind::Binary(operator, _, _) => format!("{operator:?}"),
        Kind::Unary(operator, _) => format!("{operator:?}"),
        other => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
    }
}

fn collect(expression: &Expression, source: &str, found: &mut Vec<String>) {
    let span = expression.place().span;
    found.extend(source.get(span.start as usize..span.end as usize).map(str::to_owned));
    expression.children().into_iter().for_each(|child| collect(child, source, found));
}

/// Whether a part refers to no variable of a `for` around it.
fn is_closed(part: &str) -> bool {
    parse(part, SourcePlace::default())
        .is_ok_and(|tree| tree.references().iter().all(|name| name.root.as_str() == ROOT && !name.steps.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_alone() {
        assert_eq!(parts("[for x in [1] : x + 2]"), ["1", "2", "[1]", "[for x in [1] : x + 2]"]);
        assert_eq!(kind("(upper(\"a\"))"), "upper");
        assert_eq!(kind("1 + 2"), "Add");
    }
}
