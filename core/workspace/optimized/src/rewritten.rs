//! The nodes of a kept plan that are due after an edit of a file or of the state.
//!
//! Only edits that leave the graph as it was are taken: the same declarations, with the same references, providers, repetition and conditions.

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, Resource};
use planfuzz_core::value::Text;
use planfuzz_language::Sources;
use planfuzz_language::check::Schemas;
use planfuzz_language::config::{self, Module, ProviderRef};
use planfuzz_language::write::write_module;
use planfuzz_workspace::Workspace;

use crate::again::Whole;
use crate::graph::Node;
use crate::kept::KeptPlan;
use crate::model::{Model, Repeats, repeats};
use crate::walk::flag;

/// A file that was read alone.
#[derive(Clone, Copy)]
pub(crate) struct File<'w> {
    /// The file.
    pub(crate) sources: &'w Sources,
    /// What it declares.
    pub(crate) module: &'w Module,
}

/// The properties of a stored resource that an edit keeps.
pub(crate) struct Keeps<'k> {
    /// Whether the same instances have current and deposed objects as before.
    pub(crate) is_there: bool,
    /// Whether the provider is the same.
    pub(crate) provider: bool,
    /// The key of the only instance that changed.
    pub(crate) key: Option<&'k InstanceKey>,
}

/// The declarations of a file that changed.
#[derive(Debug, Default)]
struct Changed<'w> {
    resources: Vec<&'w config::Resource>,
    outputs: Vec<&'w config::Output>,
    locals: Vec<&'w config::Local>,
}

const OTHER_BLOCKS: Whole = Whole("a file declares something else");
const BLOCKS: Whole = Whole("a block comes or goes");

/// The text of a declaration, without its places.
fn text(module: Module, sources: &Sources) -> String {
    write_module(&module, sources, &Schemas::default()).to_text()
}

/// The pairs of two lists of declarations that differ.
fn pairs<T>(
    [old, new]: [&[T]; 2],
    is_same: impl Fn(&T, &T) -> bool,
    name: impl Fn(&T) -> (Option<&Text>, &Text),
    other: Whole,
) -> Result<Vec<&T>, Whole> {
    if old.len() != new.len() || old.iter().zip(new).any(|(old, new)| name(old) != name(new)) {
        return Err(other);
    }
    Ok(old.iter().zip(new).filter(|(old, new)| !is_same(old, new)).map(|(_, new)| new).collect())
}

/// The part of a file that changed and is not taken.
fn other_part(old: &Module, new: &Module, is_same: &dyn Fn(Module, Module) -> bool) -> Whole {
    type Part = fn(&Module) -> Module;
    const PARTS: [(Part, &str); 5] = [
        (|of| Module { variables: of.variables.clone(), ..Module::default() }, "a variable is declared otherwise"),
        (|of| Module { calls: of.calls.clone(), ..Module::default() }, "a call is written otherwise"),
        (|of| Module { moved: of.moved.clone(), ..Module::default() }, "a move is written otherwise"),
        (|of| Module { removed: of.removed.clone(), ..Module::default() }, "a removal is written otherwise"),
        (|of| Module { imports: of.imports.clone(), ..Module::default() }, "an import is written otherwise"),
    ];
    let other = PARTS.into_iter().find(|(part, _)| !is_same(part(old), part(new)));
    other.map_or(OTHER_BLOCKS, |(_, reason)| Whole(reason))
}

fn changed<'w>(old: File<'w>, new: File<'w>) -> Result<Changed<'w>, Whole> {
    let is_same = |a: Module, b: Module| text(a, old.sources) == text(b, new.sources);
    let rest = |of: &Module| Module { resources: Vec::new(), outputs: Vec::new(), locals: Vec::new(), ..of.clone() };
    if !is_same(rest(old.module), rest(new.module)) {
        return Err(other_part(old.module, new.module, &is_same));
    }
    let (a, b) = (old.module, new.module);
    let modes = |of: &Module| of.resources.iter().map(|resource| resource.mode).collect::<Vec<_>>();
    if modes(a) != modes(b) {
        return Err(BLOCKS);
    }
    let resource = |of: &config::Resource| Module { resources: vec![of.clone()], ..Module::default() };
    let output = |of: &config::Output| Module { outputs: vec![of.clone()], ..Module::default() };
    let local = |of: &config::Local| Module { locals: vec![of.clone()], ..Module::default() };
    Ok(Changed {
        resources: pairs(
            [&a.resources, &b.resources],
            |a, b| is_same(resource(a), resource(b)),
            |of| (Some(&of.type_name.text), &of.name.text),
            BLOCKS,
        )?,
        outputs: pairs(
            [&a.outputs, &b.outputs],
            |a, b| is_same(output(a), output(b)),
            |of| (None, &of.name.text),
            Whole("an output comes or goes"),
        )?,
        locals: pairs(
            [&a.locals, &b.locals],
            |a, b| is_same(local(a), local(b)),
            |of| (None, &of.name.text),
            Whole("a local comes or goes"),
        )?,
    })
}

impl<'w> KeptPlan<'w> {
    /// Compiles the changed declarations of a file again; returns the due nodes.
    pub(crate) fn rewrite(&mut self, old: File<'w>, new: File<'w>) -> Result<Vec<Node>, Whole> {
        let changed = changed(old, new)?;
        let modules = self.model.modules.iter().enumerate();
        let modules: Vec<usize> =
            modules.filter(|(_, of)| of.of.directory == new.module.directory).map(|(at, _)| at).collect();
        let mut due = Vec::new();
        for module in modules {
            let found = self.model.rewrite(module, &changed, new.sources)?;
            let part = Module {
                resources: changed.resources.iter().map(|one| (*one).clone()).collect(),
                outputs: changed.outputs.iter().map(|one| (*one).clone()).collect(),
                locals: changed.locals.iter().map(|one| (*one).clone()).collect(),
                ..Module::default()
            };
            let path: Vec<Text> = self.model.modules[module].path.iter().map(|name| Text::new(name)).collect();
            if !fault!(StaleStaticCheck) && !self.parts.check(&path, &part, new.sources).is_empty() {
                return Err(Whole("a file with diagnostics"));
            }
            due.extend(found);
        }
        Ok(due)
    }

    /// The due nodes after a change of a stored resource.
    pub(crate) fn stored(
        &mut self,
        workspace: &Workspace,
        address: &AbsResource,
        keeps: Keeps<'_>,
    ) -> Result<Vec<Node>, Whole> {
        let stored = workspace.state.as_ref().and_then(|state| state.resources.get(address));
        let instances = stored.into_iter().flat_map(|stored| &stored.instances);
        if instances.clone().any(|(_, instance)| !instance.deposed.is_empty()) {
            return Err(Whole("a deposed object"));
        }
        // Whether a statement of moves has an effect depends on the stored objects.
        if !keeps.is_there && !self.statements.is_empty() {
            return Err(Whole("an object comes or goes beside moves"));
        }
        if let Some(stored) = stored {
            let source = stored.provider.source.to_string();
            let Resource { mode, type_name, .. } = &address.resource;
            let is_known = self.model.provider_place(&self.model.passed_on(&stored.provider)).is_some()
                && self.model.typed_place(&source, *mode, type_name).is_some();
            if !is_known {
                return Err(Whole("a provider or a type that was not known"));
            }
        }
        let module = self.model.module_of(&address.module);
        let Some(block) = module.and_then(|module| self.model.find(module, &address.resource)) else {
            return self.stored_orphans(address, keeps, instances.map(|(key, _)| key));
        };
        let implied = match self.model.blocks[block].repeats {
            Repeats::Once => Some(InstanceKey::Int(0)),
            Repeats::Count => Some(InstanceKey::None),
            Repeats::Each => None,
        };
        if implied.is_some_and(|key| stored.is_some_and(|stored| stored.instances.contains_key(&key))) {
            return Err(Whole("a move is implied"));
        }
        if let Some(plan) = &mut self.walks.plan {
            // A resource that is no longer stored would not be found when the block is taken back.
            if stored.is_none() {
                plan.state.resources.remove(address);
                plan.previous.resources.remove(address);
            }
            let of = plan.objects.of_block.entry(self.model.blocks[block].config.clone()).or_default();
            match of.iter().position(|known| known == address) {
                Some(place) if stored.is_none() => drop(of.remove(place)),
                None if stored.is_some() => of.push(address.clone()),
                _ => {}
            }
        }
        Ok(vec![Node::Block(block as u32)])
    }

    /// The due nodes after a change of a resource without a block, each of whose objects has a node of its own.
    fn stored_orphans<'k>(
        &self,
        address: &AbsResource,
        keeps: Keeps<'_>,
        keys: impl Iterator<Item = &'k InstanceKey>,
    ) -> Result<Vec<Node>, Whole> {
        if !keeps.is_there || !keeps.provider {
            return Err(Whole("an object without a block comes or goes"));
        }
        let Some(plan) = &self.walks.plan else { return Err(Whole("an error")) };
        let due = keys.filter(|key| keeps.key.is_none_or(|only| only == *key)).filter_map(|key| {
            let AbsResource { module, resource } = address.clone();
            let id = self.orphans.get(&AbsResourceInstance { module, resource, key: key.clone() })?;
            plan.wired.graph.nodes.get(*id as usize).copied()
        });
        Ok(due.collect())
    }
}

impl<'w> Model<'w> {
    fn rewrite(&mut self, module: usize, changed: &Changed<'w>, sources: &'w Sources) -> Result<Vec<Node>, Whole> {
        let mut due = Vec::new();
        for of in &changed.resources {
            due.push(self.rewrite_block(module, of, sources)?);
        }
        for of in &changed.outputs {
            let place = self.output(module, &of.name.text).ok_or(OTHER_BLOCKS)?;
            let had_rules = !self.modules[module].outputs[place].rules.is_empty();
            let compiled = self.output_of(module, of, sources);
            if compiled.rules.is_empty() == had_rules {
                return Err(Whole("conditions come or go"));
            }
            self.modules[module].outputs[place] = compiled;
            due.push(Node::Output(module as u32, place as u32));
        }
        for of in &changed.locals {
            let place = self.local(module, &of.name.text).ok_or(OTHER_BLOCKS)?;
            self.compile_local(module, place, of, sources);
            due.push(Node::Local(module as u32, place as u32));
        }
        match due.iter().all(|&node| self.has_same_edges(node)) {
            true => Ok(due),
            false => Err(Whole("a reference comes or goes")),
        }
    }

    fn rewrite_block(&mut self, module: usize, new: &'w config::Resource, sources: &'w Sources) -> Result<Node, Whole> {
        let [type_name, name] = [&new.type_name, &new.name].map(|name| name.text.to_string());
        let address = Resource { mode: new.mode, type_name, name };
        let block = self.find(module, &address).ok_or(OTHER_BLOCKS)?;
        let old = self.blocks[block].of;
        let provider =
            |of: &'w config::Resource| of.provider.as_ref().map(|ProviderRef { name, alias, .. }| (name, alias));
        if repeats(&new.repetition) != self.blocks[block].repeats || provider(old) != provider(new) {
            return Err(Whole("a repetition or a provider"));
        }
        if !old.provisioners.is_empty() || !new.provisioners.is_empty() || self.blocks[block].check.is_some() {
            return Err(Whole("provisioners, or data of a check"));
        }
        let what = |model: &Model<'_>| {
            let of = &model.blocks[block];
            let conditions = of.preconditions.is_empty() && of.postconditions.is_empty();
            (of.provider, of.schema, conditions, flag(model, block), model.providers.len(), model.typed.len())
        };
        let before = what(self);
        (self.blocks[block].of, self.blocks[block].sources) = (new, sources);
        if !fault!(StaleBody) {
            self.compile_block(block);
        }
        match what(self) == before {
            true => Ok(Node::Block(block as u32)),
            false => Err(Whole("create_before_destroy, or conditions")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planfuzz_language::config::load_file;

    fn file(text: &str) -> (Sources, Module) {
        let mut sources = Sources::new();
        let file = sources.add("main.tf", text).expect("a file");
        let (module, diagnostics) = load_file(&sources, file);
        assert!(diagnostics.is_empty());
        (sources, module)
    }

    #[test]
    fn moved_blocks_are_unchanged_and_rewritten_ones_are_changed() {
        let old = file("resource \"t\" \"a\" {\n  x = 1\n}\nresource \"t\" \"b\" {\n  x = [1, 2]\n}\n");
        let new = file("# moved\nresource \"t\" \"a\" {\n  x = 1\n}\n\nresource \"t\" \"b\" {\n  x = [1, 3]\n}\n");
        let of = |of: &'static (Sources, Module)| File { sources: &of.0, module: &of.1 };
        let (old, new) = (of(Box::leak(Box::new(old))), of(Box::leak(Box::new(new))));
        let found = changed(old, new).expect("the same blocks");
        let names: Vec<&str> = found.resources.iter().map(|one| one.name.text.as_str()).collect();
        assert_eq!(names, ["b"]);
    }
}
