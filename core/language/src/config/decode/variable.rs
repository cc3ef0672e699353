//! `variable` blocks (E15).

use planfuzz_core::value::Value;
use planfuzz_core::value::convert::convert;

use super::Decoder;
use super::rule::Owner;
use crate::config::body::{Block, Written};
use crate::config::content::{ContentSchema, content};
use crate::config::statics;
use crate::config::tree::{Constant, Variable};
use crate::config::type_constraint::TypeConstraint;

/// Names of arguments of module calls; a variable cannot have one of them.
const RESERVED: [&str; 8] =
    ["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

const SCHEMA: ContentSchema<'static> = ContentSchema {
    attributes: &[
        ("description", false),
        ("default", false),
        ("type", false),
        ("sensitive", false),
        ("ephemeral", false),
        ("nullable", false),
    ],
    blocks: &[("validation", &[])],
};

impl Decoder<'_> {
    pub(super) fn variable(&mut self, block: Block) {
        let Some(name) = block.labels.into_iter().next() else { return };
        let mut found = content(block.body, SCHEMA, &mut self.diagnostics);
        self.checked_name(&name, "Invalid variable name");
        if RESERVED.contains(&name.text.as_str()) && !fault!(ReservedNameTaken) {
            let detail = format!(
                "The variable name {:?} is reserved due to its special meaning inside module blocks.",
                name.text.as_str()
            );
            self.error("Invalid variable name", detail, name.place);
        }
        self.declared_once("variable", &name.text, block.header, || {
            let detail = format!(
                "A variable named {:?} was already declared. Variable names must be unique within a module.",
                name.text.as_str()
            );
            ("Duplicate variable declaration".to_owned(), detail)
        });
        let description = found.take("description");
        let description = self.text(description);
        let written_type = found.take("type").map(|attribute| attribute.value);
        let ty = self.type_constraint(written_type.as_ref());
        let (sensitive, ephemeral, nullable) =
            (found.take("sensitive"), found.take("ephemeral"), found.take("nullable"));
        let (sensitive, ephemeral, nullable) = (self.bool(sensitive), self.bool(ephemeral), self.bool(nullable));
        let written_default = found.take("default").map(|attribute| attribute.value);
        let is_nullable = nullable.as_ref().is_none_or(|nullable| nullable.value);
        let default = written_default.as_ref().and_then(|written| self.default(written, ty.as_ref(), is_nullable));
        let validations = found
            .blocks
            .into_iter()
            .filter_map(|block| self.rule(block, "validation", Some(Owner::Variable(&name.text))))
            .collect();
        let ty = ty.unwrap_or_default();
        let header = block.header;
        let variable = Variable {
            name,
            ty,
            written_type,
            default,
            written_default,
            description,
            sensitive,
            ephemeral,
            nullable,
            validations,
            header,
        };
        self.module.variables.push(variable);
    }

    fn type_constraint(&mut self, written: Option<&Written>) -> Option<TypeConstraint> {
        let Some(written) = written else { return Some(TypeConstraint::Any) };
        let form = statics::read(written, self.sources);
        match TypeConstraint::read(&form, matches!(written, Written::Native(_))) {
            Ok(ty) => Some(ty),
            Err(problem) => {
                self.diagnostics.push(problem);
                None
            }
        }
    }

    fn default(
        &mut self,
        written: &Written,
        ty: Option<&TypeConstraint>,
        is_nullable: bool,
    ) -> Option<Constant<Value>> {
        let place = written.place();
        let value = self.constant(written)?;
        let value = match ty {
            None => value,
            Some(_) if fault!(DefaultNotConverted) => value,
            Some(ty) => match convert(&value, &ty.ty()) {
                Ok(value) => value,
                Err(problem) => {
                    let detail =
                        format!("This default value is not compatible with the variable's type constraint: {problem}.");
                    self.error("Invalid default value for variable", detail, place);
                    return None;
                }
            },
        };
        if value.is_null() && !is_nullable && !fault!(NullDefaultTaken) {
            self.error(
                "Invalid default value for variable",
                "A null default value is not valid when nullable=false.",
                place,
            );
        }
        Some(Constant { place, value })
    }
}
