//! Import targets and forced replacements (G48, G49, G105, G106).

use std::collections::HashMap;
use std::iter::Peekable;

use planfuzz_core::address::{
    AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Notation, Resource, ResourceMode,
};
use planfuzz_core::planner::{Configured, Lifecycle, PlanOptions, PlanRequest, Presence};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{PathSet, Type, Value};
use planfuzz_language::config::{Import, StepKind, Written};
use planfuzz_workspace::Diagnostic;

use crate::configured::{key, resource};
use crate::expr::Evaluated;
use crate::facts::Step;
use crate::gone::below;
use crate::instances::kind;
use crate::model::{Block, Model};
use crate::scope::{Repeat, Repeated};
use crate::walk::{Purpose, Walk};

/// What is told of a key that no instance of the block can have.
const NO_SUCH_KEY: &str = "Invalid import 'to' expression";

/// What is told of a target that nothing configures.
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
        let (path, at) = below(&[], import.to.references.first()?)?;
        at.and_then(|_| self.module(&path))
    }

    /// The block of an import.
    pub fn import_block(&self, import: &Import) -> Option<usize> {
        let (path, at) = below(&[], import.to.references.first()?)?;
        self.find(self.module(&path)?, &resource(&at?)?.0)
    }
}

/// G49: whether no target without a block can be as this one is written: with a key, or one of many.
fn needs_block(import: &Import) -> bool {
    let [target] = &import.to.references[..] else { return false };
    import.for_each.is_some() || target.steps.last().is_some_and(|step| matches!(step.kind, StepKind::Index(_)))
}

/// The key that comes next; none where something else does, and nothing where it is no key.
fn next_key(steps: &mut Peekable<std::vec::IntoIter<Step>>) -> Option<InstanceKey> {
    match steps.next_if(|step| matches!(step, Step::Key(_))) {
        Some(Step::Key(value)) => key(&value),
        _ => Some(InstanceKey::None),
    }
}

impl Walk<'_, '_, '_, '_> {
    /// G49: the key of a target is of the kind that its block repeats by, which the validation walk finds.
    pub fn imports_fit(&mut self, block: usize) -> bool {
        let of = &self.model.blocks[block].of.repetition;
        let is_strict = self.model.dialect.checks_kinds_of_import_keys();
        let wrong = self.model.imports_of(block).iter().filter(|import| {
            let target = import.to.references.first();
            // Another reference is in a key: of the resource, or of a module that it is in.
            let has_expression = import.to.references.len() > 1;
            let may_be_of_module = target.is_some_and(|target| target.root.as_str() == "module");
            match target.and_then(|target| target.steps.last()).map(|step| &step.kind) {
                Some(StepKind::Index(_)) if !is_strict => false,
                Some(StepKind::Index(key)) => match *key.ty() == Type::Number {
                    true => of.count.is_none(),
                    false => of.for_each.is_none(),
                },
                _ if has_expression && !is_strict => false,
                _ => of.is_single() == has_expression && !(has_expression && may_be_of_module),
            }
        });
        let wrong = wrong.count();
        self.tell(vec![Diagnostic::error(NO_SUCH_KEY); wrong])
    }

    /// The instances of a block that are to be imported, with their ids.
    pub fn find_imports(&mut self, block: usize) -> Evaluated<()> {
        if !self.looks_at_imports() {
            return Ok(());
        }
        let mut found = Vec::new();
        for import in self.model.imports_of(block) {
            let repeat = self.import_repeat(import)?;
            for place in 0..repeat.count() {
                found.extend(self.import_target(block, import, &repeat, place)?);
            }
        }
        // G12: before a destruction targets are looked at, and nothing is imported.
        if self.purpose == Purpose::Plan {
            self.imports.extend(found);
        }
        Ok(())
    }

    fn looks_at_imports(&self) -> bool {
        let in_destructions = self.model.dialect.looks_at_imports_in_destructions();
        self.purpose == Purpose::Plan || self.purpose == Purpose::BeforeDestroy && in_destructions
    }

    fn import_repeat(&mut self, import: &Import) -> Evaluated<Repeat> {
        let repetition = crate::model::Repetition {
            count: None,
            each: import.for_each.as_ref().map(|each| self.model.at_root(each, false)),
        };
        self.expand(0, &repetition)
    }

    fn import_target(
        &mut self,
        block: usize,
        import: &Import,
        repeat: &Repeat,
        place: u64,
    ) -> Evaluated<Option<(AbsResourceInstance, String)>> {
        let repeated = repeat.at(place).1;
        let invalid = || vec![Diagnostic::error("Invalid import id argument")];
        let Some(id) = &import.id else { return Ok(None) };
        let id = self.model.at_root(id, repeated.each.is_some());
        let id = self.evaluate(0, &repeated, &id.expr, &id.needs)?;
        let id = id.convert(&planfuzz_core::value::Type::String).ok_or_else(invalid)?;
        let id = id.value.view().as_text().filter(|id| !id.is_empty()).ok_or_else(invalid)?.to_string();
        let Some(address) = self.import_address(&import.to.written, &repeated) else {
            return Err(vec![Diagnostic::error(NO_SUCH_KEY)]);
        };
        if self.state.instance(&address).is_some_and(|instance| instance.current.is_some()) {
            return Ok(None);
        }
        let of = &self.model.blocks[block];
        let inst = self.inst_of(&address.module).filter(|&inst| self.insts[inst].module == of.module);
        let repeats = inst.and_then(|inst| self.insts[inst].repeats[of.place].as_ref());
        match repeats.and_then(|repeats| repeats.place(&address.key)) {
            Some(_) => Ok(Some((address, id))),
            None => {
                let told = vec![Diagnostic::error(NO_CONFIGURATION)];
                if !self.model.dialect.tells_undeclared_imports_late() || fault!(UndeclaredFailsBlock) {
                    return Err(told);
                }
                self.undeclared_imports.extend(told);
                Ok(None)
            }
        }
    }

    /// The instance that the target of an import names.
    fn import_address(&mut self, written: &Written, repeated: &Repeated) -> Option<AbsResourceInstance> {
        self.prepare(0, repeated, &[]);
        let slots = &self.insts[0].slots;
        let mut steps = self.model.steps((written, self.model.sources), 0, slots, repeated)?.into_iter().peekable();
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

    /// G49: the target of an import that has no block.
    pub fn visit_import(&mut self, place: usize) -> bool {
        let import = &self.model.modules[0].of.imports[place];
        if self.follows_each(import) {
            let told = match self.import_repeat(import) {
                Err(told) => told,
                Ok(repeat) if repeat.count() == 0 => vec![Diagnostic::error("Resource has no configuration")],
                Ok(_) => vec![Diagnostic::error(NO_SUCH_KEY)],
            };
            return self.tell(told);
        }
        // G37
        if let Some(address) = self.import_address(&import.to.written, &Repeated::default()) {
            self.imported_nowhere.insert(address.abs_resource());
            if self.state.instance(&address).is_some_and(|instance| instance.current.is_some()) {
                return self.refresh_unconfigured(&address);
            }
        }
        self.tell(vec![Diagnostic::error(NO_CONFIGURATION)])
    }

    /// G49: a stored object is refreshed by this visit too, which then finds no configuration for it.
    fn refresh_unconfigured(&mut self, address: &AbsResourceInstance) -> bool {
        let of = address.abs_resource();
        let Some(provider) = self.state.resources.get(&of).map(|stored| stored.provider.clone()) else { return true };
        let Some(typed) = self.typed_of(&of, &provider) else { return true };
        let current = self.state.instance(address).and_then(|instance| instance.current.clone());
        let nothing = Configured {
            config: plans::Marked::plain(Value::null(self.model.typed[typed].ty.clone())),
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: Lifecycle::default(),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: Vec::new(),
            in_check: false,
        };
        let request = PlanRequest {
            kind: kind(address.resource.mode),
            mode: Mode::RefreshOnly,
            options: PlanOptions { skip_refresh: self.skips_refresh(), ..PlanOptions::default() },
            state: InstanceState { current, ..InstanceState::default() },
            presence: Presence::Configured(Box::new(nothing)),
        };
        let (plan, _) = self.ask_plan(typed, address, &address.to_string(), &provider, true, &request);
        let told = plan.diagnostics.iter().map(|one| crate::told::of_instance(one, None)).collect();
        self.tell(told) && self.tell(vec![Diagnostic::error("Resource has no configuration")])
    }

    /// G49: whether the key of a target follows `for_each`, where that says something of a block that is not there.
    fn follows_each(&self, import: &Import) -> bool {
        let is_strict = self.model.dialect.checks_kinds_of_import_keys();
        is_strict && import.for_each.is_some() && import.to.references.len() > 1
    }

    /// G49: the validation walk finds a key without a block as soon as it is known that there is one.
    pub fn keys_without_block(&mut self) {
        let model = self.model;
        let is_looked_for = |_: &&Import| !model.dialect.looks_for_import_blocks_first();
        let imports = model.modules[0].of.imports.iter().filter(is_looked_for);
        for import in imports.filter(|import| model.import_block(import).is_none()) {
            self.tell(vec![Diagnostic::error(NO_CONFIGURATION); usize::from(needs_block(import))]);
            let Some(each) = import.for_each.as_ref().filter(|_| self.follows_each(import)) else { continue };
            let each = model.at_root(each, false);
            let told = match self.evaluate(0, &Repeated::default(), &each.expr, &each.needs) {
                Err(told) => told,
                Ok(value) => {
                    let is_open = value.value.is_unknown() || value.value.is_null();
                    let is_open = is_open || matches!(value.ty(), Type::Set(_)) && !value.value.is_wholly_known();
                    vec![Diagnostic::error(NO_SUCH_KEY); usize::from(!is_open && !value.parts().is_empty())]
                }
            };
            self.tell(told);
        }
    }

    /// G106: a whole resource is named where instances are meant.
    pub fn replacements(&mut self) {
        let mut count = 0;
        for of in whole_resources(self.model, &self.workspace.options.replace) {
            let repeats = self.of_module[of.module].iter().map(|&inst| self.insts[inst].repeats[of.place].as_ref());
            count += repeats.filter(|repeat| repeat.is_some_and(Repeat::has_keys)).count();
        }
        self.tell(vec![Diagnostic::warning(INCOMPLETE); count]);
    }
}

/// What is told where a whole resource is named and instances are meant.
pub const INCOMPLETE: &str = "Incompletely-matched force-replace resource instance";

/// G106: the blocks that addresses of instances to be replaced name without a key.
pub fn whole_resources<'a, 'w>(model: &'a Model<'w>, replace: &'a [String]) -> impl Iterator<Item = &'a Block<'w>> {
    let notation = Notation { engine: model.dialect.engine() };
    let named = replace.iter().filter_map(move |text| notation.instance(text).ok());
    named
        .filter(|address| address.key == InstanceKey::None)
        .flat_map(|address| model.blocks.iter().filter(move |of| of.address == address.resource))
}
