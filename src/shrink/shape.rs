//! Oddities of the inputs of a case: the shrinker adds none, so a case with inputs that a user can write stays one.
//!
//! Most inputs of most cases have the shape of real ones (S50 to S53): blocks are present or absent, and only attributes are
//! null or unknown. A shrinker that replaced a block element by null would make a smaller case that has no practical relevance.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::Presence;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, Nesting};
use planfuzz_core::value::{Node, Type, ValueRef};

use crate::case::{Call, Case, MergeCall, SchemaCall, Task};
use crate::scenario::Scenario;

/// The oddities of each input: in the order prior, configuration, plan, result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Shape([u16; 4]);

const UNKNOWN_WHOLE: u16 = 1;
const UNKNOWN_OBJECT: u16 = 2;
const NULL_BLOCKS: u16 = 4;
const REFINED_BLOCKS: u16 = 8;
const NULL_ELEMENT: u16 = 16;
const UNKNOWN_ELEMENT: u16 = 32;
const SET_COMPUTED: u16 = 64;
const UNKNOWN_IN_STATE: u16 = 128;
const MISSHAPEN: u16 = 256;
const NULL_WHOLE: u16 = 512;
const UNRESOLVED: u16 = 1024;

impl Shape {
    /// The oddities of a case's inputs.
    pub(super) fn of(case: &Case) -> Shape {
        if let Task::Call(Call::Scenario(scenario)) = &case.task {
            return Shape::of_scenario(scenario, case.dialect);
        }
        let (schema, inputs) = match &case.task {
            Task::Merge(merge) => {
                let inputs = [&merge.prior, &merge.config, &merge.planned, &merge.actual];
                (&merge.schema, inputs.map(Some))
            }
            Task::Call(Call::Merge(call)) => (
                call.schema(),
                match call {
                    MergeCall::ProposedNew { prior, config, .. } => [Some(prior), Some(config), None, None],
                    MergeCall::PlannedDataResource { config, .. } => [None, Some(config), None, None],
                    MergeCall::AssertPlanValid { prior, config, planned, .. } => {
                        [Some(prior), Some(config), Some(planned), None]
                    }
                    MergeCall::AssertObjectCompatible { planned, actual, .. } => {
                        [None, None, Some(planned), Some(actual)]
                    }
                    MergeCall::NormalizeLegacy { value, .. } => [None, None, Some(value), None],
                    MergeCall::PrepareComputedBlocks { value, .. } => [None, Some(value), None, None],
                },
            ),
            Task::Call(Call::Schema(
                SchemaCall::SensitivePaths { schema, value } | SchemaCall::WriteOnlyPaths { schema, value },
            )) => (schema, [None, Some(value), None, None]),
            Task::Call(
                Call::Value(_)
                | Call::Schema(_)
                | Call::File(_)
                | Call::Instance(_)
                | Call::Scenario(_)
                | Call::Provider(_)
                | Call::Expression(_)
                | Call::Workspace(_)
                | Call::WorkspaceRun(_),
            ) => {
                return Shape::default();
            }
        };
        let mut shape = Shape::default();
        for (index, value) in inputs.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let mut odd = Oddities { found: 0, is_config: index == 1, dialect: case.dialect };
            odd.note(value.is_unknown(), UNKNOWN_WHOLE);
            odd.note(index == 0 && !value.is_wholly_known(), UNKNOWN_IN_STATE);
            odd.block(&schema.block, value.view());
            shape.0[index] = odd.found;
        }
        shape
    }

    /// The oddities of the stored and remote objects at the start, and of all configurations.
    fn of_scenario(scenario: &Scenario, dialect: Dialect) -> Shape {
        let mut of_objects = Oddities { found: 0, is_config: false, dialect };
        let stored = Scenario::stored_objects(&scenario.state);
        for object in stored.iter().chain(&scenario.remote) {
            of_objects.note(object.is_null(), NULL_WHOLE);
            of_objects.note(!object.is_wholly_known(), UNKNOWN_IN_STATE);
            of_objects.block(&scenario.schema.block, object.view());
        }
        let mut of_configs = Oddities { found: 0, is_config: true, dialect };
        for step in &scenario.steps {
            let mut config = |presence: &Presence| {
                let Presence::Configured(configured) = presence else { return true };
                let config = configured.config.value();
                of_configs.note(config.is_null(), NULL_WHOLE);
                of_configs.note(config.is_unknown(), UNKNOWN_WHOLE);
                of_configs.block(&scenario.schema.block, config.view());
                config.is_wholly_known()
            };
            let planned = config(&step.presence);
            let applied = step.at_apply.as_ref().map_or(planned, |presence| config(presence));
            of_configs.note(!applied && step.command.applies(), UNRESOLVED);
        }
        Shape([of_objects.found, of_configs.found, 0, 0])
    }

    /// Whether the other shape has all oddities of this one.
    pub(super) fn is_within(&self, other: &Shape) -> bool {
        self.0.iter().zip(other.0).all(|(one, other)| one & !other == 0)
    }
}

/// The oddities of one input.
struct Oddities {
    found: u16,
    is_config: bool,
    dialect: Dialect,
}

impl Oddities {
    fn note(&mut self, odd: bool, what: u16) {
        if odd {
            self.found |= what;
        }
    }

    fn block(&mut self, block: &Block, value: ValueRef<'_>) {
        if !value.is_present() {
            return;
        }
        self.attributes(&block.attributes, value);
        for (name, nested) in block.block_types.iter() {
            if let Some(member) = value.member(name) {
                self.nested_block(nested, member);
            }
        }
    }

    /// Values in the configuration at computed attributes (S50).
    fn attributes(&mut self, attributes: &Named<Attribute>, object: ValueRef<'_>) {
        if !self.is_config || !object.is_present() {
            return;
        }
        for (name, attribute) in attributes.iter() {
            let Some(value) = object.member(name) else { continue };
            let configurable = attribute.optional || attribute.required;
            self.note(!configurable && !value.is_null(), SET_COMPUTED);
            let Some(nested) = attribute.nested_type() else { continue };
            match nested.nesting {
                Nesting::Single | Nesting::Group => self.attributes(&nested.attributes, value),
                Nesting::List | Nesting::Set | Nesting::Map => {
                    value.children().for_each(|(_, element)| self.attributes(&nested.attributes, element));
                }
            }
        }
    }

    /// Oddities that blocks of a configuration never have (S51).
    fn nested_block(&mut self, nested: &NestedBlock, value: ValueRef<'_>) {
        self.note(!fits(nested, value.ty(), self.dialect), MISSHAPEN);
        match nested.nesting {
            Nesting::Single | Nesting::Group => {
                self.note(value.is_unknown(), UNKNOWN_OBJECT);
                self.note(value.is_null() && nested.nesting == Nesting::Group, NULL_BLOCKS);
                self.block(&nested.block, value);
            }
            Nesting::List | Nesting::Set | Nesting::Map => {
                self.note(value.is_null(), NULL_BLOCKS);
                self.note(matches!(value.node(), Node::Unknown(Some(_))), REFINED_BLOCKS);
                for (_, element) in value.children() {
                    self.note(element.is_null(), NULL_ELEMENT);
                    self.note(element.is_unknown(), UNKNOWN_ELEMENT);
                    self.block(&nested.block, element);
                }
            }
        }
    }
}

/// Whether a type fits a nested block; needed because any type reads where the implied type is `dynamic` (S33).
fn fits(nested: &NestedBlock, ty: &Type, dialect: Dialect) -> bool {
    let object = nested.block.implied_type(dialect);
    if !object.has_dynamic() || ty.is_dynamic() {
        return true;
    }
    match (nested.nesting, ty) {
        (Nesting::Single | Nesting::Group, ty) => ty.conforms_to(&object),
        (Nesting::List, Type::Tuple(tuple)) => tuple.elements().iter().all(|ty| ty.conforms_to(&object)),
        (Nesting::Map, Type::Object(entries)) => entries.attributes().iter().all(|entry| entry.ty.conforms_to(&object)),
        (Nesting::List, Type::List(element))
        | (Nesting::Set, Type::Set(element))
        | (Nesting::Map, Type::Map(element)) => element.conforms_to(&object),
        _ => false,
    }
}
