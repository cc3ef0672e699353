//! What an engine reads from a configuration written for a walk: exactly the values of the walk.
//!
//! Without a Terraform binary on the path these tests are skipped, with a message.

#[path = "common/engine.rs"]
mod engine;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use planfuzz::case::{Call, Case, Task};
use planfuzz::generate::{Cases, Generator, Scenarios, Settings};
use planfuzz::scenario::{ScenarioProviders, play};
use planfuzz_core::address::ResourceKind;
use planfuzz_core::dialect::Dialect;
use planfuzz_core::msgpack;
use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, Configured, Exchange, ImportAnswer, ImportState, Lifecycle, PlanAnswer,
    PlanChange, PlanOptions, PlanRequest, Planner as _, Presence, Provider, RawState, ReadAnswer, ReadData,
    ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer, ValidateConfig,
};
use planfuzz_core::plans::{Marked, Mode};
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{InstanceState, Private};
use planfuzz_core::value::{Node, PathSet, Tri, Type, Value};
use planfuzz_engine::server::{AnswerError, Entry, Failure, Log, Served, ServedTypes, Server};
use planfuzz_engine::workdir::{ConfigurationFiles, Names, assemble, plan_files};
use planfuzz_engine::{Protocol, ProviderAddress, servable};
use planfuzz_reference::Reference;

const DIALECT: Dialect = Dialect::TERRAFORM_1_11;
const PROVIDER_ADDRESS: ProviderAddress = ProviderAddress { protocol: Protocol::Six, plan_destroy: false };

/// A provider that plans nothing: only its requests matter, and an engine that went on might crash.
struct Echo;

impl Provider for Echo {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        match request.state {
            RawState::Value(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
            RawState::Json(_) => UpgradeAnswer { upgraded: Value::null(Type::Dynamic), remarks: Vec::new() },
        }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let ReadResource { current, private } = request;
        ReadAnswer { new_state: current, private, deferred: false, remarks: Vec::new() }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        PlanAnswer {
            planned: request.proposed,
            requires_replace: Vec::new(),
            private: Private::NONE,
            legacy_type_system: false,
            deferred: false,
            remarks: vec![Remark { severity: Severity::Error, summary: "enough".into() }],
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        let new_state = Some(request.planned);
        ApplyAnswer { new_state, private: request.private, legacy_type_system: false, remarks: Vec::new() }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: Vec::new(), remarks: Vec::new() }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        ReadDataAnswer { state: request.config, remarks: Vec::new() }
    }
}

/// A walk to be written.
struct Asked {
    schema: Arc<Schema>,
    request: PlanRequest,
}

/// The results of many walks.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    left_out: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// Writes walks into one directory, plans them, and compares the configurations that the provider is asked to validate.
fn check(terraform: &Path, all: &[Asked], tally: &mut Tally) {
    let mut all_configuration_files: Vec<ConfigurationFiles> = Vec::new();
    let mut asked = Vec::new();
    for walk in all {
        let names = Names { provider_address: PROVIDER_ADDRESS, job: all_configuration_files.len(), dialect: DIALECT };
        let configuration_files = servable(&walk.schema, PROVIDER_ADDRESS.protocol, DIALECT)
            .and_then(|()| plan_files(names, &walk.schema, &walk.request));
        match configuration_files {
            Ok(configuration_files) if configuration_files.alone => {
                *tally.left_out.entry("(to be asked alone)".to_owned()).or_default() += 1
            }
            Ok(configuration_files) => {
                all_configuration_files.push(configuration_files);
                asked.push(walk);
            }
            Err(reason) => *tally.left_out.entry(reason.to_string()).or_default() += 1,
        }
    }
    // A configuration that the static validation refuses stops the run: it is recorded as wrong, and the others are asked
    // again.
    loop {
        if all_configuration_files.is_empty() {
            return;
        }
        let (logs, errors) = run(terraform, &all_configuration_files, &asked);
        let refused = refused(&errors, &all_configuration_files);
        if refused.is_empty() {
            // Some crashes of Core cannot be predicted from a configuration: walks that were not asked because of one are
            // counted.
            let has_crashed = errors.contains("panic:");
            for ((log, walk), configuration_files) in logs.iter().zip(&asked).zip(&all_configuration_files) {
                match judge(log, walk) {
                    None => tally.right += 1,
                    Some(Wrong::NotAsked) if has_crashed => {
                        *tally.left_out.entry("(beside a crash)".to_owned()).or_default() += 1;
                    }
                    Some(Wrong::NotAsked) => {
                        tally.wrong.push(format!("{}: not asked: {errors}", configuration_files.address))
                    }
                    Some(Wrong::Other(wrong)) => tally.wrong.push(format!("{}: {wrong}", configuration_files.address)),
                }
            }
            return;
        }
        for (index, problem) in refused.into_iter().rev() {
            tally.wrong.push(format!("{}: {problem}", all_configuration_files[index].address));
            all_configuration_files.remove(index);
            asked.remove(index);
        }
    }
}

/// The walks whose configuration is refused, by index, with the error.
fn refused(errors: &str, all_configuration_files: &[ConfigurationFiles]) -> BTreeMap<usize, String> {
    const BEFORE_PLANNING: [&str; 3] = ["resource.", "data.", "check."];
    let mut refused = BTreeMap::new();
    for part in errors.split("Error: ").skip(1) {
        let Some(place) = part.lines().find_map(|line| line.trim().strip_prefix("on ")?.split_once(", in ")) else {
            continue;
        };
        let is_of = |configuration_files: &ConfigurationFiles| {
            let name = configuration_files.names.type_name();
            let after = |rest: &str| rest.starts_with(['.', '_']);
            BEFORE_PLANNING
                .iter()
                .any(|kind| place.1.strip_prefix(kind).and_then(|rest| rest.strip_prefix(&name)).is_some_and(after))
        };
        let is_planned = ["Resource pre", "Resource post", "enough", "Plugin", "no change"]
            .iter()
            .any(|start| part.starts_with(start));
        if let (Some(index), false) = (all_configuration_files.iter().position(is_of), is_planned) {
            let lines =
                part.lines().filter(|line| !line.contains(".tf.json line") && !line.trim_start().starts_with("1: "));
            refused.insert(index, format!("{} at {}", lines.collect::<Vec<_>>().join(" "), place.1));
        }
    }
    refused
}

fn run(terraform: &Path, all_configuration_files: &[ConfigurationFiles], asked: &[&Asked]) -> (Vec<Log>, String) {
    let place = tempfile::tempdir().expect("a directory");
    for file in assemble(all_configuration_files.iter()) {
        let path = place.path().join(file.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, file.content.to_compact()).expect("a file");
    }
    std::fs::write(place.path().join("cli.tfrc"), "").expect("a file");
    let server = Server::start(place.path()).expect("a server");
    let served = all_configuration_files.iter().zip(asked).map(|(configuration_files, walk)| Served {
        type_name: configuration_files.names.type_name(),
        provider_address: PROVIDER_ADDRESS,
        kind: walk.request.kind,
        schema: walk.schema.clone(),
        provider: Arc::new(Mutex::new(Echo)),
        state: InstanceState::ABSENT,
        helpers: configuration_files.helpers.clone(),
        validates_block: false,
    });
    server.serve(ServedTypes { dialect: DIALECT, served: served.collect() }).expect("schemas that can be served");
    let output = Command::new(terraform)
        .args(["plan", "-input=false", "-no-color", "-refresh=false", "-out=plan.bin"])
        .current_dir(place.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_IN_AUTOMATION", "1")
        .env("TF_CLI_CONFIG_FILE", place.path().join("cli.tfrc"))
        .env("TF_REATTACH_PROVIDERS", server.reattach())
        .output()
        .expect("a run");
    let finished = server.finish();
    assert!(finished.strays.is_empty(), "{:?}", finished.strays);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(kept) = std::env::var_os("PLANFUZZ_KEEP") {
        std::fs::copy(place.path().join("main.tf.json"), Path::new(&kept).join("main.tf.json")).expect("a copy");
        std::fs::write(Path::new(&kept).join("errors.txt"), &errors).expect("a copy");
    }
    (finished.logs, errors)
}

/// What is wrong with a walk.
enum Wrong {
    /// The run ended before it.
    NotAsked,
    /// Another problem.
    Other(String),
}

/// A value as a message carries it: prefixes of strings are cut (V71).
fn as_sent(value: &Value, ty: &Type) -> Value {
    let bytes = msgpack::encode(value.view(), ty).expect("a value of the type");
    msgpack::decode(&bytes, ty).expect("what was encoded")
}

/// What is wrong with the requests, if anything is.
fn judge(log: &Log, walk: &Asked) -> Option<Wrong> {
    let Presence::Configured(configured) = &walk.request.presence else { return None };
    let unsendable = |failure: &&Failure| matches!(failure.error, AnswerError::Unsendable(_));
    if let Some(failure) = log.failures().find(|failure| !unsendable(failure)) {
        return Some(Wrong::Other(failure.to_string()));
    }
    let ty = walk.schema.implied_type(DIALECT);
    let mut validated = log.entries.iter().filter_map(|entry| match entry {
        Entry::Asked(Exchange::Validate(request, _)) => Some(&request.config),
        _ => None,
    });
    let planned = &as_sent(configured.config.value(), &ty);
    let early = &as_sent(&configured.at_static_validation(), &ty);
    let text = |value: &Value| value.to_json(&ty).to_compact();
    match validated.next() {
        None => return Some(Wrong::NotAsked),
        Some(config) if config != early => {
            return Some(Wrong::Other(format!("validated early\n  {}\nfor\n  {}", text(config), text(early))));
        }
        Some(_) => {}
    }
    let has_no_trigger = configured.lifecycle.replace_triggered_by.iter().any(|trigger| trigger.changes.is_empty());
    let is_stopped = configured.preconditions.contains(&Tri::False) || has_no_trigger;
    // A data resource that is read later is not validated again (L141, L144).
    let is_late =
        walk.request.kind == ResourceKind::Data && (!planned.is_wholly_known() || !configured.dependencies.is_empty());
    match validated.next() {
        None if is_stopped || is_late => None,
        None => Some(Wrong::NotAsked),
        Some(config) if config != planned => {
            Some(Wrong::Other(format!("read\n  {}\nfor\n  {}", text(config), text(planned))))
        }
        Some(_) => None,
    }
}

fn report(tally: &Tally) {
    println!("right: {}", tally.right);
    for (reason, count) in &tally.left_out {
        println!("left out {count}: {reason}");
    }
    println!("wrong: {}", tally.wrong.len());
    assert!(tally.wrong.is_empty(), "{}", tally.wrong[..tally.wrong.len().min(40)].join("\n"));
}

fn count(fallback: u64) -> u64 {
    std::env::var("PLANFUZZ_WRITTEN").ok().and_then(|text| text.parse().ok()).unwrap_or(fallback)
}

/// A configuration with nothing around it.
fn plain(schema: Arc<Schema>, config: Value, at_validation: Option<Value>) -> Asked {
    let configured = Configured {
        config: Marked::plain(config),
        ephemeral: PathSet::EMPTY,
        at_validation,
        lifecycle: Lifecycle::default(),
        preconditions: Vec::new(),
        postconditions: Vec::new(),
        provisioners: Vec::new(),
        dependencies: Vec::new(),
        in_check: false,
    };
    let request = PlanRequest {
        kind: ResourceKind::Managed,
        mode: Mode::Normal,
        options: PlanOptions::default(),
        state: InstanceState::ABSENT,
        presence: Presence::Configured(Box::new(configured)),
    };
    Asked { schema, request }
}

#[test]
fn configurations_of_any_schema_are_read_as_written() {
    let Some(terraform) = engine::terraform() else { return };
    let mut tally = Tally::default();
    for (preset, seed) in [(Settings::SMALL, 3), (Settings::MEDIUM, 4), (Settings::HOSTILE, 5)] {
        let mut cases = Cases::new(Generator::new(preset).in_dialects(&[DIALECT]), seed);
        let mut batch = Vec::new();
        for number in 0..count(200) {
            let Case { task: Task::Merge(merge), .. } = cases.case(number) else { continue };
            if merge.config.is_null() {
                continue;
            }
            // A configuration with unknowns has references, which are all unknown in the static validation.
            let early = (!merge.config.is_wholly_known())
                .then(|| Value::from_parts(merge.config.ty().clone(), without_records(&merge.config, number)));
            batch.push(plain(merge.schema, merge.config, early));
        }
        batch.chunks(20).for_each(|batch| check(&terraform, batch, &mut tally));
    }
    report(&tally);
}

/// The same value; with plain unknowns if the number is odd.
fn without_records(value: &Value, number: u64) -> Node {
    if number.is_multiple_of(2) { value.node().clone() } else { plain_node(value.view()) }
}

fn plain_node(value: planfuzz_core::value::ValueRef<'_>) -> Node {
    if value.is_unknown() {
        return Node::UNKNOWN;
    }
    if !value.node().contents().has_record() {
        return value.node().clone();
    }
    let parts: Vec<(planfuzz_core::value::Text, Value)> = value
        .entries()
        .map(|(name, part)| (name.clone(), Value::from_parts(part.ty().clone(), plain_node(part))))
        .collect();
    let parts_of =
        || value.children().map(|(_, part)| Value::from_parts(part.ty().clone(), plain_node(part))).collect::<Vec<_>>();
    let made = match value.ty() {
        Type::Object(_) => Ok(Value::object(parts)),
        Type::Map(element) => Value::map(element, parts),
        Type::List(element) => Value::list(element, parts_of()),
        Type::Set(element) => Value::set(element, parts_of()),
        _ => Ok(Value::tuple(parts_of())),
    };
    made.expect("elements of one type").node().clone()
}

#[test]
fn walks_of_traces_are_read_as_written() {
    let Some(terraform) = engine::terraform() else { return };
    let mut tally = Tally::default();
    let mut scenarios = Scenarios::new(Generator::new(Settings::SMALL).in_dialects(&[DIALECT]), 11);
    let mut batch = Vec::new();
    let mut providers = ScenarioProviders::default();
    for number in 0..count(150) {
        let Case { task: Task::Call(Call::Scenario(scenario)), .. } = scenarios.case(number) else { continue };
        let Ok(mut remote) = providers.provider_of(&scenario) else { continue };
        let planner = Reference.prepare(&scenario.schema, DIALECT);
        for step in play(&scenario, &mut &*planner, &mut remote).steps {
            let mut request = step.plan.request;
            if request.mode != Mode::Normal {
                continue;
            }
            // The test is about configurations: nothing is stored.
            request.options.moved_from = None;
            request.options.replace = false;
            request.options.import = None;
            request.state = InstanceState::ABSENT;
            batch.push(Asked { schema: scenario.schema.clone(), request });
        }
    }
    batch.chunks(20).for_each(|batch| check(&terraform, batch, &mut tally));
    report(&tally);
}
