//! Templates in quotes, heredocs and JSON strings: finds the interpolations and directives.

use super::{TemplateEnd, Walker};
use crate::native::{MAX_NATIVE_DEPTH, scan};

impl Walker<'_> {
    pub(super) fn heredoc(&mut self, depth: usize) -> bool {
        let Some(((from, to), next)) = scan::heredoc(self.bytes, self.at) else { return false };
        let marker = self.text[from..to].to_owned();
        self.at = next;
        self.template(&TemplateEnd::Marker(marker), depth + 1);
        true
    }

    /// Literal text with `${` and `%{` in it.
    pub(super) fn template(&mut self, end: &TemplateEnd, depth: usize) {
        let outer = self.scope.len();
        let mut loops = Vec::new();
        if let TemplateEnd::Marker(marker) = end
            && self.is_marker(marker)
        {
            return;
        }
        while let Some(byte) = self.peek() {
            let next = self.bytes.get(self.at + 1).copied();
            match (byte, end) {
                (b'"', TemplateEnd::Quote) => {
                    self.at += 1;
                    break;
                }
                (b'\\', TemplateEnd::Quote) => self.at = (self.at + 2).min(self.bytes.len()),
                (b'\n', TemplateEnd::Quote) => break,
                (b'\n', TemplateEnd::Marker(marker)) => {
                    self.at += 1;
                    if self.is_marker(marker) {
                        break;
                    }
                }
                (b'$' | b'%', _) if next == Some(byte) && self.bytes.get(self.at + 2) == Some(&b'{') => self.at += 3,
                (b'$' | b'%', _) if next == Some(b'{') => {
                    self.at += 2;
                    if depth >= MAX_NATIVE_DEPTH {
                        self.at = self.bytes.len();
                    } else if byte == b'%' {
                        self.directive(depth, &mut loops);
                    } else {
                        self.at += usize::from(self.peek() == Some(b'~'));
                        self.interpolation(depth + 1);
                    }
                }
                _ => self.at += 1,
            }
        }
        self.scope.truncate(outer);
    }

    /// `${ … }`: like a bracket that is no object.
    fn interpolation(&mut self, depth: usize) {
        let end = scan::closing(self.bytes, self.at);
        let mut inner = Walker::new(&self.text[self.at..end], self.place.part(self.at, end));
        inner.scope.clone_from(&self.scope);
        inner.expression(None, depth);
        self.found.append(&mut inner.found);
        self.at = (end + 1).min(self.bytes.len());
    }

    /// `%{ for x in c }`, `%{ if c }`, `%{ endfor }` and the rest.
    fn directive(&mut self, depth: usize, loops: &mut Vec<usize>) {
        self.at += usize::from(self.peek() == Some(b'~'));
        self.at = scan::blank_lines(self.bytes, self.at);
        let start = self.at;
        if let Some(names) = self.for_names() {
            self.interpolation(depth + 1);
            loops.push(self.scope.len());
            self.scope.extend(names);
            return;
        }
        self.at = start;
        match self.word() {
            Some("endfor") => {
                if let Some(before) = loops.pop() {
                    self.scope.truncate(before);
                }
            }
            Some("if" | "else" | "endif") => {}
            _ => self.at = start,
        }
        self.interpolation(depth + 1);
    }

    fn is_marker(&mut self, marker: &str) -> bool {
        let end = scan::line_end(self.bytes, self.at);
        let found = self.text[self.at..end].trim() == marker;
        if found {
            self.at = end;
        }
        found
    }
}
