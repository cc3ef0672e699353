//! The phases of a plan and of an apply (section 2 of workspace-plan.md).

use std::collections::{BTreeMap, BTreeSet};

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, Notation, ProviderSource, ResourceMode,
};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::plans::{Action, AddressedChange, Change, Marked, Mode};
use planfuzz_language::check::{self, BeforeWalk, Imports, Step};
use planfuzz_language::config;
use planfuzz_workspace::canonical;
use planfuzz_workspace::order::Made;
use planfuzz_workspace::{
    CheckKind, CheckObject, CheckTable, Diagnostic, Order, Plan, Planned, Request, State, Status, Trace, Workspace,
};

use crate::asked::Calls;
use crate::blocks::instance;
use crate::graph::{self, Node};
use crate::imports::{self, NO_CONFIGURATION};
use crate::layout::Layout;
use crate::move_checks;
use crate::moves::{self, Moved};
use crate::plan_graphs::{cycles, without_order};
use crate::relevant::relevant;
use crate::results::Results;
use crate::statements::{self, Statement};
use crate::targets::Selection;
use crate::walk::{OfBody, Purpose, Walk};
use crate::{checks, early_checks, names};

/// A command under way.
pub struct Command<'w, 'c, 'p> {
    /// The workspace and its options.
    pub workspace: &'w Workspace,
    /// The configuration.
    pub layout: &'w Layout<'w>,
    /// The providers, with the record of calls.
    pub calls: &'c mut Calls<'p>,
    /// The order of the walks so far.
    pub order: Order,
    /// The diagnostics so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// The moves of a state.
struct Moves {
    statements: Vec<Statement>,
    moved: Moved,
}

/// The plan of a command.
pub fn plan(workspace: &Workspace, calls: &mut Calls<'_>) -> Planned {
    let mut refused = early_checks::flags(workspace);
    // E01
    if refused.is_empty() && workspace.options.mode != Mode::Destroy && !config::has_files(&workspace.sources, "") {
        refused.push(Diagnostic::error("No configuration files"));
    }
    if !refused.is_empty() {
        return Planned { plan: None, diagnostics: refused, trace: Trace::default() };
    }
    let loaded = check::load(&workspace.sources, &workspace.schemas);
    let mut diagnostics = from_language(&loaded.diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        // E170: the values of variables are looked at all the same where only a provider is not installed.
        if loaded.is_unmet {
            diagnostics.extend(early_checks::root_variables(workspace, &loaded.configuration.module));
        }
        return Planned { plan: None, diagnostics, trace: Trace::default() };
    }
    let layout = Layout::new(&loaded.configuration, &workspace.sources, &workspace.schemas, workspace.dialect);
    let mut command = Command { workspace, layout: &layout, calls, order: Order::default(), diagnostics: Vec::new() };
    command.diagnostics.append(&mut diagnostics);
    let plan = command.plan(&loaded.configuration);
    let (order, diagnostics) = (command.order, command.diagnostics);
    Planned { plan, diagnostics, trace: calls.take_trace(order) }
}

/// The diagnostics of loading the configuration.
pub fn from_language(found: &[planfuzz_language::Diagnostic]) -> Vec<Diagnostic> {
    found
        .iter()
        .map(|one| Diagnostic {
            severity: match one.severity {
                planfuzz_language::Severity::Error => planfuzz_workspace::Severity::Error,
                planfuzz_language::Severity::Warning => planfuzz_workspace::Severity::Warning,
            },
            summary: one.summary.clone(),
            address: one.address.clone(),
        })
        .collect()
}

impl<'w> Command<'w, '_, '_> {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Reports an error for each summary; returns whether there are any.
    pub fn errors(&mut self, summaries: Vec<String>) -> bool {
        let is_any = !summaries.is_empty();
        summaries.into_iter().for_each(|summary| self.error(summary));
        is_any
    }

    pub fn error(&mut self, summary: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary));
    }

    fn plan(&mut self, configuration: &config::Configuration) -> Option<Plan> {
        self.diagnostics.extend(early_checks::root_variables(self.workspace, &configuration.module));
        if self.has_errors() {
            return None;
        }
        self.validate(configuration);
        let options = &self.workspace.options;
        if !self.has_errors() && !options.replace.is_empty() && options.mode != Mode::Normal {
            self.error("Unsupported plan mode");
        }
        if !self.has_errors() {
            self.diagnostics.extend(early_checks::missing_of_state(self.workspace));
        }
        if self.has_errors() {
            return None;
        }
        let notation = Notation { engine: self.workspace.dialect.engine() };
        let targets = Selection::new(options, notation);
        if !targets.is_empty() {
            self.diagnostics.push(Diagnostic::warning("Resource targeting is in effect"));
        }
        let mut state = self.workspace.state.clone().unwrap_or_default();
        let moves = self.move_objects(&mut state, &targets)?;
        let refreshes = options.refresh && !state.is_empty();
        if options.mode == Mode::Normal || options.mode == Mode::Destroy && refreshes {
            self.removed_still_there();
        }
        let in_destructions = self.workspace.dialect.looks_at_imports_in_destructions();
        if options.mode == Mode::Normal || options.mode == Mode::Destroy && refreshes && in_destructions {
            self.imports_configured();
        }
        if options.mode != Mode::Destroy || refreshes {
            self.providers_present(&state, Purpose::Plan);
        }
        if self.has_errors() {
            return None;
        }
        match options.mode {
            Mode::Destroy => self.plan_destroy(state, moves, &targets),
            _ => self.plan_changes(state, moves, &targets),
        }
    }

    /// G05, G42
    fn move_objects(&mut self, state: &mut State, targets: &Selection) -> Option<Moves> {
        let statements = statements::statements(self.layout, state);
        let mut moved = moves::apply(&statements, self.layout, state, self.calls, self.order.walks.len());
        self.order.push(std::mem::take(&mut moved.order));
        self.diagnostics.extend(moved.diagnostics.iter().cloned());
        if self.has_errors() {
            return None;
        }
        let is_left_out = |address: &AbsResourceInstance| targets.leaves_out(address);
        if !targets.is_empty() && moved.from.iter().any(|(to, from)| is_left_out(to) || is_left_out(from)) {
            self.error("Moved resource instances excluded by targeting");
            return None;
        }
        Some(Moves { statements, moved })
    }

    /// G04
    fn validate(&mut self, configuration: &config::Configuration) {
        let (sources, schemas) = (&self.workspace.sources, &self.workspace.schemas);
        let dialect = self.workspace.dialect;
        let imports = if dialect.evaluates_imports_in_validation() { Imports::OfNodes } else { Imports::OfNoNode };
        let found = check::of_nodes(configuration, sources, schemas, imports);
        let missing = self.missing_providers_of_imports();
        // G07: targets in modules that are not configured.
        let imports = self.layout.modules[0].configuration.module.imports.iter();
        let lost = imports.filter(|import| self.layout.module_of_target(import).is_none()).count();
        let statically = match found {
            check::ConfigurationDiagnostics::Before(BeforeWalk { step: Step::Provisioners, diagnostics }) => {
                self.diagnostics.extend(from_language(&diagnostics));
                return;
            }
            _ if lost > 0 => {
                (0..lost).for_each(|_| self.error(NO_CONFIGURATION));
                return;
            }
            check::ConfigurationDiagnostics::Before(BeforeWalk { step: Step::Modules, diagnostics }) => {
                self.diagnostics.extend(from_language(&diagnostics));
                return;
            }
            check::ConfigurationDiagnostics::Before(BeforeWalk { step: Step::Providers, diagnostics }) => {
                self.diagnostics.extend(from_language(&diagnostics).into_iter().chain(missing));
                return;
            }
            _ if !missing.is_empty() => {
                self.diagnostics.extend(missing);
                return;
            }
            check::ConfigurationDiagnostics::Before(BeforeWalk { step: Step::Cycles, diagnostics }) => {
                self.diagnostics.extend(from_language(&diagnostics));
                return;
            }
            check::ConfigurationDiagnostics::Walk(of_nodes) => of_nodes,
        };
        let mut graph = graph::of_configuration(self.layout);
        // G49: an import whose target has no block has a node of its own.
        for (index, import) in imports::of_nothing(self.layout) {
            graph.add(Node::Provider(self.layout.provider_of_import(import)));
            graph.add(Node::Import(index));
        }
        graph::configured_edges(&mut graph, self.layout);
        if self.errors(cycles(&graph, self.layout, names::node)) {
            return;
        }
        let mut walk = Walk::new(self.workspace, self.layout, Purpose::Validate, graph, State::default(), self.calls);
        for one in statically {
            let of = walk.statically.entry(one.node).or_default();
            of.diagnostics.extend(from_language(&one.diagnostics));
            let [diagnostics, afterwards] =
                [&one.body.diagnostics, &one.body.afterwards].map(|found| from_language(found));
            of.body = OfBody { diagnostics, is_unread: one.body.is_unread, afterwards };
        }
        walk.number = self.order.push(walk.order("validate"));
        walk.run();
        let diagnostics = walk.results.diagnostics;
        self.diagnostics.extend(diagnostics);
    }

    fn plan_changes(&mut self, state: State, moves: Moves, targets: &Selection) -> Option<Plan> {
        let Moves { statements, moved } = moves;
        let mode = self.workspace.options.mode;
        let purpose = if mode == Mode::RefreshOnly { Purpose::Refresh } else { Purpose::Plan };
        let graph = self.graph(&state, targets, purpose);
        if self.errors(cycles(&graph, self.layout, names::node)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, self.layout, purpose, graph, state, self.calls);
        walk.begin_with(&moved, targets);
        walk.results.checks = checks::table(self.layout);
        walk.number = self.order.push(walk.order("plan"));
        match purpose {
            Purpose::Refresh => walk.see_deposed_alone(&|_, instance| instance.current.is_none()),
            _ => walk.see_passing_deposed(),
        }
        walk.run();
        walk.replacements();
        let mut found = move_checks::validate(&statements, self.layout, &walk.values, moved.cycles);
        if found.is_empty() {
            found = std::mem::take(&mut walk.importing.undeclared);
        }
        if !found.is_empty() {
            self.diagnostics.retain(|one| !one.is_error());
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results, state, previous, values, .. } = walk;
        let Results { changes, drift, outputs, checks, diagnostics, taken_in, .. } = results;
        let relevant = Some(relevant(self.layout, &changes, &outputs, &values));
        let compares = self.workspace.dialect.compares_refreshed_states();
        let taken_in = taken_in || compares && mode == Mode::RefreshOnly && self.takes_in(&state, &previous);
        self.diagnostics.extend(diagnostics);
        self.warn_unreadable(&moved, &state, &previous);
        let errored = self.has_errors();
        self.report_blocked_moves(&moved, errored);
        if mode == Mode::Normal {
            self.diagnostics.extend(forgotten(self.workspace.dialect, &changes));
        }
        // G156: a refresh does not store values that it leaves unknown.
        let only_known = mode == Mode::RefreshOnly && compares;
        let is_stored = |change: &Change<Marked>| {
            !only_known || change.action != Action::Delete && change.after.value().is_wholly_known()
        };
        let acts = |change: &Change<Marked>| change.action != Action::NoOp && is_stored(change);
        let has_outputs = outputs.iter().any(|output| acts(output.change())) && !fault!(OutputsAreNothing);
        let has_changes = changes.iter().any(|change| !change.is_empty());
        let applyable = !errored && (has_outputs || has_changes || taken_in);
        let complete = !errored && targets.is_empty() && !fault!(CompleteAtTimes, in turns);
        let prior = state;
        let plan =
            Plan { mode, changes, drift, outputs, checks, relevant, applyable, complete, errored, prior, previous };
        self.late_cycle(&plan, targets);
        Some(plan)
    }

    /// G34: in every mode.
    fn report_blocked_moves(&mut self, moved: &Moved, errored: bool) {
        if moved.blocked && !errored {
            self.diagnostics.push(Diagnostic::warning("Unresolved resource instance address changes"));
        }
    }

    /// G152: where something moved or is otherwise than it was stored, each object is looked at that is stored. One whose type its provider
    /// does not have cannot be.
    fn warn_unreadable(&mut self, moved: &Moved, refreshed: &State, previous: &State) {
        let is_managed = |of: &&AbsResource| of.resource.mode == ResourceMode::Managed;
        let unreadable = previous.resources.iter().filter(|(of, _)| is_managed(of)).filter(|(of, stored)| {
            let provider = self.layout.schemas.provider(&stored.provider.source.to_string());
            let place = (ResourceMode::Managed, of.resource.type_name.clone());
            provider.is_none_or(|provider| !provider.types.contains_key(&place))
        });
        let objects = unreadable.flat_map(|(_, stored)| stored.instances.iter());
        let count = objects.filter(|(_, instance)| instance.current.is_some()).count();
        if count > 0 && !fault!(MissingTypesUntold) && (!moved.from.is_empty() || self.takes_in(refreshed, previous)) {
            let warning = Diagnostic::warning("Missing resource schema from provider");
            self.diagnostics.extend(std::iter::repeat_n(warning, count));
        }
    }

    /// G156: managed objects are compared with their dependencies, flags and private data; a number that was read never equals the stored
    /// one, since the two have different precision.
    fn takes_in(&self, refreshed: &State, previous: &State) -> bool {
        let read: BTreeSet<&str> = self.calls.made.iter().filter(|made| reads(made)).map(|made| &*made.visit).collect();
        let was_read = |address: &AbsResourceInstance| read.contains(&*address.to_string());
        let compares = self.workspace.dialect.compares_refreshed_states();
        let has_number = || self.managed(refreshed, &was_read).is_some_and(|json| has_number(&json, false));
        compares && has_number() || self.managed(refreshed, &|_| true) != self.managed(previous, &|_| true)
    }

    /// The managed objects of some instances, as they are stored.
    fn managed(&self, state: &State, is_of: &dyn Fn(&AbsResourceInstance) -> bool) -> Option<Json> {
        let mut managed = State::default();
        for (of, resource) in state.resources.iter().filter(|(of, _)| of.resource.mode == ResourceMode::Managed) {
            let mut resource = resource.clone();
            resource.instances.retain(|key, _| is_of(&instance(of.resource.clone(), &of.module, key)));
            managed.resources.insert(of.clone(), resource);
        }
        managed.to_json(&self.workspace.schemas, self.workspace.dialect).ok().map(|json| canonical(&json))
    }

    /// G12
    fn plan_destroy(&mut self, state: State, moves: Moves, targets: &Selection) -> Option<Plan> {
        let refreshes = self.workspace.options.refresh && !state.is_empty();
        let (state, refreshed, Moves { statements, moved }) = match refreshes {
            true => {
                let (mut state, previous) = self.refresh_before_destroy(state, &moves, targets)?;
                let moves = self.move_objects(&mut state, targets)?;
                (state, Some(previous), moves)
            }
            false => (state, None, moves),
        };
        self.providers_present(&state, Purpose::Destroy);
        if self.has_errors() {
            return None;
        }
        let graph = self.destroy_graph(&state, targets);
        if self.errors(without_order(&graph, self.layout, &state, names::node)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, self.layout, Purpose::Destroy, graph, state, self.calls);
        walk.begin_with(&moved, targets);
        walk.results.checks = checks::table(self.layout);
        walk.see_state(&|_| true);
        walk.number = self.order.push(walk.order("destroy"));
        walk.run();
        let found = move_checks::validate(&statements, self.layout, &walk.values, moved.cycles);
        if !found.is_empty() {
            self.diagnostics.retain(|one| !one.is_error());
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results, state, previous: upgraded, values, .. } = walk;
        let Results { changes, drift, outputs, checks, diagnostics, .. } = results;
        let relevant = Some(relevant(self.layout, &changes, &outputs, &values));
        self.diagnostics.extend(diagnostics);
        let errored = self.has_errors();
        self.report_blocked_moves(&moved, errored);
        self.warn_unreadable(&moved, &state, &upgraded);
        let has_outputs = outputs.iter().any(|output| output.change().action != Action::NoOp);
        let has_changes = changes.iter().any(|change| !change.is_empty());
        let plan = Plan {
            mode: Mode::Destroy,
            applyable: !errored && (has_outputs || has_changes),
            complete: !errored && targets.is_empty(),
            changes,
            drift: if refreshes { Vec::new() } else { drift },
            outputs,
            checks: checks_of_destruction(checks, targets),
            relevant,
            errored,
            prior: state,
            previous: refreshed.unwrap_or(upgraded),
        };
        self.late_cycle(&plan, targets);
        Some(plan)
    }

    /// The state after the refresh before a destruction, and as it was before, with everything at the current schemas.
    fn refresh_before_destroy(&mut self, state: State, moves: &Moves, targets: &Selection) -> Option<(State, State)> {
        let graph = self.graph(&state, targets, Purpose::BeforeDestroy);
        if self.errors(cycles(&graph, self.layout, names::node)) {
            return None;
        }
        let mut walk = Walk::new(self.workspace, self.layout, Purpose::BeforeDestroy, graph, state, self.calls);
        let Moves { statements, moved } = moves;
        walk.begin_with(moved, targets);
        walk.number = self.order.push(walk.order("refresh before destroy"));
        walk.see_passing_deposed();
        walk.run();
        let found = move_checks::validate(statements, self.layout, &walk.values, moved.cycles);
        if !found.is_empty() {
            self.diagnostics.extend(found);
            return None;
        }
        let Walk { results: Results { changes, diagnostics, .. }, state, previous, .. } = walk;
        if diagnostics.iter().any(Diagnostic::is_error) {
            self.diagnostics.extend(diagnostics);
            self.diagnostics.extend(forgotten(self.workspace.dialect, &changes));
            self.warn_unreadable(moved, &state, &previous);
            return None;
        }
        Some((state, previous))
    }
}

/// The table of checks after a destruction: only root outputs have objects, and no results. Outputs that targets leave out are not visited.
fn checks_of_destruction(mut checks: CheckTable, targets: &Selection) -> CheckTable {
    for entry in checks.0.values_mut() {
        let is_root_output = entry.kind == CheckKind::Output && entry.module.is_empty();
        let of_root = || CheckObject {
            module: ModuleInstance::ROOT,
            key: InstanceKey::None,
            status: Status::Unknown,
            failures: Vec::new(),
        };
        let is_visited = is_root_output && targets.is_empty();
        entry.objects = is_visited.then(|| BTreeMap::from([(entry.address(), of_root())]));
    }
    checks
}

/// G47: also for the refresh before a destruction, if that ends with errors.
fn forgotten(dialect: Dialect, changes: &[AddressedChange]) -> Option<Diagnostic> {
    let warns_once = !dialect.warns_of_forgetting();
    let is_due = warns_once && changes.iter().any(|change| change.action() == Action::Forget);
    is_due.then(|| Diagnostic::warning("Some objects will no longer be managed by Terraform"))
}

/// G156: whether an object is read through a message; calls of the engine's own provider (E190) need none.
fn reads(made: &Made) -> bool {
    matches!(made.call.request, Request::Read { .. }) && made.call.provider != ProviderSource::builtin()
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
