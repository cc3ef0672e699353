//! `provider` blocks (E21).

use super::Decoder;
use crate::config::body::Block;
use crate::config::content::{ContentSchema, partial_content};
use crate::config::tree::{Constant, Provider};
use crate::diagnostic::Diagnostic;
use crate::native::is_identifier;

/// The summary for an invalid local name.
pub(super) const LOCAL_NAME: &str = "Invalid provider local name";

/// The rule of local names.
pub(super) const LOCAL_NAME_DETAIL: &str =
    "A local name of a provider has letters, digits and dashes alone, no dash at either end.";

const SCHEMA: ContentSchema<'static> = ContentSchema {
    attributes: &[
        ("version", false),
        ("alias", false),
        ("count", false),
        ("depends_on", false),
        ("for_each", false),
        ("source", false),
    ],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[])],
};

impl Decoder<'_> {
    pub(super) fn provider(&mut self, block: Block) {
        let Some(name) = block.labels.into_iter().next() else { return };
        if !is_provider_name(&name.text) {
            self.error(LOCAL_NAME, LOCAL_NAME_DETAIL, block.header);
            return;
        }
        let (mut found, config) = partial_content(block.body, SCHEMA, &mut self.diagnostics);
        let is_aliased = found.attributes.iter().any(|attribute| &*attribute.name.text == "alias");
        let alias = found.take("alias");
        let alias = self.text(alias);
        if is_aliased && !fault!(AnyAlias) && !alias.as_ref().is_some_and(|alias| is_identifier(&alias.value)) {
            let detail = "An alias must be a valid name. A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.";
            self.diagnostics
                .push(Diagnostic::error("Invalid provider configuration alias", detail, block.header).without_place());
        }
        let version = found.take("version");
        let version = self.version(version);
        for reserved in &found.attributes {
            let detail = format!(
                "The provider argument name {:?} is reserved for use by Terraform in a future version.",
                reserved.name.text.as_str()
            );
            self.diagnostics.push(Diagnostic::error(
                "Reserved argument name in provider block",
                detail,
                reserved.name.place,
            ));
        }
        for reserved in found.blocks.iter().filter(|block| &*block.kind.text != "_") {
            let detail = format!(
                "The block type name {:?} is reserved for use by Terraform in a future version.",
                reserved.kind.text.as_str()
            );
            self.diagnostics.push(Diagnostic::error(
                "Reserved block type name in provider block",
                detail,
                reserved.kind.place,
            ));
        }
        let key =
            format!("{}.{}", name.text.as_str(), alias.as_ref().map_or("", |alias: &Constant<_>| alias.value.as_str()));
        self.declared_once("provider", &key, block.header, || {
            let detail = format!("A provider configuration for {:?} was already given.", name.text.as_str());
            ("Duplicate provider configuration".to_owned(), detail)
        });
        self.module.providers.push(Provider { name, alias, version, config, header: block.header });
    }
}

/// Whether a name is valid in a provider address (E21).
pub(super) fn is_provider_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-';
    !name.is_empty()
        && name.chars().all(is_plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}
