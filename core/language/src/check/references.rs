//! Checks references against declarations (E40 to E68); values are not needed.

use planfuzz_core::address::ResourceMode;
use planfuzz_core::schema::Schema;

use super::declared::Declared;
use super::schemas::Schemas;
use super::traversal::follow;
use super::values::Values;
use crate::config::{Configuration, Expr, Rule, StepKind, Traversal};
use crate::diagnostic::Diagnostic;
use crate::place::{SourcePlace, Span};

/// The names in scope of an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub configuration: &'s Configuration,
    pub declared: &'s Declared<'s>,
    pub schemas: &'s Schemas,
    /// Whether `count` and `each` are in scope (E45, E68).
    pub has_count: bool,
    pub has_each: bool,
    /// Whether `self` is in scope, and its schema.
    pub own: Option<Option<&'s Schema>>,
    /// The name of the surrounding check block, if any (E64).
    pub check: Option<&'s str>,
    /// The known values, if there is an evaluator.
    pub values: Option<&'s Values<'s>>,
}

impl<'s> Scope<'s> {
    pub fn new(configuration: &'s Configuration, declared: &'s Declared<'s>, schemas: &'s Schemas) -> Self {
        let (has_count, has_each, own, check, values) = (false, false, None, None, None);
        Self { configuration, declared, schemas, has_count, has_each, own, check, values }
    }
}

/// Whether references with this root are to values, and to no objects (E68a).
pub fn names_value(root: &str) -> bool {
    matches!(root, "var" | "local" | "path" | "terraform" | "count" | "each")
}

/// Whether a reference has the form of an address of a value or an object.
pub fn is_address(reference: &Traversal) -> bool {
    length(reference).is_some()
}

/// Checks a reference against the declarations.
pub(super) fn check(reference: &Traversal, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let root = reference.root.as_str();
    match root {
        _ if names_value(root) => named(reference, scope, diagnostics),
        "self" => own(reference, scope, diagnostics),
        "module" => module(reference, scope, diagnostics),
        "template" | "lazy" | "arg" => {
            let detail = format!("The symbol name {root:?} is reserved for use in a future Terraform version.");
            diagnostics.push(Diagnostic::error("Reserved symbol name", detail, root_place(reference)));
        }
        "data" => resource(reference, 0, ResourceMode::Data, scope, diagnostics),
        "ephemeral" => resource(reference, 0, ResourceMode::Ephemeral, scope, diagnostics),
        "resource" => resource(reference, 0, ResourceMode::Managed, scope, diagnostics),
        _ => managed(reference, scope, diagnostics),
    }
}

/// Like [`check`], for a reference in `depends_on`, which has to be to a whole object (E27). If it goes further, only that is reported.
pub(super) fn check_whole(reference: &Traversal, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(extra) = length(reference).and_then(|length| reference.steps.get(length)) else {
        return check(reference, scope, diagnostics);
    };
    let detail =
        "References in depends_on must be to a whole object (resource, etc), not to an attribute of an object.";
    diagnostics.push(Diagnostic::error("Invalid depends_on reference", detail, extra.place));
}

/// The number of steps in the address of an object, by its form alone; `None` if the reference is no such address.
fn length(reference: &Traversal) -> Option<usize> {
    let names = |count: usize| (0..count).all(|at| name_at(reference, at).is_some()).then_some(count);
    let has_key = |at: usize| matches!(reference.steps.get(at).map(|step| &step.kind), Some(StepKind::Index(_)));
    match &*reference.root {
        root if names_value(root) => names(1),
        "self" => Some(0),
        "template" | "lazy" | "arg" => None,
        "module" => {
            let called = names(1).map(|at| at + usize::from(has_key(at)))?;
            Some(called + usize::from(name_at(reference, called).is_some()))
        }
        "data" | "ephemeral" | "resource" => names(2).map(|at| at + usize::from(has_key(at))),
        _ => names(1).map(|at| at + usize::from(has_key(at))),
    }
}

/// The diagnostics of references that are evaluated together, before the evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a reference names a missing object: if the engine evaluates the expression all the same, no names are in scope.
    pub is_blind: bool,
    /// The number of invalid references.
    pub strays: usize,
}

/// When a fault of a reference is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// When the reference is parsed.
    Read,
    /// When objects are resolved: resources, calls, `self`.
    Objects,
    /// When values are looked up.
    Values,
}

/// E68a: the diagnostics of references that are evaluated together. If an object is missing, no values are looked up.
pub(super) fn faults<'t>(references: impl IntoIterator<Item = &'t Traversal>, scope: &Scope<'_>) -> Faults {
    let mut found: Vec<(When, Diagnostic)> = Vec::new();
    for reference in references {
        let mut diagnostics = Vec::new();
        check(reference, scope, &mut diagnostics);
        let is_value = names_value(&reference.root);
        found.extend(diagnostics.into_iter().map(|one| match is_value {
            _ if is_read(&one) => (When::Read, one),
            true => (When::Values, one),
            false => (When::Objects, one),
        }));
    }
    let is_blind = found.iter().any(|(when, _)| *when == When::Objects);
    let strays = found.iter().filter(|(when, _)| *when == When::Read).count();
    found.retain(|(when, _)| !is_blind || *when != When::Values);
    Faults { diagnostics: found.into_iter().map(|(_, one)| one).collect(), is_blind, strays }
}

/// The block that a rule belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOf {
    /// A resource: condition and message are evaluated separately.
    Resource,
    /// An output.
    Output,
    /// A check: the validation walk evaluates only its message.
    Check,
    /// A variable: a rule with faults is not evaluated.
    Variable,
}

/// The diagnostics of a rule before it is evaluated, and the names in scope of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFaults {
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The scope of the condition.
    pub condition: Seen,
    /// The scope of the message.
    pub message: Seen,
}

/// The names in scope of an expression whose references were checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// All names. Unknown names are reported as unknown variables; missing values are unknown, because they are already reported.
    #[default]
    Names,
    /// No names: each one is reported as an unknown variable.
    Nothing,
    /// The expression is not evaluated: its references are already reported.
    Unread,
}

/// The summary for a name that is not in scope.
pub const UNKNOWN_VARIABLE: &str = "Unknown variable";

/// E68a, E151a: the engine evaluates conditions and messages even if their references have faults.
pub(super) fn rule_faults(rule: &Rule, of: RuleOf, scope: &Scope<'_>) -> RuleFaults {
    let (condition, message) = (of_part(&rule.condition), of_part(&rule.error_message));
    let [in_condition, in_message] = [condition, message].map(|found| faults(found, scope));
    if of == RuleOf::Resource {
        let [condition, message] = [in_condition.is_blind, in_message.is_blind].map(seen);
        return RuleFaults {
            diagnostics: in_condition.diagnostics.into_iter().chain(in_message.diagnostics).collect(),
            condition,
            message,
        };
    }
    let both = faults(condition.iter().chain(message), scope);
    if of == RuleOf::Variable {
        let is_reported = |one: &Diagnostic| both.strays == 0 || is_read(one);
        let seen = if both.diagnostics.is_empty() { Seen::Names } else { Seen::Unread };
        let diagnostics = both.diagnostics.iter().filter(|one| is_reported(one)).cloned().collect();
        return RuleFaults { diagnostics, condition: seen, message: seen };
    }
    let message = seen(both.is_blind);
    // E151: the validation walk does not evaluate a check's condition.
    let condition = if of == RuleOf::Check { Seen::Unread } else { message };
    RuleFaults { diagnostics: both.diagnostics, condition, message }
}

fn of_part(expr: &Option<Expr>) -> &[Traversal] {
    expr.as_ref().map_or(&[], |expr| &expr.references)
}

fn seen(is_blind: bool) -> Seen {
    if is_blind { Seen::Nothing } else { Seen::Names }
}

/// Like [`rule_faults`], with the diagnostics of evaluation that follow from references alone.
pub(super) fn rule_diagnostics(rule: &Rule, of: RuleOf, scope: &Scope<'_>) -> Vec<Diagnostic> {
    let found = rule_faults(rule, of, scope);
    let is_unseen = |seen: Seen, reference: &Traversal| match seen {
        Seen::Names => faults([reference], scope).strays > 0,
        Seen::Nothing => true,
        Seen::Unread => false,
    };
    let parts = [(found.condition, &rule.condition), (found.message, &rule.error_message)];
    let unseen = parts.into_iter().flat_map(|(seen, of)| of_part(of).iter().map(move |reference| (seen, reference)));
    let unseen = unseen.filter(|(seen, reference)| is_unseen(*seen, reference));
    let unknown = unseen.map(|(_, reference)| unknown_variable(reference));
    found.diagnostics.into_iter().chain(unknown).collect()
}

/// The diagnostic of a name that is not in scope.
pub(super) fn unknown_variable(reference: &Traversal) -> Diagnostic {
    let detail = format!("There is no variable named {:?}.", reference.root.as_str());
    Diagnostic::error(UNKNOWN_VARIABLE, detail, root_place(reference))
}

const INVALID_KEY: &str = "Invalid index key";

fn is_read(one: &Diagnostic) -> bool {
    matches!(&*one.summary, "Invalid reference" | "Reserved symbol name" | INVALID_KEY)
}

fn root_place(reference: &Traversal) -> SourcePlace {
    reference.place.part(0, reference.root.len())
}

/// The place from the root to the end of a step.
fn up_to(reference: &Traversal, steps: usize) -> SourcePlace {
    let end = steps.checked_sub(1).and_then(|last| reference.steps.get(last));
    end.map_or(root_place(reference), |step| {
        reference.place.with(Span::new(reference.place.span.start, step.place.span.end))
    })
}

fn name_at(reference: &Traversal, at: usize) -> Option<&str> {
    match &reference.steps.get(at)?.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Index(_) => None,
    }
}

fn invalid(detail: &str, place: SourcePlace) -> Diagnostic {
    Diagnostic::error("Invalid reference", detail, place)
}

/// The diagnostic of an index that no instance can have.
fn wrong_key(reference: &Traversal) -> Option<Diagnostic> {
    let step = reference.unreadable_index()?;
    let detail = "An index of an instance must be either a string or a whole number.";
    Some(Diagnostic::error(INVALID_KEY, detail, step.place))
}

/// `var.x` and its like: the name is the first step.
fn named<'s>(reference: &Traversal, scope: &Scope<'s>, diagnostics: &mut Vec<Diagnostic>) {
    let root = reference.root.as_str();
    let name = match (reference.steps.first(), name_at(reference, 0)) {
        (_, Some(name)) => name,
        (step, None) => {
            let place = step.map_or(root_place(reference), |step| step.place);
            diagnostics.push(invalid(&format!("The {root:?} object must be followed by a name."), place));
            // The engine goes on with an empty name, which is nowhere.
            let before = diagnostics.len();
            named_object(root, "", up_to(reference, 0), scope, diagnostics);
            for problem in &mut diagnostics[before..] {
                problem.place = None;
            }
            return;
        }
    };
    named_object(root, name, up_to(reference, 1), scope, diagnostics);
}

fn named_object(root: &str, name: &str, place: SourcePlace, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let (summary, detail) = match root {
        "var" if scope.declared.variables.contains_key(name) => return,
        "var" => (
            "Reference to undeclared input variable".to_owned(),
            format!("An input variable with the name {name:?} has not been declared."),
        ),
        "local" if scope.declared.locals.contains_key(name) => return,
        "local" => (
            "Reference to undeclared local value".to_owned(),
            format!("A local value with the name {name:?} has not been declared."),
        ),
        "path" if matches!(name, "module" | "root" | "cwd") => return,
        "terraform" if matches!(name, "workspace" | "applying") => return,
        _ => match not_repeated(root, name) {
            Some(_) if if root == "count" { scope.has_count || fault!(CountEverywhere) } else { scope.has_each } => {
                return;
            }
            Some((summary, detail)) => (summary.to_owned(), detail.to_owned()),
            None => (
                format!("Invalid {root:?} attribute"),
                format!("The {root:?} object does not have an attribute named {name:?}."),
            ),
        },
    };
    diagnostics.push(Diagnostic::error(summary, detail, place));
}

/// The diagnostic of a name of `count` or `each` outside of a repetition; `None` for other names.
fn not_repeated(root: &str, name: &str) -> Option<(&'static str, &'static str)> {
    match (root, name) {
        ("count", "index") => Some((
            "Reference to \"count\" in non-counted context",
            "The \"count\" object can only be used where the \"count\" argument is set.",
        )),
        ("each", "value") => Some((
            "each.value cannot be used in this context",
            "The value of an element is there where the \"for_each\" argument is set, and has that element.",
        )),
        ("each", "key") => Some((
            "Reference to \"each\" in context without for_each",
            "The \"each\" object can be used only where the \"for_each\" argument is set.",
        )),
        _ => None,
    }
}

fn own<'s>(reference: &Traversal, scope: &Scope<'s>, diagnostics: &mut Vec<Diagnostic>) {
    match scope.own {
        None => {
            let detail = "The \"self\" object is not available in this context. This object can be used only in resource provisioner, connection, and postcondition blocks.";
            diagnostics.push(Diagnostic::error("Invalid \"self\" reference", detail, root_place(reference)));
        }
        Some(schema) => {
            if let Some(schema) = schema {
                follow(&reference.steps, &schema.block, diagnostics);
            }
        }
    }
}

fn module<'s>(reference: &Traversal, scope: &Scope<'s>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(name) = name_at(reference, 0) else {
        let place = reference.steps.first().map_or(root_place(reference), |step| step.place);
        diagnostics.push(invalid(
            "The \"module\" object cannot be accessed directly. Instead, access one of its attributes.",
            place,
        ));
        return;
    };
    let has_key = matches!(reference.steps.get(1).map(|step| &step.kind), Some(StepKind::Index(_)));
    if let Some(wrong) = wrong_key(reference) {
        diagnostics.push(wrong);
        return;
    }
    let mut steps = 1 + usize::from(has_key);
    if has_key && let Some(step) = reference.steps.get(steps).filter(|_| name_at(reference, steps).is_none()) {
        diagnostics
            .push(invalid("A reference to a module instance must be followed by the name of an output.", step.place));
        return;
    }
    steps += usize::from(name_at(reference, steps).is_some());
    if !scope.declared.calls.contains_key(name) {
        let detail = format!("No module call named {name:?} is declared.");
        diagnostics.push(Diagnostic::error("Reference to undeclared module", detail, up_to(reference, steps)));
    }
}

/// `T.n`, a reference to a managed resource.
fn managed<'s>(reference: &Traversal, scope: &Scope<'s>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(name) = name_at(reference, 0) else {
        let detail = "A reference to a resource type must be followed by at least one attribute access, specifying the resource name.";
        diagnostics.push(invalid(detail, reference.steps.first().map_or(root_place(reference), |_| reference.place)));
        return;
    };
    instance(reference, 1, (ResourceMode::Managed, &reference.root, name), scope, diagnostics)
}

/// `data.T.n` and similar references.
fn resource<'s>(
    reference: &Traversal,
    at: usize,
    mode: ResourceMode,
    scope: &Scope<'s>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (Some(type_name), Some(name)) = (name_at(reference, at), name_at(reference, at + 1)) else {
        let detail = format!(
            "The {:?} object must be followed by two attribute names: the type and the resource name.",
            reference.root.as_str()
        );
        diagnostics.push(invalid(&detail, reference.place));
        return;
    };
    instance(reference, at + 2, (mode, type_name, name), scope, diagnostics)
}

fn instance<'s>(
    reference: &Traversal,
    at: usize,
    wanted: (ResourceMode, &str, &str),
    scope: &Scope<'s>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let module = &scope.configuration.module;
    let has_key = matches!(reference.steps.get(at).map(|step| &step.kind), Some(StepKind::Index(_)));
    if let Some(wrong) = wrong_key(reference) {
        diagnostics.push(wrong);
        return;
    }
    let steps = at + usize::from(has_key);
    let (mode, type_name, name) = wanted;
    let Some(&found) = scope.declared.resources.get(&wanted) else {
        let scoped = scope.declared.scoped.get(&(type_name, name)).filter(|_| mode == ResourceMode::Data);
        return match scoped {
            Some(check) if scope.check == Some(&*check.name.text) || fault!(ScopedDataSeen) => {}
            Some(_) => {
                let detail =
                    format!("The referenced data resource {type_name:?} {name:?} is not available from this context.");
                diagnostics.push(Diagnostic::error("Reference to scoped resource", detail, up_to(reference, steps)));
            }
            None => {
                let detail = format!("A resource {type_name:?} {name:?} has not been declared.");
                diagnostics.push(Diagnostic::error(
                    "Reference to undeclared resource",
                    detail,
                    up_to(reference, steps),
                ));
            }
        };
    };
    let next = name_at(reference, steps);
    if found.repetition.is_single() && has_key {
        let detail = format!(
            "Because {type_name}.{name} does not have \"count\" or \"for_each\" set, references to it must not include an index key."
        );
        diagnostics.push(Diagnostic::error("Unexpected resource instance key", detail, up_to(reference, steps)));
    }
    if !found.repetition.is_single() && !has_key && next.is_some() && !fault!(KeyNotNeeded) {
        let detail = format!(
            "Because {type_name}.{name} has \"count\" or \"for_each\" set, its attributes must be accessed on specific instances."
        );
        diagnostics.push(Diagnostic::error("Missing resource instance key", detail, up_to(reference, steps)));
    }
    let schema = scope.schemas.of_resource(module, found);
    if let (Some("count"), Some(schema)) = (next, schema)
        && schema.block.attributes.get("count").is_none()
    {
        let detail = "The special \"count\" attribute is no longer supported. Instead, use length(...) to count resource instances.";
        diagnostics.push(Diagnostic::error("Invalid resource count attribute", detail, up_to(reference, steps)));
        return;
    }
    if let Some(schema) = schema {
        follow(&reference.steps[steps..], &schema.block, diagnostics);
    }
}
