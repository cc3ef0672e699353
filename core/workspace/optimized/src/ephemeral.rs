//! Ephemeral resources: their preconditions are checked, they are opened, their postconditions are checked, and they are closed (E58,
//! E156a, G60, U47).

use planfuzz_core::address::{AbsResourceInstance, InstanceKey};
use planfuzz_core::planner::{self, ValidateConfig, summary};
use planfuzz_core::value::{Type, Value};
use planfuzz_language::expression::{EPHEMERAL, Marked};
use planfuzz_workspace::{CheckKind, Diagnostic, Outcome, Request, Status};

use crate::diagnostics;
use crate::judged::judged;
use crate::model::Rule;
use crate::scope::Repeated;
use crate::walk::{Purpose, Walk};

/// The result of opening an instance.
enum Opening {
    /// There was an error.
    Failed,
    /// Its configuration is not known, or it has no object.
    Later,
    /// The object.
    Opened(Marked),
}

impl<'w, 'p> Walk<'_, 'w, '_, 'p> {
    /// E58, U47: validates and opens an instance; returns whether there was no error.
    pub fn open(&mut self, block: usize, inst: usize, key: InstanceKey, repeated: &Repeated) -> bool {
        let of = &self.model.blocks[block];
        let (mut status, mut failures) = (Status::Pass, Vec::new());
        let mut hold = |walk: &mut Self, rules: &[Rule], summary: &str, own: Option<&Marked>| {
            let mut diagnostics = Vec::new();
            for rule in rules.iter().filter(|_| !fault!(EphemeralConditionsPass)) {
                walk.prepare(inst, repeated, &rule.needs);
                let slots = &mut walk.insts[inst].slots;
                if let Some(own) = own {
                    slots.set(walk.model.modules[of.module].lexica.own, own.clone());
                }
                let judged = judged(rule, slots);
                diagnostics.extend(judged.diagnostics);
                status = status.max(judged.status);
                // E156a: an error in every walk.
                if judged.status == Status::Fail {
                    diagnostics.push(Diagnostic::error(summary));
                    failures.extend(judged.message);
                }
            }
            walk.report(diagnostics)
        };
        let opening = match hold(self, &of.preconditions, summary::PRECONDITION, None) {
            true => self.try_to_open(block, inst, &key, repeated),
            false => Opening::Failed,
        };
        let is_fine = match &opening {
            Opening::Opened(object) => hold(self, &of.postconditions, summary::POSTCONDITION, Some(object)),
            Opening::Later => true,
            Opening::Failed => false,
        };
        if of.preconditions.is_empty() && of.postconditions.is_empty() {
            return is_fine;
        }
        if !matches!(opening, Opening::Opened(_)) && !of.postconditions.is_empty() {
            status = status.max(Status::Unknown);
        }
        self.note_status(CheckKind::Resource, &of.address.to_string(), inst, Some(&key), (status, failures));
        is_fine
    }

    fn try_to_open(&mut self, block: usize, inst: usize, key: &InstanceKey, repeated: &Repeated) -> Opening {
        let of = &self.model.blocks[block];
        let Some(body) = &of.body else { return Opening::Later };
        self.prepare(inst, repeated, &of.needs);
        // G15: an import has not checked its references before.
        if self.purpose == Purpose::Import || of.has_faulty_contents {
            let contents = body.contents(&mut self.insts[inst].slots);
            if !self.report(self.model.body_faults(block, of.repeats, &contents)) {
                return Opening::Failed;
            }
        }
        let config = match body.evaluate(&mut self.insts[inst].slots) {
            Ok(config) => config.value,
            Err(diagnostics) => return if self.report(diagnostics) { Opening::Later } else { Opening::Failed },
        };
        if !config.is_wholly_known() {
            self.not_opened(block, inst, key.clone());
            return Opening::Later;
        }
        let address = AbsResourceInstance {
            module: self.insts[inst].address.clone(),
            resource: of.address.clone(),
            key: key.clone(),
        };
        let about = address.to_string();
        let configured = self.configured[of.provider].clone();
        let validation = ValidateConfig { config: config.clone() };
        let (answer, _) = self
            .with_provider(block, &about, configured.as_ref(), |asked| planner::Provider::validate(asked, validation));
        // Diagnostics of the configuration have no address here.
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, None)).collect();
        if !self.report(diagnostics) {
            return Opening::Failed;
        }
        let (answer, _) =
            self.with_provider(block, &about, configured.as_ref(), |asked| asked.ask(Request::Open { config }));
        let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
        if !self.report(diagnostics) {
            return Opening::Failed;
        }
        let Some(Outcome::Object { value, private }) = answer.outcome else { return Opening::Later };
        let object = Marked::from(value);
        self.insts[inst].objects[of.place].insert(key.clone(), object.clone());
        self.opened.entry(block).or_default().push((address, private));
        Opening::Opened(object.with(EPHEMERAL))
    }

    /// An object that is opened later, or left out by targets, has the type of its schema all the same.
    pub fn not_opened(&mut self, block: usize, inst: usize, key: InstanceKey) {
        let of = &self.model.blocks[block];
        let ty = of.schema.map_or(Type::Dynamic, |typed| self.model.typed[typed].ty.clone());
        self.insts[inst].objects[of.place].insert(key, Value::unknown(ty).into());
    }

    /// G60, U20.
    pub fn visit_ephemeral_end(&mut self, block: usize) -> bool {
        let configured = self.configured[self.model.blocks[block].provider].clone();
        let mut is_fine = true;
        for (address, private) in self.opened.remove(&block).unwrap_or_default() {
            let about = address.to_string();
            let (answer, _) =
                self.with_provider(block, &about, configured.as_ref(), |asked| asked.ask(Request::Close { private }));
            let diagnostics = answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
            is_fine &= self.report(diagnostics);
        }
        is_fine
    }
}
