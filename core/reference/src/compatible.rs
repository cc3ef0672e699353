//! Apply-result compatibility (section 4, AC01 to AC22) and computed blocks in it (C10): whether the actual object keeps
//! the planned one.
//!
//! `p` and `v` are the rules' P and V: the parts of planned and actual.

use std::convert::Infallible;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::plans::Marked;
use planfuzz_core::schema::{Attribute, Nesting};
use planfuzz_core::value::{PathSet, Tri, Type, ValueRef, WrittenPath, equals, includes};

use super::at::At;
use super::block_schema::{BlockSchema, BlockType};
use super::parts::{described, elements, member};
use super::untyped::{self, count, has, keyed};

/// The violations of `v`, the actual object, against `p`, the planned one.
pub(super) fn violations(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    p: ValueRef<'_>,
    v: ValueRef<'_>,
) -> Result<Vec<Violation>, Refusal> {
    Compatibility { dialect, marks: [&PathSet::EMPTY; 2] }.object(schema, p, v, &At::ROOT)
}

/// The same for values with marks, which count as the schema's `sensitive` does (AC10).
pub(super) fn violations_of_marked(
    dialect: Dialect,
    schema: &BlockSchema<'_>,
    p: &Marked,
    v: &Marked,
) -> Result<Vec<Violation>, Refusal> {
    let marks = [p.sensitive(), v.sensitive()];
    Compatibility { dialect, marks }.object(schema, p.value().view(), v.value().view(), &At::ROOT)
}

/// The violations of a part.
type ViolationsResult = Result<Vec<Violation>, Refusal>;

/// The check in a dialect.
#[derive(Clone, Copy)]
struct Compatibility<'m> {
    dialect: Dialect,
    /// Where the two values are marked.
    marks: [&'m PathSet; 2],
}

impl Compatibility<'_> {
    /// AC01.
    fn object(self, schema: &BlockSchema<'_>, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> ViolationsResult {
        if p.is_null() != v.is_null() {
            return Ok(vec![at.violation("AC01")]);
        }
        if p.is_null() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for (name, attribute) in schema.block.attributes.iter() {
            let at = at.attribute(name);
            found.extend(self.attribute(attribute, member(p, name, &at)?, member(v, name, &at)?, &at));
        }
        for nested in &schema.block_types {
            let at_name = at.attribute(nested.name);
            let (p, v) = (member(p, nested.name, &at_name)?, member(v, nested.name, &at_name)?);
            if self.dialect.has_computed_blocks() && nested.schema.block.computed {
                // C10: either ends the checking of this object.
                if v.is_null() && nested.nesting != Nesting::Single {
                    found.push(at.violation("C10"));
                    return Ok(found);
                }
                if p.is_unknown() {
                    return Ok(compared(p, v, &At::ROOT));
                }
            }
            found.extend(self.nested_block(nested, p, v, &at_name)?);
        }
        Ok(found)
    }

    /// AC10, AC12.
    fn attribute(self, attribute: &Attribute, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Vec<Violation> {
        let found = compared(p, v, at);
        if !found.is_empty() && (attribute.sensitive || self.has_mark(at)) {
            return vec![at.violation("AC10")];
        }
        found
    }

    /// Whether either value is marked here or inside.
    fn has_mark(self, at: &At<'_>) -> bool {
        let here = WrittenPath::from(&at.path());
        self.marks.into_iter().flat_map(PathSet::iter).any(|mark| mark.steps().starts_with(here.steps()))
    }

    /// AC20, AC21.
    fn nested_block(self, nested: &BlockType<'_>, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> ViolationsResult {
        match nested.nesting {
            Nesting::Single | Nesting::Group if p.is_unknown() && v.is_null() => Ok(Vec::new()),
            Nesting::Single | Nesting::Group => self.object(&nested.schema, p, v, at),
            Nesting::List => self.list_block(&nested.schema, p, v, at),
            Nesting::Map if matches!(p.ty(), Type::Object(_)) => self.map_block_of_object(&nested.schema, p, v, at),
            Nesting::Map => self.map_block_of_map(&nested.schema, p, v, at),
            Nesting::Set => self.set_block(&nested.schema, p, v, at),
        }
    }

    /// AC20, list.
    fn list_block(self, schema: &BlockSchema<'_>, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> ViolationsResult {
        if !p.is_present() || !v.is_present() {
            return Ok(Vec::new());
        }
        self.blocks_by_key(schema, p, v, at)
    }

    /// AC20: the elements of two values that may be of any kind, which are counted and then compared by key.
    fn blocks_by_key(
        self,
        schema: &BlockSchema<'_>,
        p: ValueRef<'_>,
        v: ValueRef<'_>,
        at: &At<'_>,
    ) -> ViolationsResult {
        let refused = || unexpected("values with elements", p, v, at);
        if count(p).ok_or_else(refused)? != count(v).ok_or_else(refused)? {
            return Ok(vec![at.violation("AC20")]);
        }
        let mut found = Vec::new();
        for (key, p) in keyed(p) {
            // A missing key is not reported.
            if has(v, key).ok_or_else(refused)? {
                let v = untyped::at(v, key).ok_or_else(refused)?;
                found.extend(self.object(schema, p, v, &key.step(at))?);
            }
        }
        Ok(found)
    }

    /// AC20, map, P of no object type.
    fn map_block_of_map(
        self,
        schema: &BlockSchema<'_>,
        p: ValueRef<'_>,
        v: ValueRef<'_>,
        at: &At<'_>,
    ) -> ViolationsResult {
        if !p.is_present() || v.is_null() {
            return Ok(Vec::new());
        }
        self.blocks_by_key(schema, p, v, at)
    }

    /// AC20, map, P of object type, known or not.
    fn map_block_of_object(
        self,
        schema: &BlockSchema<'_>,
        p: ValueRef<'_>,
        v: ValueRef<'_>,
        at: &At<'_>,
    ) -> ViolationsResult {
        let (Some(planned), Some(actual)) = (p.object_type(), v.object_type()) else {
            return Err(unexpected("objects", p, v, at));
        };
        let mut found = Vec::new();
        for attribute in planned.attributes() {
            let at_key = at.attribute(&attribute.name);
            if actual.index_of(&attribute.name).is_none() {
                found.push(at.violation("AC20"));
                continue;
            }
            if p.is_null() || v.is_null() {
                return Err(unexpected("objects that are not null", p, v, at));
            }
            let (p, v) = (member(p, &attribute.name, &at_key)?, member(v, &attribute.name, &at_key)?);
            found.extend(self.object(schema, p, v, &at_key)?);
        }
        if !p.is_unknown() {
            let new = actual.attributes().iter().filter(|attribute| planned.index_of(&attribute.name).is_none());
            found.extend(new.map(|_| at.violation("AC20")));
        }
        Ok(found)
    }

    /// AC20, set.
    fn set_block(self, schema: &BlockSchema<'_>, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> ViolationsResult {
        if !p.is_present() || !v.is_present() {
            return Ok(Vec::new());
        }
        sets(p, v, at, "AC20", |p, v| Ok(self.object(schema, p, v, at)?.is_empty()))
    }
}

/// AC11.
fn compared(p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Vec<Violation> {
    let violation_if = |broken: bool| if broken { vec![at.violation("AC11")] } else { Vec::new() };
    // a
    if p.ty().is_dynamic() {
        return Vec::new();
    }
    // b
    if !v.ty().conforms_to(p.ty()) {
        return violation_if(true);
    }
    // c
    if p.is_unknown() {
        return violation_if(includes(p, v) == Tri::False);
    }
    // d
    if v.is_null() || p.is_null() {
        return violation_if(!(v.is_null() && p.is_null()));
    }
    // e
    if v.is_unknown() {
        return violation_if(true);
    }
    match p.ty() {
        // f
        Type::Dynamic | Type::Bool | Type::Number | Type::String => violation_if(equals(p, v) != Tri::True),
        // g
        Type::List(_) | Type::Tuple(_) => compared_by_index(p, v, at),
        Type::Map(_) => compared_by_key(p, v, at),
        // h; the types conform, so the names are the same
        Type::Object(_) => {
            let members = p.entries().zip(v.entries());
            members.flat_map(|((name, p), (_, v))| compared(p, v, &at.attribute(name))).collect()
        }
        // i
        Type::Set(_) => compared_sets(p, v, at),
    }
}

/// AC11 g, list and tuple: the keys are the indices.
fn compared_by_index(p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, p) in elements(p).enumerate() {
        match v.element(index) {
            None => found.push(at.violation("AC11")),
            Some(v) => found.extend(compared(p, v, &at.index(index))),
        }
    }
    found.extend((p.len()..v.len()).map(|_| at.violation("AC11")));
    found
}

/// AC11 g, map.
fn compared_by_key(p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (key, p) in p.entries() {
        match v.entry(key) {
            None => found.push(at.violation("AC11")),
            Some(v) => found.extend(compared(p, v, &at.key(key))),
        }
    }
    found.extend(v.entries().filter(|(key, _)| p.entry(key).is_none()).map(|_| at.violation("AC11")));
    found
}

/// AC11 i.
fn compared_sets(p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Vec<Violation> {
    let Ok(found) = sets(p, v, at, "AC11", |p, v| Ok::<_, Infallible>(compared(p, v, at).is_empty()));
    found
}

/// AC15, and the count rule of AC11 i.
fn sets<E>(
    p: ValueRef<'_>,
    v: ValueRef<'_>,
    at: &At<'_>,
    rule: &'static str,
    relation: impl Fn(ValueRef<'_>, ValueRef<'_>) -> Result<bool, E>,
) -> Result<Vec<Violation>, E> {
    let (mut p_matched, mut v_matched) = (vec![false; p.len()], vec![false; v.len()]);
    for (p, p_matched) in elements(p).zip(&mut p_matched) {
        for (v, v_matched) in elements(v).zip(&mut v_matched) {
            if relation(p, v)? {
                *p_matched = true;
                *v_matched = true;
            }
        }
    }
    let unmatched = |matched: &[bool]| matched.iter().filter(|matched| !**matched).count();
    let mut count = unmatched(&p_matched);
    if count == 0 {
        count = unmatched(&v_matched);
    }
    if p.len() < v.len() {
        count += 1;
    }
    Ok((0..count).map(|_| at.violation(rule)).collect())
}

fn unexpected(expected: &str, p: ValueRef<'_>, v: ValueRef<'_>, at: &At<'_>) -> Refusal {
    at.refusal("AC20", format!("expected {expected}, found {} planned, {} actual", described(p), described(v)))
}

#[cfg(test)]
mod tests {
    use crate::check::{WITH_COMPUTED_BLOCKS, WITHOUT_COMPUTED_BLOCKS, check, check_attributes, check_blocks};

    fn block(mode: &str, ty: &str) -> String {
        let attribute = format!(r#"{{"n":{{"type":"{ty}","optional":true}}}}"#);
        format!(r#"{{"s":{{"nesting_mode":"{mode}","block":{{"attributes":{attribute}}}}}}}"#)
    }

    #[test]
    fn ac01_null_and_unknown_objects() {
        let asked = check_attributes(r#"{"s":{"type":"string","optional":true}}"#);
        asked.assert_object_compatible("null", "null").finds(&[]);
        asked.assert_object_compatible(r#"{"s":"a"}"#, "null").finds(&[""]);
        asked.assert_object_compatible(r#"{"$unknown":true}"#, r#"{"s":"a"}"#).finds(&[]);
        asked.assert_object_compatible(r#"{"s":"a"}"#, r#"{"$unknown":true}"#).finds(&[".s"]);
    }

    #[test]
    fn ac11_nested_types_are_compared_as_plain_values() {
        let asked = check_attributes(
            r#"{"s":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                "n":{"type":"string","optional":true,"sensitive":true},"m":{"type":"number","optional":true}}}}}"#,
        );
        asked
            .assert_object_compatible(r#"{"s":{"k":{"n":"a","m":1}}}"#, r#"{"s":{"k":{"n":"b","m":2}}}"#)
            .finds(&[".s[\"k\"].m", ".s[\"k\"].n"]);
        asked.assert_object_compatible(r#"{"s":null}"#, r#"{"s":{}}"#).finds(&[".s"]);
    }

    #[test]
    fn ac11_tuples_and_sets_of_sets() {
        check_attributes(r#"{"t":{"type":["tuple",["string","bool"]],"optional":true}}"#)
            .assert_object_compatible(r#"{"t":["a",true]}"#, r#"{"t":["a",false]}"#)
            .finds(&[".t[1]"]);
        check_attributes(r#"{"s":{"type":["set",["set","string"]],"optional":true}}"#)
            .assert_object_compatible(r#"{"s":[["a"],[{"$unknown":true}]]}"#, r#"{"s":[["a"],["b"],["c"]]}"#)
            .finds(&[".s"]);
    }

    #[test]
    fn ac15_unmatched_actual_elements_count_only_where_all_planned_are_matched() {
        let asked = check_attributes(r#"{"s":{"type":["set","string"],"optional":true}}"#);
        asked.assert_object_compatible(r#"{"s":["a","b","c"]}"#, r#"{"s":["c","d","e"]}"#).finds(&[".s", ".s"]);
        asked.assert_object_compatible(r#"{"s":["a"]}"#, r#"{"s":["a","d","e"]}"#).finds(&[".s", ".s", ".s"]);
        asked.assert_object_compatible(r#"{"s":["a","b"]}"#, r#"{"s":["a"]}"#).finds(&[".s"]);
    }

    #[test]
    fn ac20_map_blocks() {
        let asked = check_blocks(&block("map", "string"));
        let planned = r#"{"s":{"a":{"n":"1"},"b":{"n":"1"}}}"#;
        asked.assert_object_compatible(planned, r#"{"s":{"b":{"n":"2"},"c":{"n":"2"}}}"#).finds(&[".s[\"b\"].n"]);
        asked.assert_object_compatible(planned, r#"{"s":{"a":{"n":"1"}}}"#).finds(&[".s"]);
        asked.assert_object_compatible(planned, r#"{"s":null}"#).finds(&[]);
        asked.assert_object_compatible(planned, r#"{"s":{"$unknown":true}}"#).is_refused("AC20", ".s");
    }

    #[test]
    fn ac20_map_blocks_of_object_type() {
        let asked = check_blocks(&block("map", "dynamic"));
        let ty = r#"["object",{"x":["object",{"n":"string"}]}]"#;
        let known = format!(r#"{{"s":{{"type":{ty},"value":{{"x":{{"n":"a"}}}}}}}}"#);
        let unknown = format!(r#"{{"s":{{"type":{ty},"value":{{"$unknown":true}}}}}}"#);
        let two = r#"{"s":{"type":["object",{"x":["object",{"n":"string"}],"y":["object",{"n":"string"}]}],
            "value":{"x":{"n":"b"},"y":{"n":"c"}}}}"#;
        asked.assert_object_compatible(&known, two).finds(&[".s", ".s.x.n"]);
        asked.assert_object_compatible(&unknown, two).finds(&[]);
        asked.assert_object_compatible(&known, r#"{"s":null}"#).is_refused("AC20", ".s");
        asked.assert_object_compatible(r#"{"s":{"$unknown":true}}"#, two).finds(&[]);
    }

    #[test]
    fn ac21_unknown_blocks_accept_anything() {
        for mode in ["list", "set", "map"] {
            let asked = check_blocks(&block(mode, "string"));
            asked.assert_object_compatible(r#"{"s":{"$unknown":true}}"#, r#"{"s":null}"#).finds(&[]);
        }
        let asked = check_blocks(&block("group", "string"));
        asked.assert_object_compatible(r#"{"s":{"$unknown":true}}"#, r#"{"s":{"n":"a"}}"#).finds(&[]);
    }

    #[test]
    fn mp18_an_unknown_map_block_in_a_set_is_refused_while_correlating() {
        let asked = check_blocks(
            r#"{"s":{"nesting_mode":"set","block":{"block_types":{"m":{"nesting_mode":"map","block":{}}}}}}"#,
        );
        asked
            .assert_object_compatible(r#"{"s":[{"m":{}}]}"#, r#"{"s":[{"m":{"$unknown":true}}]}"#)
            .is_refused("AC20", ".s.m");
    }

    #[test]
    fn c10_a_computed_block_decides_for_its_object() {
        let schema = r#"{"attributes":{"a":{"type":"string","optional":true}},"block_types":{
            "s":{"nesting_mode":"MODE","block":{"computed":true,"attributes":{"n":{"type":"string","computed":true}}}}}}"#;
        let (list, single) = (schema.replace("MODE", "list"), schema.replace("MODE", "single"));
        let planned = r#"{"a":"1","s":[]}"#;
        let actual = r#"{"a":"2","s":null}"#;
        let ask = |schema: &str, dialects| check(schema).in_dialects(dialects);
        ask(&list, WITH_COMPUTED_BLOCKS).assert_object_compatible(planned, actual).finds(&["", ".a"]);
        ask(&list, WITHOUT_COMPUTED_BLOCKS).assert_object_compatible(planned, actual).finds(&[".a"]);
        let unknown = r#"{"a":"1","s":{"$unknown":{"not_null":true}}}"#;
        ask(&single, WITH_COMPUTED_BLOCKS).assert_object_compatible(unknown, actual).finds(&[""]);
        ask(&single, WITHOUT_COMPUTED_BLOCKS).assert_object_compatible(unknown, actual).finds(&[".a"]);
    }

    #[test]
    fn m30_dynamic_blocks_of_another_kind_are_held_against_each_other_by_key() {
        let object = r#"["object",{"n":"string"}]"#;
        let of = |ty: &str, value: &str| format!(r#"{{"s":{{"type":{ty},"value":{value}}}}}"#);
        let tuple = of(&format!(r#"["tuple",[{object}]]"#), r#"[{"n":"1"}]"#);
        let map = of(&format!(r#"["map",{object}]"#), r#"{"a":{"n":"1"}}"#);
        let string = of(r#""string""#, r#""a""#);
        let object = of(&format!(r#"["object",{{"a":{object}}}]"#), r#"{"a":{"n":"1"}}"#);
        for (mode, planned, actual) in [
            ("list", &tuple, &string),
            ("list", &string, &tuple),
            ("list", &map, &object),
            ("map", &map, &string),
            ("map", &string, &map),
            ("map", &map, &object),
            ("map", &object, &map),
        ] {
            check_blocks(&block(mode, "dynamic")).assert_object_compatible(planned, actual).is_refused("AC20", ".s");
        }
        for (planned, actual) in [(&tuple, &map), (&map, &tuple)] {
            for mode in ["list", "map"] {
                check_blocks(&block(mode, "dynamic")).assert_object_compatible(planned, actual).finds(&[]);
            }
        }
    }
}
