//! The values that expressions see: named values, expansions and objects of one walk (section 4 of workspace-language.md).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use planfuzz_core::address::{
    AbsResource, AbsResourceInstance, InstanceKey, ModuleInstance, ModuleStep, Resource, ResourceMode,
};
use planfuzz_core::value::{Number, Text, Type, Value};
use planfuzz_language::check::{Contents, ExpansionRoots};
use planfuzz_language::expression::Scope;

use crate::evaluation::{EPHEMERAL, Marked, Marks, SENSITIVE};
use crate::layout::Layout;

/// The instances of a block or a call.
#[derive(Clone, Debug)]
pub enum Instances {
    /// Once, without key.
    Single,
    /// `count`.
    Count(i64),
    /// `for_each`, by key.
    Each(BTreeMap<String, Marked>),
    /// Unknown, as in the validation walk.
    Unknown(RepetitionKind),
}

/// The kind of repetition that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepetitionKind {
    /// Neither `count` nor `for_each`.
    Single,
    /// `count`
    Count,
    /// `for_each`
    Each,
}

/// `count.index`, `each.key`, `each.value` (E108).
#[derive(Clone, Debug, Default)]
pub struct Repeated {
    /// `count.index`
    pub index: Option<Marked>,
    /// `each.key` and `each.value`
    pub each: Option<(Marked, Marked)>,
}

impl Repeated {
    /// Unknown `count` and `each` (E68).
    pub fn unknown() -> Repeated {
        let unknown = |ty| Marked::from(Value::unknown(ty));
        Repeated { index: Some(unknown(Type::Number)), each: Some((unknown(Type::String), unknown(Type::Dynamic))) }
    }
}

/// Values of a walk.
#[derive(Debug, Default)]
pub struct WalkValues {
    /// Whether this is the validation walk.
    pub is_validation: bool,
    /// Whether this is an apply: a missing object then has the type of its schema (E53).
    pub is_apply: bool,
    /// Whether this is the walk of the command `import`: it plans nothing, so that objects that are not stored are unknown (G15).
    pub is_import: bool,
    /// Resources that repeat and turned out to have no instances, in such a walk.
    pub empty: BTreeSet<AbsResource>,
    /// Resources of which the state has an object, even if not a declared one, or that targets leave out (E53).
    pub noted: BTreeSet<AbsResource>,
    /// Data resources with a stored object that was dropped, since it is no longer declared.
    pub dropped: BTreeSet<AbsResource>,
    /// Resources with stored instances that targets leave out (G111): expressions see all existing objects, declared or not.
    pub partial: BTreeSet<AbsResource>,
    /// Variables, by module instance and name.
    pub variables: HashMap<(ModuleInstance, String), Marked>,
    /// Locals.
    pub locals: HashMap<(ModuleInstance, String), Marked>,
    /// Outputs.
    pub outputs: HashMap<(ModuleInstance, String), Marked>,
    /// Module calls, by the instance that calls.
    pub calls: HashMap<(ModuleInstance, String), Instances>,
    /// Resources, by the instance of their module.
    pub resources: HashMap<AbsResource, Instances>,
    /// Instances that have only deposed objects when a walk begins, where expressions see them as unknown: in a refresh and its apply
    /// (L183), the command `import` (G15), any apply of OpenTofu (section 15 of applies), and where targets leave them out (G111).
    pub deposed_alone: HashMap<AbsResource, BTreeSet<InstanceKey>>,
    /// Instances that have only deposed objects for a part of the walk: in a plan until those are visited (E59), in an apply after the
    /// current one is destroyed (U41).
    pub passing: HashMap<AbsResource, BTreeSet<InstanceKey>>,
    /// Whether expressions see these as unknown.
    pub sees_passing: bool,
    /// Objects.
    pub objects: HashMap<AbsResource, BTreeMap<InstanceKey, Marked>>,
}

impl Instances {
    /// The keys, each with its `count` and `each`.
    pub fn keys(&self) -> Vec<(InstanceKey, Repeated)> {
        match self {
            Instances::Single | Instances::Unknown(RepetitionKind::Single) => {
                vec![(InstanceKey::None, Repeated::default())]
            }
            Instances::Count(count) => (0..*count)
                .map(|index| {
                    let repeated = Repeated { index: Some(Value::number(Number::counted(index)).into()), each: None };
                    (InstanceKey::Int(index), repeated)
                })
                .collect(),
            Instances::Each(elements) => elements
                .iter()
                .map(|(key, value)| {
                    let repeated = Repeated { index: None, each: Some((Value::string(key).into(), value.clone())) };
                    (InstanceKey::Text(key.clone()), repeated)
                })
                .collect(),
            // E61
            Instances::Unknown(RepetitionKind::Count) => {
                vec![(InstanceKey::None, Repeated { each: None, ..Repeated::unknown() })]
            }
            Instances::Unknown(RepetitionKind::Each) => {
                vec![(InstanceKey::None, Repeated { index: None, ..Repeated::unknown() })]
            }
        }
    }

    /// How many they are.
    pub fn count(&self) -> u64 {
        match self {
            Instances::Single | Instances::Unknown(_) => 1,
            Instances::Count(count) => u64::try_from(*count).unwrap_or(0),
            Instances::Each(elements) => elements.len() as u64,
        }
    }

    /// The `count` and `each` of one instance.
    pub fn repeated(&self, key: &InstanceKey) -> Option<Repeated> {
        match (self, key) {
            (Instances::Count(count), InstanceKey::Int(index)) if (0..*count).contains(index) => {
                Some(Repeated { index: Some(Value::number(Number::counted(*index)).into()), each: None })
            }
            (Instances::Each(elements), InstanceKey::Text(key)) => {
                let value = elements.get(key)?;
                Some(Repeated { index: None, each: Some((Value::string(key).into(), value.clone())) })
            }
            (Instances::Single | Instances::Unknown(_), InstanceKey::None) => self.keys().pop().map(|(_, found)| found),
            _ => None,
        }
    }

    /// Whether a key is among them.
    pub fn has(&self, key: &InstanceKey) -> bool {
        match (self, key) {
            (Instances::Single | Instances::Unknown(_), InstanceKey::None) => true,
            (Instances::Count(count), InstanceKey::Int(index)) => (0..*count).contains(index),
            (Instances::Each(elements), InstanceKey::Text(key)) => elements.contains_key(key),
            _ => false,
        }
    }
}

impl WalkValues {
    /// The instances of a module; empty if its call is not expanded.
    pub fn module_instances(&self, layout: &Layout<'_>, module: usize) -> Vec<ModuleInstance> {
        let of = &layout.modules[module];
        let (Some(parent), Some(name)) = (of.parent, of.path.last()) else { return vec![ModuleInstance::ROOT] };
        let mut found = Vec::new();
        for outer in self.module_instances(layout, parent) {
            let Some(call) = self.calls.get(&(outer.clone(), name.clone())) else { continue };
            for (key, _) in call.keys() {
                let mut steps = outer.0.clone();
                steps.push(ModuleStep { name: name.clone(), key });
                found.push(ModuleInstance(steps));
            }
        }
        found
    }

    /// The `count` and `each` of the call of a module instance.
    pub fn repeated_of_call(&self, instance: &ModuleInstance) -> Repeated {
        let mut outer = instance.0.clone();
        let Some(step) = outer.pop() else { return Repeated::default() };
        let call = self.calls.get(&(ModuleInstance(outer), step.name));
        call.and_then(|call| call.repeated(&step.key)).unwrap_or_default()
    }

    /// Makes an object visible to expressions, or removes it.
    pub fn set(&mut self, address: &AbsResourceInstance, value: Option<Marked>) {
        let objects = self.objects.entry(address.abs_resource()).or_default();
        match value {
            Some(value) => drop(objects.insert(address.key.clone(), value)),
            None => drop(objects.remove(&address.key)),
        }
    }

    /// Whether a resource that repeats is unknown, since this walk plans nothing and no instance is stored (G15). A resource without
    /// instances is stored as such, unless its stored objects were dropped.
    pub fn is_open(&self, resource: &AbsResource) -> bool {
        let repeats = |instances: &Instances| matches!(instances, Instances::Count(_) | Instances::Each(_));
        let instances = self.resources.get(resource).filter(|instances| repeats(instances));
        let has_some = |instances: &Instances| instances.count() > 0 || self.dropped.contains(resource);
        let has_none = self.objects.get(resource).is_none_or(BTreeMap::is_empty) && !self.empty.contains(resource);
        self.is_import && has_none && !self.deposed_alone.contains_key(resource) && instances.is_some_and(has_some)
    }

    /// E47: whether this is an apply.
    fn applying(&self) -> Marked {
        Marked::from(Value::bool(self.is_apply)).with(EPHEMERAL)
    }

    /// E53 to E58, L183.
    fn resource(&self, resource: &AbsResource, ty: Option<Type>) -> Marked {
        let anything = || Marked::from(Value::unknown(Type::Dynamic));
        let ephemeral = resource.resource.mode == ResourceMode::Ephemeral;
        let marked = |value: Marked| if ephemeral { value.with(EPHEMERAL) } else { value };
        let anything = || marked(anything());
        if self.is_validation {
            return anything();
        }
        let gap = || marked(Value::unknown(ty.clone().unwrap_or(Type::Dynamic)).into());
        let none = BTreeMap::new();
        let mut objects = Cow::Borrowed(self.objects.get(resource).unwrap_or(&none));
        let passing = self.passing.get(resource).filter(|_| self.sees_passing);
        let deposed_alone = || self.deposed_alone.get(resource).into_iter().chain(passing).flatten();
        for key in deposed_alone() {
            objects.to_mut().entry(key.clone()).or_insert_with(gap);
        }
        // Each instance is ephemeral, how many there are is not.
        let object = |key: &InstanceKey| objects.get(key).cloned().map(marked);
        let sees_deposed = deposed_alone().next().is_some();
        let is_partial = self.partial.contains(resource) || sees_deposed;
        let is_noted = self.noted.contains(resource) || sees_deposed;
        let declared = self.resources.get(resource).filter(|_| !is_partial);
        match declared {
            Some(_) if self.is_open(resource) => anything(),
            Some(Instances::Count(count)) => {
                let last = (0..*count).rev().find(|index| objects.contains_key(&InstanceKey::Int(*index)));
                let all = (0..last.map_or(0, |last| last + 1))
                    .map(|index| object(&InstanceKey::Int(index)).unwrap_or_else(gap));
                Marked::tuple(all.collect())
            }
            Some(Instances::Each(elements)) => {
                let there = elements.keys().filter_map(|key| Some((key, object(&InstanceKey::Text(key.clone()))?)));
                Marked::object(there.map(|(key, value)| (Text::new(key), value)).collect())
            }
            Some(Instances::Single | Instances::Unknown(_)) => {
                let is_typed = self.is_apply || self.is_import || is_noted;
                object(&InstanceKey::None).unwrap_or_else(|| if is_typed { gap() } else { anything() })
            }
            // Not expanded in this walk, or objects beyond the declared ones are visible: the existing objects, by the kind of their keys.
            None => match objects.keys().rfind(|key| self.fits(resource, key)) {
                Some(InstanceKey::Int(last)) => Marked::tuple(
                    (0..=*last).map(|index| object(&InstanceKey::Int(index)).unwrap_or_else(gap)).collect(),
                ),
                Some(InstanceKey::Text(_)) => Marked::object(
                    objects
                        .iter()
                        .filter_map(|(key, value)| match key {
                            InstanceKey::Text(key) => Some((Text::new(key), marked(value.clone()))),
                            _ => None,
                        })
                        .collect(),
                ),
                Some(InstanceKey::None) => object(&InstanceKey::None).unwrap_or_else(anything),
                None => match self.resources.get(resource) {
                    Some(Instances::Count(_)) => Marked::tuple(Vec::new()),
                    Some(Instances::Each(_)) => Marked::object(Vec::new()),
                    Some(Instances::Single) if is_noted || self.is_apply => gap(),
                    Some(Instances::Single | Instances::Unknown(_)) | None => anything(),
                },
            },
        }
    }

    /// L183: whether a key is of the kind by which the block repeats, if that is known.
    fn fits(&self, resource: &AbsResource, key: &InstanceKey) -> bool {
        match self.resources.get(resource) {
            Some(Instances::Count(_)) => matches!(key, InstanceKey::Int(_)),
            Some(Instances::Each(_)) => matches!(key, InstanceKey::Text(_)),
            Some(Instances::Single) => *key == InstanceKey::None,
            Some(Instances::Unknown(_)) | None => true,
        }
    }

    /// E52.
    fn module(&self, layout: &Layout<'_>, module: usize, instance: &ModuleInstance, call: &str) -> Option<Marked> {
        let child = *layout.modules[module].children.get(call)?;
        let outputs = &layout.modules[child].configuration.module.outputs;
        let object = |key: InstanceKey| {
            let mut steps = instance.0.clone();
            steps.push(ModuleStep { name: call.to_owned(), key });
            let inner = ModuleInstance(steps);
            let members = outputs.iter().map(|output| {
                let value = self.outputs.get(&(inner.clone(), output.name.text.to_string())).cloned();
                (output.name.text.clone(), value.unwrap_or_else(|| Value::unknown(Type::Dynamic).into()))
            });
            Marked::object(members.collect())
        };
        let unknown_object =
            || Type::object(outputs.iter().map(|output| (output.name.text.clone(), Type::Dynamic)).collect::<Vec<_>>());
        Some(match self.calls.get(&(instance.clone(), call.to_owned()))? {
            Instances::Single => object(InstanceKey::None),
            Instances::Count(count) => {
                Marked::tuple((0..*count).map(|index| object(InstanceKey::Int(index))).collect())
            }
            Instances::Each(elements) => Marked::object(
                elements.keys().map(|key| (Text::new(key), object(InstanceKey::Text(key.clone())))).collect(),
            ),
            Instances::Unknown(RepetitionKind::Single) => {
                // The validation walk evaluates the outputs too, but from outside they are unknown.
                Value::unknown(unknown_object()).into()
            }
            Instances::Unknown(RepetitionKind::Count) => Value::unknown(Type::list(unknown_object())).into(),
            Instances::Unknown(RepetitionKind::Each) => Value::unknown(Type::map(unknown_object())).into(),
        })
    }
}

/// A place in which an expression is evaluated.
#[derive(Debug)]
pub struct At<'a, 'w> {
    /// The values.
    pub values: &'a WalkValues,
    /// The configuration.
    pub layout: &'a Layout<'w>,
    /// The module.
    pub module: usize,
    /// Its instance.
    pub instance: &'a ModuleInstance,
    /// The `count` and `each` here.
    pub repeated: &'a Repeated,
    /// `self`
    pub own: Option<Marked>,
    /// Names that take precedence over all others: iterators of dynamic blocks, the variable of a validation.
    pub extra: Vec<(Text, Marked)>,
    /// The marks that every argument in the content of a dynamic block has: those of its `for_each` (E31).
    pub in_content: Marks,
    /// How often each content of a dynamic block was evaluated here.
    pub contents: Contents,
    /// The names in scope of the `for_each` and labels of the body that is evaluated (E31).
    pub expansion: ExpansionRoots,
}

impl Scope for At<'_, '_> {
    fn value(&self, root: &str, attribute: Option<&str>) -> Option<(Marked, bool)> {
        if let Some((_, value)) = self.extra.iter().rev().find(|(name, _)| **name == *root) {
            return Some((value.clone(), false));
        }
        let of = |name: &str| (self.instance.clone(), name.to_owned());
        let text = |text: &str| Some((Marked::from(Value::string(text)), true));
        match (root, attribute) {
            ("var", Some(name)) => Some((self.values.variables.get(&of(name))?.clone(), true)),
            ("local", Some(name)) => Some((self.values.locals.get(&of(name))?.clone(), true)),
            ("module", Some(name)) => Some((self.values.module(self.layout, self.module, self.instance, name)?, true)),
            ("count", Some("index")) => Some((self.repeated.index.clone()?, true)),
            ("each", Some("key")) => Some((self.repeated.each.clone()?.0, true)),
            ("each", Some("value")) => Some((self.repeated.each.clone()?.1, true)),
            ("self", _) => Some((self.own.clone()?, false)),
            ("path", Some("module")) => {
                let directory = self.layout.modules[self.module].configuration.module.directory.as_str();
                text(if directory.is_empty() { "." } else { directory })
            }
            ("path", Some("root")) => text("."),
            ("path", Some("cwd")) => text("."),
            ("terraform", Some("workspace")) => text("default"),
            ("terraform", Some("applying")) => Some((self.values.applying(), true)),
            ("data", Some(type_name)) => self.all(ResourceMode::Data, type_name),
            ("ephemeral", Some(type_name)) => self.all(ResourceMode::Ephemeral, type_name),
            ("resource", Some(type_name)) => self.all(ResourceMode::Managed, type_name),
            (_, Some(name)) => {
                let (mode, type_name, name) = (ResourceMode::Managed, root.to_owned(), name.to_owned());
                Some((self.one(Resource { mode, type_name, name })?, true))
            }
            _ => None,
        }
    }
}

impl At<'_, '_> {
    fn one(&self, resource: Resource) -> Option<Marked> {
        let block = self.layout.find(self.module, &resource)?;
        let of = &self.layout.blocks[block];
        let ty = of.schema.map(|schema| schema.implied_type(self.layout.dialect));
        // Section 19 of workspace-language.md: OpenTofu knows the type of a single resource in the validation walk.
        let is_single = of.resource.repetition.count.is_none() && of.resource.repetition.for_each.is_none();
        if self.values.is_validation
            && is_single
            && resource.mode != ResourceMode::Ephemeral
            && self.layout.dialect.knows_types_in_validation()
        {
            let members = ty?.as_object().map(|object| {
                let attributes = object.attributes().iter();
                attributes.map(|one| (one.name.clone(), Value::unknown(one.ty.clone()))).collect()
            });
            return Some(Value::object(members.unwrap_or_default()).into());
        }
        Some(self.values.resource(&AbsResource { module: self.instance.clone(), resource }, ty))
    }

    /// All resources of a type, as an object by name.
    fn all(&self, mode: ResourceMode, type_name: &str) -> Option<(Marked, bool)> {
        let of_type = |resource: &&Resource| resource.mode == mode && resource.type_name == type_name;
        let blocks = self.layout.blocks.iter().filter(|block| block.module == self.module);
        let members: Vec<(Text, Marked)> = blocks
            .map(|block| &block.address)
            .filter(of_type)
            .filter_map(|resource| Some((Text::new(&resource.name), self.one(resource.clone())?)))
            .collect();
        (!members.is_empty()).then(|| (Marked::object(members), true))
    }
}

/// A value with the marks of a declaration.
pub fn declared(value: Marked, sensitive: bool, ephemeral: bool) -> Marked {
    let value = if sensitive { value.with(SENSITIVE) } else { value };
    if ephemeral { value.with(EPHEMERAL) } else { value }
}
