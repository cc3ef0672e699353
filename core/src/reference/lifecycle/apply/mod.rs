//! The apply walk of one instance (section 20).
//!
//! | file | rules |
//! | --- | --- |
//! | `create` | 20.1, 20.2: the create/update leg |
//! | `call` | 20.3: the call and its checks |
//! | `saved` | 20.4: what is saved |
//! | `destroy` | 20.5, 20.6: the destroy leg and the deposed leg |
//! | `provisioners` | A15, A42 |

mod call;
mod create;
mod destroy;
mod provisioners;
mod saved;

use crate::planner::{Applied, ApplyRequest, Provider, Refusal, ResourceKind};
use crate::plans::{Action, ResourceInstanceChange};
use crate::reference::Planning;
use crate::state::{DeposedKey, InstanceState};

use super::walk::{Step, Walk, contained};

/// One instance's part of an apply walk.
pub(in crate::reference) fn apply(
    planning: &Planning<'_>,
    request: &ApplyRequest,
    provider: &mut dyn Provider,
) -> Result<Applied, Refusal> {
    let mut applying = Applying { walk: Walk::new(planning, provider), request, state: request.state.clone() };
    let (deposed, current): (Vec<_>, Vec<_>) = request.changes.iter().partition(|change| change.deposed.is_some());
    for change in current {
        contained(applying.current(change))?;
    }
    for change in deposed {
        if let Some(key) = &change.deposed {
            contained(applying.deposed(key, change))?;
        }
    }
    Ok(Applied { state: applying.state, diagnostics: applying.walk.diagnostics })
}

/// An apply under way: the state reached so far.
struct Applying<'w, 's> {
    walk: Walk<'w, 's>,
    request: &'w ApplyRequest,
    state: InstanceState,
}

impl Applying<'_, '_> {
    /// The legs of the change of the current object, in the order of 20.8.
    fn current(&mut self, change: &ResourceInstanceChange) -> Step<()> {
        if self.request.kind == ResourceKind::Data {
            return self.walk.apply_data(&self.request.presence, change, &mut self.state.current);
        }
        match change.change.action {
            Action::NoOp | Action::Create | Action::Update => self.create_leg(change),
            Action::Delete => self.destroy_leg(change),
            // A61
            Action::DeleteThenCreate => {
                self.destroy_leg(change)?;
                self.create_leg(change)
            }
            // A62
            Action::CreateThenDelete => {
                self.create_leg(change)?;
                self.deposed_leg(&self.request.options.fresh_key.clone())
            }
            // 20.7
            Action::Forget => {
                self.state.current = None;
                Ok(())
            }
            Action::ForgetThenCreate => {
                self.state.current = None;
                self.create_leg(change)
            }
            // Terraform 1.17: the old object is forgotten once the new one is there.
            Action::CreateThenForget => {
                self.create_leg(change)?;
                self.state.deposed.remove(&self.request.options.fresh_key);
                Ok(())
            }
            Action::Read => Ok(()),
        }
    }

    /// The leg of a deposed object (A53, 20.7).
    fn deposed(&mut self, key: &DeposedKey, change: &ResourceInstanceChange) -> Step<()> {
        match change.change.action {
            Action::Delete => self.deposed_leg(key),
            Action::Forget => {
                self.state.deposed.remove(key);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
