//! Edits of a workspace between two plans, and the edits that lead from one workspace to another.

use planfuzz_core::address::{AbsResource, AbsResourceInstance};
use planfuzz_core::json::Json;
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_workspace::{Options, OutputState, ResourceState, State, Workspace};

/// A change of a workspace.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A file has other contents; `None` if it is gone.
    File(String, Option<Vec<u8>>),
    /// The options of the command changed.
    Options(Options),
    /// A stored instance changed; without objects if it is gone.
    Object(AbsResourceInstance, InstanceState),
    /// A stored resource changed; `None` if it is gone.
    Resource(AbsResource, Option<ResourceState>),
    /// A stored output changed; `None` if it is gone.
    Output(String, Option<OutputState>),
    /// The stored results of checks changed.
    Checks(Option<Json>),
}

/// The edits that turn one workspace into the other. Both must be for one engine and have the same schemas, which is not checked.
pub fn between(before: &Workspace, after: &Workspace) -> Vec<Edit> {
    let mut edits = Vec::new();
    let contents = |of: &Workspace, path: &str| of.sources.find(path).map(|file| of.sources.bytes(file).to_vec());
    for (path, file) in after.sources.iter() {
        let bytes = after.sources.bytes(file);
        if contents(before, path).as_deref() != Some(bytes) {
            edits.push(Edit::File(path.to_owned(), Some(bytes.to_vec())));
        }
    }
    let gone = before.sources.iter().filter(|(path, _)| after.sources.find(path).is_none());
    edits.extend(gone.map(|(path, _)| Edit::File(path.to_owned(), None)));
    if !is_same_options(&before.options, &after.options) {
        edits.push(Edit::Options(after.options.clone()));
    }
    let empty = State::default();
    let [old, new] = [before, after].map(|of| of.state.as_ref().unwrap_or(&empty));
    of_states(old, new, &mut edits);
    edits
}

fn of_states(old: &State, new: &State, edits: &mut Vec<Edit>) {
    for (address, resource) in &new.resources {
        match old.resources.get(address) {
            Some(stored)
                if stored.provider == resource.provider && stored.instances.len() == resource.instances.len() =>
            {
                if stored.instances.keys().ne(resource.instances.keys()) {
                    edits.push(Edit::Resource(address.clone(), Some(resource.clone())));
                    continue;
                }
                let both = stored.instances.values().zip(&resource.instances);
                for (_, (key, instance)) in both.filter(|(old, (_, new))| !is_same_instance(old, new)) {
                    let AbsResource { module, resource } = address.clone();
                    edits.push(Edit::Object(
                        AbsResourceInstance { module, resource, key: key.clone() },
                        instance.clone(),
                    ));
                }
            }
            _ => edits.push(Edit::Resource(address.clone(), Some(resource.clone()))),
        }
    }
    let gone = old.resources.keys().filter(|address| !new.resources.contains_key(address));
    edits.extend(gone.map(|address| Edit::Resource(address.clone(), None)));
    for (name, output) in &new.outputs {
        if old.outputs.get(name) != Some(output) {
            edits.push(Edit::Output(name.clone(), Some(output.clone())));
        }
    }
    let gone = old.outputs.keys().filter(|name| !new.outputs.contains_key(*name));
    edits.extend(gone.map(|name| Edit::Output(name.clone(), None)));
    if old.checks != new.checks {
        edits.push(Edit::Checks(new.checks.clone()));
    }
}

fn is_same_options(a: &Options, b: &Options) -> bool {
    let Options { mode, refresh, targets, excludes, replace, variables, parallelism, interrupt } = a;
    (mode, refresh, parallelism, interrupt) == (&b.mode, &b.refresh, &b.parallelism, &b.interrupt)
        && (targets, excludes) == (&b.targets, &b.excludes)
        && (replace, variables) == (&b.replace, &b.variables)
}

fn is_same_instance(a: &InstanceState, b: &InstanceState) -> bool {
    let current = match (&a.current, &b.current) {
        (Some(a), Some(b)) => is_same_object(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    current
        && a.deposed.len() == b.deposed.len()
        && a.deposed.iter().zip(&b.deposed).all(|((key, a), (other, b))| key == other && is_same_object(a, b))
}

fn is_same_object(a: &Object, b: &Object) -> bool {
    let Object { stored, private, status, dependencies, create_before_destroy, sensitive, skip_destroy } = a;
    let is_same = match (stored, &b.stored) {
        (Stored::Raw { version, attributes }, Stored::Raw { version: other, attributes: others }) => {
            version == other && attributes == others
        }
        (Stored::Value(a), Stored::Value(b)) => a == b,
        _ => false,
    };
    is_same
        && (private, status, dependencies) == (&b.private, &b.status, &b.dependencies)
        && (create_before_destroy, skip_destroy) == (&b.create_before_destroy, &b.skip_destroy)
        && *sensitive == b.sensitive
}
