//! What the text of a configuration reaches: names followed through locals, variables, outputs, calls and providers.
//!
//! The result is a relation over blocks (`workspace-plan.md` section 5.3), found from the text alone: nothing is evaluated, and no part of
//! the state is in it, so orphans are not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planfuzz_core::address::{
    ConfigResource, InstanceKey, Module, ProviderConfig, ProviderSource, Resource, ResourceMode,
};
use planfuzz_core::schema::Block as SchemaBlock;
use planfuzz_language::Sources;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::{
    self, Expr, ModuleCall, StepKind, Traversal, body_references, iterators, local_name, schema_references,
};

/// A block, and the blocks that it reaches.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub address: ConfigResource,
    pub text: String,
    pub repeats_by: Repeats,
    pub creates_first: bool,
    pub in_check: bool,
    pub has_rules: bool,
    /// Blocks that its own text names.
    pub direct: BTreeSet<usize>,
    /// Blocks that its arguments name, by themselves or by locals.
    pub arguments: BTreeSet<usize>,
    /// Everything that it reaches.
    pub reach: BTreeSet<usize>,
    /// Everything that it reaches in plans: there a block waits for what its imports refer to (G48).
    pub reach_in_plans: BTreeSet<usize>,
    /// The blocks that it reaches by references that do not name single instances.
    pub whole: BTreeSet<usize>,
}

/// The kind of keys of a block's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    No,
    Count,
    Each,
}

impl Repeats {
    /// Whether a key is of this kind.
    pub(crate) fn fits(self, key: &InstanceKey) -> bool {
        match self {
            Repeats::No => *key == InstanceKey::None,
            Repeats::Count => matches!(key, InstanceKey::Int(_)),
            Repeats::Each => matches!(key, InstanceKey::Text(_)),
        }
    }
}

/// A configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    pub blocks: Vec<Block>,
    /// Root outputs that are stored.
    pub outputs: BTreeSet<String>,
    /// Whether an apply visits anything but changes for its own sake: a root output, a check.
    pub has_outputs_or_checks: bool,
    /// The references of `removed` blocks that keep objects, each with its module.
    pub removed: Vec<(Vec<String>, Traversal)>,
    /// The targets of import blocks that have no block.
    pub imported_nowhere: Vec<Resource>,
    /// The sources of the providers that these import blocks name.
    pub import_providers: BTreeSet<String>,
    /// Resources that bodies with dynamic blocks name: in a content that generates no block, an undeclared one is no error (E31).
    pub in_contents: BTreeSet<ConfigResource>,
    /// The blocks that each provider configuration reaches, by its address.
    pub providers: BTreeMap<String, BTreeSet<usize>>,
    places: HashMap<String, usize>,
}

impl Configuration {
    /// Reads the files.
    pub(crate) fn of(sources: &Sources, schemas: &Schemas) -> Configuration {
        let loaded = config::load(sources, "");
        let mut names = Names {
            sources,
            schemas,
            places: HashMap::new(),
            edges: Vec::new(),
            members: BTreeMap::new(),
            locals: BTreeSet::new(),
            arguments: Vec::new(),
            providers: Vec::new(),
        };
        let mut found = Configuration::default();
        names.module(&loaded.configuration, &[], None, &mut found);
        names.ends();
        let root = &loaded.configuration.module;
        found.has_outputs_or_checks = !root.outputs.is_empty() || has_checks(&loaded.configuration);
        let is_stored = |output: &&config::Output| !output.ephemeral.as_ref().is_some_and(|flag| flag.value);
        found.outputs = root.outputs.iter().filter(is_stored).map(|output| output.name.text.to_string()).collect();
        found.places = found.blocks.iter().enumerate().map(|(index, block)| (block.text.clone(), index)).collect();
        let nowhere: Vec<&config::Import> =
            root.imports.iter().filter(|import| found.block(&import.target.resource).is_none()).collect();
        found.imported_nowhere = nowhere.iter().map(|import| import.target.resource.resource.clone()).collect();
        let providers = nowhere.iter().filter_map(|import| import.provider.as_ref());
        found.import_providers = providers.map(|provider| names.schemas.source(root, &provider.name)).collect();
        names.close(&loaded.configuration, &mut found);
        found
    }

    /// The block of an address in the configuration.
    pub(crate) fn block(&self, address: &ConfigResource) -> Option<&Block> {
        self.index(address).map(|index| &self.blocks[index])
    }

    /// Its place.
    pub(crate) fn index(&self, address: &ConfigResource) -> Option<usize> {
        self.places.get(&address.to_string()).copied()
    }
}

fn has_checks(of: &config::Configuration) -> bool {
    !of.module.checks.is_empty() || of.children.values().any(has_checks)
}

/// Named things and the things that each waits for; a mark says that single instances are named.
struct Names<'s> {
    sources: &'s Sources,
    schemas: &'s Schemas,
    places: HashMap<String, usize>,
    edges: Vec<BTreeMap<usize, bool>>,
    members: BTreeMap<Vec<String>, Vec<usize>>,
    /// The places of locals.
    locals: BTreeSet<usize>,
    /// The places that the arguments of each block name, in the order of the blocks.
    arguments: Vec<Vec<usize>>,
    /// The provider configurations: addresses and places.
    providers: Vec<(String, usize)>,
}

/// A module with the module that calls it.
#[derive(Clone, Copy)]
struct Within<'c> {
    configuration: &'c config::Configuration,
    call: Option<&'c ModuleCall>,
    outer: Option<&'c Within<'c>>,
    path: &'c [String],
}

impl Names<'_> {
    fn place(&mut self, path: &[String], kind: &str, name: &str) -> usize {
        let key = format!("{}|{kind}|{name}", path.join("."));
        let next = self.edges.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.edges.push(BTreeMap::new());
        }
        place
    }

    fn edge(&mut self, from: usize, to: usize, is_keyed: bool) {
        if from != to {
            self.edges[from].entry(to).and_modify(|keyed| *keyed &= is_keyed).or_insert(is_keyed);
        }
    }

    /// The place of a named thing inside of a module.
    fn inside(&mut self, path: &[String], kind: &str, name: &str) -> usize {
        let place = self.place(path, kind, name);
        if !path.is_empty() {
            let begin = self.place(path, "begin", "");
            self.edge(place, begin, false);
            self.members.entry(path.to_vec()).or_default().push(place);
        }
        place
    }

    /// The references of a body, as far as its schema expects something there.
    fn of_body(&self, body: &config::Body, schema: Option<&SchemaBlock>) -> Vec<Traversal> {
        schema_references(body, schema, self.sources)
    }

    fn refer<'t>(&mut self, from: usize, within: Within<'_>, found: impl IntoIterator<Item = &'t Traversal>) {
        for reference in found {
            for (to, is_keyed) in self.meant(within, reference) {
                self.edge(from, to, is_keyed);
            }
        }
    }

    fn meant(&mut self, within: Within<'_>, reference: &Traversal) -> Vec<(usize, bool)> {
        if reference.unreadable_index().is_some() {
            return Vec::new();
        }
        let name = |at: usize| match reference.steps.get(at).map(|step| &step.kind) {
            Some(StepKind::Attribute(name)) => Some(name.to_string()),
            _ => None,
        };
        let path = within.path;
        match (&*reference.root, name(0)) {
            ("var", Some(found)) => vec![(self.place(path, "var", &found), false)],
            ("local", Some(found)) => vec![(self.place(path, "local", &found), false)],
            ("module", Some(call)) => {
                let Some(child) = within.configuration.children.get(call.as_str()) else {
                    return Vec::new();
                };
                let inner = [path, std::slice::from_ref(&call)].concat();
                let has_key = matches!(reference.steps.get(1).map(|step| &step.kind), Some(StepKind::Index(_)));
                let outputs = child.module.outputs.iter().map(|output| output.name.text.to_string());
                let all: Vec<String> = outputs.collect();
                match name(1 + usize::from(has_key)).filter(|output| all.contains(output)) {
                    Some(output) => vec![(self.place(&inner, "output", &output), false)],
                    None => {
                        let ends = ["begin", "end"].map(|kind| (self.place(&inner, kind, ""), false));
                        let all = all.iter().map(|output| (self.place(&inner, "output", output), false));
                        all.chain(ends).collect()
                    }
                }
            }
            _ => match resource(reference) {
                Some((resource, at)) => {
                    let is_keyed = matches!(reference.steps.get(at).map(|step| &step.kind), Some(StepKind::Index(_)));
                    vec![(self.place(path, "block", &resource.to_string()), is_keyed)]
                }
                None => Vec::new(),
            },
        }
    }

    fn module(
        &mut self,
        configuration: &config::Configuration,
        path: &[String],
        from: Option<(&Within<'_>, &ModuleCall)>,
        found: &mut Configuration,
    ) {
        let within =
            Within { configuration, call: from.map(|(_, call)| call), outer: from.map(|(outer, _)| outer), path };
        let module = &configuration.module;
        if let Some((outer, call)) = from {
            let begin = self.place(path, "begin", "");
            if !outer.path.is_empty() {
                let around = self.place(outer.path, "begin", "");
                self.edge(begin, around, false);
            }
            self.refer(begin, *outer, &call.depends_on);
            self.refer(begin, *outer, repeated(&call.repetition));
        }
        for variable in &module.variables {
            let name = &variable.name.text;
            let place = self.inside(path, "var", name);
            self.refer(place, within, variable.validations.iter().flat_map(rule));
            let given = from.and_then(|(outer, call)| {
                Some((outer, call.inputs.iter().find(|(input, _)| input == &variable.name)?))
            });
            if let Some((outer, (_, value))) = given {
                self.refer(place, *outer, &value.references);
            }
        }
        for local in &module.locals {
            let place = self.inside(path, "local", &local.name.text);
            self.locals.insert(place);
            self.refer(place, within, &local.value.references);
        }
        for output in &module.outputs {
            let place = self.inside(path, "output", &output.name.text);
            self.refer(place, within, output.value.iter().flat_map(|value| &value.references));
            self.refer(place, within, &output.depends_on);
            self.refer(place, within, output.preconditions.iter().flat_map(rule));
        }
        for provider in &module.providers {
            let alias = provider.alias.as_ref().map_or("", |alias| alias.value.as_str());
            let source = self.schemas.source(module, &provider.name.text);
            let place = self.place(path, "provider", &format!("{source}.{alias}"));
            self.providers.extend(provider_address(path, &source, alias).map(|address| (address, place)));
            if !path.is_empty() {
                let begin = self.place(path, "begin", "");
                self.edge(place, begin, false);
            }
            let schema = self.schemas.provider(&source);
            let named = self.of_body(&provider.config, schema.map(|schema| &schema.config.block));
            self.refer(place, within, &named);
        }
        for resource in &module.resources {
            self.block(within, resource, false, found);
        }
        for data in module.checks.iter().filter_map(|check| check.data.as_ref()) {
            self.block(within, data, true, found);
        }
        let is_kept = |removed: &&config::Removed| removed.destroy.as_ref().is_some_and(|flag| !flag.value);
        found.removed.extend(module.removed.iter().filter(is_kept).map(|one| (path.to_vec(), one.from.clone())));
        for call in &module.calls {
            let Some(child) = configuration.children.get(&call.name.text) else { continue };
            let inner = [path, &[call.name.text.to_string()]].concat();
            self.module(child, &inner, Some((&within, call)), found);
        }
    }

    fn block(&mut self, within: Within<'_>, of: &config::Resource, in_check: bool, found: &mut Configuration) {
        let resource =
            Resource { mode: of.mode, type_name: of.type_name.text.to_string(), name: of.name.text.to_string() };
        let place = self.inside(within.path, "block", &resource.to_string());
        let lifecycle = &of.lifecycle;
        let rules = || lifecycle.preconditions.iter().chain(&lifecycle.postconditions);
        let schema = self.schemas.of_resource(&within.configuration.module, of);
        let mut named = self.of_body(&of.config, schema.map(|schema| &schema.block));
        if !iterators(&of.config, self.sources).is_empty() {
            let resources = body_references(&of.config, self.sources);
            let resources = resources.iter().filter_map(self::resource).map(|(found, _)| found);
            let module = || Module(within.path.to_vec());
            found.in_contents.extend(resources.map(|resource| ConfigResource { module: module(), resource }));
        }
        let in_arguments = named.iter().flat_map(|reference| self.meant(within, reference)).map(|(place, _)| place);
        let in_arguments = in_arguments.collect();
        self.arguments.push(in_arguments);
        named.extend(repeated(&of.repetition).cloned());
        named.extend(of.depends_on.iter().cloned());
        named.extend(rules().flat_map(rule).cloned());
        named.extend(lifecycle.replace_triggered_by.iter().flat_map(|expr| expr.references.clone()));
        let create_time = of.provisioners.iter().filter(|provisioner| !provisioner.at_destroy);
        let bodies = create_time.flat_map(|one| [Some(&one.config), one.connection.as_ref()]).flatten();
        named.extend(bodies.chain(&of.connection).flat_map(|body| body_references(body, self.sources)));
        self.refer(place, within, &named);
        let provider = self.provider(within, of);
        self.edge(place, provider, false);
        let address = ConfigResource { module: Module(within.path.to_vec()), resource };
        found.blocks.push(Block {
            text: address.to_string(),
            address,
            repeats_by: match (&of.repetition.count, &of.repetition.for_each) {
                (Some(_), _) => Repeats::Count,
                (None, Some(_)) => Repeats::Each,
                (None, None) => Repeats::No,
            },
            creates_first: lifecycle.create_before_destroy.as_ref().is_some_and(|flag| flag.value),
            in_check,
            has_rules: rules().next().is_some(),
            direct: BTreeSet::new(),
            arguments: BTreeSet::new(),
            reach: BTreeSet::new(),
            reach_in_plans: BTreeSet::new(),
            whole: BTreeSet::new(),
        });
    }

    /// The provider configuration of a block: the one that its module is given or has; for one without alias, else the nearest one further out.
    fn provider(&mut self, within: Within<'_>, of: &config::Resource) -> usize {
        let source = self.schemas.source(&within.configuration.module, local_name(of));
        let mut alias =
            of.provider.as_ref().and_then(|one| one.alias.as_ref()).map_or(String::new(), ToString::to_string);
        let mut at = within;
        while let (Some(outer), Some(call)) = (at.outer, at.call) {
            let module = &at.configuration.module;
            let is_it = |name: &str, of: &str| of == alias && self.schemas.source(module, name) == source;
            let given = call
                .providers
                .iter()
                .find(|(inner, _)| is_it(&inner.name, inner.alias.as_ref().map_or("", |alias| alias.as_str())));
            let has_block = module
                .providers
                .iter()
                .any(|block| is_it(&block.name.text, block.alias.as_ref().map_or("", |alias| alias.value.as_str())));
            match given {
                Some((_, there)) => alias = there.alias.as_ref().map_or(String::new(), ToString::to_string),
                None if has_block || !alias.is_empty() => break,
                None => {}
            }
            at = *outer;
        }
        self.place(at.path, "provider", &format!("{source}.{alias}"))
    }

    /// The end of a module waits for everything in it.
    fn ends(&mut self) {
        for (path, members) in std::mem::take(&mut self.members) {
            let end = self.place(&path, "end", "");
            let begin = self.place(&path, "begin", "");
            self.edge(end, begin, false);
            members.into_iter().for_each(|member| self.edge(end, member, false));
            if let Some((_, outer)) = path.split_last().filter(|(_, outer)| !outer.is_empty()) {
                let around = self.place(outer, "end", "");
                self.edge(around, end, false);
            }
        }
    }

    /// Finds the blocks that each block names and reaches.
    fn close(&mut self, root: &config::Configuration, found: &mut Configuration) {
        let places = self.blocks(found);
        let block_at: HashMap<usize, usize> = places.iter().enumerate().map(|(index, place)| (*place, index)).collect();
        let as_blocks =
            |found: BTreeSet<usize>| found.iter().filter_map(|place| block_at.get(place).copied()).collect();
        for (index, &place) in places.iter().enumerate() {
            let direct = self.edges[place].keys().copied().collect();
            let arguments = self.through_locals(&self.arguments[index]);
            let block = &mut found.blocks[index];
            block.direct = as_blocks(direct);
            block.arguments = as_blocks(arguments);
            block.reach = as_blocks(self.reach(place, true));
            block.whole = as_blocks(self.reach(place, false));
        }
        found.providers = self
            .providers
            .iter()
            .map(|(address, place)| (address.clone(), as_blocks(self.reach(*place, true))))
            .collect();
        let waits_for_more = self.imports(root, found);
        for (block, place) in found.blocks.iter_mut().zip(places) {
            let with_imports = || as_blocks(self.reach(place, true));
            block.reach_in_plans = if waits_for_more { with_imports() } else { block.reach.clone() };
        }
    }

    /// G48: in plans a block waits for everything that its imports refer to, and so does everything that waits for the block. Returns
    /// whether there is such a block.
    fn imports(&mut self, root: &config::Configuration, found: &Configuration) -> bool {
        let within = Within { configuration: root, call: None, outer: None, path: &[] };
        let mut waits_for_more = false;
        for import in &root.module.imports {
            let Some(block) = found.block(&import.target.resource) else { continue };
            let place = self.place(&block.address.module.0, "block", &block.address.resource.to_string());
            let named = [&import.id, &import.for_each].into_iter().flatten().flat_map(|expr| &expr.references);
            self.refer(place, within, named);
            waits_for_more = true;
        }
        waits_for_more
    }

    /// The places of the blocks, in their order.
    fn blocks(&mut self, found: &Configuration) -> Vec<usize> {
        let name = |block: &Block| (block.address.module.0.clone(), block.address.resource.to_string());
        let names: Vec<(Vec<String>, String)> = found.blocks.iter().map(name).collect();
        names.into_iter().map(|(path, name)| self.place(&path, "block", &name)).collect()
    }

    /// These places, with locals followed to the places that their values name.
    fn through_locals(&self, from: &[usize]) -> BTreeSet<usize> {
        let (mut found, mut rest) = (BTreeSet::new(), from.to_vec());
        while let Some(place) = rest.pop() {
            if found.insert(place) && self.locals.contains(&place) {
                rest.extend(self.edges[place].keys());
            }
        }
        found
    }

    fn reach(&self, from: usize, with_keyed: bool) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut rest = vec![from];
        while let Some(place) = rest.pop() {
            for (&to, &is_keyed) in &self.edges[place] {
                if (with_keyed || !is_keyed) && found.insert(to) {
                    rest.push(to);
                }
            }
        }
        found
    }
}

/// The address of a provider configuration, as states have it; `None` for a source that is none.
fn provider_address(path: &[String], source: &str, alias: &str) -> Option<String> {
    let alias = (!alias.is_empty()).then(|| alias.to_owned());
    let (module, source) = (Module(path.to_vec()), ProviderSource::parse(source)?);
    Some(ProviderConfig { module, source, alias, key: InstanceKey::None }.to_string())
}

fn repeated(repetition: &config::Repetition) -> impl Iterator<Item = &Traversal> {
    [&repetition.count, &repetition.for_each].into_iter().flatten().flat_map(|expr: &Expr| &expr.references)
}

fn rule(rule: &config::Rule) -> impl Iterator<Item = &Traversal> {
    [&rule.condition, &rule.error_message].into_iter().flatten().flat_map(|expr: &Expr| &expr.references)
}

/// The resource that a reference names, and the step after it.
pub(crate) fn resource(reference: &Traversal) -> Option<(Resource, usize)> {
    let name = |at: usize| match reference.steps.get(at).map(|step| &step.kind) {
        Some(StepKind::Attribute(name)) => Some(name.to_string()),
        _ => None,
    };
    let long = |mode| Some((Resource { mode, type_name: name(0)?, name: name(1)? }, 2));
    match &*reference.root {
        "var" | "local" | "module" | "each" | "count" | "self" | "path" | "terraform" => None,
        "data" => long(ResourceMode::Data),
        "ephemeral" => long(ResourceMode::Ephemeral),
        "resource" => long(ResourceMode::Managed),
        type_name => {
            Some((Resource { mode: ResourceMode::Managed, type_name: type_name.to_owned(), name: name(0)? }, 1))
        }
    }
}
