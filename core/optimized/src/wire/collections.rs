//! The merge of bytes of lists and maps (M17, M18), each in one pass over both sides.

use super::merge::Structure;
use super::scan::Cursor;
use super::sides::{Bail, Done, Kind, Prior, Walk};

impl<'a> Walk<'a> {
    /// M17; `config` is known.
    pub(super) fn list(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        let from = config.at();
        let count = config.array().ok_or(Bail::Member)?;
        self.out.push(config.since(from));
        let (mut priors, mut left) = self.elements(of, prior, Cursor::array)?;
        for _ in 0..count {
            match &mut priors {
                Prior::Unknown => self.rule(of, &mut Prior::Unknown, config)?,
                Prior::At(_) if left > 0 => {
                    left -= 1;
                    self.rule(of, &mut priors, config)?;
                }
                _ => self.take(config.at(), config, of.place.want())?,
            }
        }
        for _ in 0..left {
            self.leave_prior(&mut priors, of.place.want())?;
        }
        leave_at(prior, priors);
        Ok(())
    }

    /// M18; `config` is known. Keys ascend on both sides (V71), so each prior entry is met once.
    pub(super) fn map(&mut self, of: Structure<'a>, prior: &mut Prior<'a>, config: &mut Cursor<'a>) -> Done {
        let from = config.at();
        let count = config.map().ok_or(Bail::Member)?;
        self.out.push(config.since(from));
        let (priors, left) = self.elements(of, prior, Cursor::map)?;
        let mut entries = Entries { priors, left, next: None, last: None };
        let mut last = None;
        for _ in 0..count {
            let from = config.at();
            let key = config.text().filter(|key| last < Some(*key)).ok_or(Bail::Member)?;
            last = Some(key);
            self.pass(of, &mut entries, Some(key))?;
            self.out.push(config.since(from));
            match &mut entries.priors {
                priors @ Prior::At(_) if entries.next == Some(key) => {
                    entries.next = None;
                    self.rule(of, priors, config)?;
                }
                _ if !self.merge.merges_new_map_elements => self.take(config.at(), config, of.place.want())?,
                Prior::Unknown => self.rule(of, &mut Prior::Unknown, config)?,
                Prior::Null | Prior::At(_) => self.rule(of, &mut Prior::Null, config)?,
            }
        }
        self.pass(of, &mut entries, None)?;
        leave_at(prior, entries.priors);
        Ok(())
    }

    /// The prior's elements and their number: unknown ones of an unknown collection, none of null.
    fn elements(
        &mut self,
        of: Structure<'a>,
        prior: &mut Prior<'a>,
        header: fn(&mut Cursor<'a>) -> Option<usize>,
    ) -> Result<(Prior<'a>, usize), Bail> {
        match self.kind_of_prior(prior, of.want())? {
            Kind::Known => {}
            kind => {
                self.leave_prior(prior, of.want())?;
                return Ok((if kind == Kind::Null { Prior::Null } else { Prior::Unknown }, 0));
            }
        }
        let mut elements = *prior;
        let Prior::At(cursor) = &mut elements else { return Err(Bail::Whole) };
        let count = header(cursor).ok_or(Bail::Member)?;
        Ok((elements, count))
    }

    /// Skips the prior entries before `key`, or all.
    fn pass(&mut self, of: Structure<'a>, entries: &mut Entries<'a>, key: Option<&str>) -> Done {
        loop {
            let next = match (entries.next, &mut entries.priors) {
                (Some(next), _) => next,
                (None, Prior::At(cursor)) if entries.left > 0 => {
                    let next = cursor.text().filter(|key| entries.last < Some(*key)).ok_or(Bail::Member)?;
                    entries.left -= 1;
                    (entries.next, entries.last) = (Some(next), Some(next));
                    next
                }
                _ => return Ok(()),
            };
            if key.is_some_and(|key| next >= key) {
                return Ok(());
            }
            entries.next = None;
            self.leave_prior(&mut entries.priors, of.place.want())?;
        }
    }
}

/// The entries of a prior map that are not skipped yet.
struct Entries<'a> {
    priors: Prior<'a>,
    /// How many are left, that of `next` not counted.
    left: usize,
    /// The key whose value begins at the cursor.
    next: Option<&'a str>,
    last: Option<&'a str>,
}

/// Sets the prior to the end of its elements; without elements it is there already.
fn leave_at<'a>(prior: &mut Prior<'a>, elements: Prior<'a>) {
    if let Prior::At(_) = elements {
        *prior = elements;
    }
}
