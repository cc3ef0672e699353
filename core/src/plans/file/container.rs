//! The archive (PF01).

use std::borrow::Cow;
use std::io::{Cursor, Read, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::error::{Bound, PlanFileError};
use super::{MAX_FILE_BYTES, MAX_MEMBER_BYTES, MAX_MEMBERS, MAX_TOTAL_BYTES};

/// A member: its name and its content.
pub(super) type Member = (String, Vec<u8>);

/// An archive that is read.
pub(super) type Archive<R> = ZipArchive<R>;

/// Opens an archive; an error if a name is there twice.
pub(super) fn open<R: Read + Seek>(source: R) -> Result<Archive<R>, PlanFileError> {
    let archive = ZipArchive::new(source).map_err(|error| zip_error(&error))?;
    if archive.len() > MAX_MEMBERS {
        return Err(PlanFileError::TooMuch { bound: Bound::Members });
    }
    if archive.has_duplicate_names() {
        return Err(PlanFileError::Duplicate);
    }
    Ok(archive)
}

/// A member that plans have, as a stream.
pub(super) fn member<'a, R: Read + Seek>(
    archive: &'a mut Archive<R>,
    name: &'static str,
) -> Result<impl Read + use<'a, R>, PlanFileError> {
    let index = archive.index_for_name(name).ok_or(PlanFileError::Missing { name })?;
    archive.by_index(index).map_err(|error| zip_error(&error))
}

/// The members, in the order of the archive's directory.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<Member>, PlanFileError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(PlanFileError::TooMuch { bound: Bound::File });
    }
    let mut archive = open(Cursor::new(bytes))?;
    let mut members = Vec::with_capacity(archive.len());
    let mut left = MAX_TOTAL_BYTES;
    for index in 0..archive.len() {
        let member = inflate(&mut archive, index, left)?;
        left -= member.1.len();
        members.push(member);
    }
    Ok(members)
}

/// Reads a member of at most `left` bytes. The size in the directory is not trusted.
pub(super) fn inflate<R: Read + Seek>(
    archive: &mut Archive<R>,
    index: usize,
    left: usize,
) -> Result<Member, PlanFileError> {
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
pub(super) fn pack<'a>(members: impl IntoIterator<Item = (String, Cow<'a, [u8]>)>) -> Result<Vec<u8>, PlanFileError> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in members {
        begin(&mut archive, &name)?;
        archive.write_all(&contents).map_err(unwritten)?;
    }
    Ok(finish(archive)?.into_inner())
}

/// Begins a member; everything written until the next one is its content.
pub(super) fn begin<W: Write + Seek>(archive: &mut ZipWriter<W>, name: &str) -> Result<(), PlanFileError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    archive.start_file(name, options).map_err(|error| zip_error(&error))
}

/// Ends an archive; returns its writer.
pub(super) fn finish<W: Write + Seek>(archive: ZipWriter<W>) -> Result<W, PlanFileError> {
    archive.finish().map_err(|error| zip_error(&error))
}

/// A member that cannot be written.
pub(super) fn unwritten(error: std::io::Error) -> PlanFileError {
    zip_error(&error.into())
}

fn zip_error(error: &zip::result::ZipError) -> PlanFileError {
    PlanFileError::Zip { message: error.to_string() }
}
