//! Null and empty (Z100): the flat form loses the difference, which is restored from another value.

use triomphe::Arc;

use planfuzz_core::value::{MapNode, Node, Type, Value};

/// The two modes of Z100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// At plan and at read.
    Plan,
    /// At apply.
    Apply,
}

/// Z100: `dst` with null and empty as in `src`, which is of the same type.
pub fn normalize(dst: &Value, src: &Value, mode: Mode) -> Value {
    let node = Normalizer { mode }.node(dst.ty(), dst.node(), src.node());
    Value::from_parts(dst.ty().clone(), node)
}

#[derive(Clone, Copy)]
struct Normalizer {
    mode: Mode,
}

impl Normalizer {
    fn node(self, ty: &Type, dst: &Node, src: &Node) -> Node {
        if src.is_unknown() {
            return if self.mode == Mode::Plan && dst.is_null() { src.clone() } else { dst.clone() };
        }
        if self.mode == Mode::Apply && ty.is_collection() && is_null_and_empty(dst, src) {
            return src.clone();
        }
        if src.is_null() || dst.is_unknown() {
            return dst.clone();
        }
        match ty {
            Type::Object(object) => {
                let types = object.attributes().iter().zip(src.parts());
                let members = types.enumerate().map(|(index, (attribute, src))| {
                    // A null object counts as an object of nulls.
                    self.node(&attribute.ty, dst.parts().get(index).unwrap_or(&Node::Null), src)
                });
                Node::seq(members.collect())
            }
            Type::Map(element) => self.map(element, dst, src),
            Type::Set(_) if self.mode == Mode::Apply && !src.contents().has_unknown() => src.clone(),
            Type::List(element) => self.list(element, dst, src),
            Type::String if dst.is_null() && matches!(src, Node::String(text) if text.is_empty()) => src.clone(),
            _ => dst.clone(),
        }
    }

    fn map(self, element: &Type, dst: &Node, src: &Node) -> Node {
        let Node::Map(wanted) = src else { return dst.clone() };
        let mut entries = match dst {
            Node::Map(map) => map.keys().iter().cloned().zip(map.values.as_slice().iter().cloned()).collect(),
            _ => Vec::new(),
        };
        for (key, entry) in &mut entries {
            let Some(wanted) = wanted.get(key) else { continue };
            *entry = self.node(element, entry, wanted);
            if entry.is_unknown() && !wanted.is_unknown() && !wanted.is_null() {
                *entry = wanted.clone();
            }
        }
        if !entries.is_empty() {
            return Node::Map(Arc::new(MapNode::from_sorted(entries)));
        }
        if self.mode == Mode::Apply && dst.is_null() && !src.contents().has_unknown() {
            src.clone()
        } else {
            dst.clone()
        }
    }

    fn list(self, element: &Type, dst: &Node, src: &Node) -> Node {
        let (have, want) = (dst.parts(), src.parts());
        if dst.is_null() {
            let takes = match self.mode {
                Mode::Apply => want.is_empty(),
                Mode::Plan => want.iter().all(Node::is_unknown),
            };
            return if takes { src.clone() } else { Node::Null };
        }
        if have.len() != want.len() || have.is_empty() {
            return dst.clone();
        }
        Node::seq(have.iter().zip(want).map(|(dst, src)| self.node(element, dst, src)).collect())
    }
}

/// Whether one is null and the other known and empty.
fn is_null_and_empty(a: &Node, b: &Node) -> bool {
    let is_empty = |node: &Node| matches!(node, Node::Seq(_) | Node::Map(_)) && node.parts().is_empty();
    (a.is_null() && is_empty(b)) || (is_empty(a) && b.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_core::json::Json;

    fn check(mode: Mode, ty: &str, dst: &str, src: &str, want: &str) {
        let ty = Type::parse(ty).expect("a type");
        let value = |text: &str| Value::from_json(&Json::parse(text).expect("a document"), &ty).expect("a value");
        assert_eq!(normalize(&value(dst), &value(src), mode), value(want), "{dst} {src}");
    }

    #[test]
    fn z100_empty_lists_and_texts_survive_a_plan_and_empty_sets_and_maps_do_not() {
        check(Mode::Plan, r#"["list","string"]"#, "null", "[]", "[]");
        check(Mode::Plan, r#""string""#, "null", r#""""#, r#""""#);
        check(Mode::Plan, r#"["set","string"]"#, "null", "[]", "null");
        check(Mode::Plan, r#"["map","string"]"#, "null", "{}", "null");
    }

    #[test]
    fn z100_at_apply_null_and_empty_follow_the_plan() {
        for (dst, src) in [("null", "[]"), ("[]", "null")] {
            check(Mode::Apply, r#"["set","string"]"#, dst, src, src);
            check(Mode::Apply, r#"["list","string"]"#, dst, src, src);
        }
        check(Mode::Apply, r#"["set","string"]"#, r#"["x"]"#, r#"["y"]"#, r#"["y"]"#);
        check(Mode::Apply, r#"["map","string"]"#, r#"{"a":"1"}"#, r#"{"b":"2"}"#, r#"{"a":"1"}"#);
    }

    #[test]
    fn z100_a_null_object_is_one_of_nulls() {
        check(Mode::Plan, r#"["object",{"a":"string"}]"#, "null", r#"{"a":""}"#, r#"{"a":""}"#);
    }

    #[test]
    fn z100_an_unknown_source_fills_null_at_plan_only() {
        let unknown = r#"{"$unknown":true}"#;
        check(Mode::Plan, r#""string""#, "null", unknown, unknown);
        check(Mode::Apply, r#""string""#, "null", unknown, "null");
    }
}
