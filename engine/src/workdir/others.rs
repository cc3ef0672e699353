//! Other resources that a walk refers to: its dependencies, the triggers of a replacement, and one that forces its order.

use planfuzz_core::address::ResourceKind;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Dependency, Link, Trigger, TriggerChange};
use planfuzz_core::plans::{Action, Marked};
use planfuzz_core::state::Object;
use planfuzz_core::value::{Path, Text, Type, Value, ValueRef, WrittenPath, WrittenStep};

use super::body::Members;
use super::configuration_files::{Key, Placed, Statement};
use super::expression::Expression;
use super::lifecycle::traversal;
use super::marks::Marks;
use super::names::{HELPER, Names};
use super::sources::Sources;
use super::values::{Early, Place};
use crate::helper::{Helper, computed};
use crate::job::LeftOut;

/// The resources beside an instance, collected while its walk is written.
#[derive(Debug)]
pub struct Others {
    pub(super) names: Names,
    pub(super) applying: bool,
    pub(super) helpers: Vec<Helper>,
    pub(super) objects: Vec<Placed>,
    pub(super) statements: Vec<Statement>,
    pub(super) dependencies: Vec<(String, Option<Text>)>,
    /// Entries of `depends_on`.
    pub(super) depends_on: Vec<String>,
    /// References that do not affect the configuration's value.
    pub(super) referring: Vec<String>,
    /// Entries of `replace_triggered_by`.
    pub(super) triggers: Vec<String>,
}

/// The attribute that makes a helper's change something other than a no-op.
const CHANGE: &str = "planfuzz_change";

/// The stored object of a helper, and what its provider answers.
struct Answered {
    planned: Value,
    applied: Value,
    stored: Option<Value>,
    requires_replace: Vec<WrittenPath>,
}

impl Answered {
    /// The same value planned and applied, with nothing stored.
    fn always(value: Value) -> Answered {
        Answered { planned: value.clone(), applied: value, stored: None, requires_replace: Vec::new() }
    }
}

impl Others {
    pub(super) fn new(names: Names, applying: bool) -> Others {
        Others {
            names,
            applying,
            helpers: Vec::new(),
            objects: Vec::new(),
            statements: Vec::new(),
            dependencies: Vec::new(),
            depends_on: Vec::new(),
            referring: Vec::new(),
            triggers: Vec::new(),
        }
    }

    /// Adds the dependencies of an instance. Those of a managed one matter only as addresses; a data resource also considers their planned
    /// changes and how they are linked (L142).
    pub(super) fn depend(&mut self, kind: ResourceKind, dependencies: &[Dependency]) -> Result<(), LeftOut> {
        for dependency in dependencies {
            let helpers = match (kind, dependency.kind) {
                (ResourceKind::Data, ResourceKind::Managed) if !self.applying => self.pending(&dependency.actions)?,
                (_, ResourceKind::Managed) => vec![self.plain()?],
                (_, ResourceKind::Data) => vec![self.read()],
            };
            for helper in helpers {
                let address = self.names.helper(dependency.kind, helper);
                self.dependencies.push((address.clone(), Some(dependency.address.clone())));
                match (kind, dependency.link) {
                    (ResourceKind::Managed, _) | (_, Link::DependsOn) => self.depends_on.push(address),
                    (_, Link::Reference) => self.referring.push(address),
                    (_, Link::Transitive) => {
                        let name = self.names.local("t", helper);
                        self.referring.push(format!("local.{name}"));
                        self.statements
                            .push(Statement::Local { name, value: super::expression::interpolated(&address) });
                    }
                }
            }
        }
        Ok(())
    }

    /// L06: adds a resource that depends on this one and is created before it is destroyed.
    pub(super) fn force(&mut self, address: &str) -> Result<(), LeftOut> {
        let depends_on = Json::Array(vec![Json::string(address)]);
        let lifecycle = Json::object([("create_before_destroy", Json::Bool(true))]);
        let body = vec![("depends_on".into(), depends_on), ("lifecycle".into(), lifecycle)];
        let change = if self.applying { Action::NoOp } else { Action::Create };
        let address = self.changing(&switched(change), body)?;
        // That resource depends on the instance, not the other way round.
        self.dependencies.retain(|(other, _)| *other != address.resource);
        Ok(())
    }

    /// `replace_triggered_by` (section 11). An entry for several instances becomes one for each: any of them fires it.
    pub(super) fn trigger(&mut self, triggers: &[Trigger]) -> Result<(), LeftOut> {
        for trigger in triggers {
            if trigger.changes.is_empty() {
                let helper = self.none();
                self.name_trigger(&self.names.helper(ResourceKind::Managed, helper), "[0]", trigger)?;
            }
            if trigger.attribute.is_some() && trigger.changes.len() > 1 {
                return Err(LeftOut::Unwritable("an attribute of several instances"));
            }
            for change in &trigger.changes {
                if let Some(attribute) = &trigger.attribute {
                    has_attribute(change, attribute)?;
                }
                let added = self.changing(change, Members::new())?;
                self.name_trigger(&added.resource, added.key, trigger)?;
            }
        }
        Ok(())
    }

    fn name_trigger(&mut self, resource: &str, key: &str, trigger: &Trigger) -> Result<(), LeftOut> {
        self.triggers.push(match &trigger.attribute {
            None => resource.to_owned(),
            Some(path) => format!("{resource}{key}.{}", traversal(path)?),
        });
        Ok(())
    }

    /// A managed resource whose own change does not matter.
    fn plain(&mut self) -> Result<usize, LeftOut> {
        let number = self.helpers.len();
        let action = if self.applying { Action::NoOp } else { Action::Create };
        self.changing(&switched(action), Members::new())?;
        self.forget_last();
        Ok(number)
    }

    /// A resource for each of these changes.
    fn pending(&mut self, actions: &[Action]) -> Result<Vec<usize>, LeftOut> {
        let first = self.helpers.len();
        if actions.is_empty() {
            self.none();
            self.forget_last();
        }
        for action in actions {
            self.changing(&switched(*action), Members::new())?;
            self.forget_last();
        }
        Ok((first..self.helpers.len()).collect())
    }

    /// Drops the last dependency: the caller adds it under the walk's own name.
    fn forget_last(&mut self) {
        self.dependencies.pop();
    }

    /// A resource without instances.
    fn none(&mut self) -> usize {
        let null = Value::object(vec![(Text::new(CHANGE), Value::null(Type::Bool))]);
        let body = vec![("count".into(), Json::int(0))];
        self.add(ResourceKind::Managed, Answered::always(null), body)
    }

    /// A data resource that is read.
    fn read(&mut self) -> usize {
        let value = Value::object(vec![(Text::new(CHANGE), Value::bool(false))]);
        let number = self.add(ResourceKind::Data, Answered::always(value), Members::new());
        self.forget_last();
        number
    }

    /// A resource with this planned change.
    fn changing(&mut self, change: &TriggerChange, body: Members) -> Result<Added, LeftOut> {
        let (action, has_stored) = (change.action, change.action != Action::Create);
        let (before, after) = match action {
            Action::Create => (None, object(&change.after)?),
            Action::Delete => (Some(object(&change.before)?), object(&change.before)?),
            _ => (Some(object(&change.before)?), object(&change.after)?),
        };
        let mut body = body;
        let mut requires_replace = Vec::new();
        match action {
            Action::Create | Action::Update => {}
            Action::NoOp => {
                if before.as_ref() != Some(&after) {
                    return Err(LeftOut::Unwritable("a change that does nothing to what is other than before"));
                }
            }
            Action::DeleteThenCreate => requires_replace.push(changed()),
            Action::CreateThenDelete => {
                requires_replace.push(changed());
                let lifecycle = Json::object([("create_before_destroy", Json::Bool(true))]);
                body.push(("lifecycle".into(), lifecycle));
            }
            Action::Delete => body.push(("count".into(), Json::int(0))),
            _ => return Err(LeftOut::Unwritable("another resource's change that no plan of it comes to")),
        }
        if before.as_ref().is_some_and(|before| !before.value().is_wholly_known()) {
            return Err(LeftOut::Unwritable("an unknown in another resource's object"));
        }
        if before.as_ref().is_some_and(|before| !names(before).eq(names(&after))) {
            return Err(LeftOut::Unwritable("another resource's object of two schemas"));
        }
        if action != Action::Delete {
            body.extend(marked(&after)?);
        }
        let switch = |marked: &Marked, on: bool| with_change(marked.value(), on);
        let changes = !matches!(action, Action::NoOp | Action::Delete);
        let planned = switch(&after, changes)?;
        let applied = known(&planned);
        let stored = before.as_ref().map(|before| switch(before, false)).transpose()?;
        let answered = Answered { planned, applied, stored, requires_replace };
        let number = self.add(ResourceKind::Managed, answered, body);
        let key = if action == Action::Delete { "[0]" } else { "" };
        if let (true, Some(placed), Some(before)) = (has_stored, self.objects.last_mut(), before) {
            placed.object.sensitive = before.sensitive().clone();
            placed.key = (action == Action::Delete).then_some(Key::Index(0));
        }
        Ok(Added { resource: self.names.helper(ResourceKind::Managed, number), key })
    }

    fn add(&mut self, kind: ResourceKind, answered: Answered, body: Members) -> usize {
        let Answered { planned, applied, stored, requires_replace } = answered;
        let number = self.helpers.len();
        let type_name = self.names.helper_type(number);
        let attributes = planned.view().entries().map(|(name, _)| (name.clone(), Type::Dynamic));
        let helper = Helper {
            type_name: type_name.clone(),
            kind,
            schema: computed(attributes),
            stored: stored.clone(),
            planned,
            requires_replace,
            applied,
        };
        if let Some(stored) = stored {
            self.objects.push(Placed {
                module: String::new(),
                kind,
                type_name: type_name.clone(),
                name: HELPER,
                key: None,
                deposed: None,
                provider: self.names.provider_address.source(),
                object: Object::ready(stored),
            });
        }
        let body = Json::Object(body);
        self.statements.push(Statement::Resource { kind, type_name, name: HELPER, gone: false, body });
        self.dependencies.push((self.names.helper(kind, number), None));
        self.helpers.push(helper);
        number
    }

    /// Adds the helper that provides unknowns, whose number was [`Others::next`].
    pub(super) fn take(&mut self, helper: Helper) {
        self.dependencies.push((format!("{}.{HELPER}", helper.type_name), None));
        let (kind, type_name) = (helper.kind, helper.type_name.clone());
        let body = Json::Object(Vec::new());
        self.statements.push(Statement::Resource { kind, type_name, name: HELPER, gone: false, body });
        self.helpers.push(helper);
    }

    /// The number of the next helper.
    pub(super) fn next(&self) -> usize {
        self.helpers.len()
    }
}

/// A helper that was added: its address, and the key of its instance in references.
struct Added {
    resource: String,
    key: &'static str,
}

/// A change of only the attribute [`CHANGE`].
fn switched(action: Action) -> TriggerChange {
    let nothing = || Marked::plain(Value::object(Vec::new()));
    TriggerChange { action, before: nothing(), after: nothing() }
}

fn changed() -> WrittenPath {
    WrittenPath::from(&Path::root().attribute(&Text::new(CHANGE)))
}

fn object(marked: &Marked) -> Result<Marked, LeftOut> {
    let is_object = matches!(marked.value().ty(), Type::Object(_)) && marked.value().view().is_present();
    let is_free =
        marked.value().view().member(CHANGE).is_none() && !marked.sensitive().contains(&WrittenPath::default());
    if is_object && is_free {
        Ok(marked.clone())
    } else {
        Err(LeftOut::Unwritable("another resource that is no object"))
    }
}

fn names(marked: &Marked) -> impl Iterator<Item = &Text> {
    marked.value().view().entries().map(|(name, _)| name)
}

fn with_change(value: &Value, on: bool) -> Result<Value, LeftOut> {
    let members = value.view().entries().map(|(name, member)| (name.clone(), member.to_value()));
    Ok(Value::object(members.chain([(Text::new(CHANGE), Value::bool(on))]).collect()))
}

/// The arguments that mark parts of an object: a mark comes from the configuration.
fn marked(after: &Marked) -> Result<Members, LeftOut> {
    let marks = Marks::new(after.sensitive());
    let mut members = Members::new();
    let mut sources = Sources::bare();
    for (name, member) in after.value().view().entries() {
        let sensitive = marks.attribute(name);
        if sensitive.is_empty() {
            continue;
        }
        let place = Place { planned: member, early: Early::Any, sensitive, ephemeral: Marks::default(), exact: true };
        let expression: Expression = place.expression(&mut sources)?;
        members.push((name.as_str().into(), expression.to_json()));
    }
    Ok(members)
}

/// The planned object with null in place of unknowns.
fn known(planned: &Value) -> Value {
    let member = |(name, member): (&Text, ValueRef<'_>)| {
        let value = if member.is_wholly_known() { member.to_value() } else { Value::null(Type::Dynamic) };
        (name.clone(), value)
    };
    Value::object(planned.view().entries().map(member).collect())
}

/// Refuses a trigger attribute that the schema lacks: an engine would refuse the reference before it plans anything.
fn has_attribute(change: &TriggerChange, path: &WrittenPath) -> Result<(), LeftOut> {
    let has = |marked: &Marked| match path.steps().first() {
        Some(WrittenStep::Attribute(name)) => marked.value().view().member(name).is_some(),
        _ => false,
    };
    let known = match change.action {
        Action::Create => has(&change.after),
        Action::Delete => has(&change.before),
        _ => has(&change.before) && has(&change.after),
    };
    if known { Ok(()) } else { Err(LeftOut::Unwritable("a trigger of an attribute that its resource does not have")) }
}
