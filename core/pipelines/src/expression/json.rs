//! The JSON form of expressions and conditions (section 2 of provider-model.md).

use crate::expression::{Canon, Changed, Cond, Equiv, Expr, MAX_DEPTH, Operation, Ref, Scope, Source};
use crate::form::{Form, array, form, inside, item, items, named, tagged, text, text_array, texts};
use planfuzz_core::json::{Json, JsonError, JsonProblem};
use planfuzz_core::value::{Text, Type, Value};

/// Reads an expression whose value goes to a place of type `target`; without a target constants have their own types.
pub(crate) fn read_expr(json: &Json, target: Option<&Type>, scope: &Scope) -> Result<Expr, JsonError> {
    expr(json, target, scope, MAX_DEPTH)
}

/// Reads a condition.
pub(crate) fn read_cond(json: &Json, scope: &Scope) -> Result<Cond, JsonError> {
    cond(json, scope, MAX_DEPTH)
}

fn expr(json: &Json, target: Option<&Type>, scope: &Scope, levels: usize) -> Result<Expr, JsonError> {
    let levels = below(levels)?;
    let boxed = |json: &Json, target: Option<&Type>| expr(json, target, scope, levels).map(Box::new);
    let list = |json: &Json| json.read_items(|item| expr(item, None, scope, levels));
    let number = Some(&Type::Number);
    match form(json) {
        Form::Word("null") => Ok(Expr::Null),
        Form::Word("unknown") => Ok(Expr::Unknown),
        Form::Tagged(name @ "const", content) => inside(name, content, |json| constant(json, target)).map(Expr::Const),
        Form::Tagged(name @ "canon", content) => inside(name, content, |json| {
            let pair: &[Json; 2] = items(json, "a canonical form and an expression")?;
            Ok(Expr::Canon(item(pair, 0, read_canon)?, item(pair, 1, |json| boxed(json, target))?))
        }),
        Form::Tagged(name @ "concat", content) => inside(name, content, list).map(Expr::Concat),
        Form::Tagged(name @ "add", content) => inside(name, content, |json| {
            let pair: &[Json; 2] = items(json, "two numbers")?;
            Ok(Expr::Add(item(pair, 0, |json| boxed(json, number))?, item(pair, 1, |json| boxed(json, number))?))
        }),
        Form::Tagged(name @ "length", content) => inside(name, content, |json| boxed(json, None)).map(Expr::Length),
        Form::Tagged(name @ "hash", content) => inside(name, content, list).map(Expr::Hash),
        Form::Tagged(name @ "if", content) => inside(name, content, |json| {
            let parts: &[Json; 3] = items(json, "a condition and two expressions")?;
            let condition = item(parts, 0, |json| cond(json, scope, levels))?;
            let then = item(parts, 1, |json| boxed(json, target))?;
            Ok(Expr::If(Box::new(condition), then, item(parts, 2, |json| boxed(json, target))?))
        }),
        Form::Tagged("this" | "sibling" | "root", _) => read_ref(json, scope).map(Expr::Ref),
        _ => Err(json.unexpected("an expression such as \"null\", {\"const\": …} or {\"this\": \"plan\"}")),
    }
}

fn cond(json: &Json, scope: &Scope, levels: usize) -> Result<Cond, JsonError> {
    if let Json::Bool(bool) = json {
        return Ok(Cond::Bool(*bool));
    }
    let levels = below(levels)?;
    let reference = |json: &Json| read_ref(json, scope);
    let list = |json: &Json| json.read_items(|item| cond(item, scope, levels));
    let compared = |pair: &[Json], first: usize, ty: Option<&Type>| {
        let side = |index| item(pair, index, |json| expr(json, ty, scope, levels));
        Ok::<_, JsonError>((side(first)?, side(first + 1)?))
    };
    match form(json) {
        Form::Tagged(name @ "op", content) => {
            inside(name, content, |json| named(json, &Operation::ALL, Operation::name)).map(Cond::Op)
        }
        Form::Tagged(name @ "is_null", content) => inside(name, content, reference).map(Cond::IsNull),
        Form::Tagged(name @ "is_unknown", content) => inside(name, content, reference).map(Cond::IsUnknown),
        Form::Tagged(name @ "partly_unknown", content) => inside(name, content, reference).map(Cond::PartlyUnknown),
        Form::Tagged(name @ "changed", content) => inside(name, content, |json| match json {
            Json::String(name) => Ok(Cond::Changed(Changed::Name(Text::new(name)))),
            other => reference(other).map(|reference| Cond::Changed(Changed::Ref(reference))),
        }),
        Form::Tagged(name @ "eq", content) => inside(name, content, |json| {
            let pair: &[Json; 2] = items(json, "two expressions")?;
            let ty = common_type(&pair[0], &pair[1], scope);
            compared(pair, 0, ty.as_ref()).map(|(a, b)| Cond::Eq(a, b))
        }),
        Form::Tagged(name @ "lt", content) => inside(name, content, |json| {
            let pair: &[Json; 2] = items(json, "two numbers")?;
            compared(pair, 0, Some(&Type::Number)).map(|(a, b)| Cond::Lt(a, b))
        }),
        Form::Tagged(name @ "same", content) => inside(name, content, |json| {
            let parts: &[Json; 3] = items(json, "an equivalence and two expressions")?;
            let equiv = item(parts, 0, read_equiv)?;
            let ty = common_type(&parts[1], &parts[2], scope);
            compared(parts, 1, ty.as_ref()).map(|(a, b)| Cond::Same(equiv, a, b))
        }),
        Form::Tagged(name @ "not", content) => {
            inside(name, content, |json| cond(json, scope, levels)).map(|of| Cond::Not(Box::new(of)))
        }
        Form::Tagged(name @ "all", content) => inside(name, content, list).map(Cond::All),
        Form::Tagged(name @ "any", content) => inside(name, content, list).map(Cond::Any),
        _ => Err(json.unexpected("a condition such as true, {\"is_null\": …} or {\"eq\": […]}")),
    }
}

/// A constant: of the type of its target; without one a bool, number or string, or any other value as in a `dynamic` place.
fn constant(json: &Json, target: Option<&Type>) -> Result<Value, JsonError> {
    let own = match json {
        Json::Bool(_) => Type::Bool,
        Json::Number(_) => Type::Number,
        Json::String(_) => Type::String,
        Json::Null | Json::Array(_) | Json::Object(_) => Type::Dynamic,
    };
    Value::from_json(json, target.unwrap_or(&own))
}

/// The inverse of [`constant`].
fn write_constant(value: &Value, target: Option<&Type>) -> Json {
    match target {
        Some(target) => value.to_json(target),
        None if value.view().as_number().is_some_and(|number| number.is_infinite()) => value.to_json(&Type::Dynamic),
        None if value.ty().is_primitive() && value.view().is_present() => value.to_json(value.ty()),
        None => value.to_json(&Type::Dynamic),
    }
}

/// Like [`Scope::common_type`], for expressions that are not read yet.
fn common_type(a: &Json, b: &Json, scope: &Scope) -> Option<Type> {
    own_type(a, scope).or_else(|| own_type(b, scope)).or_else(|| scope.this().cloned())
}

/// Like [`Scope::type_of`], for an expression that is not read yet. The recursion is as deep as the document, which is bounded.
fn own_type(json: &Json, scope: &Scope) -> Option<Type> {
    match form(json) {
        Form::Tagged("concat" | "hash", _) => Some(Type::String),
        Form::Tagged("add" | "length", _) => Some(Type::Number),
        Form::Tagged("canon", Json::Array(pair)) => own_type(pair.get(1)?, scope),
        Form::Tagged("if", Json::Array(parts)) => {
            own_type(parts.get(1)?, scope).or_else(|| own_type(parts.get(2)?, scope))
        }
        Form::Tagged("this" | "sibling" | "root", _) => scope.type_of_ref(&read_ref(json, scope).ok()?).cloned(),
        _ => None,
    }
}

/// Reads a reference; it must exist in the scope.
pub(crate) fn read_ref(json: &Json, scope: &Scope) -> Result<Ref, JsonError> {
    let reference = match form(json) {
        Form::Tagged(name @ "this", content) => inside(name, content, source).map(Ref::This)?,
        Form::Tagged(tag @ "sibling", content) => inside(tag, content, |json| {
            let pair: &[Json; 2] = items(json, "a source and a name")?;
            Ok(Ref::Sibling(item(pair, 0, source)?, item(pair, 1, text)?))
        })?,
        Form::Tagged(tag @ "root", content) => inside(tag, content, |json| {
            let pair: &[Json; 2] = items(json, "a source and names")?;
            Ok(Ref::Root(item(pair, 0, source)?, item(pair, 1, texts)?))
        })?,
        _ => return Err(json.unexpected("a reference: {\"this\": …}, {\"sibling\": …} or {\"root\": …}")),
    };
    match scope.type_of_ref(&reference) {
        Some(_) => Ok(reference),
        None => Err(json.unexpected("a reference to something that the schema has there")),
    }
}

fn source(json: &Json) -> Result<Source, JsonError> {
    named(json, &Source::ALL, Source::name)
}

pub(crate) fn write_ref(reference: &Ref) -> Json {
    let source = Json::string(reference.source().name());
    match reference {
        Ref::This(_) => tagged("this", source),
        Ref::Sibling(_, name) => tagged("sibling", array([source, Json::string(name)])),
        Ref::Root(_, names) => tagged("root", array([source, text_array(names)])),
    }
}

/// Writes an expression for a reader that reads it with the same target.
pub(crate) fn write_expr(expr: &Expr, target: Option<&Type>, scope: &Scope) -> Json {
    let write = |expr: &Expr| write_expr(expr, target, scope);
    let list = |exprs: &[Expr]| array(exprs.iter().map(|expr| write_expr(expr, None, scope)));
    let number = |expr: &Expr| write_expr(expr, Some(&Type::Number), scope);
    match expr {
        Expr::Null => Json::string("null"),
        Expr::Unknown => Json::string("unknown"),
        Expr::Const(value) => tagged("const", write_constant(value, target)),
        Expr::Ref(reference) => write_ref(reference),
        Expr::Canon(canon, of) => tagged("canon", array([write_canon(canon), write(of)])),
        Expr::Concat(parts) => tagged("concat", list(parts)),
        Expr::Add(a, b) => tagged("add", array([number(a), number(b)])),
        Expr::Length(of) => tagged("length", write_expr(of, None, scope)),
        Expr::Hash(parts) => tagged("hash", list(parts)),
        Expr::If(condition, then, otherwise) => {
            tagged("if", array([write_cond(condition, scope), write(then), write(otherwise)]))
        }
    }
}

/// Writes a condition.
pub(crate) fn write_cond(cond: &Cond, scope: &Scope) -> Json {
    let list = |conds: &[Cond]| array(conds.iter().map(|cond| write_cond(cond, scope)));
    let pair = |a: &Expr, b: &Expr| {
        let ty = scope.common_type(a, b);
        [a, b].map(|expr| write_expr(expr, ty.as_ref(), scope))
    };
    match cond {
        Cond::Bool(bool) => Json::Bool(*bool),
        Cond::Op(operation) => tagged("op", Json::string(operation.name())),
        Cond::IsNull(reference) => tagged("is_null", write_ref(reference)),
        Cond::IsUnknown(reference) => tagged("is_unknown", write_ref(reference)),
        Cond::PartlyUnknown(reference) => tagged("partly_unknown", write_ref(reference)),
        Cond::Changed(Changed::Name(name)) => tagged("changed", Json::string(name)),
        Cond::Changed(Changed::Ref(reference)) => tagged("changed", write_ref(reference)),
        Cond::Eq(a, b) => tagged("eq", array(pair(a, b))),
        Cond::Lt(a, b) => tagged("lt", array([a, b].map(|expr| write_expr(expr, Some(&Type::Number), scope)))),
        Cond::Same(equiv, a, b) => {
            let [a, b] = pair(a, b);
            tagged("same", array([write_equiv(equiv), a, b]))
        }
        Cond::Not(of) => tagged("not", write_cond(of, scope)),
        Cond::All(of) => tagged("all", list(of)),
        Cond::Any(of) => tagged("any", list(of)),
    }
}

/// Reads a canonical form.
pub(crate) fn read_canon(json: &Json) -> Result<Canon, JsonError> {
    Ok(match form(json) {
        Form::Word("lower") => Canon::Lower,
        Form::Word("trim") => Canon::Trim,
        Form::Word("json") => Canon::Json,
        Form::Word("sorted") => Canon::Sorted,
        Form::Word("unique") => Canon::Unique,
        Form::Word("prefix") => Canon::AlwaysPrefix,
        Form::Tagged(name @ "prefix", content) => inside(name, content, text).map(Canon::Prefix)?,
        _ => return Err(json.unexpected("a canonical form such as \"lower\", \"sorted\" or {\"prefix\": …}")),
    })
}

pub(crate) fn write_canon(canon: &Canon) -> Json {
    match canon {
        Canon::Lower => Json::string("lower"),
        Canon::Trim => Json::string("trim"),
        Canon::Json => Json::string("json"),
        Canon::Prefix(prefix) => tagged("prefix", Json::string(prefix)),
        Canon::Sorted => Json::string("sorted"),
        Canon::Unique => Json::string("unique"),
        Canon::AlwaysPrefix => Json::string("prefix"),
    }
}

/// Reads an equivalence.
pub(crate) fn read_equiv(json: &Json) -> Result<Equiv, JsonError> {
    Ok(match form(json) {
        Form::Word("exact") => Equiv::Exact,
        Form::Word("case") => Equiv::Case,
        Form::Word("trim") => Equiv::Trim,
        Form::Word("json") => Equiv::Json,
        Form::Word("unordered") => Equiv::Unordered,
        Form::Word("always") => Equiv::Always,
        Form::Word("new_empty") => Equiv::NewEmpty,
        Form::Tagged(name @ "canon", content) => inside(name, content, read_canon).map(Equiv::Canon)?,
        _ => return Err(json.unexpected("an equivalence such as \"case\", \"unordered\" or {\"canon\": …}")),
    })
}

pub(crate) fn write_equiv(equiv: &Equiv) -> Json {
    match equiv {
        Equiv::Exact => Json::string("exact"),
        Equiv::Case => Json::string("case"),
        Equiv::Trim => Json::string("trim"),
        Equiv::Json => Json::string("json"),
        Equiv::Canon(canon) => tagged("canon", write_canon(canon)),
        Equiv::Unordered => Json::string("unordered"),
        Equiv::Always => Json::string("always"),
        Equiv::NewEmpty => Json::string("new_empty"),
    }
}

/// The problem of an expression or a condition that nests too deep.
fn too_deep() -> JsonProblem {
    JsonProblem::Deep { what: "expressions and conditions", most: MAX_DEPTH }
}

/// One level less; an error with the bound if none is left.
pub(crate) fn below(levels: usize) -> Result<usize, JsonError> {
    levels.checked_sub(1).ok_or_else(|| too_deep().into())
}

impl Canon {
    /// Reads a canonical form.
    ///
    /// # Errors
    /// The JSON is not a canonical form.
    pub fn from_json(json: &Json) -> Result<Canon, JsonError> {
        read_canon(json)
    }

    /// The document.
    pub fn to_json(&self) -> Json {
        write_canon(self)
    }
}

impl Equiv {
    /// Reads an equivalence.
    ///
    /// # Errors
    /// The JSON is not an equivalence.
    pub fn from_json(json: &Json) -> Result<Equiv, JsonError> {
        read_equiv(json)
    }

    /// The document.
    pub fn to_json(&self) -> Json {
        write_equiv(self)
    }
}

impl Expr {
    /// Reads an expression whose value goes to a place of type `target`.
    ///
    /// # Errors
    /// The JSON is not an expression, a reference does not exist in the scope, or there are more than [`MAX_DEPTH`] levels.
    pub fn from_json(json: &Json, target: Option<&Type>, scope: &Scope) -> Result<Expr, JsonError> {
        read_expr(json, target, scope)
    }

    /// The document, for a reader with the same target and scope.
    pub fn to_json(&self, target: Option<&Type>, scope: &Scope) -> Json {
        write_expr(self, target, scope)
    }
}

impl Cond {
    /// Reads a condition.
    ///
    /// # Errors
    /// As [`Expr::from_json`].
    pub fn from_json(json: &Json, scope: &Scope) -> Result<Cond, JsonError> {
        read_cond(json, scope)
    }

    /// The document, for a reader with the same scope.
    pub fn to_json(&self, scope: &Scope) -> Json {
        write_cond(self, scope)
    }
}
