//! Laws that hold for every input: what tests, fuzzers and people put bytes to.

use crate::check::Schemas;
use crate::config::{Body, Module, load};
use crate::diagnostic::Diagnostic;
use crate::json::write_module;
use crate::sources::Sources;

/// The two syntaxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `.tf`
    Native,
    /// `.tf.json`
    Json,
}

/// Names that the JSON syntax cannot tell apart: written as an argument in native syntax they are one, in JSON they make a block, and
/// the reverse. No engine takes such a body in the end; it is refused later than here.
const BLOCKS: [&str; 6] = ["_", "locals", "lifecycle", "connection", "provisioner", "provider"];
const ARGUMENTS: [&str; 9] =
    ["count", "for_each", "provider", "depends_on", "alias", "version", "source", "when", "on_failure"];

/// A file is read, written as JSON syntax, read again and written again: nothing is refused on the way, and both texts are the same.
/// Says whether the file was taken; one with errors need not be.
///
/// # Errors
/// The law that is broken.
pub fn round_trip(bytes: &[u8], syntax: Syntax) -> Result<bool, &'static str> {
    let name = match syntax {
        Syntax::Native => "main.tf",
        Syntax::Json => "main.tf.json",
    };
    let Some(first) = written(name, bytes) else { return Ok(false) };
    let Some(second) = written("main.tf.json", first.as_bytes()) else {
        return Err("what is written is read without errors");
    };
    if first == second { Ok(true) } else { Err("what is written is read as the same") }
}

/// The module of one file as JSON syntax; nothing for one with errors.
fn written(name: &str, bytes: &[u8]) -> Option<String> {
    let mut sources = Sources::new();
    sources.add(name, bytes).ok()?;
    let loaded = load(&sources, "");
    if loaded.diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let schemas = Schemas::default();
    if is_ambiguous(&loaded.configuration.module) {
        return None;
    }
    // The checks must bear whatever is read.
    crate::check::validate(&loaded.configuration, &sources, &schemas);
    Some(write_module(&loaded.configuration.module, &sources, &schemas).to_text())
}

fn is_ambiguous(module: &Module) -> bool {
    // A label that is a comment in JSON.
    if module.providers.iter().any(|provider| &*provider.name.text == "//") {
        return true;
    }
    let provisioners = |provisioners: &'_ [crate::config::Provisioner]| {
        provisioners.iter().any(|provisioner| &*provisioner.kind.text == "//" || of_body(&provisioner.config))
    };
    let checks = module.checks.iter().filter_map(|check| check.data.as_ref());
    let resources = module.resources.iter().chain(checks);
    resources.into_iter().any(|resource| of_body(&resource.config) || provisioners(&resource.provisioners))
        || module.removed.iter().any(|removed| provisioners(&removed.provisioners))
        || module.providers.iter().any(|provider| of_body(&provider.config))
        || module.calls.iter().any(|call| {
            call.source.is_none()
                || call.inputs.iter().any(|(name, _)| BLOCKS.contains(&name.text.as_str()))
                || !call.stray_blocks.is_empty()
        })
}

fn of_body(body: &Body) -> bool {
    let Body::Native(body) = body else { return false };
    body.attributes.iter().any(|attribute| BLOCKS.contains(&attribute.name.text.as_str()))
        || body.blocks.iter().any(|block| ARGUMENTS.contains(&block.kind.text.as_str()))
}
