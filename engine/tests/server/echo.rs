//! A provider that answers every request as asked, except for one quirk.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, RawState,
    ReadAnswer, ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig, summary,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value, ValueRef};

/// The provider.
pub struct Echo(pub Quirk, pub Type);

/// What it does otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// Nothing.
    None,
    /// It panics when it is asked to plan.
    Panics,
    /// It plans a value of another type.
    Unsendable,
    /// It dies when it is asked to apply.
    NoAnswer,
    /// What it reads has another `a`.
    Drifts,
}

impl Provider for Echo {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer::default()
    }

    fn upgrade(&mut self, request: UpgradeState) -> UpgradeAnswer {
        match request.state {
            RawState::Value(upgraded) => UpgradeAnswer { upgraded, remarks: Vec::new() },
            RawState::Json(_) => UpgradeAnswer {
                upgraded: Value::null(self.1.clone()),
                remarks: vec![Remark { severity: Severity::Error, summary: "upgraded from JSON".into() }],
            },
        }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        let new_state = match self.0 {
            Quirk::Drifts => with_a(&request.current, "drifted"),
            _ => request.current,
        };
        ReadAnswer { new_state, private: request.private, deferred: false, remarks: Vec::new() }
    }

    fn plan(&mut self, request: PlanChange) -> PlanAnswer {
        assert!(self.0 != Quirk::Panics, "on purpose");
        PlanAnswer {
            planned: if self.0 == Quirk::Unsendable { Value::bool(true) } else { request.proposed },
            requires_replace: Vec::new(),
            private: Private::from(&b"planned"[..]),
            legacy_type_system: false,
            deferred: false,
            remarks: Vec::new(),
        }
    }

    fn apply(&mut self, request: ApplyChange) -> ApplyAnswer {
        assert_eq!(request.private, Private::from(&b"planned"[..]));
        let dies = self.0 == Quirk::NoAnswer;
        ApplyAnswer {
            new_state: (!dies).then_some(request.planned),
            private: Private::NONE,
            legacy_type_system: false,
            remarks: match dies {
                true => vec![Remark { severity: Severity::Error, summary: summary::NO_ANSWER.into() }],
                false => Vec::new(),
            },
        }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: Vec::new(), remarks: Vec::new() }
    }

    fn read_data(&mut self, request: ReadData) -> ReadDataAnswer {
        ReadDataAnswer { state: with_a(&request.config, "data"), remarks: Vec::new() }
    }
}

fn with_a(object: &Value, a: &str) -> Value {
    let member = |(name, member): (&planfuzz_core::value::Text, ValueRef<'_>)| {
        let value = if **name == *"a" { Value::string(a) } else { member.to_value() };
        (name.clone(), value)
    };
    Value::object(object.view().entries().map(member).collect())
}
