//! The invariants of lifecycle.md section 21. There is one table, so that nothing else is reported or counted.

/// An invariant, independent of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvariantInfo {
    /// The id in the specification.
    pub id: &'static str,
    /// Its statement, in one line.
    pub statement: &'static str,
    /// The party to blame if it does not hold, in the words of the table.
    pub fault: &'static str,
    /// What Core reports then, in the words of the table.
    pub reported_as: &'static str,
    /// How it is checked here.
    pub checking: Checking,
}

/// How an invariant is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checking {
    /// By checks over traces.
    OverTraces,
    /// It permits something to a provider; the only check is that Core reports no error about it: I53.
    AsLeave,
    /// It is no rule; its occurrences are counted.
    Observed,
    /// Not in a trace of one instance: where plan files are written and read.
    Elsewhere,
}

macro_rules! invariants {
    ($($name:ident $checking:ident $fault:literal $reported:literal $statement:literal)*) => {
        /// An invariant, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(dead_code, reason = "some are held elsewhere")]
        pub(super) enum Id { $($name),* }

        /// Every invariant, I01 first.
        pub const INVARIANTS: &[InvariantInfo] = &[$(InvariantInfo {
            id: stringify!($name),
            statement: $statement,
            fault: $fault,
            reported_as: $reported,
            checking: Checking::$checking,
        }),*];
    };
}

/// The number of invariants.
pub const INVARIANT_COUNT: usize = INVARIANTS.len();

impl Id {
    /// The table's line.
    pub(super) fn info(self) -> &'static InvariantInfo {
        &INVARIANTS[self as usize]
    }
}

invariants! {
    I01 OverTraces "core" "–" "a provider gets the unmarked configuration, as written where nothing is ignored"
    I02 OverTraces "core" "–" "what the user did not set is null in the configuration sent, but for what is ignored"
    I03 OverTraces "core" "–" "the prior sent is the refreshed object, null when creating; the proposed object is the merge of the two"
    I04 OverTraces "core" "–" "destroying, configuration, proposed and planned object are null and the prior is not"
    I05 OverTraces "provider" "PIP" "a planned object conforms to the schema"
    I06 OverTraces "provider" "PIP; legacy: tolerated" "a configured attribute is planned as configured or as it was"
    I07 OverTraces "provider" "PIP; legacy: tolerated" "an attribute neither configured nor computed is planned null"
    I08 AsLeave "–" "–" "a computed attribute that is not configured is planned as the provider likes"
    I09 OverTraces "provider" "PIP; legacy: tolerated" "nested blocks are planned in the configured number, under the configured keys"
    I10 OverTraces "provider" "PIP; legacy: tolerated" "what is configured is not planned null"
    I11 OverTraces "provider" "T11 PIP, PIO, IRS; OT IPR" "write-only attributes are null in every answer"
    I12 OverTraces "provider" "PIP" "a path that requires replacement exists in the prior or in the planned object"
    I13 OverTraces "core" "–" "a path that requires replacement and does not change has no effect"
    I14 OverTraces "core" "–" "a no-op changes neither the value nor its marks"
    I15 OverTraces "core" "–" "an update changes an object or its marks, and nothing that requires replacement"
    I16 OverTraces "core" "–" "a creation makes an object out of nothing"
    I17 OverTraces "core" "–" "a replacement is of the object that is there, by one planned without it, for a true reason"
    I18 OverTraces "core" "–" "the paths kept for a replacement are those of the provider that change, or are write-only"
    I19 OverTraces "core" "–" "a deletion makes nothing out of an object, and is never of what is configured"
    I20 OverTraces "provider" "PIF" "what the first plan knew, the second plans alike"
    I21 OverTraces "provider" "PIF" "an unknown of the first plan stays in its type and range in the second"
    I22 OverTraces "provider" "PIF" "the second plan has the action of the first, or none where that was an update"
    I23 OverTraces "core" "–" "what is applied is what was planned last, in the same call's terms"
    I24 OverTraces "provider" "PIR; legacy: tolerated" "what was planned known comes about"
    I25 OverTraces "provider" "PRI" "the result of an apply is wholly known"
    I26 OverTraces "provider" "PIO" "the result of an apply is there and conforms to the schema"
    I27 OverTraces "provider" "PRI" "nothing is left of what was deleted"
    I28 OverTraces "provider" "PIR; legacy: PRI" "what was created or updated is there"
    I29 OverTraces "core" "–" "an error without an object leaves value, private data and status as they were; so does a no-op"
    I30 OverTraces "core" "–" "an object that comes of an apply is saved, tainted if its creation failed, else with its old status or ready"
    I31 OverTraces "core" "–" "the old object of a replacement is deposed under the one new key until it is destroyed"
    I32 OverTraces "core" "–" "the old object is current again where creating the new one made none"
    I33 OverTraces "provider" "PIO, PNO" "what was read conforms to the schema and is known"
    I34 OverTraces "core" "–" "a refresh keeps what was read, whatever is configured, and changes nothing in refresh-only mode"
    I35 OverTraces "core / provider" "IRS" "every stored object is upgraded as it is stored, to one that conforms and is known"
    I36 OverTraces "either" "–" "after an apply without errors the next plan is empty, if nothing changed and the provider is idempotent"
    I37 OverTraces "core" "–" "an ignored attribute is sent as it was"
    I38 OverTraces "core" "–" "nothing is ignored in the second call of a replacement"
    I39 OverTraces "core" "–" "a tainted object is replaced, and planned without it and without private data"
    I40 OverTraces "core" "–" "an apply calls for the legs of its changes and no others"
    I41 OverTraces "core" "–" "private data are passed on unchanged"
    I42 OverTraces "core" "–" "a data resource is read by the plan iff it is known and nothing it depends on is pending, and no change is recorded"
    I43 OverTraces "core" "–" "expressions see the planned object"
    I44 OverTraces "core" "–" "what the configuration or the schema calls sensitive is marked in the stored object"
    I45 OverTraces "provider" "PIP" "a planned destruction stays one"
    I46 OverTraces "provider" "–" "validation does not judge what is unknown"
    I47 OverTraces "core / provider" "–" "the same plan again is the same, if the provider is deterministic"
    I48 OverTraces "core" "–" "an error of the current object keeps no deposed one from being planned"
    I49 OverTraces "core" "–" "what is saved is known, conforms to the schema and has no write-only values"
    I50 Elsewhere "core" "–" "a plan file gives back the changes that were written"
    I51 OverTraces "core" "–" "there is at most one change for each object"
    I52 Observed "–" "–" "the second call of a replacement is not held against its configuration"
    I53 OverTraces "core" "–" "what Core reports of a provider, the provider did"
    I54 OverTraces "provider" "L56a, A05" "an answer does not put the question off"
    I55 OverTraces "provider" "L21" "an import gives one object that exists"
    I56 OverTraces "core" "–" "an object stays in the state when the answer about it cannot be used"
    I57 OverTraces "core" "–" "the private data of an object stay when the call that was to update it fails"
    I58 OverTraces "core" "–" "what is planned of a data resource holds no write-only values"
    I59 OverTraces "core" "–" "a deposed object is destroyed or forgotten whatever a provider warns of"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_the_specification_in_order() {
        for (index, info) in INVARIANTS.iter().enumerate() {
            assert_eq!(info.id, format!("I{:02}", index + 1));
            assert!(!info.statement.is_empty() && !info.statement.contains('\n'));
        }
        assert_eq!((Id::I01.info().id, Id::I59.info().id), ("I01", "I59"));
    }
}
