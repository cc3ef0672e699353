//! Addresses in which keys may be expressions: of imports, and of what triggers a replacement (E11, E18, E24).
//!
//! Problem: they are expressions by their form and references by their meaning, and JSON has their text in a string. Idea: the text is
//! parsed as an expression, and its names and keys are read from the tree. Guarantee: what is wrong with the text is told, and nothing
//! else of it.

use super::Decoder;
use crate::config::body::Written;
use crate::config::expr::text_at;
use crate::config::tree::TargetKey;
use crate::expression::{self, Expression, Kind};

/// A text that is no expression, which was told of.
pub(super) struct Faulty;

/// A step of an address.
pub(super) enum AddressStep<'e> {
    /// A name.
    Name(&'e str),
    /// What is in brackets.
    Key(&'e Expression),
}

impl AddressStep<'_> {
    /// What is known of a key where nothing is evaluated; nothing for what is no key of anything: `null`, `true`, `false`.
    pub(super) fn key(&self) -> Option<TargetKey> {
        let AddressStep::Key(key) = self else { return None };
        match &key.kind {
            Kind::Literal(value) if value.is_null() || value.view().as_bool().is_some() => None,
            Kind::Literal(value) if value.view().as_text().is_some() => Some(TargetKey::Text),
            Kind::Literal(_) => Some(TargetKey::Number),
            _ => Some(TargetKey::Expression),
        }
    }
}

/// The names and keys of an expression that has nothing else.
pub(super) fn steps(expression: &Expression) -> Option<Vec<AddressStep<'_>>> {
    let (mut at, mut steps) = (expression, Vec::new());
    loop {
        match &at.kind {
            Kind::Root(name) => {
                steps.push(AddressStep::Name(name));
                steps.reverse();
                return Some(steps);
            }
            Kind::Attribute(inner, name) => {
                steps.push(AddressStep::Name(name));
                at = inner;
            }
            Kind::Index(inner, key) => {
                steps.push(AddressStep::Key(key));
                at = inner;
            }
            _ => return None,
        }
    }
}

impl Decoder<'_> {
    /// The expression of an address; nothing for a value of JSON that is no text. What is wrong with a text of JSON is told; with one of
    /// the native syntax it has been told.
    ///
    /// # Errors
    /// A text that is no expression.
    pub(super) fn address_expression(&mut self, written: &Written) -> Result<Option<Expression>, Faulty> {
        match written {
            Written::Native(place) => {
                expression::parse(text_at(*place, self.sources), *place).map(Some).map_err(|_| Faulty)
            }
            Written::Json(json) => {
                let Some(text) = json.as_str() else { return Ok(None) };
                match expression::parse(text, json.template_place()) {
                    Ok(expression) => Ok(Some(expression)),
                    Err(faults) => {
                        self.diagnostics.extend(faults);
                        Err(Faulty)
                    }
                }
            }
        }
    }
}
