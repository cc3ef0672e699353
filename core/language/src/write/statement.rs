//! Settings, providers, statements and checks; constants.

use planfuzz_core::value::{Type, ValueRef};

use super::{Json, Members, Writer, as_text, expr, flag, labelled, text};
use crate::config::{Check, Import, Moved, Provider, Removed, Settings};

impl Writer<'_> {
    pub(super) fn settings(&self, settings: &Settings) -> Json {
        let mut members = Members::new();
        text(&mut members, "required_version", settings.required_version.as_ref());
        if let Some(written) = &settings.experiments {
            let names = match crate::config::read_static(written, self.sources).form {
                crate::config::Form::List(elements) => {
                    elements.iter().filter_map(|element| element.keyword().map(Json::string)).collect()
                }
                _ => Vec::new(),
            };
            members.push(("experiments".to_owned(), Json::array(names)));
        }
        if !settings.required_providers.is_empty() {
            let requirements = settings.required_providers.iter().map(|requirement| {
                let mut inner = Members::new();
                text(&mut inner, "source", requirement.source.as_ref());
                text(&mut inner, "version", requirement.version.as_ref());
                if !requirement.aliases.is_empty() {
                    let aliases = requirement.aliases.iter().map(|alias| Json::string(alias.text()));
                    inner.push(("configuration_aliases".to_owned(), Json::array(aliases)));
                }
                (requirement.name.text.as_str().to_owned(), Json::object(inner))
            });
            members.push(("required_providers".to_owned(), Json::object(requirements)));
        }
        for block in &settings.others {
            members.push((block.kind.text.as_str().to_owned(), self.block(block, None)));
        }
        Json::object(members)
    }

    pub(super) fn provider(&self, provider: &Provider) -> Json {
        let mut members = Members::new();
        text(&mut members, "alias", provider.alias.as_ref());
        text(&mut members, "version", provider.version.as_ref());
        members.extend(self.body(&provider.config, None));
        labelled(&[&provider.name.text], members)
    }

    pub(super) fn moved(&self, moved: &Moved) -> Json {
        let member = |name: &str, address| (name.to_owned(), Json::string(expr::traversal(address)));
        Json::object([member("from", &moved.from), member("to", &moved.to)])
    }

    pub(super) fn removed(&self, removed: &Removed) -> Json {
        let mut members = vec![("from".to_owned(), Json::string(expr::traversal(&removed.from)))];
        let mut lifecycle = Members::new();
        flag(&mut lifecycle, "destroy", removed.destroy.as_ref());
        if !lifecycle.is_empty() {
            members.push(("lifecycle".to_owned(), Json::object(lifecycle)));
        }
        if let Some(connection) = &removed.connection {
            members.push(("connection".to_owned(), Json::object(self.body(connection, None))));
        }
        if !removed.provisioners.is_empty() {
            let blocks = removed
                .provisioners
                .iter()
                .map(|provisioner| labelled(&[&provisioner.kind.text], self.provisioner(provisioner)));
            members.push(("provisioner".to_owned(), Json::array(blocks)));
        }
        Json::object(members)
    }

    pub(super) fn import(&self, import: &Import) -> Json {
        let mut members = Members::new();
        self.attribute(&mut members, "for_each", import.for_each.as_ref());
        members.push(("to".to_owned(), as_text(&import.to.written, self.sources)));
        self.attribute(&mut members, "id", import.id.as_ref());
        if let Some(provider) = &import.provider {
            members.push(("provider".to_owned(), Json::string(provider.text())));
        }
        Json::object(members)
    }

    pub(super) fn check(&self, check: &Check) -> Members {
        let mut members = Members::new();
        if let Some(data) = &check.data {
            members.push(("data".to_owned(), self.labelled_resource(data)));
        }
        self.rules(&mut members, "assert", &check.asserts);
        members
    }
}

/// A known value as JSON; constants are never unknown.
pub(super) fn constant(value: ValueRef<'_>) -> Json {
    if let Some(plain) = expr::literal(&value.to_value(), false) {
        return plain;
    }
    match value.ty() {
        Type::Object(object) => {
            let names = object.attributes().iter();
            let members = names.filter_map(|attribute| {
                Some((attribute.name.as_str().to_owned(), constant(value.member(&attribute.name)?)))
            });
            Json::object(members)
        }
        Type::Map(_) => Json::object(value.entries().map(|(name, value)| (name.as_str().to_owned(), constant(value)))),
        _ => Json::array((0..value.len()).filter_map(|index| value.element(index)).map(constant)),
    }
}
