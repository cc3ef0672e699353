//! The validity of a schema (S10 to S27): all problems, each with its rule and its place.
//!
//! One pass over the schema: facts about the inside of a part (`dynamic`, write-only attributes) are returned with
//! its problems, so no part is visited twice. S12 (neither type nor nested type, or both) and S24 (unknown nesting
//! mode) cannot be represented by a [`Schema`]; its reader refuses them.

use std::fmt;

use super::{Attribute, Block, NestedBlock, NestedType, Nesting, Schema, Shape};
use crate::dialect::Dialect;
use crate::value::{Path, Text};

/// One reason why a schema is not valid.
#[derive(Clone, Debug)]
pub struct SchemaProblem {
    /// The rule of the specification that is broken.
    pub rule: &'static str,
    /// The attribute or nested block: attribute steps all the way from the root block.
    pub path: Path,
    /// What was expected and what was found.
    pub message: String,
}

impl Schema {
    /// Everything that makes the schema invalid in the dialect (S10 to S26), blocks before their content; empty for a
    /// valid one.
    pub fn problems(&self, dialect: Dialect) -> Vec<SchemaProblem> {
        let mut checker = Checker { dialect, problems: Vec::new() };
        checker.block(&self.block, &Path::root());
        checker.problems
    }

    /// Whether the schema is valid in the dialect.
    pub fn is_valid(&self, dialect: Dialect) -> bool {
        self.problems(dialect).is_empty()
    }
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rule)?;
        if !self.path.is_root() {
            write!(f, " at {}", self.path)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Facts about the inside of a part of a schema, at any depth.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// Whether the implied type has `dynamic` (V04).
    dynamic: bool,
    /// Whether there is a write-only attribute.
    write_only: bool,
}

impl Inside {
    fn add(&mut self, other: Inside) {
        self.dynamic |= other.dynamic;
        self.write_only |= other.write_only;
    }
}

struct Checker {
    dialect: Dialect,
    problems: Vec<SchemaProblem>,
}

impl Checker {
    fn report(&mut self, rule: &'static str, path: &Path, message: impl Into<String>) {
        self.problems.push(SchemaProblem { rule, path: path.clone(), message: message.into() });
    }

    fn block(&mut self, block: &Block, path: &Path) -> Inside {
        self.deprecation(block.deprecated, block.deprecation_message.as_deref(), path);
        let mut inside = Inside::default();
        for (name, attribute) in block.attributes.iter() {
            inside.add(self.attribute(attribute, &path.attribute(name)));
        }
        for (name, nested) in block.block_types.iter() {
            let at = path.attribute(name);
            self.block_name(block, name, &at);
            inside.add(self.nested_block(nested, &at));
        }
        if block.computed && self.dialect.has_computed_blocks() {
            self.inside_computed_block(block, path);
        }
        inside
    }

    fn attribute(&mut self, attribute: &Attribute, path: &Path) -> Inside {
        if !attribute.required && !attribute.optional && !attribute.computed {
            self.report("S10", path, "expected required, optional or computed, found none of them");
        }
        if attribute.required && (attribute.optional || attribute.computed) {
            let other = if attribute.optional { "optional" } else { "computed" };
            self.report("S11", path, format!("expected required alone, found required and {other}"));
        }
        self.deprecation(attribute.deprecated, attribute.deprecation_message.as_deref(), path);
        let mut inside = match &attribute.shape {
            Shape::Leaf(ty) => Inside { dynamic: ty.has_dynamic(), write_only: false },
            Shape::Nested(nested) => self.nested_type(nested, path),
        };
        inside.write_only |= attribute.write_only;
        inside
    }

    fn nested_type(&mut self, nested: &NestedType, path: &Path) -> Inside {
        let mut inside = Inside::default();
        for (name, attribute) in nested.attributes.iter() {
            inside.add(self.attribute(attribute, &path.attribute(name)));
        }
        match nested.nesting {
            Nesting::Group if !self.dialect.has_group_nested_types() => {
                self.report("S13", path, "expected a nested type of mode single, list, set or map, found group");
                // S31: such a group stands for the empty object.
                inside.dynamic = false;
            }
            Nesting::Set => self.set_members(inside, path, ["S14", "S15"]),
            Nesting::Single | Nesting::Group | Nesting::List | Nesting::Map => {}
        }
        inside
    }

    fn nested_block(&mut self, nested: &NestedBlock, path: &Path) -> Inside {
        self.item_limits(nested, path);
        if nested.block.computed && self.dialect.has_computed_blocks() {
            self.computed_block(nested, path);
        }
        let inside = self.block(&nested.block, path);
        if nested.nesting == Nesting::Set {
            self.set_members(inside, path, ["S22", "S23"]);
        }
        inside
    }

    /// S14, S15 for nested types and S22, S23 for nested blocks.
    fn set_members(&mut self, inside: Inside, path: &Path, [of_dynamic, of_write_only]: [&'static str; 2]) {
        if inside.dynamic {
            self.report(of_dynamic, path, "expected a set of one concrete type, found dynamic inside");
        }
        if inside.write_only && self.dialect.forbids_write_only_in_sets() {
            self.report(of_write_only, path, "expected no write-only attribute inside a set, found one");
        }
    }

    fn block_name(&mut self, block: &Block, name: &Text, path: &Path) {
        if block.attributes.get(name).is_some() {
            self.report("S16", path, "expected a name of its own, found an attribute of the same name");
        }
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || !name.bytes().all(allowed) {
            self.report("S17", path, "expected a block name of lower-case letters, digits and underscores");
        }
    }

    fn item_limits(&mut self, nested: &NestedBlock, path: &Path) {
        let (min, max) = (nested.min_items, nested.max_items);
        let found = || format!("found min_items {min} and max_items {max}");
        if min < 0 || max < 0 {
            self.report("S18", path, format!("expected no negative limit, {}", found()));
        }
        match nested.nesting {
            Nesting::Single if min != max || !(0..=1).contains(&min) => {
                self.report("S19", path, format!("expected both limits 0 or both 1, {}", found()));
            }
            Nesting::Group | Nesting::Map if min != 0 || max != 0 => {
                self.report("S20", path, format!("expected no limits, {}", found()));
            }
            Nesting::List | Nesting::Set if min > max && max != 0 => {
                self.report("S21", path, format!("expected min_items up to max_items, {}", found()));
            }
            _ => {}
        }
    }

    fn deprecation(&mut self, deprecated: bool, message: Option<&str>, path: &Path) {
        if self.dialect.checks_deprecation_messages() && !deprecated && message.is_some_and(|text| !text.is_empty()) {
            self.report("S25", path, "expected deprecated beside a deprecation message, found the message alone");
        }
    }

    /// S26: the properties that a computed block may not have.
    fn computed_block(&mut self, nested: &NestedBlock, path: &Path) {
        if nested.nesting == Nesting::Group {
            self.report("S26", path, "expected a computed block of another mode, found group");
        }
        if nested.min_items > 0 {
            self.report("S26", path, format!("expected min_items 0, found {} of a computed block", nested.min_items));
        }
    }

    /// S26: the parts that may not be directly inside a computed block.
    fn inside_computed_block(&mut self, block: &Block, path: &Path) {
        for (name, _) in block.attributes.iter().filter(|(_, attribute)| !attribute.computed) {
            self.report("S26", &path.attribute(name), "expected a computed attribute inside a computed block");
        }
        for (name, _) in block.block_types.iter().filter(|(_, nested)| !nested.block.computed) {
            self.report("S26", &path.attribute(name), "expected a computed block inside a computed block");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Dialect = Dialect::TERRAFORM_1_11;
    const NEW: Dialect = Dialect::TERRAFORM_1_17;
    const TOFU: Dialect = Dialect::OPENTOFU_1_12;

    /// The problems of a block, each as its rule and path.
    fn check(block: &str, dialect: Dialect, want: &[&str]) {
        let schema = Schema::parse(&format!(r#"{{"block":{block}}}"#)).expect("a schema");
        let found = schema.problems(dialect);
        let found: Vec<String> = found.iter().map(|problem| format!("{} {}", problem.rule, problem.path)).collect();
        assert_eq!(found, want, "{dialect}: {block}");
        assert_eq!(schema.is_valid(dialect), want.is_empty());
    }

    fn nested_type(mode: &str, inner: &str) -> String {
        format!(
            r#"{{"attributes":{{"n":{{"optional":true,"nested_type":{{"nesting_mode":"{mode}","attributes":{{"x":{inner}}}}}}}}}}}"#
        )
    }

    fn nested_block(mode: &str, limits: &str, inner: &str) -> String {
        format!(r#"{{"block_types":{{"b":{{"nesting_mode":"{mode}"{limits},"block":{inner}}}}}}}"#)
    }

    const DYNAMIC: &str = r#"{"type":["list","dynamic"],"optional":true}"#;
    const WRITE_ONLY: &str = r#"{"type":"string","optional":true,"write_only":true}"#;

    #[test]
    fn s10_s11_flags_have_to_fit_at_every_level() {
        check(r#"{"attributes":{"a":{"type":"string"}}}"#, OLD, &["S10 .a"]);
        check(&nested_type("single", r#"{"type":"string"}"#), OLD, &["S10 .n.x"]);
        check(r#"{"attributes":{"a":{"type":"string","required":true,"optional":true}}}"#, OLD, &["S11 .a"]);
        check(
            &nested_block("list", "", r#"{"attributes":{"a":{"type":"bool","required":true,"computed":true}}}"#),
            OLD,
            &["S11 .b.a"],
        );
        check(r#"{"attributes":{"a":{"type":"string","optional":true,"computed":true}}}"#, OLD, &[]);
    }

    #[test]
    fn s13_groups_of_nested_types_are_new() {
        let group = nested_type("group", r#"{"type":"string","optional":true}"#);
        check(&group, OLD, &["S13 .n"]);
        check(&group, TOFU, &["S13 .n"]);
        check(&group, NEW, &[]);
    }

    #[test]
    fn s14_s15_a_set_of_nested_types_holds_nothing_dynamic_or_write_only() {
        check(&nested_type("set", DYNAMIC), OLD, &["S14 .n"]);
        check(&nested_type("list", DYNAMIC), OLD, &[]);
        check(&nested_type("set", WRITE_ONLY), OLD, &["S15 .n"]);
        check(&nested_type("set", WRITE_ONLY), TOFU, &[]);
        let itself = nested_type("set", r#"{"type":"string","optional":true}"#)
            .replace(r#""n":{"#, r#""n":{"write_only":true,"#);
        check(&itself, OLD, &[]);
    }

    #[test]
    fn s16_s17_names_of_blocks() {
        let both = r#"{"attributes":{"b":{"type":"string","optional":true}},"block_types":{"b":{"nesting_mode":"list","block":{}}}}"#;
        check(both, OLD, &["S16 .b"]);
        check(r#"{"block_types":{"A-b":{"nesting_mode":"list","block":{}}}}"#, OLD, &["S17 .A-b"]);
        check(r#"{"block_types":{"":{"nesting_mode":"list","block":{}}}}"#, OLD, &[r#"S17 ."""#]);
        check(r#"{"attributes":{"A-b":{"type":"string","optional":true}}}"#, OLD, &[]);
    }

    #[test]
    fn s18_to_s21_limits_fit_the_mode() {
        let limits = |mode: &str, min: i64, max: i64, want: &[&str]| {
            check(&nested_block(mode, &format!(r#","min_items":{min},"max_items":{max}"#), "{}"), OLD, want);
        };
        limits("list", -1, 0, &["S18 .b"]);
        limits("set", 0, -1, &["S18 .b", "S21 .b"]);
        limits("single", 1, 0, &["S19 .b"]);
        limits("single", 2, 2, &["S19 .b"]);
        limits("single", 1, 1, &[]);
        limits("group", 0, 1, &["S20 .b"]);
        limits("map", 1, 0, &["S20 .b"]);
        limits("list", 3, 2, &["S21 .b"]);
        limits("list", 3, 0, &[]);
    }

    #[test]
    fn s22_s23_a_set_of_blocks_holds_nothing_dynamic_or_write_only_at_any_depth() {
        let deep = |attribute: &str| nested_block("list", "", &format!(r#"{{"attributes":{{"x":{attribute}}}}}"#));
        check(&nested_block("set", "", &deep(DYNAMIC)), OLD, &["S22 .b"]);
        check(&nested_block("set", "", &deep(WRITE_ONLY)), OLD, &["S23 .b"]);
        check(&nested_block("set", "", &deep(WRITE_ONLY)), TOFU, &[]);
        check(&nested_block("set", "", &nested_type("single", WRITE_ONLY)), NEW, &["S23 .b"]);
        check(&nested_block("list", "", &deep(DYNAMIC)), OLD, &[]);
    }

    #[test]
    fn s25_a_deprecation_message_needs_deprecation() {
        let attribute = r#"{"attributes":{"a":{"type":"string","optional":true,"deprecation_message":"gone"}}}"#;
        check(attribute, OLD, &[]);
        check(attribute, TOFU, &[]);
        check(attribute, NEW, &["S25 .a"]);
        check(&nested_block("list", "", r#"{"deprecation_message":"gone"}"#), NEW, &["S25 .b"]);
        check(&nested_block("list", "", r#"{"deprecation_message":"gone","deprecated":true}"#), NEW, &[]);
    }

    #[test]
    fn s26_inside_computed_blocks_everything_is_computed() {
        let inner = r#"{"computed":true,"attributes":{"a":{"type":"string","optional":true}},
            "block_types":{"c":{"nesting_mode":"list","block":{}}}}"#;
        check(&nested_block("list", "", inner), NEW, &["S26 .b.a", "S26 .b.c"]);
        check(&nested_block("list", "", inner), OLD, &[]);
        check(&nested_block("group", "", r#"{"computed":true}"#), NEW, &["S26 .b"]);
        check(&nested_block("list", r#","min_items":1"#, r#"{"computed":true}"#), NEW, &["S26 .b"]);
    }

    #[test]
    fn s27_leaf_types_are_not_checked() {
        check(r#"{"attributes":{"a":{"type":["set","dynamic"],"optional":true}}}"#, OLD, &[]);
        check(r#"{"attributes":{"a":{"type":"string","computed":true,"write_only":true}}}"#, OLD, &[]);
    }
}
