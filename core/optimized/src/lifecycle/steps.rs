//! Following written paths: strictly in values (L63), by name in the schema (S60, S61).

use planfuzz_core::value::{Node, Step, Text, ValueRef, WrittenPath, WrittenStep};

use super::super::program::{Kind, Member, Object};

/// L63: the part that the steps lead to; `None` where a step cannot be taken.
pub(super) fn follow<'a>(value: ValueRef<'a>, steps: &[WrittenStep]) -> Option<ValueRef<'a>> {
    steps.iter().try_fold(value, step)
}

fn step<'a>(value: ValueRef<'a>, step: &WrittenStep) -> Option<ValueRef<'a>> {
    match step {
        _ if value.is_null() => None,
        WrittenStep::Attribute(name) => value.member(name),
        WrittenStep::Index(index) => value.apply(&Step::Index(*index)),
        WrittenStep::Key(key) => value.apply(&Step::Key(key.clone())),
        WrittenStep::Element => None,
    }
}

/// The place of the part, among the stored parts of a known value, that a step leads to by L63.
pub(super) fn part_index(value: ValueRef<'_>, step: &WrittenStep) -> Option<usize> {
    let index = match (step, value.node()) {
        (WrittenStep::Attribute(name), Node::Seq(_)) => value.object_type()?.index_of(name)?,
        (WrittenStep::Index(index), Node::Seq(_)) => usize::try_from(*index).ok()?,
        (WrittenStep::Key(key), Node::Map(map)) => map.keys().binary_search(key).ok()?,
        _ => return None,
    };
    (index < value.len()).then_some(index)
}

/// The place of a path among the attributes of the schema (S60, S61).
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// The attribute at this place.
    pub(super) attribute: Option<&'p Member>,
    /// Where the next name is looked up; `None` if no name leads further.
    scope: Option<Scope<'p>>,
}

#[derive(Clone, Copy)]
struct Scope<'p> {
    object: &'p Object,
    nested: bool,
}

impl<'p> Place<'p> {
    /// The place of the whole object.
    pub(super) fn root(object: &'p Object) -> Place<'p> {
        Place { attribute: None, scope: Some(Scope { object, nested: false }) }
    }

    /// The place one attribute step further.
    pub(super) fn name(self, name: &Text) -> Place<'p> {
        let Some(scope) = self.scope else { return Place { attribute: None, scope: None } };
        let Some(member) = scope.object.named(name) else {
            // S61: such a step is skipped in nested types.
            return Place { attribute: None, scope: Some(scope).filter(|scope| scope.nested) };
        };
        match &member.kind {
            Kind::Leaf => Place { attribute: Some(member), scope: None },
            Kind::Nested(inner) => {
                Place { attribute: Some(member), scope: Some(Scope { object: &inner.object, nested: true }) }
            }
            Kind::Block(inner) => {
                Place { attribute: None, scope: Some(Scope { object: &inner.object, nested: false }) }
            }
        }
    }

    /// The place one step to an element further.
    pub(super) fn element(self) -> Place<'p> {
        Place { attribute: None, scope: self.scope }
    }

    fn written(self, step: &WrittenStep) -> Place<'p> {
        match step {
            WrittenStep::Attribute(name) => self.name(name),
            _ => self.element(),
        }
    }

    /// The object inside, where a name can still lead to an attribute.
    pub(super) fn object(self) -> Option<&'p Object> {
        self.scope.map(|scope| scope.object)
    }
}

/// S60: the attribute at a path.
pub(super) fn attribute_at<'p>(object: &'p Object, path: &WrittenPath) -> Option<&'p Member> {
    path.steps().iter().fold(Place::root(object), |place, step| place.written(step)).attribute
}

/// The first attribute on the way of a path, its end included, for which `wanted` is true.
pub(super) fn attribute_on<'p>(
    object: &'p Object,
    path: &WrittenPath,
    wanted: impl Fn(&Member) -> bool,
) -> Option<&'p Member> {
    let mut place = Place::root(object);
    path.steps().iter().find_map(|step| {
        place = place.written(step);
        place.attribute.filter(|attribute| wanted(attribute))
    })
}
