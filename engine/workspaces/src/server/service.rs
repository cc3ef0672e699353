//! The service: each call of the protocol as a request, and each answer as a message.

use std::collections::HashMap;

use planfuzz_core::address::ResourceMode::{self, Data, Ephemeral, Managed};
use planfuzz_core::json::Json;
use planfuzz_core::state::Private;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_workspace::{Answer, Outcome, Request};
use tonic::{Request as Incoming, Response, Status};

use super::desk::Desk;
use super::listen::ConnectionId;
use crate::wire::messages::tfplugin6::{self as six, provider_server::Provider};
use crate::wire::{path, received, remarks, schema, sent};

type Reply<T> = Result<Response<T>, Status>;

fn connection<T>(request: &Incoming<T>) -> Option<ConnectionId> {
    request.extensions().get::<ConnectionId>().copied()
}

/// The object of an answer, of the type.
fn object(answer: &Answer, ty: &Type) -> (Value, Vec<u8>) {
    match &answer.outcome {
        Some(Outcome::Value(value)) => (value.clone(), Vec::new()),
        Some(Outcome::Object { value, private } | Outcome::Planned { planned: value, private, .. }) => {
            (value.clone(), private.as_bytes().to_vec())
        }
        _ => (Value::null(ty.clone()), Vec::new()),
    }
}

fn raw(raw: Option<&six::Raw>) -> Result<Json, Status> {
    let bytes = raw.map(|raw| &raw.json[..]).unwrap_or_default();
    Json::parse_bytes(bytes).map_err(|error| Status::internal(format!("the state cannot be read: {error}")))
}

fn unsigned(version: i64) -> u64 {
    u64::try_from(version).unwrap_or(0)
}

impl Desk {
    /// A call about a type with a configuration.
    async fn typed(
        &self,
        request: Incoming<six::Typed>,
        mode: ResourceMode,
        make: fn(Value) -> Request,
    ) -> Result<(Answer, Type), Status> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, mode)?;
        let config = received(request.config.as_ref(), &ty)?;
        let answer = self.answer(start, connection, &request.type_name, make(config)).await?;
        Ok((answer, ty))
    }

    async fn validated(&self, request: Incoming<six::Typed>, mode: ResourceMode) -> Reply<six::Remarks> {
        let make = match mode {
            Managed => |config| Request::Validate { mode: Managed, config },
            Data => |config| Request::Validate { mode: Data, config },
            Ephemeral => |config| Request::Validate { mode: Ephemeral, config },
        };
        let (answer, _) = self.typed(request, mode, make).await?;
        Ok(Response::new(six::Remarks { remarks: remarks(&answer.remarks) }))
    }
}

#[tonic::async_trait]
impl Provider for Desk {
    async fn get_provider_schema(&self, _: Incoming<six::Empty>) -> Reply<six::SchemaAnswer> {
        let served = self.served();
        let mut answer = six::SchemaAnswer {
            provider: Some(six::Schema { version: 0, block: Some(six::Block::default()) }),
            capabilities: Some(six::Capabilities { plan_destroy: true, schema_optional: true, move_state: true }),
            ..six::SchemaAnswer::default()
        };
        if let Some(provider) = served.schemas.provider(&self.source.to_string()) {
            answer.provider = Some(schema(&provider.config));
            let of = |wanted: ResourceMode| -> HashMap<String, six::Schema> {
                let types = provider.types.iter().filter(|((mode, _), _)| *mode == wanted);
                types.map(|((_, name), of)| (name.clone(), schema(of))).collect()
            };
            (answer.resources, answer.data, answer.ephemerals) = (of(Managed), of(Data), of(Ephemeral));
        }
        Ok(Response::new(answer))
    }

    async fn validate_provider_config(&self, request: Incoming<six::ConfigOnly>) -> Reply<six::ConfigChecked> {
        let (start, connection) = (self.start(), connection(&request));
        let config = received(request.into_inner().config.as_ref(), &self.ty("", Managed)?)?;
        let answer = self.answer(start, connection, "", Request::ValidateProvider { config }).await?;
        Ok(Response::new(six::ConfigChecked { remarks: remarks(&answer.remarks) }))
    }

    async fn configure_provider(&self, request: Incoming<six::Configuration>) -> Reply<six::Remarks> {
        let (start, connection) = (self.start(), connection(&request));
        let config = received(request.into_inner().config.as_ref(), &self.ty("", Managed)?)?;
        let answer = self.answer(start, connection, "", Request::Configure { config }).await?;
        Ok(Response::new(six::Remarks { remarks: remarks(&answer.remarks) }))
    }

    async fn validate_resource_config(&self, request: Incoming<six::Typed>) -> Reply<six::Remarks> {
        self.validated(request, Managed).await
    }

    async fn validate_data_resource_config(&self, request: Incoming<six::Typed>) -> Reply<six::Remarks> {
        self.validated(request, Data).await
    }

    async fn validate_ephemeral_resource_config(&self, request: Incoming<six::Typed>) -> Reply<six::Remarks> {
        self.validated(request, Ephemeral).await
    }

    async fn upgrade_resource_state(&self, request: Incoming<six::UpgradeRequest>) -> Reply<six::UpgradeAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Upgrade { version: unsigned(request.version), raw: raw(request.raw.as_ref())? };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let state = sent(&object(&answer, &ty).0, &ty)?;
        Ok(Response::new(six::UpgradeAnswer { state, remarks: remarks(&answer.remarks) }))
    }

    async fn read_resource(&self, request: Incoming<six::ReadRequest>) -> Reply<six::ReadAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let current = received(request.current.as_ref(), &ty)?;
        let asked = Request::Read { current, private: Private::from(&request.private[..]) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        Ok(Response::new(six::ReadAnswer { state: sent(&state, &ty)?, private, remarks: remarks(&answer.remarks) }))
    }

    async fn plan_resource_change(&self, request: Incoming<six::PlanRequest>) -> Reply<six::PlanAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Plan {
            prior: received(request.prior.as_ref(), &ty)?,
            config: received(request.config.as_ref(), &ty)?,
            proposed: received(request.proposed.as_ref(), &ty)?,
            private: Private::from(&request.private[..]),
        };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (planned, private) = object(&answer, &ty);
        let requires_replace = match &answer.outcome {
            Some(Outcome::Planned { requires_replace, .. }) => requires_replace.iter().map(path).collect(),
            _ => Vec::new(),
        };
        let (planned, remarks) = (sent(&planned, &ty)?, remarks(&answer.remarks));
        Ok(Response::new(six::PlanAnswer { planned, requires_replace, private, remarks }))
    }

    async fn apply_resource_change(&self, request: Incoming<six::ApplyRequest>) -> Reply<six::ApplyAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Apply {
            prior: received(request.prior.as_ref(), &ty)?,
            config: received(request.config.as_ref(), &ty)?,
            planned: received(request.planned.as_ref(), &ty)?,
            private: Private::from(&request.private[..]),
        };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        Ok(Response::new(six::ApplyAnswer { state: sent(&state, &ty)?, private, remarks: remarks(&answer.remarks) }))
    }

    async fn import_resource_state(&self, request: Incoming<six::ImportRequest>) -> Reply<six::ImportAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Import { id: Text::new(&request.id) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let mut imported = Vec::new();
        if let Some(Outcome::Imported(objects)) = &answer.outcome {
            for (state, private) in objects {
                let (type_name, private) = (request.type_name.clone(), private.as_bytes().to_vec());
                imported.push(six::Imported { type_name, state: sent(state, &ty)?, private });
            }
        }
        Ok(Response::new(six::ImportAnswer { imported, remarks: remarks(&answer.remarks) }))
    }

    async fn move_resource_state(&self, request: Incoming<six::MoveRequest>) -> Reply<six::MoveAnswer> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let ty = self.ty(&request.type_name, Managed)?;
        let asked = Request::Move {
            source_type: Text::new(&request.source_type),
            source_provider: Text::new(&request.source_provider),
            source_version: unsigned(request.source_version),
            raw: raw(request.source.as_ref())?,
            private: Private::from(&request.private[..]),
        };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        let (state, private) = object(&answer, &ty);
        Ok(Response::new(six::MoveAnswer { state: sent(&state, &ty)?, private, remarks: remarks(&answer.remarks) }))
    }

    async fn read_data_source(&self, request: Incoming<six::Typed>) -> Reply<six::DataAnswer> {
        let (answer, ty) = self.typed(request, Data, |config| Request::ReadData { config }).await?;
        let state = sent(&object(&answer, &ty).0, &ty)?;
        Ok(Response::new(six::DataAnswer { state, remarks: remarks(&answer.remarks) }))
    }

    async fn open_ephemeral_resource(&self, request: Incoming<six::Typed>) -> Reply<six::OpenAnswer> {
        let (answer, ty) = self.typed(request, Ephemeral, |config| Request::Open { config }).await?;
        let (result, private) = object(&answer, &ty);
        Ok(Response::new(six::OpenAnswer { result: sent(&result, &ty)?, private, remarks: remarks(&answer.remarks) }))
    }

    async fn close_ephemeral_resource(&self, request: Incoming<six::CloseRequest>) -> Reply<six::Remarks> {
        let (start, connection) = (self.start(), connection(&request));
        let request = request.into_inner();
        let asked = Request::Close { private: Private::from(&request.private[..]) };
        let answer = self.answer(start, connection, &request.type_name, asked).await?;
        Ok(Response::new(six::Remarks { remarks: remarks(&answer.remarks) }))
    }

    async fn stop_provider(&self, _: Incoming<six::Empty>) -> Reply<six::Stopped> {
        Ok(Response::new(six::Stopped::default()))
    }
}
