//! The state that a plan leads to (PL39).

use super::action::Action;
use super::addressed::AddressedChange;
use super::changes::Changes;
use super::state_values::StateValues;
use crate::state::{InstanceState, Object, Status, Stored};

impl Changes {
    /// The refreshed state after every change, in order (PL39, PL43), as far as it is known.
    ///
    /// A current object becomes the planned one, ready, with the planned private data and its marks, and keeps all else; where the
    /// planned one is null it is removed. A replacement keeps nothing of the old object, deposed or not. A no-op changes nothing,
    /// and a change of a deposed object only removes it.
    pub fn planned_state(&self, prior: &StateValues) -> StateValues {
        let mut state = prior.clone();
        for change in self.resources() {
            let instance = state.instances.entry(change.addr.clone()).or_default();
            apply(change, instance);
            if instance.is_absent() {
                state.instances.remove(&change.addr);
            }
        }
        for output in self.outputs() {
            match output.change().action {
                Action::NoOp => {}
                Action::Delete => drop(state.outputs.remove(output.addr())),
                _ => drop(state.outputs.insert(output.addr().clone(), output.change().after.clone())),
            }
        }
        state
    }
}

fn apply(change: &AddressedChange, instance: &mut InstanceState) {
    let after = &change.planned.change.after;
    match (change.action(), change.deposed()) {
        (Action::NoOp, _) => {}
        (Action::Delete | Action::Forget, Some(key)) => drop(instance.deposed.remove(key)),
        (_, Some(_)) => {}
        (_, None) if after.is_null() => instance.current = None,
        (_, None) => {
            let rest = instance.current.take().unwrap_or_else(|| Object::ready(after.value().clone()));
            instance.current = Some(Object {
                stored: Stored::Value(after.value().clone()),
                private: change.planned.private.clone(),
                status: Status::Ready,
                sensitive: after.sensitive().clone(),
                ..rest
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use std::collections::BTreeMap;

    use super::*;
    use crate::address::{AbsResourceInstance, OutputAddress};
    use crate::plans::Marked;
    use crate::state::{DeposedKey, Private};
    use crate::value::{Step, Value};

    fn key() -> DeposedKey {
        DeposedKey::zeros()
    }

    fn stored() -> Object {
        let create_before_destroy = true;
        Object { status: Status::Tainted, create_before_destroy, ..Object::ready(object(Value::string("1"))) }
    }

    fn prior() -> StateValues {
        let instance = InstanceState { current: Some(stored()), deposed: [(key(), stored())].into() };
        StateValues { instances: [(instance_address(), instance)].into(), outputs: BTreeMap::new() }
    }

    fn instance_address() -> AbsResourceInstance {
        instance("t.n")
    }

    /// The instance after one change: the id of the current object, if there is one, and whether there is a deposed one.
    fn after(action: Action, deposed: bool) -> (Option<Value>, bool) {
        let mut change = addressed("t.n", action);
        change.planned.deposed = deposed.then(key);
        change.planned.private = Private::from(b"p".as_slice());
        let mut changes = Changes::new();
        changes.append_resource(change);
        let state = changes.planned_state(&prior());
        let instance = state.instances.get(&instance_address()).cloned().unwrap_or_default();
        let current = instance.current.map(|object| {
            assert_eq!(object.status == Status::Ready, action != Action::NoOp && !deposed, "{action}");
            assert_eq!(object.private.is_none(), object.status == Status::Tainted, "{action}");
            assert!(object.create_before_destroy, "{action}");
            match object.stored {
                Stored::Value(value) => value.view().apply(&Step::Attribute("id".into())).expect("an id").to_value(),
                Stored::Raw { .. } => panic!("a value"),
            }
        });
        (current, instance.deposed.contains_key(&key()))
    }

    #[test]
    fn pl39_each_action_on_the_current_object() {
        let unknown = || Some(Value::unknown(crate::value::Type::String));
        for action in Action::ALL.iter().copied() {
            let want = match action {
                Action::NoOp => Some(Value::string("1")),
                Action::Delete | Action::Forget => None,
                _ => unknown(),
            };
            assert_eq!(after(action, false), (want, true), "{action}");
        }
    }

    #[test]
    fn pl39_each_action_on_a_deposed_object() {
        for action in Action::ALL.iter().copied() {
            let stays = !matches!(action, Action::Delete | Action::Forget);
            assert_eq!(after(action, true), (Some(Value::string("1")), stays), "{action}");
        }
    }

    #[test]
    fn pl39_resources_without_an_object_are_absent() {
        let mut changes = Changes::new();
        changes.append_resource(addressed("t.n", Action::Delete));
        let mut deposed = addressed("t.n", Action::Delete);
        deposed.planned.deposed = Some(key());
        changes.append_resource(deposed);
        changes.append_resource(addressed("t.m", Action::Create));
        for (name, action) in [("a", Action::Create), ("b", Action::Delete), ("c", Action::NoOp)] {
            changes.append_output(output(&format!("output.{name}"), action));
        }
        let mut prior = prior();
        for name in ["b", "c"] {
            prior.outputs.insert(OutputAddress::of_root(name), Marked::plain(Value::string("prior")));
        }
        let state = changes.planned_state(&prior);
        assert_eq!(state.instances.into_keys().collect::<Vec<_>>(), [instance("t.m")]);
        let outputs = state.outputs.into_iter().map(|(addr, value)| (addr.name, value.into_parts().0));
        let of = |name: &str, value| (name.to_owned(), Value::string(value));
        assert_eq!(outputs.collect::<Vec<_>>(), [of("a", "after"), of("c", "prior")]);
    }
}
