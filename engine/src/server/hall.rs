//! All resource types of a run, by their names.

use std::collections::HashMap;
use std::time::Instant;

use planfuzz_core::dialect::Dialect;
use planfuzz_core::planner::ResourceKind;
use planfuzz_core::schema::Schema;

use super::answers::{Answers, method};
use super::aside::Aside;
use super::desk::Desk;
use super::error::ServerError;
use super::log::{Entry, Log};
use super::roll::{Roll, Served};
use crate::job::LeftOut;
use crate::seat::{Protocol, Seat};
use crate::wire::messages::{tfplugin5, tfplugin6};
use crate::wire::{five, six};

/// All resource types of a run.
#[derive(Default)]
pub(super) struct Hall {
    posts: HashMap<String, Post>,
    desks: Vec<Desk>,
    /// With the place of the desk beside which it stands.
    asides: Vec<(usize, Aside)>,
}

/// Where a name leads.
struct Post {
    seat: Seat,
    kind: ResourceKind,
    schema: SchemaMessage,
    place: Place,
}

enum Place {
    Desk(usize),
    Aside(usize),
}

/// A schema as it is sent.
enum SchemaMessage {
    Five(tfplugin5::Schema),
    Six(tfplugin6::Schema),
}

impl Hall {
    /// The types of the roll, everything made that is needed once.
    pub(super) fn of(roll: Roll) -> Result<Hall, ServerError> {
        let mut hall = Hall::default();
        for served in roll.served {
            hall.admit(served, roll.dialect)?;
        }
        Ok(hall)
    }

    fn admit(&mut self, served: Served, dialect: Dialect) -> Result<(), ServerError> {
        let Served { seat, kind, .. } = served;
        let desk = self.desks.len();
        self.post(&served.type_name, seat, kind, &served.schema, Place::Desk(desk))?;
        for helper in &served.helpers {
            let place = Place::Aside(self.asides.len());
            self.post(&helper.type_name, seat, helper.kind, &helper.schema, place)?;
            self.asides.push((desk, Aside::new(helper, dialect)));
        }
        let validates_by = match kind {
            ResourceKind::Managed => method::VALIDATE,
            ResourceKind::Data => method::VALIDATE_DATA,
        };
        self.desks.push(Desk::new(served, dialect, validates_by));
        Ok(())
    }

    fn post(
        &mut self,
        name: &str,
        seat: Seat,
        kind: ResourceKind,
        schema: &Schema,
        place: Place,
    ) -> Result<(), ServerError> {
        let schema = SchemaMessage::of(schema, seat.protocol)
            .map_err(|left_out| ServerError::Unservable { type_name: name.to_owned(), left_out })?;
        match self.posts.insert(name.to_owned(), Post { seat, kind, schema, place }) {
            None => Ok(()),
            Some(_) => Err(ServerError::TwiceServed(name.to_owned())),
        }
    }

    /// Who answers for the type, if it is one of that seat and kind.
    pub(super) fn find(&self, seat: Seat, kind: ResourceKind, name: &str) -> Option<&dyn Answers> {
        let post = self.posts.get(name).filter(|post| post.seat == seat && post.kind == kind)?;
        match post.place {
            Place::Desk(index) => Some(&self.desks[index]),
            Place::Aside(index) => Some(&self.asides[index].1),
        }
    }

    /// The schemas of a kind that the seat speaking version 5 has.
    pub(super) fn schemas_of_five(&self, seat: Seat, kind: ResourceKind) -> HashMap<String, tfplugin5::Schema> {
        let schema = |(name, schema): (&String, &SchemaMessage)| match schema {
            SchemaMessage::Five(schema) => Some((name.clone(), schema.clone())),
            SchemaMessage::Six(_) => None,
        };
        self.schemas(seat, kind).filter_map(schema).collect()
    }

    /// The schemas of a kind that the seat speaking version 6 has.
    pub(super) fn schemas_of_six(&self, seat: Seat, kind: ResourceKind) -> HashMap<String, tfplugin6::Schema> {
        let schema = |(name, schema): (&String, &SchemaMessage)| match schema {
            SchemaMessage::Six(schema) => Some((name.clone(), schema.clone())),
            SchemaMessage::Five(_) => None,
        };
        self.schemas(seat, kind).filter_map(schema).collect()
    }

    fn schemas(&self, seat: Seat, kind: ResourceKind) -> impl Iterator<Item = (&String, &SchemaMessage)> {
        let is_asked = move |post: &Post| post.seat == seat && post.kind == kind;
        self.posts.iter().filter(move |(_, post)| is_asked(post)).map(|(name, post)| (name, &post.schema))
    }

    /// What was written down about each served type, with what failed of its helpers at the end. Of those whose providers do
    /// not come to an end until then, only that.
    pub(super) fn close(&self, until: Instant) -> Vec<Log> {
        let mut logs: Vec<Log> = self.desks.iter().map(|desk| desk.close(until).unwrap_or_else(Log::of_hung)).collect();
        for (desk, aside) in &self.asides {
            logs[*desk].entries.extend(aside.close().into_iter().map(Entry::Failed));
        }
        logs
    }
}

impl SchemaMessage {
    fn of(schema: &Schema, protocol: Protocol) -> Result<SchemaMessage, LeftOut> {
        match protocol {
            Protocol::Five => five::schema(schema).map(SchemaMessage::Five),
            Protocol::Six => six::schema(schema).map(SchemaMessage::Six),
        }
    }
}
