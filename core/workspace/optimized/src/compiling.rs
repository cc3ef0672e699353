//! Compiles the configuration: names of expressions become slots, expressions become programs.

use std::borrow::Cow;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{InstanceKey, Resource, ResourceMode};
use planfuzz_core::value::Value;
use planfuzz_language::check::{Contents, NameScope, RuleOf, Seen, names_value};
use planfuzz_language::config::{StepKind, Traversal, Written, body_references, schema_references};
use planfuzz_language::{Sources, config};
use planfuzz_language_compiled::Names;
use planfuzz_workspace::Diagnostic;

use crate::body::BodyProgram;
use crate::expr::{Expr, Lexicon, Need, as_errors, root_of};
use crate::model::{
    Block, Given, Lexica, Local, Model, Output, Ready, Repeats, Repetition, Rule, Use, Variable, rule_references,
};
use crate::worker_pool::WorkerPool;

impl<'w> Model<'w> {
    /// An expression of the root module, with or without `each`.
    pub fn at_root(&self, of: &config::Expr, is_each: bool) -> Ready {
        self.ready(self.sources, 0, if is_each { Repeats::Each } else { Repeats::Once }, of)
    }

    pub(crate) fn compile(&mut self, workers: Option<&WorkerPool>) {
        for module in 0..self.modules.len() {
            self.lexica(module);
        }
        for module in 0..self.modules.len() {
            self.compile_module(module);
        }
        (0..self.blocks.len()).for_each(|block| self.resolve_block(block));
        self.compile_blocks(workers);
    }

    /// Compiles all blocks, in parts if there are workers: a block sees nothing that was compiled of another.
    fn compile_blocks(&mut self, workers: Option<&WorkerPool>) {
        let blocks = self.blocks.len();
        let Some(cut) = workers.and_then(|workers| workers.cut(blocks as u64)) else {
            return (0..blocks).for_each(|block| self.compile_resolved(block));
        };
        let mut found: Vec<CompiledBlock> = Vec::with_capacity(blocks);
        let part = |part: Range<u64>| part.map(|block| self.compiled_block(block as usize)).collect::<Vec<_>>();
        cut.share_out(&part, &mut |part| found.extend(part));
        for (block, compiled) in found.into_iter().enumerate() {
            self.keep_compiled(block, compiled);
        }
    }

    /// Gives everything in a module its slot.
    fn lexica(&mut self, module: usize) {
        let of = &self.modules[module];
        let mut names = Names::default();
        let variables: Vec<usize> = of.of.variables.iter().map(|one| names.slot("var", Some(&one.name.text))).collect();
        let locals: Vec<usize> = of.of.locals.iter().map(|one| names.slot("local", Some(&one.name.text))).collect();
        let calls = of.children.iter().map(|(name, &child)| (child, names.slot("module", Some(name)))).collect();
        let directory = if of.of.directory.is_empty() { "." } else { of.of.directory.as_str() };
        let mut fixed = Vec::new();
        for (root, name, value) in [
            ("path", "module", directory),
            ("path", "root", "."),
            ("path", "cwd", "."),
            ("terraform", "workspace", "default"),
        ] {
            fixed.push((names.slot(root, Some(name)), Value::string(value).into()));
        }
        let mut alls = HashMap::new();
        for &block in &of.blocks {
            let Resource { mode, type_name, name } = &self.blocks[block].address;
            let slot = names.slot(&root_of(*mode, type_name), Some(name));
            let all = match mode {
                ResourceMode::Managed => "resource",
                ResourceMode::Data => "data",
                ResourceMode::Ephemeral => "ephemeral",
            };
            alls.insert((*mode, type_name.clone()), names.slot(all, Some(type_name)));
            self.blocks[block].slot = slot;
        }
        let index = names.slot("count", Some("index"));
        let [key, value] = ["key", "value"].map(|name| names.slot("each", Some(name)));
        let own = names.slot("self", None);
        let applying = names.slot("terraform", Some("applying"));
        let elsewhere: [&[&str]; 3] = [&["count", "each"], &["each"], &["count"]];
        let variants = elsewhere.map(|roots| {
            let mut names = names.clone();
            roots.iter().for_each(|root| names.leave_elsewhere(root));
            names
        });
        let of = &mut self.modules[module];
        of.lexica = Lexica { names: variants, everything: names, index, key, value, own, applying, calls, alls, fixed };
        let declared: &'w config::Module = of.of;
        let empty = || Ready { expr: Expr::Broken(Vec::new()), needs: Vec::new() };
        of.locals = declared.locals.iter().zip(locals).map(|(of, slot)| Local { of, slot, value: empty() }).collect();
        of.variables = declared
            .variables
            .iter()
            .zip(variables)
            .map(|(of, slot)| Variable { of, slot, given: None, rules: Vec::new() })
            .collect();
    }

    pub(crate) fn lexicon<'a>(
        &'a self,
        sources: &'a Sources,
        module: usize,
        repeats: Repeats,
        declares: &'a dyn Fn(&Resource) -> bool,
    ) -> Lexicon<'a> {
        let names = self.modules[module].lexica.of(repeats);
        Lexicon { sources, dialect: self.dialect, names, declares, expansion: None }
    }

    fn ready(&self, sources: &Sources, module: usize, repeats: Repeats, of: &config::Expr) -> Ready {
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        self.compiled(module, self.lexicon(sources, module, repeats, &declares), name_scope(repeats), of)
    }

    /// An expression with faulty references evaluates to their diagnostics (E68a), in every instance.
    fn compiled(&self, module: usize, lexicon: Lexicon<'_>, names: NameScope<'_>, of: &config::Expr) -> Ready {
        let faults = self.modules[module].declarations.faults(&of.references, names);
        let expr = if faults.is_empty() { lexicon.compile(&of.written) } else { Expr::Broken(as_errors(faults)) };
        Ready { needs: self.uses(module, expr.needs()), expr }
    }

    /// An argument of a call. The validation walk does not know how a call repeats, so that `count` and `each` are always there (E68).
    fn given(&self, module: usize, repetition: &config::Repetition, of: &config::Expr) -> Given {
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        let of_module = &self.modules[module];
        let lexicon = Lexicon {
            names: &of_module.lexica.everything,
            ..self.lexicon(self.sources, module, Repeats::Once, &declares)
        };
        let everything = NameScope { has_count: true, has_each: true, ..NameScope::default() };
        let value = self.compiled(module, lexicon, everything, of);
        Given { value, faults: as_errors(of_module.declarations.faults(&of.references, NameScope::of(repetition))) }
    }

    /// The needs, by number.
    pub(crate) fn uses(&self, module: usize, needs: Vec<Need>) -> Vec<Use> {
        let (mut found, mut known) = (Vec::with_capacity(needs.len()), HashSet::new());
        for need in needs {
            let one = match need {
                Need::Resource(resource) => self.find(module, &resource).map(Use::Block),
                Need::All(mode, type_name) => Some(Use::All(mode, type_name)),
                Need::Call(name) => self.modules[module].children.get(&name).copied().map(Use::Call),
            };
            if let Some(one) = one.filter(|one| known.insert(one.clone())) {
                found.push(one);
            }
        }
        found
    }

    fn rules(&self, (sources, module): (&Sources, usize), of: &[config::Rule], ruled: Ruled<'_>) -> Vec<Rule> {
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        let lexicon = self.lexicon(sources, module, ruled.repeats, &declares);
        of.iter()
            .map(|rule| {
                let NameScope { has_count, has_each, .. } = name_scope(ruled.repeats);
                let inner = NameScope { has_count, has_each, ..ruled.inner };
                let faults = self.modules[module].declarations.rule_faults(rule, ruled.of, inner);
                let nothing = Names::default();
                let with_missing = with_missing(lexicon.names, rule, !faults.diagnostics.is_empty());
                let compiled = |of: &Option<config::Expr>, seen: Seen| {
                    let of = of.as_ref()?;
                    let lexicon = match seen {
                        Seen::Names => Lexicon { names: &with_missing, ..lexicon },
                        Seen::Nothing => Lexicon { names: &nothing, declares: &|_| false, ..lexicon },
                        Seen::Unread => return None,
                    };
                    Some(lexicon.compile(&of.written))
                };
                let (condition, message) =
                    (compiled(&rule.condition, faults.condition), compiled(&rule.error_message, faults.message));
                let needs = [&condition, &message].into_iter().flatten().flat_map(Expr::needs).collect();
                let of_self = rule_references(rule).filter(|reference| &*reference.root == "self").count();
                let json = match rule.error_message.as_ref().map(|message| &message.written) {
                    Some(Written::Json(json)) if ruled.of == RuleOf::Variable => json.as_str().map(str::to_owned),
                    _ => None,
                };
                let needs = self.uses(module, needs);
                Rule { condition, message, json, of_self, needs, faults: as_errors(faults.diagnostics) }
            })
            .collect()
    }

    fn repetition(&self, sources: &Sources, module: usize, of: &config::Repetition) -> Repetition {
        let compiled = |of: &Option<config::Expr>| of.as_ref().map(|of| self.ready(sources, module, Repeats::Once, of));
        Repetition { count: compiled(&of.count), each: compiled(&of.for_each) }
    }

    fn compile_module(&mut self, module: usize) {
        let of: &'w config::Module = self.modules[module].of;
        let sources = self.sources;
        for (index, local) in of.locals.iter().enumerate() {
            self.compile_local(module, index, local, sources);
        }
        let outputs = of.outputs.iter().map(|output| self.output_of(module, output, sources)).collect();
        let in_check = |check: &config::Check| {
            let inner = NameScope { check: Some(&check.name.text), ..NameScope::default() };
            self.rules((sources, module), &check.asserts, Ruled { inner, ..Ruled::once(RuleOf::Output) })
        };
        let checks = of.checks.iter().map(in_check).collect();
        for (index, variable) in of.variables.iter().enumerate() {
            let rules = self.rules((sources, module), &variable.validations, Ruled::once(RuleOf::Variable));
            let given = self.modules[module].call.and_then(|(parent, call)| {
                let (_, given) = call.inputs.iter().find(|(input, _)| input.text == variable.name.text)?;
                Some(self.given(parent, &call.repetition, given))
            });
            let compiled = &mut self.modules[module].variables[index];
            (compiled.rules, compiled.given) = (rules, given);
        }
        let repetition = match self.modules[module].call {
            Some((parent, call)) => self.repetition(sources, parent, &call.repetition),
            None => Repetition::default(),
        };
        let compiled = &mut self.modules[module];
        (compiled.outputs, compiled.checks, compiled.repetition) = (outputs, checks, repetition);
    }

    /// Compiles a local.
    pub(crate) fn compile_local(&mut self, module: usize, place: usize, of: &'w config::Local, sources: &'w Sources) {
        let value = self.ready(sources, module, Repeats::Once, &of.value);
        let local = &mut self.modules[module].locals[place];
        (local.of, local.value) = (of, value);
    }

    /// Compiles an output.
    pub(crate) fn output_of(&self, module: usize, of: &'w config::Output, sources: &'w Sources) -> Output<'w> {
        Output {
            of,
            value: of.value.as_ref().map(|value| self.ready(sources, module, Repeats::Once, value)),
            rules: self.rules((sources, module), &of.preconditions, Ruled::once(RuleOf::Output)),
        }
    }

    /// The body of a block compiled without `count` and `each`.
    pub(crate) fn bare_body(&self, block: usize) -> Option<BodyProgram> {
        let of = &self.blocks[block];
        let declares = |resource: &Resource| self.find(of.module, resource).is_some();
        let lexicon = self.lexicon(of.sources, of.module, Repeats::Once, &declares);
        of.schema.map(|schema| self.body_program(lexicon, &of.of.config, schema))
    }

    fn body_program(&self, lexicon: Lexicon<'_>, body: &config::Body, schema: usize) -> BodyProgram {
        let typed = &self.typed[schema];
        BodyProgram::compile(lexicon, body, &typed.schema.block, typed.layout(self.dialect))
    }

    /// The faulty references of the body of a block, with this kind of repetition and this number of contents of dynamic blocks.
    pub(crate) fn body_faults(&self, block: usize, repeats: Repeats, contents: &Contents) -> Vec<Diagnostic> {
        let of = &self.blocks[block];
        let Some(schema) = of.schema.map(|schema| &self.typed[schema].schema.block) else { return Vec::new() };
        let declarations = &self.modules[of.module].declarations;
        as_errors(declarations.body_faults((&of.of.config, of.sources), schema, name_scope(repeats), contents))
    }

    /// The references of a body, as far as its schema expects something there.
    pub(crate) fn body_references(
        &self,
        schema: Option<usize>,
        of: &config::Resource,
        sources: &Sources,
    ) -> Vec<Traversal> {
        schema_references(&of.config, schema.map(|schema| &self.typed[schema].schema.block), sources)
    }

    /// Compiles a block.
    pub(crate) fn compile_block(&mut self, block: usize) {
        self.resolve_block(block);
        self.compile_resolved(block);
    }

    fn compile_resolved(&mut self, block: usize) {
        let compiled = self.compiled_block(block);
        self.keep_compiled(block, compiled);
    }

    /// Finds the provider and the schema of a block.
    fn resolve_block(&mut self, block: usize) {
        let provider = self.provider_of(self.blocks[block].module, self.blocks[block].of);
        let provider = self.provider(&provider);
        let source = self.providers[provider].address.source.to_string();
        let Resource { mode, type_name, .. } = self.blocks[block].address.clone();
        let schema = self.typed(&source, mode, &type_name);
        (self.blocks[block].provider, self.blocks[block].schema) = (provider, schema);
    }

    fn compiled_block(&self, block: usize) -> CompiledBlock {
        let &Block { module, of, sources, schema, repeats, .. } = &self.blocks[block];
        let declares = |resource: &Resource| self.find(module, resource).is_some();
        let lexicon = self.lexicon(sources, module, repeats, &declares);
        let body = schema.map(|schema| self.body_program(lexicon, &of.config, schema));
        let has_faulty_contents = body.as_ref().zip(schema).is_some_and(|(body, schema)| {
            let (declarations, schema) = (&self.modules[module].declarations, &self.typed[schema].schema.block);
            let written = (&of.config, sources);
            body.has_dynamic() && declarations.has_faulty_contents(written, schema, name_scope(repeats))
        });
        let mut needs = Vec::new();
        body.iter().for_each(|body| body.needs(&mut needs));
        let of_resource = Ruled { repeats, ..Ruled::once(self.rules_of_blocks) };
        let with_self = Ruled { inner: NameScope { own: Some(of), ..NameScope::default() }, ..of_resource };
        let references = text_references(of, self.body_references(schema, of, sources), sources);
        CompiledBlock {
            body,
            has_faulty_contents,
            needs: self.uses(module, needs),
            repetition: self.repetition(sources, module, &of.repetition),
            preconditions: self.rules((sources, module), &of.lifecycle.preconditions, of_resource),
            postconditions: self.rules((sources, module), &of.lifecycle.postconditions, with_self),
            own: self.own_keys(block, &references),
            references,
        }
    }

    fn keep_compiled(&mut self, block: usize, compiled: CompiledBlock) {
        let CompiledBlock {
            body,
            has_faulty_contents,
            needs,
            repetition,
            preconditions,
            postconditions,
            own,
            references,
        } = compiled;
        let of = &mut self.blocks[block];
        (of.body, of.has_faulty_contents, of.needs, of.repetition) = (body, has_faulty_contents, needs, repetition);
        (of.preconditions, of.postconditions, of.own, of.references) = (preconditions, postconditions, own, references);
    }
}

/// What is compiled of a block, as its model has it.
struct CompiledBlock {
    body: Option<BodyProgram>,
    has_faulty_contents: bool,
    needs: Vec<Use>,
    repetition: Repetition,
    preconditions: Vec<Rule>,
    postconditions: Vec<Rule>,
    references: Vec<Traversal>,
    own: Vec<Option<InstanceKey>>,
}

/// Rules of one kind.
#[derive(Clone, Copy)]
struct Ruled<'a> {
    of: RuleOf,
    /// How the block of the rules repeats.
    repeats: Repeats,
    /// Other names that the rules see.
    inner: NameScope<'a>,
}

impl Ruled<'_> {
    fn once(of: RuleOf) -> Ruled<'static> {
        Ruled { of, repeats: Repeats::Once, inner: NameScope::default() }
    }
}

fn name_scope(repeats: Repeats) -> NameScope<'static> {
    NameScope { has_count: repeats == Repeats::Count, has_each: repeats == Repeats::Each, ..NameScope::default() }
}

/// The references of a block, except `depends_on` (G63).
fn text_references(of: &config::Resource, in_body: Vec<Traversal>, sources: &Sources) -> Vec<Traversal> {
    let mut found = in_body;
    let repetition = [&of.repetition.count, &of.repetition.for_each].into_iter().flatten();
    found.extend(repetition.flat_map(|expr| expr.references.iter().cloned()));
    let rules = of.lifecycle.preconditions.iter().chain(&of.lifecycle.postconditions);
    found.extend(rules.flat_map(rule_references).cloned());
    found.extend(of.lifecycle.replace_triggered_by.iter().flat_map(|expr| expr.references.iter().cloned()));
    for provisioner in of.provisioners.iter().filter(|provisioner| !provisioner.at_destroy) {
        found.extend(body_references(&provisioner.config, sources));
        found.extend(provisioner.connection.iter().flat_map(|body| body_references(body, sources)));
    }
    found.extend(of.connection.iter().flat_map(|body| body_references(body, sources)));
    found
}

/// E151a: the names, with slots for missing values that were reported: these slots stay empty, so that the values are unknown.
fn with_missing<'n>(names: &'n Names, rule: &config::Rule, has_faults: bool) -> Cow<'n, Names> {
    if !has_faults {
        return Cow::Borrowed(names);
    }
    let mut names = names.clone();
    add_missing(&mut names, rule_references(rule));
    Cow::Owned(names)
}

/// Adds a slot for each value that is named and does not exist.
pub(crate) fn add_missing<'t>(names: &mut Names, references: impl IntoIterator<Item = &'t Traversal>) {
    for reference in references.into_iter().filter(|reference| names_value(&reference.root)) {
        if let Some(StepKind::Attribute(name)) = reference.steps.first().map(|step| &step.kind) {
            names.slot(&reference.root, Some(name));
        }
    }
}
