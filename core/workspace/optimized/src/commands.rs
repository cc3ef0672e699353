//! The command `refresh`, and the checks of a saved plan before it is applied (U03, U05, U114).

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::ResourceMode;
use planfuzz_core::plans::Mode;
use planfuzz_language::config;
use planfuzz_workspace::{Diagnostic, Meanwhile, Options, Plan, Planned, Saved, State, Workspace, Written};

use crate::command::{from_language, has_changes};

/// G14, U114: the refreshed state of a normal plan, whose changes are dropped.
pub(crate) fn refreshed(workspace: &Workspace, plan: impl FnOnce(&Workspace) -> Planned) -> Written {
    // Only another mode needs a copy of the workspace.
    let normal = (workspace.options.mode != Mode::Normal).then(|| {
        let options = Options { mode: Mode::Normal, ..workspace.options.clone() };
        Workspace { options, ..workspace.clone() }
    });
    let mut asked = normal.as_ref().unwrap_or(workspace);
    // E01: a refresh takes a directory without files for an empty one.
    let mut filled = None;
    if !config::has_files(&asked.sources, "") {
        let mut other = asked.clone();
        if other.sources.add("empty.tf.json", "{}").is_ok() {
            asked = filled.insert(other);
        }
    }
    let Planned { plan, mut diagnostics, trace } = plan(asked);
    let is_errored = diagnostics.iter().any(Diagnostic::is_error);
    let is_valid = trace.order.walks.iter().any(|walk| walk.name == "moves");
    if is_valid && !workspace.state.as_ref().is_some_and(has_managed) {
        diagnostics.push(Diagnostic::warning("Empty or non-existent state"));
    }
    let state = plan.filter(|_| !is_errored || fault!(RefreshWritesErrors)).map(|plan| plan.prior);
    Written { state: state.map(|state| State { checks: None, ..state }), diagnostics, trace }
}

fn has_managed(state: &State) -> bool {
    let managed = state.resources.iter().filter(|(address, _)| address.resource.mode == ResourceMode::Managed);
    managed.flat_map(|(_, stored)| stored.instances.values()).any(|instance| !instance.is_absent())
}

/// U03, U05, U06: the errors for which a saved plan is not applied, with other diagnostics beside them; empty if it is applied.
pub(crate) fn refuses(workspace: &Workspace, plan: &Plan, saved: &Saved) -> Vec<Diagnostic> {
    let loaded = config::load(&workspace.sources, "");
    let mut diagnostics = match of_state(workspace.state.is_some(), saved.state) {
        Some(summary) => vec![Diagnostic::error(summary)],
        None if plan.errored => vec![Diagnostic::error("Cannot apply incomplete plan")],
        None => of_variables(workspace, &ephemeral(&loaded.configuration.module), &saved.variables),
    };
    // PF16: a plan without any change is a success, but one with changes of which none can be applied is an error.
    if diagnostics.is_empty() && !plan.applyable && has_changes(plan, |_| true) {
        diagnostics.push(Diagnostic::error("Cannot apply non-applyable plan"));
    }
    // U08: warnings of loading the plan's configuration are reported beside a refusal too.
    if !diagnostics.is_empty() {
        diagnostics.extend(from_language(&loaded.diagnostics));
    }
    diagnostics
}

/// A plan that was made without a state has no lineage, so that only the serial tells it from another state.
fn of_state(is_there: bool, meanwhile: Meanwhile) -> Option<&'static str> {
    match meanwhile {
        Meanwhile::Nothing => None,
        Meanwhile::Foreign if is_there && !fault!(LineageNotCompared) => {
            Some("Saved plan does not match the given state")
        }
        Meanwhile::Foreign | Meanwhile::Written => Some("Saved plan is stale"),
    }
}

/// The names of the ephemeral variables of the root.
fn ephemeral(root: &config::Module) -> HashSet<&str> {
    let is_ephemeral = |variable: &&config::Variable| variable.ephemeral.as_ref().is_some_and(|flag| flag.value);
    root.variables.iter().filter(is_ephemeral).map(|variable| &*variable.name.text).collect()
}

/// U05: a variable that is given again must have the value that the plan was given. U06: ephemeral variables must be those that the plan
/// was given, but may have other values.
fn of_variables(workspace: &Workspace, ephemeral: &HashSet<&str>, given: &[(String, String)]) -> Vec<Diagnostic> {
    let (dialect, is_held) = (workspace.dialect, workspace.dialect.holds_variables_to_plan());
    let mut planned: HashMap<&str, &str> = HashMap::new();
    for (name, value) in &workspace.options.variables {
        planned.entry(name).or_insert(value);
    }
    let wrong = given.iter().filter_map(|(name, value)| {
        match (planned.get(name.as_str()), ephemeral.contains(name.as_str())) {
            (None, _) if !is_held => None,
            (None, true) => Some("Ephemeral variable was not set during planning"),
            (None, false) => Some("Value for undeclared variable"),
            (Some(_), true) => None,
            (Some(planned), false) => (*planned != value).then_some(dialect.changed_variable_of_plan()),
        }
    });
    let mut errors: Vec<&str> = wrong.filter(|_| !fault!(VariablesNotCompared)).collect();
    let again: HashSet<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    // A missing variable is only reported if there is no other error.
    if errors.is_empty() && is_held {
        let is_missed = |name: &&&str| ephemeral.contains(**name) && !again.contains(**name);
        errors = planned.keys().filter(is_missed).map(|_| "No value for required variable").collect();
    }
    errors.into_iter().map(Diagnostic::error).collect()
}

#[cfg(test)]
mod tests {
    use planfuzz_core::dialect::Dialect;
    use planfuzz_language::Sources;
    use planfuzz_language::check::Schemas;

    use super::*;

    #[test]
    fn u03_a_plan_of_nothing_knows_no_lineage() {
        const FOREIGN: Option<&str> = Some("Saved plan does not match the given state");
        const STALE: Option<&str> = Some("Saved plan is stale");
        let all = [Meanwhile::Nothing, Meanwhile::Written, Meanwhile::Foreign];
        assert_eq!(all.map(|meanwhile| of_state(true, meanwhile)), [None, STALE, FOREIGN]);
        assert_eq!(all.map(|meanwhile| of_state(false, meanwhile)), [None, STALE, STALE]);
    }

    #[test]
    fn u05_u06_variables_given_again_equal_those_of_the_plan_except_ephemeral_ones() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let errors = |dialect: Dialect, planned: &[(String, String)], given: &[(String, String)]| {
            let options = Options { variables: planned.to_vec(), ..Options::default() };
            let (sources, schemas) = (Sources::default(), Schemas::default());
            let workspace = Workspace { dialect, sources, schemas, state: None, options };
            let found = of_variables(&workspace, &HashSet::from(["e"]), given);
            found.into_iter().map(|one| one.summary.to_string()).collect::<Vec<_>>()
        };
        let planned = [pair("a", "1"), pair("b", "2")];
        let (terraform, opentofu) = (Dialect::TERRAFORM_1_11, Dialect::OPENTOFU_1_12);
        assert_eq!(
            errors(terraform, &planned, &[pair("a", "1"), pair("b", "3"), pair("c", "4")]),
            ["Can't change variable when applying a saved plan", "Value for undeclared variable"]
        );
        assert_eq!(
            errors(opentofu, &planned, &[pair("b", "3"), pair("c", "4")]),
            ["Mismatch between input and plan variable value"]
        );
        assert!(errors(terraform, &planned, &[pair("b", "2")]).is_empty());
        assert!(errors(terraform, &[pair("e", "1")], &[pair("e", "2")]).is_empty());
        assert_eq!(errors(terraform, &[pair("e", "1")], &[]), ["No value for required variable"]);
        assert_eq!(errors(terraform, &[], &[pair("e", "1")]), ["Ephemeral variable was not set during planning"]);
        assert!(errors(opentofu, &[pair("e", "1")], &[]).is_empty());
        assert_eq!(errors(terraform, &[pair("e", "1")], &[pair("c", "4")]), ["Value for undeclared variable"]);
    }
}
