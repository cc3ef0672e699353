//! The tree of an expression (section 6), every node with its place.

use planfuzz_core::value::{Text, Value};

use crate::place::SourcePlace;

/// The greatest depth of a tree.
pub const MAX_EXPRESSION_DEPTH: u16 = 250;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its form.
    pub kind: Kind,
    /// Its place.
    pub place: SourcePlace,
    /// The greatest number of nodes on a path from here down.
    pub(crate) depth: u16,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A constant.
    Literal(Value),
    /// Parts that are joined (E89).
    Template(Vec<Expression>),
    /// The strings of a tuple, joined: `%{ for }` (E90).
    Join(Box<Expression>),
    /// The first name of a reference.
    Root(Text),
    /// A variable of a `for`, or the element of a splat, by the place of its slot.
    Slot(usize),
    /// `x.a`
    Attribute(Box<Expression>, Text),
    /// `x[k]`
    Index(Box<Expression>, Box<Expression>),
    /// `x[*]…` or `x.*…`: the source, the slot of the element, and the expression that is evaluated for each element (E92a).
    Splat(Box<Expression>, usize, Box<Expression>),
    /// `-x`, `!x`
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b` and other operators with two operands
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<[Expression; 3]>),
    /// `f(a, b...)`: the name, the arguments, whether the last one is spread.
    Call(Text, Vec<Expression>, bool),
    /// `[…]`
    Tuple(Vec<Expression>),
    /// `{…}`
    Object(Vec<Item>),
    /// `[for …]`, `{for …}`
    For(Box<For>),
    /// `(x)`, `"${x}"`: the inner expression, which does not count as a reference.
    Parentheses(Box<Expression>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Item {
    /// A bare name is a literal here.
    pub key: Expression,
    /// Its value.
    pub value: Expression,
}

/// A `for` (E91).
#[derive(Clone, Debug)]
pub struct For {
    /// The collection to iterate.
    pub collection: Expression,
    /// The slot of the key, if it is named.
    pub key_slot: Option<usize>,
    /// The slot of the element.
    pub value_slot: usize,
    /// The key of an object's member.
    pub key: Option<Expression>,
    /// The element of the result.
    pub value: Expression,
    /// `if`
    pub condition: Option<Expression>,
    /// `...`
    pub grouped: bool,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// A reference in an expression: a name and the constant steps after it (E51).
#[derive(Clone, Debug)]
pub struct Reference {
    /// The first name.
    pub root: Text,
    /// The steps after it.
    pub steps: Vec<ReferenceStep>,
    /// Its place.
    pub place: SourcePlace,
}

/// A constant step of a reference.
#[derive(Clone, Debug)]
pub enum ReferenceStep {
    /// `.name`
    Attribute(Text),
    /// `[key]`
    Index(Value),
}

impl Expression {
    /// Its place.
    pub fn place(&self) -> SourcePlace {
        self.place
    }

    /// The references in it, in the order of the text.
    pub fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    /// Whether it contains a function call.
    pub fn has_call(&self) -> bool {
        self.is_any(&|kind| matches!(kind, Kind::Call(..)))
    }

    /// Whether it, or an expression below it, matches.
    pub fn is_any(&self, is_wanted: &dyn Fn(&Kind) -> bool) -> bool {
        let mut rest = vec![self];
        while let Some(next) = rest.pop() {
            if is_wanted(&next.kind) {
                return true;
            }
            rest.extend(next.children());
        }
        false
    }

    /// The direct subexpressions.
    pub fn children(&self) -> Vec<&Expression> {
        match &self.kind {
            Kind::Literal(_) | Kind::Root(_) | Kind::Slot(_) => Vec::new(),
            Kind::Template(parts) | Kind::Tuple(parts) | Kind::Call(_, parts, _) => parts.iter().collect(),
            Kind::Join(x) | Kind::Attribute(x, _) | Kind::Unary(_, x) | Kind::Parentheses(x) => vec![x],
            Kind::Index(a, b) | Kind::Splat(a, _, b) | Kind::Binary(_, a, b) => vec![a, b],
            Kind::Conditional(parts) => parts.iter().collect(),
            Kind::Object(items) => items.iter().flat_map(|item| [&item.key, &item.value]).collect(),
            Kind::For(f) => [Some(&f.collection), f.key.as_ref(), Some(&f.value), f.condition.as_ref()]
                .into_iter()
                .flatten()
                .collect(),
        }
    }

    fn collect(&self, found: &mut Vec<Reference>) {
        if let Some(reference) = self.as_reference() {
            found.push(reference);
            return;
        }
        for child in self.children() {
            child.collect(found);
        }
    }

    /// The whole expression as a reference, if it is one.
    fn as_reference(&self) -> Option<Reference> {
        match &self.kind {
            Kind::Root(root) => Some(Reference { root: root.clone(), steps: Vec::new(), place: self.place }),
            Kind::Attribute(inner, name) => {
                let reference = inner.as_reference()?;
                Some(reference.with(ReferenceStep::Attribute(name.clone()), self.place))
            }
            Kind::Index(inner, key) => match &key.kind {
                Kind::Literal(key) => Some(inner.as_reference()?.with(ReferenceStep::Index(key.clone()), self.place)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Reference {
    fn with(mut self, step: ReferenceStep, place: SourcePlace) -> Self {
        self.steps.push(step);
        Self { place, ..self }
    }
}
