//! Renders everything that fits on a line: texts, numbers, unknowns and types.

use std::fmt::Write as _;

use planfuzz_core::value::{Bound, Node, Range, Refinement, Truth, Type, UNBOUNDED, ValueRef};

/// The most characters of a text that are shown.
const MAX_TEXT: usize = 72;
/// The most characters of a type that are shown.
const MAX_TYPE: usize = 160;

/// A text in quotes, cut if it is long, with characters escaped that would end the text or the line.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars().take(MAX_TEXT) {
        match char {
            // Single quotes need no escape within double ones.
            '\'' => out.push('\''),
            other => out.extend(other.escape_debug()),
        }
    }
    out.push('"');
    let more = text.chars().skip(MAX_TEXT).count();
    if more > 0 {
        out.pop();
        // Writing to a string cannot fail.
        write!(out, "…\" ({more} more characters)").ok();
    }
    out
}

/// A name as HCL has it: in quotes only where it is no identifier.
pub(super) fn name(text: &str) -> String {
    let starts = text.chars().next().is_some_and(|char| char.is_alphabetic() || char == '_');
    let plain = starts && text.chars().all(|char| char.is_alphanumeric() || "_-".contains(char));
    if plain && text.chars().count() <= MAX_TEXT { text.to_owned() } else { quoted(text) }
}

/// A type in the notation of HCL: `list(string)`, `object({ a = number })`, `dynamic`.
pub fn type_text(ty: &Type) -> String {
    let mut out = String::new();
    write_type(ty, &mut out);
    let more = out.chars().skip(MAX_TYPE).count();
    if more == 0 {
        return out;
    }
    let shown: String = out.chars().take(MAX_TYPE).collect();
    format!("{shown}… ({more} more characters)")
}

fn write_type(ty: &Type, out: &mut String) {
    match ty {
        Type::Dynamic => out.push_str("dynamic"),
        Type::Bool => out.push_str("bool"),
        Type::Number => out.push_str("number"),
        Type::String => out.push_str("string"),
        Type::List(element) => write_of("list", element, out),
        Type::Set(element) => write_of("set", element, out),
        Type::Map(element) => write_of("map", element, out),
        Type::Tuple(tuple) => {
            out.push_str("tuple([");
            for (index, element) in tuple.elements().iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_type(element, out);
            }
            out.push_str("])");
        }
        Type::Object(object) => {
            out.push_str("object({");
            for (index, attribute) in object.attributes().iter().enumerate() {
                out.push_str(if index == 0 { " " } else { ", " });
                out.push_str(&name(&attribute.name));
                out.push_str(if attribute.optional { "? = " } else { " = " });
                write_type(&attribute.ty, out);
            }
            out.push_str(if object.is_empty() { "})" } else { " })" });
        }
    }
}

fn write_of(kind: &str, element: &Type, out: &mut String) {
    out.push_str(kind);
    out.push('(');
    write_type(element, out);
    out.push(')');
}

/// The text of a value without parts to show: null, unknown or a primitive; `None` for any other.
pub(super) fn scalar(value: ValueRef<'_>) -> Option<String> {
    Some(match value.node() {
        Node::Null => "null".to_owned(),
        Node::Unknown(record) => unknown(record.as_deref()),
        Node::Bool(Truth(bool)) => bool.to_string(),
        Node::Number(number) => cut(&number.text()),
        Node::String(text) => quoted(text),
        Node::Seq(_) | Node::Map(_) => return None,
    })
}

fn cut(digits: &str) -> String {
    let more = digits.len().saturating_sub(MAX_TEXT);
    if more == 0 { digits.to_owned() } else { format!("{}… ({more} more digits)", &digits[..MAX_TEXT]) }
}

/// An unknown, with its refinements.
fn unknown(record: Option<&Refinement>) -> String {
    let Some(record) = record else {
        return "(known after apply)".to_owned();
    };
    let mut facts = Vec::new();
    if record.not_null {
        facts.push("not null".to_owned());
    }
    match &record.range {
        Range::Any => {}
        Range::String { prefix } => facts.push(format!("starts with {}", quoted(prefix))),
        Range::Number { min, max } => {
            facts.extend(min.as_ref().map(|bound| limit(bound, "at least", "more than")));
            facts.extend(max.as_ref().map(|bound| limit(bound, "at most", "less than")));
        }
        Range::Length { min, max } if min == max => facts.push(format!("length {min}")),
        Range::Length { min, max } => {
            facts.extend((*min > 0).then(|| format!("length at least {min}")));
            facts.extend((*max < UNBOUNDED).then(|| format!("length at most {max}")));
        }
    }
    if facts.is_empty() {
        // V31: an empty record differs from no record.
        facts.push("empty record".to_owned());
    }
    format!("(known after apply, {})", facts.join(", "))
}

fn limit(bound: &Bound, inclusive: &str, exclusive: &str) -> String {
    format!("{} {}", if bound.inclusive { inclusive } else { exclusive }, cut(&bound.value.text()))
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_core::value::Value;

    use super::*;

    #[track_caller]
    fn check(ty: &str, value: &str, want: &str) {
        let ty = Type::from_json(&Json::parse(ty).unwrap()).unwrap();
        let value = Value::from_json(&Json::parse(value).unwrap(), &ty).unwrap();
        assert_eq!(scalar(value.view()).as_deref(), Some(want));
    }

    #[test]
    fn scalars_are_written_as_in_plans() {
        check(r#""string""#, "null", "null");
        check(r#""bool""#, "true", "true");
        check(r#""number""#, "-0", "-0");
        check(r#""number""#, "1.50", "1.5");
        check(r#""string""#, r#""it's a \"b\"\n\u0007""#, r#""it's a \"b\"\n\u{7}""#);
    }

    #[test]
    fn records_are_spelled_out() {
        check(r#""string""#, r#"{"$unknown": true}"#, "(known after apply)");
        check(r#""string""#, r#"{"$unknown": {}}"#, "(known after apply, empty record)");
        check(
            r#""string""#,
            r#"{"$unknown": {"not_null": true, "string_prefix": "ab"}}"#,
            "(known after apply, not null, starts with \"ab\")",
        );
        check(
            r#""number""#,
            r#"{"$unknown": {"number_min": [1, true], "number_max": [5, false]}}"#,
            "(known after apply, at least 1, less than 5)",
        );
        check(
            r#"["list", "string"]"#,
            r#"{"$unknown": {"length_min": 1, "length_max": 3}}"#,
            "(known after apply, length at least 1, length at most 3)",
        );
    }

    #[test]
    fn long_texts_are_cut_with_the_length_of_the_rest() {
        let text = quoted(&"é".repeat(MAX_TEXT + 5));
        assert!(text.ends_with("é…\" (5 more characters)"), "{text}");
        assert_eq!(quoted(&"x".repeat(MAX_TEXT)).len(), MAX_TEXT + 2);
        assert!(cut(&"1".repeat(MAX_TEXT + 9)).ends_with("(9 more digits)"));
    }

    #[test]
    fn types_are_written_as_in_hcl() {
        let json = Json::parse(r#"["object",{"a":["list","string"],"b c":["tuple",["bool","dynamic"]]},["a"]]"#);
        let ty = Type::from_json(&json.unwrap()).unwrap();
        assert_eq!(type_text(&ty), "object({ a? = list(string), \"b c\" = tuple([bool, dynamic]) })");
        assert_eq!(type_text(&Type::empty_object()), "object({})");
    }
}
