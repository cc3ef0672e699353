//! Drift (section 16).

use planfuzz_core::planner::{Drift, PlanRequest};
use planfuzz_core::plans::{Action, Marked, Mode};
use planfuzz_core::state::{InstanceState, Object, Stored};
use planfuzz_core::value::{Type, Value};

/// L170.
pub(super) fn drift(
    request: &PlanRequest,
    ty: &Type,
    previous_run: &InstanceState,
    refreshed: &InstanceState,
) -> Option<Drift> {
    // The second walk of a destroy plan begins with the refreshed objects.
    if request.mode == Mode::Destroy && !request.options.skip_refresh {
        return None;
    }
    let before = read(previous_run.current.as_ref()?, ty)?;
    let Some(after) = &refreshed.current else {
        return Some(Drift { action: Action::Delete, before, after: Marked::null(ty.clone()) });
    };
    let after = read(after, ty)?;
    if !before.raw_equals(&after) {
        return Some(Drift { action: Action::Update, before, after });
    }
    request.options.moved_from.is_some().then_some(Drift { action: Action::NoOp, before, after })
}

/// The value of an object. One that an error left unread (LD06) has the value of its JSON by the present schema, if it fits that.
fn read(object: &Object, ty: &Type) -> Option<Marked> {
    match &object.stored {
        Stored::Value(_) => marked(object),
        Stored::Raw { attributes, .. } => {
            let value = Value::from_stored_json_or_absent(attributes, ty).ok()?;
            Some(Marked::new(value, &object.sensitive))
        }
    }
}

/// The value of an object that was read.
pub(super) fn marked(object: &Object) -> Option<Marked> {
    match &object.stored {
        Stored::Value(value) => Some(Marked::new(value.clone(), &object.sensitive)),
        Stored::Raw { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::lifecycle::fixture::{fixture, stored};
    use planfuzz_core::json::Json;
    use planfuzz_core::plans::{Action, Mode};
    use planfuzz_core::state::{Object, Private, Stored};
    use planfuzz_core::value::PathSet;

    #[test]
    fn l170_marks_and_moves_are_drift() {
        let mut fixture = fixture(r#"{"id":"1","name":"a"}"#, r#"{"name":"a"}"#);
        assert!(fixture.plan().answer.drift.is_none());
        fixture.options.moved_from = Some("x.old".into());
        let run = fixture.plan();
        assert!(run.answer.applyable, "L163");
        assert_eq!(run.answer.drift.clone().expect("a move").action, Action::NoOp);
        fixture.state.current.as_mut().expect("an object").sensitive = PathSet::EMPTY;
        assert_eq!(fixture.plan().answer.drift.expect("marks").action, Action::Update);
    }

    #[test]
    fn l170_an_object_that_an_error_left_unread_may_have_moved() {
        for (attributes, want) in
            [(r#"{"name":"a"}"#, Some(Action::NoOp)), (r#"{"name":"a","gone":1}"#, None), (r#"{"name":["a"]}"#, None)]
        {
            let mut fixture = fixture("", r#"{"name":"a"}"#);
            let raw = Stored::Raw { version: 99, attributes: Json::parse(attributes).expect("JSON").into() };
            fixture.state.current = Some(Object { stored: raw, ..stored(r#"{"name":"a"}"#) });
            assert!(fixture.plan().answer.drift.is_none(), "not moved");
            fixture.options.moved_from = Some("x.old".into());
            assert_eq!(fixture.plan().answer.drift.map(|drift| drift.action), want, "{attributes}");
        }
    }

    #[test]
    fn l157_a_refresh_is_applyable_if_anything_kept_differs() {
        let mut fixture = fixture(r#"{"id":"1","name":"a"}"#, r#"{"name":"a"}"#);
        fixture.mode = Mode::RefreshOnly;
        fixture.options.moved_from = Some("x.old".into());
        fixture.provider.read = |answer| answer.private = Private::from(b"S".as_slice());
        assert!(!fixture.plan().answer.applyable, "a pure move is not");
        fixture.provider.read = |_| {};
        assert!(fixture.plan().answer.applyable, "private data are");
    }
}
