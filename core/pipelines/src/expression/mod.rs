//! Expressions and conditions: the vocabulary, its JSON form, and its evaluation (section 2 of provider-model.md).
//!
//! Every enum is closed, and its first variant is the simplest: shrinking goes towards it.
//!
//! The pipeline provides the values: a [`Scene`] has config, prior and plan at the moment of evaluation. Conditions are three-valued; an
//! unknown stays open until it is known, so a rule that acts only on "true" or "not false" never has to take anything back.

mod canon;
mod equivalence;
mod json;
mod scope;
mod sum;
mod text;
mod vocabulary;

#[cfg(test)]
mod tests;

pub(crate) use json::{
    below, read_canon, read_cond, read_equiv, read_expr, read_ref, write_canon, write_cond, write_equiv, write_expr,
    write_ref,
};
pub use scope::Scope;
pub use text::hash_text;
pub use vocabulary::{Canon, Changed, Cond, Equiv, Expr, MAX_DEPTH, Operation, Ref, Source};

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Node, Tri, Type, Value, ValueRef};

use crate::equality::value_equal;

/// The source of values.
pub trait Scene {
    /// The attribute itself.
    fn this(&self, source: Source) -> Value;

    /// The object that has the attribute.
    fn object(&self, source: Source) -> Value;

    /// The whole object.
    fn root(&self, source: Source) -> Value;

    /// What is done to the resource.
    fn operation(&self) -> Operation;

    /// Whether a top-level attribute, or the SDK key of that name, has changed.
    fn has_changed(&self, name: &str) -> Tri {
        let member = |source| member(&self.root(source), name);
        changed(member(Source::Plan).view(), member(Source::Prior).view())
    }
}

impl Ref {
    /// The value that this leads to. Null on the way gives null, unknown gives unknown.
    pub fn value(&self, scene: &impl Scene) -> Value {
        match self {
            Ref::This(source) => scene.this(*source),
            Ref::Sibling(source, name) => member(&scene.object(*source), name),
            Ref::Root(source, names) => names.iter().fold(scene.root(*source), |value, name| member(&value, name)),
        }
    }
}

/// A member of an object; an untyped null if there is none.
fn member(value: &Value, name: &str) -> Value {
    value.view().member(name).map_or_else(|| Value::null(Type::Dynamic), ValueRef::to_value)
}

impl Expr {
    /// The value, of a type that conforms to `target`. A value that does not convert is null.
    pub fn value(&self, target: &Type, scene: &impl Scene) -> Value {
        let value = self.raw_value(scene);
        if value.ty().conforms_to(target) {
            return value;
        }
        match value.node() {
            Node::Null => Value::null(target.clone()),
            Node::Unknown(_) => Value::unknown(target.clone()),
            _ => convert(&value, target).unwrap_or_else(|_| Value::null(target.clone())),
        }
    }

    /// The value before conversion: null and unknown without a type of their own are of type `dynamic`.
    fn raw_value(&self, scene: &impl Scene) -> Value {
        match self {
            Expr::Null => Value::null(Type::Dynamic),
            Expr::Unknown => Value::unknown(Type::Dynamic),
            Expr::Const(value) => value.clone(),
            Expr::Ref(reference) => reference.value(scene),
            Expr::Canon(canon, of) => canon.value(of.raw_value(scene)),
            Expr::Concat(parts) => text::concatenated(parts.iter().map(|part| part.raw_value(scene))),
            Expr::Add(a, b) => sum::sum(&a.value(&Type::Number, scene), &b.value(&Type::Number, scene)),
            Expr::Length(of) => text::length(&of.raw_value(scene)),
            Expr::Hash(parts) => text::hashed(parts.iter().map(|part| part.raw_value(scene))),
            Expr::If(condition, then, otherwise) => match condition.holds(scene) {
                Tri::True => then.raw_value(scene),
                Tri::False => otherwise.raw_value(scene),
                Tri::Unknown => Value::unknown(Type::Dynamic),
            },
        }
    }
}

impl Cond {
    /// Whether the condition holds, as far as that is known.
    pub fn holds(&self, scene: &impl Scene) -> Tri {
        match self {
            Cond::Bool(bool) => (*bool).into(),
            Cond::Op(operation) => (*operation == scene.operation()).into(),
            Cond::IsNull(reference) => {
                let value = reference.value(scene);
                if value.is_unknown() { Tri::Unknown } else { value.is_null().into() }
            }
            Cond::IsUnknown(reference) => reference.value(scene).is_unknown().into(),
            Cond::PartlyUnknown(reference) => (!reference.value(scene).is_wholly_known()).into(),
            Cond::Changed(Changed::Name(name)) => scene.has_changed(name),
            Cond::Changed(Changed::Ref(reference)) => {
                let value = |source| reference.in_source(source).value(scene);
                changed(value(Source::Plan).view(), value(Source::Prior).view())
            }
            Cond::Eq(a, b) => are_equivalent(&Equiv::Exact, &a.raw_value(scene), &b.raw_value(scene)),
            Cond::Same(equiv, a, b) => are_equivalent(equiv, &a.raw_value(scene), &b.raw_value(scene)),
            Cond::Lt(a, b) => is_less(&a.value(&Type::Number, scene), &b.value(&Type::Number, scene)),
            Cond::Not(of) => not(of.holds(scene)),
            Cond::All(of) => all(of.iter().map(|cond| cond.holds(scene))),
            Cond::Any(of) => not(all(of.iter().map(|cond| not(cond.holds(scene))))),
        }
    }
}

/// Whether the plan's value differs from the prior one (F09); open while either is not wholly known.
pub fn changed(plan: ValueRef<'_>, prior: ValueRef<'_>) -> Tri {
    if !plan.is_wholly_known() || !prior.is_wholly_known() {
        return Tri::Unknown;
    }
    (!(plan.is_null() && prior.is_null() || value_equal(plan, prior))).into()
}

/// Null is equivalent only to null, of any type.
fn are_equivalent(equiv: &Equiv, a: &Value, b: &Value) -> Tri {
    if !a.is_wholly_known() || !b.is_wholly_known() {
        return Tri::Unknown;
    }
    match (a.is_null(), b.is_null()) {
        (true, true) => Tri::True,
        (false, false) => equiv.relates(a.view(), b.view()).into(),
        _ => Tri::False,
    }
}

fn is_less(a: &Value, b: &Value) -> Tri {
    if a.is_unknown() || b.is_unknown() {
        return Tri::Unknown;
    }
    match (a.view().as_number(), b.view().as_number()) {
        (Some(a), Some(b)) => a.compare(b).is_lt().into(),
        _ => Tri::False,
    }
}

fn not(answer: Tri) -> Tri {
    match answer {
        Tri::False => Tri::True,
        Tri::True => Tri::False,
        Tri::Unknown => Tri::Unknown,
    }
}

/// Kleene's "and".
fn all(answers: impl Iterator<Item = Tri>) -> Tri {
    let mut open = false;
    for answer in answers {
        match answer {
            Tri::False => return Tri::False,
            Tri::Unknown => open = true,
            Tri::True => {}
        }
    }
    if open { Tri::Unknown } else { Tri::True }
}

impl Canon {
    /// The canonical form of a value: null and values that the form does not cover stay as they are; a value that is not wholly known
    /// becomes unknown.
    pub fn value(&self, value: Value) -> Value {
        if !value.is_wholly_known() {
            return Value::unknown(value.ty().clone());
        }
        let form = canon::of_node(self, value.ty(), value.node());
        match form {
            None => value,
            Some(node) => Value::from_parts(value.ty().clone(), node),
        }
    }
}
