//! `format` and `formatlist` (FN18): the verbs are read here, numbers are written by [`super::decimal`].

use planfuzz_core::value::{Node, Type, Value};
use planfuzz_language::expression::Marked;
use unicode_segmentation::UnicodeSegmentation;

use super::decimal::Decimal;
use super::{Given, Made, Wrong, json, text};
use crate::make;

/// The greatest width and precision.
const MOST_WIDTH: usize = 100_000;

/// A verb with its flags, width and precision.
#[derive(Default)]
struct Verb {
    plus: bool,
    minus: bool,
    zero: bool,
    space: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
    /// `%[n]`
    argument: Option<usize>,
    letter: char,
}

pub(crate) fn format(given: &Given<'_, '_>) -> Made {
    if let Some(unknown) = unknown_result(given, Type::String) {
        return Ok(unknown);
    }
    let values: Vec<&Value> = given.arguments[1..].iter().map(|argument| &argument.value).collect();
    text(&formatted(given.text(0)?, &values, given)?)
}

/// T11: an argument without a type makes the result an unknown without a type. If anything is unknown, the text before the first verb is
/// the known prefix.
fn unknown_result(given: &Given<'_, '_>, ty: Type) -> Option<Marked> {
    let arguments = given.arguments.get(1..).unwrap_or_default();
    if given.dialect().leaves_untyped_formats_open() && arguments.iter().any(|argument| argument.ty().is_dynamic()) {
        return Some(Value::unknown(Type::Dynamic).into());
    }
    let is_known = given.arguments.iter().all(|argument| argument.value.is_wholly_known());
    if is_known {
        return None;
    }
    Some(match (given.text(0), ty) {
        (Ok(pattern), Type::String) => make::begun(before_verbs(pattern)).into(),
        (_, ty) => make::not_null(ty).into(),
    })
}

/// The text before the first verb; empty if the pattern has no verb.
fn before_verbs(pattern: &str) -> &str {
    pattern.split_once('%').map_or("", |(before, _)| before)
}

/// A list of strings: the lists among the arguments are iterated in parallel.
pub(crate) fn formatlist(given: &Given<'_, '_>) -> Made {
    let arguments = given.arguments.get(1..).unwrap_or_default();
    if given.dialect().leaves_untyped_formats_open() && arguments.iter().any(|argument| argument.ty().is_dynamic()) {
        return Ok(Value::unknown(Type::Dynamic).into());
    }
    let strings = || Ok(make::not_null(Type::list(Type::String)).into());
    if given.value(0)?.is_unknown() {
        return strings();
    }
    let is_many = |argument: &Marked| {
        // Null is one value, whatever its type.
        matches!(argument.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) && !argument.value.is_null()
    };
    let (mut count, mut is_open) = (None, false);
    for argument in arguments.iter().filter(|argument| is_many(argument)) {
        let is_set = matches!(argument.ty(), Type::Set(_));
        let is_part = argument.value.is_unknown() || (is_set && !argument.value.is_wholly_known());
        is_open |= is_part;
        let length = match argument.ty() {
            // The length of a tuple is known from its type.
            Type::Tuple(tuple) => tuple.elements().len(),
            _ if is_part => continue,
            _ => argument.value.node().parts().len(),
        };
        if count.replace(length).is_some_and(|other| other != length) {
            return Err(Wrong::Argument);
        }
    }
    if is_open {
        return strings();
    }
    let pattern = given.text(0)?;
    let mut nodes = Vec::new();
    // The next position in each list. An unknown element ends its row early: the lists after it do not advance, and lag from then on.
    let mut places = vec![0; arguments.len()];
    for _ in 0..count.unwrap_or(1) {
        let parts = arguments.iter().zip(&mut places).map(|(argument, place)| {
            let value = if is_many(argument) { argument.part(*place).value } else { argument.value.clone() };
            *place += 1;
            Some(value).filter(Value::is_wholly_known)
        });
        let Some(values) = parts.collect::<Option<Vec<Value>>>() else {
            nodes.push(make::not_null(Type::String).into_parts().1);
            continue;
        };
        // Any error within a row is an error of the call.
        let line = formatted(pattern, &values.iter().collect::<Vec<_>>(), given);
        let line = line.map_err(|wrong| if wrong == Wrong::Argument { Wrong::Call } else { wrong })?;
        nodes.push(Value::string(&line).into_parts().1);
    }
    Ok(Value::from_parts(Type::list(Type::String), Node::seq(nodes)).into())
}

fn formatted(pattern: &str, values: &[&Value], given: &Given<'_, '_>) -> Result<String, Wrong> {
    let mut out = String::new();
    let mut rest = pattern;
    let (mut next, mut used) = (0, 0);
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        // `%%` takes no flags: nothing may stand between the two percent signs.
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (verb, after) = read_verb(rest).ok_or(Wrong::Call)?;
        rest = after;
        let index = verb.argument.unwrap_or(next);
        next = index + 1;
        used = used.max(next);
        let value = values.get(index).ok_or(Wrong::Call)?;
        let before = out.len();
        add(&verb, value, &mut out)?;
        given.spend((out.len() - before) / 16)?;
    }
    out.push_str(rest);
    if used < values.len() { Err(Wrong::Argument) } else { Ok(out) }
}

fn read_verb(text: &str) -> Option<(Verb, &str)> {
    let mut verb = Verb::default();
    let mut rest = text;
    loop {
        let letter = rest.chars().next()?;
        match letter {
            '+' => verb.plus = true,
            '-' => verb.minus = true,
            '0' => verb.zero = true,
            ' ' => verb.space = true,
            '#' => verb.sharp = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    if let Some(width) = digits(&mut rest)? {
        verb.width = width;
    }
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        verb.precision = Some(digits(&mut rest)?.unwrap_or(0));
    }
    if let Some(after) = rest.strip_prefix('[') {
        rest = after;
        verb.argument = Some(digits(&mut rest)??.checked_sub(1)?);
        rest = rest.strip_prefix(']')?;
    }
    verb.letter = rest.chars().next()?;
    let after = &rest[verb.letter.len_utf8()..];
    Some((verb, after))
}

/// Reads digits: `Some(None)` if there are none, `None` if the number is too large.
fn digits(rest: &mut &str) -> Option<Option<usize>> {
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(count);
    *rest = after;
    if number.is_empty() {
        return Some(None);
    }
    number.parse().ok().filter(|number| *number <= MOST_WIDTH).map(Some)
}

/// Adds a value, padded to the width of the verb.
fn add(verb: &Verb, value: &Value, out: &mut String) -> Result<(), Wrong> {
    if value.is_null() && verb.letter != 'v' {
        return Err(Wrong::Call);
    }
    let converted = |ty: &Type| planfuzz_core::value::convert::convert(value, ty).map_err(|_| Wrong::Call);
    match verb.letter {
        'v' => pad_text(verb, &by_type(verb, value)?, out),
        's' | 'q' => {
            let whole = converted(&Type::String)?;
            let cut = cut(whole.view().as_text().ok_or(Wrong::Call)?, verb.precision.unwrap_or(0));
            if verb.letter == 's' {
                pad_text(verb, cut, out);
            } else {
                let mut quoted = String::new();
                json::write_value(Value::string(cut).view(), &mut quoted);
                pad_text(verb, &quoted, out);
            }
        }
        // Width and precision do not apply.
        't' => out.push_str(&converted(&Type::Bool)?.view().as_bool().ok_or(Wrong::Call)?.to_string()),
        'd' | 'b' | 'o' | 'x' | 'X' => {
            let number = converted(&Type::Number)?;
            let number = number.view().as_number().filter(|number| number.is_whole()).ok_or(Wrong::Call)?;
            let base = match verb.letter {
                'd' => 10,
                'b' => 2,
                'o' => 8,
                _ => 16,
            };
            whole(verb, &number.digits(base).ok_or(Wrong::Call)?, out);
        }
        'e' | 'E' | 'f' | 'g' | 'G' => {
            let number = converted(&Type::Number)?;
            if let Some(word) = infinite(&number) {
                let word = if verb.space && !verb.plus { word.replace('+', " ") } else { word };
                pad_text(&Verb { width: verb.width, minus: verb.minus, ..Verb::default() }, &word, out);
                return Ok(());
            }
            let written = float(verb, &number).ok_or(Wrong::Call)?;
            let (sign, digits) = signed(verb, &written);
            let missing = verb.width.saturating_sub(sign.len() + digits.len());
            // Zeros are put before the number even if it is aligned to the left.
            let (before, zeros) = if verb.zero { (0, missing) } else { (missing, 0) };
            let (before, after) = if verb.minus { (0, before) } else { (before, 0) };
            fill(before, ' ', out);
            out.push_str(sign);
            fill(zeros, '0', out);
            out.push_str(digits);
            fill(after, ' ', out);
        }
        _ => return Err(Wrong::Call),
    }
    Ok(())
}

fn fill(count: usize, letter: char, out: &mut String) {
    out.extend(std::iter::repeat_n(letter, count));
}

fn pad_text(verb: &Verb, written: &str, out: &mut String) {
    let missing = verb.width.saturating_sub(written.graphemes(true).count());
    let letter = if verb.zero { '0' } else { ' ' };
    fill(if verb.minus { 0 } else { missing }, letter, out);
    out.push_str(written);
    fill(if verb.minus { missing } else { 0 }, letter, out);
}

/// A whole number. The precision is the least number of digits: 0 with precision 0 has no digits, and with a precision zeros do not pad the
/// width.
fn whole(verb: &Verb, written: &str, out: &mut String) {
    let written = if written == "-0" { "0" } else { written };
    if written == "0" && verb.precision == Some(0) {
        return;
    }
    let (sign, digits) = signed(verb, written);
    let prefix = match verb.letter {
        _ if !verb.sharp => "",
        'b' => "0b",
        'o' => "0",
        'x' => "0x",
        'X' => "0X",
        _ => "",
    };
    let least = verb.precision.unwrap_or(0).saturating_sub(digits.len());
    let missing = verb.width.saturating_sub(sign.len() + prefix.len() + least + digits.len());
    let has_zeros = verb.zero && !verb.minus && verb.precision.is_none();
    fill(if verb.minus || has_zeros { 0 } else { missing }, ' ', out);
    out.extend([sign, prefix]);
    fill(least + if has_zeros { missing } else { 0 }, '0', out);
    if verb.letter == 'X' {
        out.push_str(&digits.to_uppercase());
    } else {
        out.push_str(digits);
    }
    fill(if verb.minus { missing } else { 0 }, ' ', out);
}

fn by_type(verb: &Verb, value: &Value) -> Result<String, Wrong> {
    match value.node() {
        Node::String(text) if !verb.sharp => Ok(text.as_str().to_owned()),
        Node::Number(_) if !verb.sharp => {
            if let Some(word) = infinite(value) {
                return Ok(word);
            }
            let verb = Verb { letter: 'g', ..Verb::default() };
            float(&verb, value).ok_or(Wrong::Call)
        }
        _ => json::checked(value.view()),
    }
}

/// An infinite number as text with its sign.
fn infinite(value: &Value) -> Option<String> {
    value.view().as_number().filter(|number| number.is_infinite()).map(|number| number.text().to_string())
}

/// The first `count` grapheme clusters; all of them if `count` is 0.
fn cut(text: &str, count: usize) -> &str {
    let end = if count == 0 { None } else { text.grapheme_indices(true).nth(count) };
    end.map_or(text, |(at, _)| &text[..at])
}

fn float(verb: &Verb, number: &Value) -> Option<String> {
    let number = number.view().as_number()?;
    let letter = verb.letter.to_ascii_lowercase();
    let is_rounded = matches!(letter, 'f' | 'e') || verb.precision.is_some();
    let decimal = if is_rounded { Decimal::exact(number)? } else { Decimal::shortest(number)? };
    let written = match letter {
        'f' => decimal.fixed(verb.precision.unwrap_or(6)),
        'e' => decimal.scientific(verb.precision.unwrap_or(6)),
        _ => decimal.general(verb.precision),
    };
    Some(if verb.letter.is_ascii_uppercase() { written.to_uppercase() } else { written })
}

/// The sign and the digits.
fn signed<'w>(verb: &Verb, written: &'w str) -> (&'static str, &'w str) {
    match written.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None if verb.plus => ("+", written),
        None if verb.space => (" ", written),
        None => ("", written),
    }
}
