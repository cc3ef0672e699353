//! Unknowns where none are allowed.

use triomphe::Arc;

use planfuzz_core::value::{MapNode, Node, Seq, Type, Value, WrittenPath, build_set};

/// The paths of all unknowns, in path order (A29). Parts without any are not entered.
pub(super) fn unknown_paths(value: &Value) -> Vec<WrittenPath> {
    let mut found = Vec::new();
    if value.is_wholly_known() {
        return found;
    }
    value.view().walk(&mut |path, part| {
        if part.is_unknown() {
            found.push(WrittenPath::from(path));
        }
        !part.is_wholly_known()
    });
    found
}

/// The value with null for every unknown (L11, A29). Parts without any are shared.
pub(super) fn without_unknowns(value: Value) -> Value {
    if value.is_wholly_known() {
        return value;
    }
    let (ty, node) = value.into_parts();
    let node = known(&ty, &node);
    Value::from_parts(ty, node)
}

fn known(ty: &Type, node: &Node) -> Node {
    if !node.contents().has_unknown() {
        return node.clone();
    }
    let parts = || node.parts().iter().enumerate().filter_map(|(index, part)| Some(known(ty.part(index)?, part)));
    match (ty, node) {
        (_, Node::Unknown(_)) => Node::Null,
        (Type::Set(element), _) => Node::Seq(build_set(element, parts().collect())),
        (_, Node::Map(map)) => {
            Node::Map(Arc::new(MapNode { keys: map.keys.clone(), values: Seq::new(parts().collect()) }))
        }
        _ => Node::seq(parts().collect()),
    }
}
