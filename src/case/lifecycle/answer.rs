//! What a provider answers.

use planfuzz_core::json::{Json, JsonError, ObjectReader};
use planfuzz_core::planner::{
    ApplyAnswer, Exchange, ImportAnswer, PlanAnswer, ReadAnswer, ReadDataAnswer, UpgradeAnswer, ValidateAnswer,
};
use planfuzz_core::state::Private;
use planfuzz_core::value::{Type, Value};

use super::diagnostic::read_remarks;
use super::value::{read_path, read_private, read_value, write_value};
use super::{Form, Members, ProviderRequest};

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
    /// What was answered in an exchange.
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

impl Form for ValidateAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let ValidateAnswer { remarks } = self;
        let mut members = Members::default();
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ValidateAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to a validation")?;
        let answer = ValidateAnswer { remarks: read_remarks(&mut reader, ty)? };
        reader.finish()?;
        Ok(answer)
    }
}

impl Form for UpgradeAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let UpgradeAnswer { upgraded, remarks } = self;
        let mut members = Members::default();
        members.put("upgraded", write_value(upgraded, ty));
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<UpgradeAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to an upgrade")?;
        let answer = UpgradeAnswer {
            upgraded: reader.required("upgraded", |json| read_value(json, ty))?,
            remarks: read_remarks(&mut reader, ty)?,
        };
        reader.finish()?;
        Ok(answer)
    }
}

impl Form for ReadAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let ReadAnswer { new_state, private, deferred, remarks } = self;
        let mut members = Members::default();
        members.put("state", write_value(new_state, ty));
        members.private("private", private);
        members.flag("deferred", *deferred);
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ReadAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to a read")?;
        let answer = ReadAnswer {
            new_state: reader.required("state", |json| read_value(json, ty))?,
            private: read_private(&mut reader)?,
            deferred: read_deferred(&mut reader)?,
            remarks: read_remarks(&mut reader, ty)?,
        };
        reader.finish()?;
        Ok(answer)
    }
}

impl Form for PlanAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let PlanAnswer { planned, requires_replace, private, legacy_type_system, deferred, remarks } = self;
        let mut members = Members::default();
        members.put("planned", write_value(planned, ty));
        members.list("requires_replace", requires_replace.iter().map(|path| Json::string(&path.to_string())));
        members.private("private", private);
        members.flag("legacy_type_system", *legacy_type_system);
        members.flag("deferred", *deferred);
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<PlanAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to a plan")?;
        let replace = reader.optional("requires_replace", |json| json.read_items(read_path))?;
        let answer = PlanAnswer {
            planned: reader.required("planned", |json| read_value(json, ty))?,
            requires_replace: replace.unwrap_or_default(),
            private: read_private(&mut reader)?,
            legacy_type_system: reader.flag("legacy_type_system")?,
            deferred: read_deferred(&mut reader)?,
            remarks: read_remarks(&mut reader, ty)?,
        };
        reader.finish()?;
        Ok(answer)
    }
}

/// A call that itself failed answers nothing: no `state`.
impl Form for ApplyAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let ApplyAnswer { new_state, private, legacy_type_system, remarks } = self;
        let mut members = Members::default();
        if let Some(new_state) = new_state {
            members.put("state", write_value(new_state, ty));
        }
        members.private("private", private);
        members.flag("legacy_type_system", *legacy_type_system);
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ApplyAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to an apply")?;
        let answer = ApplyAnswer {
            new_state: reader.optional("state", |json| read_value(json, ty))?,
            private: read_private(&mut reader)?,
            legacy_type_system: reader.flag("legacy_type_system")?,
            remarks: read_remarks(&mut reader, ty)?,
        };
        reader.finish()?;
        Ok(answer)
    }
}

impl Form for ImportAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let ImportAnswer { imported, remarks } = self;
        let mut members = Members::default();
        members.list("imported", imported.iter().map(|imported| write_imported(imported, ty)));
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ImportAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to an import")?;
        let imported = reader.optional("imported", |json| json.read_items(|json| read_imported(json, ty)))?;
        let answer = ImportAnswer { imported: imported.unwrap_or_default(), remarks: read_remarks(&mut reader, ty)? };
        reader.finish()?;
        Ok(answer)
    }
}

fn write_imported((value, private): &(Value, Private), ty: &Type) -> Json {
    let mut members = Members::default();
    members.put("state", write_value(value, ty));
    members.private("private", private);
    members.into_json()
}

fn read_imported(json: &Json, ty: &Type) -> Result<(Value, Private), JsonError> {
    let mut reader = ObjectReader::new(json, "an imported object")?;
    let imported = (reader.required("state", |json| read_value(json, ty))?, read_private(&mut reader)?);
    reader.finish()?;
    Ok(imported)
}

impl Form for ReadDataAnswer {
    fn to_form(&self, ty: &Type) -> Json {
        let ReadDataAnswer { state, remarks } = self;
        let mut members = Members::default();
        members.put("state", write_value(state, ty));
        members.forms("diagnostics", remarks, ty);
        members.into_json()
    }

    fn from_form(json: &Json, ty: &Type) -> Result<ReadDataAnswer, JsonError> {
        let mut reader = ObjectReader::new(json, "the answer to a read of data")?;
        let answer = ReadDataAnswer {
            state: reader.required("state", |json| read_value(json, ty))?,
            remarks: read_remarks(&mut reader, ty)?,
        };
        reader.finish()?;
        Ok(answer)
    }
}

/// A flag; recorded answers have the number of the provider's reason there.
fn read_deferred(reader: &mut ObjectReader<'_>) -> Result<bool, JsonError> {
    let deferred = reader.optional("deferred", |json| match json {
        Json::Bool(bool) => Ok(*bool),
        number => number.expect_u64().map(|_| true),
    })?;
    Ok(deferred.unwrap_or(false))
}
