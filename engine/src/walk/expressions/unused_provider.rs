//! The provider of a resource type that no configuration uses: the run serves it only for its helpers.

use planfuzz_core::planner::{
    ApplyAnswer, ApplyChange, Capabilities, ImportAnswer, ImportState, PlanAnswer, PlanChange, Provider, ReadAnswer,
    ReadData, ReadDataAnswer, ReadResource, Remark, Severity, UpgradeAnswer, UpgradeState, ValidateAnswer,
    ValidateConfig,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};

/// It answers every call with an error.
#[derive(Debug)]
pub(super) struct UnusedProvider;

fn remarks() -> Vec<Remark> {
    vec![Remark { severity: Severity::Error, summary: "a call of a resource type that is not used".into() }]
}

fn nothing() -> Value {
    Value::null(Type::Dynamic)
}

impl Provider for UnusedProvider {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn validate(&mut self, _: ValidateConfig) -> ValidateAnswer {
        ValidateAnswer { remarks: remarks() }
    }

    fn upgrade(&mut self, _: UpgradeState) -> UpgradeAnswer {
        UpgradeAnswer { upgraded: nothing(), remarks: remarks() }
    }

    fn read(&mut self, request: ReadResource) -> ReadAnswer {
        ReadAnswer { new_state: request.current, private: request.private, deferred: false, remarks: remarks() }
    }

    fn plan(&mut self, _: PlanChange) -> PlanAnswer {
        PlanAnswer {
            planned: nothing(),
            requires_replace: Vec::new(),
            private: Private::NONE,
            legacy_type_system: false,
            deferred: false,
            remarks: remarks(),
        }
    }

    fn apply(&mut self, _: ApplyChange) -> ApplyAnswer {
        ApplyAnswer { new_state: None, private: Private::NONE, legacy_type_system: false, remarks: remarks() }
    }

    fn import(&mut self, _: ImportState) -> ImportAnswer {
        ImportAnswer { imported: Vec::new(), remarks: remarks() }
    }

    fn read_data(&mut self, _: ReadData) -> ReadDataAnswer {
        ReadDataAnswer { state: nothing(), remarks: remarks() }
    }
}
