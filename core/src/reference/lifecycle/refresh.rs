//! Refresh (section 5).

use crate::planner::{ReadResource, summary};
use crate::plans::Marked;
use crate::schema::{Attribute, Block, Shape};
use crate::value::{Text, Type, WrittenPath};

use super::answered::without_unknowns;
use super::held::Held;
use super::walk::{Step, Walk, stop_if};
use crate::dialect::Engine;
use crate::reference::at::At;
use crate::reference::normalize::normalize;

impl Walk<'_, '_> {
    /// L10 to L18: the object as it is now, or nothing where it is gone.
    pub fn refresh(&mut self, object: &Held, configured_dependencies: &[Text]) -> Step<Option<Held>> {
        let Some(read) = self.read(object)? else { return Ok(None) };
        // L18
        let mut dependencies = [read.dependencies.as_slice(), configured_dependencies].concat();
        dependencies.sort_unstable();
        dependencies.dedup();
        Ok(Some(Held { dependencies, ..read }))
    }

    /// L10 to L17.
    pub fn read(&mut self, object: &Held) -> Step<Option<Held>> {
        let request = ReadResource { current: object.value.value().clone(), private: object.private.clone() };
        let answer = self.provider.read(request);
        let failed = self.hear(answer.remarks);
        let undecodable = self.decode(&answer.new_state, "L13")?;
        // L10
        stop_if(failed || undecodable)?;
        if answer.deferred && self.dialect().engine() == Engine::Terraform {
            return Err(self.fail(summary::REFRESH_DEFERRED, "L56a"));
        }
        // L11 and L12, reported together
        let is_known = answer.new_state.is_wholly_known() || !self.dialect().refuses_unknowns_in_reads();
        if !is_known {
            self.error(summary::INVALID_OBJECT, WrittenPath::default(), "L11");
        }
        let conforms = self.conforms(&answer.new_state);
        if !conforms {
            self.error(summary::INVALID_OBJECT, WrittenPath::default(), "L12");
        }
        stop_if(!is_known || !conforms)?;
        // L13
        self.refuse_write_only(&answer.new_state, summary::INVALID_OBJECT, "L13")?;
        // L17
        if answer.new_state.is_null() {
            return Ok(None);
        }
        // L14
        let known = without_unknowns(&answer.new_state)?;
        let value = match self.dialect().normalizes_every_read() || can_be_legacy(&self.source().block) {
            true => normalize(self.schema(), known.view(), &At::ROOT)?,
            false => known,
        };
        // L16
        let marks = object.value.sensitive().union(&self.sensitive_paths(&value)?);
        Ok(Some(Held { value: Marked::new(value, &marks), private: answer.private, ..object.clone() }))
    }
}

/// K03: whether a schema can be one of the legacy SDK, which has no computed blocks, no nested types and few leaf types.
fn can_be_legacy(block: &Block) -> bool {
    let nested = || block.block_types.values().all(|nested| can_be_legacy(&nested.block));
    !block.computed && block.attributes.values().all(is_legacy) && nested()
}

fn is_legacy(attribute: &Attribute) -> bool {
    let Shape::Leaf(ty) = &attribute.shape else { return false };
    match ty {
        Type::Tuple(_) | Type::Object(_) => false,
        Type::Map(element) if matches!(**element, Type::Object(_)) => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => match &**element {
            Type::List(inner) | Type::Set(inner) | Type::Map(inner) => inner.is_primitive(),
            _ => true,
        },
        Type::Dynamic | Type::Bool | Type::Number | Type::String => true,
    }
}
