//! Steps of paths as they are written (formats.md, "Paths").

/// The step to an element of a set.
pub const SET_ELEMENT: &str = "[<set element>]";

/// The step to an attribute.
pub fn attribute(name: &str) -> String {
    let mut chars = name.chars();
    let is_plain = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let is_name = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_') && chars.all(is_plain);
    if is_name { format!(".{name}") } else { format!(".{}", quoted(name)) }
}

/// The step to an entry of a map.
pub fn key(key: &str) -> String {
    format!("[{}]", quoted(key))
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        control if control < ' ' => format!("\\u{:04x}", u32::from(control)),
        other => other.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
