//! Runs of scenarios over a line: a planner that is a program calls the provider of a walk by lines of its own
//! (formats.md, "Asking the provider").
//!
//! While a walk is under way nothing else is sent, so the walks of a run are answered one after another.

use planfuzz_core::json::Json;
use planfuzz_core::planner::{Applied, ApplyRequest, Plan, PlanRequest, Provider};
use planfuzz_core::schema::Schema;
use planfuzz_core::value::Type;

use super::ExecOptions;
use super::process::{Process, Silence};
use super::protocol::{self, Nonsense, WalkLine};
use crate::case::lifecycle::{Form, ProviderRequest};
use crate::scenario::{NoAnswer, Walker};

/// Calls of a provider in one walk at most: engines make about a dozen.
const MOST_CALLS: usize = 1_000;

/// A program as the planner of one run.
pub(super) struct LineWalker<'a> {
    pub(super) process: &'a mut Process,
    pub(super) options: &'a ExecOptions,
    /// The last id that was used.
    pub(super) id: &'a mut u64,
    pub(super) schema: &'a Schema,
    /// The implied type of the schema.
    pub(super) ty: &'a Type,
    /// Why the program is not asked any more.
    pub(super) silence: Option<Silence>,
}

impl LineWalker<'_> {
    /// Sends a walk to the program, and its calls to the provider, until it sends the result.
    fn walk<T: Form>(&mut self, op: &str, request: Json, provider: &mut dyn Provider) -> Result<T, NoAnswer> {
        let answered = self.exchange(op, request, provider);
        answered.unwrap_or_else(|silence| {
            self.silence = Some(silence);
            // Replaced: the outcome is made from the silence.
            Err(NoAnswer::Refused("the program did not answer".to_owned()))
        })
    }

    fn exchange<T: Form>(
        &mut self,
        op: &str,
        request: Json,
        provider: &mut dyn Provider,
    ) -> Result<Result<T, NoAnswer>, Silence> {
        *self.id += 1;
        let capabilities = provider.capabilities();
        self.process.send(protocol::walk(*self.id, op, (self.schema, capabilities), request));
        for _ in 0..MOST_CALLS {
            let line = self.process.receive(self.options)?;
            let call = match protocol::walk_line(&line, *self.id).map_err(Silence::Nonsense)? {
                WalkLine::Done(json) => return Ok(Ok(self.read(T::from_form(&json, self.ty))?)),
                WalkLine::Refused(message) => return Ok(Err(NoAnswer::Refused(message))),
                WalkLine::Ask(json) => self.read(ProviderRequest::from_form(&json, self.ty))?,
            };
            let answer = call.put_to(provider).to_form(self.ty);
            self.process.send(protocol::provided(*self.id, answer));
        }
        Err(Silence::Nonsense(Nonsense::TooManyCalls { limit: MOST_CALLS }))
    }

    fn read<T>(&self, read: Result<T, planfuzz_core::json::JsonError>) -> Result<T, Silence> {
        read.map_err(|problem| Silence::Nonsense(Nonsense::NoOutcome(problem)))
    }
}

impl Walker for LineWalker<'_> {
    fn plan(&mut self, request: &PlanRequest, provider: &mut dyn Provider) -> Result<Plan, NoAnswer> {
        self.walk("plan", request.to_form(self.ty), provider)
    }

    fn apply(&mut self, request: &ApplyRequest, provider: &mut dyn Provider) -> Result<Applied, NoAnswer> {
        self.walk("apply", request.to_form(self.ty), provider)
    }
}
