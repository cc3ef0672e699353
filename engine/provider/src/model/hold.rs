//! Compares the model with a provider's plans, type by type.

use planfuzz_core::schema::Schema;
use planfuzz_pipelines::sdk::Schema as SdkSchema;

use super::fit::{Inferred, fit};
use super::guess::Compiled;
use super::reasons::{Reason, reasons};
use super::sample::{Sample, schema_without_timeouts};
use crate::place::{difference, text};

/// One of so many plans of a type is only compared, and not inferred from.
const LAST_OF: usize = 3;

/// How many differing plans of a type are reported.
const MOST_REPORTED: usize = 3;

/// The result of a type.
#[derive(Debug)]
pub enum Modelled {
    /// The SDK cannot declare such a schema.
    NoForm(String),
    /// The provider planned nothing.
    Unasked,
    /// It was compared.
    Compared(ModelFit),
}

/// A type that was compared.
#[derive(Debug)]
pub struct ModelFit {
    /// What was inferred.
    pub inferred: Vec<Inferred>,
    /// How many plans it was inferred from, and how many of them still differ.
    pub fitted: (usize, usize),
    /// How many other plans were compared, and how many of them differ.
    pub held: (usize, usize),
    /// How many of those are updates.
    pub updates: usize,
    /// How many of the others were needed for the inference.
    pub shown: usize,
    /// Some that differ, those of the others first.
    pub apart: Vec<String>,
    /// How many plans differ for a reason outside the model, and these reasons: each place once.
    pub left_out: (usize, Vec<Reason>),
}

impl ModelFit {
    /// Whether every plan equals the model's.
    pub fn holds(&self) -> bool {
        self.fitted.1 == 0 && self.held.1 == 0
    }
}

/// Compares the model with the plans of a type.
pub fn hold(schema: &Schema, samples: &[Sample]) -> Modelled {
    let core = schema_without_timeouts(schema);
    let sdk = match SdkSchema::from_core(&core) {
        Ok(sdk) => sdk,
        Err(problem) => return Modelled::NoForm(problem.to_string()),
    };
    if samples.is_empty() {
        return Modelled::Unasked;
    }
    let samples = distinct(samples);
    let (own, other): (Vec<_>, Vec<_>) =
        samples.iter().enumerate().partition(|(index, _)| index % LAST_OF != LAST_OF - 1);
    let (own, other): (Vec<_>, Vec<_>) =
        (own.into_iter().map(|(_, it)| it).collect(), other.into_iter().map(|(_, it)| it).collect());
    Modelled::Compared(compared(&sdk, own, other))
}

/// Infers from some plans, and compares the others. If one of these differs, it is inferred from, too, for a few rounds.
fn compared<'s>(sdk: &SdkSchema, mut own: Vec<&'s (Sample, bool)>, mut other: Vec<&'s (Sample, bool)>) -> ModelFit {
    /// How many such rounds there are.
    const MOST_SHOWN: usize = 3;
    let mut shown = 0;
    for round in 0.. {
        let fitted = fit(sdk.clone(), &own.iter().map(|(sample, _)| sample).collect::<Vec<_>>());
        let compiled = fitted.guess.compiled();
        let mut left_out = LeftOut::default();
        let first = left_out.apart_of(&own, &compiled);
        let last = left_out.apart_of(&other, &compiled);
        if round < MOST_SHOWN && !last.is_empty() {
            let is_apart = |it: &&(Sample, bool)| last.iter().any(|(apart, _)| std::ptr::eq(*apart, *it));
            let (new, rest): (Vec<_>, Vec<_>) = other.into_iter().partition(is_apart);
            shown += new.len();
            own.extend(new);
            other = rest;
            continue;
        }
        let messages = last.iter().chain(&first).map(|(_, message)| message.clone());
        return ModelFit {
            inferred: fitted.inferred,
            fitted: (own.len(), first.len()),
            held: (other.len(), last.len()),
            updates: other.iter().filter(|(sample, _)| !sample.prior.is_null()).count(),
            shown,
            apart: messages.take(MOST_REPORTED).collect(),
            left_out: (left_out.plans, left_out.reasons),
        };
    }
    unreachable!("the rounds end")
}

/// Plans that differ for a known reason.
#[derive(Default)]
struct LeftOut {
    plans: usize,
    reasons: Vec<Reason>,
}

impl LeftOut {
    /// The plans that differ for no known reason.
    fn apart_of<'s>(&mut self, of: &[&'s (Sample, bool)], compiled: &Compiled) -> Vec<(&'s (Sample, bool), String)> {
        of.iter().filter_map(|it| Some((*it, self.apart(&it.0, it.1, compiled)?))).collect()
    }

    fn apart(&mut self, sample: &Sample, has_timeouts: bool, compiled: &Compiled) -> Option<String> {
        let message = apart(sample, has_timeouts, compiled)?;
        let known = compiled.plan(sample).ok().filter(|_| has_timeouts).and_then(|it| reasons(sample, &it));
        let Some(known) = known else { return Some(message) };
        self.plans += 1;
        for reason in known {
            if !self.reasons.iter().any(|it| it.place == reason.place && it.kind == reason.kind) {
                self.reasons.push(reason);
            }
        }
        None
    }
}

/// The plans without the block that the SDK itself manages, each question once.
fn distinct(samples: &[Sample]) -> Vec<(Sample, bool)> {
    const MOST: usize = 600;
    let mut kept: Vec<(Sample, bool)> = Vec::new();
    for sample in samples.iter().take(2 * MOST).map(Sample::without_timeouts) {
        let same = |it: &&(Sample, bool)| it.0.prior == sample.0.prior && it.0.proposed == sample.0.proposed;
        if kept.len() < MOST && kept.iter().find(same).is_none() {
            kept.push(sample);
        }
    }
    kept
}

/// How a plan differs from the model's.
fn apart(sample: &Sample, has_timeouts: bool, compiled: &Compiled) -> Option<String> {
    let asked = || format!("prior {}, config {}", text(&sample.prior), text(&sample.config));
    let modelled = match compiled.plan(sample) {
        Ok(modelled) => modelled,
        Err(problem) => return Some(format!("the model refuses: {problem}; {}", asked())),
    };
    if !has_timeouts {
        return Some(format!(".timeouts: expected it as configured (Z99); {}", asked()));
    }
    if modelled.0 == sample.planned && modelled.1 == sample.replace {
        return None;
    }
    if modelled.0 == sample.planned {
        let (mine, theirs) = (&modelled.1, &sample.replace);
        return Some(format!("expected replacement to be required by {mine:?}, found {theirs:?}; {}", asked()));
    }
    let (place, message) = difference(&modelled.0, &sample.planned);
    Some(format!("{place}: {message}; {}", asked()))
}

#[cfg(test)]
mod tests {
    use planfuzz_core::json::Json;
    use planfuzz_core::value::{Text, Value, WrittenPath};
    use planfuzz_pipelines::rules::CustomizeOp;
    use planfuzz_pipelines::sdk::{Pipeline, PlanRequest};

    use super::super::guess::Guess;
    use super::*;

    const HIDDEN: &str = r#"{
        "name": {"type": "string", "required": true, "force_new": true},
        "size": {"type": "int", "optional": true, "default": 3},
        "mode": {"type": "string", "optional": true, "default": "slow"},
        "case": {"type": "string", "optional": true, "diff_suppress": "case"},
        "form": {"type": "string", "optional": true, "state_func": "lower"},
        "stamp": {"type": "string", "computed": true},
        "disk": {"type": "list", "optional": true, "elem": {"resource": {
            "label": {"type": "string", "optional": true, "force_new": true},
            "gigs": {"type": "int", "optional": true, "default": 1}}}},
        "port": {"type": "set", "optional": true, "elem": {"resource": {
            "protocol": {"type": "string", "optional": true, "default": "tcp"}}}}}"#;

    /// The plans of a provider with these fields, for some configurations from nothing and from each other.
    fn plans(customize: &[CustomizeOp]) -> (Schema, Vec<Sample>) {
        let sdk = SdkSchema::from_json(&Json::parse(HIDDEN).expect("JSON")).expect("a schema");
        let pipeline = Pipeline::new(sdk);
        let core = pipeline.core_schema().clone();
        let config = |text: &str| {
            let json = Json::parse(text).expect("JSON");
            let written = Value::from_stored_json_or_absent(&json, pipeline.ty()).expect("a value");
            core.block.coerce(&written, Default::default()).expect("a configuration")
        };
        let configs = [
            r#"{"name":"a"}"#,
            r#"{"name":"b","size":4,"mode":"fast","case":"x","form":"FORM"}"#,
            r#"{"name":"a","case":"X","form":"other"}"#,
            r#"{"name":"a","disk":[{"label":"l"}],"case":"Yy"}"#,
            r#"{"name":"a","disk":[{"label":"m","gigs":2},{}],"port":[{},{"protocol":"udp"}],"case":"yY"}"#,
            r#"{"name":"a","size":3,"port":[{"protocol":"icmp"}],"form":"Upper","case":"xX"}"#,
            r#"{"name":"c","disk":[{"gigs":1}],"case":"xx","form":"low"}"#,
        ]
        .map(config);
        let mut samples = Vec::new();
        let mut priors = vec![Value::null(pipeline.ty().clone())];
        for round in 0..2 {
            for prior in priors.clone() {
                for config in &configs {
                    let request = PlanRequest { prior: &prior, config, proposed: config };
                    let plan = pipeline.plan(customize, request).expect("a plan");
                    if round == 0 {
                        priors.push(crate::settle::settle(&plan.planned).expect("a value"));
                    }
                    let replace =
                        plan.requires_replace.iter().map(|path| WrittenPath::from(path).to_string()).collect();
                    let (prior, config) = (prior.clone(), config.clone());
                    samples.push(Sample { prior, proposed: config.clone(), config, planned: plan.planned, replace });
                }
            }
        }
        (core, samples)
    }

    #[test]
    fn properties_that_the_schema_lacks_are_inferred() {
        let (core, samples) = plans(&[]);
        let Modelled::Compared(fit) = hold(&core, &samples) else { panic!("a resource of the SDK") };
        assert!(fit.holds(), "{fit:#?}");
        assert!(fit.held.0 > 10 && fit.updates > 10, "{fit:#?}");
        let found: Vec<(&str, &str)> = fit.inferred.iter().map(|it| (it.field.as_str(), it.what.0)).collect();
        for wanted in [
            ("name", "ForceNew"),
            ("size", "Default"),
            ("mode", "Default"),
            ("case", "DiffSuppress"),
            ("form", "StateFunc"),
            ("disk.label", "ForceNew"),
            ("disk.gigs", "Default"),
            ("port.protocol", "Default"),
        ] {
            assert!(found.contains(&wanted), "expected {wanted:?}, found {found:?}");
        }
    }

    #[test]
    fn code_of_a_provider_is_reported_and_not_explained_away() {
        let clear = CustomizeOp::SetNewComputed(Text::new("stamp"));
        let (core, samples) = plans(&[clear]);
        let Modelled::Compared(fit) = hold(&core, &samples) else { panic!("a resource of the SDK") };
        assert!(!fit.holds() && !fit.apart.is_empty(), "{fit:#?}");
        assert!(fit.apart[0].contains(".stamp"), "{fit:#?}");
    }

    #[test]
    fn a_list_of_which_only_the_elements_count_is_inferred() {
        let text = r#"{"name": {"type": "string", "required": true},
            "roles": {"type": "list", "optional": true, "elem": {"type": "string"}}}"#;
        let schema = SdkSchema::from_json(&Json::parse(text).expect("JSON")).expect("a schema");
        let core = Pipeline::new(schema.clone()).core_schema().clone();
        let real = Guess { schema, unordered: [vec!["roles".to_owned()]].into() };
        let ty = core.implied_type(Default::default());
        let unknown = r#"{"$unknown":true}"#;
        let lists =
            ["null", r#"["a","b"]"#, r#"["b","a"]"#, r#"["c"]"#, r#"["b","a","a"]"#, &format!(r#"["a",{unknown}]"#)];
        let value = |name: &str, list: &str, id: &str| {
            let json = format!(r#"{{"id":{id},"name":"{name}","roles":{list}}}"#);
            Value::from_json(&Json::parse(&json).expect("JSON"), &ty).expect("a value")
        };
        let mut samples = Vec::new();
        for (before, after) in lists[..5].iter().flat_map(|before| lists.iter().map(move |after| (before, after))) {
            for (name, is_new) in [("n", false), ("m", false), ("n", true)] {
                let prior = if is_new { Value::null(ty.clone()) } else { value("n", before, r#""i""#) };
                let config = value(name, after, "null");
                let proposed = value(name, after, if is_new { "null" } else { r#""i""# });
                let asked = Sample { prior, config, planned: proposed.clone(), proposed, replace: Default::default() };
                let (planned, replace) = real.compiled().plan(&asked).expect("a plan");
                samples.push(Sample { planned, replace, ..asked });
            }
        }
        let Modelled::Compared(fit) = hold(&core, &samples) else { panic!("a resource of the SDK") };
        assert!(fit.holds() && fit.left_out.0 == 0 && fit.held.0 > 10, "{fit:#?}");
        let found: Vec<&str> = fit.inferred.iter().map(|it| it.what.1.as_str()).collect();
        assert_eq!(found, ["DiffSuppress of the same elements in another order"]);
    }

    #[test]
    fn schemas_that_the_sdk_cannot_declare_are_not_compared() {
        let core = Schema::parse(r#"{"block":{"attributes":{"a":{"type":"dynamic","optional":true}}}}"#);
        assert!(matches!(hold(&core.expect("a schema"), &[]), Modelled::NoForm(_)));
    }
}
