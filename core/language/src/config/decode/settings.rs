//! `terraform` blocks (E14).

use planfuzz_core::value::convert::convert;
use planfuzz_core::value::{Text, Type, Value};

use super::{Decoder, provider_source};
use crate::config::Attribute;
use crate::config::body::{Block, Name, Written};
use crate::config::content::{ContentSchema, content, just_attributes};
use crate::config::statics::{self, Form, Static};
use crate::config::tree::{Constant, RequiredProvider, Settings};
use crate::config::type_constraint;
use crate::place::SourcePlace;

const SCHEMA: ContentSchema<'static> = ContentSchema {
    attributes: &[("required_version", false), ("experiments", false), ("language", false)],
    blocks: &[("backend", &["type"]), ("cloud", &[]), ("required_providers", &[]), ("provider_meta", &["provider"])],
};

impl Decoder<'_> {
    pub(super) fn settings(&mut self, block: Block) {
        let mut found = content(block.body, SCHEMA, &mut self.diagnostics);
        let required_version = found.take("required_version");
        let mut settings = Settings {
            required_version: self.version(required_version),
            experiments: found.take("experiments").map(|attribute| attribute.value),
            ..Settings::default()
        };
        for block in found.blocks {
            match block.kind.text.as_str() {
                "required_providers" => {
                    let header = block.header;
                    self.declared_once("required_providers", "", header, || {
                        (
                            "Duplicate required providers configuration".to_owned(),
                            "A module may have only one required providers configuration.".to_owned(),
                        )
                    });
                    for attribute in just_attributes(block.body, &mut self.diagnostics) {
                        settings.required_providers.extend(self.required_provider(attribute));
                    }
                }
                _ => settings.others.push(block),
            }
        }
        self.module.settings.push(settings);
    }

    fn required_provider(&mut self, attribute: Attribute) -> Option<RequiredProvider> {
        let Attribute { name, value } = attribute;
        let form = match &value {
            Written::Native(_) => statics::read(&value, self.sources),
            Written::Json(_) => statics::constant(&value, self.sources),
        };
        let mut requirement = RequiredProvider { name: name.clone(), source: None, version: None, aliases: Vec::new() };
        match (&value, form) {
            (_, Static { form: Form::Literal(version), place }) if version.ty().is_primitive() => {
                requirement.version = self.constraint(convert(&version, &Type::String).ok().as_ref(), place);
            }
            (Written::Native(_), Static { form: Form::Object(pairs), .. }) => {
                for (key, value) in pairs {
                    self.requirement_part(&mut requirement, key.keyword().map(Text::new), key.place, value);
                }
            }
            (Written::Json(json), form) => match &json.kind {
                crate::json::JsonKind::Object(members) => {
                    for member in members {
                        let is_list = matches!(member.value.kind, crate::json::JsonKind::Array(_));
                        let written = Written::Json(member.value.clone());
                        let value = if is_list {
                            statics::read(&written, self.sources)
                        } else {
                            statics::constant(&written, self.sources)
                        };
                        self.requirement_part(
                            &mut requirement,
                            Some(Text::new(&member.name)),
                            member.name_place,
                            value,
                        );
                    }
                }
                _ => self.wrong_requirement(&name, form.place),
            },
            (_, form) => self.wrong_requirement(&name, form.place),
        }
        Some(requirement)
    }

    /// The source address that a value is; its faults are reported.
    fn source(&mut self, value: Option<&Value>, place: SourcePlace) -> Option<Constant<Text>> {
        let Some(text) = value.and_then(|value| value.view().as_text()).cloned() else {
            self.error("Invalid source", "The source of a provider must be a text.", place);
            return None;
        };
        if let Some((summary, detail)) = provider_source::fault(&text) {
            self.error(summary, detail, place);
        }
        Some(Constant { place, value: text })
    }

    fn wrong_requirement(&mut self, name: &Name, place: crate::place::SourcePlace) {
        let detail = format!("The requirement of provider {:?} must be an object or a version.", name.text.as_str());
        self.error("Invalid required_providers object", detail, place);
    }

    fn requirement_part(
        &mut self,
        requirement: &mut RequiredProvider,
        key: Option<Text>,
        key_place: SourcePlace,
        value: Static,
    ) {
        let constant = type_constraint::literal(&value);
        match key.as_deref() {
            Some("source") => requirement.source = self.source(constant.as_ref(), value.place),
            Some("version") => requirement.version = self.constraint(constant.as_ref(), value.place),
            Some("configuration_aliases") => {
                let Form::List(elements) = value.form else {
                    self.error(
                        "Invalid configuration_aliases value",
                        "A list of provider configurations is required.",
                        value.place,
                    );
                    return;
                };
                for element in elements {
                    let as_json = Written::Native(element.place);
                    requirement.aliases.extend(self.provider_ref(element, &as_json));
                }
            }
            _ => {
                let detail = "required_providers objects can only contain \"version\", \"source\" and \"configuration_aliases\" attributes.";
                self.error("Invalid required_providers object", detail, key_place);
            }
        }
    }
}
