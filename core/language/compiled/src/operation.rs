//! The compiled form of an expression: a tree of operations in which every name and function is resolved.

use planfuzz_core::value::Text;
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{BinaryOperator, Marked, UnaryOperator};

use crate::functions::Function;

/// An operation with the source place of its faults.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub what: What,
    pub place: SourcePlace,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Constant(Marked),
    /// A value of the scope.
    Load(usize),
    /// A variable of a `for` or the element of a splat.
    Local(usize),
    /// A fault that does not depend on values.
    Fault(&'static str),
    Template(Box<[Operation]>),
    Join(Box<Operation>),
    Attribute(Box<Operation>, Text),
    Index(Box<[Operation; 2]>),
    Splat(Box<Splat>),
    Unary(UnaryOperator, Box<Operation>),
    Binary(BinaryOperator, Box<[Operation; 2]>),
    Conditional(Box<[Operation; 3]>),
    Call(Box<Call>),
    Try(Box<[Operation]>),
    Can(Box<Operation>),
    /// A tuple of the value, or an empty one if the operation fails.
    Attempt(Box<Operation>),
    /// `try` (or `can`) whose last argument is spread.
    SpecialSpread(bool, Box<[Operation]>),
    Tuple(Box<[Operation]>),
    Object(Box<[(Operation, Operation)]>),
    For(Box<Each>),
}

#[derive(Clone, Debug)]
pub(crate) struct Splat {
    pub source: Operation,
    pub local: usize,
    pub each: Operation,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub function: &'static Function,
    pub arguments: Box<[Operation]>,
    pub spread: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Each {
    pub collection: Operation,
    pub key_local: Option<usize>,
    pub value_local: usize,
    pub key: Option<Operation>,
    pub value: Operation,
    pub condition: Option<Operation>,
    pub grouped: bool,
}
