//! The validation walk (section 3).

use crate::lookup::Place;
use planfuzz_core::address::ResourceKind;
use planfuzz_core::planner::{Configured, Diagnostic, IgnoreChanges, ValidateConfig, summary};
use planfuzz_core::schema::{Attribute, Block, NestedBlock, NestedType, Nesting, Shape};
use planfuzz_core::value::{Text, Type, Value, WrittenPath, WrittenStep};

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
        // LD02: the provider is called all the same, unless decoding has found the ephemeral value.
        if ephemeral.is_err() && self.dialect().finds_ephemeral_values_first() {
            return ephemeral;
        }
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
        self.fail_at(self.dialect().ephemeral_misused(), offending, "L03")
    }

    /// L04, LD04.
    fn check_ignore_changes(&mut self, ignore: &IgnoreChanges) -> Step<()> {
        let IgnoreChanges::Some(entries) = ignore else { return Ok(()) };
        let block = &self.source().block;
        let mut failed = false;
        for entry in entries {
            let taken = entry.steps().iter().try_fold(Taken::Block(block), Taken::step);
            let is_computed = |attribute: &Attribute| attribute.computed && !attribute.optional;
            match taken {
                Err(Objection::NoSuchName) => {
                    self.error(summary::UNSUPPORTED_ATTRIBUTE, entry.clone(), "L04");
                    failed = true;
                }
                Err(Objection::Other(summary)) => {
                    self.error(summary, WrittenPath::default(), "L04");
                    failed = true;
                }
                Ok(_) if !self.has_errors() && attribute_at(block, entry).is_some_and(is_computed) => {
                    self.diagnostics.push(Diagnostic::warning(summary::REDUNDANT_IGNORE, entry.clone(), "L04"));
                }
                Ok(_) => {}
            }
        }
        stop_if(failed)
    }
}

/// The attribute at a path (S60).
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

/// The target of a traversal of LD04 so far.
enum Taken<'s> {
    /// One block.
    Block(&'s Block),
    /// Blocks that repeat.
    Blocks(&'s NestedBlock),
    /// One object of a nested type.
    Object(&'s NestedType),
    /// The objects of a nested type.
    Objects(&'s NestedType),
    /// A value of a type.
    Type(&'s Type),
    /// Not known before there are values.
    Anything,
}

/// The reason why a traversal cannot be taken further.
enum Objection {
    /// No such name.
    NoSuchName,
    /// Another reason, by its summary.
    Other(&'static str),
}

impl<'s> Taken<'s> {
    fn step(self, step: &WrittenStep) -> Result<Taken<'s>, Objection> {
        match step {
            WrittenStep::Attribute(name) => self.name(name),
            WrittenStep::Index(_) | WrittenStep::Key(_) | WrittenStep::Element => self.index(step),
        }
    }

    fn name(self, name: &Text) -> Result<Taken<'s>, Objection> {
        let found = match self {
            Taken::Anything | Taken::Type(Type::Dynamic) => Some(Taken::Anything),
            Taken::Block(block) => {
                let attribute = block.attributes.get(name).map(Taken::attribute);
                attribute.or_else(|| block.block_types.get(name).map(Taken::blocks))
            }
            Taken::Blocks(nested) => match nested.nesting {
                Nesting::Map => Some(Taken::Block(&nested.block)),
                Nesting::Set => return Err(Objection::Other(summary::INDEXED_SET)),
                _ => return Err(Objection::Other(summary::INVALID_OPERATION)),
            },
            Taken::Object(nested) => nested.attributes.get(name).map(Taken::attribute),
            Taken::Objects(nested) => (nested.nesting == Nesting::Map).then_some(Taken::Object(nested)),
            Taken::Type(Type::Object(object)) => object.attribute_type(name).map(Taken::Type),
            Taken::Type(Type::Map(element)) => Some(Taken::Type(element)),
            Taken::Type(_) => None,
        };
        found.ok_or(Objection::NoSuchName)
    }

    fn index(self, step: &WrittenStep) -> Result<Taken<'s>, Objection> {
        let number = match step {
            WrittenStep::Index(index) => Some(*index),
            _ => None,
        };
        let found = match self {
            Taken::Anything | Taken::Type(Type::Dynamic | Type::Object(_)) | Taken::Object(_) => Some(Taken::Anything),
            Taken::Block(_) => return Err(Objection::Other(summary::INVALID_INDEX_OPERATION)),
            Taken::Blocks(nested) => match nested.nesting {
                Nesting::Set => return Err(Objection::Other(summary::INDEXED_SET)),
                _ => Some(Taken::Block(&nested.block)),
            },
            Taken::Objects(nested) => match nested.nesting {
                Nesting::Map => Some(Taken::Object(nested)),
                Nesting::List => number.map(|_| Taken::Object(nested)),
                _ => None,
            },
            Taken::Type(Type::List(element)) => number.map(|_| Taken::Type(element)),
            Taken::Type(Type::Map(element)) => Some(Taken::Type(element)),
            Taken::Type(Type::Tuple(tuple)) => {
                let element = number.and_then(|index| tuple.elements().get(usize::try_from(index).ok()?));
                element.map(Taken::Type)
            }
            Taken::Type(_) => None,
        };
        found.ok_or(Objection::Other(summary::INVALID_INDEX))
    }

    fn attribute(attribute: &'s Attribute) -> Taken<'s> {
        match &attribute.shape {
            Shape::Leaf(ty) => Taken::Type(ty),
            Shape::Nested(nested) if nested.nesting == Nesting::Single => Taken::Object(nested),
            Shape::Nested(nested) => Taken::Objects(nested),
        }
    }

    fn blocks(nested: &'s NestedBlock) -> Taken<'s> {
        match nested.nesting {
            Nesting::Single | Nesting::Group => Taken::Block(&nested.block),
            Nesting::List | Nesting::Set | Nesting::Map => Taken::Blocks(nested),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Objection, Taken};
    use crate::lifecycle::fixture::{fixture, path, summaries};
    use planfuzz_core::address::ResourceKind;
    use planfuzz_core::dialect::Dialect;
    use planfuzz_core::planner::IgnoreChanges;
    use planfuzz_core::planner::summary;
    use planfuzz_core::plans::Mode;
    use planfuzz_core::schema::Schema;

    fn ignoring(kind: ResourceKind, entries: &[&str]) -> Vec<String> {
        let mut fixture = fixture("", r#"{"name":"a"}"#);
        fixture.kind = kind;
        let entries = entries.iter().map(|entry| path(entry)).collect();
        fixture.configured().lifecycle.ignore_changes = IgnoreChanges::Some(entries);
        summaries(&fixture.plan().answer.diagnostics)
    }

    #[test]
    fn l04_ld04_entries_are_followed_through_the_schema() {
        let supported = [".name", ".list", ".list[0].x", ".list[0]", ".list[\"k\"].x"];
        assert!(ignoring(ResourceKind::Managed, &supported).is_empty());
        let refused = [".none", ".list[0].y", ".name.x", ".name[0]", ".name[\"k\"]", ".list.x", ".list[0][0]"];
        let want = [
            "E Invalid index",
            "E Invalid index",
            "E Invalid index operation",
            "E Invalid operation",
            "E Unsupported attribute .list[0].y",
            "E Unsupported attribute .name.x",
            "E Unsupported attribute .none",
        ];
        assert_eq!(ignoring(ResourceKind::Managed, &refused), want);
        assert!(ignoring(ResourceKind::Data, &refused).is_empty());
    }

    #[test]
    fn ld02_opentofu_does_not_ask_where_an_ephemeral_value_is_out_of_place() {
        for (dialect, calls, want) in [
            (Dialect::TERRAFORM_1_11, "validate", "E Invalid use of ephemeral value .name"),
            (Dialect::OPENTOFU_1_12, "", "E Ephemeral value used in non-ephemeral context .name"),
        ] {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            fixture.dialect = dialect;
            fixture.configured().ephemeral = [path(".name")].into_iter().collect();
            let run = fixture.plan();
            assert_eq!((run.calls().as_str(), summaries(&run.answer.diagnostics)), (calls, vec![want.to_owned()]));
        }
    }

    #[test]
    fn ld04_no_entry_is_redundant_after_an_error() {
        let reported = ignoring(ResourceKind::Managed, &[".none", ".id"]);
        assert_eq!(reported, ["E Unsupported attribute .none"]);
        let reported = ignoring(ResourceKind::Managed, &[".id", ".none"]);
        assert_eq!(reported, ["E Unsupported attribute .none", "W Redundant ignore_changes element .id"]);
    }

    #[test]
    fn l04_a_computed_attribute_is_ignored_anyway() {
        assert_eq!(ignoring(ResourceKind::Managed, &[".id", ".oc"]), ["W Redundant ignore_changes element .id"]);
    }

    #[test]
    fn l154_only_a_normal_plan_replaces() {
        for mode in [Mode::Destroy, Mode::RefreshOnly] {
            let mut fixture = fixture(r#"{"id":"1"}"#, "{}");
            fixture.mode = mode;
            fixture.options.replace = true;
            let run = fixture.plan();
            assert_eq!(summaries(&run.answer.diagnostics), ["E Unsupported plan mode"]);
            assert!(run.exchanges.len() == 1 && run.answer.previous_run.is_absent(), "it is validated before");
        }
    }

    #[test]
    fn ld04_names_behind_repeated_blocks() {
        let x = r#""attributes":{"x":{"type":"string","optional":true}}"#;
        let nested = |mode: &str| format!(r#"{{"optional":true,"nested_type":{{"nesting_mode":"{mode}",{x}}}}}"#);
        let block = |mode: &str| format!(r#"{{"nesting_mode":"{mode}","block":{{{x}}}}}"#);
        let text = format!(
            r#"{{"block":{{"attributes":{{"nl":{},"nm":{},"ns":{}}},"block_types":{{"l":{},"m":{},"s":{}}}}}}}"#,
            nested("list"),
            nested("map"),
            nested("set"),
            block("list"),
            block("map"),
            block("set"),
        );
        let schema = Schema::parse(&text).expect("a schema");
        for (entry, want) in [
            (".l.x", summary::INVALID_OPERATION),
            (".m.k.x", ""),
            (".m[\"k\"].x", ""),
            (".m.k.y", summary::UNSUPPORTED_ATTRIBUTE),
            (".s.x", summary::INDEXED_SET),
            (".s[0].x", summary::INDEXED_SET),
            (".nl.x", summary::UNSUPPORTED_ATTRIBUTE),
            (".nm.k.x", ""),
            (".nm.k.y", summary::UNSUPPORTED_ATTRIBUTE),
            (".ns.x", summary::UNSUPPORTED_ATTRIBUTE),
        ] {
            let got = match path(entry).steps().iter().try_fold(Taken::Block(&schema.block), Taken::step) {
                Ok(_) => "",
                Err(Objection::NoSuchName) => summary::UNSUPPORTED_ATTRIBUTE,
                Err(Objection::Other(summary)) => summary,
            };
            assert_eq!(got, want, "{entry}");
        }
    }
}
