//! Counts of changes for people (PL90, PL91).

use super::action::Action;
use super::addressed::AddressedChange;
use super::changes::Changes;

/// The number of changes of resource instances of each sort (PL90). A replacement counts as two. Read, no-op, drift and outputs
/// are not counted, nor is what Terraform replaces and forgets; deletions of deposed objects are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Objects that are created.
    pub create: usize,
    /// Objects that are changed in place.
    pub change: usize,
    /// Objects that are destroyed.
    pub destroy: usize,
    /// Objects that are imported, whatever else happens to them.
    pub import: usize,
    /// Objects that leave the state and are not destroyed. Terraform does not show this number.
    pub forget: usize,
}

impl Counts {
    fn add(&mut self, action: Action) {
        match action {
            Action::NoOp | Action::Read => {}
            Action::Create => self.create += 1,
            Action::Update => self.change += 1,
            Action::Delete => self.destroy += 1,
            Action::DeleteThenCreate | Action::CreateThenDelete => {
                self.create += 1;
                self.destroy += 1;
            }
            Action::Forget => self.forget += 1,
            Action::ForgetThenCreate => {
                self.create += 1;
                self.forget += 1;
            }
            // Terraform shows neither the new object nor the forgotten one.
            Action::CreateThenForget => {}
        }
    }
}

impl<V> Changes<V> {
    /// The number of changes of each sort (PL90).
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for change in self.resources() {
            counts.add(change.action());
            counts.import += usize::from(change.planned.change.importing.is_some());
        }
        counts
    }
}

impl<V, A: PartialEq> AddressedChange<V, A> {
    /// The one word for the action, as in the JSON event stream (PL91). A move or an import is reported only for a no-op, and a
    /// move before an import.
    pub fn event_action(&self) -> &'static str {
        match self.action() {
            Action::NoOp if self.moved() => "move",
            Action::NoOp if self.planned.change.importing.is_some() => "import",
            Action::NoOp => "noop",
            Action::Create => "create",
            Action::Read => "read",
            Action::Update => "update",
            Action::DeleteThenCreate
            | Action::CreateThenDelete
            | Action::CreateThenForget
            | Action::ForgetThenCreate => "replace",
            Action::Delete => "delete",
            Action::Forget => "remove",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::plans::Importing;
    use crate::state::DeposedKey;

    #[test]
    fn pl90_counts_of_each_action() {
        let of = |action| {
            let mut changes = Changes::new();
            changes.append_resource(addressed("t.n", action));
            let Counts { create, change, destroy, import, forget } = changes.counts();
            assert_eq!(import, 0);
            [create, change, destroy, forget]
        };
        for action in Action::ALL.iter().copied() {
            let want = match action {
                Action::NoOp | Action::Read | Action::CreateThenForget => [0, 0, 0, 0],
                Action::Create => [1, 0, 0, 0],
                Action::Update => [0, 1, 0, 0],
                Action::Delete => [0, 0, 1, 0],
                Action::DeleteThenCreate | Action::CreateThenDelete => [1, 0, 1, 0],
                Action::Forget => [0, 0, 0, 1],
                Action::ForgetThenCreate => [1, 0, 0, 1],
            };
            assert_eq!(of(action), want, "{action}");
        }
    }

    #[test]
    fn pl90_imports_are_counted_besides_and_deposed_objects_too() {
        let mut imported = addressed("t.n", Action::Update);
        imported.planned.change.importing = Some(Importing::Id("i".into()));
        let mut deposed = addressed("t.n", Action::Delete);
        deposed.planned.deposed = Some(DeposedKey::zeros());
        let mut changes = Changes::new();
        changes.append_resource(imported);
        changes.append_resource(deposed);
        changes.append_output(output("output.o", Action::Create));
        assert_eq!(changes.counts(), Counts { create: 0, change: 1, destroy: 1, import: 1, forget: 0 });
    }

    #[test]
    fn pl91_names_of_the_event_stream() {
        let named = |action, moved: bool, imported: bool| {
            let mut change = addressed("t.n", action);
            change.planned.moved_from = moved.then(|| instance("t.m"));
            change.planned.change.importing = imported.then_some(Importing::Unknown);
            change.event_action()
        };
        assert_eq!(named(Action::NoOp, false, false), "noop");
        assert_eq!(named(Action::NoOp, true, false), "move");
        assert_eq!(named(Action::NoOp, false, true), "import");
        assert_eq!(named(Action::NoOp, true, true), "move");
        for action in Action::ALL.iter().copied().filter(|action| *action != Action::NoOp) {
            let want = match action {
                Action::Create => "create",
                Action::Read => "read",
                Action::Update => "update",
                Action::Delete => "delete",
                Action::Forget => "remove",
                _ => "replace",
            };
            assert_eq!(named(action, true, true), want);
        }
    }
}
