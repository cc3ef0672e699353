//! The text of types in documents (V05): JSON, as far as types need it.

use planfuzz_core::json::Json;

/// The document of a text; `None` where it is no document.
pub fn parse(text: &str) -> Option<Json> {
    let mut rest = text;
    let json = value(&mut rest, 0)?;
    skip(&mut rest);
    rest.is_empty().then_some(json)
}

fn skip(rest: &mut &str) {
    *rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
}

fn eat(rest: &mut &str, token: &str) -> bool {
    skip(rest);
    let after = rest.strip_prefix(token);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

fn value(rest: &mut &str, level: usize) -> Option<Json> {
    if level > 400 {
        return None;
    }
    if eat(rest, "null") {
        return Some(Json::Null);
    }
    if eat(rest, "[") {
        let mut items = Vec::new();
        while !eat(rest, "]") {
            if !items.is_empty() && !eat(rest, ",") {
                return None;
            }
            items.push(value(rest, level + 1)?);
        }
        return Some(Json::Array(items));
    }
    if eat(rest, "{") {
        let mut members: Vec<(Box<str>, Json)> = Vec::new();
        while !eat(rest, "}") {
            if !members.is_empty() && !eat(rest, ",") {
                return None;
            }
            let name = string(rest)?;
            if !eat(rest, ":") || members.iter().any(|(other, _)| **other == *name) {
                return None;
            }
            members.push((name.into(), value(rest, level + 1)?));
        }
        return Some(Json::Object(members));
    }
    string(rest).map(|text| Json::string(&text))
}

fn string(rest: &mut &str) -> Option<String> {
    if !eat(rest, "\"") {
        return None;
    }
    let mut out = String::new();
    loop {
        let char = next(rest)?;
        match char {
            '"' => return Some(out),
            '\\' => out.push(match next(rest)? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => unicode(rest)?,
                same @ ('"' | '\\' | '/') => same,
                _ => return None,
            }),
            '\0'..'\u{20}' => return None,
            other => out.push(other),
        }
    }
}

fn next(rest: &mut &str) -> Option<char> {
    let char = rest.chars().next()?;
    *rest = &rest[char.len_utf8()..];
    Some(char)
}

fn hex(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}

fn unicode(rest: &mut &str) -> Option<char> {
    let first = hex(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    *rest = rest.strip_prefix("\\u")?;
    let second = hex(rest)?;
    (0xdc00..0xe000)
        .contains(&second)
        .then(|| char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)))?
}
