//! The service: each call of the protocol as a request, and each answer as a message.

use std::collections::HashMap;

use planfuzz_core::address::ResourceMode::{self, Data, Ephemeral, Managed};
use planfuzz_core::json::Json;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_engine::proto::plugin::{self, DynamicValue};
use planfuzz_engine::proto::tfplugin6::{self, provider_server::Provider};
use planfuzz_workspace::{Answer, Outcome, Request};
use tonic::{Request as Incoming, Response, Status};

use super::listen::ConnectionId;
use super::stub_provider::StubProvider;
use crate::wire::{path, received, remarks, schema, sent};

type Reply<T> = Result<Response<T>, Status>;

fn connection<T>(request: &Incoming<T>) -> Option<ConnectionId> {
    request.extensions().get::<ConnectionId>().copied()
}

/// The object of an answer; null of this type if it has none.
fn object(answer: &Answer, ty: &Type) -> (Value, Vec<u8>) {
    match &answer.outcome {
        Some(Outcome::Value(value)) => (value.clone(), Vec::new()),
        Some(Outcome::Object { value, private } | Outcome::Planned { planned: value, private, .. }) => {
            (value.clone(), private.as_bytes().to_vec())
        }
        _ => (Value::null(ty.clone()), Vec::new()),
    }
}

fn raw(raw: Option<&plugin::RawState>) -> Result<Json, Status> {
    let bytes = raw.map(|raw| &raw.json[..]).unwrap_or_default();
    Json::parse_bytes(bytes).map_err(|error| Status::internal(format!("the state cannot be read: {error}")))
}

fn unsigned(version: i64) -> u64 {
    u64::try_from(version).unwrap_or(0)
}

/// A type and a configuration of it.
struct Typed {
    type_name: String,
    config: Option<DynamicValue>,
}

macro_rules! typed {
    ($($message:ident)*) => {
        $(impl From<plugin::$message> for Typed {
            fn from(plugin::$message { type_name, config, .. }: plugin::$message) -> Typed {
                Typed { type_name, config }
            }
        })*
    };
}

typed!(ValidateRequest ValidateEphemeralRequest ReadDataRequest OpenRequest);

impl StubProvider {
    /// A call about a type with a configuration.
    async fn typed(
        &self,
        request: Incoming<impl Into<Typed>>,
        mode: ResourceMode,
        make: fn(Value) -> Request,
    ) -> Result<(Answer, Type), Status> {
        let (start, connection) = (self.start(), connection(&request));
        let request: Typed = request.into_inner().into();
        let ty = self.ty(&request.type_name, mode)?;
        let config = received(request.config.as_ref(), &ty)?;
        let answer = self.answer(start, connection, &request.type_name, make(config)).await?;
        Ok((answer, ty))
    }

    async fn validated(
        &self,
        request: Incoming<impl Into<Typed>>,
        mode: ResourceMode,
    ) -> Reply<plugin::ValidateAnswer> {
        let make = match mode {
            Managed => |config| Request::Validate { mode: Managed, config },
            Data => |config| Request::Validate { mode: Data, config },
            Ephemeral => |config| Request::Validate { mode: Ephemeral, config },
        };
        let (answer, _) = self.typed(request, mode, make).await?;
        Ok(Response::new(plugin::ValidateAnswer { diagnostics: remarks(&answer.remarks) }))
    }
}

#[tonic::async_trait]
impl Provider for StubProvider {
    async fn get_provider_schema(&self, _: Incoming<plugin::Empty>) -> Reply<tfplugin6::SchemaAnswer> {
        let served = self.served();
        let mut answer = tfplugin6::SchemaAnswer {
            provider: Some(tfplugin6::Schema { version: 0, block: Some(tfplugin6::Block::default()) }),
            server_capabilities: Some(plugin::ServerCapabilities {
                plan_destroy: true,
                get_provider_schema_optional: true,
                move_resource_state: true,
            }),
            ..tfplugin6::SchemaAnswer::default()
        };
        if let Some(provider) = served.schemas.provider(&self.source.to_string()) {
            answer.provider = Some(schema(&provider.config)?);
            let of = |wanted: ResourceMode| -> Result<HashMap<String, tfplugin6::Schema>, Status> {
                let types = provider.types.iter().filter(|((mode, _), _)| *mode == wanted);
                types.map(|((_, name), of)| Ok((name.clone(), schema(of)?))).collect()
            };
            answer.resource_schemas = of(Managed)?;
            answer.data_source_schemas = of(Data)?;
            answer.ephemeral_resource_schemas = of(Ephemeral)?;
        }
        Ok(Response::new(answer))
    }

    async fn validate_provider_config(
        &self,
        request: Incoming<plugin::PrepareProviderConfigRequest>,
    ) -> Reply<plugin::ValidateProviderConfigAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let config = received(request.into_inner().config.as_ref(), &self.ty("", Managed)?)?;
        let answer = self.answer(start, connection, "", Request::ValidateProvider { config }).await?;
        Ok(Response::new(plugin::ValidateProviderConfigAnswer { diagnostics: remarks(&answer.remarks) }))
    }

    async fn configure_provider(&self, request: Incoming<plugin::ConfigureRequest>) -> Reply<plugin::ConfigureAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let config = received(request.into_inner().config.as_ref(), &self.ty("", Managed)?)?;
        let answer = self.answer(start, connection, "", Request::Configure { config }).await?;
        Ok(Response::new(plugin::ConfigureAnswer { diagnostics: remarks(&answer.remarks) }))
    }

    async fn validate_resource_config(
        &self,
        request: Incoming<plugin::ValidateRequest>,
    ) -> Reply<plugin::ValidateAnswer> {
        self.validated(request, Managed).await
    }

    async fn validate_data_resource_config(
        &self,
        request: Incoming<plugin::ValidateRequest>,
    ) -> Reply<plugin::ValidateAnswer> {
        self.validated(request, Data).await
    }

    async fn validate_ephemeral_resource_config(
        &self,
        request: Incoming<plugin::ValidateEphemeralRequest>,
    ) -> Reply<plugin::ValidateAnswer> {
        self.validated(request, Ephemeral).await
    }

    async fn upgrade_resource_state(&self, request: Incoming<plugin::UpgradeRequest>) -> Reply<plugin::UpgradeAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked =
            Request::Upgrade { version: unsigned(request.version), raw: raw(request.raw_state.as_ref())?.into() };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let upgraded_state = sent(&object(&answer, &ty).0, &ty)?;
        Ok(Response::new(plugin::UpgradeAnswer { upgraded_state, diagnostics: remarks(&answer.remarks) }))
    }

    async fn read_resource(&self, request: Incoming<plugin::ReadRequest>) -> Reply<plugin::ReadAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let current = received(request.current_state.as_ref(), &ty)?;
        let asked = Request::Read { current, private: Private::from(&request.private[..]) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        let (new_state, diagnostics) = (sent(&state, &ty)?, remarks(&answer.remarks));
        Ok(Response::new(plugin::ReadAnswer { new_state, private, diagnostics, ..Default::default() }))
    }

    async fn plan_resource_change(&self, request: Incoming<plugin::PlanRequest>) -> Reply<plugin::PlanAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Plan {
            prior: received(request.prior_state.as_ref(), &ty)?,
            config: received(request.config.as_ref(), &ty)?,
            proposed: received(request.proposed_new_state.as_ref(), &ty)?,
            private: Private::from(&request.prior_private[..]),
        };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (planned, private) = object(&answer, &ty);
        let requires_replace = match &answer.outcome {
            Some(Outcome::Planned { requires_replace, .. }) => requires_replace.iter().map(path).collect(),
            _ => Vec::new(),
        };
        Ok(Response::new(plugin::PlanAnswer {
            planned_state: sent(&planned, &ty)?,
            requires_replace,
            planned_private: private,
            diagnostics: remarks(&answer.remarks),
            ..Default::default()
        }))
    }

    async fn apply_resource_change(&self, request: Incoming<plugin::ApplyRequest>) -> Reply<plugin::ApplyAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Apply {
            prior: received(request.prior_state.as_ref(), &ty)?,
            config: received(request.config.as_ref(), &ty)?,
            planned: received(request.planned_state.as_ref(), &ty)?,
            private: Private::from(&request.planned_private[..]),
        };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        let (new_state, diagnostics) = (sent(&state, &ty)?, remarks(&answer.remarks));
        Ok(Response::new(plugin::ApplyAnswer { new_state, private, diagnostics, ..Default::default() }))
    }

    async fn import_resource_state(&self, request: Incoming<plugin::ImportRequest>) -> Reply<plugin::ImportAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Import { id: Text::new(&request.id) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let mut imported_resources = Vec::new();
        if let Some(Outcome::Imported(objects)) = &answer.outcome {
            for (state, private) in objects {
                let (type_name, private) = (request.type_name.clone(), private.as_bytes().to_vec());
                let state = sent(state, &ty)?;
                imported_resources.push(plugin::import_answer::Imported { type_name, state, private, identity: None });
            }
        }
        Ok(Response::new(plugin::ImportAnswer { imported_resources, diagnostics: remarks(&answer.remarks) }))
    }

    async fn move_resource_state(&self, request: Incoming<plugin::MoveRequest>) -> Reply<plugin::MoveAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.target_type_name, Managed)?;
        let asked = Request::Move {
            source_type: Text::new(&request.source_type_name),
            source_provider: Text::new(&request.source_provider_address),
            source_version: unsigned(request.source_schema_version),
            raw: raw(request.source_state.as_ref())?.into(),
            private: Private::from(&request.source_private[..]),
        };
        let answer = self.answer(start, connection, &request.target_type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        let (target_state, diagnostics) = (sent(&state, &ty)?, remarks(&answer.remarks));
        Ok(Response::new(plugin::MoveAnswer { target_state, target_private: private, diagnostics }))
    }

    async fn read_data_source(&self, request: Incoming<plugin::ReadDataRequest>) -> Reply<plugin::ReadDataAnswer> {
        let (answer, ty) = self.typed(request, Data, |config| Request::ReadData { config }).await?;
        let state = sent(&object(&answer, &ty).0, &ty)?;
        Ok(Response::new(plugin::ReadDataAnswer { state, diagnostics: remarks(&answer.remarks) }))
    }

    async fn open_ephemeral_resource(&self, request: Incoming<plugin::OpenRequest>) -> Reply<plugin::OpenAnswer> {
        let (answer, ty) = self.typed(request, Ephemeral, |config| Request::Open { config }).await?;
        let (result, private) = object(&answer, &ty);
        let (result, diagnostics) = (sent(&result, &ty)?, remarks(&answer.remarks));
        Ok(Response::new(plugin::OpenAnswer { result, private, diagnostics, ..Default::default() }))
    }

    async fn close_ephemeral_resource(&self, request: Incoming<plugin::CloseRequest>) -> Reply<plugin::CloseAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let asked = Request::Close { private: Private::from(&request.private[..]) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        Ok(Response::new(plugin::CloseAnswer { diagnostics: remarks(&answer.remarks) }))
    }

    async fn stop_provider(&self, _: Incoming<plugin::Empty>) -> Reply<plugin::StopAnswer> {
        self.stopped();
        Ok(Response::new(plugin::StopAnswer::default()))
    }
}
