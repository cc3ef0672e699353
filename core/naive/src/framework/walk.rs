//! Objects attribute by attribute, innermost first, and the value that the configuration has at the same place (F21, F42).

use std::rc::Rc;

use planfuzz_core::schema::{Attribute, Nesting};
use planfuzz_core::value::Text;
use planfuzz_pipelines::path::SchemaPath;

use super::shape::{Fields, Part};
use crate::model::wire_equal;
use crate::schema::object;
use crate::value::{Is, Ty, Val};

/// A step from a value to a part of it.
#[derive(Clone)]
pub enum Step {
    /// To an attribute or a block.
    Name(String),
    /// To an element of a list.
    Index(usize),
    /// To an entry of a map.
    Key(String),
    /// To an element of a set, as it was before the walk changed it; the places of all attributes in it share it.
    Element(Rc<Val>),
}

/// The place of a walk.
#[derive(Clone, Default)]
pub struct Place {
    /// The steps from the root.
    pub steps: Vec<Step>,
}

impl Place {
    /// The names on the way.
    pub fn schema_path(&self) -> SchemaPath {
        let name = |step: &Step| if let Step::Name(name) = step { Some(Text::new(name)) } else { None };
        SchemaPath::new(self.steps.iter().filter_map(name).collect())
    }

    fn then(&self, step: Step) -> Place {
        Place { steps: self.steps.iter().cloned().chain([step]).collect() }
    }
}

/// The end of a walk along the steps of a place.
pub enum Reached<'v> {
    /// The value at the place.
    It(&'v Val),
    /// The last value before a step that cannot be taken.
    Before(&'v Val),
}

/// Walks along the steps of a place.
pub fn reach<'v>(from: &'v Val, steps: &[Step]) -> Reached<'v> {
    let mut at = from;
    for step in steps {
        let next = match (step, &at.is) {
            (Step::Name(name) | Step::Key(name), Is::Named(members)) => {
                members.iter().find(|(other, _)| other == name).map(|(_, member)| member)
            }
            (Step::Index(index), Is::Seq(items)) => items.get(*index),
            (Step::Element(element), Is::Seq(items)) => items.iter().find(|item| wire_equal(item, element)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return Reached::Before(at),
        }
    }
    Reached::It(at)
}

type Change<'c> = dyn FnMut(&Attribute, &Place, Val) -> Val + 'c;

/// An object with every attribute changed, those inside first (F22, F23).
pub fn rebuilt(fields: Fields<'_>, value: &Val, change: &mut Change<'_>) -> Val {
    of_object(fields, value, &Place::default(), change)
}

fn of_object(fields: Fields<'_>, value: &Val, place: &Place, change: &mut Change<'_>) -> Val {
    let Is::Named(members) = &value.is else { return value.clone() };
    let mut changed = Vec::new();
    for (name, member) in members {
        let here = place.then(Step::Name(name.clone()));
        let Some(part) = fields.part(name) else { continue };
        let inner = match part.inside() {
            None => member.clone(),
            Some((Nesting::Single, inner)) => of_object(inner, member, &here, change),
            Some((_, inner)) => of_elements(inner, member, &here, change),
        };
        let outer = match part {
            Part::Attribute(attribute) => change(attribute, &here, inner),
            Part::Block(_) => inner,
        };
        changed.push((name.clone(), outer));
    }
    object(changed)
}

fn of_elements(fields: Fields<'_>, value: &Val, place: &Place, change: &mut Change<'_>) -> Val {
    let is = match &value.is {
        Is::Seq(items) => {
            let is_set = matches!(value.ty, Ty::Set(_));
            let step = |(index, item): (usize, &Val)| {
                if is_set { Step::Element(Rc::new(item.clone())) } else { Step::Index(index) }
            };
            let steps: Vec<Step> = items.iter().enumerate().map(step).collect();
            let pairs = items.iter().zip(steps);
            Is::Seq(pairs.map(|(item, step)| of_object(fields, item, &place.then(step), change)).collect())
        }
        Is::Named(entries) => {
            let entry = |(key, item): &(String, Val)| {
                (key.clone(), of_object(fields, item, &place.then(Step::Key(key.clone())), change))
            };
            Is::Named(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    };
    Val { ty: value.ty.clone(), is }
}
