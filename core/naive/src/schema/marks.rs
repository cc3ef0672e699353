//! The sensitive and write-only paths of a value (S70 to S74).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, Nesting, Shape};

use crate::path;
use crate::value::{Is, Ty, Val};

/// The mark that is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Sensitive ones.
    Sensitive,
    /// Write-only ones.
    WriteOnly,
}

impl Mark {
    fn is_on(self, attribute: &Attribute) -> bool {
        match self {
            Mark::Sensitive => attribute.sensitive,
            Mark::WriteOnly => attribute.write_only,
        }
    }

    fn is_in(self, attribute: &Attribute) -> bool {
        match &attribute.shape {
            Shape::Nested(nested) => nested.attributes.values().any(|inner| self.is_on(inner) || self.is_in(inner)),
            Shape::Leaf(_) => false,
        }
    }

    fn is_in_block(self, block: &Block) -> bool {
        block.attributes.values().any(|attribute| self.is_on(attribute) || self.is_in(attribute))
            || block.block_types.values().any(|nested| self.is_in_block(&nested.block))
    }
}

/// The paths of a value's marked attributes, sorted; `None` where the engine crashes.
pub fn marked_paths(mark: Mark, block: &Block, value: &Val, dialect: Dialect) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    of_block(mark, block, value, dialect, "", &mut paths)?;
    paths.sort();
    Some(paths)
}

fn of_block(mark: Mark, block: &Block, value: &Val, dialect: Dialect, p: &str, paths: &mut Vec<String>) -> Option<()> {
    let own = block.attributes.iter().filter(|(_, attribute)| mark.is_on(attribute));
    let own: Vec<String> = own.map(|(name, _)| format!("{p}{}", path::attribute(name))).collect();
    if value.is_null() || value.is_unknown() {
        if mark == Mark::Sensitive && dialect.lists_sensitive_of_absent_blocks() {
            paths.extend(own);
        }
        return Some(());
    }
    paths.extend(own);
    for (name, attribute) in block.attributes.iter() {
        if let (Shape::Nested(nested), true) = (&attribute.shape, mark.is_in(attribute)) {
            let at = format!("{p}{}", path::attribute(name));
            of_nested(mark, nested.nesting, &nested.attributes, asked(value, name)?, &at, paths)?;
        }
    }
    for (name, nested) in block.block_types.iter() {
        if !mark.is_in_block(&nested.block) {
            continue;
        }
        let member = asked(value, name)?;
        if member.is_null() || member.is_unknown() {
            continue;
        }
        let at = format!("{p}{}", path::attribute(name));
        if matches!(nested.nesting, Nesting::Single | Nesting::Group) {
            of_block(mark, &nested.block, member, dialect, &at, paths)?;
            continue;
        }
        for (step, element) in steps(member)? {
            of_block(mark, &nested.block, element, dialect, &format!("{at}{step}"), paths)?;
        }
    }
    Some(())
}

fn of_nested(
    mark: Mark,
    nesting: Nesting,
    attributes: &Named<Attribute>,
    value: &Val,
    p: &str,
    paths: &mut Vec<String>,
) -> Option<()> {
    if value.is_null() || value.is_unknown() {
        return Some(());
    }
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        return of_attributes(mark, attributes, value, p, paths);
    }
    for (step, element) in steps(value)? {
        // A null element crashes, and so does one without a marked attribute.
        if element.is_null() || attributes.iter().any(|(name, of)| mark.is_on(of) && !has(element, name)) {
            return None;
        }
        of_attributes(mark, attributes, element, &format!("{p}{step}"), paths)?;
    }
    Some(())
}

fn of_attributes(
    mark: Mark,
    attributes: &Named<Attribute>,
    object: &Val,
    p: &str,
    paths: &mut Vec<String>,
) -> Option<()> {
    for (name, attribute) in attributes.iter() {
        let at = format!("{p}{}", path::attribute(name));
        if mark.is_on(attribute) {
            paths.push(at);
            continue;
        }
        let Shape::Nested(nested) = &attribute.shape else { continue };
        if !mark.is_in(attribute) {
            continue;
        }
        // Of an unknown object every member is unknown.
        if object.is_unknown() {
            has(object, name).then_some(())?;
            continue;
        }
        of_nested(mark, nested.nesting, &nested.attributes, asked(object, name)?, &at, paths)?;
    }
    Some(())
}

/// S74: the member of a name; `None` where it is missing, so that the engine crashes.
fn asked<'v>(value: &'v Val, name: &str) -> Option<&'v Val> {
    match (&value.ty, &value.is) {
        (Ty::Object(_), Is::Named(members)) => {
            members.iter().find(|(found, _)| found == name).map(|(_, member)| member)
        }
        _ => None,
    }
}

/// S74: whether a value's type has a member of this name, or may have one.
fn has(value: &Val, name: &str) -> bool {
    match &value.ty {
        Ty::Object(members) => members.iter().any(|member| member.name == name),
        Ty::Dynamic => value.is_unknown(),
        _ => false,
    }
}

/// The elements of a collection; `None` where the value is no collection, so that the engine crashes (S74).
fn steps(value: &Val) -> Option<Vec<(String, &Val)>> {
    Some(match (&value.ty, &value.is) {
        (Ty::Set(_), Is::Seq(items)) => items.iter().map(|item| (path::SET_ELEMENT.to_owned(), item)).collect(),
        (_, Is::Seq(items)) => items.iter().enumerate().map(|(at, item)| (format!("[{at}]"), item)).collect(),
        (Ty::Object(_), Is::Named(members)) => members.iter().map(|(name, member)| (path::key(name), member)).collect(),
        (_, Is::Named(entries)) => entries.iter().map(|(key, item)| (path::key(key), item)).collect(),
        _ => return None,
    })
}
