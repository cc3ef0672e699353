//! The services of both versions of the protocol: they differ in names.

use std::sync::Arc;

use planfuzz_core::address::ResourceKind::{Data, Managed};
use tonic::{Request, Response, Status};

use super::answers::method;
use super::current_types::CurrentTypes;
use crate::provider_address::ProviderAddress;
use crate::wire::messages::plugin::{self, Empty, ServerCapabilities};
use crate::wire::messages::{tfplugin5, tfplugin6};

/// A provider of version 5.
pub(super) struct Five {
    pub(super) provider_address: ProviderAddress,
    pub(super) current_types: Arc<CurrentTypes>,
}

/// A provider of version 6.
pub(super) struct Six {
    pub(super) provider_address: ProviderAddress,
    pub(super) current_types: Arc<CurrentTypes>,
}

/// With the schemas kept from one process to the next, an engine asks for them once.
fn capabilities(provider_address: ProviderAddress) -> Option<ServerCapabilities> {
    Some(ServerCapabilities {
        plan_destroy: provider_address.plan_destroy,
        get_provider_schema_optional: true,
        move_resource_state: false,
    })
}

/// A service: its own calls written out, then those that go to a resource type.
macro_rules! service {
    (
        $service:ident as $provider:path;
        { $($own:item)* }
        $($name:ident($request:ident) -> $answer:ident = $kind:ident $method:ident $call:ident;)*
    ) => {
        #[tonic::async_trait]
        impl $provider for $service {
            $($own)*

            $(async fn $name(
                &self,
                request: Request<plugin::$request>,
            ) -> Result<Response<plugin::$answer>, Status> {
                let request = request.into_inner();
                let name = request.type_name.clone();
                let answer = self.current_types.put((self.provider_address, $kind, method::$method), &name, |of| of.$call(request));
                answer.map(Response::new)
            })*
        }
    };
}

service! {
    Five as tfplugin5::provider_server::Provider;
    {
        async fn get_schema(&self, _: Request<Empty>) -> Result<Response<tfplugin5::SchemaAnswer>, Status> {
            let registry = self.current_types.registry();
            Ok(Response::new(tfplugin5::SchemaAnswer {
                provider: Some(tfplugin5::Schema { version: 0, block: Some(tfplugin5::Block::default()) }),
                resource_schemas: registry.schemas_of_five(self.provider_address, Managed),
                data_source_schemas: registry.schemas_of_five(self.provider_address, Data),
                server_capabilities: capabilities(self.provider_address),
                ..Default::default()
            }))
        }

        async fn prepare_provider_config(
            &self,
            request: Request<plugin::PrepareProviderConfigRequest>,
        ) -> Result<Response<plugin::PrepareProviderConfigAnswer>, Status> {
            let prepared_config = request.into_inner().config;
            Ok(Response::new(plugin::PrepareProviderConfigAnswer { prepared_config, diagnostics: Vec::new() }))
        }

        async fn configure(&self, _: Request<plugin::ConfigureRequest>) -> Result<Response<plugin::ConfigureAnswer>, Status> {
            Ok(Response::new(Default::default()))
        }

        async fn stop(&self, _: Request<Empty>) -> Result<Response<plugin::StopAnswer>, Status> {
            Ok(Response::new(Default::default()))
        }
    }
    validate_resource_type_config(ValidateRequest) -> ValidateAnswer = Managed VALIDATE validate;
    validate_data_source_config(ValidateRequest) -> ValidateAnswer = Data VALIDATE_DATA validate;
    upgrade_resource_state(UpgradeRequest) -> UpgradeAnswer = Managed UPGRADE upgrade;
    read_resource(ReadRequest) -> ReadAnswer = Managed READ read;
    plan_resource_change(PlanRequest) -> PlanAnswer = Managed PLAN plan;
    apply_resource_change(ApplyRequest) -> ApplyAnswer = Managed APPLY apply;
    import_resource_state(ImportRequest) -> ImportAnswer = Managed IMPORT import;
    read_data_source(ReadDataRequest) -> ReadDataAnswer = Data READ_DATA read_data;
}

service! {
    Six as tfplugin6::provider_server::Provider;
    {
        async fn get_provider_schema(&self, _: Request<Empty>) -> Result<Response<tfplugin6::SchemaAnswer>, Status> {
            let registry = self.current_types.registry();
            Ok(Response::new(tfplugin6::SchemaAnswer {
                provider: Some(tfplugin6::Schema { version: 0, block: Some(tfplugin6::Block::default()) }),
                resource_schemas: registry.schemas_of_six(self.provider_address, Managed),
                data_source_schemas: registry.schemas_of_six(self.provider_address, Data),
                server_capabilities: capabilities(self.provider_address),
                ..Default::default()
            }))
        }

        async fn validate_provider_config(
            &self,
            _: Request<plugin::PrepareProviderConfigRequest>,
        ) -> Result<Response<plugin::ValidateProviderConfigAnswer>, Status> {
            Ok(Response::new(Default::default()))
        }

        async fn configure_provider(&self, _: Request<plugin::ConfigureRequest>) -> Result<Response<plugin::ConfigureAnswer>, Status> {
            Ok(Response::new(Default::default()))
        }

        async fn stop_provider(&self, _: Request<Empty>) -> Result<Response<plugin::StopAnswer>, Status> {
            Ok(Response::new(Default::default()))
        }
    }
    validate_resource_config(ValidateRequest) -> ValidateAnswer = Managed VALIDATE validate;
    validate_data_resource_config(ValidateRequest) -> ValidateAnswer = Data VALIDATE_DATA validate;
    upgrade_resource_state(UpgradeRequest) -> UpgradeAnswer = Managed UPGRADE upgrade;
    read_resource(ReadRequest) -> ReadAnswer = Managed READ read;
    plan_resource_change(PlanRequest) -> PlanAnswer = Managed PLAN plan;
    apply_resource_change(ApplyRequest) -> ApplyAnswer = Managed APPLY apply;
    import_resource_state(ImportRequest) -> ImportAnswer = Managed IMPORT import;
    read_data_source(ReadDataRequest) -> ReadDataAnswer = Data READ_DATA read_data;
}
