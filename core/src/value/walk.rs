//! Walks and transformations (V12), and the values they give: unrefined (V14).

use super::node::{MapNode, Node};
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

    /// A value of this kind with other children, in V10 order.
    fn rebuilt(self, children: Vec<Value>) -> Result<Value, ValueError> {
        match self.ty() {
            Type::List(element) => Value::list(element, children),
            Type::Set(element) => Value::set(element, children),
            Type::Tuple(_) => Ok(Value::tuple(children)),
            Type::Map(element) => {
                let keys = self.entries().map(|(key, _)| key.clone());
                Value::map(element, keys.zip(children).collect())
            }
            Type::Object(_) => {
                let names = self.entries().map(|(name, _)| name.clone());
                Ok(Value::object(names.zip(children).collect()))
            }
            Type::Dynamic | Type::Bool | Type::Number | Type::String => Ok(self.to_value()),
        }
    }

    /// This value with every unknown, itself included, replaced by a plain one of the same type (V14).
    pub fn unrefined(self) -> Value {
        Value::from_parts(self.ty().clone(), unrefined(self.ty(), self.node()))
    }
}

fn unrefined(ty: &Type, node: &Node) -> Node {
    if !node.contents().has_record() {
        return node.clone();
    }
    match (ty, node) {
        (_, Node::Unknown(_)) => Node::UNKNOWN,
        (Type::Set(element), Node::Seq(seq)) => {
            Node::Seq(set::build(element, seq.as_slice().iter().map(|item| unrefined(element, item)).collect()))
        }
        (Type::List(element), Node::Seq(seq)) => {
            Node::seq(seq.as_slice().iter().map(|item| unrefined(element, item)).collect())
        }
        (Type::Tuple(tuple), Node::Seq(seq)) => {
            let items = tuple.elements().iter().zip(seq.as_slice());
            Node::seq(items.map(|(ty, item)| unrefined(ty, item)).collect())
        }
        (Type::Object(object), Node::Seq(seq)) => {
            let items = object.attributes().iter().zip(seq.as_slice());
            Node::seq(items.map(|(attribute, item)| unrefined(&attribute.ty, item)).collect())
        }
        (Type::Map(element), Node::Map(map)) => {
            let values = map.values.as_slice().iter().map(|item| unrefined(element, item)).collect();
            Node::Map(triomphe::Arc::new(MapNode { keys: map.keys.clone(), values: super::Seq::new(values) }))
        }
        (_, other) => other.clone(),
    }
}
