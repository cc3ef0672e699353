//! Import targets and forced replacements (G48, G49, G105, G106).

use std::iter::Peekable;

use hashbrown::HashMap;
use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Notation, ProviderConfig, Resource,
    ResourceMode,
};
use planfuzz_core::planner::{Configured, PlanOptions, PlanRequest, Presence};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::config::{self, Import, KeyExpressions, TargetKey};
use planfuzz_language::expression::Marked;
use planfuzz_workspace::Diagnostic;

use crate::configured::key;
use crate::expr::{Evaluated, Wanted};
use crate::facts::{KeyForm, Step};
use crate::instances::kind;
use crate::model::{Block, Model};
use crate::scope::{Repeat, Repeated};
use crate::walk::{Purpose, Walk};

/// The error for a key that no instance of the block can have.
const NO_SUCH_KEY: &str = "Invalid import 'to' expression";

/// The error for an invalid id.
const INVALID_ID: &str = "Invalid import id argument";

/// The type of an id, and the error for another one.
const TEXT: Wanted<'static> = Wanted { ty: &Type::String, otherwise: "Incorrect value type" };

/// The error for a target without configuration.
pub const NO_CONFIGURATION: &str = "Configuration for import target does not exist";

impl<'w> Model<'w> {
    /// The imports of all blocks.
    pub fn find_imports(&mut self) {
        let mut found: HashMap<usize, Vec<&'w Import>> = HashMap::new();
        let root: &'w planfuzz_language::config::Module = self.modules[0].of;
        for import in &root.imports {
            if let Some(block) = self.import_block(import) {
                found.entry(block).or_default().push(import);
            }
        }
        self.imports = found;
    }

    /// The imports of a block.
    pub fn imports_of(&self, block: usize) -> &[&'w Import] {
        self.imports.get(&block).map_or(&[], |found| found)
    }

    /// The module that the target of an import lies in.
    pub fn import_module(&self, import: &Import) -> Option<usize> {
        self.module(&import.target.resource.module.0)
    }

    /// The block of an import.
    pub fn import_block(&self, import: &Import) -> Option<usize> {
        self.find(self.import_module(import)?, &import.target.resource.resource)
    }
}

/// The kind of key that a block wants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    NoKey,
    Number,
    Text,
}

impl Wants {
    fn of(repetition: &config::Repetition) -> Wants {
        match (&repetition.count, &repetition.for_each) {
            (Some(_), _) => Wants::Number,
            (None, Some(_)) => Wants::Text,
            (None, None) => Wants::NoKey,
        }
    }

    fn of_key(key: &InstanceKey) -> Wants {
        match key {
            InstanceKey::None => Wants::NoKey,
            InstanceKey::Int(_) => Wants::Number,
            InstanceKey::Text(_) => Wants::Text,
        }
    }
}

/// G49: whether a target as it is written needs a block: it has a key, or is one of many.
fn needs_block(import: &Import) -> bool {
    let key = import.target.key;
    key != TargetKey::Expression && (key != TargetKey::None || import.for_each.is_some())
}

/// The next key: no key if another step follows, `None` if it is not a valid key.
fn next_key(steps: &mut Peekable<std::vec::IntoIter<Step>>) -> Option<InstanceKey> {
    match steps.next_if(|step| matches!(step, Step::Key(_))) {
        Some(Step::Key(value)) => key(&value),
        _ => Some(InstanceKey::None),
    }
}

/// The text of an id.
fn id_of(id: &Marked) -> Evaluated<String> {
    let text = id.value.view().as_text().filter(|id| !id.is_empty()).map(|id| id.to_string());
    text.ok_or_else(|| vec![Diagnostic::error(INVALID_ID)])
}

/// The instance that the steps of an address name.
fn instance_of(steps: Vec<Step>) -> Option<AbsResourceInstance> {
    let mut steps = steps.into_iter().peekable();
    let mut calls = Vec::new();
    loop {
        let Some(Step::Name(first)) = steps.next() else { return None };
        let Some(Step::Name(second)) = steps.next() else { return None };
        let (mut first, mut second) = (first.to_string(), second.to_string());
        if first == "module" {
            calls.push(ModuleStep { name: second, key: next_key(&mut steps)? });
            continue;
        }
        let mut mode = ResourceMode::Managed;
        if first == "data" || first == "resource" {
            mode = if first == "data" { ResourceMode::Data } else { mode };
            let Some(Step::Name(third)) = steps.next() else { return None };
            (first, second) = (second, third.to_string());
        }
        let resource = Resource { mode, type_name: first, name: second };
        let key = next_key(&mut steps)?;
        return Some(AbsResourceInstance { module: ModuleInstance(calls), resource, key });
    }
}

impl Walk<'_, '_, '_, '_> {
    /// G48, G49: the errors of the imports of a block in the validation walk.
    pub fn validate_imports(&mut self, block: usize) -> bool {
        let model = self.model;
        let wants = Wants::of(&model.blocks[block].of.repetition);
        let mut diagnostics = Vec::new();
        for import in model.imports_of(block) {
            // G48: the first import with errors is the last one that is reported.
            if !diagnostics.is_empty() && model.dialect.evaluates_imports_in_validation() {
                break;
            }
            diagnostics.extend(match model.dialect.evaluates_imports_in_validation() {
                true => self.validate_import(import, wants).err().unwrap_or_default(),
                // In this dialect only the presence of a key is checked.
                false => match import.target.key == TargetKey::None && wants != Wants::NoKey {
                    true => vec![Diagnostic::error(NO_SUCH_KEY)],
                    false => Vec::new(),
                },
            });
        }
        self.report(diagnostics)
    }

    /// The first error of an import, for the instances of `for_each` that are known in the validation walk.
    fn validate_import(&mut self, import: &Import, wants: Wants) -> Evaluated<()> {
        if import.names_itself() {
            return Err(vec![Diagnostic::error(INVALID_ID); import.own_references()]);
        }
        if import.for_each.is_none() && import.target.expressions.is_some() {
            return Err(["Invalid expression", "Invalid address"].map(Diagnostic::error).to_vec());
        }
        for repeated in self.import_each(import)? {
            let address = self.import_address(import, &repeated)?;
            if wants != Wants::of_key(&address.key) {
                return Err(vec![Diagnostic::error(NO_SUCH_KEY)]);
            }
            let Some(id) = &import.id else { continue };
            let id = self.model.at_root(id, repeated.each.is_some());
            let id = self.converted((0, &repeated), &id, TEXT)?;
            // An unknown id may be any text.
            if !id.value.is_unknown() {
                id_of(&id)?;
            }
        }
        Ok(())
    }

    /// The instances of a block that are to be imported, with their ids.
    pub fn find_imports(&mut self, block: usize) -> Evaluated<()> {
        if !self.looks_at_imports() {
            return Ok(());
        }
        let mut found = Vec::new();
        for import in self.model.imports_of(block) {
            for repeated in self.import_each(import)? {
                found.extend(self.import_target(block, import, &repeated)?);
            }
        }
        // G12: before a destruction targets are checked, and nothing is imported.
        if self.purpose == Purpose::Plan {
            self.importing.wanted.extend(found);
        }
        Ok(())
    }

    /// Whether an instance had deposed objects when the walk began.
    fn had_deposed(&self, address: &AbsResourceInstance) -> bool {
        let had = self.previous.instance(address).is_some_and(|stored| !stored.deposed.is_empty());
        had && !fault!(DeposedImported)
    }

    /// L20, G49: whether an instance is in the state, even with deposed objects alone: those are visited beside it, so the state when the
    /// walk began counts.
    fn is_stored(&self, address: &AbsResourceInstance) -> bool {
        let is_there = self.state.instance(address).is_some_and(|instance| instance.current.is_some());
        is_there || self.had_deposed(address)
    }

    fn looks_at_imports(&self) -> bool {
        let in_destructions = self.model.dialect.looks_at_imports_in_destructions();
        self.purpose == Purpose::Plan || self.purpose == Purpose::BeforeDestroy && in_destructions
    }

    /// The instances of an import, by their `each`; in the validation walk none if they are not known.
    fn import_each(&mut self, import: &Import) -> Evaluated<Vec<Repeated>> {
        let Some(each) = &import.for_each else { return Ok(vec![Repeated::default()]) };
        let each = self.model.at_root(each, false);
        if !self.model.dialect.evaluates_imports_in_validation() {
            let repeat = self.expand(0, &crate::model::Repetition { count: None, each: Some(each) })?;
            return Ok((0..repeat.count()).map(|place| repeat.at(place).1).collect());
        }
        let each = self.evaluate(0, &Repeated::default(), &each.expr, &each.needs)?;
        let is_known = each.value.is_wholly_known();
        if each.value.is_null() || !is_known && self.purpose == Purpose::Validate {
            return Ok(Vec::new());
        }
        let parts = each.parts();
        let keys: Vec<Marked> = match each.ty() {
            _ if !is_known => return Err(vec![Diagnostic::error("Invalid for_each argument")]),
            Type::Set(_) => parts.clone(),
            Type::Map(_) | Type::Object(_) => each.keys().iter().map(|key| Value::string(key).into()).collect(),
            Type::List(_) | Type::Tuple(_) => {
                (0..parts.len()).map(|index| Value::number(index as i64).into()).collect()
            }
            _ => return Err(vec![Diagnostic::error("Invalid for_each argument")]),
        };
        // E74: an element of a sensitive collection is sensitive, but its key is not.
        let own = each.marks.own;
        let each = keys.into_iter().zip(parts.into_iter().map(|part| part.with(own)));
        Ok(each.map(|each| Repeated { each: Some(each), ..Repeated::default() }).collect())
    }

    fn import_target(
        &mut self,
        block: usize,
        import: &Import,
        repeated: &Repeated,
    ) -> Evaluated<Option<(AbsResourceInstance, String)>> {
        let of = &self.model.blocks[block];
        let (address, id) = self.import_one(import, Wants::of(&of.of.repetition), repeated)?;
        if self.is_stored(&address) {
            return Ok(None);
        }
        let inst = self.inst_of(&address.module).filter(|&inst| self.insts[inst].module == of.module);
        let repeats = inst.and_then(|inst| self.insts[inst].repeats[of.place].as_ref());
        if repeats.and_then(|repeats| repeats.place(&address.key)).is_some() {
            return Ok(id.map(|id| (address, id)));
        }
        let diagnostics = vec![Diagnostic::error(NO_CONFIGURATION)];
        if !self.model.dialect.reports_undeclared_imports_late() || fault!(UndeclaredFailsBlock) {
            return Err(diagnostics);
        }
        self.importing.undeclared.extend(diagnostics);
        Ok(None)
    }

    /// The target instance of an import, and its id, if one is written.
    fn import_one(
        &mut self,
        import: &Import,
        wants: Wants,
        repeated: &Repeated,
    ) -> Evaluated<(AbsResourceInstance, Option<String>)> {
        let address = self.import_address(import, repeated)?;
        let is_strict = self.model.dialect.evaluates_imports_in_validation();
        let is_of_other_kind = is_strict && wants != Wants::of_key(&address.key);
        let id = self.import_id(import, repeated);
        if !is_of_other_kind {
            return Ok((address, id?));
        }
        let mut diagnostics = vec![Diagnostic::error(NO_SUCH_KEY)];
        diagnostics.extend(id.err().unwrap_or_default());
        Err(diagnostics)
    }

    /// The id of an import.
    fn import_id(&mut self, import: &Import, repeated: &Repeated) -> Evaluated<Option<String>> {
        let Some(id) = &import.id else { return Ok(None) };
        let id = self.model.at_root(id, repeated.each.is_some());
        let is_strict = self.model.dialect.evaluates_imports_in_validation();
        let id = match is_strict {
            true => self.converted((0, repeated), &id, TEXT),
            false => {
                let wanted = Wanted { otherwise: INVALID_ID, ..TEXT };
                self.evaluate(0, repeated, &id.expr, &id.needs).and_then(|id| wanted.of(&id))
            }
        };
        id.and_then(|id| id_of(&id)).map(Some).map_err(|mut diagnostics| {
            // An id that cannot be evaluated is also reported as invalid.
            if is_strict && !diagnostics.iter().any(|one| one.summary == INVALID_ID) {
                diagnostics.push(Diagnostic::error(INVALID_ID));
            }
            diagnostics
        })
    }

    /// The target instance of an import.
    fn import_address(&mut self, import: &Import, repeated: &Repeated) -> Evaluated<AbsResourceInstance> {
        let model = self.model;
        let is_strict = model.dialect.evaluates_imports_in_validation();
        if let Some(KeyExpressions::Flawed(flaw)) = import.target.expressions.filter(|_| is_strict) {
            return Err(vec![Diagnostic::error(flaw)]);
        }
        self.prepare(0, repeated, &[]);
        let steps =
            model.steps((&import.to.written, model.sources), 0, &self.insts[0].slots, repeated, KeyForm::Expression)?;
        let none = || vec![Diagnostic::error(if is_strict { "Invalid address" } else { NO_SUCH_KEY })];
        steps.and_then(instance_of).ok_or_else(none)
    }

    /// G49: visits an import whose target has no block.
    pub fn visit_import(&mut self, place: usize) -> bool {
        let import = &self.model.modules[0].of.imports[place];
        if self.purpose == Purpose::Validate {
            return self.validate_nowhere(import);
        }
        if self.follows_each(import) {
            // G37
            let resource = import.target.resource.resource.clone();
            self.importing.nowhere.insert(AbsResource { module: ModuleInstance::ROOT, resource });
            let diagnostics = match self.import_each(import) {
                Err(diagnostics) => diagnostics,
                Ok(all) => match all.first() {
                    None => vec![Diagnostic::error("Resource has no configuration")],
                    Some(first) => self.import_one(import, Wants::NoKey, first).err().unwrap_or_default(),
                },
            };
            return self.report(diagnostics);
        }
        // G37
        let address = self.import_address(import, &Repeated::default()).ok();
        self.importing.nowhere.extend(address.iter().map(AbsResourceInstance::abs_resource));
        if let Err(diagnostics) = self.import_id(import, &Repeated::default()) {
            return self.report(diagnostics);
        }
        if let Some(address) = address.filter(|address| self.is_stored(address)) {
            let provider = self.model.provider_of_import(import);
            return provider.is_none_or(|provider| self.refresh_unconfigured(&address, &provider));
        }
        self.report(vec![Diagnostic::error(NO_CONFIGURATION)])
    }

    /// G49: this visit refreshes a stored object too, by the provider of the import, and then reports the missing configuration.
    fn refresh_unconfigured(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig) -> bool {
        let Some(typed) = self.typed_of(&address.abs_resource(), provider) else { return true };
        let current = self.state.instance(address).and_then(|instance| instance.current.clone());
        let nothing = plans::Marked::plain(Value::null(self.model.typed[typed].ty.clone()));
        let request = PlanRequest {
            kind: kind(address.resource.mode),
            mode: Mode::RefreshOnly,
            options: PlanOptions { skip_refresh: self.skips_refresh(), ..PlanOptions::default() },
            state: InstanceState { current, ..InstanceState::default() },
            presence: Presence::Configured(Box::new(Configured::alone(nothing))),
        };
        let (plan, _) = self.ask_plan(typed, address, &address.to_string(), provider, true, &request);
        let diagnostics = plan.diagnostics.iter().map(|one| crate::diagnostics::of_instance(one, None)).collect();
        self.report(diagnostics) && self.report(vec![Diagnostic::error("Resource has no configuration")])
    }

    /// G49: whether the key of a target follows `for_each`, in a dialect that checks it although there is no block.
    fn follows_each(&self, import: &Import) -> bool {
        let is_strict = self.model.dialect.evaluates_imports_in_validation();
        is_strict && import.for_each.is_some() && import.target.key == TargetKey::Expression
    }

    /// G49: reports an import without a block in the validation walk.
    fn validate_nowhere(&mut self, import: &Import) -> bool {
        let needs_block = needs_block(import) || self.model.import_module(import) != Some(0);
        let mut diagnostics = match needs_block && !import.names_itself() {
            true => Vec::new(),
            false => self.validate_import(import, Wants::NoKey).err().unwrap_or_default(),
        };
        diagnostics.extend(needs_block.then(|| Diagnostic::error(NO_CONFIGURATION)));
        self.report(diagnostics)
    }

    /// G106: a forced replacement names a whole resource that has several instances.
    pub fn replacements(&mut self) {
        let mut count = 0;
        for of in whole_resources(self.model, &self.workspace.options.replace) {
            let repeats = self.insts.of(of.module).iter().map(|&inst| self.insts[inst].repeats[of.place].as_ref());
            count += repeats.filter(|repeat| repeat.is_some_and(Repeat::has_keys)).count();
        }
        self.report(vec![Diagnostic::warning(INCOMPLETE); count]);
    }
}

/// The warning for a whole resource with several instances.
pub const INCOMPLETE: &str = "Incompletely-matched force-replace resource instance";

/// G106: the blocks that addresses of instances to be replaced name without a key.
pub fn whole_resources<'a, 'w>(model: &'a Model<'w>, replace: &'a [String]) -> impl Iterator<Item = &'a Block<'w>> {
    let notation = Notation { engine: model.dialect.engine() };
    let mut blocks: HashMap<&Resource, Vec<&Block<'w>>> = HashMap::new();
    let wanted = if replace.is_empty() { &[][..] } else { &model.blocks[..] };
    wanted.iter().for_each(|of| blocks.entry(&of.address).or_default().push(of));
    let named = replace.iter().filter_map(move |text| notation.instance(text).ok());
    let named = named.filter(|address| address.key == InstanceKey::None);
    named.flat_map(move |address| blocks.get(&address.resource).cloned().unwrap_or_default())
}
