//! Functions of texts (FN16 to FN20, FN36).

use std::collections::BTreeMap;

use planfuzz_core::value::{Text, Type, Value};
use unicode_segmentation::UnicodeSegmentation;

use super::pattern::{self, Pattern};
use super::{ARGUMENT, Answer, CALL, text, typed};
use crate::unknowns::truth;
use planfuzz_language::expression::Marked;

const S: Type = Type::String;
const N: Type = Type::Number;

/// The engine fails at once for more spaces than this.
const MOST_SPACES: usize = 1 << 48;

fn string(text: impl AsRef<str>) -> Answer<Value> {
    Ok(Value::string(text.as_ref()))
}

fn strings<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Answer<Value> {
    Value::list(&S, texts.into_iter().map(|text| Value::string(text.as_ref())).collect()).map_err(|_| CALL)
}

pub(super) fn call(name: &str, a: &[Marked]) -> Option<Answer> {
    let list = Type::list(S);
    Some(match name {
        "upper" => typed(a, &[S], &S, |v| string(text(&v[0]).chars().map(upper).collect::<String>())),
        "lower" => typed(a, &[S], &S, |v| string(text(&v[0]).chars().map(lower).collect::<String>())),
        "title" => typed(a, &[S], &S, |v| string(title(text(&v[0])))),
        "trimspace" => typed(a, &[S], &S, |v| string(text(&v[0]).trim())),
        "chomp" => typed(a, &[S], &S, |v| string(text(&v[0]).trim_end_matches(['\n', '\r']))),
        "strrev" => typed(a, &[S], &S, |v| string(text(&v[0]).graphemes(true).rev().collect::<String>())),
        "trim" => typed(a, &[S, S], &S, |v| string(text(&v[0]).trim_matches(|c| text(&v[1]).contains(c)))),
        "trimprefix" => typed(a, &[S, S], &S, |v| string(text(&v[0]).strip_prefix(text(&v[1])).unwrap_or(text(&v[0])))),
        "trimsuffix" => typed(a, &[S, S], &S, |v| string(text(&v[0]).strip_suffix(text(&v[1])).unwrap_or(text(&v[0])))),
        "startswith" => starts_with(a),
        "endswith" => typed(a, &[S, S], &Type::Bool, |v| Ok(Value::bool(text(&v[0]).ends_with(text(&v[1]))))),
        "strcontains" => contains(a),
        "split" => typed(a, &[S, S], &list, |v| split(text(&v[0]), text(&v[1]))),
        "join" => typed(a, &[S, list], &S, join),
        "replace" => typed(a, &[S, S, S], &S, |v| replace(text(&v[0]), text(&v[1]), text(&v[2]))),
        "substr" => typed(a, &[S, N, N], &S, substr),
        "indent" => typed(a, &[N, S], &S, |v| {
            let count = whole(&v[0])?;
            let count = usize::try_from(count).ok().filter(|&count| count < MOST_SPACES).ok_or(CALL)?;
            let lines = text(&v[1]).matches('\n').count();
            if lines.saturating_mul(count) > 1 << 24 {
                return Err(CALL);
            }
            let spaces = " ".repeat(if lines == 0 { 0 } else { count });
            string(text(&v[1]).replace('\n', &format!("\n{spaces}")))
        }),
        "regex" => regex(a, false),
        "regexall" => regex(a, true),
        "sort" => sort(a),
        "compact" => typed_nulls(a),
        "urlencode" => typed(a, &[S], &S, |v| string(url_encode(text(&v[0])))),
        "urldecode" => typed(a, &[S], &S, |v| string(url_decode(text(&v[0]))?)),
        "base64encode" => typed(a, &[S], &S, |v| {
            string(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text(&v[0])))
        }),
        "base64decode" => typed(a, &[S], &S, |v| {
            let written = text(&v[0]).replace(['\r', '\n'], "");
            let bytes = base64::Engine::decode(&super::LENIENT, written).map_err(|_| CALL)?;
            string(String::from_utf8(bytes).map_err(|_| CALL)?)
        }),
        _ => return None,
    })
}

fn whole(value: &Value) -> Answer<i64> {
    let number = value.view().as_number().filter(|number| number.is_whole()).ok_or(CALL)?;
    number.to_i64().ok_or(CALL)
}

/// A character in upper case; one that maps to several stays as it is.
fn upper(letter: char) -> char {
    let all: Vec<char> = letter.to_uppercase().collect();
    if let [only] = all[..] { only } else { letter }
}

/// A character in lower case; the first one if it maps to several.
fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// The title case of a character; of a digraph only the first letter is a capital.
fn title_case(letter: char) -> char {
    match letter {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        other => upper(other),
    }
}

/// Words end at white space and at any ASCII character but letters, digits and `_`.
fn title(text: &str) -> String {
    let mut inside = false;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        out.push(if inside { letter } else { title_case(letter) });
        inside =
            if letter.is_ascii() { letter.is_ascii_alphanumeric() || letter == '_' } else { !letter.is_whitespace() };
    }
    out
}

fn split(separator: &str, text: &str) -> Answer<Value> {
    if separator.is_empty() {
        strings(text.graphemes(false).flat_map(str::chars).map(String::from))
    } else {
        strings(text.split(separator))
    }
}

fn join(values: &[Value]) -> Answer<Value> {
    if values.len() < 2 {
        return Err(CALL);
    }
    let mut pieces = Vec::new();
    for list in &values[1..] {
        for element in list.view().children() {
            pieces.push(element.1.as_text().ok_or(ARGUMENT)?.as_str());
        }
    }
    string(pieces.join(text(&values[0])))
}

fn replace(text: &str, what: &str, by: &str) -> Answer<Value> {
    if what.len() > 1 && what.starts_with('/') && what.ends_with('/') {
        let expression = pattern::read(&what[1..what.len() - 1])?;
        let filled = |found: &regex::Captures<'_>| pattern::filled(by, &expression.names, found);
        return string(expression.matcher.replace_all(text, filled));
    }
    string(text.replace(what, by))
}

fn substr(values: &[Value]) -> Answer<Value> {
    let (offset, length) = (whole(&values[1])?, whole(&values[2])?);
    let graphemes: Vec<&str> = text(&values[0]).graphemes(true).collect();
    let count = i64::try_from(graphemes.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { count.saturating_add(offset).max(0) } else { offset };
    if start >= count || (length == 0 && offset >= 0) {
        return string("");
    }
    // With a negative start, a length of 0 means all that follow.
    let end = if length <= 0 { count } else { start.saturating_add(length).min(count) };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    string(graphemes[range].concat())
}

/// The type and the value of a match depend on the groups of the pattern.
fn regex(arguments: &[Marked], all: bool) -> Answer {
    let values = super::converted(arguments, &[S, S])?;
    let marks = super::all_marks(arguments);
    if values[0].is_unknown() {
        let ty = if all { Type::list(Type::Dynamic) } else { Type::Dynamic };
        return Ok(Marked::from(super::unknown(&ty)).with(marks));
    }
    let Pattern { matcher, names } = pattern::read(text(&values[0])).map_err(|_| ARGUMENT)?;
    let named = names.iter().filter(|name| name.is_some()).count();
    if named != 0 && named != names.len() {
        return Err(ARGUMENT);
    }
    let ty = if names.is_empty() {
        S
    } else if named == 0 {
        Type::tuple(vec![S; names.len()])
    } else {
        Type::object(names.iter().flatten().map(|name| (Text::new(name), S)).collect::<BTreeMap<_, _>>())
    };
    let result = if all { Type::list(ty.clone()) } else { ty.clone() };
    if values[1].is_unknown() {
        return Ok(Marked::from(super::unknown(&result)).with(marks));
    }
    let value_of = |found: regex::Captures<'_>| {
        let group = |number: usize| found.get(number).map_or(Value::null(S), |found| Value::string(found.as_str()));
        if names.is_empty() {
            group(0)
        } else if named == 0 {
            Value::tuple((1..=names.len()).map(group).collect())
        } else {
            // Of two groups of one name the later one counts.
            let groups = names.iter().flatten().enumerate().map(|(at, name)| (Text::new(name), group(at + 1)));
            Value::object(groups.collect::<BTreeMap<_, _>>().into_iter().collect())
        }
    };
    let subject = text(&values[1]);
    let value = if all {
        Value::list(&ty, matcher.captures_iter(subject).map(value_of).collect()).map_err(|_| CALL)?
    } else {
        value_of(matcher.captures(subject).ok_or(CALL)?)
    };
    Ok(Marked::from(value).with(marks))
}

fn sort(arguments: &[Marked]) -> Answer {
    let values = super::converted(arguments, &[Type::list(S)])?;
    let marks = super::all_marks(arguments);
    let list = &values[0];
    let value = if list.is_unknown() {
        let (least, most) = planfuzz_core::value::length_bounds(list.view()).unwrap_or((0, u64::MAX));
        crate::unknowns::sized(Type::list(S), least, most, true)
    } else if list.is_wholly_known() {
        let mut texts = Vec::new();
        for element in list.view().children() {
            texts.push(element.1.as_text().ok_or(CALL)?.clone());
        }
        texts.sort();
        strings(texts.iter().map(Text::as_str))?
    } else {
        Value::list(&S, vec![Value::unknown(S); list.view().len()]).map_err(|_| CALL)?
    };
    Ok(Marked::from(value).with(marks))
}

fn typed_nulls(arguments: &[Marked]) -> Answer {
    typed(arguments, &[Type::list(S)], &Type::list(S), |v| {
        let kept = v[0].view().children().filter_map(|(_, element)| element.as_text().map(|text| text.as_str()));
        strings(kept.filter(|text| !text.is_empty()))
    })
}

fn starts_with(arguments: &[Marked]) -> Answer {
    let values = super::converted(arguments, &[S, S])?;
    let answer = match (values[0].node(), values[1].view().as_text()) {
        (planfuzz_core::value::Node::Unknown(record), Some(prefix)) => {
            let known = record.as_ref().map_or("", |record| record.prefix());
            // FN36: a known prefix that is long enough decides the result.
            if known.len() >= prefix.len() {
                Value::bool(known.starts_with(prefix.as_str()))
            } else {
                truth(planfuzz_core::value::Tri::Unknown)
            }
        }
        (_, Some(prefix)) if values[0].is_wholly_known() => Value::bool(text(&values[0]).starts_with(prefix.as_str())),
        _ => truth(planfuzz_core::value::Tri::Unknown),
    };
    Ok(Marked::from(answer).with(super::all_marks(arguments)))
}

fn contains(arguments: &[Marked]) -> Answer {
    let values = super::converted(arguments, &[S, S])?;
    let known = values.iter().all(Value::is_wholly_known);
    let answer =
        if known { Value::bool(text(&values[0]).contains(text(&values[1]))) } else { Value::unknown(Type::Bool) };
    Ok(Marked::from(answer).with(super::all_marks(arguments)))
}

fn url_encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        out
    })
}

/// Decodes `%` and two hexadecimal digits to a byte.
fn url_decode(text: &str) -> Answer<String> {
    let plain = text.replace('+', " ");
    let mut pieces = plain.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2).ok_or(CALL)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| CALL)?);
        bytes.extend(rest.bytes());
    }
    String::from_utf8(bytes).map_err(|_| CALL)
}
