//! What is there when a life begins: stored objects, and the remote objects that they are about.

use planfuzz_core::json::Json;
use planfuzz_core::state::{DeposedKey, InstanceState, Object, Private, Status, Stored};
use planfuzz_core::value::{Text, Value};

use super::super::outline::{BlockOutline, MemberKind};
use super::super::value::entries::{join_members, member};
use super::super::value::settle::settled;
use super::super::value::{Maker, Role};
use super::facts;
use super::places::{self, Places};

/// What a life begins with.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    pub(super) state: InstanceState,
    pub(super) remote: Vec<Value>,
}

impl Start {
    /// A current object, of which `value` is what it is, and perhaps deposed ones.
    pub(super) fn draw(maker: &mut Maker<'_, '_, '_>, world: &Ground<'_>, value: Option<&Value>) -> Start {
        let mut start = Start::default();
        if let Some(value) = value {
            start.state.current = Some(object(maker, world, value));
            start.remember(maker, value);
        }
        let share = match (world.is_data, value) {
            (true, _) => 0,
            (false, Some(_)) => 20,
            (false, None) => 12,
        };
        for index in 0..maker.dice.run(share, 2) {
            let value = settled(&world.outline.ty, maker.stored_value(world.outline));
            if let Some(key) = DeposedKey::new(&format!("dead000{index}")) {
                start.state.deposed.insert(key, object(maker, world, &value));
            }
            start.remember(maker, &value);
        }
        start
    }

    /// The remote system has the object too, mostly.
    fn remember(&mut self, maker: &mut Maker<'_, '_, '_>, value: &Value) {
        if !maker.dice.chance(8) {
            self.remote.push(value.clone());
        }
    }
}

/// What stored objects are made for.
#[derive(Clone, Copy)]
pub(super) struct Ground<'g> {
    pub(super) outline: &'g BlockOutline,
    pub(super) places: Places<'g>,
    /// The version of the schema.
    pub(super) version: u64,
    /// Whether objects can say that they are to be forgotten (L129).
    pub(super) skips_destroy: bool,
    /// Whether the resource is a data resource, which has no deposed objects.
    pub(super) is_data: bool,
}

fn object(maker: &mut Maker<'_, '_, '_>, ground: &Ground<'_>, value: &Value) -> Object {
    let mut object = Object::ready(value.clone());
    if maker.dice.chance(28) {
        object.stored = raw(maker, ground, value);
    }
    if maker.dice.chance(24) {
        object.status = Status::Tainted;
    }
    if maker.dice.chance(64) {
        object.private = Private::from(&b"kept"[..1 + maker.dice.below(4)]);
    }
    if maker.dice.chance(24) {
        let paths = (0..=maker.dice.below(2)).map(|_| ground.places.value(maker, 48)).collect();
        object.sensitive = places::on(value, &paths);
    }
    object.dependencies = facts::stored_dependencies(maker.dice);
    object.create_before_destroy = maker.dice.chance(40);
    object.skip_destroy = ground.skips_destroy && maker.dice.chance(40);
    object
}

/// The object as another version of the provider, or a person, left it (L05).
fn raw(maker: &mut Maker<'_, '_, '_>, ground: &Ground<'_>, value: &Value) -> Stored {
    let mut attributes = value.to_json(&ground.outline.ty);
    let version = match maker.dice.below(8) {
        0 => ground.version + 1,
        1..=3 => ground.version.saturating_sub(1),
        _ => ground.version,
    };
    if let Json::Object(members) = &mut attributes {
        if maker.dice.chance(64) && !members.is_empty() {
            members.remove(maker.dice.below(members.len()));
        }
        if maker.dice.chance(112) {
            members.push(("gone".into(), Json::string("x")));
        }
        let inner = maker.dice.below(members.len());
        if maker.dice.chance(64)
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
    Stored::Raw { version, attributes }
}

impl Maker<'_, '_, '_> {
    /// An object as it is stored after an apply.
    pub(super) fn stored_value(&mut self, outline: &BlockOutline) -> Value {
        self.refuel();
        self.known(|maker| maker.block(outline, Role::State))
    }

    /// An object as it may be stored after an apply of this configuration.
    pub(super) fn applied(&mut self, outline: &BlockOutline, config: &Value) -> Value {
        self.refuel();
        let null = Value::null(outline.ty.clone());
        let planned = self.answer(outline, null.view(), config);
        let applied = self.complete(outline, &planned);
        without_write_only(outline, applied)
    }
}

/// A stored object holds nothing that is write-only (I49).
fn without_write_only(outline: &BlockOutline, value: Value) -> Value {
    if value.node().as_seq().is_none() {
        return value;
    }
    let members = outline.members.iter().enumerate().map(|(index, part)| match &part.kind {
        MemberKind::Attribute(attribute) if attribute.write_only => Value::null(attribute.ty.clone()),
        _ => member(outline, value.view(), index),
    });
    join_members(outline, members.collect())
}

/// Ids that a user gives when importing.
pub(super) fn import_id(maker: &mut Maker<'_, '_, '_>) -> Text {
    maker.dice.pick(&maker.pools.texts[..3]).clone()
}
