//! State files in streams: objects are handed out as they are read, and taken as they are written.
//!
//! Problem: a state of a hundred thousand objects is read in order to convert it, and need never be in memory as a whole. Guarantee: reading holds
//! one object, writing holds one; the bytes are those that [`Snapshot::read`] and [`Snapshot::to_indented`] or [`Snapshot::to_compact`] read and
//! write, without the bound of [`MAX_STATE_BYTES`](super::MAX_STATE_BYTES). The caller checks that no object is there twice (ST09).

use std::io;

use super::read::{object, resource, snapshot};
use super::write::{close_resource, open_resource, write_object, write_tail, write_top};
use super::{Snapshot, StateFileError, StoredObject, StoredResource};
use crate::json::{
    Compact, Flowing, Handed, Indented, Json, JsonError, JsonProblem, Members, StreamError, read_in_items,
};

/// The arrays of a state that grow.
const ARRAYS: [&str; 2] = ["resources", "instances"];

/// A part of a state that is handed out.
#[derive(Debug)]
pub enum Part<'a> {
    /// An object, with its resource, whose own list of objects is empty.
    Object(&'a StoredResource, StoredObject),
    /// A resource without objects.
    Husk(StoredResource),
}

/// The error that ends the reading of a state.
#[derive(Debug, thiserror::Error)]
pub enum StateStreamError {
    /// The source fails.
    #[error("expected more of a state: {0}")]
    Source(#[from] io::Error),
    /// The source is no state file.
    #[error(transparent)]
    State(#[from] StateFileError),
}

impl Snapshot {
    /// Reads a state file in parts, and hands out the content of its resources; returns the rest: a state without resources.
    ///
    /// # Errors
    /// A source that fails; what [`Snapshot::read`] refuses, but for an object twice; a resource whose members stand behind its instances, which no
    /// engine writes; what `take` refuses.
    pub fn read_in_parts(
        source: impl io::Read,
        take: &mut dyn FnMut(Part<'_>) -> Result<(), JsonError>,
    ) -> Result<Snapshot, StateStreamError> {
        let mut reader = Reader { current: None, take };
        let left = read_in_items(source, &ARRAYS, &mut |handed| reader.handed(handed));
        match left {
            Ok(left) => Ok(snapshot(&left)?),
            Err(StreamError::Json(error)) => Err(StateFileError::Json(error).into()),
            Err(StreamError::Source(error)) => Err(error.into()),
        }
    }
}

struct Reader<'t> {
    /// The resource whose objects are read.
    current: Option<StoredResource>,
    take: &'t mut dyn FnMut(Part<'_>) -> Result<(), JsonError>,
}

impl Reader<'_> {
    fn handed(&mut self, handed: Handed<'_>) -> Result<(), JsonError> {
        let Handed { around, item, .. } = handed;
        match around {
            [_, members] => self.object(members, &item),
            _ => self.resource(&item),
        }
    }

    fn object(&mut self, members: &Members, item: &Json) -> Result<(), JsonError> {
        let object = object(item)?;
        let of = match self.current.take() {
            Some(of) => of,
            None => resource(&Json::Object(members.clone())).map_err(|error| named_late(&error).unwrap_or(error))?,
        };
        (self.take)(Part::Object(self.current.insert(of), object))
    }

    /// The end of a resource. Its other members were read before its objects.
    fn resource(&mut self, item: &Json) -> Result<(), JsonError> {
        let whole = resource(item)?;
        match self.current.take() {
            None => (self.take)(Part::Husk(whole)),
            Some(of) if of == whole => Ok(()),
            Some(_) => Err(late("the members of a resource")),
        }
    }
}

/// A member that is missing where instances begin stands behind them, or is absent.
fn named_late(error: &JsonError) -> Option<JsonError> {
    match error.problem() {
        JsonProblem::Missing { name } => Some(late(&format!("{name:?}"))),
        _ => None,
    }
}

fn late(what: &str) -> JsonError {
    JsonProblem::Unexpected { expected: format!("{what} before its instances"), found: "instances".into() }.into()
}

/// Writes a state file object by object, in one of the layouts of ST08.
#[derive(Debug)]
pub struct StateWriter<W, S = Indented<String>> {
    out: W,
    sink: S,
    /// The text behind the document.
    end: &'static [u8],
    is_in_resource: bool,
}

impl<W: io::Write> StateWriter<W> {
    /// Begins a file in the layout of Terraform with everything but resources and check results.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(out: W, head: &Snapshot) -> io::Result<StateWriter<W>> {
        StateWriter::begun(out, head, (Indented::new(String::new()), b"\n"))
    }
}

impl<W: io::Write> StateWriter<W, Compact<String>> {
    /// Begins a file on one line, as OpenTofu puts it into plans, with everything but resources and check results.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn compact(out: W, head: &Snapshot) -> io::Result<StateWriter<W, Compact<String>>> {
        StateWriter::begun(out, head, (Compact::html(String::new()), b""))
    }
}

impl<W: io::Write, S: Flowing> StateWriter<W, S> {
    fn begun(out: W, head: &Snapshot, (sink, end): (S, &'static [u8])) -> io::Result<StateWriter<W, S>> {
        let mut writer = StateWriter { out, sink, end, is_in_resource: false };
        write_top(head, &mut writer.sink);
        writer.flush().map(|()| writer)
    }

    /// Begins a resource; the caller keeps the order of ST07. The objects in `resource` are written, too.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn resource(&mut self, resource: &StoredResource) -> io::Result<()> {
        self.end_resource();
        open_resource(resource, &mut self.sink);
        self.is_in_resource = true;
        resource.objects.iter().try_for_each(|object| self.object(object))
    }

    /// Writes an object of the resource that was begun last.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn object(&mut self, object: &StoredObject) -> io::Result<()> {
        write_object(object, &mut self.sink);
        self.flush()
    }

    /// Ends the file with check results, if there are any; returns the writer.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(mut self, check_results: Option<&Json>) -> io::Result<W> {
        self.end_resource();
        write_tail(check_results, &mut self.sink);
        self.flush()?;
        self.out.write_all(self.end)?;
        Ok(self.out)
    }

    fn end_resource(&mut self) {
        if self.is_in_resource {
            close_resource(&mut self.sink);
            self.is_in_resource = false;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.sink.written().as_bytes())?;
        self.sink.forget();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::STATE;
    use super::*;

    fn parts(text: &str) -> (Vec<StoredResource>, Result<Snapshot, StateStreamError>) {
        let mut resources: Vec<StoredResource> = Vec::new();
        let left = Snapshot::read_in_parts(text.as_bytes(), &mut |part| {
            match part {
                Part::Husk(resource) => resources.push(resource),
                Part::Object(of, object) => {
                    let is_next = resources.last().is_none_or(|last| {
                        (&last.module, last.kind, &last.type_name, &last.name)
                            != (&of.module, of.kind, &of.type_name, &of.name)
                    });
                    if is_next {
                        resources.push(of.clone());
                    }
                    resources.last_mut().expect("a resource").objects.push(object);
                }
            }
            Ok(())
        });
        (resources, left)
    }

    #[test]
    fn st01_a_state_in_parts_is_the_state() {
        let (resources, left) = parts(STATE);
        let left = left.expect("a state");
        assert!(left.resources.is_empty());
        assert_eq!(Snapshot { resources, ..left }, Snapshot::read(STATE.as_bytes()).expect("a state"));
    }

    #[test]
    fn st08_a_state_that_is_written_in_parts_is_laid_out_alike() {
        let read = Snapshot::read(STATE.as_bytes()).expect("a state");
        let mut writer = StateWriter::new(Vec::new(), &read).expect("memory");
        read.resources.iter().try_for_each(|resource| writer.resource(resource)).expect("memory");
        let out = writer.finish(read.check_results.as_ref()).expect("memory");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), STATE);
        let mut writer = StateWriter::compact(Vec::new(), &read).expect("memory");
        read.resources.iter().try_for_each(|resource| writer.resource(resource)).expect("memory");
        let out = writer.finish(read.check_results.as_ref()).expect("memory");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), read.to_compact());
        let empty = Snapshot::empty("1.11.4", "l", 1);
        let writer = StateWriter::new(Vec::new(), &empty).expect("memory");
        let out = writer.finish(None).expect("memory");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), empty.to_indented());
    }

    #[test]
    fn refusals_have_their_path() {
        let state = |resources: &str| {
            format!(r#"{{"version":4,"terraform_version":"1","serial":1,"lineage":"l","resources":[{resources}]}}"#)
        };
        let late = r#"{"mode":"managed","type":"t","instances":[{"schema_version":0}],"name":"n"}"#;
        let behind = r#"{"mode":"managed","type":"t","name":"n","instances":[{"schema_version":0}],"provider":"p"}"#;
        let bad =
            r#"{"mode":"managed","type":"t","name":"n","instances":[{"schema_version":0},{"schema_version":"x"}]}"#;
        for (text, wanted) in [
            (state(late), "resources[0].instances[0]: expected \"name\" before its instances"),
            (state(behind), "resources[0]: expected the members of a resource before its instances"),
            (state(bad), "resources[0].instances[1].schema_version"),
            (r#"{"version":3}"#.to_owned(), "version 3"),
        ] {
            let (_, left) = parts(&text);
            let message = left.expect_err("no state").to_string();
            assert!(message.contains(wanted), "{message}");
        }
    }
}
