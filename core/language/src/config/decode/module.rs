//! The top level of a file (E14 to E26).

use super::repeated::Declared;
use crate::config::Block;
use crate::config::body::{Body, Name};
use crate::config::content::{ContentSchema, content, faults_of_blocks, just_attributes};
use crate::config::tree::{Expr, Local, Module, Output};
use crate::diagnostic::Diagnostic;
use crate::sources::Sources;

/// Collects the declarations of the files of one module.
pub(in crate::config) struct Decoder<'s> {
    pub(super) sources: &'s Sources,
    pub(in crate::config) diagnostics: Vec<Diagnostic>,
    pub(in crate::config) module: Module,
    pub(super) declared: Declared,
}

const TOP: ContentSchema<'static> = ContentSchema {
    attributes: &[],
    blocks: &[
        ("terraform", &[]),
        ("required_providers", &[]),
        ("provider", &["name"]),
        ("variable", &["name"]),
        ("locals", &[]),
        ("output", &["name"]),
        ("module", &["name"]),
        ("resource", &["type", "name"]),
        ("data", &["type", "name"]),
        ("ephemeral", &["type", "name"]),
        ("moved", &[]),
        ("removed", &[]),
        ("import", &[]),
        ("check", &["name"]),
    ],
};

impl<'s> Decoder<'s> {
    pub(in crate::config) fn new(sources: &'s Sources, directory: &str) -> Self {
        let module = Module { directory: directory.to_owned(), ..Module::default() };
        Self { sources, diagnostics: Vec::new(), module, declared: Declared::default() }
    }

    /// All declarations of a file.
    pub(in crate::config) fn file(&mut self, body: Body) {
        // E12: settings are looked at twice before everything is read, for versions and for experiments.
        let faults = faults_of_blocks(&body, "terraform");
        self.diagnostics.extend(faults.iter().cloned().chain(faults.iter().cloned()));
        let found = content(body, TOP, &mut self.diagnostics);
        for block in found.blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: Block) {
        use planfuzz_core::address::ResourceMode;
        match block.kind.text.as_str() {
            "terraform" => self.settings(block),
            "provider" => self.provider(block),
            "variable" => self.variable(block),
            "locals" => self.locals(block),
            "output" => self.output(block),
            "module" => self.call(block),
            "resource" => self.top_resource(block, ResourceMode::Managed),
            "data" => self.top_resource(block, ResourceMode::Data),
            "ephemeral" => self.top_resource(block, ResourceMode::Ephemeral),
            "moved" => self.moved(block),
            "removed" => self.removed(block),
            "import" => self.import(block),
            "check" => self.check(block),
            other => {
                let detail = format!("A {other:?} block is not expected at the top level.");
                self.error("Invalid required_providers block", detail, block.header);
            }
        }
    }

    fn locals(&mut self, block: Block) {
        for attribute in just_attributes(block.body, &mut self.diagnostics) {
            let name = attribute.name.clone();
            let place = attribute.place();
            if !self.checked_name(&name, "Invalid local value name") {
                continue;
            }
            self.declared_once("local", &name.text, place, || {
                (
                    "Duplicate local value definition".to_owned(),
                    format!("A local value named {:?} was already defined.", name.text.as_str()),
                )
            });
            let value = self.expr(attribute);
            self.module.locals.push(Local { name, value });
        }
    }

    fn output(&mut self, block: Block) {
        let schema = ContentSchema {
            attributes: &[
                ("description", false),
                ("value", true),
                ("depends_on", false),
                ("sensitive", false),
                ("ephemeral", false),
            ],
            blocks: &[("precondition", &[]), ("postcondition", &[])],
        };
        let Some(name) = block.labels.into_iter().next() else { return };
        let mut found = content(block.body, schema, &mut self.diagnostics);
        self.checked_name(&name, "Invalid output name");
        self.declared_once("output", &name.text, block.header, || {
            (
                "Duplicate output definition".to_owned(),
                format!(
                    "An output named {:?} was already defined. Output names must be unique within a module.",
                    name.text.as_str()
                ),
            )
        });
        let value = found.take("value").map(|attribute| self.expr(attribute));
        let (description, sensitive) = (found.take("description"), found.take("sensitive"));
        let (ephemeral, depends_on) = (found.take("ephemeral"), found.take("depends_on"));
        let mut preconditions = Vec::new();
        for block in found.blocks {
            if &*block.kind.text == "postcondition" {
                self.error(
                    "Postconditions are not allowed",
                    "Output values can only have preconditions, not postconditions.",
                    block.kind.place,
                );
            } else {
                preconditions.extend(self.rule(block, "precondition", None));
            }
        }
        let output = Output {
            value,
            description: self.text(description),
            sensitive: self.bool(sensitive),
            ephemeral: self.bool(ephemeral),
            depends_on: self.depends_on(depends_on),
            preconditions,
            header: block.header,
            name,
        };
        self.module.outputs.push(output);
    }

    /// The values of several arguments as expressions.
    pub(super) fn named_exprs(&self, attributes: Vec<crate::config::Attribute>) -> Vec<(Name, Expr)> {
        attributes.into_iter().map(|attribute| (attribute.name.clone(), self.expr(attribute))).collect()
    }
}
