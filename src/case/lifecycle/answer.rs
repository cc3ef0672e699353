//! Answers of a provider.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    ApplyAnswer, Exchange, ImportAnswer, PlanAnswer, ReadAnswer, ReadDataAnswer, UpgradeAnswer, ValidateAnswer,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};

use super::{Form, Member, Members, ProviderRequest, form};

/// The answer of a provider to a call.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each is the answer to the call of that name")]
pub enum ProviderAnswer {
    Validate(ValidateAnswer),
    Upgrade(UpgradeAnswer),
    Read(ReadAnswer),
    Plan(PlanAnswer),
    Apply(ApplyAnswer),
    Import(ImportAnswer),
    ReadData(ReadDataAnswer),
}

impl ProviderAnswer {
    /// The answer of an exchange.
    pub fn of(exchange: &Exchange) -> ProviderAnswer {
        match exchange {
            Exchange::Validate(_, answer) => ProviderAnswer::Validate(answer.clone()),
            Exchange::Upgrade(_, answer) => ProviderAnswer::Upgrade(answer.clone()),
            Exchange::Read(_, answer) => ProviderAnswer::Read(answer.clone()),
            Exchange::Plan(_, answer) => ProviderAnswer::Plan(answer.clone()),
            Exchange::Apply(_, answer) => ProviderAnswer::Apply(answer.clone()),
            Exchange::Import(_, answer) => ProviderAnswer::Import(answer.clone()),
            Exchange::ReadData(_, answer) => ProviderAnswer::ReadData(answer.clone()),
        }
    }

    /// Writes the answer.
    pub fn to_form(&self, ty: &Type) -> Json {
        match self {
            ProviderAnswer::Validate(answer) => answer.to_form(ty),
            ProviderAnswer::Upgrade(answer) => answer.to_form(ty),
            ProviderAnswer::Read(answer) => answer.to_form(ty),
            ProviderAnswer::Plan(answer) => answer.to_form(ty),
            ProviderAnswer::Apply(answer) => answer.to_form(ty),
            ProviderAnswer::Import(answer) => answer.to_form(ty),
            ProviderAnswer::ReadData(answer) => answer.to_form(ty),
        }
    }

    /// Reads the answer to a request: its form depends on the call.
    ///
    /// # Errors
    /// Anything that formats.md does not allow, with the path of the member.
    pub fn from_form(request: &ProviderRequest, json: &Json, ty: &Type) -> Result<ProviderAnswer, JsonError> {
        match request {
            ProviderRequest::Validate(_) => ValidateAnswer::from_form(json, ty).map(ProviderAnswer::Validate),
            ProviderRequest::Upgrade(_) => UpgradeAnswer::from_form(json, ty).map(ProviderAnswer::Upgrade),
            ProviderRequest::Read(_) => ReadAnswer::from_form(json, ty).map(ProviderAnswer::Read),
            ProviderRequest::Plan(_) => PlanAnswer::from_form(json, ty).map(ProviderAnswer::Plan),
            ProviderRequest::Apply(_) => ApplyAnswer::from_form(json, ty).map(ProviderAnswer::Apply),
            ProviderRequest::Import(_) => ImportAnswer::from_form(json, ty).map(ProviderAnswer::Import),
            ProviderRequest::ReadData(_) => ReadDataAnswer::from_form(json, ty).map(ProviderAnswer::ReadData),
        }
    }
}

form! { ValidateAnswer, "the answer to a validation":
    remarks as "diagnostics",
}

form! { UpgradeAnswer, "the answer to an upgrade":
    upgraded,
    remarks as "diagnostics",
}

form! { ReadAnswer, "the answer to a read":
    new_state as "state",
    private,
    deferred via deferral,
    remarks as "diagnostics",
}

form! { PlanAnswer, "the answer to a plan":
    planned,
    requires_replace,
    private,
    legacy_type_system,
    deferred via deferral,
    remarks as "diagnostics",
}

// An answer to a call that failed has no `state`.
form! { ApplyAnswer, "the answer to an apply":
    new_state as "state",
    private,
    legacy_type_system,
    remarks as "diagnostics",
}

form! { ImportAnswer, "the answer to an import":
    imported,
    remarks as "diagnostics",
}

/// An imported object: its value and private data.
impl Form for (Value, Private) {
    fn to_form(&self, ty: &Type) -> Json {
        let (state, private) = self;
        let mut members = Members::default();
        state.put(&mut members, "state", ty);
        private.put(&mut members, "private", ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<(Value, Private), JsonError> {
        let mut reader = ObjectReader::new(json, "an imported object")?;
        let imported = (Member::take(&mut reader, "state", ty)?, Member::take(&mut reader, "private", ty)?);
        reader.finish()?;
        Ok(imported)
    }
}

form! { ReadDataAnswer, "the answer to a read of data":
    state,
    remarks as "diagnostics",
}

/// A flag. Recorded answers have the number of the provider's reason in its place.
mod deferral {
    use super::*;

    pub(super) fn put(members: &mut Members, name: &'static str, deferred: &bool, ty: &Type) {
        deferred.put(members, name, ty);
    }

    pub(super) fn take(reader: &mut ObjectReader<'_>, name: &'static str, _: &Type) -> Result<bool, JsonError> {
        let deferred = reader.optional(name, |json| match json {
            Json::Bool(bool) => Ok(*bool),
            number => number.expect_u64().map(|_| true),
        })?;
        Ok(deferred.unwrap_or(false))
    }
}
