//! The words for actions and reasons (JS10, JS20).

use crate::json::{Json, JsonError};
use crate::plans::{Action, ActionReason};

use super::document::Reason;

/// The words for an action (JS20).
pub(super) fn words(action: Action) -> &'static [&'static str] {
    match action {
        Action::NoOp => &["no-op"],
        Action::Create => &["create"],
        Action::Read => &["read"],
        Action::Update => &["update"],
        Action::Delete => &["delete"],
        Action::DeleteThenCreate => &["delete", "create"],
        Action::CreateThenDelete => &["create", "delete"],
        Action::Forget => &["forget"],
        Action::CreateThenForget => &["create", "forget"],
        Action::ForgetThenCreate => &["forget", "create"],
    }
}

/// The action that words stand for.
pub(super) fn action(json: Json) -> Result<Action, JsonError> {
    let found = json.read_items(|word| word.expect_string().map(str::to_owned))?;
    let action = Action::ALL.iter().copied().find(|action| words(*action) == found);
    action.ok_or_else(|| {
        let known: Vec<String> = Action::ALL.iter().map(|action| words(*action).join(", ")).collect();
        json.unexpected(format!("the words of an action ({})", known.join("; ")))
    })
}

/// The reason that a word stands for; newer versions may have words of their own.
pub(super) fn reason(json: Json) -> Result<Reason, JsonError> {
    let word = json.expect_string()?;
    Ok(ActionReason::from_name(word).map_or_else(|| Reason::Other(word.to_owned()), Reason::Known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn js20_words_there_and_back() {
        for found in Action::ALL.iter().copied() {
            let json = Json::Array(words(found).iter().map(|word| Json::string(word)).collect());
            assert_eq!(action(json), Ok(found));
        }
        for text in [r#"[]"#, r#"["create","update"]"#, r#"["no-op","create"]"#, r#"["replace"]"#, r#""create""#, "[1]"]
        {
            assert!(action(Json::parse(text).expect("JSON")).is_err(), "{text}");
        }
    }

    #[test]
    fn js10_reasons_there_and_back() {
        for known in ActionReason::ALL.iter().copied() {
            assert_eq!(reason(Json::string(known.name())), Ok(Reason::Known(known)));
        }
        assert_eq!(reason(Json::string("because")), Ok(Reason::Other("because".to_owned())));
    }
}
