//! The walk over the document of a workspace: which of its texts and numbers are in a sensitive place.

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::json::Json;

/// A part of a document.
pub(super) enum Part<'j> {
    /// A text or a number in a sensitive place.
    Secret(&'j mut Json),
    /// A template in a sensitive place.
    SecretTemplate(&'j mut Box<str>),
    /// Any other template.
    Template(&'j mut Box<str>),
    /// An address, a reference, a type: only the parts in quotes are values.
    Code(&'j mut Box<str>),
    /// Any other text.
    Text(&'j mut Box<str>),
    /// A key: of an instance, or of a member that may be one of a map.
    Key(&'j mut Box<str>),
}

type Visit<'v> = &'v mut dyn FnMut(Part<'_>);

/// The sensitive parts of a workspace.
pub(super) struct Sensitive<'c> {
    /// Blocks of schemas by type; of all providers that have the type.
    types: BTreeMap<&'c str, Vec<&'c Json>>,
    /// Blocks of the configurations of providers.
    providers: Vec<&'c Json>,
    /// Names of variables that any module declares sensitive: every value passed to one is sensitive too.
    variables: BTreeSet<String>,
}

/// Members of a provider's schemas that have types.
const TYPES: [&str; 3] = ["resource_schemas", "data_source_schemas", "ephemeral_resource_schemas"];

impl<'c> Sensitive<'c> {
    pub(super) fn of(case: &'c planfuzz_workspace_cases::Case) -> Sensitive<'c> {
        let mut types: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
        let mut providers = Vec::new();
        for (_, provider) in case.providers.entries() {
            providers.extend(provider.member("provider").and_then(|schema| schema.member("block")));
            for (name, schema) in TYPES.iter().flat_map(|member| provider.entries_of(member)) {
                types.entry(name).or_default().extend(schema.member("block"));
            }
        }
        let edited = case.steps.iter().flat_map(|step| step.edits.values().flatten());
        let mut variables = BTreeSet::new();
        for file in case.files.values().chain(edited) {
            labelled(file.member("variable"), &mut |name, body| {
                if is_set(body, "sensitive") {
                    variables.insert(name.to_owned());
                }
            });
        }
        Sensitive { types, providers, variables }
    }

    fn blocks(&self, type_name: &str) -> &[&'c Json] {
        self.types.get(type_name).map_or(&[], Vec::as_slice)
    }
}

/// Whether a member is true, or the template of it.
fn is_set(body: &Json, name: &str) -> bool {
    matches!(body.member(name), Some(Json::Bool(true))) || body.member(name) == Some(&Json::string("true"))
}

/// Bodies of blocks with one label, in every form that they have.
fn labelled(blocks: Option<&Json>, visit: &mut dyn FnMut(&str, &Json)) {
    match blocks {
        Some(Json::Array(items)) => items.iter().for_each(|item| labelled(Some(item), visit)),
        Some(Json::Object(named)) => {
            for (name, body) in named {
                match body {
                    Json::Array(bodies) => bodies.iter().for_each(|body| visit(name, body)),
                    body => visit(name, body),
                }
            }
        }
        _ => {}
    }
}

/// A step of a path that a state marks.
type Step = Box<str>;

/// Marked paths, seen from a place on.
#[derive(Clone, Default)]
struct Marks<'m>(Vec<&'m [Step]>);

impl<'m> Marks<'m> {
    /// The marks within a member or element, and whether it is marked itself.
    fn step(&self, name: &str) -> (Marks<'m>, bool) {
        let below = self.0.iter().filter_map(|path| path.split_first());
        let rests: Vec<&[Step]> = below.filter(|(first, _)| &***first == name).map(|(_, rest)| rest).collect();
        let is_marked = rests.iter().any(|rest| rest.is_empty());
        (Marks(rests), is_marked)
    }
}

/// The walk through a document: in files, texts are templates.
struct Walk<'s, 'c, 'v> {
    sensitive: &'s Sensitive<'c>,
    are_templates: bool,
    visit: Visit<'v>,
}

/// Visits everything in the document of a case that may be sensitive, always in the same order.
pub(super) fn walk(document: &mut Json, sensitive: &Sensitive<'_>, visit: Visit<'_>) {
    let mut walk = Walk { sensitive, are_templates: false, visit };
    for (name, member) in members_mut(document) {
        match &**name {
            "format" | "op" | "dialect" | "providers" | "models" => {}
            "files" => walk.files(member),
            "state" => walk.state(member),
            "steps" => items_mut(member).iter_mut().for_each(|step| walk.step(step)),
            _ => walk.open(member),
        }
    }
}

fn members_mut(json: &mut Json) -> &mut [(Box<str>, Json)] {
    match json {
        Json::Object(members) => members,
        _ => &mut [],
    }
}

fn items_mut(json: &mut Json) -> &mut [Json] {
    match json {
        Json::Array(items) => items,
        _ => &mut [],
    }
}

/// Arguments of blocks of providers that hold references.
const META: [&str; 2] = ["provider", "depends_on"];

impl Walk<'_, '_, '_> {
    fn files(&mut self, files: &mut Json) {
        self.are_templates = true;
        members_mut(files).iter_mut().for_each(|(_, file)| self.file(file));
        self.are_templates = false;
    }

    fn file(&mut self, file: &mut Json) {
        let none_sensitive = |_: &str| false;
        for (kind, blocks) in members_mut(file) {
            match &**kind {
                "resource" | "data" | "ephemeral" => self.resources(blocks),
                "provider" => self.labelled(blocks, &mut |walk, _, body| {
                    let blocks = walk.sensitive.providers.clone();
                    walk.body(body, &blocks, &Marks::default());
                }),
                "variable" => self.labelled(blocks, &mut Self::variable),
                "output" => self.labelled(blocks, &mut |walk, _, body| {
                    let is_sensitive = is_set(body, "sensitive");
                    walk.each(body, &["depends_on"], &|name| is_sensitive && name == "value");
                }),
                "module" => self.labelled(blocks, &mut |walk, _, body| {
                    let sensitive = walk.sensitive;
                    let is_secret = |name: &str| sensitive.variables.contains(name);
                    walk.each(body, &["source", "version", "providers", "depends_on"], &is_secret);
                }),
                "check" => self.labelled(blocks, &mut |walk, _, body| {
                    for (name, member) in members_mut(body) {
                        if &**name == "data" { walk.resources(member) } else { walk.open(member) }
                    }
                }),
                "moved" => self.code(blocks),
                "removed" | "import" => {
                    let blocks = blocks.listed_mut().iter_mut();
                    blocks.for_each(|block| self.each(block, &["from", "to", "provider"], &none_sensitive));
                }
                "terraform" => {}
                _ => self.open(blocks),
            }
        }
    }

    fn resources(&mut self, blocks: &mut Json) {
        self.labelled(blocks, &mut |walk, type_name, named| {
            let blocks = walk.sensitive.blocks(type_name).to_vec();
            walk.labelled(named, &mut |walk, _, body| walk.body(body, &blocks, &Marks::default()));
        });
    }

    /// A variable. Its default is no template (E11).
    fn variable(&mut self, name: &str, body: &mut Json) {
        let is_sensitive = self.sensitive.variables.contains(name);
        for (name, member) in members_mut(body) {
            match &**name {
                "default" => {
                    self.are_templates = false;
                    if is_sensitive {
                        self.secret(member)
                    } else {
                        self.open(member)
                    }
                    self.are_templates = true;
                }
                "type" => self.code(member),
                _ => self.open(member),
            }
        }
    }

    /// Visits the bodies of blocks below a label, in every form that they have.
    fn labelled(&mut self, blocks: &mut Json, of: &mut dyn FnMut(&mut Self, &str, &mut Json)) {
        match blocks {
            Json::Array(items) => items.iter_mut().for_each(|item| self.labelled(item, of)),
            Json::Object(named) => named.iter_mut().for_each(|(name, below)| match below {
                Json::Array(bodies) => bodies.iter_mut().for_each(|body| of(self, name, body)),
                body => of(self, name, body),
            }),
            other => self.open(other),
        }
    }

    /// Visits the members of an object: those that hold references, secret ones, all others.
    fn each(&mut self, body: &mut Json, code: &[&str], is_secret: &dyn Fn(&str) -> bool) {
        for (name, member) in members_mut(body) {
            match &**name {
                name if code.contains(&name) => self.code(member),
                name if is_secret(name) => self.secret(member),
                _ => self.open(member),
            }
        }
    }

    fn state(&mut self, state: &mut Json) {
        for (name, member) in members_mut(state) {
            match &**name {
                "outputs" => {
                    for (_, output) in members_mut(member) {
                        let is_sensitive = is_set(output, "sensitive");
                        self.each(output, &["type"], &|name| is_sensitive && name == "value");
                    }
                }
                "resources" => items_mut(member).iter_mut().for_each(|resource| self.resource(resource)),
                _ => self.code(member),
            }
        }
    }

    fn resource(&mut self, resource: &mut Json) {
        let type_name = resource.member("type").and_then(|name| name.expect_string().ok()).unwrap_or_default();
        let blocks = self.sensitive.blocks(type_name).to_vec();
        for (name, member) in members_mut(resource) {
            match &**name {
                "instances" => items_mut(member).iter_mut().for_each(|instance| self.instance(instance, &blocks)),
                "module" => self.code(member),
                _ => {}
            }
        }
    }

    fn instance(&mut self, instance: &mut Json, blocks: &[&Json]) {
        let paths = marked(instance.member("sensitive_attributes"));
        let marks = Marks(paths.iter().map(Vec::as_slice).collect());
        for (name, member) in members_mut(instance) {
            match (&**name, member) {
                ("attributes", member) if paths.iter().any(Vec::is_empty) => self.secret(member),
                ("attributes", member) => self.body(member, blocks, &marks),
                ("index_key", Json::String(text)) => (self.visit)(Part::Key(text)),
                ("dependencies", member) => self.code(member),
                ("identity" | "private", member) => self.open(member),
                _ => {}
            }
        }
    }

    fn step(&mut self, step: &mut Json) {
        let all: Vec<&Json> = self.sensitive.types.values().flatten().copied().collect();
        let none_sensitive = |_: &str| false;
        for (name, member) in members_mut(step) {
            match &**name {
                "files" => self.files(member),
                "options" | "saved" => self.options(member),
                "taint" => self.code(member),
                "import" => self.each(member, &["to"], &none_sensitive),
                "outside" => {
                    for change in items_mut(member) {
                        for (name, member) in members_mut(change) {
                            if &**name == "set" {
                                self.body(member, &all, &Marks::default())
                            } else {
                                self.open(member)
                            }
                        }
                    }
                }
                _ => self.open(member),
            }
        }
    }

    fn options(&mut self, options: &mut Json) {
        for (name, member) in members_mut(options) {
            match &**name {
                "variables" => {
                    let sensitive = self.sensitive;
                    self.each(member, &[], &|name| sensitive.variables.contains(name));
                }
                "targets" | "excludes" | "replace" => self.code(member),
                _ => {}
            }
        }
    }

    /// A body, or a stored object; `blocks` are its schemas.
    fn body(&mut self, json: &mut Json, blocks: &[&Json], marks: &Marks<'_>) {
        match json {
            Json::Array(items) => items.iter_mut().enumerate().for_each(|(index, item)| {
                let (marks, is_marked) = marks.step(&index.to_string());
                if is_marked { self.secret(item) } else { self.body(item, blocks, &marks) }
            }),
            Json::Object(members) => {
                members.iter_mut().for_each(|(name, member)| self.argument(name, member, blocks, marks))
            }
            other => self.open(other),
        }
    }

    fn argument(&mut self, name: &str, member: &mut Json, blocks: &[&Json], marks: &Marks<'_>) {
        let (marks, is_marked) = marks.step(name);
        let of =
            |kind: &str| -> Vec<&Json> { blocks.iter().filter_map(|block| block.member(kind)?.member(name)).collect() };
        let (attributes, nested) = (of("attributes"), of("block_types"));
        let is_secret = |attribute: &&Json| is_set(attribute, "sensitive") || is_set(attribute, "write_only");
        // A dynamic value is stored with its type, which paths skip.
        let is_dynamic = attributes.iter().any(|attribute| attribute.member("type") == Some(&Json::string("dynamic")));
        let (member, marks) = match member {
            Json::Object(parts) if is_dynamic && !self.are_templates => {
                let Some((_, value)) = parts.iter_mut().find(|(name, _)| **name == *"value") else { return };
                (value, marks)
            }
            member => (member, marks),
        };
        if is_marked || attributes.iter().any(is_secret) {
            return self.secret(member);
        }
        if attributes.is_empty() && nested.is_empty() && self.are_templates && self.meta(name, member) {
            return;
        }
        let nested_types: Vec<&Json> =
            attributes.iter().filter_map(|attribute| attribute.member("nested_type")).collect();
        let (inner, kinds): (Vec<&Json>, Vec<&Json>) = match nested_types.is_empty() {
            true => (nested.iter().filter_map(|nested| nested.member("block")).collect(), nested),
            false => (nested_types.clone(), nested_types),
        };
        let is_map = kinds.iter().any(|kind| kind.member("nesting_mode") == Some(&Json::string("map")));
        if inner.is_empty() && name == "dynamic" && attributes.is_empty() {
            self.dynamic(member, blocks);
        } else if inner.is_empty() {
            self.values(member, &marks);
        } else if is_map {
            for (key, element) in members_mut(member) {
                let (marks, is_marked) = marks.step(key);
                if is_marked { self.secret(element) } else { self.body(element, &inner, &marks) }
            }
        } else {
            self.body(member, &inner, &marks);
        }
    }

    /// Visits an argument of the language rather than the provider; returns whether it is one.
    fn meta(&mut self, name: &str, member: &mut Json) -> bool {
        match name {
            name if META.contains(&name) => self.code(member),
            "lifecycle" => {
                let blocks = member.listed_mut().iter_mut();
                blocks.for_each(|block| self.each(block, &["ignore_changes", "replace_triggered_by"], &|_| false));
            }
            // All arguments of a connection to a machine.
            "connection" => self.secret(member),
            "provisioner" => {
                self.labelled(member, &mut |walk, _, body| walk.each(body, &["when"], &|name| name == "connection"))
            }
            _ => return false,
        }
        true
    }

    /// `dynamic` blocks.
    fn dynamic<'b>(&mut self, dynamic: &mut Json, blocks: &[&'b Json]) {
        self.labelled(dynamic, &mut |walk, label, body| {
            for (name, member) in members_mut(body) {
                if &**name == "content" {
                    let of = |block: &&'b Json| block.member("block_types")?.member(label)?.member("block");
                    let inner: Vec<&Json> = blocks.iter().filter_map(of).collect();
                    walk.body(member, &inner, &Marks::default());
                } else {
                    walk.open(member);
                }
            }
        });
    }

    /// A value without a schema of its parts; some of them may be marked.
    fn values(&mut self, json: &mut Json, marks: &Marks<'_>) {
        if marks.0.is_empty() {
            return self.open(json);
        }
        let each = |walk: &mut Self, name: &str, part: &mut Json| {
            let (marks, is_marked) = marks.step(name);
            if is_marked { walk.secret(part) } else { walk.values(part, &marks) }
        };
        match json {
            Json::Array(items) => {
                items.iter_mut().enumerate().for_each(|(index, item)| each(self, &index.to_string(), item));
            }
            Json::Object(members) => members.iter_mut().for_each(|(name, member)| each(self, name, member)),
            other => self.open(other),
        }
    }

    fn secret(&mut self, json: &mut Json) {
        match json {
            Json::String(text) if self.are_templates => (self.visit)(Part::SecretTemplate(text)),
            Json::String(_) | Json::Number(_) => (self.visit)(Part::Secret(json)),
            Json::Array(items) => items.iter_mut().for_each(|item| self.secret(item)),
            Json::Object(members) => members.iter_mut().for_each(|(name, member)| {
                (self.visit)(Part::Key(name));
                self.secret(member);
            }),
            Json::Null | Json::Bool(_) => {}
        }
    }

    fn open(&mut self, json: &mut Json) {
        match json {
            Json::String(text) if self.are_templates => (self.visit)(Part::Template(text)),
            Json::String(text) => (self.visit)(Part::Text(text)),
            Json::Array(items) => items.iter_mut().for_each(|item| self.open(item)),
            Json::Object(members) => members.iter_mut().for_each(|(name, member)| {
                (self.visit)(Part::Key(name));
                self.open(member);
            }),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn code(&mut self, json: &mut Json) {
        match json {
            Json::String(text) => (self.visit)(Part::Code(text)),
            Json::Array(items) => items.iter_mut().for_each(|item| self.code(item)),
            Json::Object(members) => members.iter_mut().for_each(|(_, member)| self.code(member)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}

/// The paths that a state marks: names of attributes, and keys and indexes.
fn marked(paths: Option<&Json>) -> Vec<Vec<Step>> {
    let step = |step: &Json| -> Option<Step> {
        let value = step.member("value")?;
        let value = value.member("value").unwrap_or(value);
        match value {
            Json::String(text) | Json::Number(text) => Some(text.clone()),
            _ => None,
        }
    };
    let paths = paths.and_then(|paths| paths.expect_array().ok()).unwrap_or_default();
    // A path is cut before a step of an unknown form: everything there is sensitive then.
    paths.iter().map(|path| path.items().iter().map_while(step).collect()).collect()
}
