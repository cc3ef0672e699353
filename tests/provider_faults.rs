//! The catalogue of faults, each in its minimal scenario: it breaks exactly the invariants that the catalogue names, the
//! reference planner reports it as the table of invariants requires, and no control breaks any.
//!
//! The snapshot has all of it for a reader. `INSTA_UPDATE=always cargo test --test provider_faults` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use planfuzz::scenario::{Scenario, ScenarioProviders, Trace, play};
use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, ObjectReader};
use planfuzz_core::planner::{Diagnostic, Planner as _};
use planfuzz_pipelines::faults::FaultInfo;
use planfuzz_pipelines::model::FaultName;
use planfuzz_reference::Reference;
use planfuzz_rules::{BrokenInvariant, Claims, Lifecycle};

const DIALECT: Dialect = Dialect::TERRAFORM_1_11;

/// The style of a provider.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Framework,
    Sdk,
}

/// `a`, `a2` optional, `c` computed and kept, `oc` both, `w` write-only, `l` a list, `d` dynamic, `b` list blocks.
const FRAMEWORK: &str = r#""schema":{"block":{"attributes":{
    "a":{"type":"string","optional":true},"a2":{"type":"string","optional":true},
    "c":{"type":"string","computed":true},"d":{"type":"dynamic","optional":true},"id":{"type":"string","computed":true},
    "l":{"type":["list","string"],"optional":true},"oc":{"type":"string","optional":true,"computed":true},
    "w":{"type":"string","optional":true,"write_only":true}},
    "block_types":{"b":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true}}}}}}},
    "model":{"style":"framework","rules":{"c":{"plan":["use_state_for_unknown"]},"id":{"plan":["use_state_for_unknown"]},
        "oc":{"plan":["use_state_for_unknown"]}REPLACE}FAULTS}"#;

/// The same without dynamic; the SDK keeps computed values by itself.
const SDK: &str = r#""sdk_schema":{
    "a":{"type":"string","optional":trueREPLACE},"a2":{"type":"string","optional":trueREPLACE},"c":{"type":"string","computed":true},
    "l":{"type":"list","elem":{"type":"string"},"optional":true},"oc":{"type":"string","optional":true,"computed":true},
    "w":{"type":"string","optional":true,"write_only":true},
    "b":{"type":"list","optional":true,"elem":{"resource":{"x":{"type":"string","optional":true}}}}},
    "model":{"style":"sdk"FAULTS}"#;

/// A schema without attributes that a replacement would make unknown.
const FRAMEWORK_BARE: &str = r#""schema":{"block":{"attributes":{
    "a":{"type":"string","optional":true},"a2":{"type":"string","optional":true}}}},"model":{"style":"framework"FAULTS}"#;

const SDK_BARE: &str = r#""sdk_schema":{"a":{"type":"string","optional":true},"a2":{"type":"string","optional":true}},
    "model":{"style":"sdk"FAULTS}"#;

/// A minimal scenario.
struct Minimal {
    steps: Vec<Json>,
    remote: Vec<Json>,
    /// Whether the schema has nothing computed.
    bare: bool,
    /// Whether a change of `a` or `a2` asks for replacement.
    replaces: bool,
}

/// A configuration: these members, null for the others, no blocks.
fn config(members: &str, style: Style, bare: bool) -> Json {
    let given = Json::parse(&format!("{{{members}}}")).expect("members of an object");
    let names: &[&str] = match (style, bare) {
        (Style::Framework, false) => &["a", "a2", "b", "c", "d", "id", "l", "oc", "w"],
        (Style::Sdk, false) => &["a", "a2", "b", "c", "id", "l", "oc", "w"],
        (Style::Framework, true) => &["a", "a2"],
        (Style::Sdk, true) => &["a", "a2", "id"],
    };
    let absent = |name: &str| if name == "b" { Json::Array(Vec::new()) } else { Json::Null };
    Json::object(names.iter().map(|name| (*name, given.member(name).cloned().unwrap_or_else(|| absent(name)))))
}

/// The minimal scenario of a fault: steps as `command members`, with the members that are known at the apply.
fn minimal(name: FaultName, style: Style) -> Option<Minimal> {
    let bare = matches!(name, FaultName::SecondReplaces);
    let replaces = matches!(name, FaultName::ReplaceUnsorted);
    let (a, a_upper, block) = (r#""a":"x""#, r#""a":"ABC""#, r#""b":[{"x":"1"}]"#);
    let (a_y, both, both_y) = (r#""a":"y""#, r#""a":"x","a2":"x""#, r#""a":"y","a2":"y""#);
    let unknown = r#""a":{"$unknown":true}"#;
    let other = r#""a":"y","a2":{"$unknown":true}"#;
    let steps: Vec<(&str, &str, Option<&str>)> = match name {
        FaultName::PlanGuessUnknown => vec![("apply", unknown, Some(a))],
        FaultName::PlanBlockAdd | FaultName::PlanBlockDrop | FaultName::ApplyBlockDrop | FaultName::ApplyBlockAdd => {
            vec![("apply", block, None)]
        }
        FaultName::PlanKeepOnDestroy | FaultName::ApplyKeepOnDelete => vec![("apply", a, None), ("destroy", a, None)],
        FaultName::PlanWriteOnly | FaultName::ApplyWriteOnly => vec![("apply", r#""w":"s""#, None)],
        FaultName::ReplaceBadPath
        | FaultName::SecondDiffers
        | FaultName::SecondUnknown
        | FaultName::SecondReplaces
        | FaultName::ReplaceUnchanged
        | FaultName::ApplyErrorNull => vec![("apply", a, None), ("apply", a_y, None)],
        FaultName::ReplaceUnsorted => vec![("apply", both, None), ("apply", both_y, None)],
        FaultName::SecondUpdates => vec![("apply", both, None), ("apply", other, Some(both_y))],
        FaultName::SecondPrior => vec![("apply", a, None), ("apply", unknown, Some(a))],
        FaultName::PerpetualUnknown
        | FaultName::PerpetualValue
        | FaultName::ReplaceAlways
        | FaultName::ReadForgets
        | FaultName::UpgradeUnknown
        | FaultName::UpgradeWrongType
        | FaultName::ApplyNullForUnknown => vec![("apply", a, None), ("plan", a, None)],
        FaultName::PlanNondeterministic | FaultName::ReadUnstable => {
            vec![("apply", a, None), ("plan", a, None), ("plan", a, None)]
        }
        FaultName::ValidateUnknown => vec![("plan", unknown, None), ("plan", a, None)],
        FaultName::ValidateDefaultMissing => vec![("plan", a, None)],
        FaultName::ApplyReorder => vec![("apply", r#""l":["1","2"]"#, None)],
        FaultName::ApplyNormalise => vec![("apply", a_upper, None)],
        FaultName::ReadNormalise => vec![("apply", a_upper, None), ("plan", a_upper, None)],
        FaultName::ApplyDynamicType if style == Style::Sdk => return None,
        FaultName::ApplyDynamicType => vec![("apply", r#""d":{"type":"number","value":1}"#, None)],
        FaultName::ApplyErrorLies | FaultName::ApplySilentPartial => {
            vec![("apply", a, None), ("apply", a_y, None), ("plan", a_y, None)]
        }
        FaultName::ReadUnknown
        | FaultName::ReadWrongType
        | FaultName::ReadWriteOnly
        | FaultName::ReadDefers
        | FaultName::ReadNullBlocks => {
            vec![("apply", a, None), ("refresh", a, None)]
        }
        FaultName::ImportNone | FaultName::ImportMany | FaultName::ImportNull => vec![("import", a, None)],
        FaultName::ApplyErrorPartial => vec![("apply", a, None), ("apply", a, None)],
        FaultName::PrivateLost => vec![("apply", a, None), ("apply", a_y, None), ("destroy", a_y, None)],
        _ => vec![("apply", a, None)],
    };
    let presence = |members: &str| Json::object([("config", config(members, style, bare))]);
    let step = |(command, members, then): (&str, &str, Option<&str>)| {
        let command = match command {
            "import" => Json::object([("import", Json::string("i"))]),
            command => Json::string(command),
        };
        let known = then.map(|members| ("at_apply", presence(members)));
        Json::object([("command", command), ("presence", presence(members))].into_iter().chain(known))
    };
    let is_import = matches!(steps[..], [("import", ..)]);
    let remote = is_import.then(|| config(r#""id":"i","a":"x","c":"c","oc":"oc""#, style, bare));
    Some(Minimal { steps: steps.into_iter().map(step).collect(), remote: remote.into_iter().collect(), bare, replaces })
}

fn scenario(minimal: &Minimal, style: Style, faults: &str) -> Scenario {
    let provider = match (style, minimal.bare) {
        (Style::Framework, false) => FRAMEWORK,
        (Style::Framework, true) => FRAMEWORK_BARE,
        (Style::Sdk, false) => SDK,
        (Style::Sdk, true) => SDK_BARE,
    };
    let replaces = match (minimal.replaces, style) {
        (false, _) => "",
        (true, Style::Framework) => r#","a":{"plan":["requires_replace"]},"a2":{"plan":["requires_replace"]}"#,
        (true, Style::Sdk) => r#","force_new":true"#,
    };
    let provider = provider.replace("REPLACE", replaces).replace("FAULTS", faults);
    let list = |items: &[Json]| Json::Array(items.to_vec()).to_compact();
    let text = format!(r#"{{{provider},"remote":{},"steps":{}}}"#, list(&minimal.remote), list(&minimal.steps));
    let json = Json::parse(&text).unwrap_or_else(|problem| panic!("{problem}: {text}"));
    let mut reader = ObjectReader::new(&json, "a scenario").expect("an object");
    let scenario = Scenario::read(&mut reader, DIALECT).unwrap_or_else(|problem| panic!("{problem}: {text}"));
    reader.finish().expect("nothing else");
    scenario
}

/// The result of a scenario.
struct Outcome {
    trace: Trace,
    broken: Vec<BrokenInvariant>,
}

fn outcome(scenario: &Scenario) -> Outcome {
    let mut provider = ScenarioProviders::default().provider_of(scenario).expect("a model that can be played");
    let planner = Reference.prepare(&scenario.schema, DIALECT);
    let trace = play(scenario, &mut &*planner, &mut provider);
    assert!(trace.is_whole(), "{:?}", trace.stopped.map(|stopped| stopped.halt));
    let claims = Claims { idempotent: true, deterministic: true };
    let broken = Lifecycle::new(&scenario.schema, DIALECT).check(&trace.steps, claims).broken;
    Outcome { trace, broken }
}

impl Outcome {
    fn invariants(&self) -> BTreeSet<&'static str> {
        self.broken.iter().map(|broken| broken.invariant).collect()
    }

    fn summaries(&self) -> BTreeSet<String> {
        let walks = self.trace.steps.iter().flat_map(|step| {
            let applied = step.apply.iter().flat_map(|apply| &apply.applied.diagnostics);
            step.plan.plan.diagnostics.iter().chain(applied)
        });
        walks.filter(|diagnostic| diagnostic.is_error()).map(|Diagnostic { summary, .. }| summary.to_string()).collect()
    }

    /// Each broken invariant with its fate, then the errors.
    fn line(&self) -> String {
        let mut fates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for broken in &self.broken {
            let fate = match broken {
                broken if broken.is_of_planner() => "CORE",
                BrokenInvariant { tolerated: true, .. } => "tolerated",
                BrokenInvariant { is_reported: true, .. } => "reported",
                _ => "seen",
            };
            fates.entry(broken.invariant).or_default().insert(fate);
        }
        let fates = fates.into_iter().map(|(id, fates)| format!("{id} {}", Vec::from_iter(fates).join("+")));
        let fates = Vec::from_iter(fates).join(", ");
        let errors = Vec::from_iter(self.summaries()).join("; ");
        match (fates.is_empty(), errors.is_empty()) {
            (true, true) => "nothing".to_owned(),
            (false, true) => fates,
            (true, false) => format!("nothing ({errors})"),
            (false, false) => format!("{fates} ({errors})"),
        }
    }
}

fn fault(name: FaultName) -> String {
    format!(r#","faults":[{{"fault":"{}"}}]"#, name.name())
}

#[test]
fn without_faults_the_scenarios_break_nothing() {
    for info in FaultInfo::ALL {
        for style in [Style::Framework, Style::Sdk] {
            let Some(minimal) = minimal(info.name, style) else { continue };
            let outcome = outcome(&scenario(&minimal, style, ""));
            assert_eq!(outcome.line(), "nothing", "{} {:#?}", info.id, outcome.broken);
        }
    }
}

#[test]
fn each_fault_breaks_the_invariants_of_the_catalogue() {
    let mut wrong = String::new();
    let mut table = String::new();
    for info in FaultInfo::ALL {
        let played =
            |style| minimal(info.name, style).map(|minimal| outcome(&scenario(&minimal, style, &fault(info.name))));
        let framework = played(Style::Framework).expect("a scenario");
        let sdk = played(Style::Sdk);
        let legacy = sdk.as_ref().map_or("not possible".to_owned(), Outcome::line);
        let name = info.name.name();
        let _ = writeln!(table, "{:5}{name}: {}\n     {}", info.id, info.does, info.scenario);
        let _ = writeln!(table, "     framework: {}\n     sdk: {legacy}", framework.line());
        if framework.invariants() != BTreeSet::from_iter(info.breaks.iter().copied()) {
            let _ = writeln!(wrong, "{} {name}: {:?}, found {}", info.id, info.breaks, framework.line());
        }
        for (style, outcome) in [("framework", Some(&framework)), ("sdk", sdk.as_ref())] {
            for broken in outcome.iter().flat_map(|outcome| &outcome.broken).filter(|broken| broken.is_of_planner()) {
                let _ = writeln!(wrong, "{} {name} {style}: {broken:?}", info.id);
            }
        }
        // For a legacy provider everything that the fault itself breaks is excused, though not always its consequences.
        let is_excused = |outcome: &Outcome| {
            let mut own = outcome.broken.iter().filter(|broken| info.breaks.contains(&broken.invariant)).peekable();
            own.peek().is_some() && own.all(|broken| broken.tolerated)
        };
        if is_excused(&framework) || info.tolerated != sdk.as_ref().map_or(info.tolerated, is_excused) {
            let _ = writeln!(wrong, "{} {name}: tolerated {}, found {legacy}", info.id, info.tolerated);
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/provider");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("What each fault of a provider breaks, and how the reference reports it");
    settings.bind(|| insta::assert_snapshot!("faults", table));
    assert!(wrong.is_empty(), "{wrong}");
}
