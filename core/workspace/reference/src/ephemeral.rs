//! Ephemeral resources: their preconditions are checked, they are opened, their postconditions are checked, and they are closed (E58,
//! E156a, G60, U47).

use planfuzz_core::address::AbsResourceInstance;
use planfuzz_core::planner::{self, summary};
use planfuzz_core::value::{Text, Value};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config::Rule;
use planfuzz_workspace::{CheckKind, Diagnostic, Outcome, Request, Status};

use crate::body;
use crate::diagnostics;
use crate::evaluation::{EPHEMERAL, Marked};
use crate::values::Repeated;
use crate::walk::Walk;

/// The status of the conditions of an instance, and the messages of failed ones.
type ConditionResults = (Status, Vec<String>);

impl Walk<'_, '_, '_> {
    /// E58, U47: validates and opens an instance; returns whether there was no error.
    pub fn open(&mut self, block: usize, address: &AbsResourceInstance, repeated: &Repeated) -> bool {
        let of = &self.layout.blocks[block];
        let mut held = (Status::Pass, Vec::new());
        let opened = self.try_to_open(block, address, repeated, &mut held);
        let rules = &of.resource.lifecycle.postconditions;
        let is_fine = match opened {
            Some(Some(object)) => {
                let rules = (&rules[..], summary::POSTCONDITION);
                self.ephemeral_conditions(block, address, repeated, rules, Some(&object), &mut held)
            }
            nothing => {
                if !rules.is_empty() {
                    held.0 = held.0.max(Status::Unknown);
                }
                nothing.is_some()
            }
        };
        let local = of.address.to_string();
        self.report(CheckKind::Resource, of.module, &local, &address.module, Some(&address.key), Some(held));
        is_fine
    }

    /// The object that is opened, if its configuration is known; `None` after an error.
    fn try_to_open(
        &mut self,
        block: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        held: &mut ConditionResults,
    ) -> Option<Option<Marked>> {
        let of = &self.layout.blocks[block];
        let Some(schema) = of.schema else { return Some(None) };
        let rules = (&of.resource.lifecycle.preconditions[..], summary::PRECONDITION);
        if !self.ephemeral_conditions(block, address, repeated, rules, None, held) {
            return None;
        }
        let mut at = self.at(of.module, &address.module, repeated);
        let faults = self.body_faults(block, &mut at);
        let evaluated = match faults.is_empty() {
            true => body::evaluate(self.evaluation(), &of.resource.config, &schema.block, &mut at),
            false => Err(faults),
        };
        let config = match evaluated {
            Ok(config) => config.value,
            Err(diagnostics) => return self.emit(diagnostics).then_some(None),
        };
        if !config.is_wholly_known() {
            self.not_opened(block, address);
            return Some(None);
        }
        let configured = self.configured.get(&of.provider).cloned();
        let about = address.to_string();
        let mut asked = self.asked(block, &about, configured.clone());
        let answer = planner::Provider::validate(&mut asked, planner::ValidateConfig { config: config.clone() });
        // Diagnostics of the configuration have no address here.
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, None)).collect();
        if !self.emit(diagnostics) {
            return None;
        }
        let answer = self.ask_about(block, &about, Request::Open { config });
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
        if !self.emit(diagnostics) {
            return None;
        }
        let Some(Outcome::Object { value, private }) = answer.outcome else { return Some(None) };
        let object: Marked = value.into();
        self.values.set(address, Some(object.clone()));
        self.opened.entry(block).or_default().push((address.clone(), private));
        Some(Some(object.with(EPHEMERAL)))
    }

    /// E156a: checks conditions of an ephemeral resource, which are errors in every walk; returns whether there was no error.
    fn ephemeral_conditions(
        &mut self,
        block: usize,
        address: &AbsResourceInstance,
        repeated: &Repeated,
        (rules, summary): (&[Rule], &str),
        own: Option<&Marked>,
        held: &mut ConditionResults,
    ) -> bool {
        let of = &self.layout.blocks[block];
        let mut diagnostics = Vec::new();
        for rule in rules {
            let mut at = self.at(of.module, &address.module, repeated);
            at.own = own.cloned();
            let names = NameScope { own: own.map(|_| of.resource), ..NameScope::default() };
            let judged = self.judge(rule, RuleOf::Resource, names, &at);
            diagnostics.extend(judged.diagnostics);
            held.0 = held.0.max(judged.status);
            if judged.status == Status::Fail {
                diagnostics.push(Diagnostic::error(summary));
                held.1.extend(judged.message);
            }
        }
        self.emit(diagnostics)
    }

    /// An object that is opened later, or left out by targets, has the type of its schema all the same.
    pub fn not_opened(&mut self, block: usize, address: &AbsResourceInstance) {
        if let Some(schema) = self.layout.blocks[block].schema {
            let ty = schema.implied_type(self.layout.dialect);
            self.values.set(address, Some(Value::unknown(ty).into()));
        }
    }

    fn ask_about(&mut self, block: usize, visit: &str, request: Request) -> planfuzz_workspace::Answer {
        let of = &self.layout.blocks[block];
        let call = planfuzz_workspace::Call {
            provider: of.provider.source.clone(),
            configured: self.configured.get(&of.provider).cloned(),
            type_name: Some(Text::new(&of.address.type_name)),
            request,
        };
        self.calls.ask(self.here(), visit, call)
    }

    /// G60, U20.
    pub fn visit_ephemeral_end(&mut self, block: usize) -> bool {
        let mut is_fine = true;
        for (address, private) in self.opened.remove(&block).unwrap_or_default() {
            let about = address.to_string();
            let answer = self.ask_about(block, &about, Request::Close { private });
            let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
            is_fine &= self.emit(diagnostics);
        }
        is_fine
    }
}
