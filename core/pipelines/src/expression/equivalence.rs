//! Equivalences (EQUIV).

use crate::equality::value_equal;
use crate::expression::{Canon, Equiv};
use planfuzz_core::value::{Node, Type, ValueRef};

use super::canon::{fold, of_node, sorted};

impl Equiv {
    /// Whether two known values that are not null are equivalent. For types that the equivalence does not cover, it is equality (F09).
    pub fn relates(&self, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
        match (self, a.node(), b.node()) {
            (Equiv::Always, _, _) => true,
            (_, Node::String(a), Node::String(b)) => self.relates_texts(a, b),
            (Equiv::Canon(canon), _, _) => relates_forms(canon, a, b),
            (Equiv::Unordered, Node::Seq(x), Node::Seq(y)) if is_list(a.ty()) && a.ty() == b.ty() => {
                x.len() == y.len() && relates_multisets(a, b)
            }
            _ => value_equal(a, b),
        }
    }

    /// Whether two texts are equivalent.
    pub fn relates_texts(&self, a: &str, b: &str) -> bool {
        match self {
            Equiv::Exact | Equiv::Unordered => a == b,
            Equiv::Case => a == b || a.chars().map(fold).eq(b.chars().map(fold)),
            Equiv::Trim => a.trim() == b.trim(),
            Equiv::Json => a == b || Canon::Json.text(a) == Canon::Json.text(b),
            Equiv::Canon(canon) => a == b || canon.text(a) == canon.text(b),
            Equiv::Always => true,
            Equiv::NewEmpty => a == b || b.is_empty(),
        }
    }
}

fn is_list(ty: &Type) -> bool {
    matches!(ty, Type::List(_))
}

fn relates_forms(canon: &Canon, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let form = |of: ValueRef<'_>| of_node(canon, of.ty(), of.node()).unwrap_or_else(|| of.node().clone());
    value_equal(ValueRef::new(a.ty(), &form(a)), ValueRef::new(b.ty(), &form(b)))
}

/// Compares lists of one type and length as multisets: texts by sorting; any other element is matched with an equal one that is still free.
fn relates_multisets(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let Type::List(element) = a.ty() else { return false };
    if **element == Type::String {
        let sorted = |of: ValueRef<'_>| Node::seq(sorted(of.node().parts()));
        return value_equal(ValueRef::new(a.ty(), &sorted(a)), ValueRef::new(b.ty(), &sorted(b)));
    }
    let mut free: Vec<&Node> = b.node().parts().iter().collect();
    a.node().parts().iter().all(|item| {
        let found =
            free.iter().position(|other| value_equal(ValueRef::new(element, item), ValueRef::new(element, other)));
        found.map(|index| free.swap_remove(index)).is_some()
    })
}
