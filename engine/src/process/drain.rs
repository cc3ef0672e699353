//! Reads a child's output within bounds, so that the child never waits for a reader.

use std::io::Read;

/// The output from a pipe.
#[derive(Debug, Default)]
pub(super) struct Drained {
    /// The beginning, up to the bound.
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) cut: bool,
}

/// Reads a pipe to its end and keeps the first `bound` bytes.
pub(super) fn drain(mut pipe: impl Read, bound: usize) -> std::io::Result<Drained> {
    let mut drained = Drained::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match pipe.read(&mut buffer) {
            Ok(0) => return Ok(drained),
            Ok(read) => read,
            Err(problem) if problem.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(problem) => return Err(problem),
        };
        let kept = read.min(bound - drained.bytes.len());
        drained.bytes.extend_from_slice(&buffer[..kept]);
        drained.cut |= kept < read;
    }
}

#[cfg(test)]
mod tests {
    use super::drain;

    #[test]
    fn no_more_than_the_bound_is_kept_and_the_rest_is_read() {
        let text = vec![b'x'; 200_000];
        let mut reader = &text[..];
        let drained = drain(&mut reader, 100_000).expect("read");
        assert!(drained.bytes.len() == 100_000 && drained.cut && reader.is_empty());
        assert!(!drain(&text[..100_000], 100_000).expect("read").cut);
    }
}
