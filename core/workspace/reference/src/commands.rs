//! Commands that write a state and no plan, `refresh` and `import`; and the checks of a saved plan before it is applied.

use planfuzz_core::address::{AbsResourceInstance, Notation, ResourceMode};
use planfuzz_core::planner::Planner;
use planfuzz_core::plans::{Action, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{PathSet, Text, Value, WrittenPath};
use planfuzz_language::check::{self, Step};
use planfuzz_language::config;
use planfuzz_reference::Reference;
use planfuzz_workspace::{
    Call, Diagnostic, Import, Meanwhile, Options, Order, Outcome, Plan, Request, Saved, State, Trace, Workspace,
    Written,
};

use crate::asked::Calls;
use crate::imports::NO_CONFIGURATION;
use crate::layout::Layout;
use crate::phases::{self, Command, from_language};
use crate::plan_graphs::cycles;
use crate::targets::Selection;
use crate::walk::{Purpose, Walk};
use crate::{checks, early_checks, names};

/// G14, U114: a normal plan whose changes are dropped.
pub fn refresh(workspace: &Workspace, calls: &mut Calls<'_>) -> Written {
    let options = Options { mode: Mode::Normal, ..workspace.options.clone() };
    let mut normal = Workspace { options, ..workspace.clone() };
    // E01: a directory without files is an empty one.
    if !config::has_files(&normal.sources, "") && normal.sources.add("empty.tf.json", "{}").is_err() {
        return Written { state: None, diagnostics: Vec::new(), trace: Trace::default() };
    }
    let planned = phases::plan(&normal, calls);
    let mut diagnostics = planned.diagnostics;
    let is_managed = |state: &State| {
        let objects = |instance: &InstanceState| instance.current.is_some() || !instance.deposed.is_empty();
        state.instances().any(|(address, _, one)| address.resource.mode == ResourceMode::Managed && objects(one))
    };
    let is_fine = !diagnostics.iter().any(Diagnostic::is_error);
    let is_begun = planned.trace.order.walks.iter().any(|walk| walk.name == "moves");
    if is_begun && !workspace.state.as_ref().is_some_and(is_managed) {
        diagnostics.push(Diagnostic::warning("Empty or non-existent state"));
    }
    let state = planned.plan.filter(|_| is_fine).map(|plan| {
        let mut state = State { checks: None, ..plan.prior };
        if fault!(RefreshForgetsOutputs) {
            state.outputs.clear();
        }
        state
    });
    Written { state, diagnostics, trace: planned.trace }
}

/// The error for the address of something else than a managed resource (G15).
const NOT_MANAGED: &str = "A managed resource address is required. Importing into a data resource is not allowed.";

/// G15, U116.
pub fn import(workspace: &Workspace, asked: &Import, calls: &mut Calls<'_>) -> Written {
    let refused = |diagnostics| Written { state: None, diagnostics, trace: Trace::default() };
    let notation = Notation { engine: workspace.dialect.engine() };
    let address = match notation.instance(&asked.to) {
        Ok(address) if address.resource.mode == ResourceMode::Managed => address,
        Ok(_) => return refused(vec![Diagnostic::error(NOT_MANAGED)]),
        Err(error) => return refused(error.summaries.into_iter().map(Diagnostic::error).collect()),
    };
    if !config::has_files(&workspace.sources, "") {
        let engine = workspace.dialect.engine().title();
        return refused(vec![Diagnostic::error(format!("No {engine} configuration files"))]);
    }
    let loaded = check::load(&workspace.sources, &workspace.schemas);
    let mut diagnostics = from_language(&loaded.diagnostics);
    let unmet = if loaded.is_unmet { diagnostics.pop() } else { None };
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refused(diagnostics);
    }
    let layout = Layout::new(&loaded.configuration, &workspace.sources, &workspace.schemas, workspace.dialect);
    let mut command = Command { workspace, layout: &layout, calls, order: Order::default(), diagnostics };
    let state = command.import(&address, asked, unmet);
    let (order, diagnostics) = (command.order, command.diagnostics);
    let is_fine = !diagnostics.iter().any(Diagnostic::is_error);
    Written { state: state.filter(|_| is_fine), diagnostics, trace: calls.take_trace(order) }
}

impl Command<'_, '_, '_> {
    fn import(&mut self, address: &AbsResourceInstance, asked: &Import, unmet: Option<Diagnostic>) -> Option<State> {
        if self.layout.module_of(&address.module).is_none() {
            self.error("Import to non-existent module");
            return None;
        }
        if self.layout.block_of(address).is_none() {
            self.error(format!("resource address {:?} does not exist in the configuration.", asked.to));
            return None;
        }
        // The engine loads the configuration twice, and reports the warnings of the first time again with those of the second.
        let warnings = self.diagnostics.clone();
        self.diagnostics.extend(warnings.iter().cloned().chain(warnings.clone()));
        if unmet.is_some() {
            self.diagnostics.extend(unmet);
            return None;
        }
        self.diagnostics
            .extend(early_checks::root_variables(self.workspace, &self.layout.modules[0].configuration.module));
        if self.has_errors() {
            return None;
        }
        // E03: the steps of the graph stop at the first one that reports something; the second step includes the providers of stored objects.
        if let Some(found) = check::of_modules(self.layout.modules[0].configuration, &self.workspace.schemas) {
            self.diagnostics.extend(from_language(&found.diagnostics));
            if found.step == Step::Modules {
                return None;
            }
        }
        let state = self.workspace.state.clone().unwrap_or_default();
        let targets = Selection::default();
        self.providers_present(&state, Purpose::Import);
        if self.has_errors() {
            return None;
        }
        let graph = self.graph(&state, &targets, Purpose::Import);
        if self.errors(cycles(&graph, self.layout, names::of_apply)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, self.layout, Purpose::Import, graph, state, self.calls);
        walk.importing.asked = Some((address.clone(), Text::new(&asked.id)));
        walk.results.checks = checks::table(self.layout);
        walk.see_state(&|_| true);
        walk.see_deposed_alone(&|_, instance| instance.current.is_none());
        walk.number = self.order.push(walk.order("import"));
        walk.run();
        let (state, diagnostics) = (walk.state, walk.results.diagnostics);
        self.diagnostics.extend(diagnostics);
        Some(State { checks: None, ..state })
    }
}

impl Walk<'_, '_, '_> {
    /// The object that the command imports into this block; an error if its address is no instance of the block.
    pub fn importing_into(
        &self,
        block: usize,
        is_declared: impl Fn(&AbsResourceInstance) -> bool,
    ) -> Result<Option<(AbsResourceInstance, Text)>, Vec<Diagnostic>> {
        let Some((address, id)) = &self.importing.asked else { return Ok(None) };
        if self.layout.block_of(address) != Some(block) {
            return Ok(None);
        }
        match is_declared(address) {
            true => Ok(Some((address.clone(), id.clone()))),
            false => Err(vec![Diagnostic::error(NO_CONFIGURATION)]),
        }
    }

    /// The object that the command names: imported and read.
    pub fn import_object(&mut self, block: usize, address: &AbsResourceInstance, id: Text) -> bool {
        let (about, of) = (address.to_string(), &self.layout.blocks[block]);
        let answer = self.ask_of(block, &about, Request::Import { id });
        let diagnostics = answer.remarks.iter().map(|remark| crate::diagnostics::remark(remark, None)).collect();
        if !self.emit(diagnostics) {
            return false;
        }
        let imported = match answer.outcome {
            Some(Outcome::Imported(imported)) => imported,
            _ => Vec::new(),
        };
        let Some((current, private)) = imported.into_iter().next() else {
            self.imported_nothing(address);
            return true;
        };
        if self.state.instance(address).is_some() && !fault!(ImportOverwrites) {
            return self.emit(vec![Diagnostic::error("Resource already managed by Terraform")]);
        }
        let answer = self.ask_of(block, &about, Request::Read { current, private });
        let diagnostics = answer.remarks.iter().map(|remark| crate::diagnostics::remark(remark, None)).collect();
        if !self.emit(diagnostics) {
            return false;
        }
        let Some(Outcome::Object { value, private }) = answer.outcome.filter(is_there) else {
            return self.emit(vec![Diagnostic::error("Cannot import non-existent remote object")]);
        };
        let Some(schema) = of.schema else { return true };
        let mut instance = self.stored(address);
        instance.current = Some(self.imported(value, private, schema));
        let provider = of.provider.clone();
        self.state.put(address, &provider, instance);
        self.see(address, schema);
        true
    }

    /// If the only instance of a resource is not there, the resource is noted as one without instances, so that expressions see none.
    fn imported_nothing(&mut self, address: &AbsResourceInstance) {
        let resource = address.abs_resource();
        let is_one = self.values.resources.get(&resource).is_some_and(|instances| instances.count() == 1);
        if is_one && self.state.resources.get(&resource).is_some_and(|stored| stored.instances.is_empty()) {
            self.values.empty.insert(resource);
        }
    }

    /// The object to store for an imported one: its value normalized as after every read, with the marks of its schema alone.
    fn imported(&self, value: Value, private: Private, schema: &Schema) -> Object {
        let dialect = self.layout.dialect;
        let value = Reference.prepare(schema, dialect).normalize_legacy(&value).unwrap_or(value);
        let marks = schema.sensitive_paths(value.view(), dialect).unwrap_or_default();
        Object {
            stored: Stored::Value(value),
            private,
            status: Status::Ready,
            dependencies: Vec::new(),
            create_before_destroy: false,
            sensitive: marks.iter().map(WrittenPath::from).collect::<PathSet>(),
            skip_destroy: false,
        }
    }

    fn ask_of(&mut self, block: usize, visit: &str, request: Request) -> planfuzz_workspace::Answer {
        let of = &self.layout.blocks[block];
        let call = Call {
            provider: of.provider.source.clone(),
            configured: self.configured.get(&of.provider).cloned(),
            type_name: Some(Text::new(&of.address.type_name)),
            request,
        };
        self.calls.ask(self.here(), visit, call)
    }
}

fn is_there(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Object { value, .. } if !value.is_null())
}

/// U03, U05, U06: the errors for which a saved plan is not applied, with other diagnostics beside them; empty if it is applied.
pub fn refused(workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
    // A plan that was made without a state has no lineage.
    let of_state = match (saved.state, &workspace.state) {
        (Meanwhile::Nothing, _) => None,
        (Meanwhile::Written, _) if fault!(StalePlanApplied) => None,
        (Meanwhile::Foreign, Some(_)) => Some("Saved plan does not match the given state"),
        (Meanwhile::Foreign, None) | (Meanwhile::Written, _) => Some("Saved plan is stale"),
    };
    let summary = of_state.or((plan.errored && !fault!(ErroredPlanApplied)).then_some("Cannot apply incomplete plan"));
    // U08: the configuration of the plan is loaded before anything is compared.
    let configuration = config::load(&workspace.sources, "");
    let loaded = from_language(&configuration.diagnostics);
    if let Some(summary) = summary {
        return std::iter::once(Diagnostic::error(summary)).chain(loaded).collect();
    }
    let wrong = wrong_variables(workspace, &configuration.configuration.module, saved);
    if !wrong.is_empty() {
        return wrong.into_iter().chain(loaded).collect();
    }
    // PF16: a plan with changes of which none can be applied, as those of outputs that a refresh finds gone (G156).
    let has_outputs = plan.outputs.iter().any(|output| output.change().action != Action::NoOp);
    let has_changes = has_outputs || plan.changes.iter().any(|change| !change.is_empty());
    if plan.applyable || !has_changes {
        return Vec::new();
    }
    std::iter::once(Diagnostic::error("Cannot apply non-applyable plan")).chain(loaded).collect()
}

/// U05, U06: errors of the variables that the apply of a saved plan is given.
fn wrong_variables(workspace: &Workspace, root: &config::Module, saved: &Saved) -> Vec<Diagnostic> {
    let dialect = workspace.dialect;
    let planned = |name: &str| workspace.options.variables.iter().find(|(planned, _)| planned == name);
    let is_ephemeral = |name: &str| {
        let variable = root.variables.iter().find(|variable| *variable.name.text == *name);
        variable.is_some_and(|variable| variable.ephemeral.as_ref().is_some_and(|flag| flag.value))
    };
    let mut diagnostics = Vec::new();
    for (name, value) in &saved.variables {
        match planned(name) {
            // No plan file keeps an ephemeral value.
            Some(_) if is_ephemeral(name) => {}
            Some((_, planned)) if planned == value || fault!(VariableChanged) => {}
            Some(_) => diagnostics.push(Diagnostic::error(dialect.changed_variable_of_plan())),
            None if !dialect.holds_variables_to_plan() => {}
            None if is_ephemeral(name) => {
                diagnostics.push(Diagnostic::error("Ephemeral variable was not set during planning"))
            }
            None => diagnostics.push(Diagnostic::error("Value for undeclared variable")),
        }
    }
    // A missing variable is only reported if there is no other error.
    if diagnostics.is_empty() && dialect.holds_variables_to_plan() {
        let is_given = |name: &str| saved.variables.iter().any(|(given, _)| given == name);
        let variables = workspace.options.variables.iter();
        let missed = variables.filter(|(name, _)| is_ephemeral(name) && !is_given(name));
        diagnostics.extend(missed.map(|_| Diagnostic::error("No value for required variable")));
    }
    diagnostics
}
