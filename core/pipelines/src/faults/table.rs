//! The catalogue of section 5 as a table, for reports and snapshots.

use crate::model::FaultName;

/// An entry of the catalogue: a fault or a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultInfo {
    /// Its id in the catalogue.
    pub id: &'static str,
    /// Its name in models.
    pub name: FaultName,
    /// A description of its effect.
    pub does: &'static str,
    /// The invariants that its minimal scenario breaks: none for controls.
    pub breaks: &'static [&'static str],
    /// Whether Core tolerates it from providers of the legacy type system.
    pub tolerated: bool,
    /// Its minimal scenario: `a` is an optional string, `c` a computed one, `oc` both, `b` a list block.
    pub scenario: &'static str,
}

impl FaultInfo {
    /// Whether this is a control: allowed, so that it must not be reported.
    pub fn is_control(&self) -> bool {
        self.id.starts_with('C')
    }

    /// The row of a fault.
    pub fn of(name: FaultName) -> &'static FaultInfo {
        // The table has a row for each name in their order: a test keeps it so.
        &FaultInfo::ALL[name as usize]
    }
}

macro_rules! catalogue {
    ($($id:literal $name:ident: $does:literal; [$($breaks:literal)*] $tolerated:ident; $scenario:literal.)*) => {
        impl FaultInfo {
            /// The catalogue, in its order, controls last.
            pub const ALL: &'static [FaultInfo] = &[$(FaultInfo {
                id: $id,
                name: FaultName::$name,
                does: $does,
                breaks: &[$($breaks),*],
                tolerated: catalogue!(@ $tolerated),
                scenario: $scenario,
            }),*];
        }
    };
    (@ tolerated) => { true };
    (@ never) => { false };
}

catalogue! {
    "X01" PlanOverride: "perturbs a configured known value"; ["I06"] tolerated; "create, a set".
    "X02" PlanValueForUnset: "fills a non-computed, unset attribute"; ["I07"] tolerated; "create, a unset".
    "X03" PlanUnset: "null for a configured attribute"; ["I06"] tolerated; "create, a set".
    "X04" PlanUnknownConfigured: "unknown for a configured known attribute"; ["I06"] tolerated; "create, a set".
    "X05" PlanGuessUnknown: "known value for an attribute whose config is unknown"; ["I06"] tolerated; "create, a unknown".
    "X06" PlanBlockAdd: "one block more"; ["I09"] tolerated; "create, one b".
    "X07" PlanBlockDrop: "one block less"; ["I09"] tolerated; "create, one b".
    "X08" PlanNull: "null object though configured"; ["I10"] tolerated; "create".
    "X09" PlanKeepOnDestroy: "prior instead of null"; ["I45"] never; "destroy".
    "X10" PlanWrongType: "a value of another type"; ["I05"] never; "create, a set".
    "X11" PlanWriteOnly: "config value of a write-only attribute kept"; ["I11"] never; "create, write-only w set".
    "X12" ReplaceBadPath: "a replacement path that leads nowhere"; ["I12"] never; "update a".
    "X13" SecondDiffers: "a known computed value depends on the plan call's number"; ["I20"] never; "update a, c known".
    "X14" SecondUnknown: "known in the first plan, unknown in the second"; ["I20"] never; "update a, c known".
    "X15" SecondReplaces: "the second plan alone asks for replacement"; ["I22"] never; "update a".
    "X16" SecondUpdates: "the first plan keeps the prior value of an attribute whose config is unknown"; ["I20"] never; "update a, a2 unknown and then another".
    "X17" PerpetualUnknown: "a computed attribute is unknown in every plan"; ["I36"] never; "create, plan again".
    "X18" PerpetualValue: "a computed attribute is planned as a counter"; ["I36"] never; "create, plan again".
    "X19" ReplaceAlways: "X17, and asks for replacement because of it"; ["I36"] never; "create, plan again".
    "X20" PlanNondeterministic: "every second plan has another computed value"; ["I47"] never; "create, plan twice".
    "X21" ValidateUnknown: "error when an attribute is unknown"; ["I46"] never; "plan, a unknown and then known".
    "X22" ValidateDefaultMissing: "error when an optional+computed attribute is unset"; [] never; "plan, oc unset".
    "X30" ApplyChangeKnown: "perturbs a value known in the plan"; ["I24"] tolerated; "create, a set".
    "X31" ApplyLeaveUnknown: "an unknown stays"; ["I25"] never; "create, c".
    "X32" ApplyNull: "null object, no error"; ["I28"] never; "create".
    "X33" ApplyKeepOnDelete: "prior returned, no error"; ["I27"] never; "destroy".
    "X34" ApplyWrongType: "a value of another type"; ["I26"] never; "create, a set".
    "X35" ApplyBlockDrop: "one block less"; ["I24"] tolerated; "create, one b".
    "X36" ApplyBlockAdd: "one block more"; ["I24"] tolerated; "create, one b".
    "X37" ApplyReorder: "a list reversed"; ["I24"] tolerated; "create, list l of two".
    "X38" ApplyNormalise: "lower case of a known value"; ["I24"] tolerated; "create, a in upper case".
    "X39" ApplyWriteOnly: "config value of a write-only attribute kept"; ["I11"] never; "create, write-only w set".
    "X40" ApplyDynamicType: "known dynamic returned with another type"; ["I24"] tolerated; "create, dynamic d set".
    "X41" ApplyErrorUnknown: "error, and an object with unknowns"; ["I25"] never; "create, c".
    "X42" ApplyErrorLies: "error and prior, though all was done"; [] never; "update a, plan again".
    "X43" ApplySilentPartial: "no error, and one change not done"; ["I36"] never; "update a, plan again".
    "X44" ApplyCrash: "no answer at all"; [] never; "create".
    "X45" PlanDefers: "puts what it is to plan off"; ["I54"] never; "create".
    "X50" ReadUnknown: "an unknown in the answer"; ["I33"] never; "create, refresh".
    "X51" ReadWrongType: "a value of another type"; ["I33"] never; "create, refresh".
    "X52" ReadNormalise: "lower case of a configured value"; ["I36"] never; "create with a in upper case, plan again".
    "X53" ReadWriteOnly: "a value of a write-only attribute"; ["I11"] never; "create, refresh".
    "X54" ReadUnstable: "a computed value changes at every read"; ["I47"] never; "create, plan twice".
    "X55" ReadForgets: "a configured value comes back null"; ["I36"] never; "create, plan again".
    "X56" ReadDefers: "puts off what it is to read"; ["I54"] never; "create, refresh".
    "X60" UpgradeUnknown: "an unknown in the answer"; ["I35"] never; "create, plan again".
    "X61" UpgradeWrongType: "a value of another type"; ["I35"] never; "create, plan again".
    "X62a" ImportNone: "no object"; ["I55"] never; "import".
    "X62b" ImportMany: "the object twice"; ["I55"] never; "import".
    "X62c" ImportNull: "null"; ["I55"] never; "import".
    "C1" ReplaceUnchanged: "asks for replacement because of an unchanged attribute (I13)"; [] never; "update a, oc unchanged".
    "C2" SecondPrior: "the second plan is the prior state: Update to NoOp (I22)"; [] never; "update, a unknown and then as before".
    "C3" ApplyNullForUnknown: "an unknown computed attribute becomes null"; [] never; "create, c".
    "C4" ApplyErrorNull: "update: error and null, nothing done (I29)"; [] never; "update a".
    "C5" ApplyErrorPartial: "create: error and a part of the object (I30)"; [] never; "create, c".
    "C6" PrivateLost: "no private data"; [] never; "create, update a".
    "C7" ReplaceUnsorted: "replacement paths twice and unsorted (L87)"; [] never; "update a, which asks for replacement".
    "C8" ReadNullBlocks: "null where there are no blocks (L14)"; [] never; "create, refresh".
    "C9" Warnings: "a warning with every answer"; [] never; "create".
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_fault_in_order() {
        let names: Vec<FaultName> = FaultInfo::ALL.iter().map(|info| info.name).collect();
        assert_eq!(names, FaultName::ALL);
        for name in FaultName::ALL {
            assert_eq!(FaultInfo::of(*name).name, *name);
        }
    }

    #[test]
    fn controls_break_nothing() {
        assert_eq!(FaultInfo::ALL.iter().filter(|info| info.is_control()).count(), 9);
        assert!(FaultInfo::ALL.iter().filter(|info| info.is_control()).all(|info| info.breaks.is_empty()));
    }
}
