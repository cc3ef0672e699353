//! Arguments that are read at load: constants, references, names, lists of them.

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};

use super::provider::{LOCAL_NAME, LOCAL_NAME_DETAIL, is_provider_name};
use super::{Decoder, version_constraint};
use crate::config::body::{Attribute, Name, Written};
use crate::config::expr::{literal, not_allowed, references_of, text_at};
use crate::config::statics::{self, Form, Static};
use crate::config::tree::{Constant, Expr, ProviderRef, Step, StepKind, Traversal};
use crate::diagnostic::Diagnostic;
use crate::native::is_identifier;
use crate::place::SourcePlace;

/// What a name has to be (E13).
const NAME_RULE: &str =
    "A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.";

impl Decoder<'_> {
    pub(super) fn error(&mut self, summary: impl Into<String>, detail: impl Into<String>, place: SourcePlace) {
        self.diagnostics.push(Diagnostic::error(summary, detail, place));
    }

    /// An expression that is evaluated later.
    pub(super) fn expr(&self, attribute: Attribute) -> Expr {
        Expr::read(attribute.value, self.sources)
    }

    /// Checks a name by E13, and reports an invalid one with `summary`.
    pub(super) fn checked_name(&mut self, name: &Name, summary: &str) -> bool {
        let holds = is_identifier(&name.text);
        if !holds {
            self.error(summary, NAME_RULE, name.place);
        }
        holds
    }

    /// The value of a constant of any type; `None`, with errors, if it is no constant.
    pub(super) fn constant(&mut self, written: &Written) -> Option<Value> {
        if let Some(value) = literal(written, self.sources) {
            return Some(value);
        }
        // In JSON a constant is no template (E11).
        if let Written::Native(_) = written {
            let references = references_of(written, self.sources);
            if references.is_empty() {
                // Constants with operators or functions are not evaluated here; they are an error.
                let detail = "A constant that is not written as a literal is not read.";
                self.error("Unsupported constant", detail, written.place());
            }
            self.diagnostics.extend(not_allowed(&references));
        }
        None
    }

    /// A constant of a primitive type.
    fn typed(&mut self, attribute: &Attribute, ty: &Type, what: &str) -> Option<Constant<Value>> {
        let place = attribute.value.place();
        let before = self.diagnostics.len();
        let Some(value) = self.constant(&attribute.value) else {
            // A reference is reported twice: as not allowed, and as unknown (section 3).
            if self.diagnostics[before..].iter().any(|problem| problem.summary == "Variables not allowed") {
                self.error("Unsuitable value type", "Unsuitable value: value must be known", place);
            }
            return None;
        };
        match convert(&value, ty) {
            Ok(value) if !value.is_null() => Some(Constant { place, value }),
            _ => {
                let start = start_place(&attribute.value, self.sources);
                self.error("Unsuitable value type", format!("Unsuitable value: {what} is required"), start);
                None
            }
        }
    }

    pub(super) fn bool(&mut self, attribute: Option<Attribute>) -> Option<Constant<bool>> {
        let found = self.typed(&attribute?, &Type::Bool, "a bool")?;
        Some(Constant { place: found.place, value: found.value.view().as_bool()? })
    }

    pub(super) fn text(&mut self, attribute: Option<Attribute>) -> Option<Constant<Text>> {
        let found = self.typed(&attribute?, &Type::String, "a string")?;
        Some(Constant { place: found.place, value: found.value.view().as_text()?.clone() })
    }

    /// A version constraint (E14); `null` is none.
    pub(super) fn version(&mut self, attribute: Option<Attribute>) -> Option<Constant<Text>> {
        let attribute = attribute?;
        let place = attribute.value.place();
        let value = convert(&self.constant(&attribute.value)?, &Type::String).ok();
        if value.as_ref().is_some_and(Value::is_null) {
            return None;
        }
        self.constraint(value.as_ref(), place)
    }

    /// The constraint that a value is, which is reported if it is none.
    pub(super) fn constraint(&mut self, value: Option<&Value>, place: SourcePlace) -> Option<Constant<Text>> {
        let text = value.and_then(|value| value.view().as_text()).filter(|text| version_constraint::is_valid(text));
        if text.is_none() {
            self.error("Invalid version constraint", "A text with comparisons of versions is required.", place);
        }
        text.map(|text| Constant { place, value: text.clone() })
    }

    /// A list of references (E27).
    pub(super) fn depends_on(&mut self, attribute: Option<Attribute>) -> Vec<Traversal> {
        let Some(attribute) = attribute else { return Vec::new() };
        let elements = self.static_list(&attribute.value);
        elements.into_iter().filter_map(|element| self.traversal(element, &attribute.value)).collect()
    }

    pub(super) fn static_list(&mut self, written: &Written) -> Vec<Static> {
        let list = statics::read(written, self.sources);
        match list.form {
            Form::List(elements) => elements,
            _ => {
                self.error("Invalid expression", "A static list expression is required.", list.place);
                Vec::new()
            }
        }
    }

    /// A reference; in native syntax one in quotes is accepted with a warning.
    pub(super) fn traversal(&mut self, found: Static, written: &Written) -> Option<Traversal> {
        let found = self.unquoted(found, written);
        self.as_reference(found)
    }

    /// An argument that is one reference.
    pub(super) fn reference(&mut self, attribute: &Attribute) -> Option<Traversal> {
        let found = statics::read(&attribute.value, self.sources);
        self.as_reference(found)
    }

    fn as_reference(&mut self, found: Static) -> Option<Traversal> {
        let place = found.place;
        let traversal = found.into_traversal();
        if traversal.is_none() {
            self.error("Invalid expression", STATIC_REFERENCE, place);
        }
        traversal
    }

    /// The contents of a quoted text in native syntax, with a warning.
    fn unquoted(&mut self, found: Static, written: &Written) -> Static {
        let text = match &found.form {
            Form::Literal(value) if matches!(written, Written::Native(_)) => value.view().as_text().cloned(),
            _ => None,
        };
        let Some(text) = text else { return found };
        let detail = "In this context, references are expected literally rather than in quotes.";
        let span = found.place.span;
        let inner = found.place.with(crate::place::Span::new(span.start + 1, span.end.saturating_sub(1)));
        if !fault!(QuotedReferenceSilent) {
            self.diagnostics.push(Diagnostic::warning("Quoted references are deprecated", detail, found.place));
        }
        Static { place: inner, ..statics::of_text(&text, inner) }
    }

    /// `name` or `name.alias`.
    pub(super) fn provider_ref(&mut self, found: Static, written: &Written) -> Option<ProviderRef> {
        const REFERENCE: &str = "Invalid provider configuration reference";
        const EXPECTED: &str =
            "The local name of a provider is expected here, and behind a dot the alias of a configuration.";
        let found = self.unquoted(found, written);
        let place = found.place;
        let Some(traversal) = found.into_traversal() else {
            self.error(REFERENCE, EXPECTED, place);
            return None;
        };
        let name = traversal.root;
        if !is_provider_name(&name) {
            self.error(LOCAL_NAME, LOCAL_NAME_DETAIL, traversal.place.part(0, name.len()));
            return None;
        }
        let alias = match traversal.steps.as_slice() {
            [] => None,
            [Step { kind: StepKind::Attribute(alias), .. }] => Some(alias.clone()),
            [Step { kind: StepKind::Index(_), place }] => {
                self.error(REFERENCE, EXPECTED, *place);
                return None;
            }
            [_, _, ..] => {
                self.error(REFERENCE, EXPECTED, traversal.place);
                return None;
            }
        };
        Some(ProviderRef { name, alias, place: traversal.place })
    }
}

const STATIC_REFERENCE: &str = "A single static variable reference is required: only attribute access and indexing with constant keys. No calculations, function calls, template expressions, etc are allowed here.";

/// The place of a failed conversion of a constant: the first token of an expression; of a text the inside of its quotes.
pub(crate) fn start_place(written: &Written, sources: &crate::sources::Sources) -> SourcePlace {
    let place = match written {
        Written::Native(place) => *place,
        Written::Json(json) => return json.start_place(),
    };
    let text = text_at(place, sources);
    let length = match text.as_bytes().first() {
        Some(b'"') if text.len() >= 2 && place.span.end >= place.span.start + 2 => {
            let literal_end = text[1..].find(['"', '$', '%']).map_or(text.len(), |at| at + 1);
            return if literal_end == 1 { place } else { place.part(1, literal_end) };
        }
        Some(b'[' | b'{' | b'(' | b'!') => 1,
        Some(_) => {
            let name = crate::native::scan::identifier(text, 0);
            if name > 0 { name } else { text.len() }
        }
        None => 0,
    };
    place.part(0, length)
}
