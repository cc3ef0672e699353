//! `resource`, `data` and `ephemeral` blocks (E18, E19, E26), their `lifecycle` and their provisioners.

use planfuzz_core::address::ResourceMode;
use planfuzz_core::value::Type;

use super::Decoder;
use super::address::{AddressStep, steps};
use super::rule::Owner;
use crate::config::body::{Attribute, Block};
use crate::config::content::{ContentSchema, content, partial_content};
use crate::config::statics::{self, Form};
use crate::config::tree::{IgnoreChanges, Lifecycle, Provisioner, Resource, StepKind, Traversal};
use crate::diagnostic::Diagnostic;
use crate::expression::Kind;
use crate::place::SourcePlace;

const META: &[(&str, bool)] = &[("count", false), ("for_each", false), ("provider", false), ("depends_on", false)];
const MANAGED: ContentSchema<'static> = ContentSchema {
    attributes: META,
    blocks: &[("_", &[]), ("locals", &[]), ("lifecycle", &[]), ("connection", &[]), ("provisioner", &["type"])],
};
const OTHERS: ContentSchema<'static> =
    ContentSchema { attributes: META, blocks: &[("_", &[]), ("locals", &[]), ("lifecycle", &[])] };
const LIFECYCLE: ContentSchema<'static> = ContentSchema {
    attributes: &[
        ("create_before_destroy", false),
        ("prevent_destroy", false),
        ("ignore_changes", false),
        ("replace_triggered_by", false),
    ],
    blocks: &[("precondition", &[]), ("postcondition", &[])],
};
const PROVISIONER: ContentSchema<'static> = ContentSchema {
    attributes: &[("when", false), ("on_failure", false)],
    blocks: &[("_", &[]), ("connection", &[]), ("lifecycle", &[])],
};

impl Decoder<'_> {
    pub(super) fn top_resource(&mut self, block: Block, mode: ResourceMode) {
        let header = block.header;
        let Some(resource) = self.resource(block, mode) else { return };
        self.declare(&resource, mode, header);
        self.module.resources.push(resource);
    }

    /// E18, E19, E25: within a module a name is unique per type; data resources of checks count too.
    pub(super) fn declare(&mut self, resource: &Resource, mode: ResourceMode, header: SourcePlace) {
        let word = match mode {
            ResourceMode::Managed => "resource",
            ResourceMode::Data => "data",
            ResourceMode::Ephemeral => "ephemeral",
        };
        let key = format!("{}.{}", resource.type_name.text.as_str(), resource.name.text.as_str());
        let type_name = resource.type_name.text.clone();
        self.declared_once(word, &key, header, || {
            let detail = format!(
                "A {} {word} named {:?} was already declared. Names must be unique per type in each module.",
                type_name.as_str(),
                resource.name.text.as_str()
            );
            (format!("Duplicate {word} {:?} configuration", type_name.as_str()), detail)
        });
    }

    pub(super) fn resource(&mut self, block: Block, mode: ResourceMode) -> Option<Resource> {
        let Block { labels, body, header, kind: word, .. } = block;
        let mut labels = labels.into_iter();
        let (type_name, name) = (labels.next()?, labels.next()?);
        let schema = if mode == ResourceMode::Managed { MANAGED } else { OTHERS };
        let (mut found, config) = partial_content(body, schema, &mut self.diagnostics);
        let summaries = match mode {
            ResourceMode::Managed => ("Invalid resource type name", "Invalid resource name"),
            ResourceMode::Data => ("Invalid data source name", "Invalid data resource name"),
            ResourceMode::Ephemeral => ("Invalid ephemeral resource type", "Invalid ephemeral resource name"),
        };
        self.checked_name(&type_name, summaries.0);
        self.checked_name(&name, summaries.1);
        let repetition = self.repetition(&mut found);
        let provider = found.take("provider").and_then(|attribute| {
            let form = statics::read(&attribute.value, self.sources);
            self.provider_ref(form, &attribute.value)
        });
        let depends_on = found.take("depends_on");
        let depends_on = self.depends_on(depends_on);
        let mut resource = Resource {
            mode,
            type_name,
            name,
            repetition,
            provider,
            depends_on,
            lifecycle: Lifecycle::default(),
            connection: None,
            provisioners: Vec::new(),
            config,
            header,
        };
        let (mut has_lifecycle, mut has_connection) = (false, false);
        for block in found.blocks {
            match block.kind.text.as_str() {
                "lifecycle" if std::mem::replace(&mut has_lifecycle, true) => self.twice("lifecycle", &block),
                "lifecycle" => resource.lifecycle = self.lifecycle(block, &resource),
                "connection" if std::mem::replace(&mut has_connection, true) => self.twice("connection", &block),
                "connection" => resource.connection = Some(block.body),
                "provisioner" => resource.provisioners.extend(self.provisioner(block)),
                "_" => {}
                other => {
                    let word = word.text.as_str();
                    let detail =
                        format!("The block type name {other:?} is reserved for use by Terraform in a future version.");
                    self.diagnostics.push(Diagnostic::error(
                        format!("Reserved block type name in {word} block"),
                        detail,
                        block.kind.place,
                    ));
                }
            }
        }
        Some(resource)
    }

    fn twice(&mut self, what: &str, block: &Block) {
        let place = if matches!(block.body, crate::config::Body::Json(_)) { block.header } else { block.kind.place };
        self.error(format!("Duplicate {what} block"), format!("This resource already has a {what} block."), place);
    }

    fn lifecycle(&mut self, block: Block, resource: &Resource) -> Lifecycle {
        let place = Some(block.header);
        let mut found = content(block.body, LIFECYCLE, &mut self.diagnostics);
        let is_managed = resource.mode == ResourceMode::Managed;
        if !is_managed && !fault!(DataLifecycleTaken) {
            for attribute in &found.attributes {
                let word = if resource.mode == ResourceMode::Data { "data" } else { "ephemeral" };
                let detail = format!(
                    "The lifecycle argument {:?} is defined only for managed resources (\"resource\" blocks), and is not valid here.",
                    attribute.name.text.as_str()
                );
                self.diagnostics.push(Diagnostic::error(
                    format!("Invalid {word} resource lifecycle argument"),
                    detail,
                    attribute.name.place,
                ));
            }
            found.attributes.clear();
        }
        let create_before_destroy = found.take("create_before_destroy");
        let prevent_destroy = found.take("prevent_destroy");
        let mut lifecycle = Lifecycle {
            create_before_destroy: self.bool(create_before_destroy),
            prevent_destroy: self.bool(prevent_destroy),
            place,
            ..Lifecycle::default()
        };
        if let Some(attribute) = found.take("ignore_changes") {
            lifecycle.ignore_changes = self.ignore_changes(&attribute);
        }
        if let Some(attribute) = found.take("replace_triggered_by") {
            lifecycle.replace_triggered_by = self.replace_triggered_by(attribute);
        }
        let (ty, name) = (resource.type_name.text.as_str(), resource.name.text.as_str());
        let managed = [ty, name];
        let other = [resource_word(resource.mode), ty, name];
        let own: &[&str] = if is_managed { &managed } else { &other };
        for block in found.blocks {
            let kind = block.kind.text.clone();
            let rule = self.rule(block, &kind, Some(Owner::Resource(own)));
            if &*kind == "precondition" {
                lifecycle.preconditions.extend(rule);
            } else {
                lifecycle.postconditions.extend(rule);
            }
        }
        lifecycle
    }

    fn ignore_changes(&mut self, attribute: &Attribute) -> IgnoreChanges {
        let found = statics::read(&attribute.value, self.sources);
        if found.keyword() == Some("all") {
            return IgnoreChanges::All;
        }
        let elements = self.static_list(&attribute.value);
        let mut these = Vec::with_capacity(elements.len());
        for element in elements {
            if self.is_wildcard(&element) {
                let detail = "The [\"*\"] form of ignore_changes wildcard was deprecated and is now invalid. Use \"ignore_changes = all\" to ignore changes to all attributes.";
                self.error("Invalid ignore_changes wildcard", detail, attribute.value.place());
                continue;
            }
            these.extend(self.traversal(element, &attribute.value));
        }
        IgnoreChanges::These(these)
    }

    fn is_wildcard(&self, element: &statics::Static) -> bool {
        match &element.form {
            Form::Literal(value) => {
                value.ty() == &Type::String && value.view().as_text().is_some_and(|text| &**text == "*")
            }
            Form::Other => crate::config::expr::text_at(element.place, self.sources).trim_matches('"') == "*",
            _ => false,
        }
    }

    fn replace_triggered_by(&mut self, attribute: Attribute) -> Vec<crate::config::Expr> {
        use crate::config::Written;
        let elements: Vec<Written> = match &attribute.value {
            Written::Json(json) => match &json.kind {
                crate::json::JsonKind::Array(elements) => {
                    elements.iter().map(|element| Written::Json(element.clone())).collect()
                }
                _ => {
                    self.error("Invalid expression", "A static list expression is required.", json.place);
                    Vec::new()
                }
            },
            native => self.static_list(native).into_iter().map(|element| Written::Native(element.place)).collect(),
        };
        let before = self.diagnostics.len();
        elements.into_iter().filter_map(|written| self.trigger(written, before)).collect()
    }

    /// An element of `replace_triggered_by`: a reference to one resource. After an error in an earlier element it is only parsed.
    fn trigger(&mut self, written: crate::config::Written, before: usize) -> Option<crate::config::Expr> {
        const WRONG: &str = "Invalid replace_triggered_by expression";
        let place = written.place();
        let address = self.address_expression(&written).ok()?;
        if self.diagnostics[before..].iter().any(Diagnostic::is_error) {
            return None;
        }
        let expr = crate::config::Expr::read_reference(written, self.sources);
        if address.is_any(&is_wrong_key) {
            self.error("Invalid index key", "A key is a whole number or a text.", place);
            return None;
        }
        if let Some(reference) = expr.references.iter().find(|reference| !is_whole(reference)) {
            let detail = "A reference to a resource type has to name a resource.";
            self.error("Invalid reference", detail, reference.place);
            return None;
        }
        let mut resources = 0;
        for reference in &expr.references {
            match reference.root.as_str() {
                word @ ("count" | "each") => {
                    let only = if word == "count" { ["count", "index"] } else { ["each", "key"] };
                    if !reference.begins_with(&only) {
                        let summary = format!("Invalid {word} reference in replace_triggered_by expression");
                        let detail = "Only resources, count.index, and each.key may be used in replace_triggered_by.";
                        self.error(summary, detail, reference.place);
                    }
                }
                "local" | "var" | "module" | "path" | "terraform" | "self" => {
                    let detail = "Only resources, count.index, and each.key may be used in replace_triggered_by.";
                    self.error("Invalid reference in replace_triggered_by expression", detail, reference.place);
                }
                _ => resources += 1,
            }
        }
        match resources {
            0 => self.error(WRONG, "Missing resource reference in replace_triggered_by expression.", place),
            1 => return Some(expr),
            _ => self.error(WRONG, "Multiple resource references in replace_triggered_by expression.", place),
        }
        None
    }

    pub(super) fn provisioner(&mut self, block: Block) -> Option<Provisioner> {
        let kind = block.labels.into_iter().next()?;
        let (mut found, config) = partial_content(block.body, PROVISIONER, &mut self.diagnostics);
        let when = found.take("when");
        let at_destroy = match when.map(|attribute| (self.keyword(&attribute), attribute)) {
            Some((Some(word), _)) if word == "destroy" => true,
            Some((Some(word), _)) if word == "create" => false,
            Some((_, attribute)) => {
                let detail = "The \"when\" argument requires one of the following keywords: create or destroy.";
                self.error("Invalid \"when\" keyword", detail, attribute.value.place());
                false
            }
            None => false,
        };
        let on_failure = found.take("on_failure");
        let goes_on = match on_failure.map(|attribute| (self.keyword(&attribute), attribute)) {
            Some((Some(word), _)) if word == "continue" => true,
            Some((Some(word), _)) if word == "fail" => false,
            Some((_, attribute)) => {
                let detail = "The \"on_failure\" argument requires one of the following keywords: continue or fail.";
                self.error("Invalid \"on_failure\" keyword", detail, attribute.value.place());
                false
            }
            None => false,
        };
        let mut connection = None;
        for block in found.blocks {
            match block.kind.text.as_str() {
                "connection" if connection.is_some() => self.twice("connection", &block),
                "connection" => connection = Some(block.body),
                "_" => {}
                other => {
                    let detail =
                        format!("The block type name {other:?} is reserved for use by Terraform in a future version.");
                    self.error("Reserved block type name in provisioner block", detail, block.kind.place);
                }
            }
        }
        if at_destroy {
            self.destroy_references(&config);
            if let Some(connection) = &connection {
                self.destroy_references(connection);
            }
        }
        Some(Provisioner { kind, at_destroy, goes_on, connection, config, header: block.header })
    }

    fn keyword(&mut self, attribute: &Attribute) -> Option<String> {
        let found = statics::read(&attribute.value, self.sources);
        match &found.form {
            Form::Literal(value) => {
                let text = value.view().as_text()?.as_str().to_owned();
                let detail = "In this context, keywords are expected literally rather than in quotes.";
                self.diagnostics.push(Diagnostic::warning("Quoted keywords are deprecated", detail, found.place));
                Some(text)
            }
            _ => found.keyword().map(str::to_owned),
        }
    }

    /// A destroy-time provisioner may refer only to its own instance (E18).
    fn destroy_references(&mut self, body: &crate::config::Body) {
        for reference in crate::config::body_references(body, self.sources) {
            let allowed = reference.begins_with(&["self"])
                || reference.begins_with(&["path"])
                || reference.begins_with(&["terraform"])
                || reference.begins_with(&["count", "index"])
                || reference.begins_with(&["each", "key"]);
            if !allowed {
                let detail = "Destroy-time provisioners and their connection configurations may only reference attributes of the related resource, via 'self', 'count.index', or 'each.key'.";
                self.error("Invalid reference from destroy provisioner", detail, reference.place);
            }
        }
    }
}

fn resource_word(mode: ResourceMode) -> &'static str {
    match mode {
        ResourceMode::Managed => "resource",
        ResourceMode::Data => "data",
        ResourceMode::Ephemeral => "ephemeral",
    }
}

/// Whether a reference has as many names as its root requires.
fn is_whole(reference: &Traversal) -> bool {
    let names = reference.steps.iter().take_while(|step| matches!(step.kind, StepKind::Attribute(_))).count();
    match reference.root.as_str() {
        "self" => true,
        "data" | "ephemeral" | "resource" => names > 1,
        _ => names > 0,
    }
}

/// Whether a literal in brackets after a resource is no valid instance key.
fn is_wrong_key(kind: &Kind) -> bool {
    let Kind::Index(inner, key) = kind else { return false };
    let Kind::Literal(key) = &key.kind else { return false };
    let is_resource = steps(inner).is_some_and(|steps| match steps.as_slice() {
        [AddressStep::Name(root), AddressStep::Name(_)] => !matches!(*root, "data" | "ephemeral" | "resource"),
        [AddressStep::Name("data" | "ephemeral" | "resource"), AddressStep::Name(_), AddressStep::Name(_)] => true,
        _ => false,
    });
    let is_whole = key.view().as_number().is_none_or(|number| number.to_i64().is_some());
    is_resource && (key.is_null() || key.view().as_bool().is_some() || !is_whole)
}
