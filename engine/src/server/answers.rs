//! The calls about a resource type, in the messages of the protocol.

use tonic::Status;

use crate::wire::messages::plugin;

/// The calls about one resource type. An error ends the call, and is logged.
pub(super) trait Answers {
    fn validate(&self, request: plugin::ValidateRequest) -> Result<plugin::ValidateAnswer, Status>;
    fn upgrade(&self, request: plugin::UpgradeRequest) -> Result<plugin::UpgradeAnswer, Status>;
    fn read(&self, request: plugin::ReadRequest) -> Result<plugin::ReadAnswer, Status>;
    fn plan(&self, request: plugin::PlanRequest) -> Result<plugin::PlanAnswer, Status>;
    fn apply(&self, request: plugin::ApplyRequest) -> Result<plugin::ApplyAnswer, Status>;
    fn import(&self, request: plugin::ImportRequest) -> Result<plugin::ImportAnswer, Status>;
    fn read_data(&self, request: plugin::ReadDataRequest) -> Result<plugin::ReadDataAnswer, Status>;
}

/// The names of the calls, those of version 6.
pub(super) mod method {
    pub(crate) const VALIDATE: &str = "ValidateResourceConfig";
    pub(crate) const VALIDATE_DATA: &str = "ValidateDataResourceConfig";
    pub(crate) const UPGRADE: &str = "UpgradeResourceState";
    pub(crate) const READ: &str = "ReadResource";
    pub(crate) const PLAN: &str = "PlanResourceChange";
    pub(crate) const APPLY: &str = "ApplyResourceChange";
    pub(crate) const IMPORT: &str = "ImportResourceState";
    pub(crate) const READ_DATA: &str = "ReadDataSource";
}
