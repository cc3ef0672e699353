//! Made by a program of `core/proto/planfile.proto`.
//!
//! 749a484f378ceaba0eabbe674b700ea3d6e4625c015c3bdfe22d129790b3ca7b

#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Plan {
    #[prost(uint64, tag = "1")]
    pub version: u64,
    /// On the wire as a map from names to values.
    #[prost(message, repeated, tag = "2")]
    pub variables: ::prost::alloc::vec::Vec<Variable>,
    #[prost(message, repeated, tag = "3")]
    pub resource_changes: ::prost::alloc::vec::Vec<ResourceInstanceChange>,
    #[prost(message, repeated, tag = "4")]
    pub output_changes: ::prost::alloc::vec::Vec<OutputChange>,
    #[prost(string, repeated, tag = "5")]
    pub target_addrs: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// OpenTofu.
    #[prost(string, repeated, tag = "6")]
    pub exclude_addrs: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "13")]
    pub backend: ::core::option::Option<Backend>,
    #[prost(string, tag = "14")]
    pub terraform_version: ::prost::alloc::string::String,
    #[prost(message, repeated, tag = "15")]
    pub relevant_attributes: ::prost::alloc::vec::Vec<RelevantAttribute>,
    #[prost(string, repeated, tag = "16")]
    pub force_replace_addrs: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(int32, tag = "17")]
    pub ui_mode: i32,
    #[prost(message, repeated, tag = "18")]
    pub resource_drift: ::prost::alloc::vec::Vec<ResourceInstanceChange>,
    #[prost(message, repeated, tag = "19")]
    pub check_results: ::prost::alloc::vec::Vec<CheckResults>,
    #[prost(bool, tag = "20")]
    pub errored: bool,
    #[prost(string, tag = "21")]
    pub timestamp: ::prost::alloc::string::String,
    /// Terraform: ProviderFunctionResult. OpenTofu: the name of an ephemeral variable.
    #[prost(bytes = "vec", repeated, tag = "22")]
    pub function_results_or_ephemeral_variables: ::prost::alloc::vec::Vec<
        ::prost::alloc::vec::Vec<u8>,
    >,
    /// Terraform, 25 to 28.
    #[prost(bool, tag = "25")]
    pub applyable: bool,
    #[prost(bool, tag = "26")]
    pub complete: bool,
    #[prost(message, repeated, tag = "27")]
    pub deferred_changes: ::prost::alloc::vec::Vec<DeferredChange>,
    #[prost(string, repeated, tag = "28")]
    pub apply_time_variables: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// OpenTofu, from here on.
    #[prost(bytes = "vec", tag = "500000000")]
    pub temp_execution_graph: ::prost::alloc::vec::Vec<u8>,
    #[prost(bool, tag = "500000001")]
    pub destroying: bool,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Variable {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub value: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DynamicValue {
    #[prost(bytes = "vec", tag = "1")]
    pub msgpack: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResourceInstanceChange {
    #[prost(string, tag = "7")]
    pub deposed_key: ::prost::alloc::string::String,
    #[prost(string, tag = "8")]
    pub provider: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "9")]
    pub change: ::core::option::Option<Change>,
    #[prost(bytes = "vec", tag = "10")]
    pub private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "11")]
    pub required_replace: ::prost::alloc::vec::Vec<Path>,
    #[prost(int32, tag = "12")]
    pub action_reason: i32,
    #[prost(string, tag = "13")]
    pub addr: ::prost::alloc::string::String,
    #[prost(string, tag = "14")]
    pub prev_run_addr: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Change {
    #[prost(int32, tag = "1")]
    pub action: i32,
    #[prost(message, repeated, tag = "2")]
    pub values: ::prost::alloc::vec::Vec<DynamicValue>,
    #[prost(message, repeated, tag = "3")]
    pub before_sensitive_paths: ::prost::alloc::vec::Vec<Path>,
    #[prost(message, repeated, tag = "4")]
    pub after_sensitive_paths: ::prost::alloc::vec::Vec<Path>,
    /// Terraform: ImportingById. OpenTofu: ImportingByIdentity. Pieces of one message, which is there once where an engine wrote it.
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub importing: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    #[prost(string, tag = "6")]
    pub generated_config: ::prost::alloc::string::String,
    /// OpenTofu, 7 and 8.
    #[prost(message, optional, tag = "7")]
    pub before_identity: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "8")]
    pub after_identity: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImportingById {
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    #[prost(bool, tag = "2")]
    pub unknown: bool,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImportingByIdentity {
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub identity: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Path {
    #[prost(message, repeated, tag = "1")]
    pub steps: ::prost::alloc::vec::Vec<Step>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Step {
    #[prost(oneof = "step::Selector", tags = "1, 2")]
    pub selector: ::core::option::Option<step::Selector>,
}
/// Nested message and enum types in `Step`.
pub mod step {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Selector {
        #[prost(string, tag = "1")]
        AttributeName(::prost::alloc::string::String),
        #[prost(message, tag = "2")]
        ElementKey(super::DynamicValue),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct OutputChange {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub change: ::core::option::Option<Change>,
    #[prost(bool, tag = "3")]
    pub sensitive: bool,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Backend {
    #[prost(string, tag = "1")]
    pub r#type: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(string, tag = "3")]
    pub workspace: ::prost::alloc::string::String,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RelevantAttribute {
    #[prost(string, tag = "1")]
    pub resource: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub attr: ::core::option::Option<Path>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CheckResults {
    #[prost(int32, tag = "1")]
    pub kind: i32,
    #[prost(string, tag = "2")]
    pub config_addr: ::prost::alloc::string::String,
    #[prost(int32, tag = "3")]
    pub status: i32,
    #[prost(message, repeated, tag = "4")]
    pub objects: ::prost::alloc::vec::Vec<CheckObject>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CheckObject {
    #[prost(string, tag = "1")]
    pub object_addr: ::prost::alloc::string::String,
    #[prost(int32, tag = "2")]
    pub status: i32,
    #[prost(string, repeated, tag = "3")]
    pub failure_messages: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DeferredChange {
    #[prost(message, optional, tag = "1")]
    pub deferred: ::core::option::Option<Deferred>,
    #[prost(message, optional, tag = "2")]
    pub change: ::core::option::Option<ResourceInstanceChange>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Deferred {
    #[prost(int32, tag = "1")]
    pub reason: i32,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ProviderFunctionResult {
    #[prost(bytes = "vec", tag = "1")]
    pub key: ::prost::alloc::vec::Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub result: ::prost::alloc::vec::Vec<u8>,
}
