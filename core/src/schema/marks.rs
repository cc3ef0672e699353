//! The paths of a value that its schema calls sensitive or write-only (S70 to S74).
//!
//! The marked attributes of the schema are found first, so that a value of many elements is walked only where there can be
//! marks.

use super::crash::Crash;
use super::{Attribute, Block, Named, NestedType, Nesting, Schema, Shape};
use crate::dialect::Dialect;
use crate::value::{Path, Step, Text, Type, ValueRef};

impl Schema {
    /// The paths that the schema calls sensitive in a value of its implied type (S70 to S72), in the order of the
    /// schema, repetitions kept.
    ///
    /// # Errors
    /// A null element in a collection of a nested type (S71), and a value that is no object or no collection where a place of
    /// unknown type allows it (S74): on both the engines crash.
    pub fn sensitive_paths(&self, value: ValueRef<'_>, dialect: Dialect) -> Result<Vec<Path>, Crash> {
        let absent = dialect.lists_sensitive_of_absent_blocks();
        paths(&self.block, value, |attribute| attribute.sensitive, absent)
    }

    /// The paths that the schema calls write-only in a value of its implied type (S73), in the order of the schema,
    /// repetitions kept; the same in every dialect.
    ///
    /// # Errors
    /// As for [`Schema::sensitive_paths`].
    pub fn write_only_paths(&self, value: ValueRef<'_>) -> Result<Vec<Path>, Crash> {
        paths(&self.block, value, |attribute| attribute.write_only, false)
    }
}

type IsMarked = fn(&Attribute) -> bool;

fn paths(block: &Block, value: ValueRef<'_>, is_marked: IsMarked, list_absent: bool) -> Result<Vec<Path>, Crash> {
    let mut finder = Finder { list_absent, found: Vec::new() };
    finder.block(&MarkedBlock::of(block, is_marked), value, &Path::root())?;
    Ok(finder.found)
}

/// The marked attributes of a block and the members that lead to others.
struct MarkedBlock<'s> {
    /// The marked attributes of the block itself.
    own: Vec<&'s Text>,
    /// The attributes whose nested types have marked ones, whether marked themselves or not.
    nested: Vec<(&'s Text, MarkedType<'s>)>,
    /// The nested blocks with marked attributes.
    blocks: Vec<(&'s Text, Nesting, MarkedBlock<'s>)>,
}

/// The marked attributes of a nested type and the attributes that lead to others.
struct MarkedType<'s> {
    nesting: Nesting,
    /// Each a marked attribute, or one whose nested type has marked ones.
    attributes: Vec<(&'s Text, Option<MarkedType<'s>>)>,
}

impl<'s> MarkedBlock<'s> {
    fn of(block: &'s Block, is_marked: IsMarked) -> MarkedBlock<'s> {
        let of_nested = |(name, attribute)| Some((name, MarkedType::of_attribute(attribute, is_marked)?));
        let blocks = block.block_types.iter().map(|(name, nested)| {
            let inside = MarkedBlock::of(&nested.block, is_marked);
            (name, nested.nesting, inside)
        });
        MarkedBlock {
            own: marked(&block.attributes, is_marked).collect(),
            nested: block.attributes.iter().filter_map(of_nested).collect(),
            blocks: blocks.filter(|(_, _, inside)| !inside.is_empty()).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.nested.is_empty() && self.blocks.is_empty()
    }
}

fn marked(attributes: &Named<Attribute>, is_marked: IsMarked) -> impl Iterator<Item = &Text> {
    attributes.iter().filter(move |(_, attribute)| is_marked(attribute)).map(|(name, _)| name)
}

impl<'s> MarkedType<'s> {
    fn of_attribute(attribute: &'s Attribute, is_marked: IsMarked) -> Option<MarkedType<'s>> {
        match &attribute.shape {
            Shape::Leaf(_) => None,
            Shape::Nested(nested) => MarkedType::of(nested, is_marked),
        }
    }

    /// `None` where no attribute inside is marked.
    fn of(nested: &'s NestedType, is_marked: IsMarked) -> Option<MarkedType<'s>> {
        let of_member = |(name, attribute): (&'s Text, &'s Attribute)| {
            if is_marked(attribute) {
                return Some((name, None));
            }
            Some((name, Some(MarkedType::of_attribute(attribute, is_marked)?)))
        };
        let attributes: Vec<_> = nested.attributes.iter().filter_map(of_member).collect();
        (!attributes.is_empty()).then_some(MarkedType { nesting: nested.nesting, attributes })
    }
}

struct Finder {
    /// S72: whether a null or unknown block value has its own marked attributes listed.
    list_absent: bool,
    found: Vec<Path>,
}

impl Finder {
    /// S70 and S72.
    fn block(&mut self, block: &MarkedBlock<'_>, value: ValueRef<'_>, path: &Path) -> Result<(), Crash> {
        if value.is_present() || self.list_absent {
            self.found.extend(block.own.iter().map(|name| path.attribute(name)));
        }
        if !value.is_present() {
            return Ok(());
        }
        for (name, nested) in &block.nested {
            self.nested_type(nested, member(value, name, path)?, &path.attribute(name))?;
        }
        for (name, nesting, inside) in &block.blocks {
            let member = member(value, name, path)?;
            if !member.is_present() {
                continue;
            }
            let at = path.attribute(name);
            match nesting {
                Nesting::Single | Nesting::Group => self.block(inside, member, &at)?,
                Nesting::List | Nesting::Set | Nesting::Map => {
                    for (step, element) in collected(member, &at)? {
                        self.block(inside, element, &at.step(step))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// S71.
    fn nested_type(&mut self, nested: &MarkedType<'_>, value: ValueRef<'_>, path: &Path) -> Result<(), Crash> {
        if !value.is_present() {
            return Ok(());
        }
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.nested_object(nested, value, path),
            Nesting::List | Nesting::Set | Nesting::Map => collected(value, path)?.try_for_each(|(step, element)| {
                let at = path.step(step);
                if element.is_null() {
                    let message = "expected no null element beside marked attributes, found one".to_owned();
                    return Err(Crash { rule: "S71", path: at, message });
                }
                // S74: every attribute of an element is looked up, marked ones too.
                nested.attributes.iter().try_for_each(|(name, _)| member(element, name, &at).map(drop))?;
                self.nested_object(nested, element, &at)
            }),
        }
    }

    fn nested_object(&mut self, nested: &MarkedType<'_>, value: ValueRef<'_>, path: &Path) -> Result<(), Crash> {
        for (name, inside) in &nested.attributes {
            let at = path.attribute(name);
            match inside {
                None => self.found.push(at),
                Some(inside) => self.nested_type(inside, member(value, name, path)?, &at)?,
            }
        }
        Ok(())
    }
}

/// A member of a value that has to be an object (S74).
fn member<'a>(value: ValueRef<'a>, name: &Text, at: &Path) -> Result<ValueRef<'a>, Crash> {
    let missing = || Crash {
        rule: "S74",
        path: at.clone(),
        message: format!(
            "expected an object with the attribute {name:?}, found a value of type {}",
            value.ty().to_json().to_compact()
        ),
    };
    match value.ty() {
        Type::Object(_) => value.member(name).ok_or_else(missing),
        // An unknown of no type may be anything.
        Type::Dynamic if value.is_unknown() => Ok(value),
        _ => Err(missing()),
    }
}

/// The elements of a value that has to be a collection (S74).
fn collected<'a>(value: ValueRef<'a>, at: &Path) -> Result<impl Iterator<Item = (Step, ValueRef<'a>)>, Crash> {
    match value.ty() {
        Type::Bool | Type::Number | Type::String => {
            let message = format!("expected a collection, found a value of type {}", value.ty().to_json().to_compact());
            Err(Crash { rule: "S74", path: at.clone(), message })
        }
        _ => Ok(elements(value)),
    }
}

/// The elements of a collection, or of the tuple or object that stands for one (S33), each with an index step: the
/// members of an object have keys here.
pub(super) fn elements(value: ValueRef<'_>) -> impl Iterator<Item = (Step, ValueRef<'_>)> {
    let is_object = matches!(value.ty(), Type::Object(_));
    value.children().map(move |(step, element)| match step {
        Step::Attribute(name) if is_object => (Step::Key(name), element),
        other => (other, element),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use crate::value::Value;

    /// A schema of attributes and block types, written as JSON members.
    fn schema(block: &str) -> Schema {
        Schema::parse(&format!(r#"{{"block": {block}}}"#)).expect("a schema")
    }

    fn value(schema: &Schema, text: &str) -> Value {
        let ty = schema.implied_type(Dialect::default());
        Value::from_json(&Json::parse(text).expect("JSON"), &ty).expect("a value")
    }

    fn check(block: &str, text: &str, dialect: Dialect, want: &[&str]) {
        let schema = schema(block);
        let found = schema.sensitive_paths(value(&schema, text).view(), dialect).expect("no crash");
        assert_eq!(found.iter().map(Path::to_string).collect::<Vec<_>>(), want, "{dialect}: {text}");
    }

    const LIST_BLOCK: &str = r#"{"block_types": {"l": {"nesting_mode": "list", "block": {"attributes": {
        "x": {"type": "string", "optional": true, "sensitive": true}}}}}}"#;
    const NESTED: &str = r#"{"attributes": {"n": {"optional": true, "sensitive": true, "nested_type": {
        "nesting_mode": "list", "attributes": {
            "x": {"type": "string", "optional": true, "sensitive": true, "write_only": true},
            "y": {"type": "string", "optional": true}}}}}}"#;

    #[test]
    fn s70_a_sensitive_attribute_and_those_inside_it_are_listed() {
        check(
            NESTED,
            r#"{"n": [{"x": "1", "y": null}, {"$unknown": true}]}"#,
            Dialect::TERRAFORM_1_11,
            &[".n", ".n[0].x", ".n[1].x"],
        );
        check(NESTED, r#"{"n": null}"#, Dialect::TERRAFORM_1_11, &[".n"]);
    }

    #[test]
    fn s70_blocks_of_dynamic_types_are_walked_by_key() {
        let block = r#"{"block_types": {"m": {"nesting_mode": "map", "block": {"attributes": {
            "d": {"type": "dynamic", "optional": true, "sensitive": true}}}}}}"#;
        let text = r#"{"m": {"type": ["object", {"k": ["object", {"d": "string"}]}], "value": {"k": {"d": "x"}}}}"#;
        check(block, text, Dialect::TERRAFORM_1_11, &[r#".m["k"].d"#]);
    }

    #[test]
    fn s71_a_null_element_is_refused() {
        let schema = schema(NESTED);
        let value = value(&schema, r#"{"n": [null]}"#);
        let crash = schema.sensitive_paths(value.view(), Dialect::default()).expect_err("a crash");
        assert_eq!((crash.rule, crash.path.to_string()), ("S71", ".n[0]".to_owned()));
        assert_eq!(
            crash.to_string(),
            "refused by S71 at .n[0]: expected no null element beside marked attributes, found one"
        );
    }

    #[test]
    fn s74_values_that_are_no_objects_or_collections_are_refused() {
        let dynamic = r#""d": {"type": "dynamic", "optional": true}"#;
        let own = format!(
            r#"{{"block_types": {{"l": {{"nesting_mode": "list", "block": {{"attributes": {{{dynamic},
                "x": {{"type": "string", "optional": true, "sensitive": true}}}}}}}}}}}}"#
        );
        let nested = |mode: &str| {
            format!(
                r#"{{"block_types": {{"l": {{"nesting_mode": "list", "block": {{"attributes": {{{dynamic},
                    "n": {{"optional": true, "nested_type": {{"nesting_mode": "{mode}", "attributes": {{
                        "x": {{"type": "string", "optional": true, "sensitive": true}}}}}}}}}}}}}}}}}}"#
            )
        };
        let refused = |block: &str, text: &str| {
            let schema = schema(block);
            let found = schema.sensitive_paths(value(&schema, text).view(), Dialect::default());
            found.err().map(|crash| (crash.rule, crash.path.to_string()))
        };
        let at = |path: &str| Some(("S74", path.to_owned()));
        assert_eq!(refused(&own, r#"{"l": {"type": "string", "value": "x"}}"#), at(".l"));
        for absent in [r#"{"type": "string", "value": null}"#, r#"{"type": "string", "value": {"$unknown": true}}"#] {
            assert_eq!(refused(&own, &format!(r#"{{"l": {absent}}}"#)), None);
        }
        // A block's own attributes, and those of a single object, are not looked up.
        let strings = r#"{"l": {"type": ["tuple", ["string"]], "value": ["x"]}}"#;
        assert_eq!(refused(&own, strings), None);
        assert_eq!(refused(&nested("single"), strings), at(".l[0]"));
        let of = |ty: &str, value: &str| {
            format!(r#"{{"l": {{"type": ["tuple", [["object", {{"n": {ty}}}]]], "value": [{{"n": {value}}}]}}}}"#)
        };
        let text = of("\"string\"", "\"s\"");
        assert_eq!(refused(&nested("single"), &text), None);
        assert_eq!(refused(&nested("list"), &text), at(".l[0].n"));
        let strings = of(r#"["list", "string"]"#, r#"["s"]"#);
        assert_eq!(refused(&nested("map"), &strings), at(".l[0].n[0]"));
        let objects = |member: &str| {
            of(&format!(r#"["list", ["object", {{"{member}": "string"}}]]"#), &format!(r#"[{{"{member}": "s"}}]"#))
        };
        assert_eq!(refused(&nested("list"), &objects("y")), at(".l[0].n[0]"));
        assert_eq!(refused(&nested("list"), &objects("x")), None);
    }

    #[test]
    fn s72_opentofu_lists_those_of_null_and_unknown_blocks() {
        let text = r#"{"l": [{"x": null}, null, {"$unknown": true}]}"#;
        check(LIST_BLOCK, text, Dialect::TERRAFORM_1_11, &[".l[0].x"]);
        check(LIST_BLOCK, text, Dialect::OPENTOFU_1_12, &[".l[0].x", ".l[1].x", ".l[2].x"]);
        check(LIST_BLOCK, r#"{"l": {"$unknown": true}}"#, Dialect::OPENTOFU_1_12, &[]);
    }

    #[test]
    fn s73_write_only_attributes_are_found_in_present_blocks_alone() {
        let schema = schema(NESTED);
        let found = schema.write_only_paths(value(&schema, r#"{"n": [{"x": null, "y": null}]}"#).view());
        assert_eq!(found.expect("no crash").iter().map(Path::to_string).collect::<Vec<_>>(), [".n[0].x"]);
        let absent = Value::null(schema.implied_type(Dialect::default()));
        assert!(schema.write_only_paths(absent.view()).expect("no crash").is_empty());
    }
}
