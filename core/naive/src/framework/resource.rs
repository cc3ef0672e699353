//! Plan modification of the whole resource (F80 to F86).

use std::collections::BTreeSet;

use planfuzz_core::value::{WrittenPath, WrittenStep};
use planfuzz_pipelines::expression::Operation;
use planfuzz_pipelines::rules::PlanRule;

use super::shape::Fields;
use super::{Failed, has_duplicates};
use crate::model::{Scene, field, value_equal};
use crate::path;
use crate::schema::object;
use crate::value::{Is, Ty, Val};

/// The plan so far, and the input of the rules.
pub struct Step<'a> {
    /// The schema.
    pub fields: Fields<'a>,
    /// The configuration.
    pub config: &'a Val,
    /// The prior object.
    pub prior: &'a Val,
    /// The current plan.
    pub plan: Val,
    /// The operation on the resource.
    pub operation: Operation,
    /// Whether the proposed object is null.
    pub is_destroy: bool,
    /// The paths that force a replacement.
    pub replace: BTreeSet<String>,
}

impl Step<'_> {
    /// All rules, in order.
    pub fn run(&mut self, rules: &[PlanRule]) -> Result<(), Failed> {
        rules.iter().try_for_each(|rule| self.rule(rule))
    }

    fn rule(&mut self, rule: &PlanRule) -> Result<(), Failed> {
        let nothing = Val::null(Ty::Dynamic);
        let plan = self.plan.clone();
        let scene = Scene {
            this: [nothing.clone(), nothing.clone(), nothing],
            object: [self.config.clone(), self.prior.clone(), plan.clone()],
            root: [self.config, self.prior, &plan],
            operation: self.operation,
            changed: None,
        };
        let ty_of = |name: &str| self.fields.part(name).map_or(Ty::Dynamic, |part| part.ty());
        match rule {
            PlanRule::When(cond, rule) if scene.holds(cond) == Some(true) => self.rule(rule),
            PlanRule::ErrorIf(cond) if scene.holds(cond) == Some(true) => Err(Failed),
            PlanRule::Set(name, expr) => self.set(name, scene.of_type(expr, &ty_of(name))),
            PlanRule::SetAll(expr) => {
                self.plan = scene.of_type(expr, &self.fields.ty());
                Ok(())
            }
            _ if self.is_destroy => Ok(()),
            PlanRule::RequiresReplace(path) => {
                let path = path.written();
                let steps: Vec<WrittenStep> =
                    path.steps().iter().take_while(|step| **step != WrittenStep::Element).cloned().collect();
                self.replace.insert(WrittenPath::new(steps).to_string());
                Ok(())
            }
            PlanRule::ReplaceIf(name, cond) => {
                let has_changed = !self.prior.is_null()
                    && !plan.is_null()
                    && !value_equal(&field(&plan, name), &field(self.prior, name));
                if has_changed && scene.holds(cond) != Some(false) {
                    self.replace.insert(path::attribute(name));
                }
                Ok(())
            }
            PlanRule::Default(name, cond, expr) if field(self.config, name).is_null() => match scene.holds(cond) {
                Some(true) => self.set(name, scene.of_type(expr, &ty_of(name))),
                Some(false) => Ok(()),
                None => self.set(name, Val::unknown(ty_of(name))),
            },
            PlanRule::UnknownIf(name, cond)
                if field(self.config, name).is_null() && scene.holds(cond) != Some(false) =>
            {
                self.set(name, Val::unknown(ty_of(name)))
            }
            _ => Ok(()),
        }
    }

    /// F82.
    fn set(&mut self, name: &str, value: Val) -> Result<(), Failed> {
        if has_duplicates(&value) {
            return Err(Failed);
        }
        if self.plan.is_null() {
            self.plan = self.fields.filled(Val::null);
        }
        if self.plan.is_unknown() {
            self.plan = self.fields.filled(Val::unknown);
        }
        if let Is::Named(members) = &self.plan.is {
            let member =
                |(other, old): &(String, Val)| (other.clone(), if other == name { value.clone() } else { old.clone() });
            self.plan = object(members.iter().map(member).collect());
        }
        Ok(())
    }
}
