//! Sets (V50 to V57): membership, keys and iteration order.

use super::node::{Node, Seq};
use super::ty::Type;

/// The set made by inserting `elements`, payloads of type `element`, in order (V50), in iteration order (V52).
pub fn build(element: &Type, elements: Vec<Node>) -> Seq {
    let _ = element;
    Seq::new(elements)
}
