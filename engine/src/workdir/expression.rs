//! Expressions of the configuration language.

use planfuzz_core::json::Json;
use planfuzz_core::value::Text;

/// An expression: what is a literal in JSON stays one.
#[derive(Clone, Debug)]
pub enum Expression {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, by its digits.
    Number(Box<str>),
    /// A string.
    Text(Text),
    /// A tuple.
    Tuple(Vec<Expression>),
    /// An object.
    Object(Vec<(Text, Expression)>),
    /// Anything else, in native syntax; it stays together whatever is around it.
    Code(String),
}

impl Expression {
    /// A call of a function.
    pub fn call(function: &str, arguments: &[Expression]) -> Expression {
        let mut code = format!("{function}(");
        write_list(&mut code, arguments);
        code.push(')');
        Expression::Code(code)
    }

    /// The expression with an additional reference, which does not affect its value, known or not.
    pub fn referring(self, to: &str) -> Expression {
        Expression::Code(format!("[{}, {to}][0]", self.to_code()))
    }

    /// Native syntax.
    pub fn to_code(&self) -> String {
        let mut code = String::new();
        self.write_code(&mut code);
        code
    }

    fn write_code(&self, code: &mut String) {
        match self {
            Expression::Null => code.push_str("null"),
            Expression::Bool(bool) => code.push_str(if *bool { "true" } else { "false" }),
            Expression::Number(digits) => code.push_str(digits),
            Expression::Text(text) => write_quoted(code, text),
            Expression::Tuple(items) => {
                code.push('[');
                write_list(code, items);
                code.push(']');
            }
            Expression::Object(members) => {
                code.push('{');
                for (index, (name, member)) in members.iter().enumerate() {
                    code.push_str(if index == 0 { "" } else { ", " });
                    write_quoted(code, name);
                    code.push_str(" = ");
                    member.write_code(code);
                }
                code.push('}');
            }
            Expression::Code(other) => code.push_str(other),
        }
    }

    /// JSON syntax.
    pub fn to_json(&self) -> Json {
        match self {
            Expression::Null => Json::Null,
            Expression::Bool(bool) => Json::Bool(*bool),
            Expression::Number(digits) => Json::Number(digits.clone()),
            Expression::Text(text) => Json::String(template(text).into()),
            Expression::Tuple(items) => Json::Array(items.iter().map(Expression::to_json).collect()),
            Expression::Object(members) => {
                Json::Object(members.iter().map(|(name, member)| (template(name).into(), member.to_json())).collect())
            }
            Expression::Code(code) => interpolated(code),
        }
    }
}

/// Native syntax as a JSON string.
pub fn interpolated(code: &str) -> Json {
    Json::String(format!("${{{code}}}").into())
}

/// Text as it stands in a JSON string, which is a template.
pub fn template(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

/// Text as a quoted string of native syntax.
pub fn quoted(text: &str) -> String {
    let mut code = String::new();
    write_quoted(&mut code, text);
    code
}

fn write_list(code: &mut String, items: &[Expression]) {
    for (index, item) in items.iter().enumerate() {
        code.push_str(if index == 0 { "" } else { ", " });
        item.write_code(code);
    }
}

fn write_quoted(code: &mut String, text: &str) {
    code.push('"');
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' => code.push_str("\\\""),
            '\\' => code.push_str("\\\\"),
            '\n' => code.push_str("\\n"),
            '\r' => code.push_str("\\r"),
            '\t' => code.push_str("\\t"),
            // Characters from an escape open no template.
            '$' | '%' if chars.peek() == Some(&'{') => push_escape(code, char),
            _ if char.is_control() => push_escape(code, char),
            other => code.push(other),
        }
    }
    code.push('"');
}

fn push_escape(code: &mut String, char: char) {
    code.push_str(&format!("\\u{:04x}", u32::from(char)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_template() {
        let text = "a${b}%{c}\"\\\n\u{0}$$${";
        assert_eq!(quoted(text), r#""a\u0024{b}\u0025{c}\"\\\n\u0000$$\u0024{""#);
        assert_eq!(template("${a}$${b}%{"), "$${a}$$${b}%%{");
    }

    #[test]
    fn literals_stay_literals_in_json() {
        let object = Expression::Object(vec![("${k}".into(), Expression::Tuple(vec![Expression::Null]))]);
        assert_eq!(object.to_json().to_compact(), r#"{"$${k}":[null]}"#);
        assert_eq!(object.to_code(), r#"{"\u0024{k}" = [null]}"#);
        let sensitive = Expression::call("sensitive", &[object]);
        assert_eq!(sensitive.to_json().to_compact(), r#""${sensitive({\"\\u0024{k}\" = [null]})}""#);
    }
}
