//! Walks and transformations (V12), and the removal of refinements (V14).
//!
//! Each visits every part once, and is linear in the value. Marks are no part of values (V15): a caller that converts
//! marked values keeps the paths beside them, and moves a path that leads into a set to the whole set.

use triomphe::Arc;

use super::node::{MapNode, Node, Seq};
use super::path::Path;
use super::ty::Type;
use super::view::ValueRef;
use super::{Value, ValueError, set};

impl<'a> ValueRef<'a> {
    /// Visits this value and, where the visitor says `true`, its children in V10 order, depth first (V12).
    pub fn walk(self, visit: &mut dyn FnMut(&Path, ValueRef<'a>) -> bool) {
        self.walk_at(&Path::root(), visit);
    }

    fn walk_at(self, path: &Path, visit: &mut dyn FnMut(&Path, ValueRef<'a>) -> bool) {
        if !visit(path, self) {
            return;
        }
        for (step, child) in self.children() {
            child.walk_at(&path.step(step), visit);
        }
    }

    /// Rebuilds this value, children first, each result given to `change` (V12). A set is rebuilt by inserting the
    /// new elements in the old iteration order; empty collections, the empty object, null and unknown go to
    /// `change` as they are.
    ///
    /// # Errors
    /// What `change` refuses, and elements of one collection that come out with different types (V08).
    pub fn transform<E: From<ValueError>>(
        self,
        change: &mut dyn FnMut(&Path, Value) -> Result<Value, E>,
    ) -> Result<Value, E> {
        self.transform_at(&Path::root(), change)
    }

    fn transform_at<E: From<ValueError>>(
        self,
        path: &Path,
        change: &mut dyn FnMut(&Path, Value) -> Result<Value, E>,
    ) -> Result<Value, E> {
        if self.children().len() == 0 {
            return change(path, self.to_value());
        }
        let mut children = Vec::with_capacity(self.len());
        for (step, child) in self.children() {
            children.push(child.transform_at(&path.step(step), change)?);
        }
        change(path, self.rebuilt(children)?)
    }

    /// A value of this kind with other children, in V10 order. Where the new type equals the old one, the old one is
    /// shared: then the types of the elements of a collection, one rebuilt like the other, are compared by pointer.
    fn rebuilt(self, children: Vec<Value>) -> Result<Value, ValueError> {
        let rebuilt = match self.ty() {
            Type::List(element) => Value::list(element, children)?,
            Type::Set(element) => Value::set(element, children)?,
            Type::Tuple(_) => Value::tuple(children),
            Type::Map(element) => {
                let keys = self.entries().map(|(key, _)| key.clone());
                Value::map(element, keys.zip(children).collect())?
            }
            Type::Object(_) => {
                let names = self.entries().map(|(name, _)| name.clone());
                Value::object(names.zip(children).collect())
            }
            Type::Dynamic | Type::Bool | Type::Number | Type::String => return Ok(self.to_value()),
        };
        let (ty, node) = rebuilt.into_parts();
        let ty = if ty == *self.ty() { self.ty().clone() } else { ty };
        Ok(Value::from_parts(ty, node))
    }

    /// This value with every unknown, itself included, replaced by a plain one of the same type (V14).
    pub fn unrefined(self) -> Value {
        Value::from_parts(self.ty().clone(), unrefined(self.ty(), self.node()))
    }
}

/// V14 below a value of type `ty`. Parts without a record are shared, not rebuilt.
pub(super) fn unrefined(ty: &Type, node: &Node) -> Node {
    if !node.contents().has_record() {
        return node.clone();
    }
    let parts = || typed_parts(ty, node).map(|(ty, part)| unrefined(ty, part)).collect();
    match (ty, node) {
        (_, Node::Unknown(_)) => Node::UNKNOWN,
        (Type::Set(element), _) => Node::Seq(set::build(element, parts())),
        (_, Node::Map(map)) => Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(parts()) })),
        _ => Node::seq(parts()),
    }
}

/// The stored parts of a payload of type `ty`, each with its type; empty for null, unknown and primitives.
pub(super) fn typed_parts<'a>(ty: &'a Type, node: &'a Node) -> impl Iterator<Item = (&'a Type, &'a Node)> {
    node.parts().iter().enumerate().filter_map(move |(index, part)| Some((ty.part(index)?, part)))
}

#[cfg(test)]
mod tests {
    use super::super::{Step, Text};
    use super::*;

    fn text(text: &str) -> Value {
        Value::string(text)
    }

    fn object(members: Vec<(&str, Value)>) -> Value {
        Value::object(members.into_iter().map(|(name, value)| (Text::new(name), value)).collect())
    }

    fn list(elements: Vec<Value>) -> Value {
        Value::list(&Type::String, elements).expect("elements of one type")
    }

    fn set(elements: Vec<Value>) -> Value {
        Value::set(&Type::String, elements).expect("elements of one type")
    }

    fn keep(_: &Path, value: Value) -> Result<Value, ValueError> {
        Ok(value)
    }

    #[test]
    fn v12_children_are_visited_in_order_and_only_where_wanted() {
        let value = object(vec![("b", list(vec![text("x"), text("y")])), ("a", list(vec![text("z")]))]);
        let mut seen = Vec::new();
        value.view().walk(&mut |path, _| {
            seen.push(path.to_string());
            path.to_string() != ".a"
        });
        assert_eq!(seen, ["", ".a", ".b", ".b[0]", ".b[1]"]);
    }

    #[test]
    fn v12_a_transformation_sees_the_rebuilt_children_first() {
        let value = object(vec![("a", list(vec![text("x"), text("y")])), ("b", list(vec![]))]);
        let mut seen = Vec::new();
        let result = value.view().transform(&mut |path, value| {
            seen.push((path.to_string(), value.clone()));
            Ok::<_, ValueError>(if value.ty() == &Type::String { text("new") } else { value })
        });
        let a = list(vec![text("new"), text("new")]);
        let want = object(vec![("a", a.clone()), ("b", list(vec![]))]);
        assert_eq!(result.expect("types stay"), want);
        let want = [(".a[0]", text("x")), (".a[1]", text("y")), (".a", a), (".b", list(vec![])), ("", want)];
        assert_eq!(seen, want.map(|(path, value)| (path.to_string(), value)));
    }

    #[test]
    fn v12_elements_of_a_transformed_set_merge_and_reorder() {
        let value = set(vec![text("a"), text("b"), text("c")]);
        let change = |path: &Path, value: Value| {
            let is_element = matches!(path.steps().as_slice(), [Step::Element(_)]);
            Ok::<_, ValueError>(match value.view().as_text().map(|text| text.as_str()) {
                Some("a") if is_element => text("z"),
                Some("b") => text("c"),
                _ => value,
            })
        };
        let result = value.view().transform(&mut { change }).expect("types stay");
        assert_eq!(result, set(vec![text("c"), text("z")]));
    }

    #[test]
    fn v12_elements_of_different_types_are_refused() {
        let value = list(vec![text("a"), text("b")]);
        let result = value
            .view()
            .transform(&mut |_, value| Ok::<_, ValueError>(if value == text("a") { Value::bool(true) } else { value }));
        assert!(matches!(result, Err(ValueError::MixedElements { .. })));
    }

    #[test]
    fn v12_a_transformation_that_changes_nothing_shares_the_types() {
        let element = object(vec![("a", text("x")), ("b", list(vec![text("y")]))]);
        let value = Value::list(element.ty(), vec![element.clone(), Value::null(element.ty().clone())]);
        let value = value.expect("elements of one type");
        let result = value.view().transform(&mut keep).expect("types stay");
        assert_eq!(result, value);
        let (Type::List(old), Type::List(new)) = (value.ty(), result.ty()) else { panic!("a list stays one") };
        assert!(Arc::ptr_eq(old, new));
    }

    #[test]
    fn v12_optional_markers_do_not_outlive_a_rebuilt_object() {
        let attribute = super::super::TypeAttribute { name: Text::new("a"), ty: Type::String, optional: true };
        let ty = Type::Object(Arc::new(super::super::ObjectType::new(vec![attribute])));
        let value = Value::from_parts(ty.clone(), Node::seq(vec![Node::Null]));
        assert_eq!(*value.view().transform(&mut keep).expect("one member").ty(), ty.strip_optional());
        let unknown = Value::unknown(ty);
        assert_eq!(unknown.view().transform(&mut keep).expect("goes through"), unknown);
    }

    #[test]
    fn v14_every_unknown_becomes_plain_and_the_rest_is_shared() {
        let refined = || {
            let record = super::super::Refinement { not_null: true, ..Default::default() };
            Value::from_parts(Type::String, Node::Unknown(Some(Arc::new(record))))
        };
        let plain = || Value::unknown(Type::String);
        let kept = list(vec![text("k"), plain()]);
        let whole = |part: Value| {
            let map = Value::map(&Type::String, vec![(Text::new("k"), part.clone())]).expect("one type");
            let parts = vec![("l", list(vec![part.clone()])), ("s", set(vec![part.clone(), part.clone()]))];
            object([parts, vec![("m", map), ("t", Value::tuple(vec![part])), ("x", kept.clone())]].concat())
        };
        let result = whole(refined()).view().unrefined();
        assert_eq!(result, whole(plain()));
        assert_ne!(result, whole(refined()));
        assert!(result.view().entry("x").is_some_and(|part| part.node().ptr_eq(kept.node())));
        assert_eq!(refined().view().unrefined(), plain());
    }
}
