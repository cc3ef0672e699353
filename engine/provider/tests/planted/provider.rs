//! A provider of one resource type that keeps all promises except the one that its breach names.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::msgpack;
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Refiner, Text, Type, Value};
use planfuzz_engine::proto::plugin::attribute_path::{Step, step::Selector};
use planfuzz_engine::proto::plugin::{self, AttributePath, Diagnostic, DynamicValue};
use planfuzz_engine::proto::{tfplugin5, tfplugin6};
use tonic::{Request, Response, Status};

/// The attributes: name, type and flags.
const ATTRIBUTES: [(&str, &str, [bool; 3]); 8] = [
    ("id", "\"string\"", [false, false, true]),
    ("mode", "\"string\"", [false, true, false]),
    ("name", "\"string\"", [true, false, false]),
    ("note", "\"string\"", [false, true, true]),
    ("secret", "\"string\"", [false, true, false]),
    ("size", "\"number\"", [false, true, false]),
    ("stamp", "\"string\"", [false, false, true]),
    ("tags", "[\"map\",\"string\"]", [false, true, false]),
];

pub struct Planted {
    breach: String,
    ty: Type,
    objects: Mutex<BTreeMap<String, Value>>,
    /// The directory of objects that outlive the process.
    store: Option<PathBuf>,
    calls: AtomicU64,
}

/// The identity schema: an import needs the id; the provider adds the zone.
fn identity_schemas() -> plugin::IdentitySchemasAnswer {
    let attribute = |name: &str, required_for_import: bool| plugin::identity_schema::Attribute {
        name: name.into(),
        r#type: b"\"string\"".to_vec(),
        required_for_import,
        ..Default::default()
    };
    let identity_attributes = vec![attribute("id", true), attribute("zone", false)];
    let schema = plugin::IdentitySchema { version: 2, identity_attributes };
    plugin::IdentitySchemasAnswer { identity_schemas: [("x_thing".to_owned(), schema)].into(), diagnostics: Vec::new() }
}

fn identity_type() -> Type {
    Type::object(["id", "zone"].map(|name| (Text::new(name), Type::String)))
}

/// The schema as core's, for the type of objects.
fn ty() -> Type {
    let attribute = |(name, ty, [required, optional, computed]): &(&str, &str, [bool; 3])| {
        format!(r#""{name}":{{"type":{ty},"required":{required},"optional":{optional},"computed":{computed}}}"#)
    };
    let all: Vec<String> = ATTRIBUTES.iter().map(attribute).collect();
    let disk = r#""disk":{"nesting_mode":"list","block":{"attributes":{"gigs":{"type":"number","required":true}}}}"#;
    let text = format!(r#"{{"block":{{"attributes":{{{}}},"block_types":{{{disk}}}}}}}"#, all.join(","));
    Schema::parse(&text).expect("a schema").implied_type(Dialect::default())
}

macro_rules! schema {
    ($messages:ident) => {{
        let attribute = |(name, ty, [required, optional, computed]): &(&str, &str, [bool; 3])| $messages::Attribute {
            name: (*name).into(),
            r#type: ty.as_bytes().to_vec(),
            required: *required,
            optional: *optional,
            computed: *computed,
            write_only: *name == "secret",
            ..Default::default()
        };
        let gigs = attribute(&("gigs", "\"number\"", [true, false, false]));
        let disk = $messages::NestedBlock {
            type_name: "disk".into(),
            block: Some($messages::Block { attributes: vec![gigs], ..Default::default() }),
            nesting: $messages::nested_block::Nesting::List.into(),
            ..Default::default()
        };
        let block = $messages::Block {
            attributes: ATTRIBUTES.iter().map(attribute).collect(),
            block_types: vec![disk],
            ..Default::default()
        };
        let resource = $messages::Schema { version: 1, block: Some(block) };
        let names = ["name", "stamp"];
        let read = ATTRIBUTES.iter().filter(|(name, ..)| names.contains(name)).map(attribute).collect();
        let read = $messages::Block { attributes: read, ..Default::default() };
        let read = $messages::Schema { version: 0, block: Some(read) };
        $messages::SchemaAnswer {
            functions: [("now".to_owned(), plugin::Uncovered {})].into(),
            data_source_schemas: [("x_thing".to_owned(), read.clone())].into(),
            ephemeral_resource_schemas: [("x_token".to_owned(), read)].into(),
            provider: Some($messages::Schema {
                version: 0,
                block: Some($messages::Block {
                    attributes: vec![attribute(&("token", "\"string\"", [false, true, false]))],
                    ..Default::default()
                }),
            }),
            resource_schemas: [("x_thing".to_owned(), resource)].into(),
            provider_meta: Some($messages::Schema::default()),
            server_capabilities: Some(plugin::ServerCapabilities { plan_destroy: true, ..Default::default() }),
            ..Default::default()
        }
    }};
}

type Answer<T> = Result<Response<T>, Status>;

fn answer<T>(answer: T) -> Answer<T> {
    Ok(Response::new(answer))
}

fn error(summary: &str, attribute: Option<&str>) -> Diagnostic {
    Diagnostic { severity: 1, summary: summary.into(), detail: String::new(), attribute: attribute.map(path) }
}

fn path(name: &str) -> AttributePath {
    AttributePath { steps: vec![Step { selector: Some(Selector::AttributeName(name.into())) }] }
}

fn with(value: &Value, name: &str, member: Value) -> Value {
    let members = value
        .view()
        .entries()
        .map(|(own, it)| (own.clone(), if own.as_str() == name { member.clone() } else { it.to_value() }));
    Value::object(members.collect())
}

fn get(value: &Value, name: &str) -> Value {
    value.view().member(name).expect("a member").to_value()
}

/// An unknown text with this prefix.
fn begins(prefix: &str) -> Value {
    let mut refiner = Refiner::new(&Type::String);
    refiner.string_prefix(prefix).expect("a prefix of a text");
    Value::from_parts(Type::String, refiner.finish().expect("a small record"))
}

impl Planted {
    /// A provider with that breach; with a store its objects outlive it.
    pub fn new(breach: &str, store: Option<PathBuf>) -> Planted {
        Planted { breach: breach.to_owned(), ty: ty(), objects: Mutex::default(), store, calls: AtomicU64::new(0) }
    }

    fn put(&self, id: &str, value: &Value) {
        match &self.store {
            None => drop(self.objects.lock().expect("no panic").insert(id.to_owned(), value.clone())),
            Some(store) => {
                let bytes = msgpack::encode(value.view(), &self.ty).expect("a value that has a form");
                std::fs::write(store.join(id), bytes).expect("written");
            }
        }
    }

    fn get(&self, id: &str) -> Option<Value> {
        match &self.store {
            None => self.objects.lock().expect("no panic").get(id).cloned(),
            Some(store) => {
                let bytes = std::fs::read(store.join(id)).ok()?;
                Some(msgpack::decode(&bytes, &self.ty).expect("a value of the type"))
            }
        }
    }

    fn remove(&self, id: &str) {
        match &self.store {
            None => drop(self.objects.lock().expect("no panic").remove(id)),
            Some(store) => std::fs::remove_file(store.join(id)).unwrap_or_default(),
        }
    }

    /// Crashes now and then, if that is the breach.
    fn may_die(&self) {
        if self.is("crashes") && self.calls.fetch_add(1, Ordering::Relaxed) % 13 == 12 {
            eprintln!("panic: now and then\n\ngoroutine 1 [running]:\nmain.serve(0x1)\n");
            std::process::exit(2);
        }
    }

    fn is(&self, breach: &str) -> bool {
        self.breach == breach
    }

    fn read_value(&self, message: Option<&DynamicValue>) -> Value {
        let bytes = message.map_or(&[0xc0][..], |it| &it.msgpack);
        msgpack::decode(bytes, &self.ty).expect("a value of the type")
    }

    fn write_value(&self, value: &Value) -> Option<DynamicValue> {
        let bytes = msgpack::encode(value.view(), &self.ty).expect("a value that has a form");
        Some(DynamicValue { msgpack: bytes, json: Vec::new() })
    }

    /// The identity of an existing object.
    fn identity(&self, id: &str, call: &str) -> Option<plugin::IdentityData> {
        let is_other = self.is(&format!("identity-other-{call}"));
        let zone = if is_other { "elsewhere" } else { "here" };
        let zone = if self.is("identity-unknown") { Value::unknown(Type::String) } else { Value::string(zone) };
        let members = [("id", Value::string(id)), ("zone", zone)].map(|(name, it)| (Text::new(name), it));
        let value = Value::object(members.into());
        let msgpack = msgpack::encode(value.view(), &identity_type()).expect("a value that has a form");
        let is_lost = self.is(&format!("identity-lost-{call}"));
        (!is_lost).then(|| plugin::IdentityData { identity_data: Some(DynamicValue { msgpack, json: Vec::new() }) })
    }

    /// Some breaches require a token, in the configuration or in a variable, and no other variable in the environment.
    fn configured(&self, request: plugin::ConfigureRequest) -> Answer<plugin::ConfigureAnswer> {
        let bytes = request.config.unwrap_or_default().msgpack;
        let ty = Type::object([(Text::new("token"), Type::String)]);
        let config = msgpack::decode(&bytes, &ty).expect("a value of the type");
        let is_let_in = get(&config, "token") == Value::string("let-me-in");
        let variable = std::env::var("PLANFUZZ_TRIAL_TOKEN").unwrap_or_default();
        let is_clean = std::env::var_os("PLANFUZZ_TRIAL_OTHER").is_none();
        let mut diagnostics = Vec::new();
        if self.is("wants-token") && !is_let_in {
            diagnostics.push(error("the token is wrong", Some("token")));
        }
        if self.is("wants-variable") && !(variable == "let-me-in" && is_clean) {
            diagnostics.push(error(&format!("found the variable {variable:?}, and others: {}", !is_clean), None));
        }
        if self.is("configured-once") && self.is_configured_before() {
            diagnostics.push(error("another process is configured", None));
        }
        answer(plugin::ConfigureAnswer { diagnostics })
    }

    /// Whether another process was configured before: the first one leaves a file.
    fn is_configured_before(&self) -> bool {
        let file = self.store.as_ref().expect("a directory").join("configured");
        std::fs::OpenOptions::new().write(true).create_new(true).open(file).is_err()
    }

    fn validated(&self, request: plugin::ValidateRequest) -> Answer<plugin::ValidateAnswer> {
        let config = self.read_value(request.config.as_ref());
        let (mode, name) = (get(&config, "mode"), get(&config, "name"));
        let mut diagnostics = Vec::new();
        let is_taken =
            mode.is_null() || mode.is_unknown() || ["fast", "slow"].iter().any(|it| mode == Value::string(it));
        if !is_taken {
            diagnostics.push(error("expected mode to be one of [\"fast\" \"slow\"]", Some("mode")));
        }
        if name == Value::string("") {
            diagnostics.push(error("name must not be empty", Some("name")));
        }
        let is_users = name == Value::string("of-the-user") || name.is_unknown();
        if self.is("wants-seed") && !is_users {
            diagnostics.push(error("there is no such name", Some("name")));
        }
        if self.is("unknown-refused") && get(&config, "size").is_unknown() {
            diagnostics.push(error("size must be known", Some("size")));
        }
        if self.is("bad-diagnostic") && !mode.is_null() {
            diagnostics.push(Diagnostic { severity: 2, ..error("mode is old", Some("nosuch")) });
        }
        answer(plugin::ValidateAnswer { diagnostics })
    }

    fn upgraded(&self, request: plugin::UpgradeRequest) -> Answer<plugin::UpgradeAnswer> {
        let json = request.raw_state.unwrap_or_default().json;
        let json = Json::parse_bytes(&json).expect("JSON");
        let mut value = Value::from_stored_json(&json, &self.ty).expect("a stored object");
        if self.is("upgrade-changes") {
            value = with(&value, "note", Value::string("upgraded"));
        }
        answer(plugin::UpgradeAnswer { upgraded_state: self.write_value(&value), diagnostics: Vec::new() })
    }

    fn planned(&self, request: plugin::PlanRequest) -> Answer<plugin::PlanAnswer> {
        // Engines send it to a provider with a schema for it.
        if request.provider_meta.is_none_or(|it| it.msgpack != [0xc0]) {
            return Err(Status::internal("expected the module's data for the provider"));
        }
        let prior = self.read_value(request.prior_state.as_ref());
        let config = self.read_value(request.config.as_ref());
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if config.is_null() {
            let kept = self.is("destroy-kept");
            let planned_state = if kept { request.prior_state } else { request.proposed_new_state };
            return answer(plugin::PlanAnswer { planned_state, ..Default::default() });
        }
        let mut planned = self.read_value(request.proposed_new_state.as_ref());
        planned = with(&planned, "secret", Value::null(Type::String));
        let is_changed = prior.is_null() || planned != prior;
        for name in ["id", "note", "stamp"] {
            if get(&planned, name).is_null() && get(&config, name).is_null() {
                planned = with(&planned, name, Value::unknown(Type::String));
            }
        }
        let name = get(&planned, "name");
        let is_replaced = !prior.is_null() && get(&prior, "name") != name;
        let mut requires_replace = if is_replaced { vec![path("name")] } else { Vec::new() };
        let is_free = get(&config, "note").is_null();
        match self.breach.as_str() {
            "config-changed" if get(&config, "mode") == Value::string("fast") => {
                planned = with(&planned, "mode", Value::string("slow"));
            }
            "unset-set" if get(&config, "size").is_null() => planned = with(&planned, "size", Value::number(5i64)),
            "unstable" if is_free => planned = with(&planned, "note", Value::string(&format!("n{call}"))),
            "refined" | "outside-refinement" if get(&planned, "stamp").is_unknown() => {
                planned = with(&planned, "stamp", begins("at-"));
            }
            "perpetual" => planned = with(&planned, "stamp", Value::unknown(Type::String)),
            "vain-replace" if !prior.is_null() && !get(&planned, "mode").is_null() => {
                requires_replace.push(path("mode"))
            }
            "bad-replace" if is_changed && !prior.is_null() => requires_replace.push(path("nosuch")),
            "final-plan" if is_free && prior.is_null() => {
                let note = if config.is_wholly_known() { "known" } else { "open" };
                planned = with(&planned, "note", Value::string(note));
            }
            "secret-kept" => planned = with(&planned, "secret", get(&config, "secret")),
            "block-lost" => {
                planned = with(&planned, "disk", Value::list(disk_type(&self.ty), Vec::new()).expect("a list"))
            }
            "dies" if !get(&config, "tags").is_null() => {
                eprintln!("panic: tags\n\ngoroutine 1 [running]:\nmain.plan(0x1)\n");
                std::process::exit(2);
            }
            "fails" if !get(&config, "tags").is_null() => return Err(Status::internal("tags")),
            "junk" if !get(&config, "tags").is_null() => {
                let planned_state = Some(DynamicValue { msgpack: vec![0xc1], json: Vec::new() });
                return answer(plugin::PlanAnswer { planned_state, ..Default::default() });
            }
            "hang" => std::thread::sleep(Duration::from_secs(600)),
            "flood" => loop {
                std::io::stderr().write_all(&[b'x'; 4096]).ok();
            },
            "giant" => {
                return answer(plugin::PlanAnswer { planned_private: vec![1; 64 << 20], ..Default::default() });
            }
            "gigabyte" => {
                return answer(plugin::PlanAnswer { planned_private: vec![1; 1 << 30], ..Default::default() });
            }
            "fat" => {
                let hoard = vec![1u8; 1 << 30];
                std::thread::sleep(Duration::from_secs(600));
                drop(hoard);
            }
            _ => {}
        }
        answer(plugin::PlanAnswer { planned_state: self.write_value(&planned), requires_replace, ..Default::default() })
    }

    fn applied(&self, request: plugin::ApplyRequest) -> Answer<plugin::ApplyAnswer> {
        let prior = self.read_value(request.prior_state.as_ref());
        let planned = self.read_value(request.planned_state.as_ref());
        self.may_die();
        let id = |of: &Value| get(of, "id").view().as_text().map(|it| it.to_string()).unwrap_or_default();
        if planned.is_null() && self.is("undying") {
            let diagnostics = vec![error("it cannot be destroyed", None)];
            return answer(plugin::ApplyAnswer { new_state: request.prior_state, diagnostics, ..Default::default() });
        }
        if planned.is_null() {
            if !self.is("not-gone") {
                self.remove(&id(&prior));
                self.may_die();
            }
            return answer(plugin::ApplyAnswer { new_state: self.write_value(&planned), ..Default::default() });
        }
        if self.is("late-refusal") && !get(&planned, "tags").is_null() {
            let diagnostics = vec![error("tags are not supported", Some("tags"))];
            return answer(plugin::ApplyAnswer { new_state: request.prior_state, diagnostics, ..Default::default() });
        }
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        // An object that outlives the process needs a unique name.
        let made = match self.store {
            Some(_) => format!("i-{}-{number}", std::process::id()),
            None => format!("i-{number}"),
        };
        let mut value = planned;
        let stamp = if self.is("refined") { "at-once" } else { "now" };
        for (name, text) in [("id", made.as_str()), ("note", "auto"), ("stamp", stamp)] {
            let is_left = self.is("unknown-left") && name == "stamp";
            if get(&value, name).is_unknown() && !is_left {
                value = with(&value, name, Value::string(text));
            }
        }
        if self.is("result-differs") && !get(&value, "size").is_null() {
            value = with(&value, "size", Value::number(77i64));
        }
        if value.is_wholly_known() {
            self.put(&id(&value), &value);
        }
        self.may_die();
        let new_identity = self.identity(&id(&value), "apply");
        answer(plugin::ApplyAnswer { new_state: self.write_value(&value), new_identity, ..Default::default() })
    }

    fn read(&self, request: plugin::ReadRequest) -> Answer<plugin::ReadAnswer> {
        let current = self.read_value(request.current_state.as_ref());
        self.may_die();
        let id = get(&current, "id");
        let found = id.view().as_text().and_then(|id| self.get(id.as_str()));
        let mut value = found.unwrap_or_else(|| Value::null(self.ty.clone()));
        if self.is("read-differs") && !value.is_null() && !get(&value, "size").is_null() {
            value = with(&value, "size", Value::number(78i64));
        }
        if self.is("import-partial") && !value.is_null() && get(&current, "name").is_null() {
            value = with(&value, "mode", Value::null(Type::String));
        }
        let known = id.view().as_text().filter(|_| !value.is_null());
        let new_identity = known.and_then(|id| self.identity(id.as_str(), "read"));
        answer(plugin::ReadAnswer { new_state: self.write_value(&value), new_identity, ..Default::default() })
    }

    /// The object of a data source or ephemeral resource with that name.
    fn found(&self, config: Option<DynamicValue>) -> Option<DynamicValue> {
        let ty = Type::object(["name", "stamp"].map(|name| (Text::new(name), Type::String)));
        let bytes = config.unwrap_or_default().msgpack;
        let config = msgpack::decode(&bytes, &ty).expect("a value of the type");
        let stamp = if self.is("data-unknown") { Value::unknown(Type::String) } else { Value::string("now") };
        let value = if self.is("data-null") { Value::null(ty.clone()) } else { with(&config, "stamp", stamp) };
        let bytes = msgpack::encode(value.view(), &ty).expect("a value that has a form");
        Some(DynamicValue { msgpack: bytes, json: Vec::new() })
    }

    fn imported(&self, request: plugin::ImportRequest) -> Answer<plugin::ImportAnswer> {
        let empty = match &self.ty {
            Type::Object(object) => {
                let member = |it: &planfuzz_core::value::TypeAttribute| (it.name.clone(), Value::null(it.ty.clone()));
                Value::object(object.attributes().iter().map(member).collect())
            }
            _ => unreachable!("objects are of an object type"),
        };
        let none = Value::list(disk_type(&self.ty), Vec::new()).expect("a list");
        let by = request.identity.and_then(|it| it.identity_data).map(|it| {
            let identity = msgpack::decode(&it.msgpack, &identity_type()).expect("an identity");
            assert!(request.id.is_empty() && get(&identity, "zone").is_null(), "what is not for import is not sent");
            get(&identity, "id").view().as_text().map(|id| id.to_string()).unwrap_or_default()
        });
        let id = by.unwrap_or(request.id);
        let value = with(&with(&empty, "id", Value::string(&id)), "disk", none);
        let imported = plugin::import_answer::Imported {
            type_name: request.type_name,
            state: self.write_value(&value),
            private: Vec::new(),
            identity: self.identity(&id, "import"),
        };
        answer(plugin::ImportAnswer { imported_resources: vec![imported], diagnostics: Vec::new() })
    }
}

fn disk_type(ty: &Type) -> &Type {
    let disk = ty.as_object().and_then(|it| it.attribute_type(&Text::new("disk")));
    disk.and_then(Type::element).expect("a list")
}

macro_rules! service {
    ($messages:ident, $schema:ident, $prepare:ident, $prepared:ident, $configure:ident, $validate:ident, $validate_data:ident, $stop:ident) => {
        #[tonic::async_trait]
        impl $messages::provider_server::Provider for Planted {
            async fn $schema(&self, _: Request<plugin::Empty>) -> Answer<$messages::SchemaAnswer> {
                answer(schema!($messages))
            }
            async fn $prepare(&self, _: Request<plugin::PrepareProviderConfigRequest>) -> Answer<plugin::$prepared> {
                answer(Default::default())
            }
            async fn $configure(&self, it: Request<plugin::ConfigureRequest>) -> Answer<plugin::ConfigureAnswer> {
                self.configured(it.into_inner())
            }
            async fn $validate(&self, it: Request<plugin::ValidateRequest>) -> Answer<plugin::ValidateAnswer> {
                self.validated(it.into_inner())
            }
            async fn $validate_data(&self, _: Request<plugin::ValidateRequest>) -> Answer<plugin::ValidateAnswer> {
                answer(Default::default())
            }
            async fn get_resource_identity_schemas(
                &self,
                _: Request<plugin::Empty>,
            ) -> Answer<plugin::IdentitySchemasAnswer> {
                // A provider with a store is older than identities.
                match self.store {
                    Some(_) => Err(Status::unimplemented("identities")),
                    None => answer(identity_schemas()),
                }
            }
            async fn upgrade_resource_identity(
                &self,
                it: Request<plugin::UpgradeIdentityRequest>,
            ) -> Answer<plugin::UpgradeIdentityAnswer> {
                let json = it.into_inner().raw_identity.unwrap_or_default().json;
                let json = Json::parse_bytes(&json).expect("JSON");
                let id = json.member("id").map_or("", |it| it.expect_string().expect("a text")).to_owned();
                let upgraded_identity = self.identity(&id, "upgrade");
                answer(plugin::UpgradeIdentityAnswer { upgraded_identity, diagnostics: Vec::new() })
            }
            async fn upgrade_resource_state(
                &self,
                it: Request<plugin::UpgradeRequest>,
            ) -> Answer<plugin::UpgradeAnswer> {
                self.upgraded(it.into_inner())
            }
            async fn read_resource(&self, it: Request<plugin::ReadRequest>) -> Answer<plugin::ReadAnswer> {
                self.read(it.into_inner())
            }
            async fn plan_resource_change(&self, it: Request<plugin::PlanRequest>) -> Answer<plugin::PlanAnswer> {
                self.planned(it.into_inner())
            }
            async fn apply_resource_change(&self, it: Request<plugin::ApplyRequest>) -> Answer<plugin::ApplyAnswer> {
                self.applied(it.into_inner())
            }
            async fn import_resource_state(&self, it: Request<plugin::ImportRequest>) -> Answer<plugin::ImportAnswer> {
                self.imported(it.into_inner())
            }
            async fn read_data_source(&self, it: Request<plugin::ReadDataRequest>) -> Answer<plugin::ReadDataAnswer> {
                let state = self.found(it.into_inner().config);
                answer(plugin::ReadDataAnswer { state, diagnostics: Vec::new() })
            }
            async fn validate_ephemeral_resource_config(
                &self,
                _: Request<plugin::ValidateEphemeralRequest>,
            ) -> Answer<plugin::ValidateAnswer> {
                answer(Default::default())
            }
            async fn open_ephemeral_resource(&self, it: Request<plugin::OpenRequest>) -> Answer<plugin::OpenAnswer> {
                let (result, renew_at) = (self.found(it.into_inner().config), Some(Default::default()));
                answer(plugin::OpenAnswer { result, renew_at, private: vec![7], ..Default::default() })
            }
            async fn renew_ephemeral_resource(&self, it: Request<plugin::RenewRequest>) -> Answer<plugin::RenewAnswer> {
                let private = it.into_inner().private;
                answer(plugin::RenewAnswer { private: [private, vec![8]].concat(), ..Default::default() })
            }
            async fn close_ephemeral_resource(&self, it: Request<plugin::CloseRequest>) -> Answer<plugin::CloseAnswer> {
                if it.into_inner().private != [7, 8] {
                    return Err(Status::internal("close of what was not renewed"));
                }
                if self.is("close-fails") {
                    return Err(Status::internal("close"));
                }
                answer(Default::default())
            }
            async fn $stop(&self, _: Request<plugin::Empty>) -> Answer<plugin::StopAnswer> {
                answer(Default::default())
            }
        }
    };
}

service!(
    tfplugin5,
    get_schema,
    prepare_provider_config,
    PrepareProviderConfigAnswer,
    configure,
    validate_resource_type_config,
    validate_data_source_config,
    stop
);
service!(
    tfplugin6,
    get_provider_schema,
    validate_provider_config,
    ValidateProviderConfigAnswer,
    configure_provider,
    validate_resource_config,
    validate_data_resource_config,
    stop_provider
);
