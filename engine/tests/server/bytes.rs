//! What no [`Provider`](planfuzz_core::planner::Provider) can express: bytes. A provider of bytes plans, and the binary decodes them
//! (docs/trophies.md, "Decoding what a provider answers"; V42, V83, V86).

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Request, Response, Status};

use super::run::terraform;
use messages::plugin::{self, DynamicValue, Empty};
use messages::tfplugin6::nested_block::Nesting;
use messages::tfplugin6::provider_server::{Provider, ProviderServer};
use messages::tfplugin6::{Attribute, Block, NestedBlock, Schema, SchemaAnswer};

#[allow(missing_docs, dead_code, unused_qualifications, clippy::all, rust_2018_idioms, reason = "made by a program")]
#[path = "../../src/wire/messages/mod.rs"]
mod messages;

/// What is answered to a plan.
#[derive(Clone, Copy, Debug)]
enum Plans {
    /// The object whose one attribute is this.
    Bytes(&'static [u8]),
    /// The very bytes that are proposed.
    AsProposed,
}

/// A provider with one resource type, `bytes_a`.
#[derive(Clone, Debug)]
struct OfBytes {
    block: Block,
    plans: Plans,
}

fn nothing<T: Default>() -> Result<Response<T>, Status> {
    Ok(Response::new(T::default()))
}

#[tonic::async_trait]
impl Provider for OfBytes {
    async fn get_provider_schema(&self, _: Request<Empty>) -> Result<Response<SchemaAnswer>, Status> {
        let of = |block: &Block| Schema { version: 0, block: Some(block.clone()) };
        let resource_schemas = HashMap::from([("bytes_a".to_owned(), of(&self.block))]);
        let provider = Some(of(&Block::default()));
        Ok(Response::new(SchemaAnswer { provider, resource_schemas, ..SchemaAnswer::default() }))
    }

    async fn plan_resource_change(
        &self,
        request: Request<plugin::PlanRequest>,
    ) -> Result<Response<plugin::PlanAnswer>, Status> {
        let planned_state = match self.plans {
            Plans::AsProposed => request.into_inner().proposed_new_state,
            Plans::Bytes(bytes) => {
                let msgpack = [&[0x81, 0xa1, b'a'], bytes].concat();
                Some(DynamicValue { msgpack, json: Vec::new() })
            }
        };
        Ok(Response::new(plugin::PlanAnswer { planned_state, ..Default::default() }))
    }

    async fn validate_provider_config(
        &self,
        _: Request<plugin::PrepareProviderConfigRequest>,
    ) -> Result<Response<plugin::ValidateProviderConfigAnswer>, Status> {
        nothing()
    }

    async fn configure_provider(
        &self,
        _: Request<plugin::ConfigureRequest>,
    ) -> Result<Response<plugin::ConfigureAnswer>, Status> {
        nothing()
    }

    async fn validate_resource_config(
        &self,
        _: Request<plugin::ValidateRequest>,
    ) -> Result<Response<plugin::ValidateAnswer>, Status> {
        nothing()
    }

    async fn validate_data_resource_config(
        &self,
        _: Request<plugin::ValidateRequest>,
    ) -> Result<Response<plugin::ValidateAnswer>, Status> {
        nothing()
    }

    async fn upgrade_resource_state(
        &self,
        _: Request<plugin::UpgradeRequest>,
    ) -> Result<Response<plugin::UpgradeAnswer>, Status> {
        nothing()
    }

    async fn read_resource(&self, _: Request<plugin::ReadRequest>) -> Result<Response<plugin::ReadAnswer>, Status> {
        nothing()
    }

    async fn apply_resource_change(
        &self,
        _: Request<plugin::ApplyRequest>,
    ) -> Result<Response<plugin::ApplyAnswer>, Status> {
        nothing()
    }

    async fn import_resource_state(
        &self,
        _: Request<plugin::ImportRequest>,
    ) -> Result<Response<plugin::ImportAnswer>, Status> {
        nothing()
    }

    async fn read_data_source(
        &self,
        _: Request<plugin::ReadDataRequest>,
    ) -> Result<Response<plugin::ReadDataAnswer>, Status> {
        nothing()
    }

    async fn stop_provider(&self, _: Request<Empty>) -> Result<Response<plugin::StopAnswer>, Status> {
        nothing()
    }
}

fn leaf(name: &str, ty: &str) -> Attribute {
    Attribute {
        name: name.into(),
        r#type: ty.as_bytes().to_vec(),
        optional: true,
        computed: true,
        ..Default::default()
    }
}

fn of_attribute(attribute: Attribute) -> Block {
    Block { attributes: vec![attribute], ..Block::default() }
}

/// A plan of `resource "bytes_a" "r" { … }`, with at most so much memory and time.
fn plan(binary: &Path, provider: OfBytes, config: &str) -> Output {
    const SOURCE: &str = "planfuzz.invalid/of/bytes";
    let dir = tempfile::tempdir().expect("a directory");
    let socket = dir.path().join("s");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
    let incoming = {
        let _entered = runtime.enter();
        UnixListenerStream::new(UnixListener::bind(&socket).expect("a socket"))
    };
    let server = tonic::transport::Server::builder().add_service(ProviderServer::new(provider));
    runtime.spawn(server.serve_with_incoming(incoming));
    let root = format!(
        r#"{{"terraform":{{"required_providers":{{"bytes":{{"source":"{SOURCE}"}}}}}},"resource":{{"bytes_a":{{"r":{config}}}}}}}"#
    );
    std::fs::write(dir.path().join("main.tf.json"), root).expect("a file");
    std::fs::write(dir.path().join("rc"), "").expect("a file");
    let reattach = format!(
        r#"{{"{SOURCE}":{{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,"Addr":{{"Network":"unix","String":"{}"}}}}}}"#,
        socket.display()
    );
    // An engine that asks for more memory than there is is not to get it.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 8000000; exec timeout -s KILL 10 \"$0\" plan -input=false -json"])
        .arg(binary)
        .current_dir(dir.path())
        .env("TF_REATTACH_PROVIDERS", reattach)
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", dir.path().join("rc"))
        .output()
        .expect("a run");
    runtime.shutdown_timeout(Duration::from_secs(1));
    output
}

/// What a binary does: its exit code, none where it was killed, and what it prints.
fn end(binary: &Path, block: Block, plans: Plans, config: &str) -> (Option<i32>, String) {
    let output = plan(binary, OfBytes { block, plans }, config);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    (output.status.code(), printed)
}

/// That it dies, and prints why.
#[track_caller]
fn dies(binary: &Path, block: Block, plans: Plans, config: &str, why: &[&str]) {
    let (code, printed) = end(binary, block, plans, config);
    let end = printed.lines().filter(|line| !line.trim().is_empty()).take(60).collect::<Vec<_>>().join("\n");
    assert!(!matches!(code, Some(0 | 1)), "it lives on: {code:?}\n{end}");
    assert!(why.iter().all(|why| printed.contains(why)), "{why:?}: {end}");
}

/// The decoder's panics, and one value that it takes.
#[test]
fn bytes_that_the_decoder_dies_of() {
    let Some(binary) = terraform() else { return };
    let (code, printed) = end(&binary, of_attribute(leaf("a", "\"number\"")), Plans::Bytes(&[0x2a]), "{}");
    assert_eq!(code, Some(0), "{printed}");
    // V83: no number. V42: unknown, at least 5 and at most 1. V86: elements of two types. Five bytes that announce
    // four thousand million elements.
    let nan: &[u8] = &[0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0];
    let crossed: &[u8] = &[0xc7, 0x09, 0x0c, 0x82, 0x03, 0x92, 0x05, 0xc3, 0x04, 0x92, 0x01, 0xc3];
    let mixed: &[u8] = &[
        0x92, 0x81, 0xa1, b'b', 0x92, 0xc4, 0x08, b'"', b's', b't', b'r', b'i', b'n', b'g', b'"', 0xa1, b'x', 0x81,
        0xa1, b'b', 0xc0,
    ];
    let announced: &[u8] = &[0xdd, 0xff, 0xff, 0xff, 0xff];
    let deadly = [
        ("\"number\"", nan, "NaN"),
        ("\"number\"", crossed, "is greater than upper bound"),
        (r#"["list",["object",{"b":"dynamic"}]]"#, mixed, "inconsistent list element types"),
        (r#"["list","string"]"#, announced, "memory"),
    ];
    for (ty, bytes, why) in deadly {
        dies(&binary, of_attribute(leaf("a", ty)), Plans::Bytes(bytes), "{}", &[why]);
    }
}

/// A number of nine characters that takes the decoder longer than any time limit (V17).
#[test]
#[ignore = "takes the ten seconds that it is given"]
fn a_number_that_the_decoder_does_not_come_back_from() {
    let Some(binary) = terraform() else { return };
    let (code, printed) = end(&binary, of_attribute(leaf("a", "\"number\"")), Plans::Bytes(b"\xa91e9999999"), "{}");
    assert!(!matches!(code, Some(0 | 1)), "{code:?}: {printed}");
}

/// A provider that plans the very bytes that it is sent (docs/trophies.md, "What is written cannot be read").
#[test]
fn sent_values_cannot_be_read_again() {
    let Some(binary) = terraform() else { return };
    let nested_type = Some(messages::tfplugin6::Object {
        attributes: vec![leaf("x", "\"dynamic\"")],
        nesting: messages::tfplugin6::object::Nesting::List.into(),
    });
    let block = of_attribute(Attribute { name: "a".into(), nested_type, optional: true, ..Attribute::default() });
    let (code, printed) = end(&binary, block.clone(), Plans::AsProposed, r#"{"a": [{"x": "s"}]}"#);
    assert_eq!(code, Some(0), "{printed}");
    let why = ["inconsistent list element types", "msgpack"];
    dies(&binary, block, Plans::AsProposed, r#"{"a": [{"x": "s"}, null]}"#, &why);
}

/// Blocks whose object type has optional attributes, one with and one without a value (docs/trophies.md, "Optional attributes in the
/// type of an attribute").
#[test]
fn nulls_of_types_with_optional_attributes_are_of_another_type() {
    let Some(binary) = terraform() else { return };
    let inner = of_attribute(leaf("o", r#"["object",{"p":"string"},["p"]]"#));
    let nested = NestedBlock {
        type_name: "b".into(),
        block: Some(inner),
        nesting: Nesting::Set.into(),
        ..NestedBlock::default()
    };
    let block = Block { block_types: vec![nested], ..Block::default() };
    let (code, printed) = end(&binary, block.clone(), Plans::AsProposed, r#"{"b": [{"o": {"p": "x"}}]}"#);
    assert_eq!(code, Some(0), "{printed}");
    let why = ["inconsistent set element types", "proposedNewNestingSet"];
    dies(&binary, block, Plans::AsProposed, r#"{"b": [{"o": {"p": "x"}}, {}]}"#, &why);
}

/// A map of blocks with blocks inside that have a nested attribute, of which one has none (docs/trophies.md, "Optional attributes in the
/// type of an attribute").
#[test]
fn blocks_of_a_map_without_blocks_inside_are_of_another_type() {
    let Some(binary) = terraform() else { return };
    let nested_type = Some(messages::tfplugin6::Object {
        attributes: vec![Attribute { computed: false, ..leaf("x", "\"string\"") }],
        nesting: messages::tfplugin6::object::Nesting::Single.into(),
    });
    let of = |nesting: Nesting, name: &str, block: Block| NestedBlock {
        type_name: name.into(),
        block: Some(block),
        nesting: nesting.into(),
        ..NestedBlock::default()
    };
    let attribute = Attribute { name: "n".into(), nested_type, optional: true, ..Attribute::default() };
    let inner = of(Nesting::List, "b", of_attribute(attribute));
    let map = of(Nesting::Map, "m", Block { block_types: vec![inner], ..Block::default() });
    let block = Block { block_types: vec![map], ..Block::default() };
    let (code, printed) = end(&binary, block.clone(), Plans::AsProposed, r#"{"m": {"k": {"b": [{"n": {}}]}}}"#);
    assert_eq!(code, Some(0), "{printed}");
    let why = ["inconsistent map element types", "EvalBlock"];
    dies(&binary, block, Plans::AsProposed, r#"{"m": {"k": {"b": [{"n": {}}]}, "l": {}}}"#, &why);
}

/// A map of blocks with a write-only attribute and one of type dynamic (docs/trophies.md, "Write-only attributes in a map of blocks of dynamic type").
#[test]
fn write_only_attributes_are_looked_for_in_a_map_that_is_an_object() {
    let Some(binary) = terraform() else { return };
    let write_only = Attribute { write_only: true, computed: false, ..leaf("w", "\"string\"") };
    let inner = |attributes: Vec<Attribute>| {
        let inner = Some(Block { attributes, ..Block::default() });
        let nesting = Nesting::Map.into();
        let nested = NestedBlock { type_name: "b".into(), block: inner, nesting, ..NestedBlock::default() };
        Block { block_types: vec![nested], ..Block::default() }
    };
    let config = r#"{"b": {"k": {}}}"#;
    let alone = inner(vec![write_only.clone()]);
    let (code, printed) = end(&binary, alone, Plans::AsProposed, config);
    assert_eq!(code, Some(0), "{printed}");
    let beside = inner(vec![write_only, leaf("d", "\"dynamic\"")]);
    let (code, printed) = end(&binary, beside, Plans::AsProposed, config);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("Error validating write-only attributes"), "{printed}");
}
