//! Checks the promises about identities.
//!
//! A type with an identity schema must return the complete identity of every existing object; it stays what it was and what was planned,
//! and an import finds the object that has it. Whether an update may change it is up to the provider.

use planfuzz_core::planner::Exchange;
use planfuzz_core::value::Value;
use planfuzz_engine::plugin::IdentitySchema;

use super::Judge;
use crate::place::text;
use crate::play::is_error;
use crate::promise;
use crate::responder::Entry;

impl Judge<'_> {
    /// Checks the identities of a run.
    pub(super) fn identities(&mut self) {
        let script = self.script;
        let Some(schema) = &script.identity else { return };
        // The last known identity of the object.
        let mut last: Option<&Value> = None;
        let is_answered = |entry: &&Entry| entry.trouble.is_none() && !is_error(&entry.exchange);
        for entry in self.played.call_log.iter().filter(is_answered) {
            let (call, answered) = (entry.exchange.name(), entry.answered_identity.as_ref());
            match &entry.exchange {
                Exchange::Apply(asked, answer) => {
                    let is_there = !asked.config.is_null() && answer.new_state.as_ref().is_some_and(|it| !it.is_null());
                    last = None;
                    if is_there {
                        self.given(call, schema, answered);
                        self.kept(call, entry.identity.as_ref(), answered);
                        last = answered;
                    }
                }
                Exchange::Read(_, answer) if !answer.new_state.is_null() => {
                    self.given(call, schema, answered);
                    self.kept(call, entry.identity.as_ref(), answered);
                    last = answered.or(last);
                }
                Exchange::Upgrade(..) => self.kept(call, entry.identity.as_ref(), answered),
                Exchange::Plan(asked, answer) if !asked.prior.is_null() && asked.prior == answer.planned => {
                    self.kept(call, entry.identity.as_ref().filter(|_| answered.is_some()), answered);
                }
                Exchange::Import(_, answer) if !answer.imported.is_empty() => {
                    self.given(call, schema, answered);
                    self.kept(call, entry.identity.as_ref().or(last), answered);
                }
                _ => {}
            }
        }
    }

    /// The identity is present and known, with every attribute that an import requires.
    fn given(&mut self, call: &str, schema: &IdentitySchema, answered: Option<&Value>) {
        let lacks = match answered {
            None => Some("no identity".to_owned()),
            Some(it) if !it.is_wholly_known() => Some(format!("one that is not known, {}", text(it))),
            Some(it) => schema.attributes.iter().find_map(|(name, of)| {
                let is_null = it.view().member(name).is_none_or(|it| it.is_null());
                (of.is_required && is_null).then(|| format!("one without {name}, {}", text(it)))
            }),
        };
        let lacks = lacks.map(|lacks| format!("{call}: expected the identity of the object, found {lacks}"));
        self.hold(promise::IDENTITY_GIVEN, lacks.is_none(), || (call.to_owned(), lacks.unwrap_or_default()));
    }

    /// The known parts of the identity are unchanged. A null may become known.
    fn kept(&mut self, call: &str, before: Option<&Value>, after: Option<&Value>) {
        let Some(before) = before else { return };
        // The other promise covers a missing identity.
        let Some(after) = after else { return };
        let changed = before.view().entries().find(|(name, was)| {
            let is_known = was.is_wholly_known() && !was.is_null();
            is_known && after.view().member(name).is_none_or(|is| is.to_value() != was.to_value())
        });
        self.hold(promise::IDENTITY_KEPT, changed.is_none(), || {
            let name = changed.map(|(name, _)| name.to_string()).unwrap_or_default();
            let message = format!("{call}: expected the identity {}, found {}", text(before), text(after));
            (format!("{call}.{name}"), message)
        });
    }
}
