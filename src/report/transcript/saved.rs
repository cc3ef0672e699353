//! Renders saved states.

use planfuzz_core::state::{InstanceState, Object, Status, Stored};
use planfuzz_core::value::Value;

use super::{Transcript, indented};
use crate::report::line::{Line, Tone};

impl Transcript<'_> {
    /// The change from one state to another.
    pub(super) fn saved(&self, before: &InstanceState, after: &InstanceState) -> Vec<Line> {
        let mut lines = vec![Line::of(Tone::Heading, "saved")];
        if after.is_absent() {
            lines.push(Line::of(Tone::Dim, "no object"));
        }
        lines.extend(self.object("current", before.current.as_ref(), after.current.as_ref()));
        for (key, object) in &after.deposed {
            let name = format!("deposed {}", key.as_str());
            lines.extend(self.object(&name, before.deposed.get(key), Some(object)));
        }
        lines
    }

    fn object(&self, name: &str, before: Option<&Object>, after: Option<&Object>) -> Vec<Line> {
        let Some(after) = after else { return Vec::new() };
        let mut lines = vec![heading(name, after)];
        match (&after.stored, before.and_then(value)) {
            (Stored::Raw { version, attributes }, _) => {
                let text = format!("version {version}: {}", attributes.to_compact());
                lines.push(Line::of(Tone::Plain, text).indented(2));
            }
            (Stored::Value(value), Some(before)) if before == value => {
                lines.push(Line::of(Tone::Dim, "as before").indented(2));
            }
            (Stored::Value(value), _) => lines.extend(indented(self.value(value), 2)),
        }
        lines
    }
}

fn value(object: &Object) -> Option<&Value> {
    match &object.stored {
        Stored::Value(value) => Some(value),
        Stored::Raw { .. } => None,
    }
}

fn heading(name: &str, object: &Object) -> Line {
    let line = match object.status {
        Status::Ready => Line::of(Tone::Plain, name).with(Tone::Good, " ready"),
        Status::Tainted => Line::of(Tone::Plain, name).with(Tone::Bad, " tainted"),
    };
    let mut words = Vec::new();
    if !object.private.is_none() {
        words.push(format!("private \"{}\"", object.private.as_bytes().escape_ascii()));
    }
    if object.create_before_destroy {
        words.push("create before destroy".to_owned());
    }
    if !object.dependencies.is_empty() {
        let names: Vec<&str> = object.dependencies.iter().map(|name| name.as_str()).collect();
        words.push(format!("depends on {}", names.join(", ")));
    }
    if !object.sensitive.is_empty() {
        words.push(format!("sensitive {}", object.sensitive.texts().join(", ")));
    }
    if object.skip_destroy {
        words.push("to be forgotten".to_owned());
    }
    if words.is_empty() { line } else { line.with(Tone::Dim, format!("  {}", words.join(", "))) }
}
