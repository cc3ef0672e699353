//! Laws that hold for every input; tests, fuzzers and examples check them.

use planfuzz_core::value::Text;

use crate::check::Schemas;
use crate::config::{Body, Module, load};
use crate::diagnostic::Diagnostic;
use crate::expression::{Expression, Kind, parse, parse_template, smaller};
use crate::place::SourcePlace;
use crate::sources::Sources;
use crate::write::write_module;

/// The two syntaxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `.tf`
    Native,
    /// `.tf.json`
    Json,
}

/// Names that become ambiguous in JSON syntax: an argument of this name in native syntax becomes a block in JSON, and the reverse. Engines
/// reject such a body too, but later.
const BLOCKS: [&str; 6] = ["_", "locals", "lifecycle", "connection", "provisioner", "provider"];
const ARGUMENTS: [&str; 9] =
    ["count", "for_each", "provider", "depends_on", "alias", "version", "source", "when", "on_failure"];

/// Reads a file, writes it as JSON syntax, reads that and writes it again: there are no errors, and both texts are equal. Returns whether
/// the file was accepted; a file with errors need not be.
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

/// Parses a text as an expression and as a template: every node has a place in the text, names are at their places, and no candidate of
/// `smaller` equals the text. Returns whether it was accepted as either.
///
/// # Errors
/// The law that is broken.
pub fn expression(bytes: &[u8]) -> Result<bool, &'static str> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    let mut is_taken = false;
    for parser in [parse, parse_template] {
        let Ok(tree) = parser(text, SourcePlace::default()) else { continue };
        is_taken = true;
        let mut waiting = vec![&tree];
        while let Some(node) = waiting.pop() {
            in_place(text, node)?;
            waiting.extend(node.children());
        }
    }
    if text.len() < SHORT && smaller(text).iter().any(|other| other == text) {
        return Err("what is tried in place of an expression is another one");
    }
    Ok(is_taken)
}

/// Longer texts have too many candidates to check for each input.
const SHORT: usize = 64;

fn in_place(text: &str, node: &Expression) -> Result<(), &'static str> {
    let span = node.place.span;
    let Some(written) = text.get(span.start as usize..span.end as usize) else {
        return Err("every part of an expression is at a place of its text");
    };
    let is_there = |name: &Text| Text::new(written).as_str().ends_with(name.as_str());
    match &node.kind {
        Kind::Root(name) | Kind::Attribute(_, name) if !is_there(name) => Err("a name is written at its place"),
        _ => Ok(()),
    }
}

/// Checks the input of a fuzzer: the first byte selects a file of either syntax or an expression. Returns whether the rest was accepted.
///
/// # Errors
/// The law that is broken.
pub fn any(input: &[u8]) -> Result<bool, &'static str> {
    match input.split_first() {
        None => Ok(false),
        Some((b'n', file)) => round_trip(file, Syntax::Native),
        Some((b'j', file)) => round_trip(file, Syntax::Json),
        Some((_, text)) => expression(text),
    }
}

/// The module of one file as JSON syntax; `None` if it has errors.
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
    // The checks must not panic on anything that was read.
    crate::check::validate(&loaded.configuration, &sources, &schemas);
    Some(write_module(&loaded.configuration.module, &sources, &schemas).to_text())
}

fn is_ambiguous(module: &Module) -> bool {
    let provisioners = |provisioners: &'_ [crate::config::Provisioner]| {
        provisioners.iter().any(|provisioner| of_body(&provisioner.config))
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
