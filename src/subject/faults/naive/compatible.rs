//! AC01 to AC20, C10: apply-result compatibility.

use planfuzz_core::planner::Violation;
use planfuzz_core::schema::{Attribute, Block, NestedBlock, Nesting};
use planfuzz_core::value::{Number, Path, Tri, Type, Value, ValueRef, equals, includes};

use super::super::catalogue::Fault;
use super::kinds::as_key;
use super::{Naive, member};

/// A comparison of two elements of a set.
type Relation<'r> = &'r dyn Fn(ValueRef<'_>, ValueRef<'_>) -> bool;

impl Naive {
    /// AC01
    pub(super) fn compatible_block(
        self,
        block: &Block,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        if planned.is_null() || actual.is_null() {
            let vanished = actual.is_null() && self.plants(Fault::VanishedObjectAccepted);
            if planned.is_null() != actual.is_null() && !vanished {
                found.push(Violation::new(q.clone(), "AC01"));
            }
            return;
        }
        let before = found.len();
        for (name, attribute) in block.attributes.iter() {
            let (planned, actual) = (member(planned, name), member(actual, name));
            self.compatible_attribute(attribute, planned, actual, &q.attribute(name), found);
        }
        for (name, nested) in block.block_types.iter() {
            let (p, v) = (member(planned, name), member(actual, name));
            // C10
            if self.dialect.has_computed_blocks() && nested.block.computed {
                if v.is_null() && nested.nesting != Nesting::Single {
                    if !self.plants(Fault::NullComputedBlockAccepted) {
                        found.push(Violation::new(q.clone(), "C10"));
                    }
                    return;
                }
                if p.is_unknown() {
                    found.truncate(before);
                    return self.compatible_value(p, v, &Path::root(), found);
                }
            }
            self.compatible_nested_block(nested, p, v, &q.attribute(name), found);
        }
    }

    /// AC10
    fn compatible_attribute(
        self,
        attribute: &Attribute,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        let before = found.len();
        self.compatible_value(planned, actual, q, found);
        if attribute.sensitive && found.len() > before && !self.plants(Fault::SensitiveNotCollapsed) {
            found.truncate(before);
            if !self.plants(Fault::SensitiveNotReported) {
                found.push(Violation::new(q.clone(), "AC10"));
            }
        }
    }

    /// AC11
    fn compatible_value(self, planned: ValueRef<'_>, actual: ValueRef<'_>, q: &Path, found: &mut Vec<Violation>) {
        let mut violation = || found.push(Violation::new(q.clone(), "AC11"));
        if planned.ty().is_dynamic() && !self.plants(Fault::DynamicNullBinds) {
            return;
        }
        if !actual.ty().conforms_to(planned.ty()) {
            if !self.plants(Fault::TypeChangeAccepted) {
                violation();
            }
            return;
        }
        if planned.is_unknown() {
            let outside = includes(planned, actual) == Tri::False;
            let infinite = actual.as_number().is_some_and(Number::is_infinite);
            let admitted = infinite && self.plants(Fault::InfiniteResultAccepted);
            if outside && !admitted && !self.plants(Fault::RefinementsDoNotBind) {
                violation();
            }
            return;
        }
        if planned.is_null() || actual.is_null() {
            let filled = planned.is_null() && self.plants(Fault::NullMayBeFilled);
            if planned.is_null() != actual.is_null() && !filled {
                violation();
            }
            return;
        }
        if actual.is_unknown() {
            if !self.plants(Fault::UnknownResultAccepted) {
                violation();
            }
            return;
        }
        match planned.ty() {
            Type::Set(_) => {
                let fits = |p: ValueRef<'_>, v: ValueRef<'_>| {
                    self.holds(|found| {
                        self.compatible_value(p, v, &Path::root(), found);
                    })
                };
                self.compatible_sets(planned, actual, &fits, q, found);
            }
            Type::List(_) | Type::Map(_) | Type::Tuple(_) | Type::Object(_) => {
                self.compatible_parts(planned, actual, q, found);
            }
            _ if equals(planned, actual) != Tri::True => violation(),
            _ => {}
        }
    }

    fn compatible_parts(self, planned: ValueRef<'_>, actual: ValueRef<'_>, q: &Path, found: &mut Vec<Violation>) {
        for (step, part) in planned.children() {
            match actual.apply(&step) {
                Some(other) => self.compatible_value(part, other, &q.step(step), found),
                None if self.plants(Fault::MissingPartAccepted) => {}
                None => found.push(Violation::new(q.clone(), "AC11")),
            }
        }
        if self.plants(Fault::ExtraPartAccepted) {
            return;
        }
        let extra = actual.children().filter(|(step, _)| planned.apply(step).is_none()).count();
        found.extend((0..extra).map(|_| Violation::new(q.clone(), "AC11")));
    }

    /// Whether a check finds nothing.
    fn holds(self, check: impl FnOnce(&mut Vec<Violation>)) -> bool {
        let mut found = Vec::new();
        check(&mut found);
        found.is_empty()
    }

    /// AC15, and the count rule of AC11-i.
    fn compatible_sets(
        self,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        fits: Relation<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        let planned: Vec<ValueRef<'_>> = planned.children().map(|(_, element)| element).collect();
        let actual: Vec<ValueRef<'_>> = actual.children().map(|(_, element)| element).collect();
        let lost = planned.iter().filter(|p| !actual.iter().any(|v| fits(**p, *v))).count();
        let gained = actual.iter().filter(|v| !planned.iter().any(|p| fits(*p, **v))).count();
        let reported = match () {
            _ if self.plants(Fault::SetsCounted) => usize::from(planned.len() != actual.len()),
            _ if self.plants(Fault::GainedElementsAccepted) => lost,
            _ if self.plants(Fault::LostElementsAccepted) => gained,
            _ if self.plants(Fault::BothDirectionsReported) => lost + gained,
            _ if lost > 0 => lost,
            _ => gained,
        };
        let more = planned.len() < actual.len() && !self.plants(Fault::SetMayGrow) && !self.plants(Fault::SetsCounted);
        found.extend((0..reported + usize::from(more)).map(|_| Violation::new(q.clone(), "AC15")));
    }

    /// AC20
    fn compatible_nested_block(
        self,
        nested: &NestedBlock,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        let block = &nested.block;
        let absent = !planned.is_present() || !actual.is_present();
        match nested.nesting {
            Nesting::Single | Nesting::Group => {
                let excused = planned.is_unknown() && actual.is_null();
                if !excused || self.plants(Fault::UnknownSingleMustExist) {
                    self.compatible_block(block, planned, actual, q, found);
                }
            }
            Nesting::List if absent => {
                if self.plants(Fault::UnknownBlocksBind) && planned.is_unknown() && !actual.is_empty() {
                    found.push(Violation::new(q.clone(), "AC20"));
                }
            }
            Nesting::Set if absent => {}
            Nesting::List if planned.len() != actual.len() => {
                if !self.plants(Fault::BlockCountNotCompared) {
                    found.push(Violation::new(q.clone(), "AC20"));
                }
            }
            Nesting::List => {
                for (index, (step, planned)) in planned.children().enumerate() {
                    if index > 0 && self.plants(Fault::OnlyFirstBlockCompared) {
                        return;
                    }
                    let step = as_key(step);
                    if let Some(actual) = actual.apply(&step) {
                        self.compatible_block(block, planned, actual, &q.step(step), found);
                    }
                }
            }
            Nesting::Map => self.compatible_map(block, planned, actual, q, found),
            Nesting::Set => {
                let fits = |p: ValueRef<'_>, v: ValueRef<'_>| {
                    let lenient = self.plants(Fault::EmptyStringIsNull);
                    let plain = |value: ValueRef<'_>| if lenient { empty_as_null(value) } else { value.to_value() };
                    let (p, v) = (plain(p), plain(v));
                    self.holds(|found| self.compatible_block(block, p.view(), v.view(), &Path::root(), found))
                };
                self.compatible_sets(planned, actual, &fits, q, found);
            }
        }
    }

    fn compatible_map(
        self,
        block: &Block,
        planned: ValueRef<'_>,
        actual: ValueRef<'_>,
        q: &Path,
        found: &mut Vec<Violation>,
    ) {
        if let Some(object) = planned.object_type() {
            for key in object.attributes().iter().map(|attribute| &attribute.name) {
                match actual.member(key) {
                    Some(actual) => {
                        self.compatible_block(block, member(planned, key), actual, &q.attribute(key), found);
                    }
                    None => found.push(Violation::new(q.clone(), "AC20")),
                }
            }
            let names = actual.object_type().into_iter().flat_map(|object| object.attributes());
            let extra = names.filter(|name| object.index_of(&name.name).is_none()).count();
            let reported = if planned.is_unknown() { 0 } else { extra };
            return found.extend((0..reported).map(|_| Violation::new(q.clone(), "AC20")));
        }
        if !planned.is_present() || actual.is_null() {
            return;
        }
        if planned.len() != actual.len() {
            return found.push(Violation::new(q.clone(), "AC20"));
        }
        if !matches!(planned.ty(), Type::Map(_)) {
            for (step, planned) in planned.children() {
                if let Some(actual) = actual.apply(&step) {
                    self.compatible_block(block, planned, actual, &q.step(step), found);
                }
            }
            return;
        }
        for (key, planned) in planned.entries() {
            match actual.entry(key) {
                Some(actual) => self.compatible_block(block, planned, actual, &q.key(key), found),
                None if self.plants(Fault::RenamedBlockKeyReported) => {
                    found.push(Violation::new(q.clone(), "AC20"));
                }
                None => {}
            }
        }
    }
}

/// An element of a set block with its empty strings taken for null (B035).
fn empty_as_null(element: ValueRef<'_>) -> Value {
    let members = element.entries().map(|(name, member)| {
        let empty = member.as_text().is_some_and(|text| text.is_empty());
        (name.clone(), if empty { Value::null(Type::String) } else { member.to_value() })
    });
    match element.is_present() {
        true => Value::object(members.collect()),
        false => element.to_value(),
    }
}
