//! The checks of the tests: a schema and values as JSON, an answer compared in every dialect that the test names.

use planfuzz_core::dialect::Dialect;
use planfuzz_core::json::Json;
use planfuzz_core::planner::{Answer, Planner, Prepared, Refusal, Request};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::{Type, Value};

use super::Reference;

/// OpenTofu, and Terraform before 1.12.
pub const WITHOUT_D01: &[&str] = &["terraform-1.11", "opentofu-1.12", "opentofu-1.13"];
/// Terraform since 1.12.
pub const WITH_D01: &[&str] = &["terraform-1.12", "terraform-1.17"];
/// OpenTofu.
pub const OPENTOFU: &[&str] = &["opentofu-1.12", "opentofu-1.13"];
/// Terraform.
pub const TERRAFORM: &[&str] = &["terraform-1.11", "terraform-1.17"];
/// Where blocks may be computed.
pub const WITH_COMPUTED_BLOCKS: &[&str] = &["terraform-1.16", "terraform-1.17"];
/// Where they may not.
pub const WITHOUT_COMPUTED_BLOCKS: &[&str] = &["terraform-1.11", "terraform-1.15", "opentofu-1.12", "opentofu-1.13"];

/// A schema and the dialects to check.
pub struct Check {
    schema: Schema,
    dialects: Vec<Dialect>,
}

/// The answers of the dialects.
pub struct Asked(Vec<(Dialect, Type, Result<Answer, Refusal>)>);

/// A check of a block, in all dialects.
pub fn check(block: &str) -> Check {
    let text = format!(r#"{{"block":{block}}}"#);
    let schema = Schema::from_json(&Json::parse(&text).expect("JSON")).expect("a schema");
    Check { schema, dialects: Dialect::ALL.to_vec() }
}

/// A check of a block of these attributes.
pub fn check_attributes(attributes: &str) -> Check {
    check(&format!(r#"{{"attributes":{attributes}}}"#))
}

/// A check of a block of these nested blocks.
pub fn check_blocks(block_types: &str) -> Check {
    check(&format!(r#"{{"block_types":{block_types}}}"#))
}

impl Check {
    pub fn in_dialects(self, names: &[&str]) -> Check {
        Check { dialects: names.iter().map(|name| name.parse().expect("a dialect")).collect(), ..self }
    }

    pub fn proposed_new(&self, prior: &str, config: &str) -> Asked {
        self.ask([prior, config], |[prior, config]| Request::ProposedNew { prior, config })
    }

    pub fn planned_data_resource(&self, config: &str) -> Asked {
        self.ask([config], |[config]| Request::PlannedDataResource { config })
    }

    pub fn assert_plan_valid(&self, prior: &str, config: &str, planned: &str) -> Asked {
        self.ask([prior, config, planned], |[prior, config, planned]| Request::AssertPlanValid {
            prior,
            config,
            planned,
        })
    }

    pub fn assert_object_compatible(&self, planned: &str, actual: &str) -> Asked {
        self.ask([planned, actual], |[planned, actual]| Request::AssertObjectCompatible { planned, actual })
    }

    pub fn normalize_legacy(&self, value: &str) -> Asked {
        self.ask([value], |[value]| Request::NormalizeLegacy { value })
    }

    pub fn prepare_computed_blocks(&self, value: &str) -> Asked {
        self.ask([value], |[value]| Request::PrepareComputedBlocks { value })
    }

    fn ask<const N: usize>(&self, inputs: [&str; N], request: impl Fn([&Value; N]) -> Request<'_>) -> Asked {
        let answers = self.dialects.iter().map(|dialect| {
            let ty = self.schema.implied_type(*dialect);
            let values = inputs.map(|input| read(input, &ty));
            let prepared: Box<dyn Prepared + '_> = Reference.prepare(&self.schema, *dialect);
            (*dialect, ty, prepared.answer(request(values.each_ref())))
        });
        Asked(answers.collect())
    }
}

impl Asked {
    /// The answer is this value.
    #[track_caller]
    pub fn is(&self, want: &str) {
        for (dialect, ty, answer) in &self.0 {
            match answer {
                Ok(Answer::Value(got)) => {
                    assert_eq!(*got, read(want, ty), "{dialect}: got {}", got.view().to_json_text(ty));
                }
                other => panic!("{dialect}: expected a value, found {other:?}"),
            }
        }
    }

    /// The answer is violations at these paths.
    #[track_caller]
    pub fn finds(&self, want: &[&str]) {
        for (dialect, _, answer) in &self.0 {
            match answer {
                Ok(Answer::Violations(got)) => {
                    let mut got: Vec<String> = got.iter().map(|violation| violation.path.to_string()).collect();
                    got.sort();
                    assert_eq!(got, want, "{dialect}");
                }
                other => panic!("{dialect}: expected violations, found {other:?}"),
            }
        }
    }

    /// The answer is a refusal by this rule, at this path.
    #[track_caller]
    pub fn is_refused(&self, rule: &str, path: &str) {
        for (dialect, _, answer) in &self.0 {
            match answer {
                Err(refusal) => assert_eq!((refusal.rule, &*refusal.path.to_string()), (rule, path), "{dialect}"),
                other => panic!("{dialect}: expected a refusal, found {other:?}"),
            }
        }
    }
}

fn read(text: &str, ty: &Type) -> Value {
    Value::from_json(&Json::parse(text).expect("JSON"), ty).expect("a value of the implied type")
}
