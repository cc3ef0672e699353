//! Differences between the outcomes that two subjects give for an expression.
//!
//! Buckets are distinguished by the summary of an error that only one subject reports, or by how the values differ: most bugs in the
//! evaluation of expressions differ in this.

use std::collections::BTreeSet;

use planfuzz_core::json::Json;
use planfuzz_language::expression::Marked;
use planfuzz_language::expression::notation::{read_outcome, sensitive};

use super::difference::{Class, Difference, Place, first_value_difference};

/// The place of a value.
const VALUE: &str = "value";

/// The difference between two outcomes; `None` if they are equal or one of the documents is not an outcome of an expression.
pub(super) fn expression_difference(first: &Json, second: &Json) -> Option<Difference> {
    let (first, second) = (read_outcome(first).ok()?, read_outcome(second).ok()?);
    match (&first, &second) {
        (Ok(first), Ok(second)) => values(first, second),
        (Err(summaries), Ok(_)) | (Ok(_), Err(summaries)) => Some(at(Class::Form, summaries.first()?)),
        (Err(first), Err(second)) => {
            let (first, second): (BTreeSet<_>, BTreeSet<_>) = (first.iter().collect(), second.iter().collect());
            let missing = second.difference(&first).next().map(|summary| at(Class::MissingViolation, summary));
            missing.or_else(|| first.difference(&second).next().map(|summary| at(Class::ExtraViolation, summary)))
        }
    }
}

fn values(first: &Marked, second: &Marked) -> Option<Difference> {
    let class = if first.value != second.value {
        first_value_difference(&first.value, &second.value).class
    } else if sensitive(first) != sensitive(second) {
        Class::Sensitive
    } else {
        return None;
    };
    Some(at(class, VALUE))
}

fn at(class: Class, text: &str) -> Difference {
    Difference { class, path: Place::Text(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(first: &str, second: &str) -> Option<(Class, String)> {
        let json = |text| Json::parse(text).expect("a document");
        expression_difference(&json(first), &json(second)).map(|found| (found.class, found.path.to_string()))
    }

    #[test]
    fn outcomes_of_expressions_differ_by_class_and_summary() {
        let value = |text: &str| format!(r#"{{"type":"string","value":{text},"sensitive":false}}"#);
        let marked = r#"{"type":"string","value":"a","sensitive":true}"#;
        let (a, error, both) = (value("\"a\""), r#"{"error":"X"}"#, r#"{"error":"X","errors":["X","Y"]}"#);
        assert_eq!(difference(&a, &a), None);
        assert_eq!(difference(both, both), None);
        assert_eq!(difference(&a, &value("null")), Some((Class::NullKnown, "value".to_owned())));
        assert_eq!(difference(&a, marked), Some((Class::Sensitive, "value".to_owned())));
        assert_eq!(difference(&a, error), Some((Class::Form, "X".to_owned())));
        assert_eq!(difference(error, both), Some((Class::MissingViolation, "Y".to_owned())));
        assert_eq!(difference(both, error), Some((Class::ExtraViolation, "Y".to_owned())));
    }
}
