//! Schemas in outline: HCL with types for values and flags as remarks.

use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::Text;

use super::line::{Line, Tone};
use super::scalar::{name, type_text};

/// The outline of a resource schema.
pub fn outline(schema: &Schema) -> Vec<Line> {
    let mut lines = Vec::new();
    block(&schema.block, 0, &mut lines);
    lines
}

fn block(block: &Block, depth: usize, lines: &mut Vec<Line>) {
    attributes(block.attributes.iter(), depth, lines);
    for (block_name, nested) in block.block_types.iter() {
        nested_block(block_name, nested, depth, lines);
    }
}

fn attributes<'s>(
    attributes: impl ExactSizeIterator<Item = (&'s Text, &'s Attribute)>,
    depth: usize,
    lines: &mut Vec<Line>,
) {
    let all: Vec<(String, &Attribute)> = attributes.map(|(text, attribute)| (name(text), attribute)).collect();
    let name_width = all.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let type_width = all.iter().map(|(_, attribute)| head(attribute).chars().count()).filter(|width| *width <= 24);
    let type_width = type_width.max().unwrap_or(0);
    for (name, attribute) in all {
        let text = format!("{name:name_width$} = {:type_width$}  ", head(attribute));
        lines.push(Line::of(Tone::Plain, text).with(Tone::Dim, flags(attribute)).indented(2 * depth));
        if let Shape::Nested(nested) = &attribute.shape {
            self::attributes(nested.attributes.iter(), depth + 1, lines);
            lines.push(Line::of(Tone::Plain, "}").indented(2 * depth));
        }
    }
}

/// The text after an attribute's name: its type, or the beginning of its nested type.
fn head(attribute: &Attribute) -> String {
    match &attribute.shape {
        Shape::Leaf(ty) => type_text(ty),
        Shape::Nested(NestedType { nesting: Nesting::Single, .. }) => "{".to_owned(),
        Shape::Nested(nested) => format!("{} of {{", nested.nesting.name()),
    }
}

fn flags(attribute: &Attribute) -> String {
    let Attribute { required, optional, computed, sensitive, write_only, deprecated, .. } = *attribute;
    let flags = [
        (required, "required"),
        (optional, "optional"),
        (computed, "computed"),
        (sensitive, "sensitive"),
        (write_only, "write-only"),
        (deprecated, "deprecated"),
    ];
    flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).collect::<Vec<_>>().join(", ")
}

fn nested_block(block_name: &str, nested: &NestedBlock, depth: usize, lines: &mut Vec<Line>) {
    let label = if nested.nesting == Nesting::Map { " \"…\"" } else { "" };
    let mut facts = vec![format!("{} block", nested.nesting.name())];
    facts.extend((nested.min_items != 0).then(|| format!("at least {}", nested.min_items)));
    facts.extend((nested.max_items != 0).then(|| format!("at most {}", nested.max_items)));
    facts.extend(nested.block.computed.then(|| "computed".to_owned()));
    facts.extend(nested.block.deprecated.then(|| "deprecated".to_owned()));
    let text = format!("{}{label} {{  ", name(block_name));
    lines.push(Line::of(Tone::Plain, text).with(Tone::Dim, facts.join(", ")).indented(2 * depth));
    block(&nested.block, depth + 1, lines);
    lines.push(Line::of(Tone::Plain, "}").indented(2 * depth));
}

#[cfg(test)]
mod tests {
    use super::super::line::plain;
    use super::*;

    #[test]
    fn schemas_are_written_in_outline() {
        let schema = Schema::parse(
            r#"{"block": {
                "attributes": {
                    "id": {"type": "string", "computed": true},
                    "odd name": {"type": ["map", "number"], "optional": true, "computed": true, "sensitive": true},
                    "nodes": {"optional": true, "nested_type": {"nesting_mode": "list", "attributes": {
                        "at": {"optional": true, "nested_type": {"nesting_mode": "single", "attributes": {}}}}}}},
                "block_types": {
                    "rule": {"nesting_mode": "set", "min_items": 1, "max_items": 5, "block": {"deprecated": true,
                        "block_types": {"port": {"nesting_mode": "map", "block": {"computed": true}}}}}}}}"#,
        );
        let want = r#"
id         = string       computed
nodes      = list of {    optional
  at = {  optional
  }
}
"odd name" = map(number)  optional, computed, sensitive
rule {  set block, at least 1, at most 5, deprecated
  port "…" {  map block, computed
  }
}
"#;
        assert_eq!(plain(&outline(&schema.unwrap())), want.trim_start_matches('\n'));
    }
}
