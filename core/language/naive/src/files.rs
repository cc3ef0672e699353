//! Functions that need more than their arguments: files, templates in files and strings, the time of the plan (FN38, FN44 to FN46).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planfuzz_core::value::{Text, Type, Value};
use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Expression, Kind, Marked, Scope, Surroundings, parse_template};
use planfuzz_language::native::is_identifier;

use crate::evaluate::{Evaluator, Outcome};
use crate::functions::{ARGUMENT, Answer, CALL, converted, digest, plain, text, typed, unknown};
use crate::unknowns::dynamic;

const S: Type = Type::String;

/// The greatest depth of templates that call templates; the engine goes deeper, but ends with an error too.
const DEEPEST: usize = 16;

/// The scope of a template.
struct Variables<'v> {
    variables: &'v Marked,
    surroundings: Surroundings,
}

impl Scope for Variables<'_> {
    fn value(&self, root: &str, _: Option<&str>) -> Option<(Marked, bool)> {
        let place = self.variables.keys().iter().position(|key| key.as_str() == root)?;
        Some((self.variables.part(place), false))
    }

    fn surroundings(&self) -> Surroundings {
        self.surroundings.clone()
    }
}

impl Evaluator<'_> {
    /// Calls a function of this module; `None` for any other.
    pub(crate) fn beyond(&self, name: &str, a: &[Marked]) -> Option<Answer> {
        let around = self.scope.surroundings();
        let read = |value: &Value| around.files.read(&plain(text(value))).map(<[u8]>::to_vec);
        let hashed =
            |make: fn(&[u8]) -> String| typed(a, &[S], &S, |v| Ok(Value::string(&make(&read(&v[0]).ok_or(CALL)?))));
        Some(match name {
            "file" => typed(a, &[S], &S, |v| {
                let text = String::from_utf8(read(&v[0]).ok_or(ARGUMENT)?).map_err(|_| CALL)?;
                Ok(Value::string(&text))
            }),
            "filebase64" => typed(a, &[S], &S, |v| Ok(Value::string(&STANDARD.encode(read(&v[0]).ok_or(ARGUMENT)?)))),
            "filemd5" => hashed(digest::md5),
            "filesha1" => hashed(digest::sha1),
            "filesha256" => hashed(digest::sha256),
            "filesha512" => hashed(digest::sha512),
            "filebase64sha256" => hashed(digest::base64sha256),
            "filebase64sha512" => hashed(digest::base64sha512),
            "fileexists" => typed(a, &[S], &Type::Bool, |v| exists(&around, text(&v[0]))),
            "fileset" => {
                typed(a, &[S, S], &Type::set(S), |v| crate::glob::matching(&around.files, text(&v[0]), text(&v[1])))
            }
            "templatefile" => self.template_file(a, &around),
            "abspath" => typed(a, &[S], &S, |v| Ok(absolute(text(&v[0]), around.folder.as_ref()))),
            "pathexpand" => typed(a, &[S], &S, |v| expanded(text(&v[0]), around.home.as_ref())),
            "plantimestamp" => {
                Ok(around.plan_time.map_or_else(|| unknown(&S), |time| Value::string(time.as_str())).into())
            }
            _ => return None,
        })
    }

    fn template_file(&self, a: &[Marked], around: &Surroundings) -> Answer {
        let path = converted(&a[..1], &[S])?;
        let (variables, marks) = (&a[1], a[0].marks.all());
        if variables.value.is_null() {
            return Err(ARGUMENT);
        }
        if variables.ty().is_dynamic() {
            return Ok(dynamic().into());
        }
        if path[0].is_unknown() || variables.value.is_unknown() {
            return Ok(Marked::from(dynamic()).with(marks.and(variables.marks.all())));
        }
        let bytes = around.files.read(&plain(text(&path[0]))).ok_or(ARGUMENT)?;
        let source = String::from_utf8(bytes.to_vec()).map_err(|_| CALL)?;
        let template = parse_template(&source, SourcePlace::default()).map_err(|_| CALL)?;
        self.rendered(&template, variables, around).map(|made| made.with(marks))
    }

    /// `templatestring`: the template has to be a reference. Any failure in the reference is an error of the argument; the reference is not
    /// evaluated if the variables are unknown.
    pub(crate) fn template_string(&mut self, written: Option<&Expression>, variables: &Marked) -> Answer {
        if variables.value.is_unknown() {
            let value = if variables.ty().is_dynamic() { dynamic() } else { unknown(&S) };
            return Ok(Marked::from(value).with(variables.marks.all()));
        }
        let reference = written.filter(|written| is_reference(written)).ok_or(ARGUMENT)?;
        let Outcome { value: source, faults } = self.value(reference);
        if !faults.is_empty() || variables.value.is_null() {
            return Err(ARGUMENT);
        }
        if source.value.is_unknown() {
            // The marks of the template are lost.
            return Ok(Marked::from(unknown(&S)).with(variables.marks.all()));
        }
        let written = source.value.view().as_text().ok_or(ARGUMENT)?;
        let template = parse_template(written.as_str(), SourcePlace::default()).map_err(|_| ARGUMENT)?;
        let made = self.rendered(&template, variables, &self.scope.surroundings())?;
        Ok(made.with(source.marks.all()))
    }

    fn rendered(&self, template: &Expression, variables: &Marked, around: &Surroundings) -> Answer {
        if !matches!(variables.ty(), Type::Object(_) | Type::Map(_))
            || !variables.keys().iter().all(|name| is_identifier(name))
        {
            return Err(ARGUMENT);
        }
        let names = variables.keys();
        if !template.references().iter().all(|reference| names.contains(&reference.root)) {
            return Err(ARGUMENT);
        }
        if self.templates >= DEEPEST {
            return Err(CALL);
        }
        // All marks are added to the whole, whether the template uses the marked variables or not.
        let marks = variables.marks.all();
        let bare = Marked::from(variables.value.clone());
        let scope = Variables { variables: &bare, surroundings: around.clone() };
        let mut inner =
            Evaluator { scope: &scope, dialect: self.dialect, slots: Vec::new(), templates: self.templates + 1 };
        let outcome = inner.value(template);
        if outcome.faults.is_empty() { Ok(outcome.value.with(marks)) } else { Err(CALL) }
    }
}

/// A path relative to the engine's working folder, made absolute.
fn absolute(path: &str, folder: Option<&Text>) -> Value {
    match folder {
        _ if path.starts_with('/') => Value::string(&plain(path)),
        Some(folder) => Value::string(&plain(&format!("{}/{path}", folder.as_str()))),
        None => unknown(&S),
    }
}

/// A path with the home folder for `~`; `~user` is an error.
fn expanded(path: &str, home: Option<&Text>) -> Answer<Value> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(Value::string(path)) };
    if !rest.is_empty() && !rest.starts_with(['/', '\\']) {
        return Err(CALL);
    }
    Ok(home.map_or_else(|| unknown(&S), |home| Value::string(&plain(&format!("{}/{rest}", home.as_str())))))
}

fn exists(around: &Surroundings, path: &str) -> Answer<Value> {
    let path = plain(path);
    let folder = if path == "/" { path.clone() } else { format!("{path}/") };
    // The module's folder always exists.
    match path == "." || around.files.paths().any(|other| other.starts_with(&folder)) {
        true => Err(CALL),
        false => Ok(Value::bool(around.files.read(&path).is_some())),
    }
}

/// Whether an expression is a name with steps; their keys may be any expression.
fn is_reference(expression: &Expression) -> bool {
    match &expression.kind {
        Kind::Root(_) | Kind::Slot(_) => true,
        Kind::Attribute(inner, _) | Kind::Index(inner, _) | Kind::Splat(inner, _, _) => is_reference(inner),
        _ => false,
    }
}
