//! What the SDK does with texts: state functions (Z62) and suppression (Z63).
use std::borrow::Cow;

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canon {
    /// l
    Lower,
    /// t
    Trim,
    /// p
    AlwaysPrefix,
}

/// Stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equiv {
    /// c
    Case,
    /// t
    Trim,
    /// a
    Always,
    /// n
    NewEmpty,
}

impl Canon {
    pub(super) fn of_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Canon::Lower => text.to_lowercase().into(),
            Canon::Trim => text.trim().into(),
            Canon::AlwaysPrefix => format!("h:{text}").into(),
        }
    }
    pub(crate) fn from_json(json: &crate::json::Json) -> Result<Canon, crate::json::JsonError> {
        match json.expect_string()? {
            "lower" => Ok(Canon::Lower),
            "trim" => Ok(Canon::Trim),
            "prefix" => Ok(Canon::AlwaysPrefix),
            _ => Err(json.unexpected("canon")),
        }
    }
    pub(crate) fn to_json(&self) -> crate::json::Json {
        crate::json::Json::string(match self {
            Canon::Lower => "lower",
            Canon::Trim => "trim",
            Canon::AlwaysPrefix => "prefix",
        })
    }
}

impl Equiv {
    pub(super) fn of_texts(&self, a: &str, b: &str) -> bool {
        match self {
            Equiv::Case => a.to_lowercase() == b.to_lowercase(),
            Equiv::Trim => a.trim() == b.trim(),
            Equiv::Always => true,
            Equiv::NewEmpty => b.is_empty(),
        }
    }
    pub(crate) fn from_json(json: &crate::json::Json) -> Result<Equiv, crate::json::JsonError> {
        match json.expect_string()? {
            "case" => Ok(Equiv::Case),
            "trim" => Ok(Equiv::Trim),
            "always" => Ok(Equiv::Always),
            "new_empty" => Ok(Equiv::NewEmpty),
            _ => Err(json.unexpected("equiv")),
        }
    }
    pub(crate) fn to_json(&self) -> crate::json::Json {
        crate::json::Json::string(match self {
            Equiv::Case => "case",
            Equiv::Trim => "trim",
            Equiv::Always => "always",
            Equiv::NewEmpty => "new_empty",
        })
    }
}
