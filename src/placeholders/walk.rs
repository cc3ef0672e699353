//! Walks over values: one notes secrets, one replaces them.

use planfuzz_core::value::{Node, PathSet, Refiner, Step, Text, Type, Value, ValueError, ValueRef};

use super::places::Places;
use super::{Notes, Placeholders};

/// Notes every text of a value, and those and the numbers in sensitive places as secrets.
pub(super) fn note(notes: &mut Notes, value: ValueRef<'_>, sensitive: &PathSet) {
    note_at(notes, value, &Places::of(sensitive));
}

fn note_at(notes: &mut Notes, value: ValueRef<'_>, places: &Places<'_>) {
    match value.node() {
        Node::String(text) if places.is_sensitive() => notes.secret(text),
        Node::String(text) => notes.text(text),
        Node::Number(number) if places.is_sensitive() => notes.secret_number(number),
        _ => {
            for (step, child) in value.children() {
                match &step {
                    Step::Key(key) if places.is_sensitive() => notes.secret(key),
                    Step::Key(key) => notes.text(key),
                    _ => {}
                }
                note_at(notes, child, &places.step(&step));
            }
        }
    }
}

/// The value with placeholders.
pub(super) fn replace(placeholders: &Placeholders, value: &Value, sensitive: &PathSet) -> Result<Value, ValueError> {
    let node = replaced(placeholders, value.view(), &Places::of(sensitive))?;
    Ok(Value::from_parts(value.ty().clone(), node))
}

fn replaced(placeholders: &Placeholders, value: ValueRef<'_>, places: &Places<'_>) -> Result<Node, ValueError> {
    if placeholders.is_empty() && places.is_clear() {
        return Ok(value.node().clone());
    }
    Ok(match value.node() {
        Node::String(text) if places.is_sensitive() => Node::String(placeholders.of_secret(text)),
        Node::String(text) => Node::String(Text::new(&placeholders.of_text(text))),
        Node::Number(number) if places.is_sensitive() => Node::Number(placeholders.of_secret_number(number)),
        Node::Unknown(Some(_)) if places.is_sensitive() => hushed(value),
        Node::Seq(_) | Node::Map(_) => parts(placeholders, value, places)?,
        node => node.clone(),
    })
}

fn parts(placeholders: &Placeholders, value: ValueRef<'_>, places: &Places<'_>) -> Result<Node, ValueError> {
    let children = value.children().map(|(step, child)| {
        let node = replaced(placeholders, child, &places.step(&step))?;
        Ok((step, Value::from_parts(child.ty().clone(), node)))
    });
    let children = children.collect::<Result<Vec<(Step, Value)>, ValueError>>()?;
    let rebuilt = match value.ty() {
        Type::Set(element) => Value::set(element, children.into_iter().map(|(_, child)| child).collect())?,
        Type::Map(element) => {
            let entries = children.into_iter().map(|(step, child)| (key(placeholders, &step, places), child));
            Value::map(element, entries.collect())?
        }
        _ => return Ok(Node::seq(children.into_iter().map(|(_, child)| child.into_parts().1).collect())),
    };
    Ok(rebuilt.into_parts().1)
}

/// The key of a map entry; keys of a sensitive map are as sensitive as their values.
fn key(placeholders: &Placeholders, step: &Step, places: &Places<'_>) -> Text {
    match step {
        Step::Key(key) if places.is_sensitive() => placeholders.of_secret(key),
        Step::Key(key) => Text::new(&placeholders.of_text(key)),
        _ => Text::default(),
    }
}

/// An unknown without the refinements of a text or a number; that it is not null, and a collection's length, may stay.
fn hushed(value: ValueRef<'_>) -> Node {
    let Node::Unknown(Some(record)) = value.node() else { return Node::UNKNOWN };
    let mut refiner = Refiner::new(value.ty());
    if !value.ty().is_collection() {
        let kept = record.not_null.then(|| refiner.not_null());
        return if matches!(kept, Some(Ok(()))) { refiner.finish().unwrap_or(Node::UNKNOWN) } else { Node::UNKNOWN };
    }
    value.node().clone()
}
