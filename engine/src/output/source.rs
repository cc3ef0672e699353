//! Finds the member and the string around a byte of a JSON configuration.

use planfuzz_core::json::Json;

/// The names of the members around a byte of a JSON text, outermost first; arrays have none. A member counts if it begins before the byte
/// and does not end before it; a byte in a name is in its member.
///
/// The text was written here, so it is well-formed; for other texts the result is arbitrary.
pub(super) fn members_at(json: &str, byte: usize) -> Vec<&str> {
    let mut reader = Reader { json, at: 0 };
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut name = None;
    let mut last = None;
    while let Some((start, token)) = reader.next()
        && start <= byte
    {
        match token {
            Token::Open => open.push(name.take()),
            Token::Close => {
                (name, last) = (None, None);
                // An engine's range points at the bracket that closes the subject.
                if start == byte {
                    break;
                }
                open.pop();
            }
            Token::Text(text) => last = Some(text),
            Token::Colon => name = last.take(),
            Token::Comma => (name, last) = (None, None),
        }
        if reader.at > byte {
            break;
        }
    }
    // A name that contains the byte has no colon yet; a string in an array has no member of its own.
    let here = name.or_else(|| last.filter(|_| reader.next_is_colon()));
    open.into_iter().flatten().chain(here).collect()
}

/// The string around a byte of a JSON text, its quotes included, escapes resolved.
pub(super) fn string_at(json: &str, byte: usize) -> Option<String> {
    let mut reader = Reader { json, at: 0 };
    loop {
        match reader.next()? {
            (start, _) if start > byte => return None,
            (start, Token::Text(_)) if reader.at > byte => {
                return Some(Json::parse(json.get(start..reader.at)?).ok()?.expect_string().ok()?.to_owned());
            }
            _ => {}
        }
    }
}

enum Token<'t> {
    Open,
    Close,
    Colon,
    Comma,
    Text(&'t str),
}

struct Reader<'t> {
    json: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next token, and where it begins.
    fn next(&mut self) -> Option<(usize, Token<'t>)> {
        let bytes = self.json.as_bytes();
        loop {
            let (start, byte) = (self.at, *bytes.get(self.at)?);
            self.at += 1;
            let token = match byte {
                b'{' | b'[' => Token::Open,
                b'}' | b']' => Token::Close,
                b':' => Token::Colon,
                b',' => Token::Comma,
                b'"' => Token::Text(self.text()),
                _ => continue,
            };
            return Some((start, token));
        }
    }

    /// The inside of a string, as it stands.
    fn text(&mut self) -> &'t str {
        let start = self.at;
        let bytes = self.json.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let end = self.at.min(bytes.len());
        self.at = end + 1;
        self.json.get(start..end).unwrap_or_default()
    }

    fn next_is_colon(&self) -> bool {
        self.json.as_bytes().get(self.at..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace())
            == Some(&b':')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_in_the_members_around_it() {
        let json = r#"{"t":{},"resource":{"six_1":{"r":{"a":"x{\"six_9\":","b":[1,{"c":2}]}},"six_2" : {"r":{}}}}"#;
        let at = |text: &str| members_at(json, json.find(text).expect("it is there"));
        assert_eq!(at("x{"), ["resource", "six_1", "r", "a"]);
        assert_eq!(at("six_9"), ["resource", "six_1", "r", "a"]);
        assert_eq!(at("2}]"), ["resource", "six_1", "r", "b", "c"]);
        assert_eq!(at("six_2"), ["resource", "six_2"]);
        assert_eq!(at("{\"r\":{}}}"), ["resource", "six_2"]);
        assert_eq!(at("{}"), ["t"]);
        assert_eq!(at("}},\"six_2\""), ["resource", "six_1", "r"]);
        let string = |text: &str| string_at(json, json.find(text).expect("it is there"));
        assert_eq!(string("six_9").as_deref(), Some("x{\"six_9\":"));
        assert_eq!(string("\"x{").as_deref(), Some("x{\"six_9\":"));
        assert_eq!(string("2}]"), None);
        for byte in 0..json.len() + 3 {
            members_at(json, byte);
            string_at(&json[..byte.min(json.len())], byte / 2);
            members_at(&json[..byte.min(json.len())], byte);
        }
        assert!(members_at("\"\\", 9).is_empty());
    }
}
