//! Names of resources and other things in a run.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;

use crate::provider_address::ProviderAddress;

/// The names of one instance's things in a run. Different instances have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// The provider it belongs to.
    pub provider_address: ProviderAddress,
    /// Which of the run's instances it is.
    pub job: usize,
    /// The dialect of the engine.
    pub dialect: Dialect,
}

/// The name of each resource that is asked about.
pub const RESOURCE: &str = "r";

/// Its name before it was moved.
pub const MOVED: &str = "old";

/// The name of each helper.
pub const HELPER: &str = "h";

/// The module that is called zero times: its resources are declared, but have no instances.
pub const GONE: &str = "gone";

impl Names {
    /// The resource type: `six_3`.
    pub fn type_name(self) -> String {
        format!("{}_{}", self.provider_address.name(), self.job)
    }

    /// The resource type of a helper: `six_3_h0`.
    pub fn helper_type(self, helper: usize) -> String {
        format!("{}_h{helper}", self.type_name())
    }

    /// The address of a resource in its module.
    pub fn resource(self, kind: ResourceKind, name: &str) -> String {
        format!("{}{}.{name}", prefix(kind), self.type_name())
    }

    /// The address of a helper.
    pub fn helper(self, kind: ResourceKind, helper: usize) -> String {
        format!("{}{}.{HELPER}", prefix(kind), self.helper_type(helper))
    }

    /// The name of a local value, a check or the like.
    pub fn local(self, what: &str, number: usize) -> String {
        format!("{}_{what}{number}", self.type_name())
    }
}

fn prefix(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Managed => "",
        ResourceKind::Data => "data.",
    }
}
