//! Equality: raw (V30, V31), and `Equals` with its third answer (V32).

use super::node::Node;
use super::view::ValueRef;

/// An answer that may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tri {
    /// Certainly not.
    False,
    /// Certainly.
    True,
    /// It depends on what is unknown.
    Unknown,
}

/// Raw equality (V30), refinement records included (V31).
pub fn raw_equals(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let _ = (a, b);
    false
}

/// Raw equality of the unrefined values (V14, V30), without building them.
pub fn raw_equals_unrefined(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let _ = (a, b);
    false
}

/// `Equals` (V32).
pub fn equals(a: ValueRef<'_>, b: ValueRef<'_>) -> Tri {
    let _ = (a, b);
    Tri::Unknown
}

/// A hash that agrees for payloads that are raw-equal after unrefining (H04), kept with shared parts.
pub fn structural_hash(node: &Node) -> u64 {
    let _ = node;
    0
}
