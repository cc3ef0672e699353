//! Made by a program of `engine/proto/tfplugin6.proto`.
//!
//! 8488b3c2030693e5193782f399956e0caf372d6f65edd93f7d77189d7a5ffbf1

#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Schema {
    #[prost(int64, tag = "1")]
    pub version: i64,
    #[prost(message, optional, tag = "2")]
    pub block: ::core::option::Option<Block>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Block {
    #[prost(message, repeated, tag = "2")]
    pub attributes: ::prost::alloc::vec::Vec<Attribute>,
    #[prost(message, repeated, tag = "3")]
    pub block_types: ::prost::alloc::vec::Vec<NestedBlock>,
    #[prost(bool, tag = "6")]
    pub deprecated: bool,
    #[prost(bool, tag = "8")]
    pub computed: bool,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    #[prost(bytes = "vec", tag = "2")]
    pub r#type: ::prost::alloc::vec::Vec<u8>,
    #[prost(bool, tag = "4")]
    pub required: bool,
    #[prost(bool, tag = "5")]
    pub optional: bool,
    #[prost(bool, tag = "6")]
    pub computed: bool,
    #[prost(bool, tag = "7")]
    pub sensitive: bool,
    #[prost(bool, tag = "9")]
    pub deprecated: bool,
    #[prost(message, optional, tag = "10")]
    pub nested_type: ::core::option::Option<Object>,
    #[prost(bool, tag = "11")]
    pub write_only: bool,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NestedBlock {
    #[prost(string, tag = "1")]
    pub type_name: ::prost::alloc::string::String,
    #[prost(message, optional, tag = "2")]
    pub block: ::core::option::Option<Block>,
    #[prost(enumeration = "nested_block::Nesting", tag = "3")]
    pub nesting: i32,
    #[prost(int64, tag = "4")]
    pub min_items: i64,
    #[prost(int64, tag = "5")]
    pub max_items: i64,
}
/// Nested message and enum types in `NestedBlock`.
pub mod nested_block {
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
    pub enum Nesting {
        Invalid = 0,
        Single = 1,
        List = 2,
        Set = 3,
        Map = 4,
        Group = 5,
    }
    impl Nesting {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Invalid => "INVALID",
                Self::Single => "SINGLE",
                Self::List => "LIST",
                Self::Set => "SET",
                Self::Map => "MAP",
                Self::Group => "GROUP",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "INVALID" => Some(Self::Invalid),
                "SINGLE" => Some(Self::Single),
                "LIST" => Some(Self::List),
                "SET" => Some(Self::Set),
                "MAP" => Some(Self::Map),
                "GROUP" => Some(Self::Group),
                _ => None,
            }
        }
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SchemaAnswer {
    #[prost(message, optional, tag = "1")]
    pub provider: ::core::option::Option<Schema>,
    #[prost(map = "string, message", tag = "2")]
    pub resource_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        Schema,
    >,
    #[prost(map = "string, message", tag = "3")]
    pub data_source_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        Schema,
    >,
    #[prost(message, repeated, tag = "4")]
    pub diagnostics: ::prost::alloc::vec::Vec<super::plugin::Diagnostic>,
    #[prost(message, optional, tag = "5")]
    pub provider_meta: ::core::option::Option<Schema>,
    #[prost(message, optional, tag = "6")]
    pub server_capabilities: ::core::option::Option<super::plugin::ServerCapabilities>,
    #[prost(map = "string, message", tag = "7")]
    pub functions: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        super::plugin::Uncovered,
    >,
    #[prost(map = "string, message", tag = "8")]
    pub ephemeral_resource_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        Schema,
    >,
    #[prost(map = "string, message", tag = "9")]
    pub list_resource_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        super::plugin::Uncovered,
    >,
    #[prost(map = "string, message", tag = "10")]
    pub state_store_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        super::plugin::Uncovered,
    >,
    #[prost(map = "string, message", tag = "11")]
    pub action_schemas: ::std::collections::HashMap<
        ::prost::alloc::string::String,
        super::plugin::Uncovered,
    >,
}
/// The objects of a nested attribute.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Object {
    #[prost(message, repeated, tag = "1")]
    pub attributes: ::prost::alloc::vec::Vec<Attribute>,
    #[prost(enumeration = "object::Nesting", tag = "3")]
    pub nesting: i32,
}
/// Nested message and enum types in `Object`.
pub mod object {
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
    pub enum Nesting {
        Invalid = 0,
        Single = 1,
        List = 2,
        Set = 3,
        Map = 4,
    }
    impl Nesting {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Invalid => "INVALID",
                Self::Single => "SINGLE",
                Self::List => "LIST",
                Self::Set => "SET",
                Self::Map => "MAP",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "INVALID" => Some(Self::Invalid),
                "SINGLE" => Some(Self::Single),
                "LIST" => Some(Self::List),
                "SET" => Some(Self::Set),
                "MAP" => Some(Self::Map),
                _ => None,
            }
        }
    }
}
/// Generated client implementations.
#[cfg(test)]
pub mod provider_client {
    #![allow(
        unused_variables,
        dead_code,
        missing_docs,
        clippy::wildcard_imports,
        clippy::let_unit_value,
    )]
    use tonic::codegen::*;
    use tonic::codegen::http::Uri;
    #[derive(Debug, Clone)]
    pub struct ProviderClient<T> {
        inner: tonic::client::Grpc<T>,
    }
    impl<T> ProviderClient<T>
    where
        T: tonic::client::GrpcService<tonic::body::Body>,
        T::Error: Into<StdError>,
        T::ResponseBody: Body<Data = Bytes> + std::marker::Send + 'static,
        <T::ResponseBody as Body>::Error: Into<StdError> + std::marker::Send,
    {
        pub fn new(inner: T) -> Self {
            let inner = tonic::client::Grpc::new(inner);
            Self { inner }
        }
        pub fn with_origin(inner: T, origin: Uri) -> Self {
            let inner = tonic::client::Grpc::with_origin(inner, origin);
            Self { inner }
        }
        pub fn with_interceptor<F>(
            inner: T,
            interceptor: F,
        ) -> ProviderClient<InterceptedService<T, F>>
        where
            F: tonic::service::Interceptor,
            T::ResponseBody: Default,
            T: tonic::codegen::Service<
                http::Request<tonic::body::Body>,
                Response = http::Response<
                    <T as tonic::client::GrpcService<tonic::body::Body>>::ResponseBody,
                >,
            >,
            <T as tonic::codegen::Service<
                http::Request<tonic::body::Body>,
            >>::Error: Into<StdError> + std::marker::Send + std::marker::Sync,
        {
            ProviderClient::new(InterceptedService::new(inner, interceptor))
        }
        /// Compress requests with the given encoding.
        ///
        /// This requires the server to support it otherwise it might respond with an
        /// error.
        #[must_use]
        pub fn send_compressed(mut self, encoding: CompressionEncoding) -> Self {
            self.inner = self.inner.send_compressed(encoding);
            self
        }
        /// Enable decompressing responses.
        #[must_use]
        pub fn accept_compressed(mut self, encoding: CompressionEncoding) -> Self {
            self.inner = self.inner.accept_compressed(encoding);
            self
        }
        /// Limits the maximum size of a decoded message.
        ///
        /// Default: `4MB`
        #[must_use]
        pub fn max_decoding_message_size(mut self, limit: usize) -> Self {
            self.inner = self.inner.max_decoding_message_size(limit);
            self
        }
        /// Limits the maximum size of an encoded message.
        ///
        /// Default: `usize::MAX`
        #[must_use]
        pub fn max_encoding_message_size(mut self, limit: usize) -> Self {
            self.inner = self.inner.max_encoding_message_size(limit);
            self
        }
        pub async fn get_provider_schema(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::Empty>,
        ) -> std::result::Result<tonic::Response<super::SchemaAnswer>, tonic::Status> {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/GetProviderSchema",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "GetProviderSchema"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn validate_provider_config(
            &mut self,
            request: impl tonic::IntoRequest<
                super::super::plugin::PrepareProviderConfigRequest,
            >,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateProviderConfigAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ValidateProviderConfig",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ValidateProviderConfig"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn configure_provider(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ConfigureRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ConfigureAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ConfigureProvider",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ConfigureProvider"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn validate_resource_config(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ValidateRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ValidateResourceConfig",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ValidateResourceConfig"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn validate_data_resource_config(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ValidateRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ValidateDataResourceConfig",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(
                    GrpcMethod::new("tfplugin6.Provider", "ValidateDataResourceConfig"),
                );
            self.inner.unary(req, path, codec).await
        }
        pub async fn get_resource_identity_schemas(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::Empty>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::IdentitySchemasAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/GetResourceIdentitySchemas",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(
                    GrpcMethod::new("tfplugin6.Provider", "GetResourceIdentitySchemas"),
                );
            self.inner.unary(req, path, codec).await
        }
        pub async fn upgrade_resource_identity(
            &mut self,
            request: impl tonic::IntoRequest<
                super::super::plugin::UpgradeIdentityRequest,
            >,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::UpgradeIdentityAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/UpgradeResourceIdentity",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(
                    GrpcMethod::new("tfplugin6.Provider", "UpgradeResourceIdentity"),
                );
            self.inner.unary(req, path, codec).await
        }
        pub async fn upgrade_resource_state(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::UpgradeRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::UpgradeAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/UpgradeResourceState",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "UpgradeResourceState"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn read_resource(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ReadRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ReadAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ReadResource",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ReadResource"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn plan_resource_change(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::PlanRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::PlanAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/PlanResourceChange",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "PlanResourceChange"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn apply_resource_change(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ApplyRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ApplyAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ApplyResourceChange",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ApplyResourceChange"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn import_resource_state(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ImportRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ImportAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ImportResourceState",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ImportResourceState"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn move_resource_state(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::MoveRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::MoveAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/MoveResourceState",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "MoveResourceState"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn read_data_source(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::ReadDataRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ReadDataAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ReadDataSource",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "ReadDataSource"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn validate_ephemeral_resource_config(
            &mut self,
            request: impl tonic::IntoRequest<
                super::super::plugin::ValidateEphemeralRequest,
            >,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/ValidateEphemeralResourceConfig",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(
                    GrpcMethod::new(
                        "tfplugin6.Provider",
                        "ValidateEphemeralResourceConfig",
                    ),
                );
            self.inner.unary(req, path, codec).await
        }
        pub async fn open_ephemeral_resource(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::OpenRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::OpenAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/OpenEphemeralResource",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "OpenEphemeralResource"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn renew_ephemeral_resource(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::RenewRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::RenewAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/RenewEphemeralResource",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "RenewEphemeralResource"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn close_ephemeral_resource(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::CloseRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::CloseAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/CloseEphemeralResource",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "CloseEphemeralResource"));
            self.inner.unary(req, path, codec).await
        }
        pub async fn stop_provider(
            &mut self,
            request: impl tonic::IntoRequest<super::super::plugin::Empty>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::StopAnswer>,
            tonic::Status,
        > {
            self.inner
                .ready()
                .await
                .map_err(|e| {
                    tonic::Status::unknown(
                        format!("Service was not ready: {}", e.into()),
                    )
                })?;
            let codec = tonic_prost::ProstCodec::default();
            let path = http::uri::PathAndQuery::from_static(
                "/tfplugin6.Provider/StopProvider",
            );
            let mut req = request.into_request();
            req.extensions_mut()
                .insert(GrpcMethod::new("tfplugin6.Provider", "StopProvider"));
            self.inner.unary(req, path, codec).await
        }
    }
}
/// Generated server implementations.
pub mod provider_server {
    #![allow(
        unused_variables,
        dead_code,
        missing_docs,
        clippy::wildcard_imports,
        clippy::let_unit_value,
    )]
    use tonic::codegen::*;
    /// Generated trait containing gRPC methods that should be implemented for use with ProviderServer.
    #[async_trait]
    pub trait Provider: std::marker::Send + std::marker::Sync + 'static {
        async fn get_provider_schema(
            &self,
            request: tonic::Request<super::super::plugin::Empty>,
        ) -> std::result::Result<tonic::Response<super::SchemaAnswer>, tonic::Status> {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn validate_provider_config(
            &self,
            request: tonic::Request<super::super::plugin::PrepareProviderConfigRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateProviderConfigAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn configure_provider(
            &self,
            request: tonic::Request<super::super::plugin::ConfigureRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ConfigureAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn validate_resource_config(
            &self,
            request: tonic::Request<super::super::plugin::ValidateRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn validate_data_resource_config(
            &self,
            request: tonic::Request<super::super::plugin::ValidateRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn get_resource_identity_schemas(
            &self,
            request: tonic::Request<super::super::plugin::Empty>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::IdentitySchemasAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn upgrade_resource_identity(
            &self,
            request: tonic::Request<super::super::plugin::UpgradeIdentityRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::UpgradeIdentityAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn upgrade_resource_state(
            &self,
            request: tonic::Request<super::super::plugin::UpgradeRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::UpgradeAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn read_resource(
            &self,
            request: tonic::Request<super::super::plugin::ReadRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ReadAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn plan_resource_change(
            &self,
            request: tonic::Request<super::super::plugin::PlanRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::PlanAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn apply_resource_change(
            &self,
            request: tonic::Request<super::super::plugin::ApplyRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ApplyAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn import_resource_state(
            &self,
            request: tonic::Request<super::super::plugin::ImportRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ImportAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn move_resource_state(
            &self,
            request: tonic::Request<super::super::plugin::MoveRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::MoveAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn read_data_source(
            &self,
            request: tonic::Request<super::super::plugin::ReadDataRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ReadDataAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn validate_ephemeral_resource_config(
            &self,
            request: tonic::Request<super::super::plugin::ValidateEphemeralRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::ValidateAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn open_ephemeral_resource(
            &self,
            request: tonic::Request<super::super::plugin::OpenRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::OpenAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn renew_ephemeral_resource(
            &self,
            request: tonic::Request<super::super::plugin::RenewRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::RenewAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn close_ephemeral_resource(
            &self,
            request: tonic::Request<super::super::plugin::CloseRequest>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::CloseAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
        async fn stop_provider(
            &self,
            request: tonic::Request<super::super::plugin::Empty>,
        ) -> std::result::Result<
            tonic::Response<super::super::plugin::StopAnswer>,
            tonic::Status,
        > {
            Err(tonic::Status::unimplemented("Not yet implemented"))
        }
    }
    #[derive(Debug)]
    pub struct ProviderServer<T> {
        inner: Arc<T>,
        accept_compression_encodings: EnabledCompressionEncodings,
        send_compression_encodings: EnabledCompressionEncodings,
        max_decoding_message_size: Option<usize>,
        max_encoding_message_size: Option<usize>,
    }
    impl<T> ProviderServer<T> {
        pub fn new(inner: T) -> Self {
            Self::from_arc(Arc::new(inner))
        }
        pub fn from_arc(inner: Arc<T>) -> Self {
            Self {
                inner,
                accept_compression_encodings: Default::default(),
                send_compression_encodings: Default::default(),
                max_decoding_message_size: None,
                max_encoding_message_size: None,
            }
        }
        pub fn with_interceptor<F>(
            inner: T,
            interceptor: F,
        ) -> InterceptedService<Self, F>
        where
            F: tonic::service::Interceptor,
        {
            InterceptedService::new(Self::new(inner), interceptor)
        }
        /// Enable decompressing requests with the given encoding.
        #[must_use]
        pub fn accept_compressed(mut self, encoding: CompressionEncoding) -> Self {
            self.accept_compression_encodings.enable(encoding);
            self
        }
        /// Compress responses with the given encoding, if the client supports it.
        #[must_use]
        pub fn send_compressed(mut self, encoding: CompressionEncoding) -> Self {
            self.send_compression_encodings.enable(encoding);
            self
        }
        /// Limits the maximum size of a decoded message.
        ///
        /// Default: `4MB`
        #[must_use]
        pub fn max_decoding_message_size(mut self, limit: usize) -> Self {
            self.max_decoding_message_size = Some(limit);
            self
        }
        /// Limits the maximum size of an encoded message.
        ///
        /// Default: `usize::MAX`
        #[must_use]
        pub fn max_encoding_message_size(mut self, limit: usize) -> Self {
            self.max_encoding_message_size = Some(limit);
            self
        }
    }
    impl<T, B> tonic::codegen::Service<http::Request<B>> for ProviderServer<T>
    where
        T: Provider,
        B: Body + std::marker::Send + 'static,
        B::Error: Into<StdError> + std::marker::Send + 'static,
    {
        type Response = http::Response<tonic::body::Body>;
        type Error = std::convert::Infallible;
        type Future = BoxFuture<Self::Response, Self::Error>;
        fn poll_ready(
            &mut self,
            _cx: &mut Context<'_>,
        ) -> Poll<std::result::Result<(), Self::Error>> {
            Poll::Ready(Ok(()))
        }
        fn call(&mut self, req: http::Request<B>) -> Self::Future {
            match req.uri().path() {
                "/tfplugin6.Provider/GetProviderSchema" => {
                    #[allow(non_camel_case_types)]
                    struct GetProviderSchemaSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::Empty>
                    for GetProviderSchemaSvc<T> {
                        type Response = super::SchemaAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::Empty>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::get_provider_schema(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = GetProviderSchemaSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ValidateProviderConfig" => {
                    #[allow(non_camel_case_types)]
                    struct ValidateProviderConfigSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<
                        super::super::plugin::PrepareProviderConfigRequest,
                    > for ValidateProviderConfigSvc<T> {
                        type Response = super::super::plugin::ValidateProviderConfigAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::PrepareProviderConfigRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::validate_provider_config(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ValidateProviderConfigSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ConfigureProvider" => {
                    #[allow(non_camel_case_types)]
                    struct ConfigureProviderSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ConfigureRequest>
                    for ConfigureProviderSvc<T> {
                        type Response = super::super::plugin::ConfigureAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::ConfigureRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::configure_provider(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ConfigureProviderSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ValidateResourceConfig" => {
                    #[allow(non_camel_case_types)]
                    struct ValidateResourceConfigSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ValidateRequest>
                    for ValidateResourceConfigSvc<T> {
                        type Response = super::super::plugin::ValidateAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::ValidateRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::validate_resource_config(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ValidateResourceConfigSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ValidateDataResourceConfig" => {
                    #[allow(non_camel_case_types)]
                    struct ValidateDataResourceConfigSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ValidateRequest>
                    for ValidateDataResourceConfigSvc<T> {
                        type Response = super::super::plugin::ValidateAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::ValidateRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::validate_data_resource_config(
                                        &inner,
                                        request,
                                    )
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ValidateDataResourceConfigSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/GetResourceIdentitySchemas" => {
                    #[allow(non_camel_case_types)]
                    struct GetResourceIdentitySchemasSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::Empty>
                    for GetResourceIdentitySchemasSvc<T> {
                        type Response = super::super::plugin::IdentitySchemasAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::Empty>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::get_resource_identity_schemas(
                                        &inner,
                                        request,
                                    )
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = GetResourceIdentitySchemasSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/UpgradeResourceIdentity" => {
                    #[allow(non_camel_case_types)]
                    struct UpgradeResourceIdentitySvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<
                        super::super::plugin::UpgradeIdentityRequest,
                    > for UpgradeResourceIdentitySvc<T> {
                        type Response = super::super::plugin::UpgradeIdentityAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::UpgradeIdentityRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::upgrade_resource_identity(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = UpgradeResourceIdentitySvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/UpgradeResourceState" => {
                    #[allow(non_camel_case_types)]
                    struct UpgradeResourceStateSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::UpgradeRequest>
                    for UpgradeResourceStateSvc<T> {
                        type Response = super::super::plugin::UpgradeAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::UpgradeRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::upgrade_resource_state(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = UpgradeResourceStateSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ReadResource" => {
                    #[allow(non_camel_case_types)]
                    struct ReadResourceSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ReadRequest>
                    for ReadResourceSvc<T> {
                        type Response = super::super::plugin::ReadAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::ReadRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::read_resource(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ReadResourceSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/PlanResourceChange" => {
                    #[allow(non_camel_case_types)]
                    struct PlanResourceChangeSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::PlanRequest>
                    for PlanResourceChangeSvc<T> {
                        type Response = super::super::plugin::PlanAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::PlanRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::plan_resource_change(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = PlanResourceChangeSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ApplyResourceChange" => {
                    #[allow(non_camel_case_types)]
                    struct ApplyResourceChangeSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ApplyRequest>
                    for ApplyResourceChangeSvc<T> {
                        type Response = super::super::plugin::ApplyAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::ApplyRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::apply_resource_change(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ApplyResourceChangeSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ImportResourceState" => {
                    #[allow(non_camel_case_types)]
                    struct ImportResourceStateSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ImportRequest>
                    for ImportResourceStateSvc<T> {
                        type Response = super::super::plugin::ImportAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::ImportRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::import_resource_state(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ImportResourceStateSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/MoveResourceState" => {
                    #[allow(non_camel_case_types)]
                    struct MoveResourceStateSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::MoveRequest>
                    for MoveResourceStateSvc<T> {
                        type Response = super::super::plugin::MoveAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::MoveRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::move_resource_state(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = MoveResourceStateSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ReadDataSource" => {
                    #[allow(non_camel_case_types)]
                    struct ReadDataSourceSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::ReadDataRequest>
                    for ReadDataSourceSvc<T> {
                        type Response = super::super::plugin::ReadDataAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::ReadDataRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::read_data_source(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ReadDataSourceSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/ValidateEphemeralResourceConfig" => {
                    #[allow(non_camel_case_types)]
                    struct ValidateEphemeralResourceConfigSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<
                        super::super::plugin::ValidateEphemeralRequest,
                    > for ValidateEphemeralResourceConfigSvc<T> {
                        type Response = super::super::plugin::ValidateAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<
                                super::super::plugin::ValidateEphemeralRequest,
                            >,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::validate_ephemeral_resource_config(
                                        &inner,
                                        request,
                                    )
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = ValidateEphemeralResourceConfigSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/OpenEphemeralResource" => {
                    #[allow(non_camel_case_types)]
                    struct OpenEphemeralResourceSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::OpenRequest>
                    for OpenEphemeralResourceSvc<T> {
                        type Response = super::super::plugin::OpenAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::OpenRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::open_ephemeral_resource(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = OpenEphemeralResourceSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/RenewEphemeralResource" => {
                    #[allow(non_camel_case_types)]
                    struct RenewEphemeralResourceSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::RenewRequest>
                    for RenewEphemeralResourceSvc<T> {
                        type Response = super::super::plugin::RenewAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::RenewRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::renew_ephemeral_resource(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = RenewEphemeralResourceSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/CloseEphemeralResource" => {
                    #[allow(non_camel_case_types)]
                    struct CloseEphemeralResourceSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::CloseRequest>
                    for CloseEphemeralResourceSvc<T> {
                        type Response = super::super::plugin::CloseAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::CloseRequest>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::close_ephemeral_resource(&inner, request)
                                    .await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = CloseEphemeralResourceSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                "/tfplugin6.Provider/StopProvider" => {
                    #[allow(non_camel_case_types)]
                    struct StopProviderSvc<T: Provider>(pub Arc<T>);
                    impl<
                        T: Provider,
                    > tonic::server::UnaryService<super::super::plugin::Empty>
                    for StopProviderSvc<T> {
                        type Response = super::super::plugin::StopAnswer;
                        type Future = BoxFuture<
                            tonic::Response<Self::Response>,
                            tonic::Status,
                        >;
                        fn call(
                            &mut self,
                            request: tonic::Request<super::super::plugin::Empty>,
                        ) -> Self::Future {
                            let inner = Arc::clone(&self.0);
                            let fut = async move {
                                <T as Provider>::stop_provider(&inner, request).await
                            };
                            Box::pin(fut)
                        }
                    }
                    let accept_compression_encodings = self.accept_compression_encodings;
                    let send_compression_encodings = self.send_compression_encodings;
                    let max_decoding_message_size = self.max_decoding_message_size;
                    let max_encoding_message_size = self.max_encoding_message_size;
                    let inner = self.inner.clone();
                    let fut = async move {
                        let method = StopProviderSvc(inner);
                        let codec = tonic_prost::ProstCodec::default();
                        let mut grpc = tonic::server::Grpc::new(codec)
                            .apply_compression_config(
                                accept_compression_encodings,
                                send_compression_encodings,
                            )
                            .apply_max_message_size_config(
                                max_decoding_message_size,
                                max_encoding_message_size,
                            );
                        let res = grpc.unary(method, req).await;
                        Ok(res)
                    };
                    Box::pin(fut)
                }
                _ => {
                    Box::pin(async move {
                        let mut response = http::Response::new(
                            tonic::body::Body::default(),
                        );
                        let headers = response.headers_mut();
                        headers
                            .insert(
                                tonic::Status::GRPC_STATUS,
                                (tonic::Code::Unimplemented as i32).into(),
                            );
                        headers
                            .insert(
                                http::header::CONTENT_TYPE,
                                tonic::metadata::GRPC_CONTENT_TYPE,
                            );
                        Ok(response)
                    })
                }
            }
        }
    }
    impl<T> Clone for ProviderServer<T> {
        fn clone(&self) -> Self {
            let inner = self.inner.clone();
            Self {
                inner,
                accept_compression_encodings: self.accept_compression_encodings,
                send_compression_encodings: self.send_compression_encodings,
                max_decoding_message_size: self.max_decoding_message_size,
                max_encoding_message_size: self.max_encoding_message_size,
            }
        }
    }
    /// Generated gRPC service name
    pub const SERVICE_NAME: &str = "tfplugin6.Provider";
    impl<T> tonic::server::NamedService for ProviderServer<T> {
        const NAME: &'static str = SERVICE_NAME;
    }
}
