//! `format` and `formatlist` (FN18).

use planfuzz_core::dialect::Dialect;
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Number, Type, Value};

use super::digits::Decimal;
use super::{ARGUMENT, Answer, CALL, all_marks, text, unknown};
use crate::unknowns::prefixed;
use planfuzz_language::expression::Marked;
use unicode_segmentation::UnicodeSegmentation as _;

pub(super) fn format(arguments: &[Marked], dialect: Dialect) -> Answer {
    let marks = all_marks(arguments);
    let pattern = super::converted(&arguments[..1], &[Type::String])?;
    let open = arguments[1..].iter().any(|argument| argument.ty().is_dynamic());
    let value = if open && dialect.leaves_untyped_formats_open() {
        Value::unknown(Type::Dynamic)
    } else if pattern[0].is_unknown() {
        unknown(&Type::String)
    } else {
        let values: Vec<Value> = arguments[1..].iter().map(|argument| argument.value.clone()).collect();
        made(text(&pattern[0]), &values)?
    };
    Ok(Marked::from(value).with(marks))
}

/// If a value is unknown, the pattern is not checked, and the text before the first verb is the known prefix.
fn made(pattern: &str, values: &[Value]) -> Answer<Value> {
    if values.iter().all(Value::is_wholly_known) {
        return one(pattern, values);
    }
    Ok(prefixed(pattern.split_once('%').map_or("", |(before, _)| before)))
}

fn one(pattern: &str, values: &[Value]) -> Answer<Value> {
    let mut writer = Writer { values, next: 0, used: 0, out: String::new() };
    writer.run(pattern)?;
    if writer.used < values.len() {
        return Err(ARGUMENT);
    }
    Ok(Value::string(&writer.out))
}

struct Writer<'v> {
    values: &'v [Value],
    next: usize,
    used: usize,
    out: String,
}

#[derive(Default)]
struct Spec {
    plus: bool,
    minus: bool,
    space: bool,
    zero: bool,
    sharp: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn run(&mut self, pattern: &str) -> Answer<()> {
        let mut rest = pattern;
        while let Some(at) = rest.find('%') {
            self.push(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('%') {
                self.push("%");
                rest = after;
                continue;
            }
            let mut spec = Spec::default();
            loop {
                match rest.bytes().next() {
                    Some(b'+') => spec.plus = true,
                    Some(b'-') => spec.minus = true,
                    Some(b' ') => spec.space = true,
                    Some(b'0') => spec.zero = true,
                    Some(b'#') => spec.sharp = true,
                    _ => break,
                }
                rest = &rest[1..];
            }
            spec.width = digits(&mut rest)?;
            if let Some(after) = rest.strip_prefix('.') {
                rest = after;
                spec.precision = Some(digits(&mut rest)?.unwrap_or(0));
            }
            if let Some(after) = rest.strip_prefix('[') {
                rest = after;
                let place = digits(&mut rest)?.ok_or(CALL)?;
                rest = rest.strip_prefix(']').ok_or(CALL)?;
                self.next = place.checked_sub(1).ok_or(CALL)?;
            }
            let verb = rest.chars().next().ok_or(CALL)?;
            rest = &rest[verb.len_utf8()..];
            let value = self.values.get(self.next).ok_or(CALL)?;
            self.next += 1;
            self.used = self.used.max(self.next);
            let text = shown(verb, value, &spec)?;
            self.push(&text);
        }
        self.push(rest);
        Ok(())
    }
}

fn digits(rest: &mut &str) -> Answer<Option<usize>> {
    let count = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(count);
    *rest = after;
    if number.is_empty() {
        return Ok(None);
    }
    number.parse().ok().filter(|&number| number <= 1 << 16).map(Some).ok_or(CALL)
}

/// Formats a value by a verb.
fn shown(verb: char, value: &Value, spec: &Spec) -> Answer<String> {
    if value.is_null() && verb != 'v' {
        return Err(CALL);
    }
    let text_of = |value: &Value| convert(value, &Type::String).map_err(|_| CALL).map(|value| text(&value).to_owned());
    let number_of = |value: &Value| {
        let converted = convert(value, &Type::Number).map_err(|_| CALL)?;
        converted.view().as_number().cloned().ok_or(CALL)
    };
    Ok(match verb {
        // Width and precision do not apply.
        't' => return convert(value, &Type::Bool).map_err(|_| CALL).and_then(|value| text_of(&value)),
        'v' => match value.ty() {
            Type::String if !value.is_null() && !spec.sharp => filled(&text_of(value)?, spec),
            Type::Number if !value.is_null() && !spec.sharp && number_of(value)?.is_infinite() => {
                filled(&number_of(value)?.text(), spec)
            }
            Type::Number if !value.is_null() && !spec.sharp => {
                let decimal = Decimal::shortest(&number_of(value)?).ok_or(CALL)?;
                let sign = if decimal.negative { "-" } else { "" };
                filled(&format!("{sign}{}", decimal.general(None)), spec)
            }
            _ => filled(text(&super::json::encode(value)?), spec),
        },
        's' => filled(cut(&text_of(value)?, spec), spec),
        'q' => {
            let mut out = String::new();
            super::json::write_text(cut(&text_of(value)?, spec), &mut out);
            filled(&out, spec)
        }
        'd' | 'b' | 'o' | 'x' | 'X' => whole(verb, &number_of(value)?, spec)?,
        'e' | 'E' | 'f' | 'g' | 'G' => float(verb, &number_of(value)?, spec)?,
        _ => return Err(CALL),
    })
}

/// The sign to write before a number.
fn sign(is_negative: bool, spec: &Spec) -> &'static str {
    match () {
        () if is_negative => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    }
}

/// A whole number. The precision is the least number of digits, and then zeros do not pad the width; 0 with precision 0 is empty.
fn whole(verb: char, number: &Number, spec: &Spec) -> Answer<String> {
    if !number.is_whole() {
        return Err(CALL);
    }
    let (base, start) = match verb {
        'b' => (2, "0b"),
        'o' => (8, "0"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    let is_zero = number.sign_number() == 0;
    if is_zero && spec.precision == Some(0) {
        return Ok(String::new());
    }
    let digits = number.digits(base).or_else(|| is_zero.then(|| "0".to_owned())).ok_or(CALL)?;
    let bare = digits.strip_prefix('-').unwrap_or(&digits);
    let bare = if verb == 'X' { bare.to_uppercase() } else { bare.to_owned() };
    let head = format!("{}{}", sign(digits.starts_with('-') && !is_zero, spec), if spec.sharp { start } else { "" });
    let zeros = "0".repeat(spec.precision.unwrap_or(0).saturating_sub(bare.len()));
    let missing = spec.width.unwrap_or(0).saturating_sub(head.len() + zeros.len() + bare.len());
    let (blanks, more) = (" ".repeat(missing), "0".repeat(missing));
    Ok(match (spec.minus, spec.zero && spec.precision.is_none()) {
        (true, _) => format!("{head}{zeros}{bare}{blanks}"),
        (false, true) => format!("{head}{more}{bare}"),
        (false, false) => format!("{blanks}{head}{zeros}{bare}"),
    })
}

/// Cuts a text to the precision; a precision of 0 is ignored.
fn cut<'t>(text: &'t str, spec: &Spec) -> &'t str {
    let most = spec.precision.filter(|most| *most > 0);
    most.and_then(|most| text.grapheme_indices(true).nth(most)).map_or(text, |(end, _)| &text[..end])
}

/// Pads a text to the width; with `-` zeros are put after it.
fn filled(text: &str, spec: &Spec) -> String {
    let missing = spec.width.unwrap_or(0).saturating_sub(text.graphemes(true).count());
    let filling = (if spec.zero { "0" } else { " " }).repeat(missing);
    if spec.minus { format!("{text}{filling}") } else { format!("{filling}{text}") }
}

/// A number in floating-point form. Zeros go between the sign and the digits, also if it is aligned to the left.
fn float(verb: char, number: &Number, spec: &Spec) -> Answer<String> {
    if number.is_infinite() {
        // An infinity always has a sign, and no zeros.
        let word = number.text();
        let word = if spec.space && !spec.plus { word.replace('+', " ") } else { word.to_string() };
        return Ok(filled(&word, &Spec { width: spec.width, minus: spec.minus, ..Spec::default() }));
    }
    // `%g` without a precision has the fewest digits that identify the number; all other forms are rounded from the exact value.
    let is_short = matches!(verb, 'g' | 'G') && spec.precision.is_none();
    let decimal = if is_short { Decimal::shortest(number) } else { Decimal::whole(number) }.ok_or(CALL)?;
    let digits = match verb {
        'f' => decimal.fixed(spec.precision.unwrap_or(6)),
        'e' | 'E' => decimal.scientific(Some(spec.precision.unwrap_or(6))),
        _ => decimal.general(spec.precision),
    };
    let digits = if verb.is_ascii_uppercase() { digits.to_uppercase() } else { digits };
    let sign = sign(decimal.negative, spec);
    let missing = spec.width.unwrap_or(0).saturating_sub(sign.len() + digits.len());
    let (blanks, zeros) = (" ".repeat(missing), "0".repeat(missing));
    Ok(match (spec.zero, spec.minus) {
        (true, _) => format!("{sign}{zeros}{digits}"),
        (_, true) => format!("{sign}{digits}{blanks}"),
        _ => format!("{blanks}{sign}{digits}"),
    })
}

pub(super) fn format_list(arguments: &[Marked], dialect: Dialect) -> Answer {
    let marks = all_marks(arguments);
    let pattern = super::converted(&arguments[..1], &[Type::String])?;
    let rest: Vec<&Value> = arguments[1..].iter().map(|argument| &argument.value).collect();
    let result = Type::list(Type::String);
    if dialect.leaves_untyped_formats_open() && rest.iter().any(|value| value.ty().is_dynamic()) {
        return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks));
    }
    if pattern[0].is_unknown() {
        return Ok(Marked::from(unknown(&result)).with(marks));
    }
    let mut length = None;
    for value in rest.iter().filter(|value| is_list(value)) {
        let count = match value.ty() {
            // The length of a tuple is known from its type.
            Type::Tuple(tuple) => tuple.elements().len(),
            _ if is_of_unknown_length(value) => continue,
            _ => value.view().len(),
        };
        if length.is_some_and(|length| length != count) {
            return Err(ARGUMENT);
        }
        length = Some(count);
    }
    if rest.iter().any(|value| is_of_unknown_length(value)) {
        return Ok(Marked::from(unknown(&result)).with(marks));
    }
    let parts: Vec<Vec<Marked>> = rest.iter().map(|value| Marked::from((*value).clone()).parts()).collect();
    let mut texts = Vec::new();
    // An unknown element ends its row early: the lists after it do not advance, and their elements come a row late.
    let mut gone = vec![0; rest.len()];
    for _ in 0..length.unwrap_or(1) {
        let mut values = Vec::new();
        for (argument, value) in rest.iter().enumerate() {
            let value = if is_list(value) {
                gone[argument] += 1;
                parts[argument][gone[argument] - 1].value.clone()
            } else {
                (*value).clone()
            };
            let is_known = value.is_wholly_known();
            values.push(value);
            if !is_known {
                break;
            }
        }
        // An unknown row has no known prefix, and too many arguments are an error of the call.
        texts.push(match values.iter().all(Value::is_wholly_known) {
            true => one(text(&pattern[0]), &values).map_err(|_| CALL)?,
            false => unknown(&Type::String),
        });
    }
    Ok(Marked::from(Value::list(&Type::String, texts).map_err(|_| CALL)?).with(marks))
}

/// Whether an argument is iterated; null counts as a single value.
fn is_list(value: &Value) -> bool {
    matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_)) && !value.is_null()
}

fn is_of_unknown_length(value: &Value) -> bool {
    is_list(value) && (value.is_unknown() || (matches!(value.ty(), Type::Set(_)) && !value.is_wholly_known()))
}
