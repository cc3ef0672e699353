//! The archive (PF01).

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::error::{Bound, PlanFileError};
use super::{MAX_FILE_BYTES, MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_TOTAL_BYTES};

/// A member: its name and what is in it.
pub(super) type Member = (String, Vec<u8>);

/// The members, in the order of the archive's directory, each name once.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<Member>, PlanFileError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(PlanFileError::TooMuch { bound: Bound::File });
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| zip_error(&error))?;
    if archive.len() > MAX_MEMBERS {
        return Err(PlanFileError::TooMuch { bound: Bound::Members });
    }
    if archive.has_duplicate_names() {
        return Err(PlanFileError::Duplicate);
    }
    let mut members = Vec::with_capacity(archive.len());
    let mut left = MAX_TOTAL_BYTES;
    for index in 0..archive.len() {
        let member = inflate(&mut archive, index, left)?;
        left -= member.1.len();
        members.push(member);
    }
    Ok(members)
}

/// A member of at most `left` bytes. What the directory says of its size is not believed.
fn inflate(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize, left: usize) -> Result<Member, PlanFileError> {
    let limit = left.min(MAX_MEMBER_BYTES);
    let mut member = archive.by_index(index).map_err(|error| zip_error(&error))?;
    let name = String::from_utf8(member.name_raw().to_vec())
        .map_err(|error| PlanFileError::Zip { message: format!("a member's name is not UTF-8: {error}") })?;
    let mut contents = Vec::new();
    let read = member.by_ref().take(limit as u64 + 1).read_to_end(&mut contents);
    match read {
        Err(error) => Err(PlanFileError::Broken { name, message: error.to_string() }),
        Ok(length) if length > MAX_MEMBER_BYTES => Err(PlanFileError::TooMuch { bound: Bound::Member }),
        Ok(length) if length > left => Err(PlanFileError::TooMuch { bound: Bound::Total }),
        Ok(_) => Ok((name, contents)),
    }
}

/// An archive of members, in their order. It has no clock in it: the same members make the same bytes.
pub(super) fn pack<'a>(members: impl IntoIterator<Item = (String, &'a [u8])>) -> Result<Vec<u8>, PlanFileError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in members {
        archive.start_file(name, options).map_err(|error| zip_error(&error))?;
        archive.write_all(contents).map_err(|error| zip_error(&error.into()))?;
    }
    Ok(archive.finish().map_err(|error| zip_error(&error))?.into_inner())
}

fn zip_error(error: &zip::result::ZipError) -> PlanFileError {
    PlanFileError::Zip { message: error.to_string() }
}
