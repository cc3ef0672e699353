//! The validation walk (section 3).

use crate::planner::{Configured, Diagnostic, IgnoreChanges, ResourceKind, ValidateConfig, summary};
use crate::reference::lookup::Place;
use crate::schema::{Attribute, Block, NestedType, Shape};
use crate::value::{Type, Value, WrittenPath, WrittenStep};

use super::follow::schema_steps;
use super::walk::{Step, Walk, stop_if};

impl Walk<'_, '_> {
    /// L01, L03, L04.
    pub fn validation(&mut self, kind: ResourceKind, configured: &Configured) -> Step<()> {
        let ephemeral = self.check_ephemeral(configured);
        let ignored = match kind {
            ResourceKind::Managed => self.check_ignore_changes(&configured.lifecycle.ignore_changes),
            ResourceKind::Data => Ok(()),
        };
        // LD02: the provider is asked all the same.
        let validated = self.validate(&configured.at_static_validation());
        ephemeral.and(ignored).and(validated)
    }

    /// L02.
    pub fn validate(&mut self, config: &Value) -> Step<()> {
        let answer = self.provider.validate(ValidateConfig { config: config.clone() });
        let failed = self.hear(answer.remarks);
        stop_if(failed)
    }

    /// L03: marks as they sit on the configuration, each at or below a write-only attribute.
    pub fn check_ephemeral(&mut self, configured: &Configured) -> Step<()> {
        let block = &self.source().block;
        let marks = configured.ephemeral.on(configured.config.value().view());
        let mut offending: Vec<_> = marks.iter().filter(|mark| !is_write_only(block, mark)).cloned().collect();
        offending.sort_by_cached_key(WrittenPath::to_string);
        self.fail_at(summary::EPHEMERAL, offending, "L03")
    }

    /// L04.
    fn check_ignore_changes(&mut self, ignore: &IgnoreChanges) -> Step<()> {
        let IgnoreChanges::Some(entries) = ignore else { return Ok(()) };
        let block = &self.source().block;
        let mut unsupported = Vec::new();
        for entry in entries {
            if !Taken::In(block).follows(entry.steps()) {
                unsupported.push(entry.clone());
            } else if attribute_at(block, entry).is_some_and(|attribute| attribute.computed && !attribute.optional) {
                self.diagnostics.push(Diagnostic::warning(summary::REDUNDANT_IGNORE, entry.clone(), "L04"));
            }
        }
        self.fail_at(summary::UNSUPPORTED_ATTRIBUTE, unsupported, "L04")
    }
}

/// The attribute whose path this is (S60).
pub(super) fn attribute_at<'s>(block: &'s Block, path: &WrittenPath) -> Option<&'s Attribute> {
    schema_steps(path).iter().fold(Place::Block(block), |place, step| place.step(step)).attribute()
}

fn is_write_only(block: &Block, path: &WrittenPath) -> bool {
    let mut place = Place::Block(block);
    schema_steps(path).iter().any(|step| {
        place = place.step(step);
        place.attribute().is_some_and(|attribute| attribute.write_only)
    })
}

/// How far a traversal of L04 was taken.
enum Taken<'s> {
    In(&'s Block),
    Nested(&'s NestedType),
    Type(&'s Type),
    /// Nothing can be said before there are values.
    Anything,
}

impl<'s> Taken<'s> {
    fn follows(self, steps: &[WrittenStep]) -> bool {
        steps.iter().try_fold(self, Taken::step).is_some()
    }

    fn step(self, step: &WrittenStep) -> Option<Taken<'s>> {
        match (self, step) {
            (Taken::Anything | Taken::Type(Type::Dynamic | Type::Map(_)), _) | (_, WrittenStep::Key(_)) => {
                Some(Taken::Anything)
            }
            (Taken::In(block), WrittenStep::Attribute(name)) => {
                let attribute = block.attributes.get(name).map(Taken::attribute);
                attribute.or_else(|| Some(Taken::In(&block.block_types.get(name)?.block)))
            }
            (Taken::Nested(nested), WrittenStep::Attribute(name)) => nested.attributes.get(name).map(Taken::attribute),
            (Taken::Type(Type::Object(object)), WrittenStep::Attribute(name)) => {
                object.attribute_type(name).map(Taken::Type)
            }
            // An index leads to an element of the blocks, the nested objects or the collection.
            (taken @ (Taken::In(_) | Taken::Nested(_)), _) => Some(taken),
            (Taken::Type(Type::List(element) | Type::Set(element)), WrittenStep::Index(_) | WrittenStep::Element) => {
                Some(Taken::Type(element))
            }
            (Taken::Type(Type::Tuple(tuple)), WrittenStep::Index(index)) => {
                tuple.elements().get(usize::try_from(*index).ok()?).map(Taken::Type)
            }
            (Taken::Type(_), _) => None,
        }
    }

    fn attribute(attribute: &'s Attribute) -> Taken<'s> {
        match &attribute.shape {
            Shape::Leaf(ty) => Taken::Type(ty),
            Shape::Nested(nested) => Taken::Nested(nested),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::planner::{IgnoreChanges, ResourceKind};
    use crate::plans::Mode;
    use crate::reference::lifecycle::check::{life, path, said};

    fn ignoring(kind: ResourceKind, entries: &[&str]) -> Vec<String> {
        let mut life = life("", r#"{"name":"a"}"#);
        life.kind = kind;
        let entries = entries.iter().map(|entry| path(entry)).collect();
        life.configured().lifecycle.ignore_changes = IgnoreChanges::Some(entries);
        said(&life.plan().answer.diagnostics)
    }

    #[test]
    fn l04_entries_are_checked_by_names() {
        let supported = [".name", ".list", ".list[0].x", ".list[0]", ".name[\"k\"]", ".name[\"k\"].x[3]"];
        assert!(ignoring(ResourceKind::Managed, &supported).is_empty());
        let unsupported = [".none", ".list[0].y", ".name.x", ".name[0]"];
        let want: Vec<String> = [".list[0].y", ".name.x", ".name[0]", ".none"]
            .iter()
            .map(|entry| format!("E Unsupported attribute {entry}"))
            .collect();
        assert_eq!(ignoring(ResourceKind::Managed, &unsupported), want);
        assert!(ignoring(ResourceKind::Data, &unsupported).is_empty());
    }

    #[test]
    fn l04_a_computed_attribute_is_ignored_anyway() {
        assert_eq!(ignoring(ResourceKind::Managed, &[".id", ".oc"]), ["W Redundant ignore_changes element .id"]);
    }

    #[test]
    fn l154_only_a_normal_plan_replaces() {
        for mode in [Mode::Destroy, Mode::RefreshOnly] {
            let mut life = life(r#"{"id":"1"}"#, "{}");
            life.mode = mode;
            life.options.replace = true;
            let told = life.plan();
            assert_eq!(said(&told.answer.diagnostics), ["E Unsupported plan mode"]);
            assert!(told.exchanges.is_empty() && told.answer.previous_run.is_absent());
        }
    }
}
