//! The native syntax.

use hcl_edit::Formatted;
use hcl_edit::expr::{Expression, Object, ObjectKey, UnaryOperator};
use hcl_edit::structure::{Block, Structure};
use hcl_edit::template::{Element, HeredocTemplate, Template};
use planfuzz_core::value::{Number, Text, Value};

use super::body::{Body, Given, NotLiteral, Written};
use super::lifecycle::{self, LifecycleBlock};

/// The largest file of configuration that is read, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// A resource block.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Whether it is of a data resource.
    pub is_data: bool,
    /// The resource type.
    pub type_name: String,
    /// The name.
    pub name: String,
    /// What is written in it.
    pub body: Body,
    /// Its `lifecycle` block.
    pub lifecycle: LifecycleBlock,
}

/// Why a file of configuration could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NativeError {
    /// It is no text.
    #[error("expected text in UTF-8")]
    Text,
    /// It is too large.
    #[error("expected at most {} MiB of configuration, found more", MAX_BYTES >> 20)]
    Size,
    /// It is no configuration.
    #[error("expected configuration: line {line}, column {column}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
    },
}

/// The resources of a file.
///
/// # Errors
/// Bytes that are no configuration.
pub fn native_resources(bytes: &[u8]) -> Result<Vec<Resources>, NativeError> {
    if bytes.len() > MAX_BYTES {
        return Err(NativeError::Size);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| NativeError::Text)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = hcl_edit::parser::parse_body(text).map_err(|problem| {
        let location = problem.location();
        NativeError::Syntax { line: location.line(), column: location.column() }
    })?;
    Ok(body.blocks().filter_map(resource).collect())
}

fn resource(block: &Block) -> Option<Resources> {
    let is_data = match block.ident.as_str() {
        "resource" => false,
        "data" => true,
        _ => return None,
    };
    let [type_name, name] = block.labels.as_slice() else { return None };
    let lifecycle = block.body.get_blocks("lifecycle").next().map(|block| lifecycle::native(&block.body));
    Some(Resources {
        is_data,
        type_name: type_name.as_str().to_owned(),
        name: name.as_str().to_owned(),
        body: lifecycle::without_meta_arguments(body_of(&block.body)),
        lifecycle: lifecycle.unwrap_or_default(),
    })
}

fn body_of(hcl: &hcl_edit::structure::Body) -> Body {
    let mut body = Body::default();
    for structure in hcl {
        match structure {
            Structure::Attribute(attribute) => {
                body.attributes.push((Text::new(attribute.key.as_str()), given(&attribute.value)));
            }
            Structure::Block(block) if block.ident.as_str() == "dynamic" && block.labels.len() == 1 => {
                body.open_blocks.extend(block.labels.iter().map(|label| Text::new(label.as_str())));
            }
            Structure::Block(block) => body.blocks.push(Written {
                name: Text::new(block.ident.as_str()),
                labels: block.labels.iter().map(|label| Text::new(label.as_str())).collect(),
                body: body_of(&block.body),
            }),
        }
    }
    body
}

fn given(expression: &Expression) -> Given {
    literal(expression).map_or_else(Given::Open, Given::Literal)
}

/// The value of a literal expression. The parser has bounded its depth.
pub(super) fn literal(expression: &Expression) -> Result<Value, NotLiteral> {
    match expression {
        Expression::Null(_) => Ok(Value::null(planfuzz_core::value::Type::Dynamic)),
        Expression::Bool(bool) => Ok(Value::bool(*bool.value())),
        Expression::Number(number) => self::number(number),
        Expression::String(text) => Ok(Value::string(text.value())),
        Expression::Array(array) => array.iter().map(literal).collect::<Result<_, _>>().map(Value::tuple),
        Expression::Object(object) => self::object(object),
        Expression::StringTemplate(template) => text(template.iter()).map(|text| Value::string(&text)),
        Expression::HeredocTemplate(heredoc) => self::heredoc(heredoc).map(|text| Value::string(&text)),
        Expression::Parenthesis(inner) => literal(inner.inner()),
        Expression::UnaryOp(operation) if *operation.operator.value() == UnaryOperator::Neg => match &operation.expr {
            Expression::Number(of) => negated(of),
            _ => Err(NotLiteral::Expression),
        },
        Expression::Variable(_) | Expression::Traversal(_) => Err(NotLiteral::Reference),
        Expression::FuncCall(_) => Err(NotLiteral::Function),
        Expression::Conditional(_) | Expression::UnaryOp(_) | Expression::BinaryOp(_) | Expression::ForExpr(_) => {
            Err(NotLiteral::Expression)
        }
    }
}

/// A number, parsed from its text: the parser's own is a float.
fn number(number: &Formatted<hcl_edit::Number>) -> Result<Value, NotLiteral> {
    read_number(&written(number), "")
}

fn negated(number: &Formatted<hcl_edit::Number>) -> Result<Value, NotLiteral> {
    read_number(&written(number), "-")
}

fn written(number: &Formatted<hcl_edit::Number>) -> String {
    let repr = number.as_repr().map(|repr| repr.to_string());
    repr.unwrap_or_else(|| number.value().to_string())
}

fn read_number(text: &str, sign: &str) -> Result<Value, NotLiteral> {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    Number::parse(&format!("{sign}{text}")).map(Value::number).map_err(|_| NotLiteral::Number)
}

/// Of a key that occurs twice the last counts, as in the engine.
fn object(object: &Object) -> Result<Value, NotLiteral> {
    let mut members: std::collections::BTreeMap<Text, Value> = std::collections::BTreeMap::new();
    for (key, value) in object.iter() {
        members.insert(self::key(key)?, literal(value.expr())?);
    }
    Ok(Value::object(members.into_iter().collect()))
}

fn key(key: &ObjectKey) -> Result<Text, NotLiteral> {
    match key {
        ObjectKey::Ident(name) => Ok(Text::new(name.as_str())),
        ObjectKey::Expression(Expression::Variable(name)) => Ok(Text::new(name.as_str())),
        ObjectKey::Expression(expression) => {
            let value = literal(expression)?;
            let view = value.view();
            let number = || view.as_number().map(|number| Text::new(&number.text()));
            let bool = || view.as_bool().map(|bool| Text::new(if bool { "true" } else { "false" }));
            view.as_text().cloned().or_else(number).or_else(bool).ok_or(NotLiteral::Key)
        }
    }
}

fn text<'t>(elements: impl Iterator<Item = &'t Element>) -> Result<String, NotLiteral> {
    let mut text = String::new();
    for element in elements {
        match element {
            Element::Literal(literal) => text.push_str(literal.value()),
            Element::Interpolation(_) | Element::Directive(_) => return Err(NotLiteral::Template),
        }
    }
    Ok(text)
}

/// A heredoc; the parser has removed the indentation if it is to be removed.
fn heredoc(heredoc: &HeredocTemplate) -> Result<String, NotLiteral> {
    let template: &Template = &heredoc.template;
    text(template.iter())
}
