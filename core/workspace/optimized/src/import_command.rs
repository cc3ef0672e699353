//! The command `import` (G15, U116).
//!
//! Problem: one object is to be stored, but providers have to be configured for it and outputs evaluated with it, so that everything that
//! these may refer to has to be evaluated. Idea: the graph of a plan is walked for another purpose, which upgrades stored objects, reads
//! data, and imports at the target address. Guarantee: nothing is planned, and stored objects are not read.

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, Notation, ResourceMode};
use planfuzz_core::state::{Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Text, Value, WrittenPath};
use planfuzz_language::check::{self, Step};
use planfuzz_language::config;
use planfuzz_workspace::{
    Answer, Diagnostic, Import, Order, Outcome, Request, ResourceState, State, Trace, Workspace, Written,
};

use crate::blocks::Taken;
use crate::command::{Command, from_language, know};
use crate::diagnostics;
use crate::imports::NO_CONFIGURATION;
use crate::model::Model;
use crate::names;
use crate::scope::Repeat;
use crate::targets::Selection;
use crate::walk::{Calls, Purpose, Walk};
use crate::wiring::{Gone, cycles, of_import};

/// The target and the id of the command.
#[derive(Clone, Debug)]
pub struct AskedImport {
    /// The target address.
    pub to: AbsResourceInstance,
    /// The id by which its provider knows it.
    pub id: Text,
}

/// G15
const NOT_MANAGED: &str = "A managed resource address is required. Importing into a data resource is not allowed.";

/// The command.
pub(crate) fn import(workspace: &Workspace, asked: &Import, mut calls: Calls<'_>) -> Written {
    let refused = |diagnostics| Written { state: None, diagnostics, trace: Trace::default() };
    let to = match (Notation { engine: workspace.dialect.engine() }).instance(&asked.to) {
        Ok(to) if to.resource.mode != ResourceMode::Managed => {
            return refused(vec![Diagnostic::error(NOT_MANAGED)]);
        }
        Ok(to) => to,
        Err(error) => return refused(error.summaries.into_iter().map(Diagnostic::error).collect()),
    };
    // E01
    if !config::has_files(&workspace.sources, "") {
        let name = workspace.dialect.engine().title();
        return refused(vec![Diagnostic::error(format!("No {name} configuration files"))]);
    }
    let loaded = check::load(&workspace.sources, &workspace.schemas);
    let mut diagnostics = from_language(&loaded.diagnostics);
    let unmet = if loaded.is_unmet { diagnostics.pop() } else { None };
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refused(diagnostics);
    }
    let (sources, schemas) = (&workspace.sources, &workspace.schemas);
    let mut model = Model::of_import(&loaded.configuration, sources, schemas, workspace.dialect);
    let (order, targets) = (Order::default(), Selection::default());
    let mut command = Command { workspace, calls: &mut calls, order, diagnostics, targets, checked: None, keep: None };
    let state = command.import(&mut model, &loaded.configuration, (&to, asked), unmet);
    let Command { order, diagnostics, .. } = command;
    let state = state.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    Written { state, diagnostics, trace: calls.into_trace(order) }
}

impl<'w> Command<'w, '_, '_> {
    /// The state that the command leaves; it is not written if there are errors.
    fn import(
        &mut self,
        model: &mut Model<'w>,
        configuration: &config::Configuration,
        (to, asked): (&AbsResourceInstance, &Import),
        unmet: Option<Diagnostic>,
    ) -> Option<State> {
        let Some(module) = model.module_of(&to.module) else {
            self.error("Import to non-existent module");
            return None;
        };
        if model.find(module, &to.resource).is_none() {
            self.error(format!("resource address {:?} does not exist in the configuration.", asked.to));
            return None;
        }
        // G15: the engine loads the configuration twice, and reports the warnings of the first time again with those of the second.
        let warnings = self.diagnostics.clone();
        (0..2).for_each(|_| self.diagnostics.extend(warnings.iter().cloned()));
        self.diagnostics.extend(unmet);
        if self.has_errors() {
            return None;
        }
        if self.lacks_root_variables(model) {
            return None;
        }
        // E03: missing providers of stored objects are reported with those of blocks, and neither if modules report something.
        if let Some(before) = check::of_modules(configuration, &self.workspace.schemas) {
            self.diagnostics.extend(from_language(&before.diagnostics));
            if before.step == Step::Modules {
                return None;
            }
        }
        let state = self.workspace.state.clone().unwrap_or_default();
        self.providers_present(model, &state, Gone::All);
        if self.has_errors() {
            return None;
        }
        know(model, &state);
        let wired = of_import(model, &state, &self.targets);
        if self.errors(cycles(&wired, model, names::of_apply)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, model, Purpose::Import, wired, state, self.calls);
        walk.importing.asked = Some(AskedImport { to: to.clone(), id: Text::new(&asked.id) });
        walk.see_stored(0);
        walk.see_deposed_alone(|_| true);
        walk.here.walk = self.order.push(walk.order("import"));
        walk.run();
        let Walk { state, results, .. } = walk;
        self.diagnostics.extend(results.diagnostics);
        Some(State { checks: None, ..state })
    }
}

impl Walk<'_, '_, '_, '_> {
    /// Makes the stored objects of a module instance visible to expressions from the beginning: instances that are not visited stay as they
    /// are.
    pub fn see_stored(&mut self, inst: usize) {
        if self.purpose != Purpose::Import {
            return;
        }
        let model = self.model;
        for &block in &model.modules[self.insts[inst].module].blocks {
            let objects = self.seen_objects(inst, block);
            self.insts[inst].objects[model.blocks[block].place] = objects;
        }
    }

    /// Whether a block that repeats is unknown, since nothing of it is stored, and nothing is planned. A block without instances is stored
    /// as such, unless its stored objects were dropped.
    pub fn is_open(&self, inst: usize, block: usize) -> bool {
        if self.purpose != Purpose::Import {
            return false;
        }
        let (of, place) = (&self.insts[inst], self.model.blocks[block].place);
        let has_some = |repeat: &Repeat| repeat.count() > 0 || self.objects.dropped.contains(&(inst, place));
        let repeats = of.repeats[place].as_ref().is_some_and(|repeat| repeat.has_keys() && has_some(repeat));
        let has_none = of.objects[place].is_empty() && self.deposed_alone_of(inst, block).is_empty();
        repeats && has_none && !self.importing.nothing.contains(&(inst, place))
    }

    /// Whether a block declares the target of the command, if that is an instance of it.
    pub fn asked_fits(&mut self, block: usize) -> bool {
        let Some(asked) = &self.importing.asked else { return true };
        if self.model.block_of(&asked.to) != Some(block) {
            return true;
        }
        let place = self.model.blocks[block].place;
        let repeat = self.inst_of(&asked.to.module).and_then(|inst| self.insts[inst].repeats[place].as_ref());
        let is_declared = repeat.is_some_and(|repeat| repeat.place(&asked.to.key).is_some());
        is_declared || self.report(vec![Diagnostic::error(NO_CONFIGURATION)])
    }

    /// The id by which the provider knows an instance, if it is the target of the command.
    pub fn asked_id(&self, address: &AbsResourceInstance) -> Option<Text> {
        self.importing.asked.as_ref().filter(|asked| asked.to == *address).map(|asked| asked.id.clone())
    }

    /// Imports the target of the command, and reads it.
    pub fn import_asked(
        &mut self,
        block: usize,
        inst: usize,
        address: &AbsResourceInstance,
        id: Text,
        taken: &mut Taken,
    ) -> bool {
        let about = address.to_string();
        let answer = self.ask_import(block, &about, Request::Import { id });
        // Diagnostics of the import, and of the read after it, have no address.
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, None)).collect();
        if !self.report(diagnostics) {
            return false;
        }
        let imported = match answer.outcome {
            Some(Outcome::Imported(imported)) => imported,
            _ => Vec::new(),
        };
        let Some((current, private)) = imported.into_iter().next() else {
            self.note_nothing(block, inst, taken);
            return true;
        };
        let is_stored = taken.state.as_ref().is_some_and(|stored| stored.instances.contains_key(&address.key));
        if is_stored && !fault!(ImportOverwrites) {
            return self.report(vec![Diagnostic::error("Resource already managed by Terraform")]);
        }
        let answer = self.ask_import(block, &about, Request::Read { current, private });
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, None)).collect();
        if !self.report(diagnostics) {
            return false;
        }
        match answer.outcome {
            Some(Outcome::Object { value, private }) if !value.is_null() => {
                self.store_imported(block, inst, &address.key, (value, private), taken);
                true
            }
            _ => self.report(vec![Diagnostic::error("Cannot import non-existent remote object")]),
        }
    }

    /// If the only instance of a block is not there, the block is stored without instances, and expressions see that there is none.
    fn note_nothing(&mut self, block: usize, inst: usize, taken: &Taken) {
        let place = self.model.blocks[block].place;
        let is_one = self.insts[inst].repeats[place].as_ref().is_some_and(|repeat| repeat.count() == 1);
        if is_one && taken.state.as_ref().is_some_and(|stored| stored.instances.is_empty()) {
            self.importing.nothing.insert((inst, place));
        }
    }

    /// Stores an imported object: its value normalized as after every read, with the marks of its schema alone.
    fn store_imported(
        &mut self,
        block: usize,
        inst: usize,
        key: &InstanceKey,
        (value, private): (Value, Private),
        taken: &mut Taken,
    ) {
        let of = &self.model.blocks[block];
        let Some(typed) = of.schema else { return };
        let (schema, dialect) = (self.model.typed[typed].schema, self.model.dialect);
        let value = self.prepared[typed].normalize_legacy(&value).unwrap_or(value);
        let marks = schema.sensitive_paths(value.view(), dialect).unwrap_or_default();
        let object = Object {
            stored: Stored::Value(value),
            private,
            status: Status::Ready,
            dependencies: Vec::new(),
            create_before_destroy: false,
            sensitive: marks.iter().map(WrittenPath::from).collect::<PathSet>(),
            skip_destroy: false,
        };
        if let Some(seen) = self.decoded(&object, typed) {
            let value = self.model.as_seen(&seen, typed);
            self.insts[inst].objects[of.place].insert(key.clone(), value);
        }
        let provider = &self.model.providers[of.provider].address;
        let empty = || ResourceState { provider: provider.clone(), instances: Default::default() };
        let stored = taken.state.get_or_insert_with(empty);
        stored.provider = provider.clone();
        stored.instances.or_default(key).current = Some(object);
    }

    fn ask_import(&mut self, block: usize, visit: &str, request: Request) -> Answer {
        let configured = self.configured[self.model.blocks[block].provider].clone();
        self.with_provider(block, visit, configured.as_ref(), |asked| asked.ask(request)).0
    }
}
