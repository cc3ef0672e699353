//! The pipeline of providers written with the plugin framework, by `docs/spec/provider-framework.md`.
//!
//! Each step follows the specification over whole trees: the object is walked bottom-up with a callback for every attribute, and other
//! values that a step needs, such as the configured value, are looked up from the root.

mod duplicates;
mod modify;
mod resource;
mod semantic;
mod shape;
mod walk;

use std::collections::BTreeSet;

use planfuzz_core::schema::Block;
use planfuzz_pipelines::expression::Operation;
use planfuzz_pipelines::rules::{Mod, PlanRule, Rules};

use crate::model::{Scene, wire_equal};
use crate::value::{Is, Ty, Val};
use duplicates::has_duplicates;
use shape::Fields;
use walk::{Reached, reach, rebuilt};

/// A provider: its schema and its rules.
#[derive(Clone, Copy)]
pub struct Provider<'s> {
    /// The schema.
    pub block: &'s Block,
    /// The behaviour of attributes and blocks.
    pub rules: &'s Rules,
}

/// A plan without errors: the object, and the paths that force a replacement.
pub type Plan = (Val, BTreeSet<String>);

/// An error; its text is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

impl Provider<'_> {
    /// Whether the framework has such schemas (F01).
    pub fn is_expressible(&self) -> bool {
        Fields::of_block(self.block).is_expressible()
    }

    fn fields(&self) -> Fields<'_> {
        Fields::of_block(self.block)
    }

    /// F10.
    ///
    /// # Errors
    /// Where a step has an error.
    pub fn plan(&self, after: Option<&[PlanRule]>, prior: &Val, config: &Val, proposed: &Val) -> Result<Plan, Failed> {
        let operation = match (prior.is_null(), config.is_null()) {
            (true, _) => Operation::Create,
            (false, true) => Operation::Destroy,
            (false, false) => Operation::Update,
        };
        let fields = self.fields();
        // Step 1.
        let [prior, config, mut plan] = [prior, config, proposed].map(|value| fields.inbound(&plain(value)));
        let is_destroy = plan.is_null();
        let mut replace = BTreeSet::new();
        // Steps 2 to 6.
        if !is_destroy {
            plan = self.with_defaults(&config, &plan);
            plan = self.without_write_only(&plan);
            if !wire_equal(&plan, &prior) {
                plan = self.marked(&config, &plan);
            }
            let step = modify::Step { rules: self.rules, config: &config, prior: &prior, plan: &plan, operation };
            (plan, replace) = step.run(fields)?;
        }
        // Step 7.
        if let Some(rules) = after {
            let mut step =
                resource::Step { fields, config: &config, prior: &prior, plan, operation, is_destroy, replace };
            step.run(rules)?;
            resource::Step { plan, replace, .. } = step;
        }
        // Step 8.
        if is_destroy && !plan.is_null() {
            return Err(Failed);
        }
        Ok((fields.outbound(&plan), replace))
    }

    /// F20 to F28.
    fn with_defaults(&self, config: &Val, plan: &Val) -> Val {
        rebuilt(self.fields(), plan, &mut |_, place, value| {
            let default = self.rules.get(&place.schema_path()).and_then(|rule| rule.default.as_ref());
            let is_unset = match reach(config, &place.steps) {
                Reached::It(found) => found.is_null(),
                Reached::Before(_) => true,
            };
            default.filter(|_| is_unset).map_or(value, Val::of)
        })
    }

    /// F30, F31.
    fn without_write_only(&self, plan: &Val) -> Val {
        rebuilt(self.fields(), plan, &mut |attribute, _, value| {
            if attribute.write_only && !value.is_null() { Val::null(shape::type_of(attribute)) } else { value }
        })
    }

    /// F41 to F49.
    pub fn marked(&self, config: &Val, plan: &Val) -> Val {
        rebuilt(self.fields(), plan, &mut |attribute, place, value| {
            let found = match reach(config, &place.steps) {
                Reached::It(found) | Reached::Before(found) => found,
            };
            let has_default = self.rules.get(&place.schema_path()).is_some_and(|rule| rule.default.is_some());
            let is_marked = found.is_null() && attribute.computed && !has_default;
            if is_marked { Val::unknown(shape::type_of(attribute)) } else { value }
        })
    }

    /// F100 to F107: whether there is an error, and the new state.
    pub fn apply(&self, prior: &Val, planned: &Val, returned: Option<&Val>, is_error: bool) -> (bool, Val) {
        let fields = self.fields();
        let [prior, planned] = [prior, planned].map(|value| fields.inbound(&plain(value)));
        let is_create = prior.is_null();
        let kept = if is_create { Val::null(prior.ty.clone()) } else { prior };
        let new = returned.map_or(kept, plain);
        if !is_create && planned.is_null() {
            let new = if is_error { new } else { Val::null(new.ty) };
            return (is_error, fields.outbound(&new));
        }
        if is_error || new.is_null() {
            return (true, fields.outbound(&new));
        }
        self.settled(&planned, new)
    }

    /// F110.
    pub fn read(&self, current: &Val, returned: Option<&Val>, is_error: bool) -> (bool, Val) {
        let fields = self.fields();
        let current = fields.inbound(&plain(current));
        let new = returned.map_or_else(|| current.clone(), plain);
        if is_error || new.is_null() {
            return (is_error, fields.outbound(&new));
        }
        self.settled(&current, new)
    }

    /// F105, F125.
    fn settled(&self, old: &Val, new: Val) -> (bool, Val) {
        let fields = self.fields();
        match semantic::of_resource(self.rules, fields, old, &new) {
            Ok(result) => (false, fields.outbound(&self.without_write_only(&result))),
            Err(Failed) => (true, fields.outbound(&new)),
        }
    }
}

/// One modifier of an attribute by itself: its value, and whether it forces a replacement.
///
/// # Errors
/// Where it has an error.
pub fn modifier(
    modifier: &Mod,
    ty: &Ty,
    [config, state, plan]: [&Val; 3],
    state_null: bool,
    plan_null: bool,
) -> Result<(Val, bool), Failed> {
    let nothing = Val::null(Ty::Object(Vec::new().into()));
    let operation = if state_null { Operation::Create } else { Operation::Update };
    let scene = Scene {
        this: [config.clone(), state.clone(), plan.clone()],
        object: [nothing.clone(), nothing.clone(), nothing.clone()],
        root: [&nothing, &nothing, &nothing],
        operation,
        changed: None,
    };
    let (value, replace) = modify::run(modifier, ty, state_null, plan_null, &scene)?;
    Ok((shape::untyped(&value, ty), replace))
}

/// F04: without the refinements of unknowns.
fn plain(value: &Val) -> Val {
    let is = match &value.is {
        Is::Unknown(_) => Is::Unknown(None),
        Is::Seq(items) => Is::Seq(items.iter().map(plain).collect()),
        Is::Named(members) => Is::Named(members.iter().map(|(name, member)| (name.clone(), plain(member))).collect()),
        other => other.clone(),
    };
    Val { ty: value.ty.clone(), is }
}
