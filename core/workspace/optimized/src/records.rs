//! What a walk notes while it goes: results, stored objects of blocks, deposed objects, imports.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use planfuzz_core::address::{AbsResource, AbsResourceInstance, ConfigResource};
use planfuzz_core::plans::{AddressedChange, OutputChange};
use planfuzz_core::state::DeposedKey;
use planfuzz_workspace::{CheckTable, Diagnostic, State};

use crate::gone::Removed;
use crate::import_command::AskedImport;
use crate::seen::{Keys, Passing};

/// The places of the changes of each configured or gone resource.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Whether somebody looks at them.
    pub is_read: bool,
    /// Places of changes.
    pub of: HashMap<ConfigResource, Vec<usize>>,
}

/// What a walk finds.
#[derive(Debug, Default)]
pub struct Results {
    /// Changes of objects.
    pub changes: Vec<AddressedChange>,
    /// The changes of each resource.
    pub recorded: Recorded,
    /// Drift.
    pub drift: Vec<AddressedChange>,
    /// Changes of root outputs.
    pub outputs: Vec<OutputChange>,
    /// Checks.
    pub checks: CheckTable,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the planner of some instance reports that a refresh found something (G156).
    pub found_other: bool,
}

/// What becomes of stored objects; a pair is the number of a module instance and the place of a block in the module.
#[derive(Debug, Default)]
pub struct StoredObjects {
    /// The resources of each block that the state had when the walk began.
    pub of_block: HashMap<ConfigResource, Vec<AbsResource>>,
    /// Objects of the state that expressions do not see.
    pub unseen: HashSet<AbsResourceInstance>,
    /// Blocks of which the state has an object, even if not a declared one, or that targets leave out (E53).
    pub noted: HashSet<(usize, usize)>,
    /// Blocks of data resources with a stored object that was dropped, since it is no longer declared.
    pub dropped: HashSet<(usize, usize)>,
    /// Resources whose last instance was destroyed: a later visit of their block does not store them again (U69).
    pub emptied: HashSet<AbsResource>,
    /// What the `removed` blocks name, once somebody asked.
    pub removed: OnceCell<Removed>,
}

impl StoredObjects {
    /// Those of a state.
    pub fn of(state: &State) -> StoredObjects {
        let mut of_block: HashMap<ConfigResource, Vec<AbsResource>> = HashMap::new();
        for address in state.resources.keys() {
            let config = ConfigResource { module: address.module.module(), resource: address.resource.clone() };
            of_block.entry(config).or_default().push(address.clone());
        }
        StoredObjects { of_block, ..StoredObjects::default() }
    }
}

/// What is known of deposed objects.
#[derive(Debug, Default)]
pub struct DeposedObjects {
    /// The keys under which an apply deposes objects.
    pub fresh: BTreeMap<AbsResourceInstance, DeposedKey>,
    /// Keys of instances that have only deposed objects, in walks that see them: a refresh and its apply (L183), the command `import`
    /// (G15), an apply (U41), and where targets leave them out (G111).
    pub alone: Keys,
    /// Instances that have only deposed objects for a part of the walk: in a plan until those are visited (E59), in an apply after the
    /// current one is destroyed (U41).
    pub passing: Option<Passing>,
    /// The instances whose deposed objects are visited, if targets leave others out (G110).
    pub visited: HashSet<AbsResourceInstance>,
}

/// What is imported, by blocks or by the command.
#[derive(Debug, Default)]
pub struct Importing {
    /// Instances to be imported, with their ids.
    pub wanted: HashMap<AbsResourceInstance, String>,
    /// Errors for targets that their blocks do not declare, if they are reported after the walk.
    pub undeclared: Vec<Diagnostic>,
    /// Resources that import blocks name and no block declares.
    pub nowhere: HashSet<AbsResource>,
    /// The target and the id of the command `import`.
    pub asked: Option<AskedImport>,
    /// Blocks, by module instance and place, whose only instance the command `import` did not find.
    pub nothing: HashSet<(usize, usize)>,
}
