//! The answer while it is built: slices of the inputs, copied when a run of them ends.

use std::ops::Range;

/// Bytes of a source that outlives the answer.
#[derive(Clone, Copy)]
pub(super) struct SourceBytes<'a> {
    source: &'a [u8],
    start: usize,
    end: usize,
}

/// A state to which a [`Splice`] can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    written: usize,
    run: SourceBytes<'a>,
}

/// An answer under way. Slices that follow one another in their source are one copy.
pub(super) struct Splice<'a> {
    out: Vec<u8>,
    run: SourceBytes<'a>,
}

impl<'a> SourceBytes<'a> {
    pub(super) fn new(source: &'a [u8], range: Range<usize>) -> SourceBytes<'a> {
        SourceBytes { source, start: range.start, end: range.end }
    }

    pub(super) fn whole(source: &'a [u8]) -> SourceBytes<'a> {
        SourceBytes::new(source, 0..source.len())
    }

    fn bytes(self) -> &'a [u8] {
        self.source.get(self.start..self.end).unwrap_or_default()
    }
}

impl<'a> Splice<'a> {
    /// An answer of about so many bytes.
    pub(super) fn new(capacity: usize) -> Splice<'a> {
        Splice { out: Vec::with_capacity(capacity), run: SourceBytes::whole(&[]) }
    }

    pub(super) fn push(&mut self, next: SourceBytes<'a>) {
        if self.run.end == next.start && std::ptr::eq(self.run.source, next.source) {
            self.run.end = next.end;
        } else {
            self.flush();
            self.run = next;
        }
    }

    /// Bytes that are not in the inputs: `write` appends them.
    pub(super) fn write<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        self.flush();
        self.run = SourceBytes::whole(&[]);
        write(&mut self.out)
    }

    pub(super) fn mark(&self) -> Mark<'a> {
        Mark { written: self.out.len(), run: self.run }
    }

    /// Drops everything since the mark.
    pub(super) fn back_to(&mut self, mark: Mark<'a>) {
        self.out.truncate(mark.written);
        self.run = mark.run;
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.out
    }

    fn flush(&mut self) {
        self.out.extend_from_slice(self.run.bytes());
    }
}
