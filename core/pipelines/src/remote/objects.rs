//! The remote objects of a run.

use super::token::ObjectId;
use planfuzz_core::value::{Value, raw_equals};

/// A remote object.
#[derive(Clone, Debug)]
pub(super) struct RemoteObject {
    pub(super) id: ObjectId,
    /// Its value, wholly known, of the resource's type.
    pub(super) value: Value,
    /// The number of requested updates.
    pub(super) epoch: u64,
    /// The last answer about it.
    pub(super) last_answer: Value,
}

/// The existing remote objects, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct RemoteObjects {
    objects: Vec<RemoteObject>,
    made: u64,
}

impl RemoteObjects {
    /// Adds an object.
    pub(super) fn create(&mut self, value: Value, last_answer: Value) -> ObjectId {
        self.made += 1;
        let id = ObjectId(self.made);
        self.objects.push(RemoteObject { id, value, epoch: 0, last_answer });
        id
    }

    /// Finds the object of a call by the token in the private data and the value that was sent.
    ///
    /// A token identifies the object; if that is gone, there is none. Without a token it is the oldest object whose last answer equals the
    /// sent value, else the only object.
    pub(super) fn find(&mut self, token: Option<ObjectId>, sent: &Value) -> Option<&mut RemoteObject> {
        if let Some(id) = token {
            return self.get(id);
        }
        let answered = self.objects.iter().position(|object| raw_equals(object.last_answer.view(), sent.view()));
        match answered {
            Some(index) => self.objects.get_mut(index),
            None if self.objects.len() == 1 => self.objects.first_mut(),
            None => None,
        }
    }

    /// An object by its number.
    pub(super) fn get(&mut self, id: ObjectId) -> Option<&mut RemoteObject> {
        self.objects.iter_mut().find(|object| object.id == id)
    }

    /// The object made last.
    pub(super) fn newest(&mut self) -> Option<&mut RemoteObject> {
        self.objects.last_mut()
    }

    /// Removes an object.
    pub(super) fn remove(&mut self, id: ObjectId) {
        self.objects.retain(|object| object.id != id);
    }

    /// All objects, oldest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &RemoteObject> {
        self.objects.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects() -> RemoteObjects {
        let mut objects = RemoteObjects::default();
        for text in ["a", "b"] {
            objects.create(Value::string(text), Value::string(text));
        }
        objects
    }

    #[track_caller]
    fn check(objects: &mut RemoteObjects, token: Option<u64>, sent: &str, want: Option<u64>) {
        let found = objects.find(token.map(ObjectId), &Value::string(sent));
        assert_eq!(found.map(|object| object.id), want.map(ObjectId), "{token:?} {sent}");
    }

    #[test]
    fn a_call_is_about_the_object_of_its_token_then_of_its_value_then_the_only_one() {
        let mut objects = objects();
        check(&mut objects, Some(1), "b", Some(1));
        check(&mut objects, None, "b", Some(2));
        check(&mut objects, None, "x", None);
        objects.remove(ObjectId(1));
        check(&mut objects, Some(1), "b", None);
        check(&mut objects, None, "a", Some(2));
    }

    #[test]
    fn numbers_are_never_used_again() {
        let mut objects = objects();
        objects.remove(ObjectId(2));
        assert_eq!(objects.create(Value::bool(true), Value::bool(true)), ObjectId(3));
    }
}
