//! The start of a scenario: stored objects, and the remote objects behind them.

use planfuzz_core::json::Json;
use planfuzz_core::schema::Schema;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{Number, Step, Text, Type, Value, ValueError, ValueRef};
use planfuzz_pipelines::sdk::ID;

use super::super::outline::BlockOutline;
use super::super::value::settle::settled;
use super::super::value::{Role, ValueGenerator};
use super::facts;
use super::places::{self, Places};

/// The state and the remote objects at the start of a scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    pub(super) state: InstanceState,
    pub(super) remote: Vec<Value>,
    /// For each stored object, the current one first: whether the remote system has it.
    is_there: Vec<bool>,
}

/// Remote objects with this number or a higher one do not exist.
const GONE: usize = 1_000_000;

impl Start {
    /// A start with `value` as the current object, and perhaps deposed ones.
    pub(super) fn draw(
        values: &mut ValueGenerator<'_, '_, '_>,
        context: &StoredContext<'_>,
        value: Option<&Value>,
    ) -> Start {
        let mut start = Start::default();
        if let Some(value) = value {
            let value = &identified(values, context, value.clone());
            start.state.current = Some(object(values, context, value));
            start.remember(values, value);
        }
        let share = match (context.is_data, value) {
            (true, _) => 0,
            (false, Some(_)) => 20,
            (false, None) => 12,
        };
        for index in 0..values.dice.run(share, 2) {
            let value = settled(&context.outline.ty, values.stored_value(context.outline));
            let value = identified(values, context, value);
            if let Some(key) = DeposedKey::new(&format!("dead000{index}")) {
                start.state.deposed.insert(key, object(values, context, &value));
            }
            start.remember(values, &value);
        }
        if values.dice.chance(232) {
            start.identify_remotes();
        }
        start
    }

    /// Adds the object to the remote system, mostly.
    fn remember(&mut self, values: &mut ValueGenerator<'_, '_, '_>, value: &Value) {
        let is_there = !values.dice.chance(8);
        self.is_there.push(is_there);
        if is_there {
            self.remote.push(value.clone());
        }
    }

    /// If there are several objects, the provider's private data identify the remote object (WS4). The oldest remote object is the last.
    fn identify_remotes(&mut self) {
        let InstanceState { current, deposed } = &mut self.state;
        let objects = current.iter_mut().chain(deposed.values_mut());
        if self.is_there.len() < 2 {
            return;
        }
        let mut next = self.remote.len();
        for (index, (object, is_there)) in objects.zip(&self.is_there).enumerate() {
            let number = if *is_there { next } else { GONE + index };
            next -= usize::from(*is_there);
            object.private = Private::from(format!("r{number}/apply/0").as_bytes());
        }
    }
}

/// The context that stored objects are made in.
#[derive(Clone, Copy)]
pub(super) struct StoredContext<'g> {
    pub(super) outline: &'g BlockOutline,
    pub(super) places: Places<'g>,
    pub(super) schema: &'g Schema,
    /// Whether objects can be marked to be forgotten (L129).
    pub(super) skips_destroy: bool,
    /// Whether the provider is one of the SDK.
    pub(super) is_sdk: bool,
    /// Whether the resource is a data resource, which has no deposed objects.
    pub(super) is_data: bool,
    /// Whether the provider's upgrade breaks its contract anyway, so that write-only values may be stored (L05).
    pub(super) is_upgrade_faulty: bool,
}

fn object(values: &mut ValueGenerator<'_, '_, '_>, context: &StoredContext<'_>, value: &Value) -> Object {
    let value = &without_write_only(context.schema, value.clone());
    let mut object = Object::ready(value.clone());
    if context.is_upgrade_faulty {
        let attributes = with_write_only(context.schema, value).to_json(&context.outline.ty);
        object.stored = Stored::Raw { version: context.schema.version, attributes: attributes.into() };
    } else if values.dice.chance(28) {
        object.stored = raw(values, context, value);
    }
    if values.dice.chance(24) {
        object.status = Status::Tainted;
    }
    if values.dice.chance(64) {
        object.private = Private::from(&b"kept"[..1 + values.dice.below(4)]);
    }
    if values.dice.chance(24) {
        let paths = (0..=values.dice.below(2)).map(|_| context.places.value(values, 48)).collect();
        object.sensitive = places::on(value, &paths);
    }
    object.dependencies = facts::stored_dependencies(values.dice);
    object.create_before_destroy = values.dice.chance(40);
    object.skip_destroy = context.skips_destroy && values.dice.chance(40);
    object
}

/// The object as another version of the provider, or a person, left it (L05).
fn raw(values: &mut ValueGenerator<'_, '_, '_>, context: &StoredContext<'_>, value: &Value) -> Stored {
    let mut attributes = value.to_json(&context.outline.ty);
    let version = match values.dice.below(8) {
        0 => context.schema.version + 1,
        1..=3 => context.schema.version.saturating_sub(1),
        _ => context.schema.version,
    };
    if let Json::Object(members) = &mut attributes {
        if values.dice.chance(64) && !members.is_empty() {
            members.remove(values.dice.below(members.len()));
        }
        if values.dice.chance(112) {
            members.push(("gone".into(), Json::string("x")));
        }
        let inner = values.dice.below(members.len());
        if values.dice.chance(64)
            && let Some((_, member)) = members.get_mut(inner)
        {
            let object = match member {
                Json::Array(items) => items.first_mut(),
                object => Some(object),
            };
            if let Some(Json::Object(members)) = object {
                members.push(("gone_too".into(), Json::int(1)));
            }
        }
    }
    Stored::Raw { version, attributes: attributes.into() }
}

impl ValueGenerator<'_, '_, '_> {
    /// An object as it is stored after an apply.
    pub(super) fn stored_value(&mut self, outline: &BlockOutline) -> Value {
        self.refuel();
        self.known(|values| values.block(outline, Role::State))
    }

    /// An object as it may be stored after an apply of this configuration.
    pub(super) fn applied(&mut self, outline: &BlockOutline, config: &Value) -> Value {
        self.refuel();
        let null = Value::null(outline.ty.clone());
        let planned = self.answer(outline, null.view(), config);
        self.complete(outline, &planned)
    }
}

/// Gives an object of the SDK an id, mostly: without an id the SDK takes it for absent (Z51).
fn identified(values: &mut ValueGenerator<'_, '_, '_>, context: &StoredContext<'_>, value: Value) -> Value {
    let id = value.view().member(ID).and_then(ValueRef::as_text);
    if !context.is_sdk || id.is_some_and(|id| !id.is_empty()) || values.dice.chance(8) {
        return value;
    }
    let made = value.view().transform::<ValueError>(&mut |path, part| {
        let is_id = matches!(path.steps()[..], [Step::Attribute(name)] if &**name == ID);
        Ok(if is_id { Value::string("i-1") } else { part })
    });
    made.unwrap_or(value)
}

/// The object with values that may have been stored for its write-only attributes before they were write-only.
fn with_write_only(schema: &Schema, value: &Value) -> Value {
    let filled = value.view().transform::<ValueError>(&mut |path, part| {
        let is_write_only = schema.block.attribute_at(path).is_some_and(|attribute| attribute.write_only);
        Ok(match part.ty() {
            _ if !is_write_only || !part.is_null() => part,
            Type::String => Value::string("b"),
            Type::Number => Value::number(Number::counted(1_i64)),
            Type::Bool => Value::bool(true),
            _ => part,
        })
    });
    // The elements of a collection keep one common type, so `transform` does not fail.
    filled.unwrap_or_else(|_| value.clone())
}

/// A stored object has no write-only values (I49).
pub(super) fn without_write_only(schema: &Schema, value: Value) -> Value {
    if schema.write_only_paths(value.view()).is_ok_and(|paths| paths.is_empty()) {
        return value;
    }
    let emptied = value.view().transform::<ValueError>(&mut |path, part| {
        let is_write_only = schema.block.attribute_at(path).is_some_and(|attribute| attribute.write_only);
        Ok(if is_write_only { Value::null(part.ty().clone()) } else { part })
    });
    // The elements of a collection keep one common type, so `transform` does not fail.
    emptied.unwrap_or(value)
}

/// Ids that a user gives when importing.
pub(super) fn import_id(values: &mut ValueGenerator<'_, '_, '_>) -> Text {
    values.dice.pick(&values.pools.texts[..3]).clone()
}
