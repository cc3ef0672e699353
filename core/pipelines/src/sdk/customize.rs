//! Plan customisation (Z70 to Z75).

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::expression::{Expr, Operation, Scene, Source};
use crate::rules::CustomizeOp;
use planfuzz_core::value::{Tri, Type, Value};

use super::Pipeline;
use super::diff::{Diff, Differ};
use super::error::SdkError;
use super::flat::FlatMap;
use super::from_cty::from_cty;
use super::plan::PlanRequest;
use super::read::{At, ConfigReader, Count, DiffReader, Merged, Place, Read, Reader, StateReader};
use super::schema::{Elem, Field, FieldRef, Kind, Primitive, Resource, Schema};
use super::state::State;
use super::tree::Tree;
use super::value::SdkValue;
use super::write::write;

/// The diff of a plan during customisation.
pub(super) struct Customizer<'a> {
    pipeline: &'a Pipeline,
    request: PlanRequest<'a>,
    state: &'a State,
    tree: &'a Tree,
    /// The schema; fields that were forced to ask for replacement have their flag set.
    schema: Cow<'a, Schema>,
    diff: Diff,
    /// The values of `set_new`, and the names of those that are not known yet.
    values: FlatMap,
    unknown: BTreeSet<String>,
    set: BTreeSet<String>,
    forced: BTreeSet<String>,
    /// The error that occurred while a condition was evaluated.
    error: RefCell<Option<SdkError>>,
}

impl<'a> Customizer<'a> {
    pub fn new(
        pipeline: &'a Pipeline,
        request: PlanRequest<'a>,
        state: &'a State,
        tree: &'a Tree,
        diff: Diff,
    ) -> Customizer<'a> {
        Customizer {
            pipeline,
            request,
            state,
            tree,
            schema: Cow::Borrowed(pipeline.schema()),
            diff,
            values: FlatMap::default(),
            unknown: BTreeSet::new(),
            set: BTreeSet::new(),
            forced: BTreeSet::new(),
            error: RefCell::new(None),
        }
    }

    /// Z70, and then Z72.
    pub fn run(mut self, ops: &[CustomizeOp]) -> Result<Diff, SdkError> {
        for op in ops {
            self.op(op)?;
        }
        self.second_pass()
    }

    fn op(&mut self, op: &CustomizeOp) -> Result<(), SdkError> {
        match op {
            CustomizeOp::When(condition, op) => match self.asked(condition.holds(&*self))? {
                Tri::True => self.op(op),
                Tri::False | Tri::Unknown => Ok(()),
            },
            CustomizeOp::ErrorIf(condition) => match self.asked(condition.holds(&*self))? {
                Tri::True => Err(SdkError::Refused),
                Tri::False | Tri::Unknown => Ok(()),
            },
            CustomizeOp::ForceNew(key) => self.force_new(key),
            CustomizeOp::SetNew(key, expr) => self.set_new(key, expr),
            CustomizeOp::SetNewComputed(key) => {
                let kind = self.settable(key)?.kind.clone();
                let zero = SdkValue::zero(&kind);
                self.remember(key, &kind, &zero, true);
                Ok(())
            }
            CustomizeOp::Clear(key) => self.clear(key),
        }
    }

    /// The answer, or the error that occurred while it was evaluated.
    fn asked<T>(&self, answer: T) -> Result<T, SdkError> {
        self.error.borrow_mut().take().map_or(Ok(answer), Err)
    }

    /// Z71: a top-level key of a computed field.
    fn settable(&self, key: &str) -> Result<&Field, SdkError> {
        let field = self.schema.fields().get(key).ok_or_else(|| SdkError::NoSuchKey { key: key.to_owned() })?;
        if field.computed { Ok(field) } else { Err(SdkError::NotComputed { key: key.to_owned() }) }
    }

    fn set_new(&mut self, key: &str, expr: &Expr) -> Result<(), SdkError> {
        let kind = self.settable(key)?.kind.clone();
        let ty = self.pipeline.ty().as_object().and_then(|object| object.attribute_type(key));
        let value = self.asked(expr.value(ty.unwrap_or(&Type::Dynamic), &*self))?;
        if value.is_wholly_known() {
            let value = from_cty(&kind, value.view(), key)?;
            self.remember(key, &kind, &value, false);
        } else {
            self.remember(key, &kind, &SdkValue::zero(&kind), true);
        }
        Ok(())
    }

    fn remember(&mut self, key: &str, kind: &Kind, value: &SdkValue, is_unknown: bool) {
        self.diff.clear(key);
        write(&mut self.values, kind, key, Some(value));
        self.set.insert(key.to_owned());
        // A key that was unknown once stays unknown, whatever is set later (Z71).
        if is_unknown {
            self.unknown.insert(key.to_owned());
        }
    }

    fn clear(&mut self, key: &str) -> Result<(), SdkError> {
        let Some((field, _)) = locate(&self.schema, key, self.tree) else {
            return Err(SdkError::NoSuchKey { key: key.to_owned() });
        };
        if !field.computed {
            return Err(SdkError::NotComputed { key: key.to_owned() });
        }
        self.diff.clear(key);
        Ok(())
    }

    fn force_new(&mut self, key: &str) -> Result<(), SdkError> {
        if locate(&self.schema, key, self.tree).is_none() {
            return Err(SdkError::NoSuchKey { key: key.to_owned() });
        }
        if !self.has_change(key)? {
            return Err(SdkError::NoChange { key: key.to_owned() });
        }
        if let Some(field) = self.schema.to_mut().field_at_mut(key.split('.')) {
            field.force_new = true;
        }
        self.forced.extend(key.split('.').next().map(str::to_owned));
        Ok(())
    }

    /// Z71: whether the old value at a key differs from the new one, zero values for absent ones.
    fn has_change(&self, key: &str) -> Result<bool, SdkError> {
        let Some((field, at)) = locate(&self.schema, key, self.tree) else { return Ok(false) };
        let value = |read: Read| read.value.unwrap_or_else(|| SdkValue::zero(field.kind));
        let old = value(StateReader { flat: &self.state.flat }.field(field, &at)?);
        let is_set = self.set.contains(key.split('.').next().unwrap_or_default());
        let new = value(match is_set {
            true => self.remembered().field(field, &at)?,
            false => self.with_levels(&self.diff, |merged| merged.field(field, &at))?,
        });
        Ok(match (&old, &new) {
            (SdkValue::Set(old), SdkValue::Set(new)) => !old.has_codes_of(new),
            _ => old != new,
        })
    }

    /// Calls with the merged view state < config < diff < remembered values.
    fn with_levels<T>(&self, diff: &Diff, call: impl FnOnce(&Merged<'_>) -> T) -> T {
        let state = StateReader { flat: &self.state.flat };
        let below = Merged { levels: &[&state, &ConfigReader] };
        let diff = DiffReader { diff, below: &below };
        call(&Merged { levels: &[&state, &ConfigReader, &diff, &self.remembered()] })
    }

    fn remembered(&self) -> Remembered<'_> {
        Remembered { values: StateReader { flat: &self.values }, unknown: &self.unknown }
    }

    /// Z72: diffs the changed keys again.
    fn second_pass(&self) -> Result<Diff, SdkError> {
        let mut result = self.diff.clone();
        let root = At::root(Some(self.tree));
        for key in self.set.union(&self.forced) {
            let Some(field) = self.schema.fields().get(key) else { continue };
            let before = result.clone();
            let (is_set, remembered) = (self.set.contains(key), self.remembered());
            result = self.with_levels(&before, |merged| {
                let mut differ = Differ {
                    state: StateReader { flat: &self.state.flat },
                    new: if is_set { &remembered } else { merged },
                    present: merged,
                    before: Some(&before),
                    has_id: !self.state.id.is_empty(),
                    customised: is_set,
                    suppresses: false,
                    canonicalises: true,
                    diff: result,
                };
                differ.field(field.into(), &root.field(key), false)?;
                Ok::<_, SdkError>(differ.diff)
            })?;
        }
        Ok(result)
    }

    /// The current plan.
    fn plan(&self) -> Result<Value, SdkError> {
        let mut diff = self.second_pass()?;
        diff.take_old_from(&self.state.flat);
        self.pipeline.apply_diff(self.state, &diff, self.request.proposed)
    }
}

impl Scene for Customizer<'_> {
    /// Rules of the resource have no attribute.
    fn this(&self, source: Source) -> Value {
        self.root(source)
    }

    fn object(&self, source: Source) -> Value {
        self.root(source)
    }

    fn root(&self, source: Source) -> Value {
        match source {
            Source::Config => self.request.config.clone(),
            Source::Prior => self.request.prior.clone(),
            Source::Plan => self.plan().unwrap_or_else(|error| {
                self.error.replace(Some(error));
                Value::null(self.pipeline.ty().clone())
            }),
        }
    }

    fn operation(&self) -> Operation {
        Operation::of(self.request.prior, self.request.config)
    }

    fn has_changed(&self, name: &str) -> Tri {
        let changed = self.has_change(name).unwrap_or_else(|error| {
            self.error.replace(Some(error));
            false
        });
        changed.into()
    }
}

/// The field or element that a key leads to, and its address.
fn locate<'s, 't>(schema: &'s Schema, key: &str, tree: &'t Tree) -> Option<(FieldRef<'s>, At<'t>)> {
    let mut parts = key.split('.');
    let name = parts.next()?;
    let mut field = FieldRef::from(schema.fields().get(name)?);
    let mut at = At::root(Some(tree)).field(name);
    let mut object: Option<&Resource> = None;
    for part in parts {
        if let Some(resource) = object.take() {
            field = resource.fields().get(part)?.into();
            at = at.field(part);
            continue;
        }
        let elem = match field.kind {
            Kind::Primitive(_) | Kind::Map(_) => return None,
            Kind::List(elem) => {
                at = at.index(part.parse().ok()?);
                elem
            }
            Kind::Set(elem) => {
                at = at.code(part, Place::Gone);
                elem
            }
        };
        match elem {
            Elem::Kind(kind) => field = FieldRef::element(kind, field.force_new),
            Elem::Resource(resource) => object = Some(resource),
        }
    }
    object.is_none().then_some((field, at))
}

/// The level of remembered values.
struct Remembered<'a> {
    values: StateReader<'a>,
    unknown: &'a BTreeSet<String>,
}

impl Remembered<'_> {
    fn is_unknown(&self, path: &str) -> bool {
        let top = path.split_once('.').map_or(path, |(top, _)| top);
        self.unknown.contains(top)
    }

    fn marked(&self, read: Read, at: &At<'_>) -> Read {
        if self.is_unknown(&at.path) { Read { computed: true, ..read } } else { read }
    }
}

impl Reader for Remembered<'_> {
    fn primitive(&self, primitive: Primitive, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        Ok(self.marked(self.values.primitive(primitive, field, at)?, at))
    }

    /// If the value is not known yet, the levels below give the count.
    fn count(&self, at: &At<'_>) -> Result<Count, SdkError> {
        if self.is_unknown(&at.path) { Ok(Count::Absent) } else { self.values.count(at) }
    }

    fn map(&self, element: Primitive, at: &At<'_>) -> Result<Read, SdkError> {
        Ok(self.marked(self.values.map(element, at)?, at))
    }

    fn set(&self, elem: &Elem, at: &At<'_>) -> Result<Read, SdkError> {
        Ok(self.marked(self.values.set(elem, at)?, at))
    }

    fn field(&self, field: FieldRef<'_>, at: &At<'_>) -> Result<Read, SdkError> {
        Ok(self.marked(self.values.field(field, at)?, at))
    }
}

#[cfg(test)]
mod tests {
    use crate::sdk::SdkError;
    use crate::sdk::testing::{Resource, resource};

    fn customized(ops: &str) -> Resource {
        let schema = r#"{"a": {"type": "string", "optional": true, "diff_suppress": "case"},
            "c": {"type": "string", "optional": true, "computed": true},
            "l": {"type": "list", "elem": {"type": "string"}, "computed": true}}"#;
        resource(schema).customized(ops)
    }

    const PRIOR: &str = r#"{"a":"1","c":"old","id":"i","l":["x"]}"#;

    #[test]
    fn z71_set_new_plans_a_value() {
        customized(r#"[{"set_new": ["c", {"const": "new"}]}]"#).check_plan(
            PRIOR,
            PRIOR,
            r#"{"a":"1","c":"new","id":"i","l":["x"]}"#,
        );
        customized(r#"[{"set_new": ["l", {"const": ["y", "z"]}]}]"#).check_plan(
            PRIOR,
            PRIOR,
            r#"{"a":"1","c":"old","id":"i","l":["y","z"]}"#,
        );
    }

    #[test]
    fn z71_an_unknown_expression_is_not_known_yet() {
        let changed = r#"{"a":?,"c":"old","id":"i","l":["x"]}"#;
        customized(r#"[{"set_new": ["c", {"root": ["config", ["a"]]}]}]"#).check_plan(
            PRIOR,
            changed,
            r#"{"a":?,"c":?,"id":"i","l":["x"]}"#,
        );
    }

    #[test]
    fn z71_an_unknown_field_stays_unknown() {
        let ops = r#"[{"set_new_computed": "c"}, {"set_new": ["c", {"const": "new"}]}]"#;
        customized(ops).check_plan(PRIOR, PRIOR, r#"{"a":"1","c":?,"id":"i","l":["x"]}"#);
    }

    #[test]
    fn z71_only_computed_fields_are_set() {
        let plan = |ops: &str| customized(ops).plan(PRIOR, PRIOR);
        assert_eq!(plan(r#"[{"set_new_computed": "a"}]"#), Err(SdkError::NotComputed { key: "a".to_owned() }));
        assert_eq!(plan(r#"[{"set_new_computed": "l.0"}]"#), Err(SdkError::NoSuchKey { key: "l.0".to_owned() }));
        assert_eq!(plan(r#"[{"clear": "a"}]"#), Err(SdkError::NotComputed { key: "a".to_owned() }));
        assert_eq!(plan(r#"[{"force_new": "a"}]"#), Err(SdkError::NoChange { key: "a".to_owned() }));
        assert_eq!(plan(r#"[{"error_if": true}]"#), Err(SdkError::Refused));
    }

    #[test]
    fn z72_the_second_pass_suppresses_nothing() {
        let resource = customized(r#"[{"when": [{"changed": "a"}, {"force_new": "a"}]}]"#);
        let prior = r#"{"a":"x","c":"old","id":"i","l":["x"]}"#;
        resource.check_plan(
            prior,
            r#"{"a":"X","c":"old","id":"i","l":["x"]}"#,
            r#"{"a":"X","c":"old","id":"i","l":["x"]} .a .id"#,
        );
    }

    #[test]
    fn z70_conditions_see_the_plan_so_far() {
        let ops = r#"[{"set_new": ["c", {"const": "n"}]},
            {"when": [{"eq": [{"root": ["plan", ["c"]]}, {"const": "n"}]}, {"set_new_computed": "l"}]}]"#;
        customized(ops).check_plan(PRIOR, PRIOR, r#"{"a":"1","c":"n","id":"i","l":?}"#);
    }
}
