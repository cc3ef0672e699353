//! Splits templates and expressions into pieces: values, and code such as names and operators.
//!
//! A literal may be anywhere: between the sequences of a template, in quotes inside of a sequence, in a template inside of these quotes, in
//! a heredoc. The pieces come in the order of the text, so that together they are the text again.

/// How deep templates may be in one another; what is deeper is left as it is.
const MAX_DEPTH: usize = 250;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Names, operators, quotes: as it is written.
    Code(&'t str),
    /// A value.
    Literal(Literal<'t>),
}

/// A value that is written in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal<'t> {
    /// As it is written.
    pub raw: &'t str,
    /// Its value, without escapes.
    pub value: String,
    is_in_quotes: bool,
    /// Whether it is the argument of `sensitive`.
    pub is_sensitive: bool,
}

impl Literal<'_> {
    /// The text of another value in this place.
    pub(super) fn written(&self, value: &str) -> String {
        let value = value.replace("${", "$${").replace("%{", "%%{");
        match self.is_in_quotes {
            true => value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"),
            false => value,
        }
    }
}

/// What ends a template.
#[derive(Clone, Copy)]
enum End<'t> {
    Text,
    Quote,
    /// The line that consists of this.
    Line(&'t str),
}

/// The pieces of a template.
pub(super) fn of_template(text: &str) -> Vec<Piece<'_>> {
    let mut lexer = Lexer { text, at: 0, code: 0, depth: 0, pieces: Vec::new() };
    lexer.template(End::Text);
    lexer.end()
}

/// The pieces of an expression.
pub(super) fn of_code(text: &str) -> Vec<Piece<'_>> {
    let mut lexer = Lexer { text, at: 0, code: 0, depth: 0, pieces: Vec::new() };
    while lexer.at < text.len() {
        lexer.code(usize::MAX);
    }
    lexer.end()
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Where the code begins that is not a piece yet.
    code: usize,
    depth: usize,
    pieces: Vec<Piece<'t>>,
}

impl<'t> Lexer<'t> {
    fn end(mut self) -> Vec<Piece<'t>> {
        self.flush(self.text.len());
        self.pieces
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Ends the code before a place.
    fn flush(&mut self, to: usize) {
        if self.code < to {
            self.pieces.push(Piece::Code(&self.text[self.code..to]));
        }
        self.code = to;
    }

    fn literal(&mut self, from: usize, value: String, end: End<'t>) {
        if from < self.at {
            self.flush(from);
            let raw = &self.text[from..self.at];
            let is_sensitive = self.text[..from].ends_with("sensitive(\"");
            let is_in_quotes = matches!(end, End::Quote);
            self.pieces.push(Piece::Literal(Literal { raw, value, is_in_quotes, is_sensitive }));
            self.code = self.at;
        }
    }

    /// A template, up to its end.
    fn template(&mut self, end: End<'t>) {
        let (mut from, mut value) = (self.at, String::new());
        while let Some(next) = self.rest().chars().next() {
            let rest = self.rest();
            let escape = [("$${", "${"), ("%%{", "%{")].into_iter().find(|(escape, _)| rest.starts_with(escape));
            if let Some((escape, meant)) = escape {
                value.push_str(meant);
                self.at += escape.len();
            } else if rest.starts_with("${") || rest.starts_with("%{") {
                self.literal(from, std::mem::take(&mut value), end);
                self.at += 2;
                self.code(1);
                from = self.at;
            } else if self.ends(end) {
                break;
            } else if next == '\\' && matches!(end, End::Quote) {
                self.escape(&mut value);
            } else {
                value.push(next);
                self.at += next.len_utf8();
            }
        }
        self.literal(from, value, end);
    }

    fn ends(&self, end: End<'t>) -> bool {
        match end {
            End::Text => false,
            End::Quote => self.rest().starts_with('"'),
            End::Line(marker) => {
                let line = self.rest().split('\n').next().unwrap_or_default();
                self.text[..self.at].ends_with('\n') && line.trim() == marker
            }
        }
    }

    fn escape(&mut self, value: &mut String) {
        let mut after = self.rest().chars().skip(1);
        let Some(what) = after.next() else {
            self.at = self.text.len();
            return;
        };
        let digits = match what {
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code: String = after.take(digits).collect();
        match what {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            'u' | 'U' => value.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)),
            other => value.push(other),
        }
        self.at += 1 + what.len_utf8() + code.len();
    }

    /// Code, up to the brace that closes so many.
    fn code(&mut self, mut open: usize) {
        self.depth += 1;
        while let Some(next) = self.rest().chars().next() {
            self.at += next.len_utf8();
            match next {
                '{' => open = open.saturating_add(1),
                '}' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                '"' if self.depth <= MAX_DEPTH => {
                    self.template(End::Quote);
                    self.at += usize::from(self.rest().starts_with('"'));
                }
                '<' if self.depth <= MAX_DEPTH => self.heredoc(),
                _ => {}
            }
        }
        self.depth -= 1;
    }

    /// The lines of a heredoc, if one begins after the first sign.
    fn heredoc(&mut self) {
        let Some(rest) = self.rest().strip_prefix('<') else { return };
        let Some((marker, _)) = rest.trim_start_matches('-').split_once('\n') else { return };
        let is_name = !marker.trim().is_empty()
            && marker.trim().chars().all(|sign| sign.is_alphanumeric() || "_-".contains(sign));
        if is_name {
            self.at += rest.find('\n').unwrap_or_default() + 2;
            self.template(End::Line(marker.trim()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values in angles, code as it is.
    fn shown(pieces: &[Piece<'_>]) -> String {
        let show = |piece: &Piece<'_>| match piece {
            Piece::Code(code) => (*code).to_owned(),
            Piece::Literal(literal) => format!("‹{}›", literal.value),
        };
        pieces.iter().map(show).collect()
    }

    fn raw(pieces: &[Piece<'_>]) -> String {
        let raw = |piece: &Piece<'_>| match piece {
            Piece::Code(code) => (*code).to_owned(),
            Piece::Literal(literal) => literal.raw.to_owned(),
        };
        pieces.iter().map(raw).collect()
    }

    #[test]
    fn every_literal_of_a_template_is_found() {
        for (text, want) in [
            ("plain", "‹plain›"),
            ("a${b}c", "‹a›${b}‹c›"),
            ("$${b} 100%", "‹${b} 100%›"),
            (r#"${f({a = "}"})}%{ if x }y"#, r#"${f({a = "‹}›"})}%{ if x }‹y›"#),
            (r#"${"app:${var.env}@S3cret"}"#, r#"${"‹app:›${var.env}‹@S3cret›"}"#),
            (r#"${coalesce(v, "Pa$$w\"0rd\n")}!"#, "${coalesce(v, \"‹Pa$$w\"0rd\n›\")}‹!›"),
            ("${<<-EOT\nline ${x}\n  EOT\n}z", "${<<-EOT\n‹line ›${x}‹\n›  EOT\n}‹z›"),
            ("${a < b ? \"x\" : \"y\"}", "${a < b ? \"‹x›\" : \"‹y›\"}"),
            ("${open", "${open"),
            ("", ""),
        ] {
            let pieces = of_template(text);
            // White space before the marker is a part of the last line: the expectation leaves it out.
            assert_eq!(shown(&pieces).replace("  ›EOT", "›  EOT"), want, "{text}");
            assert_eq!(raw(&pieces), text);
        }
    }

    #[test]
    fn addresses_have_literals_in_their_keys() {
        let pieces = of_code(r#"module.m["a b"].w_thing.x[0]"#);
        assert_eq!(shown(&pieces), r#"module.m["‹a b›"].w_thing.x[0]"#);
        assert_eq!(shown(&of_code("}}\"x\"}")), "}}\"‹x›\"}");
    }

    #[test]
    fn a_value_is_written_as_it_can_be_read() {
        let value = "a\"\\${b}\n";
        for text in ["${f(\"old\")}", "old"] {
            let pieces = of_template(text);
            let literal = pieces.iter().find_map(|piece| match piece {
                Piece::Literal(literal) => Some(literal),
                Piece::Code(_) => None,
            });
            let literal = literal.expect("a literal");
            let again = text.replace("old", &literal.written(value));
            assert_eq!(shown(&of_template(&again)), text.replace("old", &format!("‹{value}›")));
        }
    }

    #[test]
    fn deep_templates_end() {
        let text = "${\"".repeat(100_000);
        assert_eq!(raw(&of_template(&text)), text);
    }
}
