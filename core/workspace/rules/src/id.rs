//! The table of rules: ids and statements, in the order of workspace-rules.md.

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Its id.
    pub id: &'static str,
    /// Its statement, in a line.
    pub statement: &'static str,
}

macro_rules! rules {
    ($($id:ident $statement:literal,)*) => {
        /// A rule, by its id.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Id {
            $($id,)*
        }

        /// All rules that are checked.
        pub const RULES: &[RuleInfo] = &[$(RuleInfo { id: stringify!($id), statement: $statement },)*];

        impl Id {
            pub(crate) fn name(self) -> &'static str {
                RULES[self as usize].id
            }
        }
    };
}

rules! {
    I100 "a block's calls start after those of every block that its text reaches",
    I101 "a call of an object comes after one successful configure of its provider in the same walk",
    I102 "two configures of a walk are of different provider configurations",
    I103 "nothing that reaches a failed call's block makes a call in the same plan walk",
    I104 "at most as many calls of a plan overlap as the user allows",
    I105 "the validation walk validates, each block at most once, and exactly once if it has no error",
    I106 "an error of the validation walk leaves no other call",
    I107 "without targets and errors each stored object that is still there has one change",
    I108 "a change's address is of a block, or was in the start state",
    I109 "what is created, updated, read, replaced or left is an instance of a block, with a key of its kind",
    I110 "what a normal plan deletes or forgets is no instance of a block",
    I111 "an address with a deposed key has one change",
    I112 "a refresh-only plan changes no resource",
    I113 "a destroy plan deletes, and everything that is stored if nothing is left out",
    I114 "a destroy plan plans dependents before what their stored lists name",
    I115 "without refresh nothing is read but what is imported",
    I116 "what targets and excludes leave out has no change, and the plan is not complete",
    I117 "a plan without targets and errors is complete",
    I118 "a plan is errored if and only if there is an error, and then neither applyable nor complete",
    I119 "a data resource is deferred for a dependency only if something it reaches changes",
    I120 "a data resource is read now only if nothing managed that it names directly changes",
    I121 "a previous address was in the start state",
    I122 "two changes never have one previous address",
    I123 "a move is blocked only by what was in the start state",
    I124 "what is forgotten is named by a removed block, and neither read nor planned",
    I125 "an import is imported, read, validated and planned, and was not stored",
    I126 "a replacement creates first if and only if something with that flag reaches the block",
    I127 "a stored dependency list is sorted, has no duplicate and not itself, and names what the block names directly",
    I128 "the lists of what was visited are closed over each other",
    I129 "each root output that is configured or stored has one change, and no other",
    I130 "an applyable plan has something to apply",
    I131 "without errors a single block of the root has a change",
    I132 "in an errored plan a single block of the root without a change reaches a call that failed",
    I133 "diagnostics of providers in the last walk of a plan are reported",
    I134 "the reason of a deletion fits the configuration",
    I135 "drift is of managed objects of the start state",
    I136 "an object is upgraded at most once in a walk, and data never",
    I137 "a provider that is configured has a block or an object",
    I138 "what is opened is closed in the same walk",
    I139 "relevant attributes are of blocks, and of all that arguments of what changes name",
    I150 "a mutating call of an apply belongs to a change of the plan, and nothing is read or imported",
    I151 "without errors and targets every change that acts made its calls",
    I152 "apply calls keep the order of references, stored dependencies and halves",
    I154 "at most as many calls of an apply overlap as the user allows",
    I155 "an apply call comes after one successful configure of its provider",
    I156 "nothing that waits for a failed call is called afterwards",
    I157 "a change that made no call waits for something that failed",
    I158 "exit 1 has an error, and every failed call one of its own",
    I159 "an object whose change made no call is stored as it was",
    I160 "an object is stored as it was answered",
    I161 "an object that a create returned is stored",
    I162 "an address has one current object, and a deposed key is old or of a replacement that creates first",
    I163 "a whole apply leaves no new deposed object",
    I164 "a stored dependency list is closed over the lists stored with it",
    I165 "a whole apply leaves no resource without instances",
    I166 "a whole apply stores the outputs that are configured, with the values that were known",
    I167 "an output that was known in the plan is stored, whatever failed",
    I168 "the serial rises if the state is another",
    I169 "a whole destroy leaves nothing",
    I170 "a destroy neither creates nor updates",
    I171 "what an apply sends agrees with what was known of it in the plan",
    I172 "instances with calls of an apply are instances of the plan",
    I173 "checks of the state have the objects of the plan",
    I174 "after a signal no call is begun, and nothing goes on after what was under way",
    I175 "a plan makes no mutating call",
    I176 "a refresh-only command mutates nothing, and plans orphans alone",
    I177 "a plan with nothing to do changes nothing when it is applied",
    I178 "an import block makes one import call in the plan",
    I179 "with targets nothing else is changed than what they reach",
    I180 "the old object of what is created first stays, where it is no target",
    I181 "a plan with a cycle is not applied",
    I182 "with targets a replacement creates first if and only if something kept with that flag reaches the block",
    I183 "OpenTofu: where all targets are as they were, nothing that they depend on is changed",
    I184 "a command that writes a state without a plan writes it if and only if there is no error",
    I185 "the state of a refresh or an import has each object once, with a sorted list, and no new deposed key",
    I186 "a refresh or an import stores what was read as it was read",
    I187 "a refresh adds no object, and an import only the one that is asked for",
    I190 "a proposed value is the merge of what was sent with it, by the rules of the merge",
    I191 "the part of an instance keeps the invariants of its lifecycle",
}
