//! Walks as configuration files.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{
    ApplyRequest, Configured, IgnoreChanges, KeyKind, Orphan, PlanOptions, PlanRequest, Presence, Repetition,
};
use planfuzz_core::plans::{Action, Mode};
use planfuzz_core::schema::{Nesting, Schema, Shape};
use planfuzz_core::state::InstanceState;
use planfuzz_core::value::{Text, Type, WrittenPath, WrittenStep};

use super::body::{Members, Part, Writer, least};
use super::configuration_files::{ConfigurationFiles, Key, Seated, Statement};
use super::lifecycle::{keep_on_destroy, lifecycle, prevent_destroy, provisioners};
use super::marks::Marks;
use super::names::{MOVED, Names, RESOURCE};
use super::others::Others;
use super::sources::Sources;
use super::values::Early;
use crate::job::LeftOut;

/// A plan walk as configuration files.
///
/// # Errors
/// The configuration language cannot express the walk.
pub fn plan_files(names: Names, schema: &Schema, request: &PlanRequest) -> Result<ConfigurationFiles, LeftOut> {
    let PlanRequest { kind, mode, options, state, presence } = request;
    if options.forget {
        return Err(LeftOut::Unwritable("a clean-up that only forgets"));
    }
    let mut configuration = ConfigurationWriter::new(names, *kind, false, presence)?;
    if *mode == Mode::RefreshOnly && options.skip_refresh {
        return Err(LeftOut::Unwritable("a plan that only refreshes, and does not"));
    }
    if *mode == Mode::RefreshOnly && has_pending(presence) {
        return Err(LeftOut::Unwritable("pending changes in a plan that only refreshes"));
    }
    if options.import.is_some() && state.current.is_none() && !state.deposed.is_empty() {
        // An engine imports it in some runs and not in others (docs/trophies.md).
        return Err(LeftOut::Unwritable("an import of what has deposed objects only"));
    }
    configuration.presence(schema, presence)?;
    configuration.import(options, presence)?;
    let stored_as = configuration.moved(options, state, presence)?;
    if options.replace {
        if *kind == ResourceKind::Data {
            return Err(LeftOut::Unwritable("the replacement of a data resource"));
        }
        configuration.flags.push(format!("-replace={}", configuration.address(RESOURCE)));
        configuration.alone |= *mode != Mode::Normal || !configuration.others.triggers.is_empty();
    }
    Ok(configuration.finish(state, stored_as))
}

/// Whether a dependency of the instance has a pending change.
fn has_pending(presence: &Presence) -> bool {
    let Presence::Configured(configured) = presence else { return false };
    configured.dependencies.iter().any(|dependency| dependency.actions.iter().any(|action| *action != Action::NoOp))
}

/// An apply walk as configuration files.
///
/// It has no static validation, no import and no move: the plan has their results. Nor does an apply use `replace_triggered_by`.
///
/// # Errors
/// The configuration language cannot express the walk.
pub fn apply_files(names: Names, schema: &Schema, request: &ApplyRequest) -> Result<ConfigurationFiles, LeftOut> {
    let ApplyRequest { kind, options, state, changes: _, presence } = request;
    if options.forget {
        return Err(LeftOut::Unwritable("a clean-up that only forgets"));
    }
    let mut configuration = ConfigurationWriter::new(names, *kind, true, presence)?;
    configuration.presence(schema, presence)?;
    Ok(configuration.finish(state, RESOURCE))
}

/// Writes configuration files.
struct ConfigurationWriter {
    names: Names,
    kind: ResourceKind,
    seated: Seated,
    others: Others,
    statements: Vec<Statement>,
    flags: Vec<String>,
    moved_from: Option<String>,
    alone: bool,
    validates_block: bool,
}

impl ConfigurationWriter {
    fn new(
        names: Names,
        kind: ResourceKind,
        applying: bool,
        presence: &Presence,
    ) -> Result<ConfigurationWriter, LeftOut> {
        let seated = match presence {
            Presence::Configured(_) => Seated::default(),
            Presence::Orphan(orphan) | Presence::Removed(orphan) => seated(orphan)?,
        };
        Ok(ConfigurationWriter {
            names,
            kind,
            seated,
            others: Others::new(names, applying),
            statements: Vec::new(),
            flags: Vec::new(),
            moved_from: None,
            alone: false,
            validates_block: false,
        })
    }

    fn address(&self, name: &str) -> String {
        self.seated.address(self.names, self.kind, name)
    }

    fn presence(&mut self, schema: &Schema, presence: &Presence) -> Result<(), LeftOut> {
        match presence {
            Presence::Configured(configured) => self.configured(schema, configured),
            Presence::Orphan(orphan) => self.orphan(schema, orphan),
            Presence::Removed(orphan) if orphan.block => {
                Err(LeftOut::Unwritable("a removed block for what has a block"))
            }
            Presence::Removed(_) if self.kind == ResourceKind::Data => {
                Err(LeftOut::Unwritable("a removed block for a data resource"))
            }
            Presence::Removed(_) => {
                let from = self.seated.resource(self.names, RESOURCE);
                self.statements.push(Statement::Removed { from });
                Ok(())
            }
        }
    }

    fn configured(&mut self, schema: &Schema, configured: &Configured) -> Result<(), LeftOut> {
        self.others.depend(self.kind, &configured.dependencies)?;
        let applying = self.others.applying;
        if !applying {
            self.others.trigger(&configured.lifecycle.replace_triggered_by)?;
        }
        let mut lifecycle = lifecycle((self.names.dialect, self.kind), configured, applying)?;
        if configured.lifecycle.forced_create_before_destroy {
            self.others.force(&self.names.resource(self.kind, RESOURCE))?;
        }
        if !self.others.triggers.is_empty() {
            let entries = self.others.triggers.iter().map(|entry| Json::string(entry)).collect();
            lifecycle.push(("replace_triggered_by".into(), Json::Array(entries)));
        }
        let mut body = self.body(schema, configured)?;
        if configured.in_check && !lifecycle.is_empty() {
            return Err(LeftOut::Unwritable("conditions of a data resource in a check"));
        }
        if !lifecycle.is_empty() {
            body.push(("lifecycle".into(), Json::Object(lifecycle)));
        }
        if !self.others.depends_on.is_empty() {
            let entries = self.others.depends_on.iter().map(|entry| Json::string(entry)).collect();
            body.push(("depends_on".into(), Json::Array(entries)));
        }
        if self.kind == ResourceKind::Data && !configured.provisioners.is_empty() {
            return Err(LeftOut::Unwritable("a provisioner of a data resource"));
        }
        body.extend(provisioners(&configured.provisioners));
        self.alone |= offends(schema, configured);
        self.block(configured.in_check, Json::Object(body))
    }

    fn body(&mut self, schema: &Schema, configured: &Configured) -> Result<Members, LeftOut> {
        let helper = self.others.next();
        let validated = configured.at_static_validation();
        let (mut sources, early) = match self.others.applying {
            true => (Sources::applying(self.names, helper), Early::Any),
            false if validated.is_wholly_known() => (Sources::planning(self.names, helper), Early::Same),
            false => (Sources::planning(self.names, helper), Early::Seen(validated.view())),
        };
        let part = Part {
            planned: configured.config.value().view(),
            early,
            sensitive: Marks::new(configured.config.sensitive()),
            ephemeral: Marks::new(&configured.ephemeral),
        };
        let referring = std::mem::take(&mut self.others.referring);
        let mut writer = Writer { sources: &mut sources, dialect: self.names.dialect, referring };
        let body = writer.resource(&schema.block, &part)?;
        if let Some(helper) = sources.into_helper() {
            self.others.take(helper);
        }
        Ok(body)
    }

    fn block(&mut self, in_check: bool, body: Json) -> Result<(), LeftOut> {
        let type_name = self.names.type_name();
        self.statements.push(match (in_check, self.kind) {
            (true, ResourceKind::Managed) => return Err(LeftOut::Unwritable("a managed resource in a check")),
            (true, ResourceKind::Data) => Statement::Check { check: self.names.local("c", 0), type_name, body },
            (false, kind) => Statement::Resource { kind, type_name, name: RESOURCE, gone: self.seated.gone, body },
        });
        Ok(())
    }

    /// The rest of a block that does not declare the instance (L127).
    fn orphan(&mut self, schema: &Schema, orphan: &Orphan) -> Result<(), LeftOut> {
        if !orphan.block {
            return Ok(());
        }
        let dialect = self.names.dialect;
        let mut body = least(&schema.block);
        let mut enabled = None;
        match repetition(orphan)? {
            Repetition::Single => {}
            Repetition::Count => body.push(("count".into(), Json::int(0))),
            Repetition::ForEach => body.push(("for_each".into(), Json::Object(Vec::new()))),
            // It is a member of the lifecycle (L127).
            Repetition::Enabled if dialect.has_enabled() => enabled = Some(("enabled".into(), Json::Bool(false))),
            Repetition::Enabled => return Err(LeftOut::Unwritable("a resource that may be enabled")),
        }
        let prevented = prevent_destroy(dialect, orphan.prevent_destroy)?;
        let kept = keep_on_destroy(dialect, orphan.keep_on_destroy)?;
        if self.kind == ResourceKind::Data && (prevented.is_some() || kept.is_some()) {
            return Err(LeftOut::Unwritable("a lifecycle of a data resource"));
        }
        let members: Members = [enabled, prevented, kept].into_iter().flatten().collect();
        if !members.is_empty() {
            body.push(("lifecycle".into(), Json::Object(members)));
        }
        self.validates_block = true;
        self.block(false, Json::Object(body))
    }

    fn import(&mut self, options: &PlanOptions, presence: &Presence) -> Result<(), LeftOut> {
        let Some(id) = &options.import else { return Ok(()) };
        match (presence, self.kind) {
            (Presence::Configured(_), ResourceKind::Managed) if !id.is_empty() => {
                let import = Statement::Import { to: self.address(RESOURCE), id: id.as_str().to_owned() };
                self.statements.push(import);
                Ok(())
            }
            (Presence::Configured(_), ResourceKind::Managed) => Err(LeftOut::Unwritable("an import without an id")),
            _ => Err(LeftOut::Unwritable("an import of what is not configured")),
        }
    }

    /// The resource name of the stored objects.
    fn moved(
        &mut self,
        options: &PlanOptions,
        state: &InstanceState,
        presence: &Presence,
    ) -> Result<&'static str, LeftOut> {
        if options.moved_from.is_none() {
            return Ok(RESOURCE);
        }
        if self.kind == ResourceKind::Data || self.seated.gone || matches!(presence, Presence::Removed(_)) {
            return Err(LeftOut::Unwritable("a move of what cannot be moved"));
        }
        if state.is_absent() {
            return Err(LeftOut::Unwritable("a move of nothing"));
        }
        let resource = |name| self.seated.resource(self.names, name);
        self.statements.push(Statement::Moved { from: resource(MOVED), to: resource(RESOURCE) });
        self.moved_from = Some(self.address(MOVED));
        Ok(MOVED)
    }

    fn finish(self, state: &InstanceState, stored_as: &'static str) -> ConfigurationFiles {
        let address = self.address(RESOURCE);
        let ConfigurationWriter {
            names,
            kind,
            seated,
            others,
            mut statements,
            flags,
            moved_from,
            alone,
            validates_block,
        } = self;
        let Others { helpers, mut objects, statements: beside, dependencies, .. } = others;
        objects.extend(seated.placed(names, kind, stored_as, state, &dependencies));
        statements.extend(beside);
        ConfigurationFiles {
            names,
            address,
            moved_from,
            dependencies,
            helpers,
            objects,
            flags,
            alone,
            validates_block,
            statements,
        }
    }
}

/// The place of an orphan.
fn seated(orphan: &Orphan) -> Result<Seated, LeftOut> {
    // No block counts less than eight.
    let key = match orphan.key {
        KeyKind::None => None,
        KeyKind::Index => Some(Key::Index(7)),
        KeyKind::Text => Some(Key::Text(Text::new("k"))),
    };
    Ok(Seated { gone: orphan.block && !orphan.module, key })
}

/// How the block of an orphan repeats, if such an orphan is possible.
fn repetition(orphan: &Orphan) -> Result<Repetition, LeftOut> {
    let Orphan { module, key, repetition, declared, .. } = orphan;
    // If the module is gone, nothing else matters.
    if !module {
        return Ok(*repetition);
    }
    let is_declared = match (repetition, key) {
        (Repetition::Count, KeyKind::None) => {
            return Err(LeftOut::Unwritable("an instance without a key, which moves where its resource counts"));
        }
        (Repetition::Single, KeyKind::None) => true,
        (Repetition::Single, _) => {
            return Err(LeftOut::Unwritable("an orphan beside the instance of its resource"));
        }
        (Repetition::Count, KeyKind::Index) | (Repetition::ForEach, KeyKind::Text) => *declared,
        _ => false,
    };
    if is_declared { Err(LeftOut::Unwritable("an orphan that its block declares")) } else { Ok(*repetition) }
}

/// Whether the static validation refuses the configuration: an ephemeral value in a place that does not allow it (L03), or an ignored
/// attribute that does not exist (L04). Other checks are more exact; this one serves to run such a walk alone.
fn offends(schema: &Schema, configured: &Configured) -> bool {
    let write_only = |name: &Text| schema.block.attributes.get(name).is_some_and(|attribute| attribute.write_only);
    let first = |path: &WrittenPath| match path.steps().first() {
        Some(WrittenStep::Attribute(name)) => Some(name.clone()),
        _ => None,
    };
    let is_there =
        |name: &Text| schema.block.attributes.get(name).is_some() || schema.block.block_types.get(name).is_some();
    let ignored = match &configured.lifecycle.ignore_changes {
        IgnoreChanges::Some(paths) => paths.as_slice(),
        IgnoreChanges::All => &[],
    };
    configured.ephemeral.iter().any(|path| !first(path).is_some_and(|name| write_only(&name)))
        || ignored.iter().any(|path| !first(path).is_some_and(|name| is_there(&name)) || indexes_nothing(schema, path))
}

/// Whether a path has an index into a value that has no elements to index.
fn indexes_nothing(schema: &Schema, path: &WrittenPath) -> bool {
    let [WrittenStep::Attribute(name), WrittenStep::Index(_) | WrittenStep::Key(_), ..] = path.steps() else {
        return false;
    };
    let is_indexed = |nesting| matches!(nesting, Nesting::List | Nesting::Map);
    if let Some(nested) = schema.block.block_types.get(name) {
        return !is_indexed(nested.nesting);
    }
    match schema.block.attributes.get(name).map(|attribute| &attribute.shape) {
        Some(Shape::Nested(nested)) => !is_indexed(nested.nesting),
        Some(Shape::Leaf(ty)) => matches!(ty, Type::Bool | Type::Number | Type::String | Type::Set(_)),
        None => false,
    }
}
