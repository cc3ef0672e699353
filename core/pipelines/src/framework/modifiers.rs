//! Step 6 of a plan: attribute and block plan modifiers (F50 to F63).

use crate::expression::{Operation, Scene, Source};
use crate::rules::Mod;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Text, Type, Value, ValueRef, WrittenPath, WrittenStep};

use super::duplicates::has_duplicate;
use super::modifier::{self, Whole};
use super::parts::{change_objects, spread, with_members};
use super::program::{Member, Nest, Object, Part};
use super::{Diagnostic, Replace};

/// Values of one place in the configuration, the prior state and the plan as it was when the step began.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub config: ValueRef<'a>,
    pub prior: ValueRef<'a>,
    pub plan: ValueRef<'a>,
}

impl<'a> Sides<'a> {
    fn map(self, of: impl Fn(ValueRef<'a>) -> ValueRef<'a>) -> Sides<'a> {
        Sides { config: of(self.config), prior: of(self.prior), plan: of(self.plan) }
    }

    fn get(self, source: Source) -> ValueRef<'a> {
        match source {
            Source::Config => self.config,
            Source::Prior => self.prior,
            Source::Plan => self.plan,
        }
    }
}

/// The place of a modifier: its path from the root; elements of sets are not distinguished (F07).
#[derive(Clone, Copy)]
enum Here<'a> {
    Root,
    Attribute(&'a Here<'a>, &'a Text),
    Index(&'a Here<'a>, usize),
    Key(&'a Here<'a>, &'a Text),
    Element(&'a Here<'a>),
}

impl Here<'_> {
    fn push(&self, steps: &mut Vec<WrittenStep>) {
        let (before, step) = match self {
            Here::Root => return,
            Here::Attribute(before, name) => (before, WrittenStep::Attribute((*name).clone())),
            Here::Index(before, index) => (before, WrittenStep::Index(*index as u64)),
            Here::Key(before, key) => (before, WrittenStep::Key((*key).clone())),
            Here::Element(before) => (before, WrittenStep::Element),
        };
        before.push(steps);
        steps.push(step);
    }

    fn path(&self) -> WrittenPath {
        let mut steps = Vec::new();
        self.push(&mut steps);
        WrittenPath::new(steps)
    }
}

/// A place that modifiers run on.
#[derive(Clone, Copy)]
struct Spot<'v> {
    /// The object that it is an attribute or block of.
    object: Sides<'v>,
    /// Its own values.
    this: Sides<'v>,
    /// What is planned for it so far.
    plan: ValueRef<'v>,
    here: &'v Here<'v>,
}

/// The running step.
pub(super) struct Step6<'a> {
    root: Sides<'a>,
    operation: Operation,
    whole: Whole,
    pub replace: Replace,
    pub errors: Vec<Diagnostic>,
}

/// The view of a modifier on one attribute (F51).
struct View<'v> {
    root: Sides<'v>,
    object: Sides<'v>,
    this: Sides<'v>,
    running: &'v Value,
    operation: Operation,
}

impl Scene for View<'_> {
    fn this(&self, source: Source) -> Value {
        match source {
            Source::Plan => self.running.clone(),
            other => self.this.get(other).to_value(),
        }
    }

    fn object(&self, source: Source) -> Value {
        self.object.get(source).to_value()
    }

    fn root(&self, source: Source) -> Value {
        self.root.get(source).to_value()
    }

    fn operation(&self) -> Operation {
        self.operation
    }
}

impl<'a> Step6<'a> {
    pub fn new(root: Sides<'a>, operation: Operation) -> Step6<'a> {
        let whole = Whole { state_null: root.prior.is_null(), plan_null: root.plan.is_null() };
        Step6 { root, operation, whole, replace: Replace::default(), errors: Vec::new() }
    }

    /// The plan after the modifiers; `None` if they changed nothing. Every top-level value is checked (F63).
    pub fn run(&mut self, object: &Object) -> Option<Value> {
        let sides = self.root;
        let mut changes = Vec::new();
        for (index, member) in object.members() {
            let this = sides.map(|side| object.member(side, index));
            let here = Here::Attribute(&Here::Root, &member.name);
            let changed = match is_walked(member) {
                true => self.member(member, Spot { object: sides, this, plan: this.plan, here: &here }),
                false => None,
            };
            if member.has.set {
                let result = changed.as_ref().map_or(this.plan, Value::view);
                self.check_duplicates(&member.ty, this, result, &here);
            }
            changes.extend(changed.map(|value| (index, value)));
        }
        with_members(object, sides.plan, changes)
    }

    fn check_duplicates(&mut self, ty: &Type, this: Sides<'_>, result: ValueRef<'_>, here: &Here<'_>) {
        if [this.config, this.plan, this.prior, result].into_iter().any(|value| has_duplicate(ty, value)) {
            self.errors.push(Diagnostic::new("F63", here.path(), "a set has two equal elements"));
        }
    }

    /// An attribute or block: its own modifiers, then its contents.
    fn member(&mut self, member: &Member, spot: Spot<'_>) -> Option<Value> {
        let Spot { object, this, plan, here } = spot;
        let own = match self.modify(&member.plan, &member.ty, spot) {
            Ok(own) => own,
            Err(Stopped) => return None,
        };
        let value = own.as_ref().map_or(plan, Value::view);
        let nest = match &member.part {
            Part::Nested(nest) | Part::Block(nest) if value.is_present() => nest,
            _ => return own,
        };
        let is_block = matches!(member.part, Part::Block(_));
        let inside = change_objects(nest, value, |position, plan| {
            let this = this.map(|side| corresponding(nest, side, value, position));
            let here = match nest.nesting {
                Nesting::Single | Nesting::Group => *here,
                Nesting::List => Here::Index(here, position),
                Nesting::Map => key_of(value, position).map_or(*here, |key| Here::Key(here, key)),
                Nesting::Set => Here::Element(here),
            };
            self.element(nest, &member.element_plan, is_block, Spot { object, this, plan, here: &here })
        });
        inside.or(own)
    }

    /// An object of a nested attribute or block (F57, F58).
    fn element(&mut self, nest: &Nest, modifiers: &[Mod], is_block: bool, spot: Spot<'_>) -> Option<Value> {
        let Spot { this, plan, here, .. } = spot;
        let own = match self.modify(modifiers, &nest.object.ty, spot) {
            Ok(own) => own,
            Err(Stopped) => return None,
        };
        if !nest.object.has.modifiers && !is_block {
            return own;
        }
        let value = own.as_ref().map_or(plan, Value::view);
        if value.is_present() {
            return self.object(&nest.object, this, value, here).or(own);
        }
        if !is_block {
            return own;
        }
        let node = if value.is_null() { &Node::Null } else { &Node::UNKNOWN };
        let known = spread(&nest.object, node);
        self.object(&nest.object, this, known.view(), here).or(Some(known))
    }

    /// The members of an object (F61).
    fn object(&mut self, object: &Object, this: Sides<'_>, plan: ValueRef<'_>, here: &Here<'_>) -> Option<Value> {
        let mut changes = Vec::new();
        for (index, member) in object.members().filter(|(_, member)| is_walked(member)) {
            let here = Here::Attribute(here, &member.name);
            let of_member = this.map(|side| object.member(side, index));
            let spot = Spot { object: this, this: of_member, plan: object.member(plan, index), here: &here };
            let changed = self.member(member, spot);
            changes.extend(changed.map(|value| (index, value)));
        }
        with_members(object, plan, changes)
    }

    /// Runs modifiers in order (F52); the first error ends them (F53).
    fn modify(&mut self, modifiers: &[Mod], ty: &Type, spot: Spot<'_>) -> Result<Option<Value>, Stopped> {
        if modifiers.is_empty() {
            return Ok(None);
        }
        let Spot { object, this, plan, here } = spot;
        let mut running = plan.to_value();
        let mut is_changed = false;
        for one in modifiers {
            let view = View { root: self.root, object, this, running: &running, operation: self.operation };
            let effect = modifier::run(one, ty, self.whole, &view);
            if effect.is_error {
                self.errors.push(Diagnostic::new("F53", here.path(), "a plan modifier reports an error"));
                return Err(Stopped);
            }
            if effect.requires_replace {
                self.replace.add(here.path());
            }
            if let Some(value) = effect.value {
                running = value;
                is_changed = true;
            }
        }
        Ok(is_changed.then_some(running))
    }
}

/// Whether the step has to walk into a member: it has modifiers inside, or is a block, whose null and unknown elements become objects
/// (F58).
pub(super) fn is_walked(member: &Member) -> bool {
    member.has.modifiers || matches!(member.part, Part::Block(_))
}

/// A modifier reported an error.
struct Stopped;

/// F55: the value at the position or key of the plan's element in another collection.
fn corresponding<'a>(nest: &'a Nest, side: ValueRef<'a>, plan: ValueRef<'_>, position: usize) -> ValueRef<'a> {
    let object = &nest.object.ty;
    if nest.nesting == Nesting::Single {
        return side;
    }
    if side.is_unknown() {
        return ValueRef::unknown(object);
    }
    let found = match nest.nesting {
        Nesting::Map => key_of(plan, position).and_then(|key| side.entry(key)),
        _ => side.element(position),
    };
    found.unwrap_or_else(|| ValueRef::null(object))
}

fn key_of(map: ValueRef<'_>, position: usize) -> Option<&Text> {
    match map.node() {
        Node::Map(map) => map.keys().get(position),
        _ => None,
    }
}
