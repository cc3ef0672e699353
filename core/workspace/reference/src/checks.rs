//! The table of checks, and check blocks (section 13 of the language, G153, G154).

use std::collections::BTreeMap;

use planfuzz_core::address::{InstanceKey, ModuleInstance, ResourceMode};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_workspace::{CheckEntry, CheckKind, CheckObject, CheckTable, Diagnostic, Status};

use crate::layout::Layout;
use crate::values::Repeated;
use crate::walk::{Purpose, Walk};

/// The entries of everything that has conditions; their objects are not known.
pub fn table(layout: &Layout<'_>) -> CheckTable {
    let mut table = CheckTable::default();
    let mut add = |kind, module: usize, resource, name: &str| {
        let module = layout.modules[module].path.clone();
        let entry = CheckEntry { kind, module, resource, name: name.to_owned(), objects: None };
        table.0.insert((kind, entry.address()), entry);
    };
    for block in &layout.blocks {
        let lifecycle = &block.resource.lifecycle;
        if !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty() {
            add(CheckKind::Resource, block.module, Some(block.address.clone()), &block.address.name);
        }
    }
    for (at, module) in layout.modules.iter().enumerate() {
        let declared = &module.configuration.module;
        for output in declared.outputs.iter().filter(|output| !output.preconditions.is_empty()) {
            add(CheckKind::Output, at, None, &output.name.text);
        }
        for variable in declared.variables.iter().filter(|variable| !variable.validations.is_empty()) {
            add(CheckKind::Variable, at, None, &variable.name.text);
        }
        for check in &declared.checks {
            add(CheckKind::Check, at, None, &check.name.text);
        }
    }
    table
}

impl Walk<'_, '_, '_> {
    fn entry(&mut self, kind: CheckKind, module: usize, local: &str) -> Option<&mut CheckEntry> {
        let prefix: String = self.layout.modules[module].path.iter().map(|name| format!("module.{name}.")).collect();
        self.results.checks.entry_mut(kind, &format!("{prefix}{local}"))
    }

    /// Notes an expansion: in a plan the objects of the entry are known from now on.
    pub fn no_objects_yet(&mut self, kind: CheckKind, module: usize, local: &str) {
        let is_apply = self.purpose == Purpose::Apply;
        if let Some(entry) = self.entry(kind, module, local).filter(|_| !is_apply) {
            entry.objects.get_or_insert_default();
        }
    }

    /// Notes the status of an object.
    pub fn report(
        &mut self,
        kind: CheckKind,
        module: usize,
        local: &str,
        instance: &ModuleInstance,
        key: Option<&InstanceKey>,
        outcome: Option<(Status, Vec<String>)>,
    ) {
        if matches!(self.purpose, Purpose::Validate | Purpose::Destroy) {
            return;
        }
        let is_apply = self.purpose == Purpose::Apply;
        let Some(entry) = self.entry(kind, module, local) else { return };
        let dot = if instance.is_root() { "" } else { "." };
        let key = key.cloned().unwrap_or_default();
        let address = format!("{instance}{dot}{local}{key}");
        // E164: the objects of an apply are those of the plan.
        if is_apply && !entry.objects.as_ref().is_some_and(|objects| objects.contains_key(&address)) {
            return;
        }
        let (status, failures) = outcome.unwrap_or((Status::Unknown, Vec::new()));
        let object = CheckObject { module: instance.clone(), key, status, failures };
        entry.objects.get_or_insert_default().insert(address, object);
    }

    /// G61: the objects of a check block are listed before anything in it is evaluated.
    pub fn visit_check_report(&mut self, module: usize, index: usize) -> bool {
        // E164: an apply begins with the objects of the plan.
        if self.purpose == Purpose::Apply {
            return true;
        }
        let check = &self.layout.modules[module].configuration.module.checks[index];
        let local = format!("check.{}", check.name.text);
        let instances = self.values.module_instances(self.layout, module);
        self.no_objects_yet(CheckKind::Check, module, &local);
        for instance in instances {
            self.report(CheckKind::Check, module, &local, &instance, None, None);
        }
        true
    }

    /// A check block: nothing waits for it.
    pub fn visit_check(&mut self, module: usize, index: usize) -> bool {
        let check = &self.layout.modules[module].configuration.module.checks[index];
        let local = format!("check.{}", check.name.text);
        let mut is_fine = true;
        for instance in self.values.module_instances(self.layout, module) {
            // E162: a data resource that could not be read.
            if let Some(failure) = self.failed_read(module, index, &instance) {
                self.report(CheckKind::Check, module, &local, &instance, None, Some((Status::Fail, vec![failure])));
                continue;
            }
            let (mut status, mut failures, mut diagnostics) = (Status::Pass, Vec::new(), Vec::new());
            for rule in &check.asserts {
                let names = NameScope { check: Some(&check.name.text), ..NameScope::default() };
                let judged = self.judge(rule, RuleOf::Check, names, &self.at(module, &instance, &Repeated::default()));
                status = status.max(judged.status);
                // E151: the validation walk does not judge conditions.
                let is_known = self.purpose != Purpose::Validate;
                match judged.status {
                    Status::Fail if is_known => {
                        diagnostics.push(Diagnostic::warning("Check block assertion failed"));
                        failures.extend(judged.message);
                    }
                    Status::Unknown if is_known => {
                        diagnostics.push(Diagnostic::warning("Check block assertion known after apply"));
                    }
                    _ => {}
                }
                diagnostics.extend(judged.diagnostics);
            }
            is_fine &= self.emit(diagnostics);
            self.report(CheckKind::Check, module, &local, &instance, None, Some((status, failures)));
        }
        is_fine
    }

    /// The error of the read of a check's data resource, if it failed.
    fn failed_read(&self, module: usize, index: usize, instance: &ModuleInstance) -> Option<String> {
        let of_check = |block: &&crate::layout::Block<'_>| block.module == module && block.check == Some(index);
        let block = self.layout.blocks.iter().find(of_check)?;
        if block.address.mode != ResourceMode::Data || self.purpose == Purpose::Validate {
            return None;
        }
        let dot = if instance.is_root() { "" } else { "." };
        let address = format!("{instance}{dot}{}", block.address);
        let failed = self.failed_reads.get(&address)?;
        Some(failed.clone())
    }
}

/// The table with the status of all objects unknown, with which an apply begins (E164).
pub fn begun(table: &CheckTable) -> CheckTable {
    let mut table = table.clone();
    for entry in table.0.values_mut() {
        let objects: Option<BTreeMap<String, CheckObject>> = entry.objects.take().map(|objects| {
            let unknown = |object: CheckObject| CheckObject { status: Status::Unknown, failures: Vec::new(), ..object };
            objects.into_iter().map(|(address, object)| (address, unknown(object))).collect()
        });
        entry.objects = objects;
    }
    table
}
