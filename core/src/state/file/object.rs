//! Conversion between stored objects and those of planners.

use std::sync::Arc;

use super::{Attributes, InstanceKey, StoredObject, StoredResource};
use crate::json::{Json, JsonError};
use crate::state::{DeposedKey, InstanceState, Object, Stored};
use crate::value::json::NotStorable;
use crate::value::{PathSet, Text, Type, Value};

/// The error for a stored object that is no object of a resource type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnObject {
    /// The attributes do not fit the type.
    #[error("expected attributes of the resource type: {0}")]
    Attributes(#[from] JsonError),
    /// The attributes are those of an engine before 0.12.
    #[error("expected attributes in JSON, found flat ones")]
    Flat,
}

/// The error for an object that cannot be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// Its value has parts that JSON cannot express.
    #[error(transparent)]
    Value(#[from] NotStorable),
    /// Its value is of another type than the resource type's.
    #[error("expected a value of the resource type, found another one")]
    Type,
}

impl StoredObject {
    /// The object, of a resource type whose schema has the implied type `ty` and that version. Attributes of another version stay as
    /// they are: only the provider can read them.
    ///
    /// # Errors
    /// Attributes of that version that do not fit the type, and flat ones.
    pub fn to_object(&self, ty: &Type, version: u64) -> Result<Object, NotAnObject> {
        let Attributes::Json(attributes) = &self.attributes else { return Err(NotAnObject::Flat) };
        let paths: PathSet = self.sensitive.iter().cloned().collect();
        let (stored, sensitive) = if self.schema_version == version {
            let value = Value::from_stored_json(attributes, ty)?;
            let sensitive = if paths.is_empty() { paths } else { paths.on(value.view()) };
            (Stored::Value(value), sensitive)
        } else {
            (Stored::Raw { version: self.schema_version, attributes: Arc::new(attributes.clone()) }, paths)
        };
        Ok(Object {
            stored,
            private: self.private.clone(),
            status: self.status,
            dependencies: self.dependencies.iter().map(|address| Text::new(address)).collect(),
            create_before_destroy: self.create_before_destroy,
            sensitive,
            skip_destroy: self.skip_destroy,
        })
    }

    /// The stored form of an object, of the current one where `deposed` is `None`.
    ///
    /// # Errors
    /// A value that is of another type, unknown somewhere, or infinite.
    pub fn of(
        object: &Object,
        deposed: Option<DeposedKey>,
        ty: &Type,
        version: u64,
    ) -> Result<StoredObject, StorageError> {
        let (schema_version, attributes) = object.stored.written(ty, version)?;
        Ok(StoredObject {
            key: InstanceKey::None,
            deposed,
            provider: None,
            status: object.status,
            schema_version,
            attributes: Attributes::Json(Arc::unwrap_or_clone(attributes)),
            sensitive: object.sensitive.iter().cloned().collect(),
            identity: None,
            private: object.private.clone(),
            dependencies: object.dependencies.iter().map(|address| address.to_string()).collect(),
            depends_on: Vec::new(),
            create_before_destroy: object.create_before_destroy,
            skip_destroy: object.skip_destroy,
        })
    }
}

impl Stored {
    /// The schema version and the attributes as a state file has them; `ty` and `version` are those of a value's schema.
    ///
    /// # Errors
    /// A value that is of another type, unknown somewhere, or infinite.
    pub fn written(&self, ty: &Type, version: u64) -> Result<(u64, Arc<Json>), StorageError> {
        match self {
            Stored::Value(value) if value.ty().conforms_to(ty) => {
                Ok((version, Arc::new(value.view().to_stored_json(ty)?)))
            }
            Stored::Value(_) => Err(StorageError::Type),
            Stored::Raw { version, attributes } => Ok((*version, attributes.clone())),
        }
    }
}

impl StoredResource {
    /// The objects of one instance; see [`StoredObject::to_object`].
    ///
    /// # Errors
    /// As for [`StoredObject::to_object`].
    pub fn instance(&self, key: &InstanceKey, ty: &Type, version: u64) -> Result<InstanceState, NotAnObject> {
        let mut state = InstanceState::ABSENT;
        for stored in self.objects.iter().filter(|object| object.key == *key) {
            let object = stored.to_object(ty, version)?;
            match &stored.deposed {
                None => state.current = Some(object),
                Some(key) => {
                    state.deposed.insert(key.clone(), object);
                }
            }
        }
        Ok(state)
    }

    /// The objects of the one instance of a resource that does not repeat; see [`StoredObject::of`].
    ///
    /// # Errors
    /// As for [`StoredObject::of`].
    pub fn objects_of(state: &InstanceState, ty: &Type, version: u64) -> Result<Vec<StoredObject>, StorageError> {
        let current = state.current.iter().map(|object| StoredObject::of(object, None, ty, version));
        let deposed = state.deposed.iter();
        current.chain(deposed.map(|(key, object)| StoredObject::of(object, Some(key.clone()), ty, version))).collect()
    }
}
