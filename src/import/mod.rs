//! Makes cases of users' files: plans and states with their schemas.
//!
//! An [artifact](crate::artifact) is read, its values are typed with the schemas that are known, and each object of it becomes
//! [material](Material): the object before and after, and a configuration, which is read where the file has one ([`config`]), and
//! otherwise derived from the object. Sensitive values are replaced by [placeholders](crate::placeholders), and each object becomes
//! cases. Objects without a case are counted by reason ([`Report`]).

mod cases;
pub mod config;
mod configuration;
mod derive;
mod material;
mod model;
mod paths;
mod report;
mod settle;

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use planfuzz_core::address::ResourceMode;
use planfuzz_core::dialect::{Dialect, Engine};
use planfuzz_core::plans::file::PlanFile;
use planfuzz_core::plans::json::PathItems;
use planfuzz_core::plans::{Action, ActionReason, Marked};
use planfuzz_core::schema::Schema;

use crate::artifact::{
    Artifact, Candidate, Catalogue, Content, Encoded, Import, Kind as ArtifactKind, ObjectChange, ObjectId,
    SchemaFinder, Untyped,
};
use crate::case::Case;
use crate::placeholders::{Notes, Placeholders};

pub use cases::{CaseBuilder, Kind, NoCase, derived_config};
pub use config::Unfit;
pub use configuration::{Configuration, Files};
pub use material::{Material, Origin, Past, Role};
pub use model::simplest as simplest_model;
pub use report::Report;
pub use settle::settled;

/// The options of an import.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only these resource types; all if empty.
    pub types: Vec<String>,
    /// Only objects whose address begins so; all if empty.
    pub addresses: Vec<String>,
    /// Only these kinds of cases; all if empty.
    pub kinds: Vec<Kind>,
    /// The dialect of the cases; `None`: that of the engine that wrote the file.
    pub dialect: Option<Dialect>,
    /// Whether sensitive values stay as they are.
    pub show_sensitive: bool,
}

/// Imports files, one after the other: cases that are equal are made once.
pub struct Importer<'a> {
    wanted: &'a Wanted,
    schemas: &'a Catalogue,
    /// The cases made so far, by length and hash: schemas are large.
    seen: BTreeSet<(usize, u64)>,
    report: Report,
}

impl<'a> Importer<'a> {
    /// An import with the given schemas.
    pub fn new(wanted: &'a Wanted, schemas: &'a Catalogue) -> Importer<'a> {
        Importer { wanted, schemas, seen: BTreeSet::new(), report: Report::default() }
    }

    /// The counts of cases and of what was left out.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The cases of a file. Their purposes contain the name; `bytes` are those that the artifact was read from, for the configuration of
    /// plan files.
    pub fn import(&mut self, name: &str, artifact: &Artifact, bytes: &[u8]) -> Vec<Case> {
        let dialect = self.wanted.dialect.unwrap_or_else(|| described(artifact.producer.dialect()));
        let files = (artifact.kind == ArtifactKind::PlanFile)
            .then(|| PlanFile::read(bytes, artifact.producer.engine).ok())
            .flatten()
            .map(|file| Files::read(&file.config));
        if let Some(unread) = files.as_ref().map(|files| files.unread).filter(|unread| *unread > 0) {
            *self.report.left_out.entry("files of the configuration that could not be read".to_owned()).or_default() +=
                unread;
        }
        let configuration = match (files, artifact.plan().and_then(|plan| plan.configuration.as_ref())) {
            (Some(files), _) => Configuration::Files(files),
            (None, Some(tree)) => Configuration::Tree(tree),
            (None, None) => Configuration::Absent,
        };
        let mut reader = Reader {
            wanted: self.wanted,
            finder: SchemaFinder::new(artifact, self.schemas),
            configuration: &configuration,
            dialect,
            schemas: HashMap::new(),
            report: &mut self.report,
        };
        let materials = reader.materials(artifact);
        for _ in &artifact.flaws {
            self.report.leave_out("a part of the file that is not what the format says");
        }
        let materials = self.with_placeholders(materials, dialect);
        self.cases(name, &materials, dialect)
    }

    fn with_placeholders(&mut self, materials: Vec<Material>, dialect: Dialect) -> Vec<Material> {
        if self.wanted.show_sensitive {
            return materials;
        }
        let mut notes = Notes::new();
        materials.iter().for_each(|material| material.note(&mut notes, dialect));
        let placeholders: Placeholders = notes.placeholders();
        let mut replaced = Vec::with_capacity(materials.len());
        for material in materials {
            match material.with_placeholders(&placeholders, dialect) {
                Ok(material) => replaced.push(material),
                Err(_) => self.report.leave_out(NoCase::Mixed.to_string()),
            }
        }
        replaced
    }

    fn cases(&mut self, name: &str, materials: &[Material], dialect: Dialect) -> Vec<Case> {
        let mut builder = CaseBuilder::new(dialect);
        let mut cases = Vec::new();
        let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| self.is_wanted(*kind)).collect();
        for material in materials {
            let mut is_imported = false;
            for kind in kinds.iter().copied().filter(|kind| has(*kind, material)) {
                let mut case = match builder.case(kind, material) {
                    Ok(case) => case,
                    Err(why) => {
                        self.report.leave_out(format!("{}: {why}", kind.name()));
                        continue;
                    }
                };
                is_imported = true;
                if !self.seen.insert(trace(&case)) {
                    self.report.repeated += 1;
                    continue;
                }
                case.purpose = purpose(name, material);
                *self.report.cases.entry(kind.name().to_owned()).or_default() += 1;
                cases.push(case);
            }
            self.report.imported += u64::from(is_imported);
        }
        cases
    }

    fn is_wanted(&self, kind: Kind) -> bool {
        self.wanted.kinds.is_empty() || self.wanted.kinds.contains(&kind)
    }
}

/// Whether objects of this role have cases of the kind: drift and data resources have no walks.
fn has(kind: Kind, material: &Material) -> bool {
    match (kind, &material.role) {
        (Kind::Merge, _) => true,
        (_, Role::Drift) => false,
        (Kind::Walk, Role::Stored { .. }) => false,
        _ => !material.is_data,
    }
}

/// The fingerprint by which equal cases are recognized.
fn trace(case: &Case) -> (usize, u64) {
    let text = case.to_json().to_compact();
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    (text.len(), hasher.finish())
}

fn purpose(name: &str, material: &Material) -> String {
    let what = match &material.role {
        Role::Change { action, .. } => action.name(),
        Role::Drift => "drift",
        Role::Stored { .. } => "stored",
    };
    format!("Imported from {name}: {} ({what}; {})", material.address, material.origin.name())
}

/// The dialect itself, or the oldest that the specification describes if it is older.
pub fn described(dialect: Dialect) -> Dialect {
    let oldest = match dialect.engine() {
        Engine::Terraform => Dialect::TERRAFORM_1_11,
        Engine::OpenTofu => Dialect::OPENTOFU_1_12,
    };
    if dialect.minor() < oldest.minor() { oldest } else { dialect }
}

/// Makes material of an artifact.
struct Reader<'r, 'a> {
    wanted: &'r Wanted,
    finder: SchemaFinder<'a>,
    configuration: &'r Configuration<'a>,
    dialect: Dialect,
    /// Schemas by where they are in memory: cases of one schema share it.
    schemas: HashMap<usize, Option<Arc<Schema>>>,
    report: &'r mut Report,
}

impl Reader<'_, '_> {
    fn materials(&mut self, artifact: &Artifact) -> Vec<Material> {
        let mut materials = Vec::new();
        match &artifact.content {
            Content::Plan(plan) => {
                let changes = plan.changes.iter().map(|change| (change, false));
                for (change, is_drift) in changes.chain(plan.drift.iter().map(|change| (change, true))) {
                    let role = if is_drift {
                        Role::Drift
                    } else {
                        let reason = change.reason.unwrap_or(ActionReason::None);
                        Role::Change { action: change.action, reason, replace: Vec::new() }
                    };
                    let material = self.material(&change.id, role, &change.before, &change.after, None);
                    materials.extend(material.map(|material| with_past(with_paths(material, &change.replace), change)));
                }
                with_drift(&mut materials);
                for _ in &plan.deferred {
                    self.report.leave_out("what is put off to another plan");
                }
            }
            Content::State(state) => {
                for object in &state.objects {
                    let role = Role::Stored { tainted: object.tainted };
                    let material = self.material(&object.id, role, &object.value, &object.value, object.schema_version);
                    materials.extend(material);
                }
            }
        }
        materials
    }

    fn material(
        &mut self,
        id: &ObjectId,
        role: Role,
        before: &Encoded,
        after: &Encoded,
        version: Option<u64>,
    ) -> Option<Material> {
        if !self.is_wanted(id) {
            return None;
        }
        self.report.objects += 1;
        match self.read(id, role, before, after, version) {
            Ok(material) => Some(material),
            Err(why) => {
                self.report.leave_out(why);
                None
            }
        }
    }

    fn is_wanted(&self, id: &ObjectId) -> bool {
        let of_type =
            id.address.as_ref().is_some_and(|address| self.wanted.types.contains(&address.resource.type_name));
        let at_address = self.wanted.addresses.iter().any(|address| id.written.starts_with(address.as_str()));
        (self.wanted.types.is_empty() || of_type) && (self.wanted.addresses.is_empty() || at_address)
    }

    fn read(
        &mut self,
        id: &ObjectId,
        role: Role,
        before: &Encoded,
        after: &Encoded,
        version: Option<u64>,
    ) -> Result<Material, String> {
        let fit = self.finder.read(id, &[before, after], version).map_err(|why| reason(&why))?;
        let schema = self.schema(&fit.schema).ok_or("the schema is not valid in the dialect")?;
        let Ok([before, after]) = <[Marked; 2]>::try_from(fit.values) else {
            return Err("the values could not be read".to_owned());
        };
        let is_data = id.mode() == Some(ResourceMode::Data);
        // A data resource is read anew, whatever the state has.
        let is_stored_data = is_data && matches!(role, Role::Stored { .. });
        let before = if is_stored_data { Marked::null(after.value().ty().clone()) } else { before };
        let mut material = Material {
            address: id.to_string(),
            is_data,
            config: planfuzz_core::value::Value::null(after.value().ty().clone()),
            schema,
            role,
            before,
            after,
            origin: Origin::None,
            lifecycle: config::LifecycleBlock::default(),
            past: Past::default(),
        };
        self.configure(id, &mut material)?;
        Ok(material)
    }

    /// Sets the configuration: that of the file if it has one that fits, otherwise one derived from the object.
    fn configure(&mut self, id: &ObjectId, material: &mut Material) -> Result<(), String> {
        let is_gone = match &material.role {
            Role::Drift => true,
            Role::Change { action, .. } => {
                matches!(action, Action::Delete | Action::Forget) || material.after.is_null()
            }
            Role::Stored { .. } => material.after.is_null(),
        };
        if is_gone || id.deposed.is_some() {
            return Ok(());
        }
        let address = id.address.as_ref();
        let written = address.and_then(|address| self.configuration.of(address, &material.schema.block));
        if let Some((body, lifecycle)) = written {
            let planned = material.after.value().view();
            match config::decode(&body, &material.schema, Some(planned), self.dialect) {
                Ok(decoded) => {
                    material.origin = if decoded.filled == 0 { Origin::Literal } else { Origin::Filled };
                    material.config = decoded.value;
                    material.lifecycle = lifecycle;
                }
                Err(why) => {
                    let why = match why {
                        Unfit::Open { .. } => "what has to be evaluated is not planned",
                        Unfit::Unexpected { .. } | Unfit::Type { .. } => "it does not fit the schema",
                    };
                    *self.report.configurations.entry(why.to_owned()).or_default() += 1;
                }
            }
        }
        if material.origin == Origin::None {
            material.config =
                derived_config(&material.after, &material.schema, self.dialect).map_err(|why| why.to_string())?;
            material.origin = Origin::Derived;
        }
        *self.report.configurations.entry(material.origin.name().to_owned()).or_default() += 1;
        Ok(())
    }

    /// The schema of a candidate, valid in the dialect.
    fn schema(&mut self, candidate: &Arc<Candidate>) -> Option<Arc<Schema>> {
        let key = Arc::as_ptr(candidate) as usize;
        let dialect = self.dialect;
        let made = self.schemas.entry(key).or_insert_with(|| {
            let is_valid = candidate.schema.problems(dialect).is_empty();
            // Values are of the candidate's type: a schema whose type differs in the dialect does not fit them.
            let is_same = candidate.schema.implied_type(dialect) == candidate.ty;
            (is_valid && is_same).then(|| Arc::new(candidate.schema.clone()))
        });
        made.clone()
    }
}

/// Sets the paths that make a change a replacement; the values decide which names are keys.
fn with_paths(mut material: Material, paths: &[PathItems]) -> Material {
    let values = [material.after.value().view(), material.before.value().view()];
    let written = paths.iter().map(|items| paths::written(items, values)).collect();
    if let Role::Change { replace, .. } = &mut material.role {
        *replace = written;
    }
    material
}

/// Sets the history that a change records: its address before a move, its import.
fn with_past(mut material: Material, change: &ObjectChange) -> Material {
    if matches!(material.role, Role::Change { .. }) {
        material.past.moved_from = change.previous.clone().filter(|previous| *previous != change.id.written);
        material.past.imported = match &change.importing {
            Some(Import::Id(id)) => Some(id.clone()),
            _ => None,
        };
    }
    material
}

/// Sets the stored object before the refresh, for changes whose object has drifted.
fn with_drift(materials: &mut [Material]) {
    let (changes, drift): (Vec<&mut Material>, Vec<&mut Material>) =
        materials.iter_mut().partition(|material| material.role != Role::Drift);
    let by_address = |was: &mut Material| -> (String, (Marked, Marked, Arc<Schema>)) {
        (was.address.clone(), (was.before.clone(), was.after.clone(), was.schema.clone()))
    };
    let then: HashMap<_, _> = drift.into_iter().map(by_address).collect();
    for material in changes {
        let Some((before, after, schema)) = then.get(&material.address) else { continue };
        let is_same = Arc::ptr_eq(schema, &material.schema) && after.value() == material.before.value();
        if is_same && before.value().is_wholly_known() {
            material.past.stored = Some(before.clone());
        }
    }
}

fn reason(why: &Untyped) -> String {
    why.reason().to_owned()
}
