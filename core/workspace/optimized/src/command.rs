//! The phases of a plan (section 2 of workspace-plan.md).

use hashbrown::HashSet;
use planfuzz_core::address::{
    AbsResourceInstance, InstanceKey, ModuleInstance, Notation, ProviderConfig, ProviderSource, ResourceMode,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, AddressedChange, Change, Marked, Mode};
use planfuzz_language::check::{self, ConfigurationDiagnostics, Schemas, Step};
use planfuzz_language::config::Import;
use planfuzz_language::{Sources, config};
use planfuzz_workspace::canonical;
use planfuzz_workspace::order::Made;
use planfuzz_workspace::{
    CheckKind, CheckObject, CheckTable, Diagnostic, Options, Order, Plan, Planned, Request, State, Status, Trace,
    Workspace,
};

use crate::early::{flags, misses_provider_of_import, root_variables, unserved};
use crate::imports::NO_CONFIGURATION;
use crate::judged::table;
use crate::kept::{Kept, KeptPlan};
use crate::model::Model;
use crate::moves::Moved;
use crate::records::Results;
use crate::relevant::relevant;
use crate::statements::{Statement, statements};
use crate::targets::Selection;
use crate::walk::{Calls, Purpose, Record, Walk};
use crate::wiring::{Gone, Imports, of_destroy, of_plan, of_validation, plan_cycles};
use crate::worker_pool::WorkerPool;
use crate::{apply_graph, moves, names, wiring};

/// A command under way.
pub(crate) struct Command<'w, 'c, 'p> {
    pub(crate) workspace: &'c Workspace,
    pub(crate) calls: &'c mut Calls<'p>,
    pub(crate) order: Order,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) targets: Selection,
    /// The diagnostics of the language, if they were found while the model was made.
    pub(crate) checked: Option<ConfigurationDiagnostics>,
    /// The walks, if they are to be kept.
    pub(crate) keep: Option<Keep<'w>>,
}

/// The walks of a plan that are kept, so that they can be resumed.
#[derive(Default)]
pub(crate) struct Keep<'w> {
    /// Whether there are diagnostics that belong to no walk.
    has_diagnostics: bool,
    validate: Option<Kept<'w>>,
    plan: Option<Kept<'w>>,
    /// Statements of moves without effect.
    statements: Vec<Statement>,
}

/// A configuration that was read, with what belongs to it.
#[derive(Clone, Copy)]
pub(crate) struct Read<'w> {
    pub(crate) loaded: &'w config::Load,
    pub(crate) sources: &'w Sources,
    pub(crate) schemas: &'w Schemas,
}

/// The result of a plan whose walks were to be kept.
pub(crate) enum PlanOutcome<'w> {
    /// A plan that cannot be resumed, and why.
    Ended(Box<Planned>, &'static str),
    /// A plan that was kept.
    Kept(Box<KeptPlan<'w>>),
}

/// The results of the moves.
struct Start {
    state: State,
    statements: Vec<Statement>,
    moved: Moved,
}

/// The plan of a command.
pub fn plan(workspace: &Workspace, calls: Calls<'_>) -> Planned {
    if let Some(refused) = refused(workspace) {
        return refused;
    }
    let loaded = check::load(&workspace.sources, &workspace.schemas);
    let read = Read { loaded: &loaded, sources: &workspace.sources, schemas: &workspace.schemas };
    match plan_read(workspace, read, calls, false) {
        PlanOutcome::Ended(planned, _) => *planned,
        PlanOutcome::Kept(kept_plan) => kept_plan.planned(workspace),
    }
}

/// A configuration that was read, compiled; and checked, if there are workers and many blocks: neither sees the other.
fn compiled_and_checked<'w>(
    Read { loaded, sources, schemas }: Read<'w>,
    dialect: Dialect,
    workers: Option<&WorkerPool>,
) -> (Model<'w>, Option<ConfigurationDiagnostics>) {
    let configuration = &loaded.configuration;
    let make = || Model::made_by(workers, configuration, (sources, schemas), dialect);
    let check = || check::of_nodes(configuration, sources, schemas, imports_checked(dialect));
    match workers.filter(|workers| workers.share(blocks_of(configuration))) {
        Some(workers) => workers.both(make, check),
        None => (make(), None),
    }
}

/// How many blocks of resources are declared in a module and those that it calls.
fn blocks_of(of: &config::Configuration) -> u64 {
    of.module.resources.len() as u64 + of.children.values().map(blocks_of).sum::<u64>()
}

/// Which imports the validation looks at.
fn imports_checked(dialect: Dialect) -> check::Imports {
    match dialect.evaluates_imports_in_validation() {
        true => check::Imports::OfNodes,
        false => check::Imports::OfNoNode,
    }
}

/// The errors that are found before a file is read.
pub(crate) fn refused(workspace: &Workspace) -> Option<Planned> {
    let mut refused = flags(workspace);
    // E01: only a destruction needs no file.
    let needs_files = refused.is_empty() && workspace.options.mode != Mode::Destroy;
    if needs_files && !config::has_files(&workspace.sources, "") {
        refused.push(Diagnostic::error("No configuration files"));
    }
    (!refused.is_empty()).then(|| Planned { plan: None, diagnostics: refused, trace: Trace::default() })
}

/// The plan of a command whose configuration was read; its walks are kept if that is wanted and they can be resumed.
pub(crate) fn plan_read<'w>(
    workspace: &Workspace,
    read: Read<'w>,
    mut calls: Calls<'_>,
    keeps: bool,
) -> PlanOutcome<'w> {
    let mut diagnostics = from_language(&read.loaded.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        // E170: a provider that is not installed does not keep an engine from looking at values.
        if read.loaded.is_unmet {
            diagnostics.extend(root_variables(&workspace.options, &read.loaded.configuration.module));
        }
        let planned = Planned { plan: None, diagnostics, trace: Trace::default() };
        return PlanOutcome::Ended(Box::new(planned), ERRORS);
    }
    let configuration = &read.loaded.configuration;
    let (mut model, checked) = compiled_and_checked(read, workspace.dialect, calls.workers);
    let notation = Notation { engine: workspace.dialect.engine() };
    let targets = Selection::new(&workspace.options, notation);
    let compares = workspace.options.mode == Mode::RefreshOnly && workspace.dialect.compares_refreshed_states();
    if compares && calls.record == Record::Nothing {
        calls.record = Record::Calls;
    }
    let keep = keeps.then(|| Keep { has_diagnostics: !diagnostics.is_empty(), ..Keep::default() });
    let mut command =
        Command { workspace, calls: &mut calls, order: Order::default(), diagnostics, targets, checked, keep };
    let plan = command.run(&mut model, configuration);
    let Command { order, diagnostics, keep, .. } = command;
    match keep {
        Some(Keep { validate: Some(validate), plan: Some(plan), statements, .. }) => {
            let kept_plan = KeptPlan::new(model, configuration, [validate, plan], calls.into_made(), order, statements);
            PlanOutcome::Kept(Box::new(kept_plan))
        }
        _ => {
            let reason = why_not_kept(&workspace.options, configuration, &diagnostics);
            PlanOutcome::Ended(Box::new(Planned { plan, diagnostics, trace: calls.into_trace(order) }), reason)
        }
    }
}

/// The reason for planning everything after a plan with errors.
pub(crate) const ERRORS: &str = "the plan before had errors";

/// The reason why a plan cannot be resumed.
fn why_not_kept(options: &Options, root: &config::Configuration, diagnostics: &[Diagnostic]) -> &'static str {
    match () {
        () if diagnostics.iter().any(Diagnostic::is_error) => ERRORS,
        () if options.mode != Mode::Normal => "the plan before was one of destroying or refreshing",
        () if !options.targets.is_empty() || !options.excludes.is_empty() => "the plan before had targets",
        () if !root.module.imports.is_empty() => "the plan before had imports",
        () if !diagnostics.is_empty() => "the plan before had moves, or its files had diagnostics",
        () => "the plan before had moves",
    }
}

/// The diagnostics of loading the configuration.
pub fn from_language(found: &[planfuzz_language::Diagnostic]) -> Vec<Diagnostic> {
    let severity = |one: &planfuzz_language::Diagnostic| match one.severity {
        planfuzz_language::Severity::Error => planfuzz_workspace::Severity::Error,
        planfuzz_language::Severity::Warning => planfuzz_workspace::Severity::Warning,
    };
    let converted =
        |one| Diagnostic { severity: severity(one), summary: one.summary.clone(), address: one.address.clone() };
    found.iter().map(converted).collect()
}

impl<'w> Command<'w, '_, '_> {
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Reports an error for each summary; returns whether there are any.
    pub(crate) fn errors(&mut self, summaries: Vec<String>) -> bool {
        let is_any = !summaries.is_empty();
        summaries.into_iter().for_each(|summary| self.error(summary));
        is_any
    }

    pub(crate) fn error(&mut self, summary: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary));
    }

    fn run(&mut self, model: &mut Model<'w>, configuration: &config::Configuration) -> Option<Plan> {
        if self.lacks_root_variables(model) {
            return None;
        }
        self.validate(model, configuration);
        let options = &self.workspace.options;
        if !self.has_errors() && !options.replace.is_empty() && options.mode != Mode::Normal {
            self.error("Unsupported plan mode");
        }
        let missing = if self.has_errors() { 0 } else { unserved(self.workspace) };
        (0..missing).for_each(|_| self.error("Missing required provider"));
        if self.has_errors() {
            return None;
        }
        if !self.targets.is_empty() {
            self.diagnostics.push(Diagnostic::warning("Resource targeting is in effect"));
        }
        let start = self.move_objects(model, self.workspace.state.clone().unwrap_or_default())?;
        let dialect = self.workspace.dialect;
        let is_refreshed = options.refresh && !start.state.is_empty();
        if options.mode == Mode::Normal || options.mode == Mode::Destroy && is_refreshed {
            self.removed_still_there(model);
        }
        let looks = is_refreshed && dialect.looks_at_imports_in_destructions();
        if options.mode == Mode::Normal || options.mode == Mode::Destroy && looks {
            let imports = model.modules[0].of.imports.iter().filter(|_| dialect.looks_for_import_blocks_first());
            let missing = imports.filter(|import| model.import_block(import).is_none()).count();
            (0..missing).for_each(|_| self.error(NO_CONFIGURATION));
        }
        if options.mode != Mode::Destroy || is_refreshed {
            self.providers_present(model, &start.state, Gone::Managed);
        }
        if self.has_errors() {
            return None;
        }
        know(model, &start.state);
        match options.mode {
            Mode::Destroy => self.plan_destroy(model, start),
            _ => self.plan_changes(model, start),
        }
    }

    /// G04
    fn validate(&mut self, model: &mut Model<'w>, configuration: &config::Configuration) {
        let (sources, schemas) = (&self.workspace.sources, &self.workspace.schemas);
        let found = match self.checked.take() {
            Some(checked) => checked,
            None => check::of_nodes(configuration, sources, schemas, imports_checked(model.dialect)),
        };
        // G07: targets in modules that are not configured.
        let is_lost = |import: &&Import| model.import_module(import).is_none();
        let lost = model.modules[0].of.imports.iter().filter(is_lost).count();
        if lost > 0 && !matches!(&found, ConfigurationDiagnostics::Before(before) if before.step == Step::Provisioners)
        {
            return (0..lost).for_each(|_| self.error(NO_CONFIGURATION));
        }
        let lacks_provider = misses_provider_of_import(model);
        let mut diagnostics = match &found {
            ConfigurationDiagnostics::Before(before) if before.step != Step::Cycles || !lacks_provider => {
                from_language(&before.diagnostics)
            }
            _ => Vec::new(),
        };
        let is_module = |step| matches!(step, Step::Provisioners | Step::Modules);
        let is_looked_at = !matches!(&found, ConfigurationDiagnostics::Before(before) if is_module(before.step));
        if lacks_provider && is_looked_at {
            diagnostics.push(Diagnostic::error("Provider configuration not present"));
        }
        // Diagnostics of the graph end the command before any walk.
        let (ConfigurationDiagnostics::Walk(of_nodes), true) = (found, diagnostics.is_empty()) else {
            self.diagnostics.extend(diagnostics);
            return;
        };
        know_imports(model);
        let wired = of_validation(model);
        if self.errors(plan_cycles(&wired, model)) {
            return;
        }
        let mut walk = Walk::new(self.workspace, model, Purpose::Validate, wired, State::default(), self.calls);
        walk.here.walk = self.order.push(walk.order("validate"));
        walk.notes(self.keep.is_some());
        let has_static_diagnostics = !of_nodes.is_empty();
        walk.knows_statically(of_nodes);
        walk.run();
        if let Some(keep) = &mut self.keep
            && !has_static_diagnostics
            && !keep.has_diagnostics
        {
            self.diagnostics.extend(walk.results.diagnostics.iter().cloned());
            keep.validate = Some(Kept::of(walk));
            return;
        }
        self.diagnostics.extend(walk.results.diagnostics);
    }

    /// G05, G42
    fn move_objects(&mut self, model: &Model<'_>, mut state: State) -> Option<Start> {
        let found = statements(model, &state);
        let mut moved = moves::apply(&found, model, &mut state, self.calls, self.order.walks.len());
        self.order.push(std::mem::take(&mut moved.order));
        self.diagnostics.append(&mut moved.diagnostics);
        if self.has_errors() {
            return None;
        }
        let targets = &self.targets;
        let is_left_out = |address| targets.leaves_out(address);
        if !targets.is_empty() && moved.from.iter().any(|(to, from)| is_left_out(to) || is_left_out(from)) {
            self.error("Moved resource instances excluded by targeting");
            return None;
        }
        Some(Start { state, statements: found, moved })
    }

    /// P and R
    fn plan_changes(&mut self, model: &Model<'w>, start: Start) -> Option<Plan> {
        let mode = self.workspace.options.mode;
        let purpose = if mode == Mode::RefreshOnly { Purpose::Refresh } else { Purpose::Plan };
        let imports = if mode == Mode::Normal { Imports::Visited } else { Imports::LeftOut };
        let wired = of_plan(model, &start.state, &self.targets, imports);
        if self.errors(plan_cycles(&wired, model)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, model, purpose, wired, start.state, self.calls);
        let moves_nothing = does_nothing(&start.moved);
        let moves_none = start.moved.from.is_empty();
        walk.begin_with(start.moved.from, start.moved.handovers, &self.targets);
        if !walk.targets.is_empty() {
            walk.note_visited_deposed();
        }
        walk.results.checks = table(model);
        walk.here.walk = self.order.push(walk.order("plan"));
        walk.notes(self.keep.is_some());
        match purpose {
            Purpose::Refresh => walk.see_deposed_alone(|_| true),
            _ => walk.see_passing_deposed(),
        }
        walk.run();
        if let Some(keep) = &mut self.keep
            && keep.validate.is_some()
            && moves_nothing
            && can_be_kept(&walk, &self.diagnostics)
            && walk.check_moves(&start.statements, 0).is_empty()
        {
            keep.statements = start.statements;
            keep.plan = Some(Kept::of(walk));
            return None;
        }
        walk.replacements();
        let mut found = walk.check_moves(&start.statements, start.moved.cycles);
        if found.is_empty() {
            found = std::mem::take(&mut walk.importing.undeclared);
        }
        if !found.is_empty() {
            self.diagnostics.retain(|one| !one.is_error());
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results, state, previous, insts, .. } = walk;
        let Results { changes, drift, outputs, checks, diagnostics, found_other, .. } = results;
        let relevant = Some(relevant(model, insts.all(), &changes, &outputs));
        let taken_in = mode == Mode::RefreshOnly
            && match self.workspace.dialect.compares_refreshed_states() {
                true => self.takes_in(&state, &previous),
                false => found_other,
            };
        self.diagnostics.extend(diagnostics);
        self.warn_of_missing_types(model, !moves_none, (&state, &previous));
        let errored = self.has_errors();
        self.warn_blocked(start.moved.blocked);
        if mode == Mode::Normal {
            self.diagnostics.extend(forgotten(self.workspace.dialect, &changes));
        }
        let mut plan = Plan {
            mode,
            changes,
            drift,
            outputs,
            checks,
            relevant,
            applyable: false,
            complete: !errored && self.targets.is_empty(),
            errored,
            prior: state,
            previous,
        };
        plan.applyable = !errored && (does_something(self.workspace.dialect, &plan) || taken_in);
        self.diagnostics.extend(late_cycle(model, &plan, &self.targets));
        self.calls.drop_beside(insts);
        Some(plan)
    }

    /// G34: reported in every mode, if there are no errors.
    fn warn_blocked(&mut self, is_blocked: bool) {
        if is_blocked && !self.has_errors() {
            self.diagnostics.push(Diagnostic::warning("Unresolved resource instance address changes"));
        }
    }

    /// G156: managed objects are compared with their dependencies, flags and private data; a number that was read never equals the stored
    /// one, since the two have different precision.
    fn takes_in(&self, refreshed: &State, previous: &State) -> bool {
        let managed = |state: &State| {
            let all = state.resources.iter().filter(|(address, _)| address.resource.mode == ResourceMode::Managed);
            let resources = all.map(|(address, resource)| (address.clone(), resource.clone())).collect();
            State { resources, ..State::default() }
        };
        let json = |state: &State| {
            state.to_json(&self.workspace.schemas, self.workspace.dialect).ok().map(|json| canonical(&json))
        };
        // The engine's own provider (E190) is called without messages, so that its numbers keep their precision.
        let own = ProviderSource::builtin();
        let is_read = |made: &&Made| matches!(made.call.request, Request::Read { .. }) && made.call.provider != own;
        let read: HashSet<&str> = self.calls.made.iter().filter(is_read).map(|made| &*made.visit).collect();
        let mut refreshed = managed(refreshed);
        if json(&refreshed) != json(&managed(previous)) {
            return true;
        }
        if !self.workspace.dialect.compares_refreshed_states() {
            return false;
        }
        for (of, resource) in &mut refreshed.resources {
            let address = |key: &InstanceKey| AbsResourceInstance {
                module: of.module.clone(),
                resource: of.resource.clone(),
                key: key.clone(),
            };
            resource.instances.retain(|key, _| read.contains(&*address(key).to_string()) || fault!(NumbersAllRead));
        }
        json(&refreshed).is_some_and(|json| has_number(&json, false))
    }

    /// G152: a stored object whose provider lacks its type is missed in the search for drift, which is made only if something has moved or is
    /// otherwise than it was.
    fn warn_of_missing_types(&mut self, model: &Model<'_>, has_moved: bool, (refreshed, previous): (&State, &State)) {
        let missed = without_type(model, previous);
        if missed > 0 && (has_moved || self.takes_in(refreshed, previous)) {
            let warnings = (0..missed).map(|_| Diagnostic::warning("Missing resource schema from provider"));
            self.diagnostics.extend(warnings);
        }
    }

    /// G12
    fn plan_destroy(&mut self, model: &Model<'w>, start: Start) -> Option<Plan> {
        let refreshes = self.workspace.options.refresh && !start.state.is_empty();
        let (start, refreshed) = match refreshes {
            true => self.refresh_before_destroy(model, start).map(|(start, previous)| (start, Some(previous)))?,
            false => (start, None),
        };
        let Start { state, statements, moved } = start;
        self.providers_present(model, &state, Gone::All);
        if self.has_errors() {
            return None;
        }
        let wired = of_destroy(model, &state, &self.targets);
        if self.errors(wiring::without_order(&wired, model, &state, names::node)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, model, Purpose::Destroy, wired, state, self.calls);
        let has_moved = !moved.from.is_empty();
        walk.begin_with(moved.from, moved.handovers, &self.targets);
        walk.results.checks = table(model);
        walk.here.walk = self.order.push(walk.order("destroy"));
        walk.run();
        let found = walk.check_moves(&statements, moved.cycles);
        if !found.is_empty() {
            self.diagnostics.retain(|one| !one.is_error());
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results, state, previous: upgraded, insts, .. } = walk;
        let Results { changes, drift, outputs, checks, diagnostics, .. } = results;
        let relevant = Some(relevant(model, insts.all(), &changes, &outputs));
        self.diagnostics.extend(diagnostics);
        self.warn_of_missing_types(model, has_moved, (&state, &upgraded));
        let errored = self.has_errors();
        self.warn_blocked(moved.blocked);
        let mut plan = Plan {
            mode: Mode::Destroy,
            changes,
            drift: if refreshes { Vec::new() } else { drift },
            outputs,
            checks: self.checks_of_destroy(checks),
            relevant,
            applyable: false,
            complete: !errored && self.targets.is_empty(),
            errored,
            prior: state,
            previous: refreshed.unwrap_or(upgraded),
        };
        plan.applyable = !errored && does_something(self.workspace.dialect, &plan);
        self.diagnostics.extend(late_cycle(model, &plan, &self.targets));
        Some(plan)
    }

    /// G12: the walk that refreshes what is to be destroyed, and the moves after it; returns what the destroying walk begins with, and the
    /// state before the refresh.
    fn refresh_before_destroy(&mut self, model: &Model<'w>, start: Start) -> Option<(Start, State)> {
        let Start { state, statements, moved } = start;
        let looks = model.dialect.looks_at_imports_in_destructions();
        let imports = if looks { Imports::Visited } else { Imports::Awaited };
        let wired = of_plan(model, &state, &self.targets, imports);
        if self.errors(plan_cycles(&wired, model)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, model, Purpose::BeforeDestroy, wired, state, self.calls);
        let has_moved = !moved.from.is_empty();
        walk.begin_with(moved.from, moved.handovers, &self.targets);
        walk.here.walk = self.order.push(walk.order("refresh before destroy"));
        walk.see_passing_deposed();
        walk.run();
        let found = walk.check_moves(&statements, moved.cycles);
        if !found.is_empty() {
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results: Results { changes, diagnostics, .. }, state, previous, .. } = walk;
        if diagnostics.iter().any(Diagnostic::is_error) {
            self.diagnostics.extend(diagnostics);
            self.diagnostics.extend(forgotten(self.workspace.dialect, &changes));
            self.warn_of_missing_types(model, has_moved, (&state, &previous));
            return None;
        }
        Some((self.move_objects(model, state)?, previous))
    }

    /// The checks of a destruction: only outputs of the root are listed, with an unknown status. Those that targets leave out are not
    /// visited.
    fn checks_of_destroy(&self, mut checks: CheckTable) -> CheckTable {
        for entry in checks.0.values_mut() {
            let is_root_output = entry.kind == CheckKind::Output && entry.module.is_empty() && self.targets.is_empty();
            entry.objects = is_root_output.then(|| {
                let (module, key) = (ModuleInstance::ROOT, InstanceKey::None);
                let object = CheckObject { module, key, status: Status::Unknown, failures: Vec::new() };
                [(entry.address(), object)].into()
            });
        }
        checks
    }
}

/// How many current managed objects are of types that their providers do not have.
fn without_type(model: &Model<'_>, state: &State) -> usize {
    let mut missed = 0;
    // Resources are sorted by type, so that most are of that of the one before.
    let mut known: Option<(&ProviderSource, &str)> = None;
    let managed = state.resources.iter().filter(|(of, _)| of.resource.mode == ResourceMode::Managed);
    for (of, stored) in managed {
        let (source, type_name) = (&stored.provider.source, &of.resource.type_name);
        if known == Some((source, type_name)) {
            continue;
        }
        let types = model.schemas.provider(&source.to_string()).map(|provider| &provider.types);
        match types.is_some_and(|types| types.contains_key(&(ResourceMode::Managed, type_name.clone()))) {
            true => known = Some((source, type_name)),
            false => missed += stored.instances.iter().filter(|(_, one)| one.current.is_some()).count(),
        }
    }
    missed
}

/// Whether no statement of moves had an effect; one that stays in a configuration after its move was made has none.
fn does_nothing(moved: &Moved) -> bool {
    moved.from.is_empty() && !moved.blocked && moved.cycles == 0
}

/// Whether the walk of a plan can be resumed: a normal plan of everything, without errors, imports and objects of unknown types.
fn can_be_kept(walk: &Walk<'_, '_, '_, '_>, diagnostics: &[Diagnostic]) -> bool {
    let all = diagnostics.iter().chain(&walk.results.diagnostics);
    walk.purpose == Purpose::Plan
        && walk.targets.is_empty()
        && walk.model.modules[0].of.imports.is_empty()
        && !all.into_iter().any(Diagnostic::is_error)
        && without_type(walk.model, &walk.state) == 0
}

/// G11
pub(crate) fn late_cycle(model: &Model<'_>, plan: &Plan, targets: &Selection) -> Vec<Diagnostic> {
    if plan.errored || !does_something(model.dialect, plan) || only_makes(model, plan) && !cfg!(debug_assertions) {
        return Vec::new();
    }
    let keys = apply_graph::fresh_keys(plan);
    let (wired, _) = apply_graph::build(model, plan, &keys);
    let wired = targets.keep(wired, model);
    let errors = wiring::without_order(&wired, model, &plan.prior, names::of_apply);
    debug_assert!(errors.is_empty() || !only_makes(model, plan), "what only makes has a cycle: {errors:?}");
    errors.into_iter().map(Diagnostic::error).collect()
}

/// Whether an apply only creates, updates and reads, without data of checks. Besides the configured nodes its graph has one for each
/// instance that is made: it waits for its block and for what the block waits for, and nodes that wait for the block wait for it (U30 to
/// U33). Merged with their blocks they add no edge, so that a configuration without cycles (G04) has none there.
fn only_makes(model: &Model<'_>, plan: &Plan) -> bool {
    let makes = |change: &AddressedChange| {
        let is_made = matches!(change.action(), Action::Create | Action::Update | Action::Read | Action::NoOp);
        is_made && change.deposed().is_none() && model.block_of(&change.addr).is_some()
    };
    model.check_blocks.is_empty() && plan.changes.iter().all(makes)
}

/// Registers the providers and types of stored objects.
pub fn know(model: &mut Model<'_>, state: &State) {
    for (address, stored) in &state.resources {
        let provider = model.passed_on(&stored.provider).into_owned();
        model.provider(&provider);
        model.typed(&stored.provider.source.to_string(), address.resource.mode, &address.resource.type_name);
    }
}

/// Registers the providers of imports whose targets have no block (G49).
fn know_imports(model: &mut Model<'_>) {
    let providers: Vec<ProviderConfig> =
        model.imports_of_nothing().filter_map(|(_, import)| model.provider_of_import(import)).collect();
    for provider in &providers {
        model.provider(provider);
    }
}

/// G47: also for the refresh before a destruction, if that ends with errors.
pub(crate) fn forgotten(dialect: Dialect, changes: &[AddressedChange]) -> Option<Diagnostic> {
    let is_reported = !dialect.warns_of_forgetting() && changes.iter().any(|change| change.action() == Action::Forget);
    is_reported.then(|| Diagnostic::warning("Some objects will no longer be managed by Terraform"))
}

/// Whether a plan changes anything. G156: a refresh does not store values that it leaves unknown.
pub(crate) fn does_something(dialect: Dialect, plan: &Plan) -> bool {
    let only_known = plan.mode == Mode::RefreshOnly && dialect.compares_refreshed_states();
    let is_known = |change: &Change<Marked>| change.action != Action::Delete && change.after.value().is_wholly_known();
    has_changes(plan, |change| !only_known || is_known(change))
}

/// Whether a plan has a change of an object, or one of an output that counts.
pub(crate) fn has_changes(plan: &Plan, counts: impl Fn(&Change<Marked>) -> bool) -> bool {
    let acts = |change: &Change<Marked>| change.action != Action::NoOp && counts(change);
    plan.outputs.iter().any(|output| acts(output.change())) || plan.changes.iter().any(|change| !change.is_empty())
}

/// Whether there is a number among the attributes of a state file.
fn has_number(json: &Json, is_inside: bool) -> bool {
    match json {
        Json::Number(_) => is_inside,
        Json::Array(items) => items.iter().any(|item| has_number(item, is_inside)),
        Json::Object(members) => {
            members.iter().any(|(name, value)| has_number(value, is_inside || &**name == "attributes"))
        }
        _ => false,
    }
}
