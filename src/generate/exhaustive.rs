//! All cases of a tiny scope, enumerated without randomness.
//!
//! Most bugs of a merge show on a case with one attribute, one container and a handful of values; if random cases of
//! that size miss one, they miss it by chance. The enumeration leaves nothing to chance: it makes every schema of the scope, and
//! for each schema every triple of prior state, configuration and plan out of a handful of values. The actual value runs along so
//! that every pair of plan and actual value occurs too.
//!
//! The scope: one container (the resource itself, a nested type or a nested block of each mode, and a computed block
//! where the dialect has them), one or two text attributes in it, each of the four flag classes on each attribute and on
//! the nested type. Values: null, one or two texts and, but for the prior state, unknown, at every level; collections of
//! up to one or two elements, maps with the keys `k` and `l`.
//!
//! In a dialect there are about 1,500,000 cases of [`Scope::ONE_ATTRIBUTE`] and 700,000 of [`Scope::TWO_ATTRIBUTES`];
//! [`Exhaustive::count`] says exactly how many.

use std::sync::Arc;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::schema::{Attribute, Block, Named, NestedBlock, NestedType, Nesting, Schema, Shape};
use planfuzz_core::value::{Text, Type, Value};

use crate::case::{Case, Merge, Task};

/// How far the enumeration goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Attributes in the container.
    pub attributes: usize,
    /// The most elements of a collection, 1 or 2.
    pub elements: usize,
    /// How many different texts there are.
    pub texts: usize,
}

impl Scope {
    /// One attribute, up to two elements, two texts: how elements are matched with each other.
    pub const ONE_ATTRIBUTE: Scope = Scope { attributes: 1, elements: 2, texts: 2 };
    /// Two attributes of any two classes, up to one element, one text: how attributes affect each other.
    pub const TWO_ATTRIBUTES: Scope = Scope { attributes: 2, elements: 1, texts: 1 };
    /// One attribute, up to one element, one text: 45,000 cases, for a quick check.
    #[cfg(test)]
    const SMOKE: Scope = Scope { attributes: 1, elements: 1, texts: 1 };
}

/// The cases of a scope in a dialect, in a fixed order.
#[derive(Debug)]
pub struct Exhaustive {
    scope: Scope,
    dialect: Dialect,
    schemas: std::vec::IntoIter<Sketch>,
    current: Option<Quads>,
}

/// One schema of the scope.
#[derive(Clone, Debug)]
struct Sketch {
    container: Container,
    classes: Vec<Class>,
}

/// Where the attributes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Root,
    Nested(Nesting, Class),
    Block(Nesting),
    ComputedBlock(Nesting),
}

/// Flag classes (S04).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Required,
    Optional,
    OptionalComputed,
    Computed,
}

const CLASSES: [Class; 4] = [Class::Required, Class::Optional, Class::OptionalComputed, Class::Computed];

const CONTAINER: &str = "c";

/// The values of one schema and the position of the enumeration.
#[derive(Debug)]
struct Quads {
    schema: Arc<Schema>,
    priors: Vec<Value>,
    configs: Vec<Value>,
    plans: Vec<Value>,
    next: usize,
}

impl Exhaustive {
    /// The cases of a scope in a dialect.
    pub fn new(scope: Scope, dialect: Dialect) -> Exhaustive {
        let schemas = plans(scope, dialect).into_iter();
        Exhaustive { scope, dialect, schemas, current: None }
    }

    /// How many cases the scope has in the dialect.
    pub fn count(scope: Scope, dialect: Dialect) -> usize {
        plans(scope, dialect).iter().map(|plan| plan.values(scope, dialect).len()).sum()
    }
}

impl Iterator for Exhaustive {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        loop {
            if let Some(merge) = self.current.as_mut().and_then(Quads::next) {
                return Some(Case { purpose: String::new(), dialect: self.dialect, task: Task::Merge(merge) });
            }
            self.current = Some(self.schemas.next()?.values(self.scope, self.dialect));
        }
    }
}

impl Quads {
    fn len(&self) -> usize {
        // If there are more plans than pairs of prior state and configuration, the pairs repeat, so that each plan meets each actual value.
        (self.priors.len() * self.configs.len()).max(self.plans.len()) * self.plans.len()
    }

    fn next(&mut self) -> Option<Merge> {
        let number = self.next;
        if number >= self.len() {
            return None;
        }
        self.next += 1;
        let (rest, plan) = (number / self.plans.len(), number % self.plans.len());
        let (prior, config) = (rest / self.configs.len() % self.priors.len(), rest % self.configs.len());
        // For one plan `rest` takes at least as many values as there are actual ones, so all pairs occur.
        let actual = rest % self.plans.len();
        Some(Merge {
            schema: self.schema.clone(),
            prior: self.priors[prior].clone(),
            config: self.configs[config].clone(),
            planned: self.plans[plan].clone(),
            actual: self.plans[actual].clone(),
        })
    }
}

/// All schemas of the scope that are valid in the dialect.
fn plans(scope: Scope, dialect: Dialect) -> Vec<Sketch> {
    let mut containers = vec![Container::Root];
    for mode in Nesting::ALL {
        containers.extend(CLASSES.map(|class| Container::Nested(mode, class)));
        containers.extend([Container::Block(mode), Container::ComputedBlock(mode)]);
    }
    let mut classes: Vec<Vec<Class>> = vec![Vec::new()];
    for _ in 0..scope.attributes {
        let longer = |row: &Vec<Class>| CLASSES.map(|class| row.iter().copied().chain([class]).collect());
        classes = classes.iter().flat_map(longer).collect();
    }
    let all = containers
        .into_iter()
        .flat_map(|container| classes.iter().map(move |classes| Sketch { container, classes: classes.clone() }));
    all.filter(|plan| plan.may_be(dialect)).collect()
}

impl Sketch {
    fn may_be(&self, dialect: Dialect) -> bool {
        match self.container {
            Container::Nested(Nesting::Group, _) => dialect.has_group_nested_types(),
            Container::ComputedBlock(mode) => {
                let computed = |class: &Class| matches!(class, Class::Computed | Class::OptionalComputed);
                dialect.has_computed_blocks() && mode != Nesting::Group && self.classes.iter().all(computed)
            }
            Container::Root | Container::Nested(..) | Container::Block(_) => true,
        }
    }

    fn schema(&self) -> Schema {
        let leaf = |class: &Class| class.attribute(Shape::Leaf(Type::String));
        let names = ["a", "b"].map(Text::new);
        let attributes = Named::new(names.into_iter().zip(self.classes.iter().map(leaf)).collect());
        let name = Text::new(CONTAINER);
        let nested_block = |nesting, computed| {
            let block = Block { attributes: attributes.clone(), computed, ..Block::default() };
            let nested = NestedBlock { nesting, block, min_items: 0, max_items: 0 };
            Block { block_types: Named::new(vec![(name.clone(), nested)]), ..Block::default() }
        };
        let block = match self.container {
            Container::Root => Block { attributes, ..Block::default() },
            Container::Nested(nesting, class) => {
                let attribute = class.attribute(Shape::Nested(NestedType { nesting, attributes }));
                Block { attributes: Named::new(vec![(name, attribute)]), ..Block::default() }
            }
            Container::Block(nesting) => nested_block(nesting, false),
            Container::ComputedBlock(nesting) => nested_block(nesting, true),
        };
        Schema { version: 0, block }
    }

    fn values(&self, scope: Scope, dialect: Dialect) -> Quads {
        let schema = self.schema();
        let ty = schema.implied_type(dialect);
        let of = |role| Values { plan: self, scope, role }.whole(&ty);
        let (priors, configs, plans) = (of(Role::Prior), of(Role::Config), of(Role::Plan));
        Quads { schema: Arc::new(schema), priors, configs, plans, next: 0 }
    }
}

impl Class {
    fn attribute(self, shape: Shape) -> Attribute {
        let mut attribute = Attribute::new(shape);
        attribute.required = self == Class::Required;
        attribute.optional = matches!(self, Class::Optional | Class::OptionalComputed);
        attribute.computed = matches!(self, Class::Computed | Class::OptionalComputed);
        attribute
    }
}

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Wholly known.
    Prior,
    /// As S50 to S53 say.
    Config,
    /// Anything.
    Plan,
}

/// All values of one schema for one role.
struct Values<'p> {
    plan: &'p Sketch,
    scope: Scope,
    role: Role,
}

impl Values<'_> {
    /// The resource: null, unknown in a plan, and every object.
    fn whole(&self, ty: &Type) -> Vec<Value> {
        let mut all = vec![Value::null(ty.clone())];
        if self.role == Role::Plan {
            all.push(Value::unknown(ty.clone()));
        }
        let member = || ty.as_object().and_then(|object| object.attribute_type(CONTAINER));
        match (self.plan.container, member()) {
            (Container::Nested(nesting, class), Some(member)) => {
                let computed = self.role == Role::Config && class == Class::Computed;
                let members = if computed { vec![Value::null(member.clone())] } else { self.nested(nesting, member) };
                all.extend(members.into_iter().map(in_container));
            }
            (Container::Block(nesting) | Container::ComputedBlock(nesting), Some(member)) => {
                all.extend(self.blocks(nesting, member).into_iter().map(in_container));
            }
            _ => all.extend(self.objects()),
        }
        all
    }

    /// A nested type is an expression: null and unknown at every level (S53).
    fn nested(&self, nesting: Nesting, ty: &Type) -> Vec<Value> {
        let mut all = vec![Value::null(ty.clone())];
        if self.role != Role::Prior {
            all.push(Value::unknown(ty.clone()));
        }
        let Some(element) = ty.element() else {
            all.extend(self.objects());
            return all;
        };
        let mut elements = self.objects();
        elements.push(Value::null(element.clone()));
        if self.role != Role::Prior {
            elements.push(Value::unknown(element.clone()));
        }
        all.extend(self.collections(nesting, element, &elements));
        all
    }

    /// Blocks are present or absent; only a whole collection is unknown (S51), in a plan any block.
    fn blocks(&self, nesting: Nesting, ty: &Type) -> Vec<Value> {
        let plan = self.role == Role::Plan;
        let mut all = Vec::new();
        if plan || nesting == Nesting::Single {
            all.push(Value::null(ty.clone()));
        }
        if plan || self.role == Role::Config && ty.is_collection() {
            all.push(Value::unknown(ty.clone()));
        }
        let Some(element) = ty.element() else {
            all.extend(self.objects());
            return all;
        };
        let mut elements = self.objects();
        if plan {
            elements.push(Value::unknown(element.clone()));
        }
        all.extend(self.collections(nesting, element, &elements));
        all
    }

    /// Every object of the container's attributes.
    fn objects(&self) -> Vec<Value> {
        let mut rows: Vec<Vec<(Text, Value)>> = vec![Vec::new()];
        for (name, class) in ["a", "b"].into_iter().zip(&self.plan.classes) {
            let leaves = self.leaves(*class);
            let longer = |row: &Vec<(Text, Value)>| -> Vec<Vec<(Text, Value)>> {
                let with = |leaf: &Value| row.iter().cloned().chain([(Text::new(name), leaf.clone())]).collect();
                leaves.iter().map(with).collect()
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        rows.into_iter().map(Value::object).collect()
    }

    fn leaves(&self, class: Class) -> Vec<Value> {
        let mut all = vec![Value::null(Type::String)];
        if self.role == Role::Config && class == Class::Computed {
            return all;
        }
        all.extend(["x", "y"].iter().take(self.scope.texts).map(|text| Value::string(text)));
        if self.role != Role::Prior {
            all.push(Value::unknown(Type::String));
        }
        all
    }

    /// Every collection of up to so many elements.
    fn collections(&self, nesting: Nesting, element: &Type, elements: &[Value]) -> Vec<Value> {
        let make = |chosen: &[&Value]| {
            let chosen = chosen.iter().map(|value| (*value).clone());
            let made = match nesting {
                Nesting::Set => Value::set(element, chosen.collect()),
                Nesting::Map => Value::map(element, ["k", "l"].map(Text::new).into_iter().zip(chosen).collect()),
                Nesting::List | Nesting::Single | Nesting::Group => Value::list(element, chosen.collect()),
            };
            made.expect("all elements are of the element type")
        };
        let mut all = vec![make(&[])];
        all.extend(elements.iter().map(|one| make(&[one])));
        if nesting == Nesting::Map {
            let renamed = |one: &Value| Value::map(element, vec![(Text::new("l"), one.clone())]);
            all.extend(elements.iter().map(|one| renamed(one).expect("one element has one type")));
        }
        if self.scope.elements > 1 {
            let pairs = elements.iter().enumerate().flat_map(|(index, one)| {
                // A set ignores the order of its elements, so one order of each pair is enough.
                let from = if nesting == Nesting::Set { index } else { 0 };
                elements[from..].iter().map(move |other| [one, other])
            });
            let of_two = pairs.map(|pair| make(&pair)).filter(|value| value.view().len() == 2);
            all.extend(of_two);
        }
        all
    }
}

/// The resource that holds nothing but the container.
fn in_container(value: Value) -> Value {
    Value::object(vec![(Text::new(CONTAINER), value)])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_count_is_the_number_of_cases() {
        for dialect in Dialect::ALL {
            let count = Exhaustive::count(Scope::SMOKE, dialect);
            assert_eq!(Exhaustive::new(Scope::SMOKE, dialect).count(), count);
        }
    }

    #[test]
    fn every_schema_is_valid_and_every_value_conforms() {
        for dialect in Dialect::ALL {
            for plan in plans(Scope::ONE_ATTRIBUTE, dialect).iter().chain(&plans(Scope::TWO_ATTRIBUTES, dialect)) {
                let Quads { schema, priors, configs, plans, next: _ } = plan.values(Scope::SMOKE, dialect);
                assert!(schema.is_valid(dialect), "{plan:?}");
                let ty = schema.implied_type(dialect);
                let mut all = priors.iter().chain(&configs).chain(&plans);
                assert!(all.all(|value| *value.ty() == ty), "{plan:?}");
                assert!(priors.iter().all(Value::is_wholly_known));
            }
        }
    }

    #[test]
    fn no_value_of_a_role_comes_twice() {
        for plan in plans(Scope::ONE_ATTRIBUTE, Dialect::TERRAFORM_1_17) {
            let Quads { priors, configs, plans, .. } = plan.values(Scope::ONE_ATTRIBUTE, Dialect::TERRAFORM_1_17);
            for values in [priors, configs, plans] {
                for (index, value) in values.iter().enumerate() {
                    assert!(!values[..index].contains(value), "{plan:?}: {value:?}");
                }
            }
        }
    }

    #[test]
    fn every_pair_of_plan_and_actual_value_occurs() {
        let mut pairs = HashSet::new();
        let mut plans_of_schema = 0;
        for plan in plans(Scope::SMOKE, Dialect::default()) {
            let mut block = plan.values(Scope::SMOKE, Dialect::default());
            pairs.clear();
            plans_of_schema = block.plans.len();
            while let Some(Merge { planned, actual, .. }) = block.next() {
                pairs.insert(format!("{planned:?} {actual:?}"));
            }
            assert_eq!(pairs.len(), plans_of_schema * plans_of_schema, "{plan:?}");
        }
        assert!(plans_of_schema > 3);
    }
}
