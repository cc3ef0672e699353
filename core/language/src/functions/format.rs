//! `format` and `formatlist` (FN18).

use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Number, Type, Value};

use super::{ARGUMENT, Answer, CALL, all_marks, text, unknown};
use crate::expression::{Marked, prefixed};

pub(super) fn format(arguments: &[Marked], dialect: Dialect) -> Answer {
    let marks = all_marks(arguments);
    let pattern = super::converted(&arguments[..1], &[Type::String])?;
    let open = arguments[1..].iter().any(|argument| argument.ty().is_dynamic());
    let value = if open && dialect.engine() == Engine::Terraform {
        Value::unknown(Type::Dynamic)
    } else if pattern[0].is_unknown() {
        unknown(&Type::String)
    } else {
        let values: Vec<Value> = arguments[1..].iter().map(|argument| argument.value.clone()).collect();
        one(text(&pattern[0]), &values)?
    };
    Ok(Marked::from(value).with(marks))
}

fn one(pattern: &str, values: &[Value]) -> Answer<Value> {
    let mut writer = Writer { values, next: 0, used: 0, out: String::new(), open: false };
    writer.run(pattern)?;
    if writer.used < values.len() {
        return Err(ARGUMENT);
    }
    Ok(if writer.open { prefixed(&writer.out) } else { Value::string(&writer.out) })
}

struct Writer<'v> {
    values: &'v [Value],
    next: usize,
    used: usize,
    out: String,
    open: bool,
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
        if !self.open {
            self.out.push_str(text);
        }
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
            match shown(verb, value, &spec)? {
                Some(text) => self.push(&text),
                None => self.open = true,
            }
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

/// What a verb makes of a value; nothing where the value is not known.
fn shown(verb: char, value: &Value, spec: &Spec) -> Answer<Option<String>> {
    if value.is_unknown() || (verb == 'v' && !value.is_wholly_known()) {
        return if "vtbdoxXeEfgGsq".contains(verb) { Ok(None) } else { Err(CALL) };
    }
    if value.is_null() && verb != 'v' {
        return Err(CALL);
    }
    let text_of = |value: &Value| convert(value, &Type::String).map_err(|_| CALL).map(|value| text(&value).to_owned());
    let number_of = |value: &Value| {
        let converted = convert(value, &Type::Number).map_err(|_| CALL)?;
        converted.view().as_number().cloned().ok_or(CALL)
    };
    let (body, numeric) = match verb {
        'v' => match value.ty() {
            Type::String if !value.is_null() && !spec.sharp => (cut(text_of(value)?, spec), false),
            Type::Number if !value.is_null() => (number_of(value)?.text().into_owned(), true),
            _ => {
                let encoded = super::json::encode(value)?;
                (text(&encoded).to_owned(), false)
            }
        },
        't' => (convert(value, &Type::Bool).map_err(|_| CALL).and_then(|value| text_of(&value))?, false),
        's' => (cut(text_of(value)?, spec), false),
        'q' => {
            let mut out = String::new();
            super::json::write_text(&text_of(value)?, &mut out);
            (out.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&"), false)
        }
        'd' => (whole(&number_of(value)?, 10)?, true),
        'b' => (whole(&number_of(value)?, 2)?, true),
        'o' => (whole(&number_of(value)?, 8)?, true),
        'x' => (whole(&number_of(value)?, 16)?, true),
        'X' => (whole(&number_of(value)?, 16)?.to_uppercase(), true),
        'e' | 'E' | 'f' | 'g' | 'G' => (float(verb, &number_of(value)?, spec)?, true),
        _ => return Err(CALL),
    };
    let signed = if numeric && !body.starts_with('-') && (spec.plus || spec.space) {
        format!("{}{body}", if spec.plus { '+' } else { ' ' })
    } else {
        body
    };
    Ok(Some(padded(signed, numeric, spec)))
}

fn whole(number: &Number, base: u32) -> Answer<String> {
    let floor = if number.sign_number() < 0 { number.rounded(true) } else { number.rounded(false) };
    floor.digits(base).or_else(|| (floor.sign_number() == 0).then(|| "0".to_owned())).ok_or(CALL)
}

fn cut(text: String, spec: &Spec) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    match spec.precision {
        Some(most) => text.graphemes(true).take(most).collect(),
        None => text,
    }
}

fn padded(text: String, numeric: bool, spec: &Spec) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    let missing = spec.width.unwrap_or(0).saturating_sub(text.graphemes(true).count());
    if spec.minus {
        return text + &" ".repeat(missing);
    }
    if spec.zero && numeric {
        let sign = usize::from(text.starts_with(['-', '+', ' ']));
        return format!("{}{}{}", &text[..sign], "0".repeat(missing), &text[sign..]);
    }
    (if spec.zero { "0" } else { " " }).repeat(missing) + &text
}

fn float(verb: char, number: &Number, spec: &Spec) -> Answer<String> {
    let found = number.to_f64().ok_or(CALL)?;
    let precision = spec.precision.unwrap_or(6);
    let exponent = |text: String| {
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = power.strip_prefix('-').map_or(('+', power), |digits| ('-', digits));
        format!("{mantissa}e{sign}{digits:0>2}")
    };
    let made = match verb {
        'f' => format!("{found:.precision$}"),
        'e' | 'E' => exponent(format!("{found:.precision$e}")),
        _ => {
            let shortest = match spec.precision {
                Some(digits) => format!("{found:.*e}", digits.max(1) - 1),
                None => format!("{found:e}"),
            };
            let power: i32 = shortest.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
            let limit = spec.precision.map_or(21, |digits| i32::try_from(digits.max(1)).unwrap_or(21));
            let trimmed: f64 = shortest.parse().map_err(|_| CALL)?;
            if power < -4 || power >= limit { exponent(format!("{trimmed:e}")) } else { format!("{trimmed}") }
        }
    };
    Ok(if verb.is_ascii_uppercase() { made.to_uppercase() } else { made })
}

pub(super) fn format_list(arguments: &[Marked], _: Dialect) -> Answer {
    let marks = all_marks(arguments);
    let pattern = super::converted(&arguments[..1], &[Type::String])?;
    let rest: Vec<&Value> = arguments[1..].iter().map(|argument| &argument.value).collect();
    let is_list = |value: &Value| matches!(value.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_));
    let result = Type::list(Type::String);
    if rest.is_empty() || pattern[0].is_unknown() {
        return Ok(Marked::from(if pattern[0].is_unknown() {
            unknown(&result)
        } else {
            Value::list(&Type::String, vec![one(text(&pattern[0]), &[])?]).map_err(|_| CALL)?
        })
        .with(marks));
    }
    let mut length = None;
    for value in rest.iter().filter(|value| is_list(value)) {
        if value.is_null() {
            return Err(ARGUMENT);
        }
        if value.is_unknown() && !matches!(value.ty(), Type::Tuple(_)) {
            continue;
        }
        let count = match value.ty() {
            Type::Tuple(tuple) => tuple.len(),
            _ => value.view().len(),
        };
        if length.is_some_and(|length| length != count) {
            return Err(ARGUMENT);
        }
        length = Some(count);
    }
    if rest.iter().any(|value| value.ty().is_dynamic() && value.is_unknown()) {
        return Ok(Marked::from(Value::unknown(Type::Dynamic)).with(marks));
    }
    if rest.iter().any(|value| value.is_unknown() && is_list(value)) {
        return Ok(Marked::from(unknown(&result)).with(marks));
    }
    let parts: Vec<Vec<Marked>> = rest.iter().map(|value| Marked::from((*value).clone()).parts()).collect();
    let mut texts = Vec::new();
    for row in 0..length.unwrap_or(1) {
        let values: Vec<Value> = rest
            .iter()
            .zip(&parts)
            .map(|(value, parts)| if is_list(value) { parts[row].value.clone() } else { (*value).clone() })
            .collect();
        texts.push(one(text(&pattern[0]), &values)?);
    }
    Ok(Marked::from(Value::list(&Type::String, texts).map_err(|_| CALL)?).with(marks))
}
