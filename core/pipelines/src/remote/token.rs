//! The private data of the simulated provider.
//!
//! Opaque to Core, readable in traces: the remote object, the kind of call, the number of that kind of call about that object, and the text
//! that the SDK's pipeline needs back at apply (Z62). Calls about other objects do not count, because engines make them in any order.

use planfuzz_core::state::Private;

/// The number of a remote object in a run; numbers are never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub(super) u64);

impl ObjectId {
    /// The object that private data name; `None` for private data that the simulated provider did not write.
    pub fn named_in(private: &Private) -> Option<ObjectId> {
        Token::read(private).object
    }
}

/// The kind of call that gives private data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Giver {
    Plan,
    Apply,
    Read,
    Import,
}

/// Private data, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// The remote object that it is about, if there is one.
    pub(super) object: Option<ObjectId>,
    /// The text that the pipeline needs back.
    pub(super) extra: &'a str,
}

impl Token<'_> {
    /// Decodes private data; data that the simulated provider did not write are empty.
    pub(super) fn read(private: &Private) -> Token<'_> {
        const NOTHING: Token<'_> = Token { object: None, extra: "" };
        let Ok(text) = std::str::from_utf8(private.as_bytes()) else { return NOTHING };
        let (line, extra) = text.split_once('\n').unwrap_or((text, ""));
        let Some((object, _)) = line.split_once('/') else { return NOTHING };
        Token { object: object.strip_prefix('r').and_then(|id| id.parse().ok()).map(ObjectId), extra }
    }

    /// The private data of an answer, the `number`-th of that call about that object.
    pub(super) fn write(object: Option<ObjectId>, giver: Giver, number: u64, extra: &str) -> Private {
        let object = object.map_or(String::from("new"), |ObjectId(id)| format!("r{id}"));
        let line = format!("{object}/{}/{number}", giver.name());
        let text = if extra.is_empty() { line } else { format!("{line}\n{extra}") };
        Private::from(text.as_bytes())
    }
}

impl Giver {
    fn name(self) -> &'static str {
        match self {
            Giver::Plan => "plan",
            Giver::Apply => "apply",
            Giver::Read => "read",
            Giver::Import => "import",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_data_name_object_call_and_number() {
        let private = Token::write(Some(ObjectId(3)), Giver::Plan, 17, "");
        assert_eq!(private.as_bytes(), b"r3/plan/17");
        assert_eq!(Token::read(&private), Token { object: Some(ObjectId(3)), extra: "" });
        let private = Token::write(None, Giver::Apply, 1, "{\"a\":\"X\"}");
        assert_eq!(private.as_bytes(), b"new/apply/1\n{\"a\":\"X\"}");
        assert_eq!(Token::read(&private), Token { object: None, extra: "{\"a\":\"X\"}" });
    }

    #[test]
    fn private_data_of_another_writer_have_no_object() {
        for bytes in [&b""[..], b"r", b"r1", b"\xff/plan/1", b"rx/plan/1", b"r-1/plan/1", b"r18446744073709551616/x/1"]
        {
            assert_eq!(Token::read(&Private::from(bytes)).object, None, "{}", bytes.escape_ascii());
        }
    }
}
