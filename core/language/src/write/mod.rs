//! A module as a file of the JSON syntax.

mod expr;
mod statement;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::schema::Block as SchemaBlock;

use crate::check::Schemas;
use crate::config::{
    Attribute, Block, Body, Constant, Expr, IgnoreChanges, Lifecycle, Module, ModuleCall, NativeBody, Output,
    Provisioner, Repetition, Resource, Rule, Traversal, Variable,
};
use crate::json::{Json, JsonKind};
use crate::sources::Sources;

/// The module as one file; `sources` are the files that it was read from. If native syntax writes an attribute as blocks, JSON syntax needs
/// all attributes of the element type. Only `schemas` have them; without, such blocks are written as they are.
pub fn write_module(module: &Module, sources: &Sources, schemas: &Schemas) -> Json {
    Writer { sources, schemas, module }.module(module)
}

struct Writer<'s> {
    sources: &'s Sources,
    schemas: &'s Schemas,
    module: &'s Module,
}

type Members = Vec<(String, Json)>;

impl Writer<'_> {
    fn module(&self, module: &Module) -> Json {
        let mut members = Members::new();
        let mut add = |name: &str, blocks: Vec<Json>| {
            if !blocks.is_empty() {
                members.push((name.to_owned(), Json::array(blocks)));
            }
        };
        add("terraform", module.settings.iter().map(|settings| self.settings(settings)).collect());
        add("provider", module.providers.iter().map(|provider| self.provider(provider)).collect());
        add(
            "variable",
            module.variables.iter().map(|variable| labelled(&[&variable.name.text], self.variable(variable))).collect(),
        );
        let locals = module.locals.iter().map(|local| (local.name.text.as_str().to_owned(), self.expr(&local.value)));
        let locals = Json::object(locals);
        add("locals", if module.locals.is_empty() { Vec::new() } else { vec![locals] });
        add(
            "output",
            module.outputs.iter().map(|output| labelled(&[&output.name.text], self.output(output))).collect(),
        );
        add("module", module.calls.iter().map(|call| labelled(&[&call.name.text], self.call(call))).collect());
        for (mode, name) in
            [(ResourceMode::Managed, "resource"), (ResourceMode::Data, "data"), (ResourceMode::Ephemeral, "ephemeral")]
        {
            let of_mode = module.resources.iter().filter(|resource| resource.mode == mode);
            add(name, of_mode.map(|resource| self.labelled_resource(resource)).collect());
        }
        add("moved", module.moved.iter().map(|moved| self.moved(moved)).collect());
        add("removed", module.removed.iter().map(|removed| self.removed(removed)).collect());
        add("import", module.imports.iter().map(|import| self.import(import)).collect());
        add("check", module.checks.iter().map(|check| labelled(&[&check.name.text], self.check(check))).collect());
        Json::object(members)
    }

    fn expr(&self, expr: &Expr) -> Json {
        expr::expression(&expr.written, self.sources)
    }

    fn attribute(&self, members: &mut Members, name: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            members.push((name.to_owned(), self.expr(expr)));
        }
    }

    fn variable(&self, variable: &Variable) -> Members {
        let mut members = Members::new();
        text(&mut members, "description", variable.description.as_ref());
        if let Some(written) = &variable.written_type {
            members.push(("type".to_owned(), as_text(written, self.sources)));
        }
        if let (Some(written), Some(default)) = (&variable.written_default, &variable.default) {
            let literal = crate::config::literal(written, self.sources);
            let value = literal.as_ref().unwrap_or(&default.value);
            members.push(("default".to_owned(), constant(value)));
        }
        flag(&mut members, "sensitive", variable.sensitive.as_ref());
        flag(&mut members, "ephemeral", variable.ephemeral.as_ref());
        flag(&mut members, "nullable", variable.nullable.as_ref());
        self.rules(&mut members, "validation", &variable.validations);
        members
    }

    fn output(&self, output: &Output) -> Members {
        let mut members = Members::new();
        text(&mut members, "description", output.description.as_ref());
        self.attribute(&mut members, "value", output.value.as_ref());
        flag(&mut members, "sensitive", output.sensitive.as_ref());
        flag(&mut members, "ephemeral", output.ephemeral.as_ref());
        references(&mut members, "depends_on", &output.depends_on);
        self.rules(&mut members, "precondition", &output.preconditions);
        members
    }

    fn rules(&self, members: &mut Members, name: &str, rules: &[Rule]) {
        if rules.is_empty() {
            return;
        }
        let blocks = rules.iter().map(|rule| {
            let mut inner = Members::new();
            self.attribute(&mut inner, "condition", rule.condition.as_ref());
            self.attribute(&mut inner, "error_message", rule.error_message.as_ref());
            Json::object(inner)
        });
        members.push((name.to_owned(), Json::array(blocks)));
    }

    fn repetition(&self, members: &mut Members, repetition: &Repetition) {
        self.attribute(members, "count", repetition.count.as_ref());
        self.attribute(members, "for_each", repetition.for_each.as_ref());
    }

    fn call(&self, call: &ModuleCall) -> Members {
        let mut members = Members::new();
        text(&mut members, "source", call.source.as_ref());
        text(&mut members, "version", call.version.as_ref());
        self.repetition(&mut members, &call.repetition);
        if !call.providers.is_empty() {
            let pairs = call.providers.iter().map(|(child, here)| (child.text(), Json::string(here.text())));
            members.push(("providers".to_owned(), Json::object(pairs)));
        }
        references(&mut members, "depends_on", &call.depends_on);
        for (name, value) in &call.inputs {
            members.push((name.text.as_str().to_owned(), self.expr(value)));
        }
        members
    }

    fn labelled_resource(&self, resource: &Resource) -> Json {
        labelled(&[&resource.type_name.text, &resource.name.text], self.resource(resource))
    }

    fn resource(&self, resource: &Resource) -> Members {
        let mut members = Members::new();
        self.repetition(&mut members, &resource.repetition);
        if let Some(provider) = &resource.provider {
            members.push(("provider".to_owned(), Json::string(provider.text())));
        }
        references(&mut members, "depends_on", &resource.depends_on);
        let schema = self.schemas.of_resource(self.module, resource);
        members.extend(self.body(&resource.config, schema.map(|schema| &schema.block)));
        if resource.lifecycle.place.is_some() {
            members.push(("lifecycle".to_owned(), Json::object(self.lifecycle(&resource.lifecycle))));
        }
        if let Some(connection) = &resource.connection {
            members.push(("connection".to_owned(), Json::object(self.body(connection, None))));
        }
        if !resource.provisioners.is_empty() {
            let blocks = resource
                .provisioners
                .iter()
                .map(|provisioner| labelled(&[&provisioner.kind.text], self.provisioner(provisioner)));
            members.push(("provisioner".to_owned(), Json::array(blocks)));
        }
        members
    }

    fn lifecycle(&self, lifecycle: &Lifecycle) -> Members {
        let mut members = Members::new();
        flag(&mut members, "create_before_destroy", lifecycle.create_before_destroy.as_ref());
        flag(&mut members, "prevent_destroy", lifecycle.prevent_destroy.as_ref());
        match &lifecycle.ignore_changes {
            IgnoreChanges::None => {}
            IgnoreChanges::All => members.push(("ignore_changes".to_owned(), Json::string("all"))),
            IgnoreChanges::These(these) => {
                let texts = these.iter().map(|one| Json::string(expr::traversal(one)));
                members.push(("ignore_changes".to_owned(), Json::array(texts)));
            }
        }
        if !lifecycle.replace_triggered_by.is_empty() {
            let texts = lifecycle.replace_triggered_by.iter().map(|expr| as_text(&expr.written, self.sources));
            members.push(("replace_triggered_by".to_owned(), Json::array(texts)));
        }
        self.rules(&mut members, "precondition", &lifecycle.preconditions);
        self.rules(&mut members, "postcondition", &lifecycle.postconditions);
        members
    }

    fn provisioner(&self, provisioner: &Provisioner) -> Members {
        let mut members = self.body(&provisioner.config, None);
        if provisioner.at_destroy {
            members.push(("when".to_owned(), Json::string("destroy")));
        }
        if provisioner.goes_on {
            members.push(("on_failure".to_owned(), Json::string("continue")));
        }
        if let Some(connection) = &provisioner.connection {
            members.push(("connection".to_owned(), Json::object(self.body(connection, None))));
        }
        members
    }

    fn body(&self, body: &Body, schema: Option<&SchemaBlock>) -> Members {
        match body {
            Body::Json(body) => {
                body.members.iter().map(|member| (member.name.to_string(), member.value.clone())).collect()
            }
            Body::Native(body) => self.native_body(body, schema),
        }
    }

    /// Arguments first; then blocks. Adjacent blocks of one type share an array, so that their order is kept.
    fn native_body(&self, body: &NativeBody, schema: Option<&SchemaBlock>) -> Members {
        let attribute = |attribute: &Attribute| {
            (attribute.name.text.as_str().to_owned(), expr::expression(&attribute.value, self.sources))
        };
        let mut members: Members = body.attributes.iter().map(attribute).collect();
        for neighbours in body.blocks.chunk_by(|one, next| one.kind.text == next.kind.text) {
            let Some(first) = neighbours.first() else { continue };
            let name = first.kind.text.as_str();
            let nested = match name {
                "dynamic" | "content" => schema,
                name => schema.and_then(|schema| schema.block_types.get(name)).map(|nested| &nested.block),
            };
            let element = schema.and_then(|schema| attribute_element(schema, name));
            let blocks = neighbours.iter().map(|block| match (element, block.labels.first()) {
                (Some(element), _) => self.as_element(block, element),
                (None, Some(label)) if name == "dynamic" => {
                    let inner = schema.and_then(|schema| schema.block_types.get(&label.text));
                    self.block(block, inner.map(|nested| &nested.block))
                }
                _ => self.block(block, nested),
            });
            members.push((name.to_owned(), Json::array(blocks)));
        }
        members
    }

    /// A block that is an element of an attribute: in JSON it needs all attributes of the element type.
    fn as_element(&self, block: &Block, element: &planfuzz_core::value::ObjectType) -> Json {
        let mut members = self.body(&block.body, None);
        for attribute in element.attributes() {
            if !members.iter().any(|(name, _)| name == attribute.name.as_str()) {
                members.push((attribute.name.as_str().to_owned(), Json::new(JsonKind::Null)));
            }
        }
        Json::object(members)
    }

    fn block(&self, block: &Block, schema: Option<&SchemaBlock>) -> Json {
        let labels: Vec<&str> = block.labels.iter().map(|label| label.text.as_str()).collect();
        let mut members = self.body(&block.body, schema);
        if let ("dynamic", Body::Native(body)) = (block.kind.text.as_str(), &block.body) {
            // The iterator is a name, which is a string in JSON syntax (E11).
            for attribute in body.attributes.iter().filter(|attribute| &*attribute.name.text == "iterator") {
                let text = as_text(&attribute.value, self.sources);
                members.iter_mut().filter(|(name, _)| name == "iterator").for_each(|(_, value)| *value = text.clone());
            }
        }
        labelled(&labels, members)
    }
}

/// The element type of an attribute that is a list or set of objects, which native syntax may write as blocks.
fn attribute_element<'s>(schema: &'s SchemaBlock, name: &str) -> Option<&'s planfuzz_core::value::ObjectType> {
    match &schema.attributes.get(name)?.shape {
        planfuzz_core::schema::Shape::Leaf(ty) => ty.element()?.as_object().map(|object| &**object),
        planfuzz_core::schema::Shape::Nested(_) => None,
    }
}

/// Wraps an object in one object per label.
fn labelled(labels: &[&str], members: Members) -> Json {
    labels.iter().rev().fold(Json::object(members), |inner, label| Json::object([((*label).to_owned(), inner)]))
}

fn text(members: &mut Members, name: &str, constant: Option<&Constant<planfuzz_core::value::Text>>) {
    if let Some(constant) = constant {
        members.push((name.to_owned(), Json::string(constant.value.as_str())));
    }
}

fn flag(members: &mut Members, name: &str, constant: Option<&Constant<bool>>) {
    if let Some(constant) = constant {
        members.push((name.to_owned(), Json::new(JsonKind::Bool(constant.value))));
    }
}

fn references(members: &mut Members, name: &str, list: &[Traversal]) {
    if !list.is_empty() {
        members.push((name.to_owned(), Json::array(list.iter().map(|one| Json::string(expr::traversal(one))))));
    }
}

/// The text of an expression as a JSON string (E11).
fn as_text(written: &crate::config::Written, sources: &Sources) -> Json {
    match written {
        crate::config::Written::Json(json) => json.clone(),
        crate::config::Written::Native(place) => Json::string(crate::config::text_at(*place, sources)),
    }
}

/// A constant; its strings are literal texts.
fn constant(value: &planfuzz_core::value::Value) -> Json {
    statement::constant(value.view())
}
