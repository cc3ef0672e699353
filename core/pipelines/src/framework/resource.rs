//! Step 7 of a plan: resource-level modification (F80 to F83).

use crate::equality::value_equal;
use crate::expression::{Operation, Scene, Source};
use crate::rules::PlanRule;
use planfuzz_core::value::{Node, Path, Tri, Type, Value, WrittenPath};

use super::duplicates::has_duplicate;
use super::modifier::default_if;
use super::parts::{spread, with_members};
use super::program::Object;
use super::{Diagnostic, Replace};

/// The running step.
pub(super) struct Step7<'a> {
    pub object: &'a Object,
    pub prior: &'a Value,
    pub config: &'a Value,
    pub operation: Operation,
    pub is_destroy: bool,
    /// The current plan.
    pub plan: Value,
    pub replace: Replace,
    pub errors: Vec<Diagnostic>,
}

impl Scene for Step7<'_> {
    fn this(&self, _: Source) -> Value {
        Value::null(Type::Dynamic)
    }

    fn object(&self, source: Source) -> Value {
        self.root(source)
    }

    fn root(&self, source: Source) -> Value {
        match source {
            Source::Config => self.config.clone(),
            Source::Prior => self.prior.clone(),
            Source::Plan => self.plan.clone(),
        }
    }

    fn operation(&self) -> Operation {
        self.operation
    }
}

impl Step7<'_> {
    pub fn run(&mut self, rules: &[PlanRule]) {
        rules.iter().for_each(|rule| self.rule(rule));
    }

    /// On a destroy only errors, conditions and unconditional rules act.
    fn rule(&mut self, rule: &PlanRule) {
        match rule {
            PlanRule::When(cond, rule) => {
                if cond.holds(self) == Tri::True {
                    self.rule(rule);
                }
            }
            PlanRule::ErrorIf(cond) => {
                if cond.holds(self) == Tri::True {
                    self.fail(WrittenPath::default(), "resource-level plan modification reports an error");
                }
            }
            PlanRule::SetAll(expr) => self.plan = expr.value(&self.object.ty, self),
            PlanRule::Set(name, expr) => {
                if let Some(index) = self.object.index_of(name) {
                    let value = expr.value(&self.object.members[index].ty, self);
                    self.set(index, value);
                }
            }
            _ if self.is_destroy => {}
            PlanRule::RequiresReplace(path) => self.replace.add(path.written()),
            PlanRule::ReplaceIf(name, cond) => {
                if self.has_changed_value(name) && cond.holds(self) != Tri::False {
                    self.replace.add(WrittenPath::from(&Path::root().attribute(name)));
                }
            }
            PlanRule::Default(name, cond, expr) => {
                self.set_unconfigured(name, |step, config, ty| {
                    default_if(config, cond.holds(step), ty, || expr.value(ty, step))
                });
            }
            PlanRule::UnknownIf(name, cond) => {
                self.set_unconfigured(name, |step, config, ty| {
                    let applies = config.is_null() && cond.holds(step) != Tri::False;
                    applies.then(|| Value::unknown(ty.clone()))
                });
            }
        }
    }

    fn fail(&mut self, path: WrittenPath, message: &'static str) {
        self.errors.push(Diagnostic::new("F81", path, message));
    }

    fn set_unconfigured(&mut self, name: &str, value: impl FnOnce(&Self, &Value, &Type) -> Option<Value>) {
        let Some(index) = self.object.index_of(name) else { return };
        let config = self.object.member(self.config.view(), index).to_value();
        if let Some(value) = value(self, &config, &self.object.members[index].ty) {
            self.set(index, value);
        }
    }

    /// F82: parents that are missing are made; the value is checked by itself.
    fn set(&mut self, index: usize, value: Value) {
        let member = &self.object.members[index];
        if has_duplicate(&member.ty, value.view()) {
            let path = WrittenPath::from(&Path::root().attribute(&member.name));
            self.errors.push(Diagnostic::new("F82", path, "a set has two equal elements"));
        }
        let made = match self.plan.node() {
            Node::Null => Some(spread(self.object, &Node::Null)),
            Node::Unknown(_) => Some(spread(self.object, &Node::UNKNOWN)),
            _ => None,
        };
        let plan = made.as_ref().unwrap_or(&self.plan);
        if let Some(plan) = with_members(self.object, plan.view(), vec![(index, value)]) {
            self.plan = plan;
        }
    }

    /// F72 without its condition.
    fn has_changed_value(&self, name: &str) -> bool {
        let Some(index) = self.object.index_of(name) else { return false };
        let member = |of| self.object.member(of, index);
        let (plan, prior) = (self.plan.view(), self.prior.view());
        !prior.is_null() && !plan.is_null() && !value_equal(member(plan), member(prior))
    }
}
