//! Tests of the server, which is called as an engine calls it.

use std::future::Future;
use std::sync::Mutex;

use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, Exchange, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Private};
use planfuzz_core::value::{Value, WrittenPath};
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

use super::*;
use crate::wire::messages::plugin::{self, DynamicValue, RawState, attribute_path::step::Selector};
use crate::wire::messages::tfplugin5::provider_client::ProviderClient as FiveClient;
use crate::wire::messages::tfplugin6::provider_client::ProviderClient as SixClient;

const SIX: ProviderAddress = ProviderAddress { protocol: Protocol::Six, plan_destroy: true };
const FIVE: ProviderAddress = ProviderAddress { protocol: Protocol::Five, plan_destroy: false };

/// A null of any type, as engines write it.
const NULL: &[u8] = &[0xc0];

/// Answers everything with the value it was made with, and with everything else that an answer can have.
struct Constant(Value, &'static str);

impl Constant {
    fn remarks(&self) -> Vec<Remark> {
        vec![Remark { severity: Severity::Warning, summary: "careful".into() }]
    }

    fn private(&self) -> Private {
        Private::from(&b"own"[..])
    }
}

impl Provider for Constant {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer { remarks: self.remarks() }
    }

    fn upgrade(&mut self, _: UpgradeState) -> UpgradeAnswer {
        UpgradeAnswer { upgraded: self.0.clone(), remarks: self.remarks() }
    }

    fn read(&mut self, _: ReadResource) -> ReadAnswer {
        ReadAnswer { new_state: self.0.clone(), private: self.private(), deferred: true, remarks: self.remarks() }
    }

    fn plan(&mut self, _: PlanChange) -> PlanAnswer {
        PlanAnswer {
            planned: self.0.clone(),
            requires_replace: vec![WrittenPath::parse(self.1).expect("a path")],
            private: self.private(),
            legacy_type_system: true,
            deferred: true,
            remarks: self.remarks(),
        }
    }

    fn apply(&mut self, _: ApplyChange) -> ApplyAnswer {
        ApplyAnswer { new_state: None, private: self.private(), legacy_type_system: true, remarks: self.remarks() }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: vec![(self.0.clone(), self.private()); 2], remarks: self.remarks() }
    }

    fn read_data(&mut self, _: ReadData) -> ReadDataAnswer {
        ReadDataAnswer { state: self.0.clone(), remarks: self.remarks() }
    }
}

fn served(type_name: &str, provider_address: ProviderAddress, kind: ResourceKind, path: &'static str) -> Served {
    let schema = Schema::parse(r#"{"version":3,"block":{"attributes":{"a":{"type":"bool","optional":true}}}}"#);
    let value = Value::object(vec![("a".into(), Value::bool(true))]);
    Served {
        type_name: type_name.into(),
        provider_address,
        kind,
        schema: Arc::new(schema.expect("a schema")),
        provider: Arc::new(Mutex::new(Constant(value, path))),
        state: InstanceState::ABSENT,
        helpers: Vec::new(),
        validates_block: false,
    }
}

fn served_types(served: Vec<Served>) -> ServedTypes {
    ServedTypes { dialect: Dialect::default(), served }
}

/// The msgpack of `{"a": true}`.
fn object() -> Option<DynamicValue> {
    Some(DynamicValue { msgpack: b"\x81\xa1a\xc3".to_vec(), json: Vec::new() })
}

fn null() -> Option<DynamicValue> {
    Some(DynamicValue { msgpack: NULL.to_vec(), json: Vec::new() })
}

/// Calls a server with these types, through a connection to a provider, and returns its logs.
fn asked<F: Future<Output = ()>>(
    served_types: ServedTypes,
    provider_address: ProviderAddress,
    ask: impl FnOnce(Channel) -> F,
) -> Finished {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(dir.path()).expect("a server");
    server.serve(served_types).expect("servable types");
    let (_, address) = server.addresses.iter().find(|(of, _)| *of == provider_address).expect("an address");
    let uri = match address.network {
        "unix" => format!("unix://{}", address.text),
        _ => format!("http://{}", address.text),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let channel = Endpoint::from_shared(uri).expect("an address").connect().await.expect("a connection");
        ask(channel).await;
    });
    server.finish()
}

fn plan_request(type_name: &str) -> plugin::PlanRequest {
    plugin::PlanRequest {
        type_name: type_name.into(),
        prior_state: null(),
        proposed_new_state: object(),
        config: object(),
        prior_private: b"old".to_vec(),
        ..Default::default()
    }
}

fn upgrade_request(type_name: &str, version: i64) -> plugin::UpgradeRequest {
    let raw_state = Some(RawState { json: br#"{"a":true}"#.to_vec(), ..RawState::default() });
    plugin::UpgradeRequest { type_name: type_name.into(), version, raw_state }
}

#[test]
fn every_part_of_an_answer_arrives() {
    let types = vec![served("sixd_0", SIX, ResourceKind::Managed, ".a[1][\"k\"]")];
    let finished = asked(served_types(types), SIX, async |channel| {
        let mut client = SixClient::new(channel);
        let warning = |found: &[plugin::Diagnostic]| {
            assert_eq!((found.len(), found[0].severity), (1, 2));
            assert_eq!((found[0].summary.as_str(), found[0].detail.as_str()), ("careful", "sixd_0"));
        };
        let answer = client.plan_resource_change(plan_request("sixd_0")).await.expect("an answer").into_inner();
        assert_eq!((answer.planned_state, answer.planned_private.as_slice()), (object(), &b"own"[..]));
        assert!(answer.legacy_type_system && answer.deferred.is_some());
        let steps = answer.requires_replace[0].steps.iter().map(|step| step.selector.clone().expect("a step"));
        let want =
            [Selector::AttributeName("a".into()), Selector::ElementKeyInt(1), Selector::ElementKeyString("k".into())];
        assert_eq!(steps.collect::<Vec<_>>(), want);
        warning(&answer.diagnostics);

        let request = plugin::ReadRequest {
            type_name: "sixd_0".into(),
            current_state: object(),
            private: b"old".to_vec(),
            ..Default::default()
        };
        let answer = client.read_resource(request).await.expect("an answer").into_inner();
        assert_eq!((answer.new_state, answer.private.as_slice()), (object(), &b"own"[..]));
        assert!(answer.deferred.is_some());
        warning(&answer.diagnostics);

        let request = plugin::ImportRequest { type_name: "sixd_0".into(), id: "i".into(), ..Default::default() };
        let answer = client.import_resource_state(request).await.expect("an answer").into_inner();
        assert_eq!(answer.imported_resources.len(), 2);
        assert_eq!(answer.imported_resources[1].type_name, "sixd_0");
        warning(&answer.diagnostics);
    });
    let [Exchange::Plan(plan, _), Exchange::Read(read, _), Exchange::Import(import, _)] =
        &finished.logs[0].exchanges().collect::<Vec<_>>()[..]
    else {
        panic!("expected three calls, found {finished:?}");
    };
    assert!(plan.prior.view().is_null() && plan.config == plan.proposed);
    assert_eq!((plan.private.as_bytes(), read.private.as_bytes()), (&b"old"[..], &b"old"[..]));
    assert_eq!(import.id.as_str(), "i");
}

#[test]
fn both_versions_list_their_types() {
    let types = || {
        vec![
            served("five_0", FIVE, ResourceKind::Managed, ""),
            served("five_1", FIVE, ResourceKind::Data, ""),
            served("sixd_2", SIX, ResourceKind::Managed, ""),
        ]
    };
    asked(served_types(types()), FIVE, async |channel| {
        let mut client = FiveClient::new(channel);
        let answer = client.get_schema(plugin::Empty {}).await.expect("an answer").into_inner();
        assert_eq!(answer.resource_schemas.keys().collect::<Vec<_>>(), ["five_0"]);
        assert_eq!(answer.data_source_schemas.keys().collect::<Vec<_>>(), ["five_1"]);
        assert_eq!(answer.resource_schemas["five_0"].version, 3);
        let capabilities = answer.server_capabilities.expect("capabilities");
        assert!(capabilities.get_provider_schema_optional && !capabilities.plan_destroy);
        let request = plugin::PrepareProviderConfigRequest { config: object() };
        let answer = client.prepare_provider_config(request).await.expect("an answer").into_inner();
        assert_eq!(answer.prepared_config, object());
        let request = plugin::ReadDataRequest { type_name: "five_1".into(), config: object(), ..Default::default() };
        let answer = client.read_data_source(request).await.expect("an answer").into_inner();
        assert_eq!(answer.state, object());
    });
    asked(served_types(types()), SIX, async |channel| {
        let mut client = SixClient::new(channel);
        let answer = client.get_provider_schema(plugin::Empty {}).await.expect("an answer").into_inner();
        assert_eq!(answer.resource_schemas.keys().collect::<Vec<_>>(), ["sixd_2"]);
        assert!(answer.data_source_schemas.is_empty());
        assert!(answer.server_capabilities.expect("capabilities").plan_destroy);
    });
}

#[test]
fn l05_an_upgrade_is_asked_once() {
    let types = vec![served("sixd_0", SIX, ResourceKind::Managed, "")];
    let finished = asked(served_types(types), SIX, async |channel| {
        let mut client = SixClient::new(channel);
        for version in [3, 3, 2, 3] {
            let request = upgrade_request("sixd_0", version);
            let answer = client.upgrade_resource_state(request).await.expect("an answer").into_inner();
            assert_eq!(answer.upgraded_state, object());
        }
    });
    let repeated = finished.logs[0].entries.iter().map(|entry| matches!(entry, Entry::Repeated(_)));
    assert_eq!(repeated.collect::<Vec<_>>(), [false, true, false, true]);
}

#[test]
fn failed_calls_are_recorded() {
    let types = vec![served("sixd_0", SIX, ResourceKind::Managed, "[<set element>]")];
    let finished = asked(served_types(types), SIX, async |channel| {
        let mut client = SixClient::new(channel);
        let mut code = async |request: plugin::PlanRequest| match client.plan_resource_change(request).await {
            Ok(answer) => panic!("expected an error, found {answer:?}"),
            Err(status) => status.code(),
        };
        assert_eq!(code(plan_request("sixd_0")).await, Code::Internal);
        assert_eq!(code(plan_request("sixd_1")).await, Code::Internal);
        assert_eq!(code(plugin::PlanRequest { config: None, ..plan_request("sixd_0") }).await, Code::Internal);
        // An answer that is missing, with words that no engine has for that.
        let request = plugin::ApplyRequest {
            type_name: "sixd_0".into(),
            prior_state: null(),
            planned_state: object(),
            config: object(),
            ..Default::default()
        };
        assert_eq!(client.apply_resource_change(request).await.expect_err("no answer").code(), Code::Internal);
    });
    assert_eq!(finished.strays.len(), 1, "{finished:?}");
    assert_eq!(finished.strays[0].error, AnswerError::NotServed("sixd_1".into()));
    let errors: Vec<_> = finished.logs[0].failures().map(|failure| failure.error.clone()).collect();
    let [AnswerError::Unsendable(_), AnswerError::Undecodable(_), AnswerError::Unsendable(_)] = errors[..] else {
        panic!("found {errors:?}");
    };
    // The log also has the answer that could not be sent.
    assert_eq!(finished.logs[0].exchanges().count(), 2);
}

#[test]
fn one_type_has_one_name_and_a_schema_that_fits() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(dir.path()).expect("a server");
    let twice = || served("sixd_0", SIX, ResourceKind::Managed, "");
    assert!(matches!(server.serve(served_types(vec![twice(), twice()])), Err(ServerError::TwiceServed(_))));
    let nested =
        r#"{"block":{"attributes":{"n":{"optional":true,"nested_type":{"nesting_mode":"single","attributes":{}}}}}}"#;
    let nested = Arc::new(Schema::parse(nested).expect("a schema"));
    let five = Served { schema: nested, ..served("five_0", FIVE, ResourceKind::Managed, "") };
    assert!(matches!(server.serve(served_types(vec![five])), Err(ServerError::Unservable { .. })));
    assert!(server.finish().logs.is_empty());
}

#[cfg(unix)]
#[test]
fn a_long_path_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let long = dir.path().join("x".repeat(100));
    std::fs::create_dir(&long).expect("a directory");
    assert!(matches!(Server::start(&long), Err(ServerError::LongPath(_))));
}

#[test]
fn the_address_of_each_provider_is_given() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(dir.path()).expect("a server");
    let reattach = Json::parse(&server.reattach()).expect("JSON");
    for provider_address in ProviderAddress::ALL {
        let entry = reattach.member(&provider_address.source()).expect("an entry");
        let version = entry.member("ProtocolVersion").and_then(|version| version.expect_i64().ok());
        assert_eq!(version, Some(if provider_address.protocol == Protocol::Five { 5 } else { 6 }));
    }
}
