//! Blocks in a walk: expansion, then each instance, then the instances that are no longer declared (G51).

use std::collections::HashSet;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ResourceMode};
use planfuzz_core::planner::{self, Diagnostic as InstanceDiagnostic, KeyKind, Orphan, Presence, PreventDestroy};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Text, Value};
use planfuzz_language::check::{NameScope, RuleOf};
use planfuzz_language::config;
use planfuzz_workspace::{CheckKind, Diagnostic, Status};

use crate::asked::{Asked, Ends};
use crate::body;
use crate::diagnostics;
use crate::evaluation::{EPHEMERAL, Marked};
use crate::graph::Node;
use crate::marks;
use crate::values::{Instances, Repeated, RepetitionKind};
use crate::walk::{OfBody, Purpose, Walk};

/// The instances of a block, each with its module instance and its `count` or `each`.
type Expanded = Vec<(ModuleInstance, InstanceKey, Repeated)>;

impl<'w, 'c, 'p> Walk<'w, 'c, 'p> {
    /// G51, G121, G124.
    pub fn visit_block(&mut self, block: usize) -> bool {
        let of = &self.layout.blocks[block];
        let (found, is_expanded) = match self.expand_block(block) {
            Ok(expanded) => expanded,
            Err(diagnostics) => return self.emit(diagnostics),
        };
        if self.purpose == Purpose::Validate {
            let mut is_fine = is_expanded;
            for (instance, _, repeated) in &found {
                is_fine &= self.validate_block(block, instance, repeated);
            }
            return is_fine & self.validate_imports(block);
        }
        if of.address.mode == ResourceMode::Ephemeral {
            self.expanded_checks(block, &found);
            return self.open_block(block, &found);
        }
        if self.purpose == Purpose::Apply {
            self.expanded_checks(block, &found);
            self.note_block(block);
            return true;
        }
        if self.purpose == Purpose::Import {
            self.note_block(block);
        }
        let imports = match self.imports_of(block, &found) {
            Ok(imports) => imports,
            Err(diagnostics) => {
                self.expanded_checks(block, &found);
                return self.emit(diagnostics);
            }
        };
        self.importing.wanted.extend(imports);
        self.plan_block(block, &found)
    }

    /// G121: the instances of a block, and whether its number could be evaluated everywhere.
    fn expand_block(&mut self, block: usize) -> Result<(Expanded, bool), Vec<Diagnostic>> {
        let of = &self.layout.blocks[block];
        let (mut found, mut is_fine) = (Expanded::new(), true);
        for instance in self.values.module_instances(self.layout, of.module) {
            let expanded = self.expand(&of.resource.repetition, &self.at(of.module, &instance, &Repeated::default()));
            let instances = match expanded {
                Ok(instances) => instances,
                // E101: the validation walk goes on with the block itself.
                Err(diagnostics) if self.purpose == Purpose::Validate => {
                    is_fine &= self.emit(diagnostics);
                    kind(&of.resource.repetition)
                }
                Err(diagnostics) => return Err(diagnostics),
            };
            self.room.expand(&self.layout.address(block).to_string(), instances.count())?;
            found.extend(instances.keys().into_iter().map(|(key, repeated)| (instance.clone(), key, repeated)));
            self.values.resources.insert(AbsResource { module: instance, resource: of.address.clone() }, instances);
        }
        Ok((found, is_fine))
    }

    /// Opens the instances of an ephemeral block.
    fn open_block(&mut self, block: usize, found: &[(ModuleInstance, InstanceKey, Repeated)]) -> bool {
        let of = &self.layout.blocks[block];
        let mut is_fine = true;
        for (module, key, repeated) in found {
            let address = instance(of.address.clone(), module, key);
            match self.is_targeted(block, &address) {
                true => is_fine &= self.open(block, &address, repeated),
                false => self.not_opened(block, &address),
            }
        }
        is_fine
    }

    /// Plans the instances of a block, and the stored ones that are no longer declared.
    fn plan_block(&mut self, block: usize, found: &[(ModuleInstance, InstanceKey, Repeated)]) -> bool {
        let of = &self.layout.blocks[block];
        let is_declared = |address: &AbsResourceInstance| {
            found.iter().any(|(module, key, _)| *module == address.module && *key == address.key)
        };
        let importing = match self.importing_into(block, is_declared) {
            Ok(importing) => importing,
            Err(diagnostics) => return self.emit(diagnostics),
        };
        let all: Vec<AbsResourceInstance> =
            found.iter().map(|(module, key, _)| instance(of.address.clone(), module, key)).collect();
        let is_asked = |address: &AbsResourceInstance| importing.iter().any(|(into, _)| into == address);
        // E70: the instance that the command `import` names has no body.
        let planned = all.iter().filter(|address| self.is_targeted(block, address) && !is_asked(address));
        let own = self.own(block, &planned.cloned().collect::<Vec<_>>());
        // E70: instances in a cycle are not expanded, as far as checks are concerned.
        if !own.cycles.is_empty() {
            return self.emit(own.cycles);
        }
        self.expanded_checks(block, found);
        let each = self.dependencies(block).len() as u64;
        let listed = each.saturating_mul(found.len() as u64);
        if let Err(diagnostics) = self.room.depend(&self.layout.address(block).to_string(), listed) {
            return self.emit(diagnostics);
        }
        let mut is_fine = true;
        for (address, (_, _, repeated)) in all.iter().zip(found) {
            if let Some(count) = own.reported.get(address) {
                is_fine &= self.emit(vec![Diagnostic::error("Self-referential block"); *count]);
                continue;
            }
            if !is_asked(address) && !own.waits(address) && self.is_targeted(block, address) {
                is_fine &= self.plan_instance(block, address, repeated);
            }
        }
        // G15: the others are visited before the imported object is there.
        if let Some((address, id)) = importing {
            is_fine &= self.import_object(block, &address, id);
        }
        is_fine &= self.instance_orphans(block);
        if !self.targets.is_empty() {
            self.see_left_out(block);
        }
        is_fine
    }

    /// G111: the instances of a visited block that targets leave out are seen as they are stored, also those no longer declared, and those
    /// that have deposed objects alone which no target contains.
    fn see_left_out(&mut self, block: usize) {
        let Some(schema) = self.layout.blocks[block].schema else { return };
        let of = &self.layout.blocks[block];
        for module in self.values.module_instances(self.layout, of.module) {
            let single = instance(of.address.clone(), &module, &InstanceKey::None);
            if !self.is_targeted(block, &single) {
                self.values.noted.insert(single.abs_resource());
            }
        }
        let resources = self.stored_of.get(&self.layout.address(block)).cloned().unwrap_or_default();
        for resource in resources {
            let instances = self.state.resources.get(&resource).into_iter().flat_map(|stored| &stored.instances);
            let alone = instances.clone().filter(|(_, instance)| instance.current.is_none()).map(|(key, _)| key);
            let is_left = |key: &&InstanceKey| {
                !self.visits_deposed_of(&instance(resource.resource.clone(), &resource.module, key))
            };
            let deposed_alone: Vec<InstanceKey> = alone.filter(is_left).cloned().collect();
            if !deposed_alone.is_empty() {
                self.values.deposed_alone.entry(resource.clone()).or_default().extend(deposed_alone);
            }
            let there = instances.filter(|(_, instance)| instance.current.is_some());
            let all: Vec<AbsResourceInstance> =
                there.map(|(key, _)| instance(resource.resource.clone(), &resource.module, key)).collect();
            for address in all.iter().filter(|address| !self.is_targeted(block, address)).collect::<Vec<_>>() {
                self.see(address, schema);
                self.values.partial.insert(resource.clone());
            }
        }
    }

    /// G111: whether a block that targets name plans an instance.
    fn is_targeted(&self, block: usize, address: &AbsResourceInstance) -> bool {
        self.targets.takes(&self.layout.address(block), address)
    }

    /// G110: whether targets keep the deposed objects of an instance. A block that is only reached takes none along.
    fn visits_deposed_of(&self, address: &AbsResourceInstance) -> bool {
        self.graph.nodes.iter().any(|node| matches!(node, Node::Deposed(of, _) if of == address))
    }

    /// Instances of a block in the state that are not declared (E112 to E114).
    fn instance_orphans(&mut self, block: usize) -> bool {
        let of = &self.layout.blocks[block];
        let config = self.layout.address(block);
        let mut stored: Vec<AbsResourceInstance> = Vec::new();
        for resource in self.stored_of.get(&config).into_iter().flatten() {
            let instances = self.state.resources.get(resource).into_iter().flat_map(|stored| &stored.instances);
            let there = instances.filter(|(_, instance)| instance.current.is_some());
            stored.extend(there.map(|(key, _)| instance(resource.resource.clone(), &resource.module, key)));
        }
        let mut is_fine = true;
        let modules: HashSet<ModuleInstance> =
            self.values.module_instances(self.layout, of.module).into_iter().collect();
        for address in stored {
            let in_module = modules.contains(&address.module);
            let instances = self.values.resources.get(&address.abs_resource());
            if in_module
                && (instances.is_some_and(|instances| instances.has(&address.key))
                    || fault!(OrphanInstancesMissed)
                    || fault!(OrphansWantRefresh) && !self.workspace.options.refresh
                    || fault!(LateNamesNoOrphans) && address.resource.name.as_str() > "m")
            {
                continue;
            }
            // G112
            if in_module && !self.is_targeted(block, &address) {
                continue;
            }
            let orphan = Orphan {
                block: true,
                module: in_module,
                key: key_kind(&address.key),
                repetition: repetition(&of.resource.repetition),
                declared: false,
                prevent_destroy: prevent_destroy(&of.resource.lifecycle),
                keep_on_destroy: false,
            };
            is_fine &= self.plan_gone(&address, &of.provider, Presence::Orphan(orphan));
            if in_module && self.purpose.plans_nothing() {
                self.see_gone(block, &address);
            } else if in_module {
                self.see_old_left_out(&address);
            }
            if of.address.mode == ResourceMode::Data {
                self.values.set(&address, None);
                self.values.dropped.insert(address.abs_resource());
            }
        }
        is_fine
    }

    /// G111: an instance that is to be destroyed, with deposed objects that targets leave out, is seen as if it had those alone.
    fn see_old_left_out(&mut self, address: &AbsResourceInstance) {
        let has_deposed = self.state.instance(address).is_some_and(|instance| !instance.deposed.is_empty());
        if has_deposed && !self.visits_deposed_of(address) {
            self.values.deposed_alone.entry(address.abs_resource()).or_default().insert(address.key.clone());
        }
    }

    /// L183: in a walk that plans nothing, stored objects that are no longer declared are seen all the same, if their keys are of the kind
    /// by which the block repeats.
    fn see_gone(&mut self, block: usize, address: &AbsResourceInstance) {
        let of = &self.layout.blocks[block];
        let is_alike = match &address.key {
            InstanceKey::None => false,
            InstanceKey::Int(_) => of.resource.repetition.count.is_some(),
            InstanceKey::Text(_) => of.resource.repetition.for_each.is_some(),
        };
        let is_there = self.state.instance(address).is_some_and(|instance| instance.current.is_some());
        if is_there {
            self.values.noted.insert(address.abs_resource());
        }
        if is_alike
            && is_there
            && let Some(schema) = of.schema
        {
            self.see(address, schema);
            self.values.partial.insert(address.abs_resource());
        }
    }

    /// G04: validates each block once, with the statically known values.
    fn validate_block(&mut self, block: usize, instance: &ModuleInstance, repeated: &Repeated) -> bool {
        let of = &self.layout.blocks[block];
        let Some(schema) = of.schema else { return true };
        let mut found = Vec::new();
        let rules = of.resource.lifecycle.preconditions.iter().map(|rule| (rule, false));
        for (rule, has_self) in rules.chain(of.resource.lifecycle.postconditions.iter().map(|rule| (rule, true))) {
            let mut at = self.at(of.module, instance, repeated);
            at.own = has_self.then(|| Value::unknown(planfuzz_core::value::Type::Dynamic).into());
            // E151: for their errors only.
            let is_judgement =
                |one: &Diagnostic| ["Invalid condition result", "Invalid error message"].contains(&&*one.summary);
            let names = NameScope { own: has_self.then_some(of.resource), ..NameScope::default() };
            let judged = self.judge(rule, RuleOf::Resource, names, &at);
            found.extend(judged.diagnostics.into_iter().filter(|one| !is_judgement(one)));
        }
        found.retain(Diagnostic::is_error);
        let is_fine = self.emit(found);
        let of_contents = match of.has_faulty_contents {
            true => self.body_faults(block, &mut self.at(of.module, instance, repeated)),
            false => Vec::new(),
        };
        if !of_contents.is_empty() {
            self.of_body = OfBody::default();
            return self.emit(of_contents);
        }
        let evaluated = self.body_value(|walk| {
            let mut at = walk.at(of.module, instance, repeated);
            body::evaluate(walk.evaluation(), &of.resource.config, &schema.block, &mut at)
        });
        let config = match evaluated {
            Ok(config) => config,
            Err(diagnostics) => return self.emit(diagnostics),
        };
        let about = self.layout.address(block).to_string();
        let misused = misused(of.address.mode, &config, schema);
        let misuse = Diagnostic::error(self.layout.dialect.ephemeral_misused()).about(about.clone());
        let misuses = vec![misuse; misused];
        let mut afterwards = std::mem::take(&mut self.of_body.afterwards);
        if !misuses.is_empty() {
            if self.layout.dialect.finds_ephemeral_values_first() {
                return self.emit(misuses);
            }
            // LD04
            afterwards.retain(Diagnostic::is_error);
        }
        let mut asked = self.asked(block, &about, None);
        let request = planner::ValidateConfig { config: config.value };
        let answer = planner::Provider::validate(&mut asked, request);
        let mut diagnostics: Vec<_> =
            answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&about))).collect();
        diagnostics.extend(misuses.into_iter().chain(afterwards));
        self.emit(diagnostics) && is_fine
    }

    /// The provider of a block, for a visit.
    pub fn asked(&mut self, block: usize, visit: &str, configured: Option<Value>) -> Asked<'_, 'p> {
        let of = &self.layout.blocks[block];
        let ty = of.schema.map(|schema| schema.implied_type(self.layout.dialect));
        Asked {
            node: self.here(),
            visit: visit.to_owned(),
            provider: of.provider.source.clone(),
            configured,
            type_name: Text::new(&of.address.type_name),
            mode: of.address.mode,
            ty: ty.unwrap_or(planfuzz_core::value::Type::Dynamic),
            validated: 0,
            handover: None,
            handed: None,
            ends: Ends::Never,
            calls: self.calls,
        }
    }

    /// Lists the objects of a block with conditions, with unknown status.
    fn expanded_checks(&mut self, block: usize, found: &[(ModuleInstance, InstanceKey, Repeated)]) {
        let of = &self.layout.blocks[block];
        let local = of.address.to_string();
        self.no_objects_yet(CheckKind::Resource, of.module, &local);
        for (module, key, _) in found {
            self.report(CheckKind::Resource, of.module, &local, module, Some(key), Some((Status::Unknown, Vec::new())));
        }
    }

    /// The state of an instance.
    pub fn stored(&self, address: &AbsResourceInstance) -> InstanceState {
        self.state.instance(address).cloned().unwrap_or_default()
    }
}

/// L03, E78: the number of ephemeral values outside of write-only attributes, in a block that is stored.
pub fn misused(mode: ResourceMode, config: &Marked, schema: &planfuzz_core::schema::Schema) -> usize {
    if mode == ResourceMode::Ephemeral {
        return 0;
    }
    let is_misused = |path: &&planfuzz_core::value::WrittenPath| match path.steps().first() {
        Some(planfuzz_core::value::WrittenStep::Attribute(name)) => {
            !schema.block.attributes.get(name).is_some_and(|attribute| attribute.write_only)
        }
        _ => true,
    };
    marks::paths(config, EPHEMERAL).iter().filter(is_misused).count()
}

/// The address of an instance.
pub fn instance(
    resource: planfuzz_core::address::Resource,
    module: &ModuleInstance,
    key: &InstanceKey,
) -> AbsResourceInstance {
    AbsResourceInstance { module: module.clone(), resource, key: key.clone() }
}

/// The kind of a key.
pub fn key_kind(key: &InstanceKey) -> KeyKind {
    match key {
        InstanceKey::None => KeyKind::None,
        InstanceKey::Int(_) => KeyKind::Index,
        InstanceKey::Text(_) => KeyKind::Text,
    }
}

/// How a block repeats.
pub fn repetition(repetition: &config::Repetition) -> planner::Repetition {
    match (&repetition.count, &repetition.for_each) {
        (Some(_), _) => planner::Repetition::Count,
        (None, Some(_)) => planner::Repetition::ForEach,
        (None, None) => planner::Repetition::Single,
    }
}

/// `prevent_destroy` of a block.
pub fn prevent_destroy(lifecycle: &config::Lifecycle) -> PreventDestroy {
    match lifecycle.prevent_destroy.as_ref().is_some_and(|flag| flag.value) {
        true => PreventDestroy::Yes,
        false => PreventDestroy::No,
    }
}

/// The kind of a repetition, for where it is not evaluated.
pub fn kind(repetition: &config::Repetition) -> Instances {
    Instances::Unknown(match self::repetition(repetition) {
        planner::Repetition::Count => RepetitionKind::Count,
        planner::Repetition::ForEach => RepetitionKind::Each,
        _ => RepetitionKind::Single,
    })
}

/// Replaces diagnostics of one kind, one after the other, with more precise ones of the workspace. L04: those of `ignore_changes` were
/// reported once, in the validation walk.
pub fn replaced(
    found: &[InstanceDiagnostic],
    about: Option<&str>,
    summary: &str,
    by: &mut Vec<Vec<Diagnostic>>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for one in found.iter().filter(|one| one.rule != "L04") {
        if one.summary == summary && !by.is_empty() {
            diagnostics.extend(by.remove(0));
        } else {
            diagnostics.push(diagnostics::of_instance(one, about));
        }
    }
    diagnostics
}
