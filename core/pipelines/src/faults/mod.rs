//! Faults (section 5 of provider-model.md): behaviours of providers that Core does not allow, and controls that it does.
//!
//! They change finished answers, in the order in which the model lists them, after all checks of the pipelines: so a fault can give an
//! answer that no pipeline would let through.

mod apply;
mod import;
mod memory;
mod perturb;
mod plan;
mod read;
mod second;
mod table;
mod target;
mod upgrade;
mod validate;

pub use memory::Memory;
pub use table::FaultInfo;

use crate::model::{Fault, FaultName, When};
use crate::places::Places;
use planfuzz_core::planner::{Remark, Severity};
use planfuzz_core::value::{Text, Type};
use target::Target;

/// The faults of a model, compiled.
#[derive(Debug)]
pub(super) struct Faults {
    faults: Box<[Planted]>,
    places: Places,
    /// The type of the resource.
    ty: Type,
}

/// A fault and where it can act.
#[derive(Debug)]
struct Planted {
    name: FaultName,
    when: When,
    target: Target,
}

impl Faults {
    /// Compiles faults for a schema.
    pub(super) fn new(faults: &[Fault], places: &Places, ty: &Type) -> Faults {
        let plant = |fault: &Fault| Planted {
            name: fault.name,
            when: fault.when,
            target: Target::new(fault.at.as_ref(), places),
        };
        Faults { faults: faults.iter().map(plant).collect(), places: places.clone(), ty: ty.clone() }
    }

    fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }
}

/// An error that a fault reports.
fn error(summary: &str) -> Remark {
    Remark { severity: Severity::Error, summary: Text::new(summary) }
}

/// The warning of a provider that warns in every answer (C9).
fn warning() -> Remark {
    Remark { severity: Severity::Warning, summary: Text::new("Something is odd") }
}

fn has_errors(remarks: &[Remark]) -> bool {
    remarks.iter().any(|remark| remark.is_error())
}
