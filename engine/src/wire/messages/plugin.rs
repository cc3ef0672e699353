//! Made by a program of `engine/proto/plugin.proto`.
//!
//! 3e4810f66640bc16be7088c79c7b9489a79e5ad037989cc7315e392e35bf142e

/// A value, in one of two forms.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DynamicValue {
    #[prost(bytes = "vec", tag = "1")]
    pub msgpack: ::prost::alloc::vec::Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub json: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct AttributePath {
    #[prost(message, repeated, tag = "1")]
    pub steps: ::prost::alloc::vec::Vec<attribute_path::Step>,
}
/// Nested message and enum types in `AttributePath`.
pub mod attribute_path {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Step {
        #[prost(oneof = "step::Selector", tags = "1, 2, 3")]
        pub selector: ::core::option::Option<step::Selector>,
    }
    /// Nested message and enum types in `Step`.
    pub mod step {
        #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
        pub enum Selector {
            #[prost(string, tag = "1")]
            AttributeName(::prost::alloc::string::String),
            #[prost(string, tag = "2")]
            ElementKeyString(::prost::alloc::string::String),
            #[prost(int64, tag = "3")]
            ElementKeyInt(i64),
        }
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Diagnostic {
    #[prost(enumeration = "diagnostic::Severity", tag = "1")]
    pub severity: i32,
    #[prost(string, tag = "2")]
    pub summary: ::prost::alloc::string::String,
    #[prost(string, tag = "3")]
    pub detail: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "4")]
    pub attribute: ::core::option::Option<AttributePath>,
}
/// Nested message and enum types in `Diagnostic`.
pub mod diagnostic {
    #[derive(
        Clone,
        Copy,
        Debug,
        PartialEq,
        Eq,
        Hash,
        PartialOrd,
        Ord,
        ::prost::Enumeration
    )]
    #[repr(i32)]
    pub enum Severity {
        Invalid = 0,
        Error = 1,
        Warning = 2,
    }
    impl Severity {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Invalid => "INVALID",
                Self::Error => "ERROR",
                Self::Warning => "WARNING",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "INVALID" => Some(Self::Invalid),
                "ERROR" => Some(Self::Error),
                "WARNING" => Some(Self::Warning),
                _ => None,
            }
        }
    }
}
/// A stored object before its upgrade.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RawState {
    #[prost(bytes = "vec", tag = "1")]
    pub json: ::prost::alloc::vec::Vec<u8>,
    #[prost(map = "string, string", tag = "2")]
    pub flatmap: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
}
/// What a provider knows an object by, beside the object.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct IdentityData {
    #[prost(message, optional, tag = "1")]
    pub identity_data: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct IdentitySchema {
    #[prost(int64, tag = "1")]
    pub version: i64,
    #[prost(message, repeated, tag = "2")]
    pub identity_attributes: ::prost::alloc::vec::Vec<identity_schema::Attribute>,
}
/// Nested message and enum types in `IdentitySchema`.
pub mod identity_schema {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Attribute {
        #[prost(string, tag = "1")]
        pub name: ::prost::alloc::string::String,
        #[prost(bytes = "vec", tag = "2")]
        pub r#type: ::prost::alloc::vec::Vec<u8>,
        #[prost(bool, tag = "3")]
        pub required_for_import: bool,
        #[prost(bool, tag = "4")]
        pub optional_for_import: bool,
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct IdentitySchemasAnswer {
    #[prost(map = "string, message", tag = "1")]
    pub identity_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        IdentitySchema,
    >,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct UpgradeIdentityRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(int64, tag = "2")]
    pub version: i64,
    #[prost(message, optional, tag = "3")]
    pub raw_identity: ::core::option::Option<RawState>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct UpgradeIdentityAnswer {
    #[prost(message, optional, tag = "1")]
    pub upgraded_identity: ::core::option::Option<IdentityData>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerCapabilities {
    #[prost(bool, tag = "1")]
    pub plan_destroy: bool,
    #[prost(bool, tag = "2")]
    pub get_provider_schema_optional: bool,
    #[prost(bool, tag = "3")]
    pub move_resource_state: bool,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Deferred {
    #[prost(enumeration = "deferred::Reason", tag = "1")]
    pub reason: i32,
}
/// Nested message and enum types in `Deferred`.
pub mod deferred {
    #[derive(
        Clone,
        Copy,
        Debug,
        PartialEq,
        Eq,
        Hash,
        PartialOrd,
        Ord,
        ::prost::Enumeration
    )]
    #[repr(i32)]
    pub enum Reason {
        Unknown = 0,
        ResourceConfigUnknown = 1,
        ProviderConfigUnknown = 2,
        AbsentPrereq = 3,
    }
    impl Reason {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unknown => "UNKNOWN",
                Self::ResourceConfigUnknown => "RESOURCE_CONFIG_UNKNOWN",
                Self::ProviderConfigUnknown => "PROVIDER_CONFIG_UNKNOWN",
                Self::AbsentPrereq => "ABSENT_PREREQ",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNKNOWN" => Some(Self::Unknown),
                "RESOURCE_CONFIG_UNKNOWN" => Some(Self::ResourceConfigUnknown),
                "PROVIDER_CONFIG_UNKNOWN" => Some(Self::ProviderConfigUnknown),
                "ABSENT_PREREQ" => Some(Self::AbsentPrereq),
                _ => None,
            }
        }
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Empty {}
/// What the caller can do. Nothing of it is looked at when engines ask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ClientCapabilities {
    #[prost(bool, tag = "1")]
    pub deferral_allowed: bool,
    #[prost(bool, tag = "2")]
    pub write_only_attributes_allowed: bool,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ConfigureRequest {
    #[prost(string, tag = "1")]
    pub terraform_version: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ValidateProviderConfigAnswer {
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PrepareProviderConfigRequest {
    #[prost(message, optional, tag = "1")]
    pub config: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PrepareProviderConfigAnswer {
    #[prost(message, optional, tag = "1")]
    pub prepared_config: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ConfigureAnswer {
    #[prost(message, repeated, tag = "1")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ValidateRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ValidateAnswer {
    #[prost(message, repeated, tag = "1")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct UpgradeRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(int64, tag = "2")]
    pub version: i64,
    #[prost(message, optional, tag = "3")]
    pub raw_state: ::core::option::Option<RawState>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct UpgradeAnswer {
    #[prost(message, optional, tag = "1")]
    pub upgraded_state: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ReadRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub current_state: ::core::option::Option<DynamicValue>,
    #[prost(bytes = "vec", tag = "3")]
    pub private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "4")]
    pub provider_meta: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "5")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
    #[prost(message, optional, tag = "6")]
    pub current_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ReadAnswer {
    #[prost(message, optional, tag = "1")]
    pub new_state: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(bytes = "vec", tag = "3")]
    pub private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "4")]
    pub deferred: ::core::option::Option<Deferred>,
    #[prost(message, optional, tag = "5")]
    pub new_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PlanRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub prior_state: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub proposed_new_state: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(bytes = "vec", tag = "5")]
    pub prior_private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "6")]
    pub provider_meta: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "7")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
    #[prost(message, optional, tag = "8")]
    pub prior_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PlanAnswer {
    #[prost(message, optional, tag = "1")]
    pub planned_state: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub requires_replace: ::prost::alloc::vec::Vec<AttributePath>,
    #[prost(bytes = "vec", tag = "3")]
    pub planned_private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "4")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(bool, tag = "5")]
    pub legacy_type_system: bool,
    #[prost(message, optional, tag = "6")]
    pub deferred: ::core::option::Option<Deferred>,
    #[prost(message, optional, tag = "7")]
    pub planned_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ApplyRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub prior_state: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub planned_state: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "4")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(bytes = "vec", tag = "5")]
    pub planned_private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "6")]
    pub provider_meta: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "7")]
    pub planned_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ApplyAnswer {
    #[prost(message, optional, tag = "1")]
    pub new_state: ::core::option::Option<DynamicValue>,
    #[prost(bytes = "vec", tag = "2")]
    pub private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(bool, tag = "4")]
    pub legacy_type_system: bool,
    #[prost(message, optional, tag = "5")]
    pub new_identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImportRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub id: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "3")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
    #[prost(message, optional, tag = "4")]
    pub identity: ::core::option::Option<IdentityData>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ImportAnswer {
    #[prost(message, repeated, tag = "1")]
    pub imported_resources: ::prost::alloc::vec::Vec<import_answer::Imported>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
/// Nested message and enum types in `ImportAnswer`.
pub mod import_answer {
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Imported {
        #[prost(string, tag = "1")]
        pub type_name: ::prost::alloc::string::String,
        #[prost(message, optional, tag = "2")]
        pub state: ::core::option::Option<super::DynamicValue>,
        #[prost(bytes = "vec", tag = "3")]
        pub private: ::prost::alloc::vec::Vec<u8>,
        #[prost(message, optional, tag = "4")]
        pub identity: ::core::option::Option<super::IdentityData>,
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct MoveRequest {
    #[prost(string, tag = "1")]
    pub source_provider_address: ::prost::alloc::string::String,
    #[prost(string, tag = "2")]
    pub source_type_name: ::prost::alloc::string::String,
    #[prost(int64, tag = "3")]
    pub source_schema_version: i64,
    #[prost(message, optional, tag = "4")]
    pub source_state: ::core::option::Option<RawState>,
    #[prost(string, tag = "5")]
    pub target_type_name: ::prost::alloc::string::String,
    #[prost(bytes = "vec", tag = "6")]
    pub source_private: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct MoveAnswer {
    #[prost(message, optional, tag = "1")]
    pub target_state: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(bytes = "vec", tag = "3")]
    pub target_private: ::prost::alloc::vec::Vec<u8>,
}
/// Something that is only counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Uncovered {}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ReadDataRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub provider_meta: ::core::option::Option<DynamicValue>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ReadDataAnswer {
    #[prost(message, optional, tag = "1")]
    pub state: ::core::option::Option<DynamicValue>,
    #[prost(message, repeated, tag = "2")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ValidateEphemeralRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
}
/// When an ephemeral resource is to be renewed. Engines have it from a library of messages; these are its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Timestamp {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct OpenRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<DynamicValue>,
    #[prost(message, optional, tag = "3")]
    pub client_capabilities: ::core::option::Option<ClientCapabilities>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct OpenAnswer {
    #[prost(message, repeated, tag = "1")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub renew_at: ::core::option::Option<Timestamp>,
    #[prost(message, optional, tag = "3")]
    pub result: ::core::option::Option<DynamicValue>,
    #[prost(bytes = "vec", tag = "4")]
    pub private: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "5")]
    pub deferred: ::core::option::Option<Deferred>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RenewRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(bytes = "vec", tag = "2")]
    pub private: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RenewAnswer {
    #[prost(message, repeated, tag = "1")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
    #[prost(message, optional, tag = "2")]
    pub renew_at: ::core::option::Option<Timestamp>,
    #[prost(bytes = "vec", tag = "3")]
    pub private: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CloseRequest {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(bytes = "vec", tag = "2")]
    pub private: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CloseAnswer {
    #[prost(message, repeated, tag = "1")]
    pub diagnostics: ::prost::alloc::vec::Vec<Diagnostic>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StopAnswer {
    #[prost(string, tag = "1")]
    pub error: ::prost::alloc::string::String,
}
