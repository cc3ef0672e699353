//! The behaviour of attributes and resources in JSON (section 3 of provider-model.md).

use crate::expression::{
    MAX_DEPTH, Scope, below, read_canon, read_cond, read_equiv, read_expr, read_ref, write_canon, write_cond,
    write_equiv, write_expr, write_ref,
};
use crate::form::{Form, array, form, inside, item, items, tagged, text, text_array, texts};
use crate::path::SchemaPath;
use crate::rules::{Check, CustomizeOp, Gen, Mod, NumberRange, PlanRule, ReplacePath, ResourceCheck, Rule, Rules};
use planfuzz_core::json::{Json, JsonError, JsonProblem, ObjectReader};
use planfuzz_core::schema::Block;
use planfuzz_core::value::{Number, Text, Type, Value, WrittenPath};

type Members = Vec<(&'static str, Json)>;

/// The members that a rule may have: in the SDK the others are part of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// All.
    Framework,
    /// `validate`, `computed`, `remote_form`, `unreadable`.
    Sdk,
}

impl Rules {
    /// Reads the rules of a framework model for a schema.
    ///
    /// # Errors
    /// A path does not exist in the schema, a member is unknown, or a constant is not of its target's type.
    pub fn from_json(json: &Json, root: &Block) -> Result<Rules, JsonError> {
        read_rules(json, root, Allowed::Framework)
    }

    /// The document, for a reader with the same schema.
    pub fn to_json(&self, root: &Block) -> Json {
        let written = self.iter().map(|(path, rule)| (path.to_string().into(), rule.to_json(path, root)));
        Json::Object(written.collect())
    }
}

/// Reads rules with the members of a style.
pub(crate) fn read_rules(json: &Json, root: &Block, allowed: Allowed) -> Result<Rules, JsonError> {
    let read = |(name, json): &(Box<str>, Json)| {
        let path = SchemaPath::parse(name);
        let rule = read_rule(json, &path, root, allowed).map_err(|error| error.inside_member(name))?;
        Ok((path, rule))
    };
    let members = json.expect_object()?;
    let rules = members.iter().map(read).collect::<Result<Rules, JsonError>>()?;
    if rules.iter().len() < members.len() {
        return Err(json.unexpected("schema paths that are different in NFC"));
    }
    Ok(rules)
}

fn read_rule(json: &Json, path: &SchemaPath, root: &Block, allowed: Allowed) -> Result<Rule, JsonError> {
    let place = path.find(root).ok_or_else(|| JsonProblem::Unexpected {
        expected: "a schema path of an attribute or block".into(),
        found: format!("{:?}", path.to_string()),
    })?;
    let (scope, ty) = (Scope::of_place(root, &place), place.ty());
    let mut reader = ObjectReader::new(json, "the rule of an attribute or block")?;
    let mut rule = Rule {
        validate: list(reader.optional("validate", |json| json.read_items(|json| read_check(json, &ty, &scope)))?),
        computed: reader.optional("computed", |json| read_gen(json, &ty, &scope, MAX_DEPTH))?,
        remote_form: reader.optional("remote_form", read_canon)?,
        unreadable: reader.flag("unreadable")?,
        ..Rule::default()
    };
    if allowed == Allowed::Framework {
        rule.default = reader.optional("default", |json| Value::from_json(json, &ty))?;
        rule.equal = reader.optional("equal", read_equiv)?;
        rule.plan = list(reader.optional("plan", |json| json.read_items(|json| read_mod(json, &scope)))?);
        rule.element_plan = match place.element_type() {
            None => Vec::new(),
            Some(_) => {
                let scope = Scope::of_elements(root, &place);
                list(reader.optional("element_plan", |json| json.read_items(|json| read_mod(json, &scope)))?)
            }
        };
    }
    reader.finish()?;
    Ok(rule)
}

fn list<T>(list: Option<Vec<T>>) -> Vec<T> {
    list.unwrap_or_default()
}

impl Rule {
    fn to_json(&self, path: &SchemaPath, root: &Block) -> Json {
        let mut members: Members = Vec::new();
        let Some(place) = path.find(root) else { return Json::object(members) };
        let Rule { default, equal, plan, element_plan, validate, computed, remote_form, unreadable } = self;
        let (scope, ty) = (Scope::of_place(root, &place), place.ty());
        members.extend(default.iter().map(|value| ("default", value.to_json(&ty))));
        members.extend(equal.iter().map(|equiv| ("equal", write_equiv(equiv))));
        push_list(&mut members, "plan", plan, |modifier| write_mod(modifier, &scope));
        let of_elements = Scope::of_elements(root, &place);
        push_list(&mut members, "element_plan", element_plan, |modifier| write_mod(modifier, &of_elements));
        push_list(&mut members, "validate", validate, |check| write_check(check, &ty, &scope));
        members.extend(computed.iter().map(|generator| ("computed", write_gen(generator, &ty))));
        members.extend(remote_form.iter().map(|canon| ("remote_form", write_canon(canon))));
        if *unreadable {
            members.push(("unreadable", Json::Bool(true)));
        }
        Json::object(members)
    }
}

/// Adds a member for a list, unless it is empty.
pub(crate) fn push_list<T>(members: &mut Members, name: &'static str, list: &[T], write: impl Fn(&T) -> Json) {
    if !list.is_empty() {
        members.push((name, array(list.iter().map(write))));
    }
}

/// Reads a plan modifier.
fn read_mod(json: &Json, scope: &Scope) -> Result<Mod, JsonError> {
    let condition = |json: &Json| read_cond(json, scope);
    Ok(match form(json) {
        Form::Word("requires_replace") => Mod::RequiresReplace,
        Form::Word("requires_replace_if_configured") => Mod::RequiresReplaceIfConfigured,
        Form::Word("use_state_for_unknown") => Mod::UseStateForUnknown,
        Form::Word("use_non_null_state_for_unknown") => Mod::UseNonNullStateForUnknown,
        Form::Tagged(name @ "requires_replace_if", json) => {
            inside(name, json, condition).map(Mod::RequiresReplaceIf)?
        }
        Form::Tagged(name @ "keep_state_if", json) => inside(name, json, read_equiv).map(Mod::KeepStateIf)?,
        Form::Tagged(name @ "default_if", json) => inside(name, json, |json| {
            let pair: &[Json; 2] = items(json, "a condition and an expression")?;
            Ok(Mod::DefaultIf(item(pair, 0, condition)?, item(pair, 1, |json| read_expr(json, scope.this(), scope))?))
        })?,
        Form::Tagged(name @ "unknown_if", json) => inside(name, json, condition).map(Mod::UnknownIf)?,
        Form::Tagged(name @ "error_if", json) => inside(name, json, condition).map(Mod::ErrorIf)?,
        Form::Tagged(name @ "set", json) => {
            inside(name, json, |json| read_expr(json, scope.this(), scope)).map(Mod::Set)?
        }
        _ => return Err(json.unexpected("a plan modifier such as \"requires_replace\" or {\"unknown_if\": …}")),
    })
}

fn write_mod(modifier: &Mod, scope: &Scope) -> Json {
    match modifier {
        Mod::RequiresReplace => Json::string("requires_replace"),
        Mod::RequiresReplaceIfConfigured => Json::string("requires_replace_if_configured"),
        Mod::UseStateForUnknown => Json::string("use_state_for_unknown"),
        Mod::UseNonNullStateForUnknown => Json::string("use_non_null_state_for_unknown"),
        Mod::RequiresReplaceIf(cond) => tagged("requires_replace_if", write_cond(cond, scope)),
        Mod::KeepStateIf(equiv) => tagged("keep_state_if", write_equiv(equiv)),
        Mod::DefaultIf(cond, expr) => {
            tagged("default_if", array([write_cond(cond, scope), write_expr(expr, scope.this(), scope)]))
        }
        Mod::UnknownIf(cond) => tagged("unknown_if", write_cond(cond, scope)),
        Mod::ErrorIf(cond) => tagged("error_if", write_cond(cond, scope)),
        Mod::Set(expr) => tagged("set", write_expr(expr, scope.this(), scope)),
    }
}

impl Mod {
    /// The document, for a reader with the same scope.
    pub fn to_json(&self, scope: &Scope) -> Json {
        write_mod(self, scope)
    }
}

fn read_check(json: &Json, ty: &Type, scope: &Scope) -> Result<Check, JsonError> {
    Ok(match form(json) {
        Form::Tagged(name @ "error_if", json) => {
            inside(name, json, |json| read_cond(json, scope)).map(Check::ErrorIf)?
        }
        Form::Tagged(name @ "one_of", json) => {
            inside(name, json, |json| json.read_items(|item| Value::from_json(item, ty))).map(Check::OneOf)?
        }
        Form::Tagged(name @ "range", json) => inside(name, json, |json| {
            let pair: &[Json; 2] = items(json, "the least and the greatest number")?;
            Ok(Check::Range(NumberRange { low: item(pair, 0, read_number)?, high: item(pair, 1, read_number)? }))
        })?,
        Form::Tagged(name @ "length", json) => inside(name, json, |json| {
            let pair: &[Json; 2] = items(json, "the least and the greatest length")?;
            Ok(Check::Length(item(pair, 0, Json::expect_u64)?, item(pair, 1, Json::expect_u64)?))
        })?,
        Form::Tagged(name @ "prefix", json) => inside(name, json, text).map(Check::Prefix)?,
        _ => return Err(json.unexpected("a check such as {\"one_of\": […]} or {\"error_if\": …}")),
    })
}

fn read_number(json: &Json) -> Result<Number, JsonError> {
    let value = Value::from_json(json, &Type::Number)?;
    value.view().as_number().cloned().ok_or_else(|| json.unexpected("a number"))
}

fn write_number(number: &Number) -> Json {
    Value::number(number.clone()).to_json(&Type::Number)
}

fn write_check(check: &Check, ty: &Type, scope: &Scope) -> Json {
    match check {
        Check::ErrorIf(cond) => tagged("error_if", write_cond(cond, scope)),
        Check::OneOf(values) => tagged("one_of", array(values.iter().map(|value| value.to_json(ty)))),
        Check::Range(NumberRange { low, high }) => tagged("range", array([low, high].map(write_number))),
        Check::Length(low, high) => tagged("length", array([low, high].map(|length| Json::int(*length)))),
        Check::Prefix(prefix) => tagged("prefix", Json::string(prefix)),
    }
}

/// Reads a check on a whole configuration.
pub(crate) fn read_resource_check(json: &Json, scope: &Scope) -> Result<ResourceCheck, JsonError> {
    let names = |name, json: &Json| {
        inside(name, json, |json| {
            let names = texts(json)?;
            match names.iter().find(|name| scope.member(name).is_none()) {
                None => Ok(names),
                Some(_) => Err(json.unexpected("names of top-level attributes and blocks")),
            }
        })
    };
    Ok(match form(json) {
        Form::Tagged(name @ "error_if", json) => {
            inside(name, json, |json| read_cond(json, scope)).map(ResourceCheck::ErrorIf)?
        }
        Form::Tagged(name @ "conflicts", json) => names(name, json).map(ResourceCheck::Conflicts)?,
        Form::Tagged(name @ "together", json) => names(name, json).map(ResourceCheck::Together)?,
        Form::Tagged(name @ "exactly_one", json) => names(name, json).map(ResourceCheck::ExactlyOne)?,
        Form::Tagged(name @ "at_least_one", json) => names(name, json).map(ResourceCheck::AtLeastOne)?,
        _ => return Err(json.unexpected("a check such as {\"conflicts\": […]} or {\"error_if\": …}")),
    })
}

pub(crate) fn write_resource_check(check: &ResourceCheck, scope: &Scope) -> Json {
    match check {
        ResourceCheck::ErrorIf(cond) => tagged("error_if", write_cond(cond, scope)),
        ResourceCheck::Conflicts(names) => tagged("conflicts", text_array(names)),
        ResourceCheck::Together(names) => tagged("together", text_array(names)),
        ResourceCheck::ExactlyOne(names) => tagged("exactly_one", text_array(names)),
        ResourceCheck::AtLeastOne(names) => tagged("at_least_one", text_array(names)),
    }
}

/// Reads a rule of resource-level plan modification.
fn read_plan_rule(json: &Json, scope: &Scope, levels: usize) -> Result<PlanRule, JsonError> {
    let levels = below(levels)?;
    let condition = |json: &Json| read_cond(json, scope);
    let member = |json: &Json| {
        let name = text(json)?;
        let ty = scope.member(&name).ok_or_else(|| json.unexpected("the name of a top-level attribute or block"))?;
        Ok::<_, JsonError>((name, ty))
    };
    Ok(match form(json) {
        Form::Tagged(name @ "requires_replace", json) => {
            inside(name, json, read_replace_path).map(PlanRule::RequiresReplace)?
        }
        Form::Tagged(name @ "error_if", json) => inside(name, json, condition).map(PlanRule::ErrorIf)?,
        Form::Tagged(tag @ "replace_if", json) => inside(tag, json, |json| {
            let pair: &[Json; 2] = items(json, "a name and a condition")?;
            Ok(PlanRule::ReplaceIf(item(pair, 0, member)?.0, item(pair, 1, condition)?))
        })?,
        Form::Tagged(tag @ "default", json) => inside(tag, json, |json| {
            let parts: &[Json; 3] = items(json, "a name, a condition and an expression")?;
            let (name, ty) = item(parts, 0, member)?;
            let expr = item(parts, 2, |json| read_expr(json, Some(ty), scope));
            Ok(PlanRule::Default(name, item(parts, 1, condition)?, expr?))
        })?,
        Form::Tagged(tag @ "unknown_if", json) => inside(tag, json, |json| {
            let pair: &[Json; 2] = items(json, "a name and a condition")?;
            Ok(PlanRule::UnknownIf(item(pair, 0, member)?.0, item(pair, 1, condition)?))
        })?,
        Form::Tagged(tag @ "set", json) => inside(tag, json, |json| {
            let pair: &[Json; 2] = items(json, "a name and an expression")?;
            let (name, ty) = item(pair, 0, member)?;
            Ok(PlanRule::Set(name, item(pair, 1, |json| read_expr(json, Some(ty), scope))?))
        })?,
        Form::Tagged(name @ "set_all", json) => {
            inside(name, json, |json| read_expr(json, Some(scope.root()), scope)).map(PlanRule::SetAll)?
        }
        Form::Tagged(name @ "when", json) => inside(name, json, |json| {
            let pair: &[Json; 2] = items(json, "a condition and a rule")?;
            let rule = item(pair, 1, |json| read_plan_rule(json, scope, levels))?;
            Ok(PlanRule::When(item(pair, 0, condition)?, Box::new(rule)))
        })?,
        _ => return Err(json.unexpected("a rule such as {\"requires_replace\": …} or {\"default\": […]}")),
    })
}

/// A name, or a path if the text begins with a dot or a bracket.
fn read_replace_path(json: &Json) -> Result<ReplacePath, JsonError> {
    let text = json.expect_string()?;
    if !text.starts_with(['.', '[']) {
        return Ok(ReplacePath::Name(Text::new(text)));
    }
    WrittenPath::parse(text).map(ReplacePath::Path).map_err(|problem| json.unexpected(problem.expected))
}

fn write_plan_rule(rule: &PlanRule, scope: &Scope) -> Json {
    let condition = |cond| write_cond(cond, scope);
    let of_member = |name: &Text, expr| write_expr(expr, scope.member(name), scope);
    match rule {
        PlanRule::RequiresReplace(ReplacePath::Name(name)) => tagged("requires_replace", Json::string(name)),
        PlanRule::RequiresReplace(ReplacePath::Path(path)) => {
            tagged("requires_replace", Json::string(&path.to_string()))
        }
        PlanRule::ErrorIf(cond) => tagged("error_if", condition(cond)),
        PlanRule::ReplaceIf(name, cond) => tagged("replace_if", array([Json::string(name), condition(cond)])),
        PlanRule::Default(name, cond, expr) => {
            tagged("default", array([Json::string(name), condition(cond), of_member(name, expr)]))
        }
        PlanRule::UnknownIf(name, cond) => tagged("unknown_if", array([Json::string(name), condition(cond)])),
        PlanRule::Set(name, expr) => tagged("set", array([Json::string(name), of_member(name, expr)])),
        PlanRule::SetAll(expr) => tagged("set_all", write_expr(expr, Some(scope.root()), scope)),
        PlanRule::When(cond, rule) => tagged("when", array([condition(cond), write_plan_rule(rule, scope)])),
    }
}

/// Reads an operation of plan customisation.
fn read_customize_op(json: &Json, scope: &Scope, levels: usize) -> Result<CustomizeOp, JsonError> {
    let levels = below(levels)?;
    let condition = |json: &Json| read_cond(json, scope);
    Ok(match form(json) {
        Form::Tagged(name @ "force_new", json) => inside(name, json, text).map(CustomizeOp::ForceNew)?,
        Form::Tagged(tag @ "set_new", json) => inside(tag, json, |json| {
            let pair: &[Json; 2] = items(json, "a key and an expression")?;
            let key = item(pair, 0, text)?;
            let target = type_of_key(scope, &key).ok_or_else(|| json.unexpected("the key of a field of the schema"));
            let target = target.map_err(|error| error.inside_index(0))?;
            Ok(CustomizeOp::SetNew(key, item(pair, 1, |json| read_expr(json, Some(target), scope))?))
        })?,
        Form::Tagged(name @ "set_new_computed", json) => inside(name, json, text).map(CustomizeOp::SetNewComputed)?,
        Form::Tagged(name @ "clear", json) => inside(name, json, text).map(CustomizeOp::Clear)?,
        Form::Tagged(name @ "error_if", json) => inside(name, json, condition).map(CustomizeOp::ErrorIf)?,
        Form::Tagged(name @ "when", json) => inside(name, json, |json| {
            let pair: &[Json; 2] = items(json, "a condition and an operation")?;
            let op = item(pair, 1, |json| read_customize_op(json, scope, levels))?;
            Ok(CustomizeOp::When(item(pair, 0, condition)?, Box::new(op)))
        })?,
        _ => return Err(json.unexpected("an operation such as {\"force_new\": KEY} or {\"set_new\": […]}")),
    })
}

pub(crate) fn write_customize_op(op: &CustomizeOp, scope: &Scope) -> Json {
    match op {
        CustomizeOp::ForceNew(key) => tagged("force_new", Json::string(key)),
        CustomizeOp::SetNew(key, expr) => {
            tagged("set_new", array([Json::string(key), write_expr(expr, type_of_key(scope, key), scope)]))
        }
        CustomizeOp::SetNewComputed(key) => tagged("set_new_computed", Json::string(key)),
        CustomizeOp::Clear(key) => tagged("clear", Json::string(key)),
        CustomizeOp::ErrorIf(cond) => tagged("error_if", write_cond(cond, scope)),
        CustomizeOp::When(cond, op) => tagged("when", array([write_cond(cond, scope), write_customize_op(op, scope)])),
    }
}

/// The type at a flat key of the SDK: `a`, `a.0.b`, `m.key`; counts are numbers.
fn type_of_key<'s>(scope: &'s Scope, key: &str) -> Option<&'s Type> {
    key.split('.').try_fold(scope.root(), |ty, part| match ty {
        Type::Object(object) => object.index_of(part).map(|index| &object.attributes()[index].ty),
        Type::List(_) | Type::Set(_) if part == "#" => Some(&Type::Number),
        Type::Map(_) if part == "%" => Some(&Type::Number),
        _ => ty.element(),
    })
}

fn read_gen(json: &Json, ty: &Type, scope: &Scope, levels: usize) -> Result<Gen, JsonError> {
    let levels = below(levels)?;
    Ok(match form(json) {
        Form::Word("null") => Gen::Null,
        Form::Tagged(name @ "fill", json) => inside(name, json, Json::expect_u64).map(Gen::Fill)?,
        Form::Tagged(name @ "const", json) => inside(name, json, |json| Value::from_json(json, ty)).map(Gen::Const)?,
        Form::Tagged(name @ "copy", json) => inside(name, json, |json| read_ref(json, scope)).map(Gen::Copy)?,
        Form::Tagged(name @ "hash", json) => {
            inside(name, json, |json| json.read_items(|item| read_ref(item, scope))).map(Gen::Hash)?
        }
        Form::Tagged(name @ "counter", json) => inside(name, json, Json::expect_i64).map(Gen::Counter)?,
        Form::Tagged(name @ "once", json) => {
            inside(name, json, |json| read_gen(json, ty, scope, levels)).map(|of| Gen::Once(Box::new(of)))?
        }
        _ => return Err(json.unexpected("a generator such as \"null\", {\"fill\": 0} or {\"copy\": …}")),
    })
}

fn write_gen(generator: &Gen, ty: &Type) -> Json {
    match generator {
        Gen::Null => Json::string("null"),
        Gen::Fill(salt) => tagged("fill", Json::int(*salt)),
        Gen::Const(value) => tagged("const", value.to_json(ty)),
        Gen::Copy(reference) => tagged("copy", write_ref(reference)),
        Gen::Hash(references) => tagged("hash", array(references.iter().map(write_ref))),
        Gen::Counter(start) => tagged("counter", Json::int(*start)),
        Gen::Once(of) => tagged("once", write_gen(of, ty)),
    }
}

pub(crate) fn read_plan_rules(json: &Json, scope: &Scope) -> Result<Vec<PlanRule>, JsonError> {
    json.read_items(|json| read_plan_rule(json, scope, MAX_DEPTH))
}

pub(crate) fn write_plan_rules(rules: &[PlanRule], scope: &Scope) -> Json {
    array(rules.iter().map(|rule| write_plan_rule(rule, scope)))
}

/// Reads resource-level plan modification for a schema.
///
/// # Errors
/// As [`Rules::from_json`].
pub fn plan_rules_from_json(json: &Json, root: &Block) -> Result<Vec<PlanRule>, JsonError> {
    read_plan_rules(json, &Scope::of_resource(root))
}

/// The document of resource-level plan modification, for a reader with the same schema.
pub fn plan_rules_to_json(rules: &[PlanRule], root: &Block) -> Json {
    write_plan_rules(rules, &Scope::of_resource(root))
}

/// Reads plan customisation (Z70) for the Core schema of an SDK schema.
///
/// # Errors
/// As [`Rules::from_json`].
pub fn customize_diff_from_json(json: &Json, root: &Block) -> Result<Vec<CustomizeOp>, JsonError> {
    let scope = Scope::of_resource(root);
    json.read_items(|json| read_customize_op(json, &scope, MAX_DEPTH))
}

/// The document of plan customisation, for a reader with the same schema.
pub fn customize_diff_to_json(ops: &[CustomizeOp], root: &Block) -> Json {
    let scope = Scope::of_resource(root);
    array(ops.iter().map(|op| write_customize_op(op, &scope)))
}

impl Mod {
    /// Reads a modifier of an attribute that stands alone.
    ///
    /// # Errors
    /// The JSON is not a modifier, or refers to anything but the attribute itself.
    pub fn from_json(json: &Json, ty: &Type) -> Result<Mod, JsonError> {
        read_mod(json, &Scope::of_attribute(ty.clone()))
    }
}

impl Rules {
    /// Reads the rules of an SDK model for its Core schema: those that are not in the SDK schema's fields.
    ///
    /// # Errors
    /// As [`Rules::from_json`].
    pub fn from_sdk_json(json: &Json, root: &Block) -> Result<Rules, JsonError> {
        read_rules(json, root, Allowed::Sdk)
    }
}
