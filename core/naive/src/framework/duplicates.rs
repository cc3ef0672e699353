//! Sets with elements that are equal (F63).

use crate::model::wire_equal;
use crate::value::{Is, Ty, Val};

/// Whether a set has two elements that are wholly known and equal. Objects are not looked into.
pub fn has_duplicates(value: &Val) -> bool {
    let (Is::Seq(_) | Is::Named(_), Ty::List(_) | Ty::Set(_) | Ty::Map(_)) = (&value.is, &value.ty) else {
        return false;
    };
    let children = value.children();
    let is_again = |at: usize| {
        let earlier = &children[..at];
        children[at].is_wholly_known()
            && earlier.iter().any(|other| other.is_wholly_known() && wire_equal(other, children[at]))
    };
    let has_own = matches!(value.ty, Ty::Set(_)) && (0..children.len()).any(is_again);
    has_own || children.into_iter().any(has_duplicates)
}
