//! The rules that an answer can break. There is one table, so that nothing else is reported.

/// A rule, independent of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// The id in the specification; `P05-f` is row f of P05.
    pub id: &'static str,
    /// Its requirement on an answer, in one line.
    pub summary: &'static str,
}

macro_rules! rules {
    ($($name:ident $id:literal $summary:literal)*) => {
        /// A rule, by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) enum Id { $($name),* }

        /// Every rule that an answer can be found to break.
        pub const ALL: &[RuleInfo] = &[$(RuleInfo { id: $id, summary: $summary }),*];
    };
}

impl Id {
    /// The table's line.
    pub(super) fn info(self) -> &'static RuleInfo {
        &ALL[self as usize]
    }
}

rules! {
    V03 "V03" "an answer conforms to the implied type of the schema"
    V08 "V08" "elements of one collection that come out with different types crash"
    V50 "V50" "a set holds no element twice, and its elements in iteration order"
    V57 "V57" "elements of a set that share a key stand in the order they were inserted in"
    M01 "M01" "null for null and null; otherwise an answer, refused only where a rule states that the engine crashes"
    M02 "M02" "the prior whole where the configuration is null or unknown, else an object with every member"
    M03 "M03" "the empty value for an unknown configuration without a prior"
    M10 "M10" "a computed attribute that is not configured keeps the prior; any other is as configured"
    M11 "M11" "a nested type is as configured where that is null or unknown; group crashes"
    M12 "M12" "an object of a nested type is null where configured so, else known"
    M15 "M15" "a nested block is as configured where that is unknown, a single one also where it is null"
    M16 "M16" "null or unknown configured elements of blocks yield the prior element, or what stands for none"
    M17 "M17" "a list is merged index by index, an element without a prior is as configured"
    M18 "M18" "a map is merged key by key, an element without a prior by the rule of the dialect"
    M19 "M19" "a set is what merging each configured element with the first unused match makes"
    M21 "M21" "an optional nested type that was configured before is taken away with its configuration"
    M22 "M22" "a configured element of a set is merged with a prior element only if that matches"
    M30 "M30" "blocks of dynamic type are read by count and key, and crash where they have none"
    M40 "M40" "a data resource is merged with an unknown prior, and refused only where the engine crashes"
    M42 "M42" "a list block of type dynamic that is not empty crashes under an unknown prior"
    MP07 "MP07" "a set has no more elements than its configuration (for sets too large for M19)"
    P01 "P01" "a block is planned null exactly where it is configured null"
    P04 "P04" "null objects of nested types have null members, or crash"
    P05a "P05-a" "planning what is configured is valid"
    P05b "P05-b" "planning the prior is valid where both it and the configuration are not null"
    P05c "P05-c" "a write-only attribute is valid if planned null, else not"
    P05d "P05-d" "any plan for a computed attribute that is not optional is valid"
    P05e "P05-e" "any plan for a computed attribute that is not configured is valid"
    P05f "P05-f" "planning a value that is not configured is a violation"
    P05g "P05-g" "a write-only attribute that is configured may be planned null"
    P05i "P05-i" "planning anything else is a violation"
    P07 "P07" "a nested type is planned null exactly where it is configured null, and never unknown"
    P07list "P07-list" "a list of a nested type is planned with the configured length"
    P07map "P07-map" "a map of a nested type is planned with the configured keys"
    P07set "P07-set" "a set of a nested type is planned with a length that the configuration allows"
    P10v0 "P10-0" "a block that is not single is never planned null"
    P10v1 "P10-1" "planning a block as it is configured is valid"
    P10v2 "P10-2" "planning anything else for an unknown block is a violation"
    P10v2b "P10-2b" "any plan for a computed block that is not configured is valid"
    P10v3 "P10-3" "planning a configured block unknown is a violation"
    P10list "P10-list" "list blocks are planned in the configured number, each known"
    P10map "P10-map" "map blocks of map type are planned with the configured keys, each known"
    P10obj "P10-obj" "map blocks of object type are planned with the configured keys, each known"
    P10set "P10-set" "set blocks are planned known"
    AC01 "AC01" "a block is null exactly where it was planned null"
    AC10 "AC10" "all violations of a sensitive attribute are one"
    AC11a "AC11-a" "anything may come of a plan of type dynamic"
    AC11b "AC11-b" "the type conforms to that of the plan"
    AC11c "AC11-c" "what comes of an unknown is in its range"
    AC11d "AC11-d" "null comes of null only, and nothing else does"
    AC11e "AC11-e" "nothing unknown comes of what was planned known"
    AC11f "AC11-f" "a primitive is as planned"
    AC11g "AC11-g" "lists, maps and tuples have the planned keys"
    AC11i "AC11-i" "a set has no more elements than planned"
    AC15 "AC15" "every element of a planned set has a counterpart, and every element of the actual one"
    AC20single "AC20-single" "null may come of an unknown single or group block"
    AC20list "AC20-list" "list blocks are as many as planned"
    AC20map "AC20-map" "map blocks of map type are as many as planned"
    AC20obj "AC20-obj" "map blocks of object type have the planned keys"
    AC20set "AC20-set" "set blocks are no more than planned"
    C10 "C10" "a computed block stands for all of its enclosing object"
    LN01 "LN01" "attributes stay as they are, null stays null"
    LN02 "LN02" "collections of blocks are never null or unknown"
    LN03 "LN03" "an unknown block becomes a stub"
    C01 "C01" "empty computed blocks become null, and nothing else changes"
    C02 "C02" "a primitive where a computed block is looked up crashes"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_names_lead_to_them() {
        let mut ids: Vec<_> = ALL.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ALL.len());
        assert_eq!((Id::V03.info().id, Id::P05f.info().id, Id::C02.info().id), ("V03", "P05-f", "C02"));
        assert!(ALL.iter().all(|rule| !rule.summary.is_empty() && !rule.summary.contains('\n')));
    }
}
