//! Marks as trees, as expressions have them, and as sets of paths, as planners of instances have them. Values without marks cost nothing.

use planfuzz_core::plans;
use planfuzz_core::value::{Node, PathSet, Type, WrittenPath, WrittenStep};
use planfuzz_language::expression::{EPHEMERAL, MarkTree, Marked, Marks, SENSITIVE};

/// A value of a planner of instances, as expressions see it.
pub fn to_expressions(value: &plans::Marked) -> Marked {
    let mut marked = Marked::from(value.value().clone());
    for path in value.sensitive().iter() {
        marked.marks = marked_at(&marked, path.steps());
    }
    marked
}

/// The marks of a value with one more mark; a path that leads past the end marks nothing.
fn marked_at(of: &Marked, path: &[WrittenStep]) -> MarkTree {
    let own = of.marks.own;
    let Some((step, rest)) = path.split_first().filter(|(step, _)| !matches!(step, WrittenStep::Element)) else {
        return MarkTree { own: own.and(SENSITIVE), inner: of.marks.inner.clone() };
    };
    let count = of.value.node().parts().len();
    let place = match (of.ty(), step) {
        (Type::Object(object), WrittenStep::Attribute(name) | WrittenStep::Key(name)) => object.index_of(name),
        (Type::Map(_), WrittenStep::Attribute(name) | WrittenStep::Key(name)) => match of.value.node() {
            Node::Map(map) => map.keys().binary_search(name).ok(),
            _ => None,
        },
        (Type::List(_) | Type::Tuple(_), WrittenStep::Index(index)) => usize::try_from(*index).ok(),
        _ => None,
    };
    let Some(place) = place.filter(|&place| place < count) else { return of.marks.clone() };
    let mut inner: Vec<MarkTree> = match &of.marks.inner {
        Some(inner) => inner.to_vec(),
        None => vec![MarkTree::default(); count],
    };
    inner[place] = marked_at(&of.part(place), rest);
    MarkTree::new(own, inner)
}

/// A value of an expression in the form of planners of instances, and the paths of its ephemeral parts.
pub fn to_planners(value: &Marked) -> (plans::Marked, PathSet) {
    if value.marks.is_empty() {
        return (plans::Marked::plain(value.value.clone()), PathSet::EMPTY);
    }
    (plans::Marked::new(value.value.clone(), &paths(value, SENSITIVE)), paths(value, EPHEMERAL))
}

/// The paths of a mark.
pub fn paths(value: &Marked, mark: Marks) -> PathSet {
    let mut found = Vec::new();
    if !value.marks.is_empty() {
        collect(value, mark, &mut Vec::new(), &mut found);
    }
    found.into_iter().collect()
}

fn collect(value: &Marked, mark: Marks, path: &mut Vec<WrittenStep>, found: &mut Vec<WrittenPath>) {
    if value.marks.own.has(mark) {
        found.push(WrittenPath::new(path.clone()));
    }
    let Some(inner) = &value.marks.inner else { return };
    let keys = value.keys();
    let count = value.value.node().parts().len();
    for (place, below) in inner.iter().enumerate().take(count).filter(|(_, below)| below.all().has(mark)) {
        let step = match (value.ty(), keys.get(place)) {
            (Type::Object(_), Some(name)) => WrittenStep::Attribute(name.clone()),
            (_, Some(name)) => WrittenStep::Key(name.clone()),
            _ => WrittenStep::Index(place as _),
        };
        path.push(step);
        let part = value.part(place);
        debug_assert_eq!(part.marks, *below);
        collect(&part, mark, path, found);
        path.pop();
    }
}

/// Whether a value has the mark anywhere.
pub fn has(value: &Marked, mark: Marks) -> bool {
    !value.marks.is_empty() && value.marks.all().has(mark)
}
