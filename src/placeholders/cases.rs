//! Placeholders in a whole case, for everything that its schema, its states and its plans call sensitive, wherever it is in
//! the document.
//!
//! The document is walked without knowledge of operations: whatever reads as a value of the schema is one. A path that is
//! sensitive in one value is so in all of them, so that equal values stay equal.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::{Json, JsonError};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{PathSet, Type, Value, ValueError, ValueRef, WrittenPath};

use super::{Notes, Placeholders};
use crate::case::{Call, Case, CaseFile, ProviderCall, SchemaCall, SdkCall, Task};
use crate::scenario::type_at;

/// Members that hold no values.
const NO_VALUES: [&str; 5] = ["format", "dialect", "op", "schema", "sdk_schema"];

/// Members that hold paths of sensitive values.
const MARKS: [&str; 4] = ["sensitive", "config_sensitive", "before_sensitive", "after_sensitive"];

/// The member with the type of a value that is not of the schema's type.
const OWN_TYPE: &str = "$type";

/// Why a case cannot have placeholders.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A value is not of its own type.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// With placeholders it is no case any more: a secret is a word that the case needs.
    #[error("with placeholders it is no case: {0}")]
    Case(#[from] JsonError),
}

/// The case with placeholders for sensitive values; `None` if it has none.
///
/// # Errors
/// See [`CaseError`].
pub fn of_case(case: &Case) -> Result<Option<Case>, CaseError> {
    if let Task::Call(Call::Workspace(workspace)) = &case.task {
        return super::workspaces::of_case(case, workspace);
    }
    let Some((schema, ty)) = schema_of(case) else { return Ok(None) };
    let mut document = case.to_json();
    let sensitive = sensitive_in(&mut document, &ty, schema, case.dialect);
    if sensitive.is_empty() {
        return Ok(None);
    }
    let mut notes = Notes::new();
    walk(&mut document, &ty, &mut |part| note(&mut notes, part, &sensitive));
    let placeholders = notes.placeholders();
    if placeholders.is_empty() {
        return Ok(None);
    }
    let mut problem = None;
    walk(&mut document, &ty, &mut |part| {
        if let Err(found) = replace(&placeholders, part, &sensitive) {
            problem.get_or_insert(found);
        }
    });
    if let Some(problem) = problem {
        return Err(problem.into());
    }
    Ok(Some(CaseFile::from_json(&document)?.case))
}

/// The schema that the values of a case are of, with their type; `None` if the case has only types.
fn schema_of(case: &Case) -> Option<(&Schema, Type)> {
    let schema = match &case.task {
        Task::Call(Call::Provider(ProviderCall::Sdk(SdkCall::SetUnknowns { schema, .. }))) => schema,
        // Schemas of the classic SDK cannot declare values sensitive.
        Task::Call(Call::Provider(call)) => &call.provider()?.schema,
        Task::Call(Call::Schema(
            SchemaCall::Coerce { schema, .. }
            | SchemaCall::SensitivePaths { schema, .. }
            | SchemaCall::WriteOnlyPaths { schema, .. },
        )) => schema,
        Task::Merge(_) | Task::Call(_) => case.schema()?,
    };
    Some((schema, schema.implied_type(case.dialect)))
}

/// A part of a document that may have a secret in it.
enum Part<'j> {
    /// A value: its document, its type, and where it is in the object of the schema.
    Value(&'j mut Json, Type, WrittenPath),
    /// Paths of sensitive values.
    Marks(&'j mut Json),
    /// Any other text.
    Text(&'j mut Json),
}

/// Visits the parts of a document, always in the same order.
fn walk(json: &mut Json, ty: &Type, visit: &mut dyn FnMut(Part<'_>)) {
    match json {
        Json::Object(members) => {
            for (name, member) in members.iter_mut().filter(|(name, _)| !NO_VALUES.contains(&&**name)) {
                match &**name {
                    name if MARKS.contains(&name) && matches!(member, Json::Array(_)) => visit(Part::Marks(member)),
                    "drift" => drifts(member, ty, visit),
                    _ => walk_one(member, ty, visit),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| walk_one(item, ty, visit)),
        Json::String(_) => visit(Part::Text(json)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn walk_one(json: &mut Json, ty: &Type, visit: &mut dyn FnMut(Part<'_>)) {
    if let Some(own) = json.member(OWN_TYPE).and_then(|own| Type::from_json(own).ok()) {
        let Json::Object(members) = json else { return };
        let value = members.iter_mut().find(|(name, _)| **name == *"value");
        value.into_iter().for_each(|(_, value)| visit(Part::Value(value, own.clone(), WrittenPath::default())));
    } else if matches!(json, Json::Object(_)) && Value::from_json(json, ty).is_ok() {
        visit(Part::Value(json, ty.clone(), WrittenPath::default()));
    } else {
        walk(json, ty, visit);
    }
}

/// Changes made outside: a value at each path.
fn drifts(json: &mut Json, ty: &Type, visit: &mut dyn FnMut(Part<'_>)) {
    let Json::Object(members) = json else { return walk(json, ty, visit) };
    for (path, value) in members {
        let place = WrittenPath::parse(path).ok();
        let typed = place.and_then(|place| Some((type_at(ty, &place)?.clone(), place)));
        match typed {
            Some((ty, place)) => visit(Part::Value(value, ty, place)),
            None => walk(value, ty, visit),
        }
    }
}

/// All sensitive paths: those of the document, and those that the schema gives for each value.
fn sensitive_in(document: &mut Json, ty: &Type, schema: &Schema, dialect: Dialect) -> PathSet {
    let mut all: Vec<WrittenPath> = Vec::new();
    walk(document, ty, &mut |part| match part {
        Part::Marks(Json::Array(paths)) => {
            let texts = paths.iter().filter_map(|path| path.expect_string().ok());
            all.extend(texts.filter_map(|text| WrittenPath::parse(text).ok()));
        }
        Part::Value(json, of, place) if place.is_root() && of == *ty => {
            if let Ok(value) = Value::from_json(json, &of) {
                all.extend(secrets_of(schema, value.view(), dialect).iter().cloned());
            }
        }
        Part::Value(..) | Part::Marks(_) | Part::Text(_) => {}
    });
    all.into_iter().collect()
}

/// The paths that the schema calls sensitive or write-only. Where engines crash on a value, the whole value is secret.
pub(crate) fn secrets_of(schema: &Schema, value: ValueRef<'_>, dialect: Dialect) -> PathSet {
    let found = schema.sensitive_paths(value, dialect).and_then(|mut paths| {
        paths.extend(schema.write_only_paths(value)?);
        Ok(paths)
    });
    match found {
        Ok(paths) => paths.iter().map(WrittenPath::from).collect(),
        Err(_) => [WrittenPath::default()].into_iter().collect(),
    }
}

/// The sensitive paths within the part at `place`: the remainders of the paths that lead through it.
fn below(sensitive: &PathSet, place: &WrittenPath) -> PathSet {
    let rests = sensitive.iter().filter_map(|path| {
        let (path, place) = (path.steps(), place.steps());
        let common = path.len().min(place.len());
        (path[..common] == place[..common]).then(|| WrittenPath::new(path[common..].to_vec()))
    });
    rests.collect()
}

fn note(notes: &mut Notes, part: Part<'_>, sensitive: &PathSet) {
    match part {
        Part::Value(json, ty, place) => match Value::from_json(json, &ty) {
            Ok(value) => notes.value(value.view(), &below(sensitive, &place)),
            Err(_) => notes.text(&json.to_compact()),
        },
        Part::Marks(json) | Part::Text(json) => {
            let text = json.expect_string().map_or_else(|_| json.to_compact(), str::to_owned);
            notes.text(&text);
        }
    }
}

fn replace(placeholders: &Placeholders, part: Part<'_>, sensitive: &PathSet) -> Result<(), ValueError> {
    match part {
        Part::Value(json, ty, place) => {
            if let Ok(value) = Value::from_json(json, &ty) {
                *json = placeholders.of_value(&value, &below(sensitive, &place))?.to_json(&ty);
            }
        }
        Part::Marks(Json::Array(paths)) => paths.iter_mut().for_each(|path| replace_text(placeholders, path)),
        Part::Marks(json) | Part::Text(json) => replace_text(placeholders, json),
    }
    Ok(())
}

fn replace_text(placeholders: &Placeholders, json: &mut Json) {
    if let Json::String(text) = json {
        *json = Json::string(&placeholders.of_text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Reader;
    use crate::generate::{Cases, Generator, Scenarios, Settings};

    const SCHEMA: &str = r#"{"block": {"attributes": {"id": {"type": "string", "computed": true},
        "secret": {"type": "string", "optional": true, "sensitive": true}, "n": {"type": "number", "optional": true},
        "marked": {"type": "string", "optional": true}}}}"#;

    fn case(members: &str) -> Case {
        let text = format!(r#"{{"format": 1, "dialect": "terraform-1.11", "schema": {SCHEMA}, {members}}}"#);
        CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").case
    }

    fn replaced(members: &str) -> String {
        let case = case(members);
        of_case(&case).expect("it can be").map_or_else(String::new, |case| case.to_json().to_compact())
    }

    const MERGE: &str = r#""op": "proposed_new",
        "prior": {"id": "i-1", "secret": "hunter2", "n": 1, "marked": null},
        "config": {"id": null, "secret": "hunter3", "n": 1, "marked": "hunter2"}"#;

    #[test]
    fn values_that_the_schema_marks_sensitive_are_replaced_everywhere() {
        let text = replaced(MERGE);
        assert!(!text.contains("hunter"), "{text}");
        assert!(text.contains("\"i-1\"") && text.contains("\"n\":1"), "{text}");
        // Equal values stay equal: the prior object's value is in another attribute of the configuration.
        let case = CaseFile::from_json(&Json::parse(&text).expect("JSON")).expect("a case").case;
        let json = case.to_json();
        let at = |name: &str, of: &str| json.member(name).and_then(|value| value.member(of)).cloned();
        assert_eq!(at("prior", "secret"), at("config", "marked"));
        assert_ne!(at("prior", "secret"), at("config", "secret"));
    }

    #[test]
    fn a_case_with_stand_ins_has_the_same_ones_again() {
        let long = MERGE.replace("hunter", "hunter and hunted ");
        let once = of_case(&case(&long)).expect("it can be").expect("something is sensitive");
        let twice = of_case(&once).expect("it can be").expect("something is sensitive");
        assert_eq!(once.to_json(), twice.to_json());
    }

    #[test]
    fn requests_and_effects_of_a_provider_are_replaced_too() {
        let text = replaced(
            r#""op": "fw_plan", "prior": {"id": "i-1", "secret": "hunter2", "n": 1, "marked": null},
            "config": {"id": null, "secret": "hunter3", "n": 1, "marked": null}, "proposed": {"id": "i-1", "secret": "hunter3", "n": 1, "marked": null}"#,
        );
        assert!(text.contains("\"i-1\"") && !text.contains("hunter"), "{text}");
        let text =
            replaced(r#""op": "sdk_set_unknowns", "value": {"id": null, "secret": "hunter2", "n": 1, "marked": null}"#);
        assert!(text.contains("\"secret\"") && !text.contains("hunter"), "{text}");
    }

    #[test]
    fn values_that_are_not_sensitive_stay() {
        assert_eq!(replaced(&MERGE.replace("\"hunter2\", \"n\"", "null, \"n\"").replace("\"hunter3\"", "null")), "");
    }

    #[test]
    fn values_that_state_and_configuration_mark_are_replaced_in_a_trace() {
        let text = replaced(
            r#""op": "scenario", "model": {"style": "framework"},
            "state": {"current": {"value": {"id": "i-1", "secret": null, "n": 4711, "marked": "open sesame"}, "sensitive": [".marked", ".n"]}},
            "steps": [{"outside": [{"drift": {".secret": "drifted away"}}, {"drift": {".marked": "no"}}], "command": "apply",
            "presence": {"config": {"id": null, "secret": "swordfish", "n": 4711, "marked": "it is open sesame"}}}]"#,
        );
        assert!(!text.is_empty());
        for secret in ["sesame", "4711", "swordfish", "drifted", "\"no\""] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        assert!(text.contains("\"i-1\""), "{text}");
    }

    #[test]
    fn generated_cases_of_every_kind_can_have_stand_ins() {
        let mut merges = Cases::new(Generator::new(Settings::SMALL), 5);
        let mut scenarios = Scenarios::new(Generator::new(Settings::SMALL), 5);
        let cases = merges.cases(0, 400).into_iter().chain((0..400).map(|number| scenarios.case(number)));
        let (mut replaced, mut refused) = (0, Vec::new());
        for case in cases {
            match of_case(&case) {
                Ok(Some(found)) => {
                    replaced += 1;
                    assert_eq!(found.ops(), case.ops());
                    let again = CaseFile::from_json(&found.to_json()).expect("a case reads back").case;
                    assert_eq!(again.to_json(), found.to_json());
                }
                Ok(None) => {}
                Err(problem) => refused.push(format!("{problem}: {}", case.to_json().to_compact())),
            }
        }
        println!("{replaced} of 800 have placeholders");
        assert!(replaced > 100, "{replaced}");
        // A secret that is a word of the provider model has no placeholder; that is reported as an error.
        assert!(refused.len() < 4, "{} refused: {}", refused.len(), refused.join("\n"));
    }
}
