//! Import targets and forced replacements in a plan walk (G48, G49, G105, G106).

use std::collections::BTreeMap;

use planfuzz_core::address::{AbsResourceInstance, InstanceKey, ModuleInstance, Notation};
use planfuzz_core::planner::{self, Planner};
use planfuzz_core::plans::{self, Mode};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{PathSet, Type, Value};
use planfuzz_reference::Reference;
use planfuzz_workspace::Diagnostic;

use crate::evaluation::Evaluated;
use crate::imports;
use crate::imports::NO_CONFIGURATION;
use crate::instances::{kind, refused};
use crate::walk::{Purpose, Walk};
use crate::world::{Instances, Repeated};

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
        let root = ModuleInstance::ROOT;
        for import in &self.layout.modules[0].configuration.module.imports {
            if imports::block_of(self.layout, import) != Some(block) {
                continue;
            }
            let repetition = planfuzz_language::config::Repetition { count: None, for_each: import.for_each.clone() };
            let instances = self.expand(&repetition, &self.at(0, &root, &Repeated::default()))?;
            for (_, repeated) in Instances::keys(&instances) {
                let at = self.at(0, &root, &repeated);
                let invalid = || vec![Diagnostic::error("Invalid import id argument")];
                let Some(written) = &import.id else { continue };
                let id = self.evaluation().written(&written.written, &at)?;
                let id = id.convert(&Type::String).ok_or_else(invalid)?;
                let id = id.value.view().as_text().filter(|text| !text.is_empty()).ok_or_else(invalid)?.to_string();
                let steps = self.evaluation().steps(&import.to.written, &at);
                let Some((module, resource, key)) = steps.as_deref().and_then(imports::instance) else {
                    return Err(vec![Diagnostic::error("Invalid import 'to' expression")]);
                };
                let address = AbsResourceInstance { module, resource, key };
                if self.state.instance(&address).is_some_and(|instance| instance.current.is_some()) {
                    continue;
                }
                if !declared.iter().any(|(module, key, _)| *module == address.module && *key == address.key) {
                    if !self.layout.dialect.tells_undeclared_imports_late() {
                        return Err(vec![Diagnostic::error(NO_CONFIGURATION)]);
                    }
                    self.undeclared_imports.push(Diagnostic::error(NO_CONFIGURATION));
                    continue;
                }
                found.insert(address, id);
            }
        }
        // G12: before a destruction targets are looked at, and nothing is imported.
        if self.purpose == Purpose::BeforeDestroy {
            found.clear();
        }
        Ok(found)
    }

    fn looks_at_imports(&self) -> bool {
        let in_destructions = self.layout.dialect.looks_at_imports_in_destructions();
        self.purpose == Purpose::Plan || self.purpose == Purpose::BeforeDestroy && in_destructions
    }

    /// G49: a block that counts wants a number for a key, one with `for_each` a text, any other none; the validation walk finds that.
    pub fn imports_fit(&mut self, block: usize) -> bool {
        let (layout, repetition) = (self.layout, &self.layout.blocks[block].resource.repetition);
        let is_lax = !layout.dialect.checks_kinds_of_import_keys();
        let fits = |import: &planfuzz_language::config::Import| match written_key(import) {
            WrittenKey::None => repetition.is_single(),
            _ if is_lax => true,
            WrittenKey::Number => repetition.count.is_some(),
            WrittenKey::Text => repetition.for_each.is_some(),
            WrittenKey::Expression => !repetition.is_single() || import.to.references[0].begins_with(&["module"]),
        };
        let imports = layout.modules[0].configuration.module.imports.iter();
        let of_block = imports.filter(|import| imports::block_of(layout, import) == Some(block));
        let wrong = of_block.filter(|import| !fits(import)).count();
        self.tell(vec![Diagnostic::error("Invalid import 'to' expression"); wrong])
    }

    /// G49: the target of an import that has no block.
    pub fn visit_import(&mut self, index: usize) -> bool {
        let import = &self.layout.modules[0].configuration.module.imports[index];
        if self.is_repeated(import) {
            return self.repeated_import(import);
        }
        // G37: the node that tells it has declared the instance.
        let steps =
            self.evaluation().steps(&import.to.written, &self.at(0, &ModuleInstance::ROOT, &Repeated::default()));
        if let Some((module, resource, key)) = steps.as_deref().and_then(imports::instance) {
            let address = AbsResourceInstance { module, resource, key };
            self.world.resources.insert(address.abs_resource(), Instances::Single);
            if self.state.instance(&address).is_some_and(|instance| instance.current.is_some()) {
                return self.refresh_unconfigured(&address);
            }
        }
        self.tell(vec![Diagnostic::error(NO_CONFIGURATION)])
    }

    /// G49: what is stored already is refreshed once more, before nothing is found that configures it.
    fn refresh_unconfigured(&mut self, address: &AbsResourceInstance) -> bool {
        let provider = self.state.resources.get(&address.abs_resource()).map(|stored| stored.provider.clone());
        let Some(provider) = provider else { return true };
        let Some(schema) = self.schema_of(address, &provider) else { return true };
        let configured = planner::Configured {
            config: plans::Marked::plain(Value::null(schema.implied_type(self.layout.dialect))),
            ephemeral: PathSet::EMPTY,
            at_validation: None,
            lifecycle: planner::Lifecycle::default(),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            provisioners: Vec::new(),
            dependencies: Vec::new(),
            in_check: false,
        };
        let state = InstanceState { current: self.stored(address).current, ..InstanceState::default() };
        let request = planner::PlanRequest {
            kind: kind(address.resource.mode),
            mode: Mode::RefreshOnly,
            options: planner::PlanOptions { skip_refresh: self.skips_refresh(), ..planner::PlanOptions::default() },
            state,
            presence: planner::Presence::Configured(Box::new(configured)),
        };
        let dialect = self.layout.dialect;
        let mut asked = self.asked_of(address, &provider, schema);
        // There is nothing to validate.
        asked.validated = 1;
        let plan = Reference.prepare(schema, dialect).plan(&request, &mut asked).unwrap_or_else(refused);
        let told = plan.diagnostics.iter().map(|one| crate::told::of_instance(one, None)).collect();
        self.tell(told) && self.tell(vec![Diagnostic::error("Resource has no configuration")])
    }

    /// G49: whether the key of a target follows `for_each`, in a dialect that looks at it where there is no block.
    fn is_repeated(&self, import: &planfuzz_language::config::Import) -> bool {
        let is_strict = self.layout.dialect.checks_kinds_of_import_keys();
        is_strict && import.for_each.is_some() && matches!(written_key(import), WrittenKey::Expression)
    }

    /// G49: what is told of a target whose key follows `for_each`, where there is no block.
    fn repeated_import(&mut self, import: &planfuzz_language::config::Import) -> bool {
        let repetition = planfuzz_language::config::Repetition { count: None, for_each: import.for_each.clone() };
        let root = ModuleInstance::ROOT;
        let told = match self.expand(&repetition, &self.at(0, &root, &Repeated::default())) {
            Err(told) => told,
            Ok(instances) if Instances::keys(&instances).is_empty() => {
                vec![Diagnostic::error("Resource has no configuration")]
            }
            Ok(_) => vec![Diagnostic::error("Invalid import 'to' expression")],
        };
        self.tell(told)
    }

    /// G49: what the validation walk tells of targets without a block.
    pub fn keyed_imports_without_block(&mut self) {
        let (layout, root) = (self.layout, ModuleInstance::ROOT);
        for import in &layout.modules[0].configuration.module.imports {
            if layout.dialect.looks_for_import_blocks_first() || imports::block_of(layout, import).is_some() {
                continue;
            }
            if imports::needs_block(import) {
                self.tell(vec![Diagnostic::error(NO_CONFIGURATION)]);
            }
            let Some(for_each) = import.for_each.as_ref().filter(|_| self.is_repeated(import)) else { continue };
            let evaluated = self.evaluation().written(&for_each.written, &self.at(0, &root, &Repeated::default()));
            let told = match evaluated {
                Err(told) => told,
                Ok(value) if has_known_parts(&value) => vec![Diagnostic::error("Invalid import 'to' expression")],
                Ok(_) => Vec::new(),
            };
            self.tell(told);
        }
    }

    /// G106: a whole resource is named where instances are meant.
    pub fn replacements(&mut self) {
        let notation = Notation { engine: self.layout.dialect.engine() };
        let mut told = Vec::new();
        for text in &self.workspace.options.replace {
            let Ok(address) = notation.instance(text) else { continue };
            if address.key != InstanceKey::None {
                continue;
            }
            for (resource, instances) in &self.world.resources {
                if resource.resource == address.resource
                    && matches!(instances, Instances::Count(_) | Instances::Each(_))
                {
                    told.push(Diagnostic::warning("Incompletely-matched force-replace resource instance"));
                }
            }
        }
        self.tell(told);
    }
}

/// Whether a value is known to have parts; of a set that is not known as a whole nobody knows how many it has.
fn has_known_parts(value: &crate::evaluation::Marked) -> bool {
    let is_known = match value.ty() {
        Type::Set(_) => value.value.is_wholly_known(),
        _ => !value.value.is_unknown(),
    };
    is_known && !value.value.is_null() && !value.parts().is_empty()
}

/// The key of a target, as it is written.
enum WrittenKey {
    None,
    Number,
    Text,
    Expression,
}

fn written_key(import: &planfuzz_language::config::Import) -> WrittenKey {
    let first = import.to.references.first();
    match first.and_then(|target| target.steps.last()).map(|step| &step.kind) {
        Some(planfuzz_language::config::StepKind::Index(key)) if key.ty() == &Type::Number => WrittenKey::Number,
        Some(planfuzz_language::config::StepKind::Index(_)) => WrittenKey::Text,
        // What other references are in is the key, of the resource or of a module that it is in.
        _ if import.to.references.len() > 1 => WrittenKey::Expression,
        _ => WrittenKey::None,
    }
}
