//! Fields of a schema of the SDK, by the names that lead to them.

use planfuzz_core::schema::Named;
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Resource, Schema};

/// The field that names lead to.
pub fn get<'s>(schema: &'s Schema, names: &[String]) -> Option<&'s Field> {
    let (first, rest) = names.split_first()?;
    rest.iter().try_fold(schema.fields().get(first)?, |field, name| inner(field)?.fields().get(name))
}

/// The fields of a field's elements.
pub fn inner(field: &Field) -> Option<&Resource> {
    match &field.kind {
        Kind::List(Elem::Resource(inner)) | Kind::Set(Elem::Resource(inner)) => Some(inner),
        _ => None,
    }
}

/// The schema with the field at these names changed.
pub fn with(schema: &Schema, names: &[String], change: &dyn Fn(&mut Field)) -> Schema {
    Schema::new(changed(schema.fields(), names, change))
}

fn changed(fields: &Named<Field>, names: &[String], change: &dyn Fn(&mut Field)) -> Named<Field> {
    let Some((first, rest)) = names.split_first() else { return fields.clone() };
    let one = |(name, field): (&planfuzz_core::value::Text, &Field)| {
        let mut field = field.clone();
        if name.as_str() == first {
            match rest.is_empty() {
                true => change(&mut field),
                false => below(&mut field, rest, change),
            }
        }
        (name.clone(), field)
    };
    Named::new(fields.iter().map(one).collect())
}

fn below(field: &mut Field, names: &[String], change: &dyn Fn(&mut Field)) {
    let Some(resource) = inner(field) else { return };
    let elem = Elem::Resource(Resource::new(changed(resource.fields(), names, change)));
    field.kind = match &field.kind {
        Kind::Set(_) => Kind::Set(elem),
        _ => Kind::List(elem),
    };
}

/// The fields that may cause a difference at a place: those on the way there, and those below.
pub fn around(schema: &Schema, names: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for length in (1..=names.len()).rev() {
        let way = &names[..length];
        if get(schema, way).is_some() {
            found.push(way.to_vec());
        }
    }
    if let Some(field) = get(schema, names) {
        descend(field, names, &mut found);
    }
    found
}

fn descend(field: &Field, names: &[String], found: &mut Vec<Vec<String>>) {
    let Some(resource) = inner(field) else { return };
    for (name, field) in resource.fields().iter() {
        let way: Vec<String> = names.iter().cloned().chain([name.to_string()]).collect();
        found.push(way.clone());
        descend(field, &way, found);
    }
}
