//! `module` blocks (E20).

use super::Decoder;
use crate::config::Attribute;
use crate::config::body::{Block, Body, Name};
use crate::config::content::{ContentSchema, partial_content};
use crate::config::module_source::ModuleSource;
use crate::config::statics::{self, Form};
use crate::config::tree::{ModuleCall, ProviderRef, Repetition};
use crate::diagnostic::Diagnostic;

const SCHEMA: ContentSchema<'static> = ContentSchema {
    attributes: &[
        ("source", true),
        ("version", false),
        ("count", false),
        ("for_each", false),
        ("depends_on", false),
        ("providers", false),
    ],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[]), ("provider", &["type"])],
};

impl Decoder<'_> {
    pub(super) fn call(&mut self, block: Block) {
        let Some(name) = block.labels.into_iter().next() else { return };
        let (mut found, config) = partial_content(block.body, SCHEMA, &mut self.diagnostics);
        self.checked_name(&name, "Invalid module instance name");
        self.declared_once("module", &name.text, block.header, || {
            let detail = format!(
                "A module call named {:?} was already defined. Module calls must have unique names within a module.",
                name.text.as_str()
            );
            ("Duplicate module call".to_owned(), detail)
        });
        let source = found.take("source");
        let source = self.text(source);
        if let Some(source) = &source
            && ModuleSource::parse(&source.value).is_none()
        {
            let detail = format!("The text {:?} is no source address of a module.", source.value.as_str());
            self.error("Invalid module source address", detail, source.place);
        }
        let version = found.take("version");
        let version = self.version(version);
        let repetition = self.repetition(&mut found);
        let depends_on = found.take("depends_on");
        let depends_on = self.depends_on(depends_on);
        let providers = found.take("providers").map(|attribute| self.provider_map(&attribute)).unwrap_or_default();
        for reserved in found.blocks.iter().filter(|block| &*block.kind.text != "_") {
            let detail = format!(
                "The block type name {:?} is reserved for use by Terraform in a future version.",
                reserved.kind.text.as_str()
            );
            self.diagnostics.push(Diagnostic::error(
                "Reserved block type name in module block",
                detail,
                reserved.kind.place,
            ));
        }
        let (inputs, stray_blocks) = self.inputs(config);
        let inputs = self.named_exprs(inputs);
        self.module.calls.push(ModuleCall {
            name,
            source,
            version,
            repetition,
            providers,
            depends_on,
            inputs,
            missing: block.open,
            stray_blocks,
            header: block.header,
        });
    }

    /// The remaining arguments are the values of variables; blocks are reported when the graph is made.
    fn inputs(&mut self, config: Body) -> (Vec<Attribute>, Vec<Name>) {
        let (config, blocks) = match config {
            Body::Native(mut body) => {
                let blocks = std::mem::take(&mut body.blocks);
                (Body::Native(body), blocks.into_iter().map(|block| block.kind).collect())
            }
            json => (json, Vec::new()),
        };
        (crate::config::just_attributes(config, &mut self.diagnostics), blocks)
    }

    pub(super) fn repetition(&mut self, found: &mut crate::config::Content) -> Repetition {
        let (count, for_each) = (found.take("count"), found.take("for_each"));
        if let (Some(_), Some(for_each)) = (&count, &for_each) {
            let detail = "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used to be explicit about the number of instances to be created.";
            self.error("Invalid combination of \"count\" and \"for_each\"", detail, for_each.name.place);
        }
        Repetition {
            count: count.map(|attribute| self.expr(attribute)),
            for_each: for_each.map(|attribute| self.expr(attribute)),
        }
    }

    fn provider_map(&mut self, attribute: &Attribute) -> Vec<(ProviderRef, ProviderRef)> {
        let found = statics::read(&attribute.value, self.sources);
        let Form::Object(pairs) = found.form else {
            self.error(
                "Invalid expression",
                "A static map expression is required.",
                crate::config::expr_start(&attribute.value, self.sources),
            );
            return Vec::new();
        };
        let mut all = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let key = self.provider_ref(key, &attribute.value);
            let value = self.provider_ref(value, &attribute.value);
            all.extend(key.zip(value));
        }
        all
    }
}
