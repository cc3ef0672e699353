//! Writes configuration in JSON syntax in native syntax. The schema of a block's type decides whether a member is an argument or nested
//! blocks.

use std::fmt::Write;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::json::Json;
use planfuzz_core::schema::Block;
use planfuzz_language::check::Schemas;

/// Writes files in native syntax.
#[derive(Clone, Copy, Debug)]
pub struct Native<'s> {
    /// The schemas of providers.
    pub schemas: &'s Schemas,
}

/// Members whose texts are expressions, not templates.
const REFERENCES: [&str; 8] =
    ["depends_on", "ignore_changes", "replace_triggered_by", "provider", "providers", "from", "to", "type"];

/// Blocks of the language inside others.
const INNER_BLOCKS: [&str; 7] =
    ["lifecycle", "precondition", "postcondition", "validation", "assert", "required_providers", "provisioner"];

/// The place of a member.
#[derive(Clone, Copy)]
struct Inside<'b> {
    depth: usize,
    block: Option<&'b Block>,
    /// Whether all members are arguments of the language.
    is_of_language: bool,
}

impl Native<'_> {
    /// A file.
    pub fn file(self, file: &Json) -> String {
        let mut out = String::new();
        for (word, of) in file.entries() {
            match &**word {
                "resource" | "data" | "ephemeral" => self.two_labels(&mut out, word, of),
                "module" | "variable" | "output" | "provider" | "check" => self.one_label(&mut out, word, of),
                _ => of.listed().iter().for_each(|body| self.block(&mut out, word, body, top(None, true))),
            }
        }
        out.trim_end().to_owned()
    }

    fn two_labels(self, out: &mut String, word: &str, of: &Json) {
        let mode = match word {
            "data" => ResourceMode::Data,
            "ephemeral" => ResourceMode::Ephemeral,
            _ => ResourceMode::Managed,
        };
        for (type_name, named) in of.entries() {
            let of_type = |source| self.schemas.provider(source)?.types.get(&(mode, type_name.to_string()));
            let schema = self.schemas.sources().find_map(of_type);
            for (name, bodies) in named.entries() {
                let head = format!("{word} \"{type_name}\" \"{name}\"");
                let place = top(schema.map(|schema| &schema.block), false);
                bodies.listed().iter().for_each(|body| self.block(out, &head, body, place));
            }
        }
    }

    fn one_label(self, out: &mut String, word: &str, of: &Json) {
        for (name, bodies) in of.entries() {
            let head = format!("{word} \"{name}\"");
            bodies.listed().iter().for_each(|body| self.block(out, &head, body, top(None, word != "module")));
        }
    }

    fn block(self, out: &mut String, head: &str, body: &Json, place: Inside<'_>) {
        let indent = "  ".repeat(place.depth);
        if body.entries().is_empty() {
            let _ = writeln!(out, "{indent}{head} {{}}");
        } else {
            let _ = writeln!(out, "{indent}{head} {{");
            let inner = Inside { depth: place.depth + 1, ..place };
            self.body(out, body, inner);
            let _ = writeln!(out, "{indent}}}");
        }
        if place.depth == 0 {
            out.push('\n');
        }
    }

    fn body(self, out: &mut String, body: &Json, place: Inside<'_>) {
        let is_block = |name: &str| {
            let is_nested = place.block.is_some_and(|block| block.block_types.get(name).is_some());
            is_nested || INNER_BLOCKS.contains(&name)
        };
        let (blocks, arguments): (Vec<_>, Vec<_>) = body.entries().iter().partition(|(name, _)| is_block(name));
        let width = arguments.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let indent = "  ".repeat(place.depth);
        for (name, value) in arguments {
            let is_type = &**name == "type" && !place.is_of_language;
            let is_reference = REFERENCES.contains(&&**name) && !is_type && is_meta(name, place);
            let value = expression(value, is_reference, place.depth);
            let _ = writeln!(out, "{indent}{name:<width$} = {value}");
        }
        for (name, bodies) in blocks {
            let nested = place.block.and_then(|block| block.block_types.get(name));
            let inner = Inside { block: nested.map(|nested| &nested.block), is_of_language: nested.is_none(), ..place };
            bodies.listed().iter().for_each(|body| self.block(out, name, body, inner));
        }
    }
}

/// Whether a name is an argument of the language: names in the schema are the provider's.
fn is_meta(name: &str, place: Inside<'_>) -> bool {
    place.is_of_language || place.block.is_none_or(|block| block.attributes.get(name).is_none())
}

fn top(block: Option<&Block>, is_of_language: bool) -> Inside<'_> {
    Inside { depth: 0, block, is_of_language }
}

/// A value as an expression.
fn expression(json: &Json, is_reference: bool, depth: usize) -> String {
    match json {
        Json::String(text) if is_reference => plain(text).unwrap_or(text).to_owned(),
        Json::String(text) => match plain(text) {
            Some(inside) => inside.to_owned(),
            None => quoted(text),
        },
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| expression(item, is_reference, depth)).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let indent = "  ".repeat(depth + 1);
            let width = members.iter().map(|(name, _)| key(name).chars().count()).max().unwrap_or(0);
            let member = |(name, value): &(Box<str>, Json)| {
                format!("{indent}{:<width$} = {}\n", key(name), expression(value, is_reference, depth + 1))
            };
            let inside: String = members.iter().map(member).collect();
            format!("{{\n{inside}{}}}", "  ".repeat(depth))
        }
        other => other.to_compact(),
    }
}

fn key(name: &str) -> String {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let is_name = name.chars().all(is_word) && name.starts_with(|char: char| char.is_ascii_alphabetic());
    if is_name { name.to_owned() } else { quoted(name) }
}

/// The expression, if it is all of a template.
fn plain(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?;
    let end = closing(inside)?;
    (end + 1 == inside.len()).then(|| inside[..end].trim())
}

/// The end of an interpolation, from after its beginning.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted) = (0_u32, false);
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' if is_quoted => drop(chars.next()),
            '"' => is_quoted = !is_quoted,
            '{' if !is_quoted => depth += 1,
            '}' if !is_quoted && depth == 0 => return Some(at),
            '}' if !is_quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A template in quotes: everything but interpolations is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let is_escaped = rest.starts_with("$${") || rest.starts_with("%%{");
        if is_escaped {
            out.push_str(&rest[..3]);
            rest = &rest[3..];
            continue;
        }
        if rest.starts_with("${") || rest.starts_with("%{") {
            let end = closing(&rest[2..]).map_or(rest.len(), |end| end + 3);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char => out.push(char),
        }
        rest = &rest[char.len_utf8()..];
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_syntax_is_written_as_people_write_native_syntax() {
        let text = r#"{"locals": {"a": "x \"${upper(\"b\")}\"", "n": 1},
            "resource": {"w_thing": {"ant": {"name": "${local.a}", "depends_on": ["w_thing.bee"],
                "lifecycle": {"create_before_destroy": true}}}},
            "moved": [{"from": "w_thing.cat", "to": "w_thing.ant"}]}"#;
        let file = Json::parse(text).expect("JSON");
        let want = "locals {\n  a = \"x \\\"${upper(\"b\")}\\\"\"\n  n = 1\n}\n\nresource \"w_thing\" \"ant\" {\n  \
            name       = local.a\n  depends_on = [w_thing.bee]\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n\n\
            moved {\n  from = w_thing.cat\n  to   = w_thing.ant\n}";
        assert_eq!(Native { schemas: &Schemas::default() }.file(&file), want);
    }

    #[test]
    fn partial_interpolations_stay_templates() {
        assert_eq!(expression(&Json::string("${a}-${b}"), false, 0), "\"${a}-${b}\"");
        assert_eq!(expression(&Json::string("${a[\"}\"]}"), false, 0), "a[\"}\"]");
        assert_eq!(expression(&Json::string("$${a}"), false, 0), "\"$${a}\"");
    }
}
