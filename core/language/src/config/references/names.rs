//! Names, and the constant steps after them.

use planfuzz_core::value::{Number, Text, Value};

use super::Walker;
use crate::config::tree::{Step, StepKind, Traversal};
use crate::native::{label_text, scan};

impl Walker<'_> {
    /// A name: of a function, a key, a variable of `for`, a keyword, or the root of a reference.
    pub(super) fn name(&mut self, may_be_key: bool) {
        let start = self.at;
        let end = scan::identifier(self.text, start);
        let next = scan::blanks(self.bytes, end);
        self.at = end;
        match (self.bytes.get(next), self.bytes.get(next + 1)) {
            (Some(b'('), _) => return,
            (Some(b':'), Some(b':')) => {
                self.at = next + 2;
                return;
            }
            (Some(b'='), second) if may_be_key && second != Some(&b'=') && !fault!(KeyRefers) => return,
            (Some(b':'), _) if may_be_key => return,
            _ => {}
        }
        let root = &self.text[start..end];
        let is_keyword = matches!(root, "true" | "false" | "null" | "if" | "in" | "for");
        let mut steps = Vec::new();
        if !is_keyword {
            while let Some(step) = self.step() {
                steps.push(step);
            }
        }
        if is_keyword || (self.scope.iter().any(|name| &**name == root) && !fault!(ForVariableRefers)) {
            return;
        }
        self.found.push(Traversal { root: Text::new(root), steps, place: self.place.part(start, self.at) });
    }

    /// Reads a constant step; without one the position does not change.
    fn step(&mut self) -> Option<Step> {
        let start = self.at;
        let digits = |from: usize| self.bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let (kind, end) = match self.peek()? {
            b'.' => {
                let name = scan::blank_lines(self.bytes, start + 1);
                let end = scan::identifier(self.text, name);
                if end > name {
                    (StepKind::Attribute(Text::new(&self.text[name..end])), end)
                } else {
                    let end = start + 1 + digits(start + 1);
                    (StepKind::Index(Value::number(Number::parse(self.text.get(start + 1..end)?).ok()?)), end)
                }
            }
            b'[' => {
                let inner = scan::blank_lines(self.bytes, start + 1);
                let (key, end) = if self.bytes.get(inner) == Some(&b'"') {
                    let close = inner + 1 + self.bytes[inner + 1..].iter().position(|&b| b == b'"')?;
                    let text = self.text.get(inner + 1..close)?;
                    if text.contains(['\\', '{']) && text.contains(['$', '%', '\\']) {
                        return None;
                    }
                    (Value::string(&label_text(text).ok()?), close + 1)
                } else {
                    let mut end = inner + digits(inner);
                    if self.bytes.get(end) == Some(&b'.') && end > inner && digits(end + 1) > 0 {
                        end += 1 + digits(end + 1);
                    }
                    let sign = end + 1 + usize::from(matches!(self.bytes.get(end + 1), Some(b'+' | b'-')));
                    if matches!(self.bytes.get(end), Some(b'e' | b'E')) && end > inner && digits(sign) > 0 {
                        end = sign + digits(sign);
                    }
                    (Value::number(Number::parse(self.text.get(inner..end)?).ok()?), end)
                };
                let close = scan::blank_lines(self.bytes, end);
                if self.bytes.get(close) != Some(&b']') {
                    return None;
                }
                (StepKind::Index(key), close + 1)
            }
            _ => return None,
        };
        self.at = end;
        Some(Step { kind, place: self.place.part(start, end) })
    }
}
