//! Addresses in which keys may be expressions: in imports and in `replace_triggered_by` (E11, E18, E24).
//!
//! Problem: such an address is an expression by its form and a reference by its meaning, and in JSON its text is in a string. Idea: the
//! text is parsed as an expression, and names and keys are read from the tree. Guarantee: if the text has faults, only those are reported.

use super::Decoder;
use crate::config::body::Written;
use crate::config::expr::text_at;
use crate::config::tree::TargetKey;
use crate::expression::{self, Expression, Kind};

/// An address that is not an expression; its faults are reported.
pub(super) struct Faulty;

/// A step of an address.
pub(super) enum AddressStep<'e> {
    /// A name.
    Name(&'e str),
    /// The expression in brackets.
    Key(&'e Expression),
}

impl AddressStep<'_> {
    /// The kind of a key before evaluation; `None` for a name and for `null`, `true` and `false`, which are no keys.
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

/// The names and keys of an expression; `None` if it has anything else.
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
    /// The expression of an address. Reports the faults of JSON; those of native syntax are already reported.
    ///
    /// # Errors
    /// A text that is no expression, or a JSON value that is no string.
    pub(super) fn address_expression(&mut self, written: &Written) -> Result<Expression, Faulty> {
        let json = match written {
            Written::Native(place) => {
                return expression::parse(text_at(*place, self.sources), *place).map_err(|_| Faulty);
            }
            Written::Json(json) => json,
        };
        let Some(text) = json.as_str() else {
            self.error("Invalid reference expression", "A text with a reference is required here.", json.place);
            return Err(Faulty);
        };
        expression::parse(text, json.template_place()).map_err(|faults| {
            for _ in 0..foreign_signs(text) {
                self.error(
                    "Invalid character",
                    "This character is not used within the language.",
                    json.template_place(),
                );
            }
            self.diagnostics.extend(faults);
            Faulty
        })
    }
}

/// How many signs before the first quote are none of the language, as in a template where a reference is expected: an engine reports each,
/// before it parses.
fn foreign_signs(text: &str) -> usize {
    let before_quotes = text.split('"').next().unwrap_or_default();
    before_quotes.matches(['$', '@', '\\', '`', ';', '\'']).count()
}
