//! Blocks in a walk: expanded, then all their instances, then the instances that are no longer declared (G51).
//!
//! The stored instances of a resource are taken out of the state as one map, changed in place, and put back: an instance costs no search
//! through all resources.

use std::collections::BTreeSet;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ResourceMode};
use planfuzz_core::planner::{self, KeyKind, Orphan, Presence, PreventDestroy, Repetition, ValidateConfig};
use planfuzz_core::value::{Type, Value, WrittenStep};
use planfuzz_language::config::{self, Lifecycle};
use planfuzz_language::expression::{EPHEMERAL, Marked};
use planfuzz_workspace::{CheckKind, Diagnostic, Instances, ResourceState, Status};

use crate::asked::{Asked, Ends, Seen};
use crate::diagnostics;
use crate::expr::Evaluated;
use crate::instances::Shared;
use crate::marks;
use crate::model::{Model, Repeats};
use crate::scope::{Repeat, Repeated};
use crate::statically::Statically;
use crate::walk::{Purpose, Walk};

/// The stored instances of a resource in both states of a walk.
pub struct Taken {
    /// The resource.
    pub address: AbsResource,
    /// In the state as it was.
    pub previous: Option<ResourceState>,
    /// In the state as it is.
    pub state: Option<ResourceState>,
    /// The instances that had deposed objects in the state as it was, of those that are visited. They are known apart, as a division among
    /// workers takes that state.
    pub deposed: BTreeSet<InstanceKey>,
}

impl Taken {
    /// L183, E153: whether an instance without a current object is seen as unknown: it has deposed objects, or one with a higher index is
    /// stored.
    pub fn is_seen(&self, key: &InstanceKey) -> bool {
        // Deposed objects are visited beside it, so the state before counts.
        let has_old = self.deposed.contains(key);
        let Some(stored) = &self.state else { return has_old };
        let is_number = |key: &InstanceKey| matches!(key, InstanceKey::Int(_));
        let mut behind = stored.instances.after(key).filter(|(other, _)| is_number(other));
        has_old || is_number(key) && behind.any(|(_, instance)| !instance.is_absent())
    }
}

impl Model<'_> {
    /// L03, E78: the number of ephemeral values outside of write-only attributes, in a block that is stored.
    pub fn misused(&self, block: usize, config: &Marked) -> usize {
        let of = &self.blocks[block];
        let Some(typed) = of.schema.filter(|_| of.address.mode != ResourceMode::Ephemeral && !config.marks.is_empty())
        else {
            return 0;
        };
        let attributes = &self.typed[typed].schema.block.attributes;
        let is_misused = |path: &&planfuzz_core::value::WrittenPath| match path.steps().first() {
            Some(WrittenStep::Attribute(name)) => !attributes.get(name).is_some_and(|one| one.write_only),
            _ => true,
        };
        marks::paths(config, EPHEMERAL).iter().filter(is_misused).count()
    }
}

/// The instances of a module, each with how often a block is there.
pub type Expanded = Vec<(usize, Repeat)>;

impl<'p> Walk<'_, '_, '_, 'p> {
    /// G51, G121, G124.
    pub fn visit_block(&mut self, block: usize) -> bool {
        let of = &self.model.blocks[block];
        let (expanded, is_expanded) = match self.expand_block(block) {
            Ok(found) => found,
            Err(diagnostics) => return self.report(diagnostics),
        };
        if self.purpose == Purpose::Validate {
            return self.validate_expanded(block, &expanded) & is_expanded;
        }
        // E70: instances in a cycle are not expanded, as far as checks are concerned.
        let may_go_round = !of.own.is_empty() && self.purpose != Purpose::Apply;
        if !may_go_round || of.address.mode == ResourceMode::Ephemeral {
            self.list_checks(block, &expanded);
        }
        if of.address.mode == ResourceMode::Ephemeral {
            return self.open_instances(block, &expanded);
        }
        // G15: in an import a block without instances is stored as such.
        if matches!(self.purpose, Purpose::Apply | Purpose::Import) {
            self.note_block(block, &expanded);
        }
        if self.purpose == Purpose::Apply {
            return true;
        }
        if !self.asked_fits(block) {
            return false;
        }
        let found = self.find_imports(block);
        let cycles = if found.is_ok() { self.own_cycles(block, &expanded) } else { Vec::new() };
        if may_go_round && cycles.is_empty() {
            self.list_checks(block, &expanded);
        }
        let found = if cycles.is_empty() { found } else { Err(cycles) };
        match found {
            Ok(()) => self.plan_expanded(block, &expanded),
            Err(diagnostics) => self.report(diagnostics),
        }
    }

    /// G121: the block in each instance of its module, and whether all could be expanded. E101: the validation walk goes on with the block
    /// itself where one could not.
    pub fn expand_block(&mut self, block: usize) -> Evaluated<(Expanded, bool)> {
        let of = &self.model.blocks[block];
        let (mut expanded, mut is_fine) = (Expanded::new(), true);
        for inst in self.insts_of(of.module) {
            let repeat = match self.expand(inst, &of.repetition) {
                Ok(repeat) => repeat,
                Err(diagnostics) if self.purpose == Purpose::Validate => {
                    is_fine &= self.report(diagnostics);
                    Repeat::Unknown(of.repeats)
                }
                Err(diagnostics) => return Err(diagnostics),
            };
            self.take_room(&of.text, repeat.count())?;
            self.insts[inst].repeats[of.place] = Some(repeat.clone());
            self.touch(inst, block);
            expanded.push((inst, repeat));
        }
        Ok((expanded, is_fine))
    }

    fn validate_expanded(&mut self, block: usize, expanded: &[(usize, Repeat)]) -> bool {
        let mut is_fine = true;
        for (inst, repeat) in expanded {
            is_fine &= self.validate_block(block, *inst, &repeat.at(0).1);
        }
        is_fine & self.validate_imports(block)
    }

    /// Opens the instances of an ephemeral block.
    fn open_instances(&mut self, block: usize, expanded: &[(usize, Repeat)]) -> bool {
        let mut is_fine = true;
        for (inst, repeat) in expanded {
            for place in 0..repeat.count() {
                let (key, repeated) = repeat.at(place);
                let (module, resource) = (self.insts[*inst].address.clone(), self.model.blocks[block].address.clone());
                let address = AbsResourceInstance { module, resource, key };
                match self.takes(block, &address) {
                    true => is_fine &= self.open(block, *inst, address.key, &repeated),
                    false => self.not_opened(block, *inst, address.key),
                }
            }
            self.touch(*inst, block);
        }
        is_fine
    }

    /// Plans the instances of a block, and those that are no longer declared.
    fn plan_expanded(&mut self, block: usize, expanded: &[(usize, Repeat)]) -> bool {
        let of = &self.model.blocks[block];
        let has_schema = of.schema.is_some() || self.without_schema(block, expanded);
        let shared = match self.facts_for(block, expanded) {
            Ok(shared) => shared,
            Err(diagnostics) => return self.report(diagnostics),
        };
        let at_once = if of.own.is_empty() { self.plan_at_once(&shared, expanded) } else { None };
        let all_fine = at_once.unwrap_or_else(|| self.plan_one_by_one(&shared, expanded));
        has_schema & all_fine & self.instance_orphans(block)
    }

    /// The facts that the instances share, for all of which there is room.
    pub fn facts_for(&mut self, block: usize, expanded: &[(usize, Repeat)]) -> Evaluated<Shared> {
        let shared = self.shared_facts(block);
        let instances = expanded.iter().fold(0_u64, |sum, (_, repeat)| sum.saturating_add(repeat.count()));
        let wanted = instances.saturating_mul(shared.depends.len() as u64);
        self.take_list(&self.model.blocks[block].text, wanted)?;
        Ok(shared)
    }

    fn plan_one_by_one(&mut self, shared: &Shared, expanded: &[(usize, Repeat)]) -> bool {
        let (block, mut is_fine, mut asked) = (shared.block, true, None);
        let resource = &self.model.blocks[block].address;
        for (inst, repeat) in expanded {
            let module = self.insts[*inst].address.clone();
            let mut taken = self.take(AbsResource { module: module.clone(), resource: resource.clone() });
            let waits = self.has_own_references(block, *inst, repeat);
            for place in 0..repeat.count() {
                let (key, repeated) = repeat.at(place);
                let address = AbsResourceInstance { module: module.clone(), resource: resource.clone(), key };
                let own = self.own_references(block, &address);
                if !own.is_empty() {
                    is_fine &= self.report(own);
                } else if let Some(id) = self.asked_id(&address) {
                    asked = Some((*inst, address, id));
                } else if waits {
                    // E70: waits for an instance that names itself.
                } else if self.takes(block, &address) {
                    let instance_fine = self.plan_instance(shared, *inst, &address, &repeated, &mut taken);
                    is_fine = if fault!(LastInstanceDecides) { instance_fine } else { is_fine & instance_fine };
                } else {
                    self.see_left_out(block, *inst, &address.key, &taken);
                }
            }
            self.touch(*inst, block);
            self.put_back(taken);
        }
        // G15: other instances, which make no calls, are visited before the imported one.
        if let Some((inst, address, id)) = asked {
            let mut taken = self.take_for(&address);
            is_fine &= self.import_asked(block, inst, &address, id, &mut taken);
            self.touch(inst, block);
            self.put_back(taken);
        }
        is_fine
    }

    /// G15: the instances of a block of a type without a schema, which the walk of V reports in other commands.
    fn without_schema(&mut self, block: usize, expanded: &[(usize, Repeat)]) -> bool {
        let mut found = Vec::new();
        for (inst, repeat) in expanded.iter().filter(|_| self.purpose == Purpose::Import) {
            for (key, _) in (0..repeat.count()).map(|place| repeat.at(place)) {
                let (module, resource) = (self.insts[*inst].address.clone(), self.model.blocks[block].address.clone());
                let address = AbsResourceInstance { module, resource, key };
                if self.asked_id(&address).is_none() {
                    found.push(Diagnostic::no_schema(&address, self.model.dialect.engine()));
                }
            }
        }
        self.report(found)
    }

    /// G111: makes an instance that targets leave out visible as it is stored.
    fn see_left_out(&mut self, block: usize, inst: usize, key: &InstanceKey, taken: &Taken) {
        let place = self.model.blocks[block].place;
        if *key == InstanceKey::None {
            self.objects.noted.insert((inst, place));
        }
        let object = || {
            let stored = taken.state.as_ref()?;
            let typed = self.typed_of(&taken.address, &stored.provider)?;
            let object = self.decoded(stored.instances.get(key)?.current.as_ref()?, typed)?;
            Some(crate::marks::to_expressions(&object))
        };
        if let Some(object) = object() {
            self.insts[inst].objects[place].insert(key.clone(), object);
            self.touch(inst, block);
        }
    }

    /// G111: whether a block that is in the graph plans an instance.
    pub fn takes(&self, block: usize, address: &AbsResourceInstance) -> bool {
        self.targets.is_empty()
            || fault!(AllInstancesTargeted)
            || self.targets.takes(&self.model.blocks[block].config, address)
    }

    /// Takes the stored instances of a resource out of both states, to visit all of them.
    pub fn take(&mut self, address: AbsResource) -> Taken {
        let mut taken = self.take_unread(address);
        let instances = taken.previous.iter().flat_map(|previous| &previous.instances);
        let with_deposed = instances.filter(|(_, instance)| !instance.deposed.is_empty());
        taken.deposed = with_deposed.map(|(key, _)| key.clone()).collect();
        taken
    }

    /// Takes them out to visit one instance alone. The others are not looked at: each has its own visit, and n of them would cost n².
    pub fn take_for(&mut self, address: &AbsResourceInstance) -> Taken {
        let mut taken = self.take_unread(address.abs_resource());
        let instance = taken.previous.as_ref().and_then(|previous| previous.instances.get(&address.key));
        taken.deposed.extend(instance.filter(|instance| !instance.deposed.is_empty()).map(|_| address.key.clone()));
        taken
    }

    fn take_unread(&mut self, address: AbsResource) -> Taken {
        let previous = self.previous.resources.remove(&address);
        let state = self.state.resources.remove(&address);
        Taken { address, previous, state, deposed: BTreeSet::new() }
    }

    /// Puts them back into both states.
    pub fn put_back(&mut self, taken: Taken) {
        self.note_deposed_alone(&taken);
        let Taken { address, previous, state, .. } = taken;
        if let Some(previous) = previous {
            self.previous.resources.insert(address.clone(), previous);
        }
        if let Some(state) = state {
            self.state.resources.insert(address, state);
        }
    }

    /// The stored instances of a block that are not declared, by resource, with the instance of its module if there is one.
    fn undeclared(&self, block: usize) -> Vec<(AbsResource, Option<usize>, Vec<InstanceKey>)> {
        let of = &self.model.blocks[block];
        let mut found = Vec::new();
        for address in self.objects.of_block.get(&of.config).into_iter().flatten() {
            let inst = self.insts.place(&address.module);
            let Some(stored) = self.state.resources.get(address) else { continue };
            let repeat = inst.and_then(|inst| self.insts[inst].repeats[of.place].as_ref());
            let is_gone = |key: &InstanceKey| repeat.is_none_or(|repeat| repeat.place(key).is_none());
            let gone = stored.instances.iter().filter(|(key, instance)| instance.current.is_some() && is_gone(key));
            let gone: Vec<InstanceKey> = gone.map(|(key, _)| key.clone()).collect();
            if !gone.is_empty() {
                found.push((address.clone(), inst, gone));
            }
        }
        found
    }

    /// Instances of a block in the state that are not declared (E112 to E114).
    pub fn instance_orphans(&mut self, block: usize) -> bool {
        let model = self.model;
        let of = &model.blocks[block];
        let mut is_fine = true;
        for (address, inst, gone) in self.undeclared(block) {
            if fault!(OrphansLeft) {
                continue;
            }
            let mut taken = self.take(address);
            for key in gone {
                let AbsResource { module, resource } = taken.address.clone();
                let address = AbsResourceInstance { module, resource, key };
                // G112
                if let Some(inst) = inst.filter(|_| !self.takes(block, &address)) {
                    self.see_left_out(block, inst, &address.key, &taken);
                    continue;
                }
                let orphan = Orphan {
                    block: true,
                    module: inst.is_some(),
                    key: key_kind(&address.key),
                    repetition: repetition(of.repeats),
                    declared: false,
                    prevent_destroy: prevent_destroy(&of.of.lifecycle),
                    keep_on_destroy: false,
                };
                let provider = &self.model.providers[of.provider].address;
                is_fine &= self.plan_gone(&address, provider, Presence::Orphan(orphan), &mut taken);
                // G111: what is left of an instance that is to be destroyed are deposed objects that targets leave out.
                let has_deposed = taken.instance(&address.key).is_some_and(|instance| !instance.deposed.is_empty());
                if inst.is_some() && has_deposed && self.leaves_deposed_of(&address) {
                    self.deposed.alone.entry(address.abs_resource()).or_default().insert(address.key.clone());
                }
                // L183: in a walk that plans nothing, the object is seen all the same, if its key is of the kind by which the block repeats.
                let is_alike = match &address.key {
                    InstanceKey::None => false,
                    InstanceKey::Int(_) => of.repeats == Repeats::Count,
                    InstanceKey::Text(_) => of.repeats == Repeats::Each,
                };
                let only_looks = self.purpose.only_looks();
                if let Some(inst) = inst.filter(|_| is_alike && only_looks) {
                    self.see_left_out(block, inst, &address.key, &taken);
                }
                let is_left = |state: &ResourceState| state.instances.contains_key(&address.key);
                if let Some(inst) = inst.filter(|_| only_looks && taken.state.as_ref().is_some_and(is_left)) {
                    self.objects.noted.insert((inst, of.place));
                }
                if let Some(inst) = inst.filter(|_| of.address.mode == ResourceMode::Data) {
                    self.insts[inst].objects[of.place].remove(&address.key);
                    self.objects.dropped.insert((inst, of.place));
                }
            }
            self.put_back(taken);
        }
        if !self.targets.is_empty() {
            self.see_deposed_left_out(block);
        }
        is_fine
    }

    /// G111: instances with only deposed objects, which targets leave out, are seen as unknown.
    fn see_deposed_left_out(&mut self, block: usize) {
        for resource in self.objects.of_block.get(&self.model.blocks[block].config).into_iter().flatten() {
            let stored = self.state.resources.get(resource).filter(|_| self.insts.place(&resource.module).is_some());
            let instances = stored.into_iter().flat_map(|stored| stored.instances.iter());
            let alone = instances.filter(|(_, instance)| instance.current.is_none()).map(|(key, _)| key);
            let is_left = |key: &&InstanceKey| {
                let AbsResource { module, resource } = resource.clone();
                self.leaves_deposed_of(&AbsResourceInstance { module, resource, key: (*key).clone() })
            };
            let deposed_alone: BTreeSet<InstanceKey> = alone.filter(is_left).cloned().collect();
            if !deposed_alone.is_empty() {
                self.deposed.alone.entry(resource.clone()).or_default().extend(deposed_alone);
            }
        }
    }

    /// G110: whether targets leave out the deposed objects of an instance, in a walk that plans what becomes of them.
    fn leaves_deposed_of(&self, address: &AbsResourceInstance) -> bool {
        !self.targets.is_empty() && !self.purpose.only_looks() && !self.deposed.visited.contains(address)
    }

    /// G04: validates each block once, with the statically known values.
    fn validate_block(&mut self, block: usize, inst: usize, repeated: &Repeated) -> bool {
        let model = self.model;
        let of = &model.blocks[block];
        let Some(body) = &of.body else { return true };
        if of.schema.is_none() {
            return true;
        }
        let mut found = Vec::new();
        let own = model.modules[of.module].lexica.own;
        for rule in &of.preconditions {
            found.extend(self.judge(rule, inst, repeated).diagnostics);
        }
        for rule in &of.postconditions {
            self.insts[inst].slots.set(own, Value::unknown(Type::Dynamic).into());
            found.extend(self.judge(rule, inst, repeated).diagnostics);
        }
        // E151: only errors count, and not those of the judgement.
        const JUDGED: [&str; 2] = ["Invalid condition result", "Invalid error message"];
        found.retain(|one| one.is_error() && !JUDGED.contains(&&*one.summary));
        let is_fine = self.report(found);
        if of.has_faulty_contents {
            self.prepare(inst, repeated, &of.needs);
            let contents = body.contents(&mut self.insts[inst].slots);
            let faults = model.body_faults(block, of.repeats, &contents);
            if !faults.is_empty() {
                // Other static diagnostics of the body are among the faults, or not reported.
                self.of_body = Statically::default();
                return self.report(faults);
            }
        }
        let evaluated = self.body_value(|walk| {
            walk.prepare(inst, repeated, &of.needs);
            body.evaluate(&mut walk.insts[inst].slots)
        });
        let config = match evaluated {
            Ok(config) => config,
            Err(diagnostics) => return self.report(diagnostics),
        };
        let misused = model.misused(block, &config);
        let misuses = vec![Diagnostic::error(model.dialect.ephemeral_misused()).about(of.text.as_str()); misused];
        let mut afterwards = self.diagnostics_afterwards();
        if misused > 0 {
            if model.dialect.finds_ephemeral_values_first() {
                return self.report(misuses);
            }
            // LD04: a redundant entry is not reported then.
            afterwards.retain(Diagnostic::is_error);
        }
        let (answer, _) = self.with_provider(block, &of.text, None, |asked| {
            planner::Provider::validate(asked, ValidateConfig { config: config.value })
        });
        let mut diagnostics: Vec<_> =
            answer.remarks.iter().map(|remark| diagnostics::remark(remark, Some(&of.text))).collect();
        diagnostics.extend(misuses.into_iter().chain(afterwards));
        self.report(diagnostics) && is_fine
    }

    /// Calls the provider of a block.
    pub fn with_provider<T>(
        &mut self,
        block: usize,
        visit: &str,
        configured: Option<&Value>,
        ask: impl FnOnce(&mut Asked<'_, 'p>) -> T,
    ) -> (T, Seen) {
        let of = &self.model.blocks[block];
        let dynamic = Type::Dynamic;
        let mut asked = Asked {
            calls: self.calls,
            node: self.here,
            visit,
            provider: &self.model.providers[of.provider].address.source,
            configured,
            type_name: of.of.type_name.text.clone(),
            mode: of.address.mode,
            ty: of.schema.map_or(&dynamic, |typed| &self.model.typed[typed].ty),
            is_validated: false,
            handover: None,
            seen: Seen::default(),
            ends: Ends::Never,
        };
        let answer = ask(&mut asked);
        (answer, asked.seen)
    }

    /// Lists the objects of a block with conditions, with unknown status.
    pub fn list_checks(&mut self, block: usize, expanded: &[(usize, Repeat)]) {
        let of = &self.model.blocks[block];
        if of.preconditions.is_empty() && of.postconditions.is_empty() {
            return;
        }
        let local = of.address.to_string();
        self.expanded(CheckKind::Resource, of.module, &local);
        for (inst, repeat) in expanded {
            for place in 0..repeat.count() {
                let key = repeat.at(place).0;
                self.note_status(CheckKind::Resource, &local, *inst, Some(&key), (Status::Unknown, Vec::new()));
            }
        }
    }

    /// U17: stores the provider that the block has now (U99).
    fn note_block(&mut self, block: usize, expanded: &[(usize, Repeat)]) {
        let of = &self.model.blocks[block];
        let provider = &self.model.providers[of.provider].address;
        for (inst, _) in expanded {
            let address = AbsResource { module: self.insts[*inst].address.clone(), resource: of.address.clone() };
            if self.objects.emptied.contains(&address) {
                continue;
            }
            let husk = || ResourceState { provider: provider.clone(), instances: Instances::new() };
            self.state.resources.entry(address).or_insert_with(husk).provider = provider.clone();
        }
    }

    /// The module instance of an address.
    pub fn inst_of(&self, module: &ModuleInstance) -> Option<usize> {
        self.insts.place(module)
    }
}

/// The kind of a key.
pub fn key_kind(key: &InstanceKey) -> KeyKind {
    match key {
        InstanceKey::None => KeyKind::None,
        InstanceKey::Int(_) => KeyKind::Index,
        InstanceKey::Text(_) => KeyKind::Text,
    }
}

fn repetition(repeats: Repeats) -> Repetition {
    match repeats {
        Repeats::Once => Repetition::Single,
        Repeats::Count => Repetition::Count,
        Repeats::Each => Repetition::ForEach,
    }
}

/// `prevent_destroy` of a block.
pub fn prevent_destroy(lifecycle: &Lifecycle) -> PreventDestroy {
    let is_set = lifecycle.prevent_destroy.as_ref().is_some_and(|flag: &config::Constant<bool>| flag.value);
    if is_set { PreventDestroy::Yes } else { PreventDestroy::No }
}
