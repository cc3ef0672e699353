//! The parts of a resource beside its arguments: its `lifecycle` block and its provisioners.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Configured, IgnoreChanges, PreventDestroy, Provisioner};
use planfuzz_core::value::{Tri, WrittenPath, WrittenStep};

use super::body::Members;
use super::expression::{interpolated, quoted};
use crate::job::LeftOut;

/// The members of a `lifecycle` block.
pub fn lifecycle(
    (dialect, kind): (Dialect, ResourceKind),
    configured: &Configured,
    applying: bool,
) -> Result<Members, LeftOut> {
    let mut members = Members::new();
    let lifecycle = &configured.lifecycle;
    if kind == ResourceKind::Data && *lifecycle != Default::default() {
        return Err(LeftOut::Unwritable("a lifecycle of a data resource"));
    }
    members.extend(keep_on_destroy(dialect, lifecycle.keep_on_destroy)?);
    if lifecycle.create_before_destroy {
        members.push(("create_before_destroy".into(), Json::Bool(true)));
    }
    members.extend(prevent_destroy(dialect, lifecycle.prevent_destroy)?);
    match &lifecycle.ignore_changes {
        IgnoreChanges::All => members.push(("ignore_changes".into(), Json::string("all"))),
        IgnoreChanges::Some(paths) if paths.is_empty() => {}
        IgnoreChanges::Some(paths) => {
            let entries = paths.iter().map(|path| traversal(path).map(|text| Json::string(&text)));
            members.push(("ignore_changes".into(), Json::Array(entries.collect::<Result<_, _>>()?)));
        }
    }
    conditions("precondition", &configured.preconditions, applying, &mut members)?;
    conditions("postcondition", &configured.postconditions, applying, &mut members)?;
    Ok(members)
}

/// `prevent_destroy`, if it is set. A bad one is an expression that is null (L111).
pub fn prevent_destroy(dialect: Dialect, prevented: PreventDestroy) -> Result<Option<(Box<str>, Json)>, LeftOut> {
    let member = |value| Ok(Some(("prevent_destroy".into(), value)));
    match prevented {
        PreventDestroy::No => Ok(None),
        PreventDestroy::Yes => member(Json::Bool(true)),
        PreventDestroy::Bad if dialect.evaluates_prevent_destroy() => member(interpolated("var.yes ? null : true")),
        PreventDestroy::Bad => Err(LeftOut::Unwritable("prevent_destroy as an expression")),
    }
}

/// `destroy = false`, where objects are to live on (L129).
pub fn keep_on_destroy(dialect: Dialect, keeps: bool) -> Result<Option<(Box<str>, Json)>, LeftOut> {
    match (keeps, dialect.can_keep_on_destroy()) {
        (false, _) => Ok(None),
        (true, true) => Ok(Some(("destroy".into(), Json::Bool(false)))),
        (true, false) => Err(LeftOut::Unwritable("a resource that is kept when it is destroyed")),
    }
}

/// Conditions: each must refer to something, so they refer to a variable that is true.
fn conditions(name: &str, conditions: &[Tri], applying: bool, members: &mut Members) -> Result<(), LeftOut> {
    if conditions.is_empty() {
        return Ok(());
    }
    let block = |condition: &Tri| {
        let code = match condition {
            Tri::True => "var.yes",
            Tri::False => "!var.yes",
            Tri::Unknown if applying => return Err(LeftOut::Unwritable("nothing is unknown when applying")),
            Tri::Unknown => "[timestamp() == \"\", var.yes][0]",
        };
        Ok(Json::object([("condition", interpolated(code)), ("error_message", Json::string("It does not hold."))]))
    };
    let blocks = conditions.iter().map(block).collect::<Result<_, _>>()?;
    members.push((name.into(), Json::Array(blocks)));
    Ok(())
}

/// A path as a traversal without its leading dot.
pub fn traversal(path: &WrittenPath) -> Result<String, LeftOut> {
    let mut text = String::new();
    for step in path.steps() {
        match step {
            WrittenStep::Attribute(name) if !is_identifier(name) => {
                return Err(LeftOut::Unwritable("a traversal through a name that is no identifier"));
            }
            WrittenStep::Attribute(name) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(name);
            }
            WrittenStep::Index(_) | WrittenStep::Key(_) if text.is_empty() => {
                return Err(LeftOut::Unwritable("a traversal that begins with an index"));
            }
            WrittenStep::Index(index) => text.push_str(&format!("[{index}]")),
            WrittenStep::Key(key) => text.push_str(&format!("[{}]", quoted(key))),
            WrittenStep::Element => return Err(LeftOut::Unwritable("a traversal into a set")),
        }
    }
    if text.is_empty() {
        return Err(LeftOut::Unwritable("a traversal without steps"));
    }
    Ok(text)
}

/// Whether a name may stand in a traversal. (A few letters that are allowed are not recognized; walks with them are left out.)
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_' || char == '-')
}

/// Provisioners, in order.
pub fn provisioners(provisioners: &[Provisioner]) -> Option<(Box<str>, Json)> {
    let block = |provisioner: &Provisioner| {
        let mut members = vec![("command", Json::string(if provisioner.fails { "exit 1" } else { "exit 0" }))];
        if provisioner.on_destroy {
            members.push(("when", Json::string("destroy")));
        }
        if provisioner.on_failure_continue {
            members.push(("on_failure", Json::string("continue")));
        }
        Json::object([("local-exec", Json::object(members))])
    };
    (!provisioners.is_empty()).then(|| ("provisioner".into(), Json::Array(provisioners.iter().map(block).collect())))
}
