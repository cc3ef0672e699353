//! Templates of the JSON syntax: what is written between their sequences.

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What is meant as it stands, without the escapes.
    Literal(String),
    /// `${…}` or `%{…}`, as it is written.
    Code(String),
}

/// The parts of a template. Where a sequence does not end, the rest is a literal.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some((escaped, written)) =
            [("$${", "${"), ("%%{", "%{")].into_iter().find(|(escaped, _)| rest.starts_with(escaped))
        {
            literal.push_str(written);
            rest = &rest[escaped.len()..];
        } else if let Some(length) = code(rest) {
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Code(rest[..length].to_owned()));
            rest = &rest[length..];
        } else {
            literal.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    pieces
}

/// The length of the sequence that a text begins with.
fn code(text: &str) -> Option<usize> {
    if !text.starts_with("${") && !text.starts_with("%{") {
        return None;
    }
    let (mut depth, mut in_quotes, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_quotes => is_escaped = true,
            b'"' => in_quotes = !in_quotes,
            b'{' if !in_quotes => depth += 1,
            b'}' if !in_quotes => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What stands in quotes, without escapes and sequences of its own.
pub(super) fn quoted(code: &str) -> impl Iterator<Item = &str> {
    let parts = code.split('"').skip(1).step_by(2);
    parts.filter(|text| !text.contains(['\\', '$', '%']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_literals_and_sequences() {
        let literal = |text: &str| Piece::Literal(text.to_owned());
        let code = |text: &str| Piece::Code(text.to_owned());
        assert_eq!(pieces("plain"), [literal("plain")]);
        assert_eq!(pieces("a${b}c"), [literal("a"), code("${b}"), literal("c")]);
        assert_eq!(pieces("$${b} 100%"), [literal("${b} 100%")]);
        assert_eq!(
            pieces(r#"${f({a = "}"})}%{ if x }y"#),
            [code(r#"${f({a = "}"})}"#), code("%{ if x }"), literal("y")]
        );
        assert_eq!(pieces("${open"), [literal("${open")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn quoted_texts_of_an_expression() {
        assert_eq!(quoted(r#"${f("one", "t${w}o", "three")}"#).collect::<Vec<_>>(), ["one", "three"]);
    }
}
