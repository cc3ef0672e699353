//! Plan documents and states as the trees of formats.md, member by member.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use planfuzz_core::address::{InstanceKey, ResourceKind};
use planfuzz_core::json::{Json, Word};
use planfuzz_core::plans::Mode;
use planfuzz_core::plans::file::{
    CheckKind, CheckResult, CheckStatus, DeferredReason, EngineFields, FileChange, Importing, PlanDocument, Values,
};
use planfuzz_core::state::Status;
use planfuzz_core::state::file::{Attributes, Snapshot, StoredObject, StoredResource};
use planfuzz_core::value::{WrittenPath, WrittenStep};

/// The members of a tree.
#[derive(Default)]
struct Tree(Vec<(Box<str>, Json)>);

impl Tree {
    fn put(&mut self, name: &str, json: Json) {
        self.0.push((name.into(), json));
    }

    /// Puts a member, unless the text is empty.
    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.put(name, Json::string(text));
        }
    }

    fn flag(&mut self, name: &str, flag: bool) {
        if flag {
            self.put(name, Json::Bool(true));
        }
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        self.text(name, &BASE64.encode(bytes));
    }

    fn some_bytes(&mut self, name: &str, bytes: Option<&Vec<u8>>) {
        if let Some(bytes) = bytes {
            self.put(name, Json::string(&BASE64.encode(bytes)));
        }
    }

    fn list(&mut self, name: &str, items: impl IntoIterator<Item = Json>) {
        let items: Vec<Json> = items.into_iter().collect();
        if !items.is_empty() {
            self.put(name, Json::Array(items));
        }
    }

    fn texts(&mut self, name: &str, texts: &[String]) {
        self.list(name, texts.iter().map(|text| Json::string(text)));
    }

    fn members(&mut self, name: &str, members: Vec<(Box<str>, Json)>) {
        if !members.is_empty() {
            self.put(name, Json::Object(members));
        }
    }

    fn done(self) -> Json {
        Json::Object(self.0)
    }
}

/// The tree of a plan.
pub(super) fn plan_tree(plan: &PlanDocument) -> Json {
    let mut tree = Tree::default();
    tree.text("mode", if plan.mode == Mode::Normal { "" } else { plan.mode.word() });
    tree.text("terraform_version", &plan.terraform_version);
    tree.text("timestamp", &plan.timestamp);
    tree.flag("errored", plan.errored);
    let variables = plan.variables.iter();
    let variables = variables.map(|(name, value)| (name.as_str().into(), Json::string(&BASE64.encode(value))));
    tree.members("variables", variables.collect());
    tree.list("changes", plan.changes.iter().map(change));
    tree.list("drift", plan.drift.iter().map(change));
    tree.list(
        "outputs",
        plan.outputs.iter().map(|output| {
            let mut tree = Tree::default();
            tree.text("name", &output.name);
            values(&output.values, &mut tree);
            tree.flag("sensitive", output.sensitive);
            tree.done()
        }),
    );
    tree.texts("targets", &plan.targets);
    tree.texts("force_replace", &plan.force_replace);
    let mut backend = Tree::default();
    backend.text("type", &plan.backend.type_name);
    backend.bytes("config", &plan.backend.config);
    backend.text("workspace", &plan.backend.workspace);
    tree.members("backend", backend.0);
    tree.list(
        "relevant_attributes",
        plan.relevant_attributes.iter().map(|relevant| {
            let mut tree = Tree::default();
            tree.text("resource", &relevant.resource);
            if !relevant.attribute.steps().is_empty() {
                tree.put("attribute", path(&relevant.attribute));
            }
            tree.done()
        }),
    );
    tree.list("checks", plan.checks.iter().map(checks));
    of_engine(&plan.of_engine, &mut tree);
    tree.done()
}

fn of_engine(fields: &EngineFields, tree: &mut Tree) {
    match fields {
        EngineFields::Terraform { applyable, complete, deferred, apply_time_variables, function_results } => {
            tree.flag("applyable", *applyable);
            tree.flag("complete", *complete);
            tree.list(
                "deferred",
                deferred.iter().map(|(reason, deferred)| {
                    Json::object([("reason", Json::string(deferral(*reason))), ("change", change(deferred))])
                }),
            );
            tree.texts("apply_time_variables", apply_time_variables);
            tree.list(
                "function_results",
                function_results.iter().map(|of| {
                    let mut tree = Tree::default();
                    tree.bytes("key", &of.key);
                    tree.bytes("result", &of.result);
                    tree.done()
                }),
            );
        }
        EngineFields::OpenTofu { excludes, ephemeral_variables, execution_graph, destroying } => {
            tree.texts("excludes", excludes);
            tree.texts("ephemeral_variables", ephemeral_variables);
            tree.bytes("execution_graph", execution_graph);
            tree.flag("destroying", *destroying);
        }
    }
}

fn change(change: &FileChange) -> Json {
    let mut tree = Tree::default();
    tree.text("addr", &change.addr);
    tree.text("prev_run_addr", change.prev_run_addr.as_deref().unwrap_or_default());
    tree.text("deposed", change.deposed.as_ref().map_or("", |key| key.as_str()));
    tree.text("provider", &change.provider);
    values(&change.values, &mut tree);
    tree.bytes("private", change.private.as_bytes());
    tree.list("required_replace", change.required_replace.iter().map(path));
    tree.text("reason", change.reason.name());
    tree.done()
}

fn values(values: &Values, tree: &mut Tree) {
    tree.text("action", values.action.name());
    tree.some_bytes("before", values.before.as_ref());
    tree.some_bytes("after", values.after.as_ref());
    tree.list("before_sensitive", values.before_sensitive.iter().map(path));
    tree.list("after_sensitive", values.after_sensitive.iter().map(path));
    if let Some(importing) = &values.importing {
        let importing = match importing {
            Importing::Id(id) => Json::object([("id", Json::string(id))]),
            Importing::Unknown => Json::object([("unknown", Json::Bool(true))]),
            Importing::Identity { id, identity } => {
                Json::object([("id", Json::string(id)), ("identity", Json::string(&BASE64.encode(identity)))])
            }
        };
        tree.put("importing", importing);
    }
    tree.text("generated_config", &values.generated_config);
    tree.some_bytes("before_identity", values.before_identity.as_ref());
    tree.some_bytes("after_identity", values.after_identity.as_ref());
}

fn checks(result: &CheckResult) -> Json {
    let mut tree = Tree::default();
    tree.text("kind", check_kind(result.kind));
    tree.text("address", &result.address);
    tree.text("status", check_status(result.status));
    tree.list(
        "objects",
        result.objects.iter().map(|object| {
            let mut tree = Tree::default();
            tree.text("address", &object.address);
            tree.text("status", check_status(object.status));
            tree.texts("failures", &object.failures);
            tree.done()
        }),
    );
    tree.done()
}

fn check_kind(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Unspecified => "unspecified",
        CheckKind::Resource => "resource",
        CheckKind::OutputValue => "output_value",
        CheckKind::Check => "check",
        CheckKind::InputVariable => "input_variable",
    }
}

fn check_status(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Unknown => "unknown",
        CheckStatus::Pass => "pass",
        CheckStatus::Fail => "fail",
        CheckStatus::Error => "error",
    }
}

fn deferral(reason: DeferredReason) -> &'static str {
    match reason {
        DeferredReason::Invalid => "invalid",
        DeferredReason::InstanceCountUnknown => "instance_count_unknown",
        DeferredReason::ResourceConfigUnknown => "resource_config_unknown",
        DeferredReason::ProviderConfigUnknown => "provider_config_unknown",
        DeferredReason::AbsentPrerequisite => "absent_prerequisite",
        DeferredReason::DeferredPrerequisite => "deferred_prerequisite",
    }
}

fn path(path: &WrittenPath) -> Json {
    let step = |step: &WrittenStep| match step {
        WrittenStep::Attribute(name) => Json::string(name),
        WrittenStep::Index(index) => Json::object([("index", Json::int(*index))]),
        WrittenStep::Key(key) => Json::object([("key", Json::string(key))]),
        WrittenStep::Element => Json::object([("element", Json::Bool(true))]),
    };
    Json::Array(path.steps().iter().map(step).collect())
}

/// The tree of a state.
pub(super) fn state_tree(state: &Snapshot) -> Json {
    let mut tree = Tree::default();
    tree.text("terraform_version", &state.terraform_version);
    whole(&mut tree, "serial", state.serial);
    tree.text("lineage", &state.lineage);
    tree.members("outputs", state.outputs.clone());
    tree.list("resources", state.resources.iter().map(resource));
    if let Some(results) = &state.check_results {
        tree.put("check_results", results.clone());
    }
    tree.done()
}

fn whole(tree: &mut Tree, name: &str, number: u64) {
    if number != 0 {
        tree.put(name, Json::int(number));
    }
}

fn resource(resource: &StoredResource) -> Json {
    let mut tree = Tree::default();
    tree.text("module", &resource.module);
    let mode = match resource.kind {
        ResourceKind::Managed => "managed",
        ResourceKind::Data => "data",
    };
    tree.text("mode", mode);
    tree.text("type", &resource.type_name);
    tree.text("name", &resource.name);
    if let Some(provider) = &resource.provider {
        tree.put("provider", Json::string(provider));
    }
    tree.list("objects", resource.objects.iter().map(object));
    tree.done()
}

fn object(object: &StoredObject) -> Json {
    let mut tree = Tree::default();
    match &object.key {
        InstanceKey::None => {}
        InstanceKey::Int(index) => tree.put("key", Json::int(*index)),
        InstanceKey::Text(key) => tree.put("key", Json::string(key)),
    }
    tree.text("deposed", object.deposed.as_ref().map_or("", |key| key.as_str()));
    if let Some(provider) = &object.provider {
        tree.put("provider", Json::string(provider));
    }
    tree.flag("tainted", object.status == Status::Tainted);
    whole(&mut tree, "schema_version", object.schema_version);
    match &object.attributes {
        Attributes::Json(Json::Object(members)) if members.is_empty() => {}
        Attributes::Json(attributes) => tree.put("attributes", attributes.clone()),
        Attributes::Flat(members) => tree.put("attributes_flat", Json::Object(members.clone())),
    }
    tree.list("sensitive", object.sensitive.iter().map(path));
    if let Some(identity) = &object.identity {
        tree.put("identity", identity.attributes.clone());
        whole(&mut tree, "identity_schema_version", identity.schema_version);
    }
    tree.bytes("private", object.private.as_bytes());
    tree.texts("dependencies", &object.dependencies);
    tree.texts("depends_on", &object.depends_on);
    tree.flag("create_before_destroy", object.create_before_destroy);
    tree.flag("skip_destroy", object.skip_destroy);
    tree.done()
}
