//! Labels in quotes, and the diagnostics of invalid ones.

use planfuzz_core::value::Text;

use super::Parser;
use crate::config::Name;

impl Parser<'_> {
    pub(super) fn quoted_label(&mut self) -> Option<Name> {
        let open = self.at;
        let mut at = open + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(b'\n') | None => {
                    self.error(
                        "Invalid block definition",
                        "Missing the closing quote of a block label.",
                        open,
                        open + 1,
                    );
                    return None;
                }
                Some(_) => at += 1,
            }
        }
        let end = at + 1;
        self.at = end;
        let inner = &self.bytes[open + 1..at];
        let sign = |two: &[u8]| matches!(two, b"${" | b"%{");
        if let Some(found) =
            inner.windows(2).position(sign).filter(|&found| found == 0 || inner[found - 1] != inner[found])
        {
            let start = open + 1 + found;
            self.error(
                "Invalid string literal",
                "Template sequences are not allowed in this string.",
                start,
                start + 2,
            );
        }
        match crate::native::label_text(&self.text[open + 1..at]) {
            Ok(text) => Some(Name { text: Text::new(&text), place: self.place(open, end) }),
            Err(bad) => {
                self.error(
                    "Invalid escape sequence",
                    "This is no valid escape sequence.",
                    open + 1 + bad.start,
                    open + 1 + bad.end,
                );
                None
            }
        }
    }
}
