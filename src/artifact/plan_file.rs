//! Plan files as artifacts.

use planfuzz_core::dialect::Engine;
use planfuzz_core::plans::file::{
    self, CheckResult, ContentProblem, EngineFields, FileChange, Importing, PlanFile, PlanFileError, Values,
};
use planfuzz_core::plans::json::{PathItem, PathItems};
use planfuzz_core::value::{WrittenPath, WrittenStep};

use super::encoded::Encoded;
use super::error::ArtifactError;
use super::object::ObjectId;
use super::plan::{CheckStatus, Checked, Import, ObjectChange, OutputChange, Plan};
use super::producer::{Producer, engine_of};
use super::{Artifact, Content, Flaw, Kind, state_file};

/// Reads a plan file. The engines use some numbers for different things and a file does not record its engine: without
/// `engine`, it is read as Terraform's, then as OpenTofu's if it has signs of that or does not fit.
pub(super) fn read(bytes: &[u8], engine: Option<Engine>) -> Result<Artifact, ArtifactError> {
    if let Some(engine) = engine {
        return Ok(artifact(PlanFile::read(bytes, engine)?, engine));
    }
    match PlanFile::read(bytes, Engine::Terraform) {
        Ok(plan) if is_opentofu(&plan) => match PlanFile::read(bytes, Engine::OpenTofu) {
            Ok(plan) => Ok(artifact(plan, Engine::OpenTofu)),
            Err(_) => Ok(artifact(plan, Engine::Terraform)),
        },
        Ok(plan) => Ok(artifact(plan, Engine::Terraform)),
        Err(error) if is_of_engine(&error) => match PlanFile::read(bytes, Engine::OpenTofu) {
            Ok(plan) => Ok(artifact(plan, Engine::OpenTofu)),
            Err(_) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// Whether the file may be one of the other engine.
fn is_of_engine(error: &PlanFileError) -> bool {
    let PlanFileError::Content { problem, .. } = error else { return false };
    matches!(problem, ContentProblem::OtherEngine(_) | ContentProblem::Code { .. } | ContentProblem::Part { .. })
}

/// Decides by the flags that only Terraform writes, the locks, which name the tool that maintains them, and registries.
fn is_opentofu(plan: &PlanFile) -> bool {
    let locks = String::from_utf8_lossy(plan.locks.as_deref().unwrap_or_default());
    if let EngineFields::Terraform { applyable, complete, .. } = &plan.plan.of_engine
        && (*applyable || *complete)
    {
        return false;
    }
    if locks.contains("\"tofu init\"") || plan.schemas.is_some() {
        return true;
    }
    let providers = plan.plan.changes.iter().map(|change| change.provider.as_str());
    !locks.contains("\"terraform init\"") && engine_of(providers) == Some(Engine::OpenTofu)
}

fn artifact(file: PlanFile, engine: Engine) -> Artifact {
    let mut flaws: Vec<Flaw> = Vec::new();
    let producer = Producer::new(engine, &file.plan.terraform_version);
    let document = file.plan;
    let (applyable, complete, deferred, excludes) = match document.of_engine {
        EngineFields::Terraform { applyable, complete, deferred, .. } => {
            // The two flags came with 1.8 and 1.9: they read as false in files of older versions.
            let has_flags = producer.release.is_some_and(|release| release >= super::Release::new(1, 9));
            let deferred = deferred.into_iter().map(|(_, change)| change).collect();
            (has_flags.then_some(applyable), has_flags.then_some(complete), deferred, Vec::new())
        }
        EngineFields::OpenTofu { excludes, .. } => (None, None, Vec::new(), excludes),
    };
    let changes = |list: &'static str, changes: Vec<FileChange>| {
        let changes = changes.into_iter().enumerate();
        changes.map(|(index, change)| self::change(change, format!("{list}[{index}]"), engine)).collect()
    };
    let plan = Plan {
        changes: changes("resource_changes", document.changes),
        drift: changes("resource_drift", document.drift),
        deferred: changes("deferred_changes", deferred),
        outputs: document.outputs.into_iter().enumerate().map(|(index, it)| output(it, index)).collect(),
        prior: Some(state_file::state(&file.state, "tfstate: ", &mut flaws)),
        previous: Some(state_file::state(&file.previous, "tfstate-prev: ", &mut flaws)),
        planned: None,
        configuration: None,
        mode: Some(document.mode),
        errored: Some(document.errored),
        complete,
        applyable,
        targeted: Some(!document.targets.is_empty() || !excludes.is_empty()),
        timestamp: Some(document.timestamp),
        checks: document.checks.into_iter().map(checked).collect(),
        is_redacted: false,
    };
    Artifact { kind: Kind::PlanFile, producer, content: Content::Plan(Box::new(plan)), schemas: None, flaws }
}

fn change(change: FileChange, place: String, engine: Engine) -> ObjectChange {
    let deposed = change.deposed.map(|key| key.as_str().to_owned());
    let (before, after) = sides(&change.values);
    ObjectChange {
        id: ObjectId::parse(engine, &change.addr, deposed, Some(change.provider)),
        place,
        previous: change.prev_run_addr,
        action: change.values.action,
        reason: Some(change.reason),
        before,
        after,
        replace: change.required_replace.iter().map(items).collect(),
        importing: change.values.importing.map(|importing| match importing {
            Importing::Id(id) => Import::Id(id),
            Importing::Unknown => Import::Unknown,
            Importing::Identity { .. } => Import::Identity,
        }),
        private: Some(change.private),
    }
}

/// A path as `show -json` writes it (JS24). Elements of sets have no paths (PF40).
fn items(path: &WrittenPath) -> PathItems {
    let item = |step: &WrittenStep| match step {
        WrittenStep::Attribute(name) | WrittenStep::Key(name) => PathItem::Name(name.to_string()),
        WrittenStep::Index(index) => PathItem::Index(*index),
        WrittenStep::Element => PathItem::Name(String::new()),
    };
    path.steps().iter().map(item).collect()
}

fn sides(values: &Values) -> (Encoded, Encoded) {
    let side = |bytes: &Option<Vec<u8>>, sensitive: &Vec<_>| match bytes {
        None => Encoded::Absent,
        Some(bytes) => Encoded::Packed { bytes: bytes.clone(), sensitive: sensitive.clone() },
    };
    (side(&values.before, &values.before_sensitive), side(&values.after, &values.after_sensitive))
}

fn output(output: file::OutputChange, index: usize) -> OutputChange {
    let (before, after) = sides(&output.values);
    OutputChange {
        name: output.name,
        place: format!("output_changes[{index}]"),
        action: output.values.action,
        before,
        after,
        sensitive: Some(output.sensitive),
    }
}

fn checked(result: CheckResult) -> Checked {
    let objects = result.objects.into_iter();
    Checked {
        address: result.address,
        status: status(result.status),
        objects: objects.map(|object| (object.address, status(object.status), object.failures.len())).collect(),
    }
}

fn status(status: file::CheckStatus) -> CheckStatus {
    match status {
        file::CheckStatus::Pass => CheckStatus::Pass,
        file::CheckStatus::Fail => CheckStatus::Fail,
        file::CheckStatus::Error => CheckStatus::Error,
        file::CheckStatus::Unknown => CheckStatus::Unknown,
    }
}
