//! The module instances of a walk.

use std::ops::{Index, IndexMut};

use hashbrown::HashMap;
use planfuzz_core::address::ModuleInstance;

use crate::model::Model;
use crate::scope::{Inst, Repeated};
use crate::walk::Purpose;

/// The module instances, by their numbers; the root has 0.
#[derive(Debug)]
pub struct Insts {
    all: Vec<Inst>,
    of_module: Vec<Vec<usize>>,
    places: HashMap<ModuleInstance, usize>,
}

impl Insts {
    /// The root alone.
    pub fn root(model: &Model<'_>, purpose: Purpose) -> Insts {
        let mut insts =
            Insts { all: Vec::new(), of_module: vec![Vec::new(); model.modules.len()], places: HashMap::new() };
        insts.add(0, Inst::new(model, 0, ModuleInstance::ROOT, 0, Repeated::default()).within(model, purpose));
        insts
    }

    /// Adds an instance of a module; returns its number.
    pub fn add(&mut self, module: usize, inst: Inst) -> usize {
        let number = self.all.len();
        self.places.insert(inst.address.clone(), number);
        self.of_module[module].push(number);
        self.all.push(inst);
        number
    }

    /// All of them.
    pub fn all(&self) -> &[Inst] {
        &self.all
    }

    /// All of them, to be changed.
    pub fn all_mut(&mut self) -> &mut [Inst] {
        &mut self.all
    }

    /// The numbers of the instances of a module.
    pub fn of(&self, module: usize) -> &[usize] {
        &self.of_module[module]
    }

    /// The number of an address, if it is expanded.
    pub fn place(&self, address: &ModuleInstance) -> Option<usize> {
        self.places.get(address).copied()
    }
}

impl Index<usize> for Insts {
    type Output = Inst;

    fn index(&self, number: usize) -> &Inst {
        &self.all[number]
    }
}

impl IndexMut<usize> for Insts {
    fn index_mut(&mut self, number: usize) -> &mut Inst {
        &mut self.all[number]
    }
}
