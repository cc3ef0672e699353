//! Type constraints of variables (E15), with the defaults of optional attributes.

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, TypeAttribute, Value};

use super::statics::{Form, Static};
use crate::diagnostic::Diagnostic;
use crate::place::SourcePlace;

/// The type of a variable, as it is declared.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum TypeConstraint {
    /// `any`, also if no type is given.
    #[default]
    Any,
    /// `string`
    String,
    /// `number`
    Number,
    /// `bool`
    Bool,
    /// `list(T)`
    List(Box<TypeConstraint>),
    /// `set(T)`
    Set(Box<TypeConstraint>),
    /// `map(T)`
    Map(Box<TypeConstraint>),
    /// `tuple([T…])`
    Tuple(Vec<TypeConstraint>),
    /// `object({…})`, in the order of the text.
    Object(Vec<ObjectField>),
}

/// An attribute of an object type.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectField {
    /// Its name.
    pub name: Text,
    /// Its type.
    pub ty: TypeConstraint,
    /// Whether it may be left out.
    pub optional: bool,
    /// The value if it is omitted; null if no default is given.
    pub default: Option<Value>,
}

const SUMMARY: &str = "Invalid type specification";

impl TypeConstraint {
    /// The type: optional attributes are marked as such.
    pub fn ty(&self) -> Type {
        match self {
            TypeConstraint::Any => Type::Dynamic,
            TypeConstraint::String => Type::String,
            TypeConstraint::Number => Type::Number,
            TypeConstraint::Bool => Type::Bool,
            TypeConstraint::List(element) => Type::list(element.ty()),
            TypeConstraint::Set(element) => Type::set(element.ty()),
            TypeConstraint::Map(element) => Type::map(element.ty()),
            TypeConstraint::Tuple(elements) => Type::tuple(elements.iter().map(TypeConstraint::ty).collect()),
            TypeConstraint::Object(fields) => Type::Object(
                planfuzz_core::value::ObjectType::new(
                    fields
                        .iter()
                        .map(|field| TypeAttribute {
                            name: field.name.clone(),
                            ty: field.ty.ty(),
                            optional: field.optional,
                        })
                        .collect(),
                )
                .into(),
            ),
        }
    }

    /// Reads a type constraint; `is_native`: whether a text in quotes is the deprecated form.
    ///
    /// # Errors
    /// The engine's first error.
    pub fn read(written: &Static, is_native: bool) -> Result<TypeConstraint, Diagnostic> {
        match &written.form {
            Form::Literal(value) if is_native && value.ty() == &Type::String && !value.is_null() => {
                let detail = "Type constraints are not given in quotes. Remove the quotes.";
                Err(Diagnostic::error("Invalid quoted type constraints", detail, written.place))
            }
            _ => constraint(written),
        }
    }
}

fn wrong(detail: impl Into<String>, place: SourcePlace) -> Diagnostic {
    Diagnostic::error(SUMMARY, detail, place)
}

fn constraint(written: &Static) -> Result<TypeConstraint, Diagnostic> {
    if let Some(keyword) = written.keyword() {
        return Ok(match keyword {
            "any" => TypeConstraint::Any,
            "string" => TypeConstraint::String,
            "number" => TypeConstraint::Number,
            "bool" => TypeConstraint::Bool,
            "list" => TypeConstraint::List(Box::default()),
            "map" => TypeConstraint::Map(Box::default()),
            "set" => {
                return Err(wrong(
                    "The set type constructor requires one argument specifying the element type.",
                    written.place,
                ));
            }
            "object" | "tuple" => {
                return Err(wrong(format!("The {keyword} type constructor requires one argument."), written.place));
            }
            other => {
                return Err(wrong(format!("The keyword {other:?} is not a valid type specification."), written.place));
            }
        });
    }
    let Form::Call(name, arguments, parentheses) = &written.form else {
        return Err(wrong(
            "A type specification is either a primitive type keyword (bool, number, string), or a type constructor call.",
            written.place,
        ));
    };
    let name_place = written.place.part(0, name.len());
    match name.as_str() {
        "list" | "set" | "map" => {
            let [element] = arguments.as_slice() else {
                return Err(wrong(
                    format!(
                        "The {} type constructor requires one argument specifying the element type.",
                        name.as_str()
                    ),
                    extra_arguments(*parentheses, arguments),
                ));
            };
            let element = Box::new(constraint(element)?);
            Ok(match name.as_str() {
                "list" => TypeConstraint::List(element),
                "set" => TypeConstraint::Set(element),
                _ => TypeConstraint::Map(element),
            })
        }
        "tuple" => match arguments.as_slice() {
            [Static { form: Form::List(elements), .. }] => {
                Ok(TypeConstraint::Tuple(elements.iter().map(constraint).collect::<Result<_, _>>()?))
            }
            [other] => Err(wrong("Tuple type constructor requires a list of element types.", other.place)),
            _ => Err(wrong(
                "The tuple type constructor requires one argument.",
                extra_arguments(*parentheses, arguments),
            )),
        },
        "object" => match arguments.as_slice() {
            [Static { form: Form::Object(pairs), .. }] => fields(pairs),
            [other] => Err(wrong(
                "Object type constructor requires a map whose keys are attribute names and whose values are the corresponding attribute types.",
                other.place,
            )),
            _ => Err(wrong(
                "The object type constructor requires one argument.",
                extra_arguments(*parentheses, arguments),
            )),
        },
        "optional" => {
            Err(wrong("Keyword \"optional\" is valid only as a modifier for object type attributes.", name_place))
        }
        "bool" | "string" | "number" | "any" => {
            Err(wrong(format!("Primitive type keyword {:?} does not expect arguments.", name.as_str()), *parentheses))
        }
        other => Err(wrong(format!("Keyword {other:?} is not a valid type constructor."), written.place)),
    }
}

/// The place of the diagnostic about too many or too few arguments.
fn extra_arguments(parentheses: SourcePlace, arguments: &[Static]) -> SourcePlace {
    arguments.get(1).map_or(parentheses, |extra| extra.place)
}

fn fields(pairs: &[(Static, Static)]) -> Result<TypeConstraint, Diagnostic> {
    let mut fields: Vec<ObjectField> = Vec::with_capacity(pairs.len());
    let mut names = hashbrown::HashSet::new();
    for (key, value) in pairs {
        let name = match &key.form {
            Form::Literal(text) if text.ty() == &Type::String => text.view().as_text().cloned().unwrap_or_default(),
            _ => match key.keyword() {
                Some(keyword) => Text::new(keyword),
                None => return Err(wrong("Object constructor map keys must be attribute names.", key.place)),
            },
        };
        if !names.insert(name.clone()) {
            return Err(wrong("Object constructor map keys must be unique.", key.place));
        }
        fields.push(field(name, value)?);
    }
    Ok(TypeConstraint::Object(fields))
}

fn field(name: Text, value: &Static) -> Result<ObjectField, Diagnostic> {
    let Form::Call(modifier, arguments, parentheses) = &value.form else {
        return Ok(ObjectField { name, ty: constraint(value)?, optional: false, default: None });
    };
    if modifier.as_str() != "optional" {
        return Ok(ObjectField { name, ty: constraint(value)?, optional: false, default: None });
    }
    let (ty, default) = match arguments.as_slice() {
        [ty] => (ty, None),
        [ty, default] => (ty, Some(default)),
        [] => {
            return Err(wrong("Optional attribute modifier requires the attribute type as its argument.", value.place));
        }
        [_, _, _, ..] => {
            return Err(wrong(
                "Optional attribute modifier expects at most two arguments: the attribute type, and a default value.",
                *parentheses,
            ));
        }
    };
    let ty = constraint(ty)?;
    let default = match default {
        None => None,
        Some(written) => Some(converted(written, &ty)?),
    };
    Ok(ObjectField { name, ty, optional: true, default })
}

fn converted(written: &Static, ty: &TypeConstraint) -> Result<Value, Diagnostic> {
    let Some(value) = literal(written) else { return Ok(Value::null(ty.ty().strip_optional())) };
    convert(&value, &ty.ty()).map_err(|problem| {
        let detail = format!("This default value is not compatible with the attribute's type constraint: {problem}.");
        Diagnostic::error("Invalid default value for optional attribute", detail, written.place)
    })
}

/// The value of a literal, or of a tuple or object of literals.
pub(super) fn literal(written: &Static) -> Option<Value> {
    Some(match &written.form {
        Form::Literal(value) => value.clone(),
        Form::List(elements) => Value::tuple(elements.iter().map(literal).collect::<Option<Vec<_>>>()?),
        Form::Object(pairs) => {
            let mut all = std::collections::BTreeMap::new();
            for (key, value) in pairs {
                let name = match &key.form {
                    Form::Literal(text) if text.ty() == &Type::String => text.view().as_text().cloned()?,
                    Form::Literal(number) if number.ty() == &Type::Number => {
                        Text::new(&number.view().as_number()?.text())
                    }
                    _ => Text::new(key.keyword()?),
                };
                all.insert(name, literal(value)?);
            }
            Value::object(all.into_iter().collect())
        }
        _ => return None,
    })
}
