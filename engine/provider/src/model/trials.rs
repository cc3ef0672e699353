//! Possible properties of a field that the schema does not contain.

use planfuzz_core::value::{Number, Type, Value};
use planfuzz_pipelines::expression::{Canon, Equiv};
use planfuzz_pipelines::sdk::{Elem, Field, Kind, Primitive, SdkValue};

/// A possible property of a field.
#[derive(Clone, Debug)]
pub enum Trial {
    /// A change asks for replacement, or does not.
    ForceNew(bool),
    /// The provider may choose the value.
    Computed(bool),
    /// The value if none is configured.
    Default(SdkValue),
    /// Which changes do not count.
    Suppress(Equiv),
    /// A change of the order of a list does not count.
    Unordered,
    /// The form in which it is stored.
    StateFunc(Canon),
    /// Only whole numbers.
    Int,
}

impl Trial {
    /// Gives a field this property.
    pub fn apply(&self, field: &mut Field) {
        match self {
            Trial::ForceNew(is) => field.force_new = *is,
            Trial::Computed(is) => field.computed = *is,
            Trial::Default(default) => field.default = Some(default.clone()),
            // The field itself does not change.
            Trial::Unordered => {}
            Trial::Suppress(equiv) => field.diff_suppress = Some(equiv.clone()),
            Trial::StateFunc(canon) => field.state_func = Some(canon.clone()),
            Trial::Int => field.kind = Kind::Primitive(Primitive::Int),
        }
    }

    /// Whether it makes changes not count.
    pub fn is_suppression(&self) -> bool {
        matches!(self, Trial::Suppress(_) | Trial::Unordered)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Trial::ForceNew(_) => "ForceNew",
            Trial::Computed(_) => "Computed",
            Trial::Default(_) => "Default",
            Trial::Suppress(_) | Trial::Unordered => "DiffSuppress",
            Trial::StateFunc(_) => "StateFunc",
            Trial::Int => "Int",
        }
    }

    /// Its name and value.
    pub fn text(&self) -> String {
        match self {
            Trial::ForceNew(true) | Trial::Computed(true) | Trial::Int => self.name().to_owned(),
            Trial::ForceNew(false) | Trial::Computed(false) => format!("no {}", self.name()),
            Trial::Default(default) => format!("Default {}", shown(default)),
            Trial::Unordered => "DiffSuppress of the same elements in another order".to_owned(),
            Trial::Suppress(equiv) => format!("DiffSuppress {equiv:?}"),
            Trial::StateFunc(canon) => format!("StateFunc {canon:?}"),
        }
    }
}

fn shown(default: &SdkValue) -> String {
    match default {
        SdkValue::Bool(bool) => bool.to_string(),
        SdkValue::Int(int) => int.to_string(),
        SdkValue::Float(float) => float.to_string(),
        SdkValue::Text(text) => format!("{text:?}"),
        SdkValue::List(_) | SdkValue::Map(_) | SdkValue::Object(_) | SdkValue::Set(_) => "?".to_owned(),
    }
}

/// The possible properties of a field, given its planned values.
pub fn trials(field: &Field, planned: &[Value]) -> Vec<Trial> {
    let mut trials = vec![Trial::ForceNew(!field.force_new)];
    if let Kind::Primitive(primitive) = field.kind {
        if !field.computed && !field.required {
            let defaults = planned.iter().filter_map(|value| default(primitive, value));
            trials.extend(defaults.map(Trial::Default));
        }
        if primitive == Primitive::Float {
            trials.push(Trial::Int);
        }
    }
    // No schema contains what is computed of a block, or within an attribute.
    if !field.required && field.default.is_none() {
        trials.push(Trial::Computed(!field.computed));
    }
    let equivs = [Equiv::Always, Equiv::NewEmpty, Equiv::Case, Equiv::Trim, Equiv::Json];
    trials.extend(equivs.into_iter().filter(|it| field.diff_suppress.as_ref() != Some(it)).map(Trial::Suppress));
    if matches!(field.kind, Kind::List(Elem::Kind(_))) {
        trials.push(Trial::Unordered);
    }
    if matches!(field.kind, Kind::Primitive(Primitive::String)) {
        let canons = [Canon::Lower, Canon::Trim, Canon::Json];
        trials.extend(canons.into_iter().filter(|it| field.state_func.as_ref() != Some(it)).map(Trial::StateFunc));
    }
    trials
}

fn default(primitive: Primitive, value: &Value) -> Option<SdkValue> {
    let view = value.view();
    if !view.is_present() {
        return None;
    }
    let float = |number: &Number| number.text().parse::<f64>().ok();
    match (primitive, view.ty()) {
        (Primitive::Bool, Type::Bool) => Some(SdkValue::Bool(*value == Value::bool(true))),
        (Primitive::Int, Type::Number) => view.as_number()?.to_i64().map(SdkValue::Int),
        (Primitive::Float, Type::Number) => float(view.as_number()?).map(SdkValue::Float),
        (Primitive::String, Type::String) => Some(SdkValue::Text(view.as_text()?.to_string())),
        _ => None,
    }
}
