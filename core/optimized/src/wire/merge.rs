//! The merge (section 1 of merge-and-rules.md) of bytes: objects and their members.
//!
//! Both inputs are walked once, in step, in the order of the schema's members, and the answer is written as the walk goes. By
//! MP05 the answer for a member depends on that member alone, so any member may be computed in another way than its neighbours.
//! There are two ways: a slice is taken (`scan` decides when); or the member is decoded on both sides, merged by the optimized
//! planner's own merge of values, and encoded. The second is for members that need all elements at once (sets, M19), for those
//! with types of their own (V86), and for any that is not written as our encoder writes it.

use planfuzz_core::schema::Nesting;
use planfuzz_core::value::Value;

use super::super::here::Here;
use super::super::merge_sets::decides_alone;
use super::super::program::{Inner, Kind as MemberKind, Member, Object};
use super::layout::Layout;
use super::scan::{Cursor, NIL, UNKNOWN};
use super::sides::{Bail, Done, Kind, Prior, Walk, Want};
use super::splice::SourceBytes;
use super::survival::was_configured;

/// The objects at a place.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) object: &'a Object,
    pub(super) layout: &'a Layout,
}

/// A member that has objects, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Structure<'a> {
    pub(super) member: &'a Member,
    pub(super) inner: &'a Inner,
    pub(super) place: Place<'a>,
    /// The levels around the member.
    level: usize,
}

impl<'a> Place<'a> {
    pub(super) fn want(self) -> Want<'a> {
        Want { ty: &self.object.ty, level: self.layout.level }
    }
}

impl<'a> Structure<'a> {
    pub(super) fn want(self) -> Want<'a> {
        Want { ty: &self.member.ty, level: self.level }
    }

    /// Whether payloads alone do not determine the types: any type may stand here (S30), or elements share one (V86).
    fn has_types_of_its_own(self) -> bool {
        let is_plural = matches!(self.inner.mode, Nesting::List | Nesting::Set | Nesting::Map);
        self.inner.untyped || (is_plural && self.inner.object.holds.dynamic)
    }
}

impl<'a> Walk<'a> {
    /// M01.
    pub(super) fn proposed(&mut self, place: Place<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        if self.kind_of_prior(prior, place.want())? != Kind::Null {
            return self.block(place, prior, config);
        }
        self.leave_prior(prior, place.want())?;
        if self.kind(*config, place.want())? == Kind::Null {
            return self.take(config.at(), config, place.want());
        }
        self.block(place, &mut Prior::At(Cursor::new(&place.layout.empty)), config)
    }

    /// M02.
    fn block(&mut self, place: Place<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        if self.kind(*config, place.want())? != Kind::Known {
            self.leave(config, place.want())?;
            return self.take_prior(prior, place.want());
        }
        self.members(place, prior, config)
    }

    /// M12.
    fn nested(&mut self, place: Place<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        match self.kind(*config, place.want())? {
            Kind::Known => return self.members(place, prior, config),
            Kind::Null => self.take(config.at(), config, place.want())?,
            Kind::Unknown => {
                self.leave(config, place.want())?;
                self.out.push(SourceBytes::whole(&place.layout.unknowns));
            }
        }
        self.leave_prior(prior, place.want())
    }

    /// The element rule of the collections (M11, M15).
    pub(super) fn rule(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        if of.inner.block { self.proposed(of.place, prior, config) } else { self.nested(of.place, prior, config) }
    }

    /// M10 for every member; `config` is a known object.
    fn members(&mut self, place: Place<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        let mut none = match self.kind_of_prior(prior, place.want())? {
            Kind::Known => None,
            Kind::Null => Some(Prior::Null),
            Kind::Unknown => Some(Prior::Unknown),
        };
        let prior = match &mut none {
            Some(none) => {
                self.leave_prior(prior, place.want())?;
                none
            }
            None => prior,
        };
        let (from, header) = (config.at(), &place.layout.header);
        config.expect(header).ok_or(Bail::Member)?;
        expect_in_prior(prior, header)?;
        self.out.push(config.since(from));
        (0..place.object.members.len()).try_for_each(|index| self.member(place, index, prior, config))
    }

    fn member(&mut self, place: Place<'a>, index: usize, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        let (member, key) = (&place.object.members[index], &place.layout.keys[index]);
        let from = config.at();
        config.expect(key).ok_or(Bail::Member)?;
        let prior_from = expect_in_prior(prior, key)?;
        let level = place.layout.level + 1;
        let (inner, layout) = match (&member.kind, &place.layout.inner[index]) {
            (MemberKind::Nested(inner) | MemberKind::Block(inner), Some(layout)) => (inner, layout),
            _ => return self.leaf(member, level, (prior, prior_from), (config, from)),
        };
        self.out.push(config.since(from));
        let place = Place { object: &inner.object, layout };
        let of = Structure { member, inner, place, level };
        let (mark, before) = (self.out.mark(), (*prior, *config));
        match self.structure(of, prior, config) {
            Err(Bail::Member) => {
                self.out.back_to(mark);
                (*prior, *config) = before;
                self.decode_and_merge(of, prior, config)
            }
            done => done,
        }
    }

    /// M10 for a leaf; each side comes with the place where the member's name begins.
    fn leaf(
        &mut self,
        member: &Member,
        level: usize,
        (prior, prior_from): (&mut Prior<'a>, usize),
        (config, from): (&mut Cursor<'a>, usize),
    ) -> Done {
        let want = Want { ty: &member.ty, level };
        if !(member.computed && self.is_null(*config, want)?) {
            self.take(from, config, want)?;
            return self.leave_prior(prior, want);
        }
        let key = config.since(from);
        self.leave(config, want)?;
        let without_bytes = match prior {
            Prior::At(prior) => return self.take(prior_from, prior, want),
            Prior::Null => NIL,
            Prior::Unknown => UNKNOWN,
        };
        self.out.push(key);
        self.out.push(SourceBytes::whole(without_bytes));
        Ok(())
    }

    /// M10, M11 and M15 for a member that has objects.
    fn structure(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        if of.has_types_of_its_own() {
            return Err(Bail::Member);
        }
        let kind = self.kind(*config, of.want())?;
        let is_group = of.inner.block && of.inner.mode == Nesting::Group;
        match kind {
            Kind::Null if !of.inner.block && of.member.computed => return self.computed(of, prior, config),
            Kind::Null if is_group => {}
            Kind::Null if of.inner.mode == Nesting::Group => return Err(Bail::Whole),
            Kind::Null | Kind::Unknown => {
                self.take(config.at(), config, of.want())?;
                return self.leave_prior(prior, of.want());
            }
            Kind::Known => {}
        }
        match of.inner.mode {
            Nesting::Single => self.rule(of, prior, config),
            Nesting::Group if of.inner.block => self.rule(of, prior, config),
            Nesting::Group => Err(Bail::Whole),
            Nesting::List => self.list(of, prior, config),
            Nesting::Map => self.map(of, prior, config),
            Nesting::Set => Err(Bail::Member),
        }
    }

    /// The first lines of M10 for a nested type; `config` is null.
    fn computed(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        self.leave(config, of.want())?;
        if let (true, Prior::At(cursor)) = (of.member.optional, &mut *prior) {
            let end = cursor.readable(of.want().ty).ok_or(Bail::Member)?;
            if was_configured(of.inner, of.place.layout, *cursor).ok_or(Bail::Member)? {
                *cursor = end;
                self.out.push(SourceBytes::whole(NIL));
                return Ok(());
            }
        }
        self.take_prior(prior, of.want())
    }

    /// The merge of values for one member.
    fn decode_and_merge(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        let configured = self.decoded(config, of.want())?;
        if stays(of, &configured) {
            self.leave_prior(prior, of.want())?;
            return self.write(&configured, of.want().ty);
        }
        let before = match prior {
            Prior::Null => Value::null(of.member.ty.clone()),
            Prior::Unknown => Value::unknown(of.member.ty.clone()),
            Prior::At(cursor) => self.decoded(cursor, of.want())?,
        };
        let (before, configured) = (before.view(), configured.view());
        let merged = self.merge.merge_member(of.member, before, configured, &Here::Root).map_err(|_| Bail::Whole)?;
        self.write(&merged.value(before, configured, &of.member.ty), &of.member.ty)
    }
}

/// M19: whether a set is the configured one whatever the prior is, as each of its elements is. The prior is not built for it.
fn stays(of: Structure<'_>, configured: &Value) -> bool {
    let object = &of.inner.object;
    let elements = || configured.node().parts();
    of.inner.mode == Nesting::Set
        && !object.holds.dynamic
        && !(configured.is_null() || configured.is_unknown())
        && elements().iter().all(|element| decides_alone(object, of.inner.block, element))
}

/// Skips `bytes` in the prior, if it has any; returns where they began.
fn expect_in_prior(prior: &mut Prior<'_>, bytes: &[u8]) -> Result<usize, Bail> {
    let Prior::At(cursor) = prior else { return Ok(0) };
    let from = cursor.at();
    cursor.expect(bytes).ok_or(Bail::Member)?;
    Ok(from)
}
