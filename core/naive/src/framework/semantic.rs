//! Semantic equality (F120 to F126).

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::Text;
use planfuzz_pipelines::expression::Equiv;
use planfuzz_pipelines::path::SchemaPath;
use planfuzz_pipelines::rules::Rules;

use super::shape::{Fields, Part};
use super::{Failed, has_duplicates};
use crate::model::{equivalent, field, value_equal};
use crate::schema::object;
use crate::value::{Is, Ty, Val};

/// The structure of a value, as far as equivalences need it.
#[derive(Clone, Copy)]
enum Made<'s> {
    /// Of a plain type, with an equivalence of the strings in it.
    Plain(Option<&'s Equiv>),
    /// A collection of objects.
    Many(Fields<'s>),
    /// An object.
    One(Fields<'s>),
}

/// The new object, in which equivalent parts keep their old values; F125.
pub fn of_resource(rules: &Rules, fields: Fields<'_>, old: &Val, new: &Val) -> Result<Val, Failed> {
    let result = result(rules, Made::One(fields), &[], old, new);
    for (before, after) in new.children().into_iter().zip(result.children()) {
        if has_duplicates(after) && !value_equal(after, before) {
            return Err(Failed);
        }
    }
    Ok(result)
}

/// F120, F124.
fn result(rules: &Rules, made: Made<'_>, names: &[Text], old: &Val, new: &Val) -> Val {
    let is_present = |value: &Val| !value.is_null() && !value.is_unknown();
    if !is_present(old) || !is_present(new) {
        return new.clone();
    }
    let after = inside(rules, made, names, old, new);
    if value_equal(&after, new) { new.clone() } else { after }
}

fn inside(rules: &Rules, made: Made<'_>, names: &[Text], old: &Val, new: &Val) -> Val {
    // F121: of the plain collections only those of strings.
    let element = match made {
        Made::Many(fields) => Made::One(fields),
        Made::Plain(_) if new.ty.element() != Some(&Ty::String) => Made::Plain(None),
        other => other,
    };
    let is = match (&new.ty, &old.is, &new.is) {
        (Ty::Object(_), _, Is::Named(members)) => {
            let member = |(name, value): &(String, Val)| {
                let old = field(old, name);
                let after = match made {
                    Made::One(fields) => of_part(rules, fields, names, name, &old, value),
                    _ => value.clone(),
                };
                (name.clone(), after)
            };
            return object(members.iter().map(member).collect());
        }
        (Ty::String, ..) => {
            let Made::Plain(Some(equivalence)) = made else { return new.clone() };
            return if equivalent(equivalence, old, new) { old.clone() } else { new.clone() };
        }
        // F123.
        (Ty::Set(_), Is::Seq(olds), Is::Seq(news)) => {
            let mut left: Vec<&Val> = olds.iter().collect();
            let mut after = Vec::new();
            for new in news {
                let mut taken = new.clone();
                for at in 0..left.len() {
                    let candidate = result(rules, element, names, left[at], new);
                    if !value_equal(&candidate, new) {
                        left.remove(at);
                        taken = candidate;
                        break;
                    }
                }
                after.push(taken);
            }
            Is::Seq(after.into())
        }
        // F122.
        (Ty::List(_), Is::Seq(olds), Is::Seq(news)) => {
            let at = |(index, new): (usize, &Val)| match olds.get(index) {
                Some(old) => result(rules, element, names, old, new),
                None => new.clone(),
            };
            Is::Seq(news.iter().enumerate().map(at).collect())
        }
        (Ty::Map(_), Is::Named(olds), Is::Named(news)) => {
            let at = |(key, new): &(String, Val)| match olds.iter().find(|(other, _)| other == key) {
                Some((_, old)) => (key.clone(), result(rules, element, names, old, new)),
                None => (key.clone(), new.clone()),
            };
            Is::Named(news.iter().map(at).collect())
        }
        _ => return new.clone(),
    };
    Val { ty: new.ty.clone(), is }
}

fn of_part(rules: &Rules, fields: Fields<'_>, names: &[Text], name: &str, old: &Val, new: &Val) -> Val {
    let Some(part) = fields.part(name) else { return new.clone() };
    let names: Vec<Text> = names.iter().cloned().chain([Text::new(name)]).collect();
    let rule = rules.get(&SchemaPath::new(names.clone()));
    let made = match part.inside() {
        Some((Nesting::Single, fields)) => Made::One(fields),
        Some((_, fields)) => Made::Many(fields),
        // F121: no part of a dynamic attribute has an equivalence.
        None if matches!(part, Part::Attribute(_)) && part.ty() == Ty::Dynamic => return new.clone(),
        None => Made::Plain(rule.and_then(|rule| rule.equal.as_ref())),
    };
    result(rules, made, &names, old, new)
}
