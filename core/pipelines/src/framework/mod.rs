//! The pipeline of providers written with the plugin framework (provider-framework.md).
//!
//! A schema and its rules are compiled once into a [`Program`]; every phase is then a pure function of values. Walks skip parts without
//! work and share unchanged parts.
//!
//! Within the pipeline, the elements of a set have positions and may repeat (F05, F06): the payload of a set is any sequence there, and
//! becomes a set again at the end of each phase. Callers never see such a sequence.
//!
//! The answers of the simulated remote system are not made here: the caller passes them as [`Returned`].

mod apply;
mod defaults;
mod duplicates;
mod lookup;
mod mark;
mod modifier;
mod modifiers;
mod normalize;
mod parts;
mod program;
mod resource;
mod semantic;
#[cfg(test)]
mod tests;
mod validate;
mod write_only;

use std::borrow::Cow;
use std::fmt;

use crate::equality::wire_equal;
use crate::expression::{Operation, Source};
use crate::rules::{Mod, PlanRule, ResourceCheck, Rules};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value, WrittenPath, WrittenStep};

pub use apply::{Applied, Returned};
pub use program::Inexpressible;

use defaults::with_defaults;
use mark::{Reached, marked};
use modifier::Whole;
use modifiers::{Sides, Step6, is_walked};
use normalize::{inbound, outbound, without_unknown_types};
use resource::Step7;
use validate::Validation;
use write_only::without_write_only;

/// The implied types of the schemas that this style can express do not depend on the dialect: none has a nested
/// attribute of mode group (F01).
const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

/// A provider of this style: a compiled schema with rules.
#[derive(Debug)]
pub struct Program {
    root: program::Object,
    validate: Box<[ResourceCheck]>,
    plan: Option<Box<[PlanRule]>>,
}

/// A plan request. The values conform to the schema.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The prior state, or null.
    pub prior: &'a Value,
    /// The configuration, or null.
    pub config: &'a Value,
    /// The object that Core proposes (M01), or null.
    pub proposed: &'a Value,
}

/// A plan without errors.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The planned object.
    pub planned: Value,
    /// The replacement list, cut at sets (F07), sorted by text, each path once (F86).
    pub requires_replace: Vec<WrittenPath>,
}

/// An error that a phase of the pipeline reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that it violates.
    pub rule: &'static str,
    /// The path in the object.
    pub path: WrittenPath,
    /// What is wrong.
    pub message: Cow<'static, str>,
}

/// Why there is no plan.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlanError {
    /// The request does not fit this provider.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The provider reports errors.
    #[error("the provider reports {} errors, first {}", .0.len(), first(.0))]
    Diagnostics(Vec<Diagnostic>),
}

/// A value that does not conform to the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a value of {name} that conforms to the schema")]
pub struct Unfit {
    /// The name of the value.
    pub name: &'static str,
}

/// The input of one modifier, for an attribute that stands alone.
#[derive(Clone, Copy, Debug)]
pub struct ModifierRequest<'a> {
    /// The declared type.
    pub ty: &'a Type,
    /// The configured value.
    pub config: &'a Value,
    /// The planned value so far.
    pub plan: &'a Value,
    /// The prior value.
    pub state: &'a Value,
    /// Whether the whole prior object is null.
    pub state_null: bool,
    /// Whether the whole plan is null.
    pub plan_null: bool,
}

/// The result of one modifier.
#[derive(Clone, Debug)]
pub struct Modified {
    /// The planned value after it.
    pub plan: Value,
    /// Whether it asked for replacement.
    pub requires_replace: bool,
    /// Whether it reported an error.
    pub is_error: bool,
}

/// The paths that ask for replacement, in the order in which they were added.
#[derive(Clone, Debug, Default)]
struct Replace(Vec<WrittenPath>);

impl Replace {
    /// F07: a path into a set is cut at the set.
    fn add(&mut self, path: WrittenPath) {
        let steps = path.steps();
        let cut = steps.iter().position(|step| *step == WrittenStep::Element);
        self.0.push(cut.map_or_else(|| path.clone(), |end| WrittenPath::new(steps[..end].to_vec())));
    }

    /// F86: sorted, each path once.
    fn cleaned(self) -> Vec<WrittenPath> {
        let mut paths: Vec<(String, WrittenPath)> = self.0.into_iter().map(|path| (path.to_string(), path)).collect();
        paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        paths.dedup_by(|a, b| a.0 == b.0);
        paths.into_iter().map(|(_, path)| path).collect()
    }
}

impl Diagnostic {
    fn new(rule: &'static str, path: WrittenPath, message: &'static str) -> Diagnostic {
        Diagnostic { rule, path, message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message, self.rule)
    }
}

fn first(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map_or_else(String::new, Diagnostic::to_string)
}

impl Program {
    /// Compiles a schema with the rules of its attributes, checks of the whole configuration, and resource-level plan
    /// modification where the provider has one.
    ///
    /// # Errors
    /// The schema or a rule cannot be expressed in this style (F01).
    pub fn new(
        schema: &Schema,
        rules: &Rules,
        validate: &[ResourceCheck],
        plan: Option<&[PlanRule]>,
    ) -> Result<Program, Inexpressible> {
        let root = program::compile(&schema.block, rules)?;
        Ok(Program { root, validate: validate.into(), plan: plan.map(Into::into) })
    }

    /// The declared type of the objects.
    pub fn ty(&self) -> &Type {
        &self.root.ty
    }

    fn accept(&self, values: &[(&'static str, &Value)]) -> Result<(), Unfit> {
        match values.iter().find(|(_, value)| !value.ty().conforms_to(&self.root.ty)) {
            None => Ok(()),
            Some((name, _)) => Err(Unfit { name }),
        }
    }

    /// Plans (F10).
    ///
    /// # Errors
    /// A step reports errors, or a value does not conform to the schema.
    pub fn plan(&self, request: PlanRequest<'_>) -> Result<Planned, PlanError> {
        let PlanRequest { prior, config, proposed } = request;
        self.accept(&[("prior", prior), ("config", config), ("proposed", proposed)])?;
        let operation = Operation::of(prior, config);
        let [prior, config, proposed] = [prior, config, proposed].map(|value| inbound(&self.root, value));
        let is_destroy = proposed.is_null();
        let (mut plan, mut replace, mut errors) = (proposed, Replace::default(), Vec::new());
        if !is_destroy {
            plan = self.before_modifiers(&prior, &config, plan);
            if self.root.has.set || self.root.members().any(|(_, member)| is_walked(member)) {
                let sides = Sides { config: config.view(), prior: prior.view(), plan: plan.view() };
                let mut step = Step6::new(sides, operation);
                let changed = step.run(&self.root);
                (replace, errors) = (step.replace, step.errors);
                plan = changed.unwrap_or(plan);
            }
        }
        // Errors end the call after their step.
        if let (Some(rules), true) = (&self.plan, errors.is_empty()) {
            let (object, prior, config) = (&self.root, &prior, &config);
            let mut step = Step7 { object, prior, config, operation, is_destroy, plan, replace, errors };
            step.run(rules);
            Step7 { plan, replace, errors, .. } = step;
        }
        if is_destroy && !plan.is_null() {
            let message = "expected nothing planned where nothing was proposed";
            errors.push(Diagnostic::new("F85", WrittenPath::default(), message));
        }
        match errors.is_empty() {
            true => Ok(Planned { planned: outbound(&self.root, plan), requires_replace: replace.cleaned() }),
            false => Err(PlanError::Diagnostics(errors)),
        }
    }

    /// Steps 3 to 5.
    fn before_modifiers(&self, prior: &Value, config: &Value, proposed: Value) -> Value {
        let root = &self.root;
        let plan = with_defaults(root, proposed.view(), Some(config.view())).unwrap_or(proposed);
        let plan = without_write_only(root, plan.view()).unwrap_or(plan);
        if !root.has.markable || wire_equal(plan.view(), prior.view()) {
            return plan;
        }
        marked(root, plan.view(), Reached::Place(config.view())).unwrap_or(plan)
    }

    /// The result of step 5 alone for a proposed object, without its condition.
    ///
    /// # Errors
    /// A value does not conform to the schema.
    pub fn mark_unknown(&self, config: &Value, proposed: &Value) -> Result<Value, Unfit> {
        self.accept(&[("config", config), ("proposed", proposed)])?;
        Ok(marked(&self.root, proposed.view(), Reached::Place(config.view())).unwrap_or_else(|| proposed.clone()))
    }

    /// Validates a configuration (F140): the errors, in order.
    ///
    /// # Errors
    /// A configuration that does not conform to the schema.
    pub fn validate(&self, config: &Value, supports_write_only: bool) -> Result<Vec<Diagnostic>, Unfit> {
        self.accept(&[("config", config)])?;
        let config = inbound(&self.root, config);
        let (root, config) = (&self.root, config.view());
        let mut validation = Validation { root, config, supports_write_only, errors: Vec::new() };
        validation.run(&self.validate);
        Ok(validation.errors)
    }
}

/// Runs one modifier by itself.
///
/// # Errors
/// A value is not of the attribute's type.
pub fn modify(modifier: &Mod, request: ModifierRequest<'_>) -> Result<Modified, Unfit> {
    let ModifierRequest { ty, config, plan, state, state_null, plan_null } = request;
    let values = [("config", config), ("plan", plan), ("state", state)];
    if let Some((name, _)) = values.into_iter().find(|(_, value)| !value.ty().conforms_to(ty)) {
        return Err(Unfit { name });
    }
    let alone = Alone { config, plan, state, state_null };
    let effect = modifier::run(modifier, ty, Whole { state_null, plan_null }, &alone);
    let plan = effect.value.unwrap_or_else(|| plan.clone());
    Ok(Modified {
        plan: without_unknown_types(ty, plan.view()).unwrap_or(plan),
        requires_replace: effect.requires_replace,
        is_error: effect.is_error,
    })
}

/// An attribute without an object around it.
struct Alone<'a> {
    config: &'a Value,
    plan: &'a Value,
    state: &'a Value,
    state_null: bool,
}

impl super::expression::Scene for Alone<'_> {
    fn this(&self, source: Source) -> Value {
        match source {
            Source::Config => self.config.clone(),
            Source::Prior => self.state.clone(),
            Source::Plan => self.plan.clone(),
        }
    }

    fn object(&self, _: Source) -> Value {
        Value::null(Type::empty_object())
    }

    fn root(&self, _: Source) -> Value {
        Value::null(Type::empty_object())
    }

    fn operation(&self) -> Operation {
        if self.state_null { Operation::Create } else { Operation::Update }
    }
}
