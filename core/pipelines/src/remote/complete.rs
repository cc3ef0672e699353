//! Completes a planned object as the remote system does: every unknown is replaced (section 3.5 of provider-model.md).

use crate::expression::{Expr, Operation, Scene, Source};
use crate::fnv::Fnv;
use crate::places::{Element, NoScene, Place, Places, Three, collection_of, elements, fill, object_of};
use crate::rules::Gen;
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Type, Value, ValueRef};

/// The completion of one object.
pub(super) struct Completion<'a> {
    root: Three<'a>,
    operation: Operation,
    epoch: u64,
    /// The index and key steps to the current place.
    elements: String,
}

impl<'a> Completion<'a> {
    /// The completed planned object; the plan must not be null.
    pub(super) fn of_plan(places: &Places, root: Three<'a>, operation: Operation, epoch: u64) -> Value {
        if root.plan.is_wholly_known() {
            return root.plan.to_value();
        }
        let mut completion = Completion { root, operation, epoch, elements: String::new() };
        completion.object(places, root, &mut Completion::planned)
    }

    /// The object that a data source reads for a configuration: computed attributes that are not configured are generated.
    pub(super) fn of_data(places: &Places, config: ValueRef<'a>) -> Value {
        let root = Three { config: Some(config), prior: None, plan: config };
        let mut completion = Completion { root, operation: Operation::Create, epoch: 0, elements: String::new() };
        completion.object(places, root, &mut Completion::read)
    }

    fn object(
        &mut self,
        places: &Places,
        at: Three<'a>,
        member: &mut dyn FnMut(&mut Self, &Place, Three<'a>, Three<'a>) -> Value,
    ) -> Value {
        if !at.plan.is_present() {
            return at.plan.to_value();
        }
        let members = at.plan.entries().zip(places.iter());
        let members = members.map(|((name, value), place)| member(self, place, at, at.member(name, value)));
        object_of(at.plan, members.collect())
    }

    fn planned(&mut self, place: &Place, object: Three<'a>, at: Three<'a>) -> Value {
        if at.plan.is_wholly_known() {
            return at.plan.to_value();
        }
        if at.plan.is_unknown() && place.is_block() && at.plan.ty().is_dynamic() {
            return Value::tuple(Vec::new());
        }
        if at.plan.is_unknown() {
            return self.generated(place, place.computed.as_ref().unwrap_or(&Gen::Fill(0)), object, at);
        }
        match place.inside() {
            Some((nesting, inside)) => self.nested(nesting, inside, at, &mut Completion::planned),
            None => self.leaf(place, at.plan),
        }
    }

    fn read(&mut self, place: &Place, object: Three<'a>, at: Three<'a>) -> Value {
        if !place.within.computed {
            return at.plan.to_value();
        }
        if at.plan.is_null() && place.flags.computed {
            return self.generated(place, place.computed.as_ref().unwrap_or(&Gen::Fill(0)), object, at);
        }
        match place.inside() {
            Some((nesting, inside)) => self.nested(nesting, inside, at, &mut Completion::read),
            None => at.plan.to_value(),
        }
    }

    fn nested(
        &mut self,
        nesting: Nesting,
        inside: &Places,
        at: Three<'a>,
        member: &mut dyn FnMut(&mut Self, &Place, Three<'a>, Three<'a>) -> Value,
    ) -> Value {
        if matches!(nesting, Nesting::Single | Nesting::Group) {
            return self.object(inside, at, member);
        }
        if !at.plan.is_present() {
            return at.plan.to_value();
        }
        let each = elements(at.plan).map(|(element, value)| {
            self.within(element, |completion| match value.is_unknown() {
                true => completion.of_unknown_element(inside, value),
                false => completion.object(inside, at.element(element, value), member),
            })
        });
        collection_of(at.plan, each.collect())
    }

    /// An unknown element has no place of its own in the schema: each of its members is filled at the member's place.
    fn of_unknown_element(&mut self, inside: &Places, element: ValueRef<'_>) -> Value {
        let members = inside.iter().filter_map(|place| Some((place, element.member(&place.name)?)));
        let members = members.map(|(place, member)| {
            let hash = self.hash(place, 0);
            without_write_only(place, fill(member.ty(), hash))
        });
        object_of(element, members.collect())
    }

    /// Fills unknowns within a leaf; the path has index and key steps as usual, and the names of fields.
    fn leaf(&mut self, place: &Place, value: ValueRef<'_>) -> Value {
        if value.is_wholly_known() {
            return value.to_value();
        }
        if value.is_unknown() {
            return fill(value.ty(), self.hash(place, 0));
        }
        if value.object_type().is_some() {
            let members = value.entries().map(|(name, member)| {
                let length = self.elements.len();
                self.elements.push('.');
                self.elements.push_str(name);
                let member = self.leaf(place, member);
                self.elements.truncate(length);
                member
            });
            return object_of(value, members.collect());
        }
        let each =
            elements(value).map(|(element, part)| self.within(element, |completion| completion.leaf(place, part)));
        collection_of(value, each.collect())
    }

    fn within<T>(&mut self, element: Element<'_>, make: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.elements.len();
        self.elements.push_str(&element.step().to_string());
        let made = make(self);
        self.elements.truncate(length);
        made
    }

    /// The hash that a place is filled from.
    fn hash(&self, place: &Place, salt: u64) -> Fnv {
        let hash = place.hash.then(&self.elements).then("|").then_number(self.epoch);
        if salt == 0 { hash } else { hash.then("|").then_number(salt) }
    }

    /// The value that a generator (GEN) makes at a place, of the planned type.
    fn generated(&mut self, place: &Place, generator: &Gen, object: Three<'a>, at: Three<'a>) -> Value {
        let ty = at.plan.ty();
        let made = match generator {
            Gen::Null => return Value::null(ty.clone()),
            Gen::Fill(salt) => return without_write_only(place, fill(ty, self.hash(place, *salt))),
            Gen::Const(value) => of_type(value.clone(), ty),
            Gen::Copy(reference) => Expr::Ref(reference.clone()).value(ty, &Seen { completion: self, object, at }),
            Gen::Hash(references) => {
                let parts = references.iter().cloned().map(Expr::Ref).collect();
                Expr::Hash(parts).value(ty, &Seen { completion: self, object, at })
            }
            Gen::Counter(start) => of_type(Value::number(start.saturating_add_unsigned(self.epoch)), ty),
            Gen::Once(generator) => match at.prior {
                Some(prior) if !prior.is_null() && self.operation == Operation::Update => of_type(prior.to_value(), ty),
                _ => return self.generated(place, generator, object, at),
            },
        };
        if made.is_wholly_known() { without_write_only(place, made) } else { Value::null(ty.clone()) }
    }
}

/// The value, of a type that conforms to `ty`; null where it does not convert.
fn of_type(value: Value, ty: &Type) -> Value {
    Expr::Const(value).value(ty, &NoScene)
}

/// A generated value with null for write-only attributes.
fn without_write_only(place: &Place, value: Value) -> Value {
    if !place.within.write_only {
        return value;
    }
    if place.flags.write_only {
        return Value::null(value.ty().clone());
    }
    super::forms::without_write_only(place, value.view())
}

/// The view of references at a place.
struct Seen<'c, 'a> {
    completion: &'c Completion<'a>,
    object: Three<'a>,
    at: Three<'a>,
}

impl Scene for Seen<'_, '_> {
    fn this(&self, source: Source) -> Value {
        self.at.source(source)
    }

    fn object(&self, source: Source) -> Value {
        self.object.source(source)
    }

    fn root(&self, source: Source) -> Value {
        self.completion.root.source(source)
    }

    fn operation(&self) -> Operation {
        self.completion.operation
    }
}
