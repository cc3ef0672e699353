//! Documents as engines lay them out (ST08).

use planfuzz_core::dialect::Engine;
use planfuzz_core::json::Json;

/// The text of a document: Terraform's lines and line break at the end, OpenTofu's one line.
pub(super) fn lay_out(json: &Json, engine: Engine) -> String {
    match engine {
        Engine::Terraform => laid(json, Some(1)) + "\n",
        Engine::OpenTofu => laid(json, None),
    }
}

/// The content at a level of indentation, or on one line.
fn laid(json: &Json, level: Option<usize>) -> String {
    let inner = level.map(|level| level + 1);
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(text) => text.to_string(),
        Json::String(text) => quoted(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| laid(item, inner)).collect();
            between("[", &items, "]", level)
        }
        Json::Object(members) => {
            let space = if level.is_some() { " " } else { "" };
            let member = |(name, json): &(Box<str>, Json)| format!("{}:{space}{}", quoted(name), laid(json, inner));
            let members: Vec<String> = members.iter().map(member).collect();
            between("{", &members, "}", level)
        }
    }
}

fn between(open: &str, parts: &[String], close: &str, level: Option<usize>) -> String {
    match level {
        Some(level) if !parts.is_empty() => {
            let line = |level: usize| format!("\n{}", "  ".repeat(level));
            format!("{open}{}{}{}{close}", line(level), parts.join(&format!(",{}", line(level))), line(level - 1))
        }
        _ => format!("{open}{}{close}", parts.join(",")),
    }
}

fn quoted(text: &str) -> String {
    let inside: String = text.chars().map(escaped).collect();
    format!("\"{inside}\"")
}

fn escaped(char: char) -> String {
    match char {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\0'..'\u{20}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(char)),
        other => other.to_string(),
    }
}
