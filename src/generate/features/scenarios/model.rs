//! Features of provider models: each variant of the vocabulary.

use planfuzz_core::schema::Named;
use planfuzz_pipelines::expression::{Canon, Changed, Cond, Equiv, Expr, Operation, Ref, Source};
use planfuzz_pipelines::model::{Done, FaultName, Model, RemoteCall, Respond, Style};
use planfuzz_pipelines::rules::{Check, CustomizeOp, Gen, Mod, PlanRule, ReplacePath, ResourceCheck, Rule};
use planfuzz_pipelines::sdk::{ConfigMode, Elem, Field, Kind, Resource, Schema};

use super::Mark;

/// The rows, but for faults, which name themselves.
pub(super) const ROWS: &[&str] = &[
    "style.framework",
    "style.sdk",
    "rule.default",
    "rule.default_null",
    "rule.equal",
    "rule.computed",
    "rule.remote_form",
    "rule.unreadable",
    "rule.nested",
    "mod.requires_replace",
    "mod.requires_replace_if_configured",
    "mod.use_state_for_unknown",
    "mod.use_non_null_state_for_unknown",
    "mod.requires_replace_if",
    "mod.keep_state_if",
    "mod.default_if",
    "mod.unknown_if",
    "mod.error_if",
    "mod.set",
    "element_mod",
    "check.error_if",
    "check.one_of",
    "check.range",
    "check.length",
    "check.prefix",
    "resource_check.error_if",
    "resource_check.conflicts",
    "resource_check.together",
    "resource_check.exactly_one",
    "resource_check.at_least_one",
    "plan_rule.none",
    "plan_rule.requires_replace",
    "plan_rule.requires_replace_path",
    "plan_rule.error_if",
    "plan_rule.replace_if",
    "plan_rule.default",
    "plan_rule.unknown_if",
    "plan_rule.set",
    "plan_rule.set_all",
    "plan_rule.when",
    "customize.force_new",
    "customize.set_new",
    "customize.set_new_computed",
    "customize.clear",
    "customize.error_if",
    "customize.when",
    "field.bool",
    "field.int",
    "field.float",
    "field.string",
    "field.list",
    "field.set",
    "field.map",
    "field.resource",
    "field.attr_mode",
    "field.force_new",
    "field.default",
    "field.state_func",
    "field.diff_suppress",
    "field.suppress_on_refresh",
    "canon.lower",
    "canon.trim",
    "canon.json",
    "canon.prefix",
    "canon.sorted",
    "canon.unique",
    "canon.always_prefix",
    "equiv.exact",
    "equiv.case",
    "equiv.trim",
    "equiv.json",
    "equiv.canon",
    "equiv.unordered",
    "equiv.always",
    "equiv.new_empty",
    "gen.null",
    "gen.fill",
    "gen.const",
    "gen.copy",
    "gen.hash",
    "gen.counter",
    "gen.once",
    "respond.plan",
    "respond.remote",
    "failure.create",
    "failure.update",
    "failure.delete",
    "failure.read",
    "failure.when",
    "failure.done_none",
    "failure.done_all",
    "failure.done_some",
    "fault_at",
    "fault_below_top",
    "fault_when_op",
    "fault_when_nth",
    "expr.null",
    "expr.unknown",
    "expr.const",
    "expr.ref",
    "expr.canon",
    "expr.concat",
    "expr.add",
    "expr.length",
    "expr.hash",
    "expr.if",
    "ref.this",
    "ref.sibling",
    "ref.root",
    "source.config",
    "source.prior",
    "source.plan",
    "cond.true",
    "cond.false",
    "cond.op_create",
    "cond.op_update",
    "cond.op_destroy",
    "cond.is_null",
    "cond.is_unknown",
    "cond.partly_unknown",
    "cond.changed",
    "cond.changed_name",
    "cond.eq",
    "cond.lt",
    "cond.same",
    "cond.not",
    "cond.all",
    "cond.any",
];

/// The rows of faults and controls.
pub(super) fn fault_rows() -> impl Iterator<Item = String> {
    FaultName::ALL.iter().map(|name| format!("fault.{}", name.name()))
}

/// Marks what is in a model.
pub(super) fn observe(model: &Model, mark: Mark<'_>) {
    let mut walk = Walk { mark };
    walk.style(&model.style);
    for (path, rule) in model.rules.iter() {
        if path.names().len() > 1 {
            walk.mark("rule.nested");
        }
        walk.rule(rule);
    }
    model.validate.iter().for_each(|check| walk.resource_check(check));
    walk.mark(match model.respond {
        Respond::Plan => "respond.plan",
        Respond::Remote => "respond.remote",
    });
    for failure in &model.failures {
        walk.mark(match failure.on {
            RemoteCall::Create => "failure.create",
            RemoteCall::Update => "failure.update",
            RemoteCall::Delete => "failure.delete",
            RemoteCall::Read => "failure.read",
        });
        walk.mark(match failure.done {
            Done::None => "failure.done_none",
            Done::All => "failure.done_all",
            Done::Names(_) => "failure.done_some",
        });
        if failure.when != Cond::Bool(true) {
            walk.mark("failure.when");
            walk.cond(&failure.when);
        }
    }
    for fault in &model.faults {
        (walk.mark)(&format!("fault.{}", fault.name.name()));
        walk.mark_if("fault_at", fault.at.is_some());
        walk.mark_if("fault_below_top", fault.at.as_ref().is_some_and(|at| at.names().len() > 1));
        walk.mark_if("fault_when_op", fault.when.op.is_some());
        walk.mark_if("fault_when_nth", fault.when.nth.is_some());
    }
}

struct Walk<'m> {
    mark: Mark<'m>,
}

impl Walk<'_> {
    fn mark(&mut self, row: &str) {
        (self.mark)(row);
    }

    fn mark_if(&mut self, row: &str, hit: bool) {
        if hit {
            self.mark(row);
        }
    }

    fn style(&mut self, style: &Style) {
        match style {
            Style::Framework { schema: _, plan } => {
                self.mark("style.framework");
                self.mark_if("plan_rule.none", plan.as_ref().is_some_and(Vec::is_empty));
                plan.iter().flatten().for_each(|rule| self.plan_rule(rule));
            }
            Style::Sdk { schema, customize_diff } => {
                self.mark("style.sdk");
                self.sdk(schema);
                customize_diff.iter().for_each(|op| self.customize(op));
            }
        }
    }

    fn sdk(&mut self, schema: &Schema) {
        self.fields(schema.fields());
    }

    fn fields(&mut self, fields: &Named<Field>) {
        fields.values().for_each(|field| self.field(field));
    }

    fn field(&mut self, field: &Field) {
        self.kind(&field.kind);
        self.mark_if("field.attr_mode", field.config_mode == ConfigMode::Attr);
        self.mark_if("field.force_new", field.force_new);
        self.mark_if("field.default", field.default.is_some());
        self.mark_if("field.state_func", field.state_func.is_some());
        self.mark_if("field.diff_suppress", field.diff_suppress.is_some());
        self.mark_if("field.suppress_on_refresh", field.suppress_on_refresh);
        field.state_func.iter().for_each(|canon| self.canon(canon));
        field.diff_suppress.iter().for_each(|equiv| self.equiv(equiv));
    }

    fn kind(&mut self, kind: &Kind) {
        match kind {
            Kind::Primitive(primitive) => (self.mark)(&format!("field.{}", primitive.name())),
            Kind::Map(_) => self.mark("field.map"),
            Kind::List(elem) => {
                self.mark("field.list");
                self.elem(elem);
            }
            Kind::Set(elem) => {
                self.mark("field.set");
                self.elem(elem);
            }
        }
    }

    fn elem(&mut self, elem: &Elem) {
        match elem {
            Elem::Kind(kind) => self.kind(kind),
            Elem::Resource(resource) => {
                self.mark("field.resource");
                self.fields(Resource::fields(resource));
            }
        }
    }

    fn rule(&mut self, rule: &Rule) {
        let Rule { default, equal, plan, element_plan, validate, computed, remote_form, unreadable } = rule;
        if let Some(default) = default {
            self.mark(if default.is_null() { "rule.default_null" } else { "rule.default" });
        }
        if let Some(equal) = equal {
            self.mark("rule.equal");
            self.equiv(equal);
        }
        plan.iter().for_each(|modifier| self.modifier(modifier));
        self.mark_if("element_mod", !element_plan.is_empty());
        element_plan.iter().for_each(|modifier| self.modifier(modifier));
        validate.iter().for_each(|check| self.check(check));
        if let Some(computed) = computed {
            self.mark("rule.computed");
            self.generated(computed);
        }
        if let Some(canon) = remote_form {
            self.mark("rule.remote_form");
            self.canon(canon);
        }
        self.mark_if("rule.unreadable", *unreadable);
    }

    fn modifier(&mut self, modifier: &Mod) {
        match modifier {
            Mod::RequiresReplace => self.mark("mod.requires_replace"),
            Mod::RequiresReplaceIfConfigured => self.mark("mod.requires_replace_if_configured"),
            Mod::UseStateForUnknown => self.mark("mod.use_state_for_unknown"),
            Mod::UseNonNullStateForUnknown => self.mark("mod.use_non_null_state_for_unknown"),
            Mod::RequiresReplaceIf(cond) => self.with_cond("mod.requires_replace_if", cond),
            Mod::KeepStateIf(equiv) => {
                self.mark("mod.keep_state_if");
                self.equiv(equiv);
            }
            Mod::DefaultIf(cond, expr) => {
                self.with_cond("mod.default_if", cond);
                self.expr(expr);
            }
            Mod::UnknownIf(cond) => self.with_cond("mod.unknown_if", cond),
            Mod::ErrorIf(cond) => self.with_cond("mod.error_if", cond),
            Mod::Set(expr) => {
                self.mark("mod.set");
                self.expr(expr);
            }
        }
    }

    fn with_cond(&mut self, row: &str, cond: &Cond) {
        self.mark(row);
        self.cond(cond);
    }

    fn check(&mut self, check: &Check) {
        match check {
            Check::ErrorIf(cond) => self.with_cond("check.error_if", cond),
            Check::OneOf(_) => self.mark("check.one_of"),
            Check::Range(_) => self.mark("check.range"),
            Check::Length(..) => self.mark("check.length"),
            Check::Prefix(_) => self.mark("check.prefix"),
        }
    }

    fn resource_check(&mut self, check: &ResourceCheck) {
        match check {
            ResourceCheck::ErrorIf(cond) => self.with_cond("resource_check.error_if", cond),
            ResourceCheck::Conflicts(_) => self.mark("resource_check.conflicts"),
            ResourceCheck::Together(_) => self.mark("resource_check.together"),
            ResourceCheck::ExactlyOne(_) => self.mark("resource_check.exactly_one"),
            ResourceCheck::AtLeastOne(_) => self.mark("resource_check.at_least_one"),
        }
    }

    fn plan_rule(&mut self, rule: &PlanRule) {
        match rule {
            PlanRule::RequiresReplace(ReplacePath::Name(_)) => self.mark("plan_rule.requires_replace"),
            PlanRule::RequiresReplace(ReplacePath::Path(_)) => self.mark("plan_rule.requires_replace_path"),
            PlanRule::ErrorIf(cond) => self.with_cond("plan_rule.error_if", cond),
            PlanRule::ReplaceIf(_, cond) => self.with_cond("plan_rule.replace_if", cond),
            PlanRule::Default(_, cond, expr) => {
                self.with_cond("plan_rule.default", cond);
                self.expr(expr);
            }
            PlanRule::UnknownIf(_, cond) => self.with_cond("plan_rule.unknown_if", cond),
            PlanRule::Set(_, expr) => {
                self.mark("plan_rule.set");
                self.expr(expr);
            }
            PlanRule::SetAll(expr) => {
                self.mark("plan_rule.set_all");
                self.expr(expr);
            }
            PlanRule::When(cond, rule) => {
                self.with_cond("plan_rule.when", cond);
                self.plan_rule(rule);
            }
        }
    }

    fn customize(&mut self, op: &CustomizeOp) {
        match op {
            CustomizeOp::ForceNew(_) => self.mark("customize.force_new"),
            CustomizeOp::SetNew(_, expr) => {
                self.mark("customize.set_new");
                self.expr(expr);
            }
            CustomizeOp::SetNewComputed(_) => self.mark("customize.set_new_computed"),
            CustomizeOp::Clear(_) => self.mark("customize.clear"),
            CustomizeOp::ErrorIf(cond) => self.with_cond("customize.error_if", cond),
            CustomizeOp::When(cond, op) => {
                self.with_cond("customize.when", cond);
                self.customize(op);
            }
        }
    }

    fn canon(&mut self, canon: &Canon) {
        self.mark(match canon {
            Canon::Lower => "canon.lower",
            Canon::Trim => "canon.trim",
            Canon::Json => "canon.json",
            Canon::Prefix(_) => "canon.prefix",
            Canon::Sorted => "canon.sorted",
            Canon::Unique => "canon.unique",
            Canon::AlwaysPrefix => "canon.always_prefix",
        });
    }

    fn equiv(&mut self, equiv: &Equiv) {
        self.mark(match equiv {
            Equiv::Exact => "equiv.exact",
            Equiv::Case => "equiv.case",
            Equiv::Trim => "equiv.trim",
            Equiv::Json => "equiv.json",
            Equiv::Canon(_) => "equiv.canon",
            Equiv::Unordered => "equiv.unordered",
            Equiv::Always => "equiv.always",
            Equiv::NewEmpty => "equiv.new_empty",
        });
        if let Equiv::Canon(canon) = equiv {
            self.canon(canon);
        }
    }

    fn generated(&mut self, generator: &Gen) {
        match generator {
            Gen::Null => self.mark("gen.null"),
            Gen::Fill(_) => self.mark("gen.fill"),
            Gen::Const(_) => self.mark("gen.const"),
            Gen::Copy(_) => self.mark("gen.copy"),
            Gen::Hash(_) => self.mark("gen.hash"),
            Gen::Counter(_) => self.mark("gen.counter"),
            Gen::Once(inner) => {
                self.mark("gen.once");
                self.generated(inner);
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Null => self.mark("expr.null"),
            Expr::Unknown => self.mark("expr.unknown"),
            Expr::Const(_) => self.mark("expr.const"),
            Expr::Ref(reference) => {
                self.mark("expr.ref");
                self.reference(reference);
            }
            Expr::Canon(canon, of) => {
                self.mark("expr.canon");
                self.canon(canon);
                self.expr(of);
            }
            Expr::Concat(parts) => {
                self.mark("expr.concat");
                parts.iter().for_each(|part| self.expr(part));
            }
            Expr::Add(a, b) => {
                self.mark("expr.add");
                self.expr(a);
                self.expr(b);
            }
            Expr::Length(of) => {
                self.mark("expr.length");
                self.expr(of);
            }
            Expr::Hash(parts) => {
                self.mark("expr.hash");
                parts.iter().for_each(|part| self.expr(part));
            }
            Expr::If(cond, then, otherwise) => {
                self.with_cond("expr.if", cond);
                self.expr(then);
                self.expr(otherwise);
            }
        }
    }

    fn reference(&mut self, reference: &Ref) {
        self.mark(match reference {
            Ref::This(_) => "ref.this",
            Ref::Sibling(..) => "ref.sibling",
            Ref::Root(..) => "ref.root",
        });
        self.mark(match reference.source() {
            Source::Config => "source.config",
            Source::Prior => "source.prior",
            Source::Plan => "source.plan",
        });
    }

    fn cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Bool(true) => self.mark("cond.true"),
            Cond::Bool(false) => self.mark("cond.false"),
            Cond::Op(operation) => self.mark(match operation {
                Operation::Create => "cond.op_create",
                Operation::Update => "cond.op_update",
                Operation::Destroy => "cond.op_destroy",
            }),
            Cond::IsNull(reference) => self.about("cond.is_null", reference),
            Cond::IsUnknown(reference) => self.about("cond.is_unknown", reference),
            Cond::PartlyUnknown(reference) => self.about("cond.partly_unknown", reference),
            Cond::Changed(Changed::Name(_)) => self.mark("cond.changed_name"),
            Cond::Changed(Changed::Ref(reference)) => self.about("cond.changed", reference),
            Cond::Eq(a, b) => self.both("cond.eq", a, b),
            Cond::Lt(a, b) => self.both("cond.lt", a, b),
            Cond::Same(equiv, a, b) => {
                self.equiv(equiv);
                self.both("cond.same", a, b);
            }
            Cond::Not(cond) => self.with_cond("cond.not", cond),
            Cond::All(all) => {
                self.mark("cond.all");
                all.iter().for_each(|cond| self.cond(cond));
            }
            Cond::Any(any) => {
                self.mark("cond.any");
                any.iter().for_each(|cond| self.cond(cond));
            }
        }
    }

    fn about(&mut self, row: &str, reference: &Ref) {
        self.mark(row);
        self.reference(reference);
    }

    fn both(&mut self, row: &str, a: &Expr, b: &Expr) {
        self.mark(row);
        self.expr(a);
        self.expr(b);
    }
}
