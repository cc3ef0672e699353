//! Import targets and forced replacements in a plan walk (G48, G49, G105, G106).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, Notation, ProviderConfig};
use planfuzz_core::planner::{self, Planner};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Type, Value};
use planfuzz_language::config::{Import, KeyExpressions, Repetition, TargetKey};
use planfuzz_reference::Reference;
use planfuzz_workspace::Diagnostic;

use crate::evaluation::{Evaluated, Marked, Wanted};
use crate::imports;
use crate::imports::{INVALID_ID, NO_CONFIGURATION, NO_SUCH_KEY};
use crate::instances::{kind, refused};
use crate::values::{Instances, Repeated};
use crate::walk::{Purpose, Walk};

/// The type of an id, and the error for another one.
const TEXT: Wanted<'static> = Wanted { ty: &Type::String, otherwise: "Incorrect value type" };

impl Walk<'_, '_, '_> {
    /// The instances of a block that are to be imported, with their ids.
    pub fn imports_of(
        &mut self,
        block: usize,
        declared: &[(ModuleInstance, InstanceKey, Repeated)],
    ) -> Evaluated<BTreeMap<AbsResourceInstance, String>> {
        let mut found = BTreeMap::new();
        if !self.looks_at_imports() {
            return Ok(found);
        }
        let layout = self.layout;
        let imports = layout.modules[0].configuration.module.imports.iter();
        for import in imports.filter(|import| imports::block_of(layout, import) == Some(block)) {
            for repeated in self.import_instances(import)? {
                let wants = &layout.blocks[block].resource.repetition;
                let (address, id) = self.import_one(import, Some(wants), &repeated)?;
                if self.is_stored(&address) {
                    continue;
                }
                if !declared.iter().any(|(module, key, _)| *module == address.module && *key == address.key) {
                    if !layout.dialect.reports_undeclared_imports_late() {
                        return Err(vec![Diagnostic::error(NO_CONFIGURATION)]);
                    }
                    self.importing.undeclared.push(Diagnostic::error(NO_CONFIGURATION));
                    continue;
                }
                found.extend(id.map(|id| (address, id)));
            }
        }
        // G12: before a destruction targets are checked, and nothing is imported.
        if self.purpose == Purpose::BeforeDestroy {
            found.clear();
        }
        Ok(found)
    }

    /// The instances of an import; in the validation walk none if they are not known.
    fn import_instances(&self, import: &Import) -> Evaluated<Vec<Repeated>> {
        let (root, plain) = (ModuleInstance::ROOT, Repeated::default());
        let at = self.at(0, &root, &plain);
        let Some(for_each) = &import.for_each else { return Ok(vec![Repeated::default()]) };
        if !self.layout.dialect.evaluates_imports_in_validation() {
            self.references_are_fine(for_each, &at)?;
            let repetition = Repetition { count: None, for_each: Some(for_each.clone()) };
            let instances = self.expand(&repetition, &at)?;
            return Ok(instances.keys().into_iter().map(|(_, repeated)| repeated).collect());
        }
        let value = self.value(for_each, &at)?;
        let invalid = || vec![Diagnostic::error("Invalid for_each argument")];
        if value.value.is_null() {
            return Ok(Vec::new());
        }
        if !value.value.is_wholly_known() {
            return if self.purpose == Purpose::Validate { Ok(Vec::new()) } else { Err(invalid()) };
        }
        let each = each_of(&value).ok_or_else(invalid)?;
        // An element of a sensitive collection is sensitive (E74), but its key is not.
        let repeated = |(key, part): (Marked, Marked)| Repeated {
            each: Some((key, part.with(value.marks.own))),
            ..Repeated::default()
        };
        Ok(each.into_iter().map(repeated).collect())
    }

    /// The target instance of an import.
    fn import_address(&self, import: &Import, repeated: &Repeated) -> Evaluated<AbsResourceInstance> {
        let is_strict = self.layout.dialect.evaluates_imports_in_validation();
        if let Some(KeyExpressions::Flawed(flaw)) = import.target.expressions.filter(|_| is_strict) {
            return Err(vec![Diagnostic::error(flaw)]);
        }
        let root = ModuleInstance::ROOT;
        let steps =
            self.evaluation().steps(&import.to.written, &self.at(0, &root, repeated), &|key| !key.has_call())?;
        let Some((module, resource, key)) = steps.as_deref().and_then(imports::instance) else {
            return Err(vec![Diagnostic::error(if is_strict { "Invalid address" } else { NO_SUCH_KEY })]);
        };
        Ok(AbsResourceInstance { module, resource, key })
    }

    /// The target instance of an import, with its id; `None` as id if none is written.
    fn import_one(
        &self,
        import: &Import,
        of_block: Option<&Repetition>,
        repeated: &Repeated,
    ) -> Evaluated<(AbsResourceInstance, Option<String>)> {
        let address = self.import_address(import, repeated)?;
        let is_strict = self.layout.dialect.evaluates_imports_in_validation();
        let mut diagnostics =
            vec![Diagnostic::error(NO_SUCH_KEY); usize::from(is_strict && !fits(&address.key, of_block))];
        let id = self.import_id(import, repeated).unwrap_or_else(|of_id| {
            diagnostics.extend(of_id);
            None
        });
        if diagnostics.is_empty() { Ok((address, id)) } else { Err(diagnostics) }
    }

    fn import_id(&self, import: &Import, repeated: &Repeated) -> Evaluated<Option<String>> {
        let is_strict = self.layout.dialect.evaluates_imports_in_validation();
        let invalid = || Diagnostic::error(INVALID_ID);
        // An id that cannot be evaluated is also reported as invalid.
        let with_invalid =
            |diagnostics: Vec<Diagnostic>| diagnostics.into_iter().chain(is_strict.then(invalid)).collect::<Vec<_>>();
        let Some(written) = &import.id else { return Ok(None) };
        let root = ModuleInstance::ROOT;
        let at = self.at(0, &root, repeated);
        let id = match is_strict {
            true => self.converted(written, TEXT, &at),
            false => {
                self.seen_value(written, &at).and_then(|id| id.convert(&Type::String).ok_or_else(|| vec![invalid()]))
            }
        };
        let id = id.map_err(with_invalid)?;
        let id = id.value.view().as_text().filter(|text| !text.is_empty());
        id.map(|id| Some(id.to_string())).ok_or_else(|| vec![invalid()])
    }

    /// L20, G49: whether an instance is in the state, even with deposed objects alone: those are visited beside it, so the state when the
    /// walk began counts.
    fn is_stored(&self, address: &AbsResourceInstance) -> bool {
        let is_there = self.state.instance(address).is_some_and(|instance| instance.current.is_some());
        is_there || self.had_old_object(address)
    }

    fn looks_at_imports(&self) -> bool {
        let in_destructions = self.layout.dialect.looks_at_imports_in_destructions();
        self.purpose == Purpose::Plan || self.purpose == Purpose::BeforeDestroy && in_destructions
    }

    /// G48, G49: the errors of the imports of a block in the validation walk.
    pub fn validate_imports(&mut self, block: usize) -> bool {
        let layout = self.layout;
        if !layout.dialect.evaluates_imports_in_validation() {
            return self.imports_have_keys(block);
        }
        let imports = layout.modules[0].configuration.module.imports.iter();
        let of_block = imports.filter(|import| imports::block_of(layout, import) == Some(block));
        let repetition = &layout.blocks[block].resource.repetition;
        // G48: the first import with errors is the last one that is reported.
        let mut found = of_block.map(|import| self.validate_import(import, Some(repetition)));
        let first = found.find(|found| !found.is_empty()).unwrap_or_default();
        self.emit(first)
    }

    /// The first errors of an import in the validation walk, for the instances of `for_each` that are known there.
    fn validate_import(&self, import: &Import, of_block: Option<&Repetition>) -> Vec<Diagnostic> {
        if import.names_itself() {
            return vec![Diagnostic::error(INVALID_ID); import.own_references()];
        }
        // Without `for_each` keys are constants.
        if import.for_each.is_none() && import.target.expressions.is_some() {
            return vec![Diagnostic::error("Invalid expression"), Diagnostic::error("Invalid address")];
        }
        let instances = match self.import_instances(import) {
            Ok(instances) => instances,
            Err(diagnostics) => return diagnostics,
        };
        let results = instances.iter().map(|repeated| self.validate_one(import, of_block, repeated));
        results.filter_map(Evaluated::err).next().unwrap_or_default()
    }

    fn validate_one(&self, import: &Import, of_block: Option<&Repetition>, repeated: &Repeated) -> Evaluated<()> {
        let address = self.import_address(import, repeated)?;
        if !fits(&address.key, of_block) {
            return Err(vec![Diagnostic::error(NO_SUCH_KEY)]);
        }
        let Some(id) = &import.id else { return Ok(()) };
        let root = ModuleInstance::ROOT;
        let id = self.converted(id, TEXT, &self.at(0, &root, repeated))?;
        match id.value.is_unknown() || id.value.view().as_text().is_some_and(|text| !text.is_empty()) {
            true => Ok(()),
            false => Err(vec![Diagnostic::error(INVALID_ID)]),
        }
    }

    /// G49: where imports are not evaluated, the validation walk reports a target without key if its block repeats.
    fn imports_have_keys(&mut self, block: usize) -> bool {
        let (layout, is_single) = (self.layout, self.layout.blocks[block].resource.repetition.is_single());
        let imports = layout.modules[0].configuration.module.imports.iter();
        let of_block = imports.filter(|import| imports::block_of(layout, import) == Some(block));
        let wrong = of_block.filter(|import| import.target.key == TargetKey::None && !is_single).count();
        self.emit(vec![Diagnostic::error(NO_SUCH_KEY); wrong])
    }

    /// G49: visits an import whose target has no block.
    pub fn visit_import(&mut self, index: usize) -> bool {
        let import = &self.layout.modules[0].configuration.module.imports[index];
        if fault!(BlocklessImportUnreported) {
            return true;
        }
        if self.purpose == Purpose::Validate {
            return self.validate_nowhere(import);
        }
        if self.is_repeated(import) {
            return self.repeated_import(import);
        }
        // G37: the target counts as declared, since this node reports it.
        let address = self.import_address(import, &Repeated::default()).ok();
        if let Some(address) = &address {
            self.values.resources.insert(address.abs_resource(), Instances::Single);
        }
        if let Err(diagnostics) = self.import_id(import, &Repeated::default()) {
            return self.emit(diagnostics);
        }
        if let Some(address) = address.filter(|address| self.is_stored(address)) {
            return self.refresh_unconfigured(&address, &self.layout.provider_of_import(import));
        }
        self.emit(vec![Diagnostic::error(NO_CONFIGURATION)])
    }

    /// G49: a stored object is refreshed once more, by the provider of the import, before the missing configuration is reported.
    fn refresh_unconfigured(&mut self, address: &AbsResourceInstance, provider: &ProviderConfig) -> bool {
        let Some(schema) = self.schema_of(address, provider) else { return true };
        let nothing = plans::Marked::plain(Value::null(schema.implied_type(self.layout.dialect)));
        let state = InstanceState { current: self.stored(address).current, ..InstanceState::default() };
        let request = planner::PlanRequest {
            kind: kind(address.resource.mode),
            mode: Mode::RefreshOnly,
            options: planner::PlanOptions { skip_refresh: self.skips_refresh(), ..planner::PlanOptions::default() },
            state,
            presence: planner::Presence::Configured(Box::new(planner::Configured::alone(nothing))),
        };
        let dialect = self.layout.dialect;
        let mut asked = self.asked_of(address, provider, schema);
        // There is nothing to validate.
        asked.validated = 1;
        let plan = Reference.prepare(schema, dialect).plan(&request, &mut asked).unwrap_or_else(refused);
        let diagnostics = plan.diagnostics.iter().map(|one| crate::diagnostics::of_instance(one, None)).collect();
        self.emit(diagnostics) && self.emit(vec![Diagnostic::error("Resource has no configuration")])
    }

    /// G49: whether the key of a target follows `for_each`, in a dialect that checks it although there is no block.
    fn is_repeated(&self, import: &Import) -> bool {
        let is_strict = self.layout.dialect.evaluates_imports_in_validation();
        is_strict && import.for_each.is_some() && import.target.key == TargetKey::Expression
    }

    /// G49: reports a target whose key follows `for_each`, if there is no block.
    fn repeated_import(&mut self, import: &Import) -> bool {
        // G37: the target counts as declared.
        let resource = import.target.resource.resource.clone();
        self.values.resources.insert(AbsResource { module: ModuleInstance::ROOT, resource }, Instances::Single);
        let instances = self.import_instances(import);
        let diagnostics = match instances.as_deref() {
            Err(_) => instances.err().unwrap_or_default(),
            Ok([]) => vec![Diagnostic::error("Resource has no configuration")],
            Ok([first, ..]) => self.import_one(import, None, first).err().unwrap_or_default(),
        };
        self.emit(diagnostics)
    }

    /// G49: reports an import whose target has no block in the validation walk.
    fn validate_nowhere(&mut self, import: &Import) -> bool {
        let in_child = self.layout.module_of_target(import) != Some(0);
        let diagnostics = match imports::needs_block(import) || in_child {
            true => {
                let of_itself = vec![Diagnostic::error(INVALID_ID); import.own_references()];
                of_itself.into_iter().chain([Diagnostic::error(NO_CONFIGURATION)]).collect()
            }
            false => self.validate_import(import, None),
        };
        self.emit(diagnostics)
    }

    /// G106: a forced replacement names a whole resource that has several instances.
    pub fn replacements(&mut self) {
        let notation = Notation { engine: self.layout.dialect.engine() };
        let mut diagnostics = Vec::new();
        for text in &self.workspace.options.replace {
            let Ok(address) = notation.instance(text) else { continue };
            if address.key != InstanceKey::None {
                continue;
            }
            for (resource, instances) in &self.values.resources {
                if resource.resource == address.resource
                    && matches!(instances, Instances::Count(_) | Instances::Each(_))
                {
                    diagnostics.push(Diagnostic::warning("Incompletely-matched force-replace resource instance"));
                }
            }
        }
        self.emit(diagnostics);
    }
}

/// Whether a key is of the kind by which a block repeats; without a block only the missing key fits.
fn fits(key: &InstanceKey, of_block: Option<&Repetition>) -> bool {
    match key {
        InstanceKey::None => of_block.is_none_or(Repetition::is_single),
        InstanceKey::Int(_) => of_block.is_some_and(|of| of.count.is_some()),
        InstanceKey::Text(_) => of_block.is_some_and(|of| of.for_each.is_some()),
    }
}

/// `each.key` and `each.value` for the value of an import's `for_each`; `None` if it cannot be repeated by.
fn each_of(value: &Marked) -> Option<Vec<(Marked, Marked)>> {
    let parts = value.parts();
    match value.ty() {
        Type::Set(_) => Some(parts.into_iter().map(|part| (part.clone(), part)).collect()),
        Type::Map(_) | Type::Object(_) => {
            let keys = value.keys().iter().map(|key| Value::string(key).into()).collect::<Vec<Marked>>();
            Some(keys.into_iter().zip(parts).collect())
        }
        Type::List(_) | Type::Tuple(_) => {
            let numbered = parts.into_iter().enumerate();
            Some(numbered.map(|(index, part)| (Value::number(index as i64).into(), part)).collect())
        }
        _ => None,
    }
}
