//! Changes of a document as planners have them, read with a schema.

use super::document::{ChangeJson, ImportingJson, Reason, ResourceChangeJson};
use super::error::NotTyped;
use super::place::{PathItem, PathItems};
use super::{sensitive, whole};
use crate::dialect::Dialect;
use crate::json::{Json, JsonError};
use crate::plans::{Change, Importing, Marked, ResourceInstanceChange};
use crate::schema::Schema;
use crate::state::{DeposedKey, Private};
use crate::value::{PathSet, Text, Type, Value, ValueRef, WrittenPath, WrittenStep};

/// A change read with its schema.
#[derive(Clone, Debug)]
pub struct TypedChange {
    /// The change, its values with all marks of the document. It never has private data.
    pub change: ResourceInstanceChange,
    /// The marks before that the schema explains; the document does not say whether the plan has them too (JS23).
    pub before_by_schema: PathSet,
    /// The marks after that the schema explains.
    pub after_by_schema: PathSet,
}

impl ResourceChangeJson {
    /// The change, its values read with the schema of the resource type.
    ///
    /// Where the schema has dynamic types the kinds of collections are lost (JS26).
    ///
    /// # Errors
    /// Values that do not fit the schema, and content that a decoded change cannot hold.
    pub fn to_typed(&self, schema: &Schema, dialect: Dialect) -> Result<TypedChange, NotTyped> {
        let ty = schema.implied_type(dialect);
        let change = self.to_change(&ty)?;
        let by_schema = |marked: &Marked| -> Result<PathSet, NotTyped> {
            let paths = schema.sensitive_paths(marked.value().view(), dialect).map_err(NotTyped::Crash)?;
            let paths: PathSet = paths.iter().map(WrittenPath::from).collect();
            Ok(paths.on(marked.value().view()))
        };
        let (before_by_schema, after_by_schema) = (by_schema(&change.change.before)?, by_schema(&change.change.after)?);
        Ok(TypedChange { change, before_by_schema, after_by_schema })
    }

    /// The change, its values read against a type.
    ///
    /// # Errors
    /// As [`ResourceChangeJson::to_typed`].
    pub fn to_change(&self, ty: &Type) -> Result<ResourceInstanceChange, NotTyped> {
        let deposed = self
            .deposed
            .as_ref()
            .map(|key| DeposedKey::new(key).ok_or_else(|| NotTyped::Deposed { found: key.clone() }));
        let reason = match &self.reason {
            Reason::Known(reason) => *reason,
            Reason::Other(found) => return Err(NotTyped::Reason { found: found.clone() }),
        };
        let change = self.change.to_change(ty)?;
        let values = [change.after.value().view(), change.before.value().view()];
        Ok(ResourceInstanceChange {
            moved_from: self.previous_address.as_ref().map(|address| Text::new(address.text())),
            deposed: deposed.transpose()?,
            reason,
            required_replace: self.change.replace_paths.iter().map(|path| written(path, ty, values)).collect(),
            private: Private::NONE,
            change,
        })
    }
}

impl ChangeJson {
    /// The change, its values read against a type; that of outputs is dynamic.
    ///
    /// # Errors
    /// Values that do not fit the type; an import by an identity.
    pub fn to_change(&self, ty: &Type) -> Result<Change, NotTyped> {
        let importing = match &self.importing {
            None => None,
            Some(ImportingJson { id: Some(id), unknown: false, .. }) => Some(Importing::Id(Text::new(id))),
            Some(ImportingJson { unknown: true, .. }) => Some(Importing::Unknown),
            Some(_) => return Err(NotTyped::Importing),
        };
        Ok(Change {
            action: self.action,
            before: marked("before", self.before.as_ref(), None, self.before_sensitive.as_ref(), ty)?,
            after: marked(
                "after",
                self.after.as_ref(),
                self.after_unknown.as_ref(),
                self.after_sensitive.as_ref(),
                ty,
            )?,
            importing,
        })
    }
}

fn marked(
    side: &'static str,
    known: Option<&Json>,
    unknown: Option<&Json>,
    tree: Option<&Json>,
    ty: &Type,
) -> Result<Marked, NotTyped> {
    let read = || -> Result<Marked, JsonError> {
        let value = whole::value(known, unknown, ty)?;
        let marks = sensitive::marks(tree, value.view())?;
        Ok(Marked::new(value, &marks))
    };
    read().map_err(|error| NotTyped::Value { side, error })
}

/// A path of names and indexes as steps, by a type and, where that is dynamic, by the values (JS24).
fn written(path: &PathItems, ty: &Type, values: [ValueRef<'_>; 2]) -> WrittenPath {
    let mut ty = Some(ty);
    let mut values = values.map(Some);
    let steps = path.iter().map(|item| {
        let real = match ty {
            Some(Type::Dynamic) | None => values.iter().flatten().map(|value| value.ty()).find(|ty| !ty.is_dynamic()),
            known => known,
        };
        let step = match (item, real) {
            (PathItem::Name(name), Some(Type::Map(_))) => WrittenStep::Key(Text::new(name)),
            (PathItem::Name(name), _) => WrittenStep::Attribute(Text::new(name)),
            (PathItem::Index(index), _) => WrittenStep::Index(*index),
        };
        values = values.map(|value| part(value?, item));
        ty = real.and_then(|ty| part_type(ty, item));
        step
    });
    steps.collect()
}

fn part<'v>(value: ValueRef<'v>, item: &PathItem) -> Option<ValueRef<'v>> {
    match item {
        PathItem::Name(name) => value.entry(&Text::new(name)),
        PathItem::Index(index) => value.element(usize::try_from(*index).ok()?),
    }
}

fn part_type<'t>(ty: &'t Type, item: &PathItem) -> Option<&'t Type> {
    match (ty, item) {
        (Type::Object(object), PathItem::Name(name)) => {
            object.index_of(&Text::new(name)).map(|index| &object.attributes()[index].ty)
        }
        (Type::Tuple(tuple), PathItem::Index(index)) => tuple.elements().get(usize::try_from(*index).ok()?),
        _ => ty.element(),
    }
}

impl super::OutputValueJson {
    /// The value, where it is known.
    ///
    /// # Errors
    /// An invalid type, and a value that does not fit it.
    pub fn to_value(&self) -> Result<Option<Value>, JsonError> {
        let Some(value) = &self.value else { return Ok(None) };
        match &self.ty {
            None => whole::value(Some(value), None, &Type::Dynamic).map(Some),
            Some(ty) => {
                let ty = Type::from_json(ty).map_err(|error| error.inside_member("type"))?;
                whole::value(Some(value), None, &ty).map(Some).map_err(|error| error.inside_member("value"))
            }
        }
    }
}
