use proptest::prelude::*;

use super::super::tests::{plan, real_plans};
use super::*;
use crate::dialect::Engine;
use crate::json::Json;
use crate::plans::{Action, Changes, DeferredAddress, Importing, ResourceType, StateValues};
use crate::value::Type;

fn enclosed(file: &PlanFile) -> Enclosed {
    file.clone().into_enclosed()
}

/// The file with every unordered list sorted.
fn ordered(mut file: PlanFile) -> PlanFile {
    let document = &mut file.plan;
    let deferred = match &mut document.of_engine {
        EngineFields::Terraform { deferred, apply_time_variables, .. } => {
            apply_time_variables.sort();
            deferred.iter_mut().map(|(_, change)| change).collect()
        }
        EngineFields::OpenTofu { ephemeral_variables, .. } => {
            ephemeral_variables.sort();
            Vec::new()
        }
    };
    for change in document.changes.iter_mut().chain(&mut document.drift).chain(deferred) {
        change.values.before_sensitive.sort();
        change.values.after_sensitive.sort();
        change.required_replace.sort();
    }
    file
}

#[test]
fn a_file_becomes_a_plan_and_the_same_file_again() {
    for engine in [Engine::Terraform, Engine::OpenTofu] {
        let file = plan(engine);
        let plan = file.to_plan().expect("a plan");
        assert_eq!(plan.engine(), engine);
        assert_eq!(PlanFile::of_plan(&plan, enclosed(&file)).expect("a file"), ordered(file));
    }
}

/// The types of the provider that is built into the engine.
fn built_in(of: ResourceType<'_>) -> Option<Type> {
    let text = match of.name {
        "terraform_data" => r#"{"id":"string","input":"dynamic","output":"dynamic","triggers_replace":"dynamic"}"#,
        "terraform_remote_state" => {
            r#"{"backend":"string","config":"dynamic","defaults":"dynamic","outputs":"dynamic","workspace":"string"}"#
        }
        _ => return None,
    };
    Some(Type::parse(&format!(r#"["object",{text}]"#)).expect("a type"))
}

#[test]
fn real_files_become_plans_and_the_same_files_again() {
    for path in &real_plans() {
        let bytes = std::fs::read(path).expect("a file");
        let file = PlanFile::read(&bytes, Engine::Terraform).expect("a plan file");
        let plan = file.to_plan().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = ordered(file);
        let again = |plan: &Plan| PlanFile::of_plan(plan, enclosed(&file)).expect("a file");
        assert_eq!(again(&plan), file, "{}", path.display());
        let OfEngine::Terraform { applyable, .. } = &plan.of_engine else { panic!("of Terraform") };
        assert_eq!(plan.has_purpose(), *applyable, "PL64, {}", path.display());
        let changes = plan.changes.decode(built_in).expect("changes");
        // Byte for byte what the engine wrote (PL09).
        let changes = changes.encode(built_in).expect("encoded");
        assert_eq!(again(&Plan { changes, ..plan }), file, "{}", path.display());
    }
}

/// The addresses of the resources with values in `planned_values` of plan JSON (JS41).
fn planned_values(module: &Json, found: &mut Vec<String>) {
    let items = |name| module.member(name).map_or(&[][..], |list| list.expect_array().expect("a list"));
    for resource in items("resources").iter().filter(|resource| resource.member("values").is_some()) {
        let address = resource.member("address").expect("an address");
        found.push(address.expect_string().expect("a text").to_owned());
    }
    items("child_modules").iter().for_each(|child| planned_values(child, found));
}

#[test]
fn pl43_the_planned_state_has_what_an_engine_shows_as_planned() {
    for path in &real_plans() {
        let bytes = std::fs::read(path).expect("a file");
        let plan = PlanFile::read(&bytes, Engine::Terraform).expect("a file").to_plan().expect("a plan");
        let name = path.display();
        let text = std::fs::read_to_string(path.with_file_name("plan.json")).expect("plan JSON");
        let json = Json::parse(&text).expect("plan JSON");
        let root = json.member("planned_values").and_then(|values| values.member("root_module")).expect("a module");
        // Refresh-only and targeted plans have more objects than changes.
        let changes = json.member("resource_changes").map_or(&[][..], |list| list.expect_array().expect("a list"));
        let changed: Vec<&str> =
            changes.iter().filter_map(|change| change.member("address")?.expect_string().ok()).collect();
        let mut want = Vec::new();
        planned_values(root, &mut want);
        want.sort();

        let types = |of: ResourceType<'_>| built_in(of).map(|ty| (ty, 0));
        let mut prior = plan.prior_state.clone();
        // Only resources with a change are shown, so no data resources that were read before.
        prior.resources.retain(|resource| resource.type_name == "terraform_data");
        let prior = StateValues::of_snapshot(&prior, types).expect("values");
        let changes = plan.changes.decode(built_in).expect("changes");
        let planned = changes.planned_state(&prior);
        let mut found: Vec<_> = planned
            .instances
            .iter()
            .filter(|(_, instance)| instance.current.is_some())
            .map(|(addr, _)| addr.to_string())
            .filter(|addr| changed.contains(&addr.as_str()))
            .collect();
        found.sort();
        assert_eq!(found, want, "{name}");
    }
}

fn again_of(plan: &Plan) -> PlanFile {
    let none = Enclosed {
        terraform_version: String::new(),
        config: Vec::new(),
        manifest: Vec::new(),
        locks: None,
        schemas: None,
    };
    PlanFile::of_plan(plan, none).expect("a file")
}

#[track_caller]
fn check_refused(engine: Engine, edit: impl Fn(&mut PlanFile), want: &str) {
    let mut file = plan(engine);
    edit(&mut file);
    let error = file.to_plan().expect_err("refused").to_string();
    assert_eq!(error, format!("member \"tfplan\", {want}"));
}

#[test]
fn errors_have_a_problem_and_a_place() {
    use Engine::{OpenTofu, Terraform};
    check_refused(
        Terraform,
        |file| file.plan.changes[2].addr = "t".into(),
        "resource_changes[2]: expected a name at byte 1 of the address \"t\"",
    );
    check_refused(
        Terraform,
        |file| file.plan.drift[0].prev_run_addr = Some("t.n[*]".into()),
        "resource_drift[0]: expected a whole number or a string in quotes at byte 4 of the address \"t.n[*]\"",
    );
    check_refused(
        Terraform,
        |file| file.plan.changes[0].provider = "provider.null".into(),
        "resource_changes[0]: expected the source of a provider, with three parts at byte 8 of the address \"provider.null\"",
    );
    check_refused(
        Terraform,
        |file| file.plan.changes[0].values.before = Some(Vec::new()),
        "resource_changes[0]: expected a value, found no bytes",
    );
    check_refused(
        OpenTofu,
        |file| {
            file.plan.changes[1].values.importing =
                Some(super::super::Importing::Identity { id: "i".into(), identity: Vec::new() })
        },
        "resource_changes[1]: expected a value, found no bytes",
    );
    check_refused(
        Terraform,
        |file| file.plan.outputs[0].values.action = Action::Read,
        "output_changes[0]: output.o: expected no-op, create, update or delete without import, found Read",
    );
    check_refused(
        Terraform,
        |file| file.plan.variables = [("v".to_owned(), Vec::new())].into(),
        "variables[\"v\"]: expected a value, found no bytes",
    );
    check_refused(
        Terraform,
        |file| file.plan.force_replace = vec!["data.t.n".into()],
        "force_replace_addrs[0]: expected the address of a managed resource instance, found data.t.n",
    );
    check_refused(
        Terraform,
        |file| file.plan.relevant_attributes[0].resource = "module.a".into(),
        "relevant_attributes[0]: expected the address of a resource, found module.a",
    );
    check_refused(
        Terraform,
        |file| file.plan.timestamp = "yesterday".into(),
        "timestamp: expected a timestamp such as 2025-01-02T03:04:05Z, found \"yesterday\"",
    );
    check_refused(
        Terraform,
        |file| file.plan.backend.config.clear(),
        "backend: expected the configuration of the backend, found nothing",
    );
    check_refused(
        Terraform,
        |file| file.plan.backend.type_name.clear(),
        "backend: expected the type of the backend, found nothing",
    );
}

#[test]
fn pf30_values_that_a_file_does_not_have_are_errors() {
    for (action, want) in [
        (Action::NoOp, "expected the value before as the value after of NoOp, found another"),
        (Action::Create, "expected null as the value before of Create, found another"),
        (Action::Delete, "expected null as the value after of Delete, found another"),
        (Action::Forget, "expected null as the value after of Forget, found another"),
    ] {
        let mut plan = plan(Engine::Terraform).to_plan().expect("a plan");
        let (mut resources, _) = std::mem::take(&mut plan.changes).into_lists();
        let mut update = resources.swap_remove(3);
        assert_eq!(update.action(), Action::Update);
        update.planned.change.action = action;
        plan.changes.append_resource(update);
        let none = enclosed(&super::super::tests::plan(Engine::Terraform));
        let error = PlanFile::of_plan(&plan, none).expect_err("refused").to_string();
        assert_eq!(error, format!("member \"tfplan\", resource_changes[0]: {want}"));
    }
}

#[test]
fn deferred_changes_may_be_of_instances_whose_keys_are_not_known() {
    let mut file = plan(Engine::Terraform);
    let EngineFields::Terraform { deferred, .. } = &mut file.plan.of_engine else { panic!("of Terraform") };
    deferred[0].1.addr = "module.a[*].t.n[*]".into();
    let plan = file.to_plan().expect("a plan");
    let OfEngine::Terraform { deferred, .. } = &plan.of_engine else { panic!("of Terraform") };
    assert_eq!(deferred[0].change.addr, DeferredAddress::Pattern("module.a[*].t.n[*]".into()));
    assert_eq!(PlanFile::of_plan(&plan, enclosed(&file)).expect("a file"), file);
    check_refused(
        Engine::Terraform,
        |file| {
            let EngineFields::Terraform { deferred, .. } = &mut file.plan.of_engine else { panic!("of Terraform") };
            deferred[0].1.addr = "t[*]".into();
        },
        "deferred_changes[0]: expected a whole number or a string in quotes at byte 2 of the address \"t[*]\"",
    );
}

#[test]
fn pl05_imports_are_by_id_or_by_identity() {
    let imports = |engine| {
        let plan = plan(engine).to_plan().expect("a plan");
        let imports = plan.changes.resources().take(2).map(|change| change.planned.change.importing.clone());
        imports.collect::<Vec<_>>()
    };
    let id = Some(Importing::Id("i".into()));
    let identity = DynamicValue::from_msgpack(b"\x80").expect("bytes");
    assert_eq!(imports(Engine::Terraform), [id.clone(), Some(Importing::Unknown)]);
    assert_eq!(imports(Engine::OpenTofu), [id, Some(Importing::Identity { id: "".into(), identity })]);
}

#[test]
fn pl62_only_outputs_of_the_root_are_in_a_file() {
    let mut plan = plan(Engine::Terraform).to_plan().expect("a plan");
    let in_module = OutputAddress::parse("module.a.output.o").expect("an address");
    let output = plan.changes.root_output_values().next().expect("an output");
    let output = OutputChange::new(in_module, output.change().clone(), false).expect("an output's change");
    plan.changes.append_output(output);
    assert_eq!(again_of(&plan).plan.outputs.len(), 1);
    assert_ne!(plan.changes, Changes::new());
}

proptest! {
    #[test]
    fn a_changed_message_becomes_a_plan_that_stays_the_same(
        opentofu: bool,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in 0..3_usize,
    ) {
        let engine = if opentofu { Engine::OpenTofu } else { Engine::Terraform };
        let mut file = plan(engine);
        let mut bytes = file.plan.write().expect("a message");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.drain(at..(at + cut).min(bytes.len()));
        if let Ok(document) = PlanDocument::read(&bytes, engine) {
            file.plan = document;
            if let Ok(plan) = file.to_plan() {
                let again = PlanFile::of_plan(&plan, enclosed(&file)).expect("a file");
                prop_assert_eq!(again.to_plan().expect("a plan"), plan);
            }
        }
    }
}
