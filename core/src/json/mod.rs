//! JSON documents, as they are written: numbers of any precision, members in order, no member twice.
