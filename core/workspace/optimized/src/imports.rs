//! Import targets and forced replacements (G48, G49, G105, G106).

use std::collections::HashMap;
use std::iter::Peekable;

use planfuzz_core::address::{
    AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Notation, Resource, ResourceMode,
};
use planfuzz_core::value::Type;
use planfuzz_language::config::{Import, StepKind, Written};
use planfuzz_workspace::Diagnostic;

use crate::configured::{key, resource};
use crate::expr::Evaluated;
use crate::facts::Step;
use crate::gone::below;
use crate::model::{Block, Model};
use crate::scope::{Repeat, Repeated};
use crate::walk::{Purpose, Walk};

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

/// Whether the target of an import ends with a key.
pub fn has_key(import: &Import) -> bool {
    let last = import.to.references.first().and_then(|target| target.steps.last());
    last.is_some_and(|step| matches!(step.kind, StepKind::Index(_)))
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
        self.tell(vec![Diagnostic::error("Invalid import 'to' expression"); wrong])
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
            return Err(vec![Diagnostic::error("Invalid import 'to' expression")]);
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

    /// G49: targets without a block.
    pub fn imports_without_block(&mut self) {
        if self.looks_at_imports() {
            let model = self.model;
            let imports = model.modules[0].of.imports.iter();
            for import in imports.filter(|import| model.import_block(import).is_none()) {
                self.tell(vec![Diagnostic::error(NO_CONFIGURATION)]);
                // G37
                if let Some(address) = self.import_address(&import.to.written, &Repeated::default()) {
                    self.imported_nowhere.insert(address.abs_resource());
                }
            }
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
