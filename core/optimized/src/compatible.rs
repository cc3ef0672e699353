//! Apply compatibility (section 4 of merge-and-rules.md).
//!
//! One shared part on both sides is compatible with itself (MP18), except where a computed block (C10), an unknown map
//! block inside a set or the content of an untyped block (AC20) makes a difference. Set elements are correlated by probing:
//! the same walk, which only decides whether there is a violation and stops at the first.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::{Refusal, Violation};
use planfuzz_core::schema::Nesting;
use planfuzz_core::value::{Node, Tri, Truth, Type, ValueRef, includes};

use super::flags::{Flags, look_compatible};
use super::here::Here;
use super::kinds;
use super::program::{Inner, Kind, Member, Object};
use super::valid::Entries;
use super::valid_blocks::entry_near;

/// One run of the check.
pub(super) struct Compare {
    pub(super) computed_blocks: bool,
    /// Whether only the existence of a violation matters, and whether one was found.
    probing: bool,
    failed: bool,
    pub(super) violations: Vec<Violation>,
}

/// The two sides of a place.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) planned: ValueRef<'a>,
    pub(super) actual: ValueRef<'a>,
}

pub(super) type Compared = Result<(), Refusal>;

impl<'a> Pair<'a> {
    pub(super) fn new(planned: ValueRef<'a>, actual: ValueRef<'a>) -> Pair<'a> {
        Pair { planned, actual }
    }

    fn member(self, object: &'a Object, index: usize) -> Pair<'a> {
        Pair { planned: object.member(self.planned, index), actual: object.member(self.actual, index) }
    }

    /// Whether the member's payloads alone show that they are compatible.
    fn shows_compatible(self, flags: Flags, index: usize) -> bool {
        match (self.planned.node().parts().get(index), self.actual.node().parts().get(index)) {
            (Some(planned), Some(actual)) => flags.shows_compatible(planned, actual),
            _ => false,
        }
    }

    pub(super) fn is_shared(self) -> bool {
        self.planned.node().ptr_eq(self.actual.node())
    }

    /// Whether one of the two is null or unknown.
    fn is_vague(self) -> bool {
        !self.planned.is_present() || !self.actual.is_present()
    }
}

impl Compare {
    pub(super) fn new(dialect: Dialect) -> Compare {
        Compare {
            computed_blocks: dialect.has_computed_blocks(),
            probing: false,
            failed: false,
            violations: Vec::new(),
        }
    }

    #[cold]
    pub(super) fn violation(&mut self, here: &Here<'_>, rule: &'static str) {
        if self.probing {
            self.failed = true;
        } else {
            self.violations.push(Violation::new(here.path(), rule));
        }
    }

    /// Whether `check` finds no violation.
    pub(super) fn probe(&mut self, check: impl FnOnce(&mut Compare) -> Compared) -> Result<bool, Refusal> {
        let before = (self.probing, self.failed);
        (self.probing, self.failed) = (true, false);
        let checked = check(self);
        let held = !self.failed;
        (self.probing, self.failed) = before;
        checked.map(|()| held)
    }

    /// AC01.
    pub(super) fn block(&mut self, object: &Object, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let Pair { planned, actual } = pair;
        if planned.is_null() || actual.is_null() {
            if planned.is_null() != actual.is_null() {
                self.violation(here, "AC01");
            }
            return Ok(());
        }
        let holds = object.holds;
        let reflexive =
            !holds.computed_blocks && !holds.untyped_blocks && (!holds.map_blocks || actual.is_wholly_known());
        if reflexive && pair.is_shared() && (!holds.dynamic || planned.ty() == actual.ty()) {
            return Ok(());
        }
        let stop = self.computed_blocks && holds.computed_blocks;
        let stop = if stop { stopping_block(object, pair) } else { None };
        if let Some((block, true)) = stop {
            self.refuse_before(object, block, pair, here)?;
            return self.value(pair.member(object, block), &Here::Root);
        }
        self.attributes(object, pair, here)?;
        if !holds.structure {
            return Ok(());
        }
        for (index, member) in object.members.iter().enumerate() {
            let Kind::Block(inner) = &member.kind else { continue };
            if self.failed {
                return Ok(());
            }
            if stop == Some((index, false)) {
                self.violation(here, "C10");
                return Ok(());
            }
            self.nested_block(inner, pair.member(object, index), &here.attribute(&member.name))?;
        }
        Ok(())
    }

    /// C10: the blocks that are visited before the one that replaces the result, in the order of names, since any order is
    /// allowed. Their violations are dropped, a crash is not.
    fn refuse_before(&mut self, object: &Object, block: usize, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let (probing, before) = (self.probing, self.violations.len());
        self.probing = false;
        for (index, member) in object.members.iter().enumerate().take(block) {
            if let Kind::Block(inner) = &member.kind {
                self.nested_block(inner, pair.member(object, index), &here.attribute(&member.name))?;
            }
        }
        self.violations.truncate(before);
        self.probing = probing;
        Ok(())
    }

    fn attributes(&mut self, object: &Object, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        for (index, flags) in object.flags.iter().enumerate() {
            if flags.is_block() || pair.shows_compatible(*flags, index) {
                continue;
            }
            if self.failed {
                return Ok(());
            }
            let member = &object.members[index];
            self.attribute(member, pair.member(object, index), &here.attribute(&member.name))?;
        }
        Ok(())
    }

    /// AC10.
    fn attribute(&mut self, member: &Member, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let before = self.violations.len();
        if member.dynamic {
            self.value(pair, here)?
        } else {
            self.conforming(pair, here)?
        }
        if member.sensitive && self.violations.len() > before {
            self.violations.truncate(before);
            self.violation(here, "AC10");
        }
        Ok(())
    }

    /// AC11.
    fn value(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        if !pair.planned.ty().is_dynamic() && !pair.actual.ty().conforms_to(pair.planned.ty()) {
            self.violation(here, "AC11 b");
            return Ok(());
        }
        self.conforming(pair, here)
    }

    /// AC11 from c on. If a value conforms its parts conform (V03), so b is checked once, at the top.
    pub(super) fn conforming(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let Pair { planned, actual } = pair;
        match (planned.node(), actual.node()) {
            _ if planned.ty().is_dynamic() => {}
            (Node::Unknown(None), _) => {}
            (Node::Unknown(Some(_)), _) => {
                if includes(planned, actual) == Tri::False {
                    self.violation(here, "AC11 c");
                }
            }
            (Node::Null, Node::Null) => {}
            (Node::Null, _) | (_, Node::Null) => self.violation(here, "AC11 d"),
            (_, Node::Unknown(_)) => self.violation(here, "AC11 e"),
            (Node::Bool(Truth(a)), Node::Bool(Truth(b))) if a == b => {}
            (Node::String(a), Node::String(b)) if a.ptr_eq(b) || a == b => {}
            (Node::Number(a), Node::Number(b)) if a.equals(b) => {}
            (Node::Seq(_), Node::Seq(_)) | (Node::Map(_), Node::Map(_)) => {
                if !pair.is_shared() {
                    self.parts(pair, here)?;
                }
            }
            _ => self.violation(here, "AC11 f"),
        }
        Ok(())
    }

    /// AC11 g to i.
    fn parts(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        match pair.planned.ty() {
            Type::Set(_) => self.set_of_values(pair, here),
            Type::Map(_) => self.map_entries(pair, here),
            Type::Object(object) => {
                for (index, pair) in pairs(pair) {
                    self.conforming(pair, &here.attribute(&object.attributes()[index].name))?;
                    if self.failed {
                        break;
                    }
                }
                Ok(())
            }
            _ => self.list_elements(pair, here),
        }
    }

    fn list_elements(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        for (index, pair) in pairs(pair) {
            self.conforming(pair, &here.index(index))?;
            if self.failed {
                return Ok(());
            }
        }
        for _ in 0..pair.planned.len().abs_diff(pair.actual.len()) {
            self.violation(here, "AC11 g");
        }
        Ok(())
    }

    fn map_entries(&mut self, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let (Some(planned), Some(actual)) = (Entries::of(pair.planned), Entries::of(pair.actual)) else {
            return Ok(());
        };
        for (index, (key, element)) in planned.iter().enumerate() {
            match actual.get(key, index) {
                None => self.violation(here, "AC11 g"),
                Some(found) => self.conforming(Pair::new(element, found), &here.key(key))?,
            }
            if self.failed {
                return Ok(());
            }
        }
        for (index, (key, _)) in actual.iter().enumerate() {
            if planned.get(key, index).is_none() {
                self.violation(here, "AC11 g");
            }
        }
        Ok(())
    }

    /// AC20.
    fn nested_block(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        match inner.mode {
            Nesting::Single | Nesting::Group => {
                if pair.planned.is_unknown() && pair.actual.is_null() {
                    return Ok(());
                }
                self.block(&inner.object, pair, here)
            }
            Nesting::List => self.list_block(inner, pair, here),
            Nesting::Map => self.map_block(inner, pair, here),
            Nesting::Set if pair.is_vague() => Ok(()),
            Nesting::Set => self.set_of_blocks(&inner.object, pair, here),
        }
    }

    fn list_block(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        if pair.is_vague() {
            return Ok(());
        }
        if inner.untyped {
            return self.untyped_blocks(inner, pair, here);
        }
        if pair.planned.len() != pair.actual.len() {
            self.violation(here, "AC20");
            return Ok(());
        }
        for index in 0..pair.planned.len() {
            let (Some(planned), Some(actual)) = (pair.planned.element(index), pair.actual.element(index)) else {
                break;
            };
            self.block_element(inner, Pair::new(planned, actual), &here.index(index))?;
            if self.failed {
                break;
            }
        }
        Ok(())
    }

    /// AC01 for one element, if it is an object of the block.
    fn block_element(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let Pair { planned, actual } = pair;
        if !inner.untyped || planned.is_null() || actual.is_null() {
            return self.block(&inner.object, pair, here);
        }
        let read = [planned, actual].map(|side| inner.object.read(side));
        match read[0].of(planned).zip(read[1].of(actual)) {
            Some((planned, actual)) => self.block(inner.object.for_read(&read), Pair::new(planned, actual), here),
            None => Err(here.refuse("AC01", "an element is no object of the block")),
        }
    }

    fn map_block(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let Pair { planned, actual } = pair;
        if matches!(planned.ty(), Type::Object(_)) {
            return self.object_of_blocks(inner, pair, here);
        }
        if !planned.is_present() || actual.is_null() {
            return Ok(());
        }
        if inner.untyped {
            return self.untyped_blocks(inner, pair, here);
        }
        if actual.is_unknown() {
            return Err(here.refuse("AC20", "entries of an unknown map of blocks are read"));
        }
        if planned.len() != actual.len() {
            self.violation(here, "AC20");
            return Ok(());
        }
        for (index, (key, planned)) in planned.entries().enumerate() {
            if let Some(actual) = entry_near(actual, key, index) {
                self.block_element(inner, Pair::new(planned, actual), &here.key(key))?;
            }
            if self.failed {
                break;
            }
        }
        Ok(())
    }

    /// AC20 for a list or map block where any type may stand (M30): counted, and compared slot by slot. An element that is
    /// missing in its slot is not reported.
    fn untyped_blocks(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let unread = || here.refuse("AC20", "the blocks have no elements to look for");
        let (planned, actual) = (kinds::count(pair.planned), kinds::count(pair.actual));
        if planned.ok_or_else(unread)? != actual.ok_or_else(unread)? {
            self.violation(here, "AC20");
            return Ok(());
        }
        for (slot, planned) in kinds::slots(pair.planned) {
            if kinds::is_filled(pair.actual, slot).ok_or_else(unread)? {
                let actual = kinds::read(pair.actual, slot).ok_or_else(unread)?;
                self.block_element(inner, Pair::new(planned, actual), &slot.place(here))?;
            }
        }
        Ok(())
    }

    fn object_of_blocks(&mut self, inner: &Inner, pair: Pair<'_>, here: &Here<'_>) -> Compared {
        let Pair { planned, actual } = pair;
        let (Some(blocks), Some(found)) = (planned.object_type(), actual.object_type()) else {
            return Err(here.refuse("AC20", "attributes are read of a value that is no object"));
        };
        for attribute in blocks.attributes() {
            let (Some(planned), Some(actual)) = (planned.member(&attribute.name), actual.member(&attribute.name))
            else {
                self.violation(here, "AC20");
                continue;
            };
            if pair.planned.is_null() || pair.actual.is_null() {
                return Err(here.refuse("AC20", "attributes are read of a null object of blocks"));
            }
            self.block_element(inner, Pair::new(planned, actual), &here.attribute(&attribute.name))?;
        }
        if !planned.is_unknown() {
            let extra = found.attributes().iter().filter(|attribute| blocks.index_of(&attribute.name).is_none());
            for _ in extra {
                self.violation(here, "AC20");
            }
        }
        Ok(())
    }
}

/// The pairs of parts at equal places, without those whose payloads alone show that they are compatible.
fn pairs(pair: Pair<'_>) -> impl Iterator<Item = (usize, Pair<'_>)> {
    let parts = pair.planned.node().parts().iter().zip(pair.actual.node().parts()).enumerate();
    let others = parts.filter(|(_, (planned, actual))| !look_compatible(planned, actual));
    others.filter_map(move |(index, _)| Some((index, Pair::new(part(pair.planned, index)?, part(pair.actual, index)?))))
}

fn part(value: ValueRef<'_>, index: usize) -> Option<ValueRef<'_>> {
    let ty = match value.ty() {
        Type::List(element) | Type::Set(element) | Type::Map(element) => element,
        Type::Tuple(tuple) => tuple.elements().get(index)?,
        Type::Object(object) => &object.attributes().get(index)?.ty,
        _ => return None,
    };
    Some(ValueRef::new(ty, value.node().parts().get(index)?))
}

/// C10: the block that ends the comparison of its object, and whether it replaces all of its result.
fn stopping_block(object: &Object, pair: Pair<'_>) -> Option<(usize, bool)> {
    object.members.iter().enumerate().find_map(|(index, member)| {
        let Kind::Block(inner) = &member.kind else { return None };
        let pair = pair.member(object, index);
        if !inner.computed {
            None
        } else if pair.actual.is_null() && inner.mode != Nesting::Single {
            Some((index, false))
        } else {
            pair.planned.is_unknown().then_some((index, true))
        }
    })
}
