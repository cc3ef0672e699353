//! Files, and templates in files and strings (FN44 to FN46).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Expression, Kind, Marked, parse_template};
use planfuzz_language::native::is_identifier;
use regex::Regex;

use super::strings::cleaned;
use super::{Given, Made, Wrong, hashes, text, truth};
use crate::compile::Program;
use crate::make;
use crate::names::{Names, Slots};

/// The greatest depth of templates that call templates.
const MOST_TEMPLATES: usize = 16;

fn bytes<'g>(given: &'g Given<'_, '_>) -> Result<Option<&'g [u8]>, Wrong> {
    Ok(given.machine.slots.surroundings().files.read(&cleaned(given.text(0)?)))
}

pub(crate) fn file(given: &Given<'_, '_>) -> Made {
    let bytes = bytes(given)?.ok_or(Wrong::Argument)?;
    text(std::str::from_utf8(bytes).map_err(|_| Wrong::Call)?)
}

pub(crate) fn filebase64(given: &Given<'_, '_>) -> Made {
    text(&STANDARD.encode(bytes(given)?.ok_or(Wrong::Argument)?))
}

macro_rules! hashes_of_files {
    ($($name:ident $hash:ident)*) => {$(
        pub(crate) fn $name(given: &Given<'_, '_>) -> Made {
            text(&hashes::$hash(bytes(given)?.ok_or(Wrong::Call)?))
        }
    )*};
}

hashes_of_files! {
    filemd5 md5_of
    filesha1 sha1_of
    filesha256 sha256_of
    filesha512 sha512_of
    filebase64sha256 base64sha256_of
    filebase64sha512 base64sha512_of
}

fn begun_with(folder: Option<&Text>, path: &str) -> Made {
    // The result is unknown if the folder is unknown.
    let Some(folder) = folder else { return Ok(make::not_null(Type::String).into()) };
    text(&cleaned(&[folder.as_str(), "/", path].concat()))
}

pub(crate) fn abspath(given: &Given<'_, '_>) -> Made {
    let path = given.text(0)?;
    if path.starts_with('/') {
        return text(&cleaned(path));
    }
    begun_with(given.machine.slots.surroundings().folder.as_ref(), path)
}

/// Replaces a leading `~` by the home folder; `~user` is an error.
pub(crate) fn pathexpand(given: &Given<'_, '_>) -> Made {
    let path = given.text(0)?;
    match path.as_bytes() {
        [b'~'] | [b'~', b'/' | b'\\', ..] => begun_with(given.machine.slots.surroundings().home.as_ref(), &path[1..]),
        [b'~', ..] => Err(Wrong::Call),
        _ => text(path),
    }
}

pub(crate) fn fileexists(given: &Given<'_, '_>) -> Made {
    let path = cleaned(given.text(0)?);
    let inside = format!("{}/", path.trim_end_matches('/'));
    let files = &given.machine.slots.surroundings().files;
    // The module's folder always exists.
    if path == "." || files.paths().any(|other| other.starts_with(&inside)) {
        return Err(Wrong::Call);
    }
    truth(files.read(&path).is_some())
}

/// `fileset`: the pattern as a regular expression.
pub(crate) fn fileset(given: &Given<'_, '_>) -> Made {
    let folder = cleaned(given.text(0)?);
    let pattern = cleaned(&format!("{folder}/{}", given.text(1)?));
    let is_inside = |path: &str| path.strip_prefix(&*folder).is_some_and(|rest| rest.starts_with('/'));
    let mut paths = given.machine.slots.surroundings().files.paths();
    if !pattern.starts_with("../") && !paths.any(is_inside) {
        // A folder that does not exist gives an empty set, even if the pattern is invalid.
        return Value::set(&Type::String, Vec::new()).map(Marked::from).map_err(|_| Wrong::Call);
    }
    let expression = expression_of(&pattern).and_then(|text| Regex::new(&text).ok()).ok_or(Wrong::Call)?;
    let mut found = Vec::new();
    for path in given.machine.slots.surroundings().files.paths() {
        given.spend(1)?;
        if expression.is_match(path) {
            found.push(Value::string(&from_folder(&folder, path)));
        }
    }
    Value::set(&Type::String, found).map(Marked::from).map_err(|_| Wrong::Call)
}

fn from_folder(folder: &str, path: &str) -> String {
    let mut folder = match folder {
        "." => "",
        folder => folder,
    };
    let mut up = String::new();
    loop {
        let inside = path.strip_prefix(folder);
        let inside = inside.and_then(|rest| if folder.is_empty() { Some(rest) } else { rest.strip_prefix('/') });
        match inside {
            Some(rest) => return format!("{up}{rest}"),
            None if path == folder => return if up.is_empty() { ".".to_owned() } else { up },
            None => folder = folder.rfind('/').map_or("", |at| &folder[..at]),
        }
        up.push_str("../");
    }
}

/// A regular expression that matches the same paths.
fn expression_of(pattern: &str) -> Option<String> {
    let mut out = String::from("(?s)^");
    let mut braces = 0;
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let at_step = rest.len() == pattern.len() || pattern[..pattern.len() - rest.len()].ends_with('/');
        if at_step && rest.starts_with("**/") {
            out.push_str("(?:[^/]+/)*");
            rest = &rest[3..];
            continue;
        }
        if at_step && rest == "**" {
            out.push_str(".*");
            break;
        }
        rest = &rest[letter.len_utf8()..];
        match letter {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            '\\' => {
                let next = rest.chars().next()?;
                out.push_str(&regex::escape(&next.to_string()));
                rest = &rest[next.len_utf8()..];
            }
            '[' => rest = class(rest, &mut out)?,
            letter => out.push_str(&regex::escape(&letter.to_string())),
        }
    }
    out.push('$');
    (braces == 0).then_some(out)
}

/// Writes the class that follows an opening bracket; returns the text after the closing bracket.
fn class<'r>(rest: &'r str, out: &mut String) -> Option<&'r str> {
    let is_negated = rest.starts_with(['^', '!']);
    let mut letters = rest[usize::from(is_negated)..].char_indices();
    out.push_str(if is_negated { "[^/" } else { "[" });
    let mut count = 0;
    loop {
        let (at, letter) = letters.next()?;
        match letter {
            ']' if count == 0 => return None,
            ']' => {
                out.push(']');
                return Some(&rest[usize::from(is_negated) + at + 1..]);
            }
            '-' if count == 0 => return None,
            '-' => out.push('-'),
            '\\' => out.push_str(&regex::escape(&letters.next()?.1.to_string())),
            letter => out.push_str(&regex::escape(&letter.to_string())),
        }
        count += 1;
    }
}

pub(crate) fn templatefile(given: &Given<'_, '_>) -> Made {
    let (of_path, variables) = (given.get(0)?.marks.all(), given.get(1)?);
    if variables.value.is_unknown() || given.value(0)?.is_unknown() {
        // Variables that have no type lose all marks, also those of the path.
        let marks = if variables.ty().is_dynamic() { crate::access::PLAIN } else { of_path.and(variables.marks.all()) };
        return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks));
    }
    let bytes = bytes(given)?.ok_or(Wrong::Argument)?;
    let source = std::str::from_utf8(bytes).map_err(|_| Wrong::Call)?;
    let template = parse_template(source, SourcePlace::default()).map_err(|_| Wrong::Call)?;
    rendered(given, &template).map(|made| made.with(of_path))
}

/// `templatestring` with a reference as its template: the first argument is a tuple of the referenced value, or an empty tuple if the
/// reference fails.
pub(crate) fn templatestring(given: &Given<'_, '_>) -> Made {
    let (attempt, variables) = (given.get(0)?, given.get(1)?);
    let marks = variables.marks.all();
    if variables.ty().is_dynamic() {
        return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks));
    }
    let string = || Ok(Marked::from(make::not_null(Type::String)).with(marks));
    if variables.value.is_unknown() {
        return string();
    }
    let written = attempt.parts().pop().ok_or(Wrong::Argument)?;
    if written.value.is_unknown() {
        // The marks of the template are lost.
        return string();
    }
    let source = written.value.view().as_text().ok_or(Wrong::Argument)?;
    let template = parse_template(source, SourcePlace::default()).map_err(|_| Wrong::Argument)?;
    rendered(given, &template).map(|made| made.with(written.marks.all()))
}

/// `templatestring` with anything else as its template.
pub(crate) fn no_template(given: &Given<'_, '_>) -> Made {
    let variables = given.get(1)?;
    if !variables.value.is_unknown() {
        return Err(Wrong::Argument);
    }
    let is_open = variables.ty().is_dynamic();
    let made = if is_open { Value::unknown(Type::Dynamic) } else { make::not_null(Type::String) };
    Ok(Marked::from(made).with(variables.marks.all()))
}

/// Whether an expression is a name with steps (attributes, indices, splats); keys may be any expression.
pub(crate) fn is_reference(expression: &Expression) -> bool {
    match &expression.kind {
        Kind::Root(_) | Kind::Slot(_) => true,
        Kind::Attribute(source, _) | Kind::Index(source, _) | Kind::Splat(source, _, _) => is_reference(source),
        _ => false,
    }
}

fn rendered(given: &Given<'_, '_>, template: &Expression) -> Made {
    let variables = given.get(1)?;
    let machine = given.machine;
    let names = variables.keys();
    let is_named =
        matches!(variables.ty(), Type::Map(_) | Type::Object(_)) && names.iter().all(|name| is_identifier(name));
    let references = template.references();
    if !is_named || references.iter().any(|reference| !names.contains(&reference.root)) {
        return Err(Wrong::Argument);
    }
    if machine.templates >= MOST_TEMPLATES {
        return Err(Wrong::Call);
    }
    let mut scope = Names::default();
    let numbers: Vec<usize> = names.iter().map(|name| scope.slot(name, None)).collect();
    let mut slots = Slots::new(&scope).within(machine.slots.surroundings().clone());
    // The marks of all variables are added to the whole result.
    let bare = Marked::from(variables.value.clone());
    for (number, part) in numbers.into_iter().zip(bare.parts()) {
        slots.set(number, part);
    }
    let program = Program::compile(template, &scope, machine.dialect);
    let made = program.evaluate_inside(&slots, machine).map_err(|_| Wrong::Call)?;
    Ok(made.with(variables.marks.all()))
}
