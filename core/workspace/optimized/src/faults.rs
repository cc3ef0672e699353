//! Planted mistakes of the optimized planner, one at a time: each a plausible slip of a planner that saves work.

use planfuzz_core::dialect::Dialect;

use crate::Optimized;

impl Fault {
    /// Takes the place of a rule for mistakes in planning again.
    pub const INCREMENTAL: &'static str = "incremental";

    /// Takes the place of a rule for mistakes with several workers.
    pub const CONCURRENT: &'static str = "concurrent";

    /// The dialect in which the mistake shows: some are about rules of OpenTofu only.
    pub fn dialect(self) -> Dialect {
        match self {
            Fault::DeposedOrdered | Fault::UndeclaredFailsBlock | Fault::UnusedKept | Fault::ModulesWait => {
                Dialect::OPENTOFU_1_12
            }
            _ => Dialect::TERRAFORM_1_11,
        }
    }
}

planfuzz_workspace::planted_faults! {
    Optimized;
    ProviderNotAwaited "optimized-provider-not-awaited" "G64" "Blocks do not wait for their provider.",
    DeposedByStored "optimized-deposed-by-stored-provider" "G64" "A deposed object of a block has the provider that is stored.",
    BeginNotAwaited "optimized-begin-not-awaited" "G66" "Nodes of a module do not wait for its begin.",
    OutputIsModule "optimized-output-is-module" "G78" "An output means its whole module.",
    ModuleIsOutputs "optimized-module-is-outputs" "G79" "A module means its outputs alone.",
    StoredListsForgotten "optimized-stored-lists-forgotten" "G83" "Stored lists order nothing.",
    ApartForgotten "optimized-apart-forgotten" "G84" "Instances of a module wait for each other's objects.",
    AllInstancesTargeted "optimized-all-instances-targeted" "G111" "A block that is named plans all its instances.",
    ConstantOutputsKept "optimized-constant-outputs-kept" "G113" "Outputs of constants are kept.",
    FailedGoOn "optimized-failed-go-on" "G120" "What a failed node reaches is visited.",
    FailedUntyped "optimized-failed-untyped" "E80c" "What an expression with an error leaves is held to no type.",
    DeposedImported "optimized-deposed-imported" "L20" "What has a deposed object alone is imported.",
    PlainInEphemeral "optimized-plain-in-ephemeral" "E78" "Ephemeral outputs take any value.",
    UnreadEvaluated "optimized-unread-evaluated" "E68a" "A body is evaluated that refers to what is not there.",
    LastInstanceDecides "optimized-last-instance-decides" "G121" "Only the last instance of a block decides whether it failed.",
    ForcedDirectly "optimized-forced-directly" "G130" "Only what names a flagged block directly is forced.",
    DataNoDependency "optimized-data-no-dependency" "G140" "Data are no dependencies.",
    DirectReferencesForgotten "optimized-direct-references-forgotten" "G95" "Direct references defer nothing.",
    WholeCallsForgotten "optimized-whole-calls-forgotten" "G95" "What a call depends on that is referred to as a whole defers nothing.",
    TakenOnce "optimized-taken-once" "G31" "Of the instances of a resource only the first is taken over.",
    ChainForgotten "optimized-chain-forgotten" "G27" "A chain of moves forgets where it began.",
    OrphansLeft "optimized-orphans-left" "E112" "An instance that is not declared is left alone.",
    OutputsAlwaysUpdated "optimized-outputs-always-updated" "L190" "Outputs are always updates.",
    HalvesUnordered "optimized-halves-unordered" "U34" "The halves of a replacement have no order.",
    MakesFirst "optimized-makes-first" "U35" "Nothing that is made waits for what is destroyed.",
    DestroysUnordered "optimized-destroys-unordered" "U36" "What depends on an object is destroyed in any order.",
    FlagForgotten "optimized-flag-forgotten" "U38" "The stored flag of a deleted object is not looked at.",
    HusksStay "optimized-husks-stay" "U104" "Husks stay.",
    DependentsForgotten "incremental-dependents-forgotten" "incremental" "Nothing that waits for what changed is planned again.",
    StaleExpansion "incremental-stale-expansion" "incremental" "A module stays expanded as it was.",
    StaleStaticCheck "incremental-stale-static-check" "incremental" "What is written anew is not checked.",
    StaleBody "incremental-stale-body" "incremental" "What is written anew is not compiled.",
    StaleEdges "incremental-stale-edges" "incremental" "References that come and go change nothing.",
    StaleState "incremental-stale-state" "incremental" "What is planned again begins with what the plan before made of the state.",
    StaleChecks "incremental-stale-checks" "incremental" "Objects of checks that are no longer there stay.",
    ChangesStayRecorded "incremental-changes-stay-recorded" "incremental" "Changes of the plan before count as actions of it.",
    PendingForgotten "incremental-pending-forgotten" "incremental" "Data are read as they were, whatever becomes of what they wait for.",
    ObjectForgotten "incremental-object-forgotten" "incremental" "An object that became another is not planned again.",
    VariableForgotten "incremental-variable-forgotten" "incremental" "A variable with another value is not evaluated again.",
    ReplaceForgotten "incremental-replace-forgotten" "incremental" "An address to be replaced that comes or goes changes nothing.",
    SourcesIrrelevant "optimized-sources-irrelevant" "G155" "What an argument is made of is not relevant where the argument is.",
    RefreshWritesErrors "optimized-refresh-writes-errors" "U114" "The command refresh writes its result in spite of errors.",
    LineageNotCompared "optimized-lineage-not-compared" "U03" "A saved plan of another workspace is only stale.",
    VariablesNotCompared "optimized-variables-not-compared" "U05" "A saved plan is applied whatever variables are given with it.",
    ImportReads "optimized-import-reads" "G15" "The command import reads what is stored.",
    ImportTakesOrphans "optimized-import-takes-orphans" "G15" "The command import looks at objects without a block.",
    ImportOverwrites "optimized-import-overwrites" "U116" "The command import takes the place of what is stored.",
    DeposedOrdered "optimized-deposed-ordered" "G83" "Stored lists order deposed objects in every engine.",
    UndeclaredFailsBlock "optimized-undeclared-fails-block" "G49" "A target that is not declared fails its block.",
    UnusedKept "optimized-unused-kept" "U18" "Blocks that nothing waits for stay in an apply.",
    ModulesWait "optimized-modules-wait" "U33" "Instances of a module wait for one another.",
    HaltedGoOn "optimized-halted-go-on" "U70" "What waits for a call that was under way when a signal came is visited.",
    MovesUnchecked "incremental-moves-unchecked" "incremental" "Moves that did nothing are not held against what is expanded otherwise.",
    MergedAsTheyCome "concurrent-merged-as-they-come" "concurrent" "What workers found is taken in as it comes.",
    PartDiagnosticsForgotten "concurrent-part-diagnostics-forgotten" "concurrent" "Only the first part of a block reports anything.",
    FirstPartDecides "concurrent-first-part-decides" "concurrent" "Only the first part of a block decides whether it failed.",
    SlotsKept "concurrent-slots-kept" "concurrent" "A worker sees in all module instances what it saw in the first.",
    FrontAwaitsNothing "concurrent-front-awaits-nothing" "concurrent" "Blocks are planned together that wait for one another.",
    FrontNeverFails "concurrent-front-never-fails" "concurrent" "What waits for a block that failed among others is planned.",
    OwnBeforePassed "optimized-own-before-passed" "E171" "A block without arguments comes before the configuration that is passed in its place.",
    CheckDataLeftOut "optimized-target-leaves-out-data-of-checks" "G113" "Data of a check are not kept where a target names them.",
    EphemeralConditionsPass "optimized-conditions-of-ephemeral-resources-pass" "E156a" "Conditions of ephemeral resources are not looked at.",
    NumbersAllRead "optimized-refresh-takes-in-numbers-not-read" "G156" "A refresh takes in numbers of objects that targets leave out.",
    TemplateCounted "optimized-template-counted" "E31" "Blocks are held to their least and greatest number where that is not known.",
    SecondSingleRead "optimized-second-single-read" "E29" "Faults of a single block are reported that is there once more.",
    ContentsOnce "optimized-contents-reported-once" "E31" "Faulty references in a dynamic block are reported once, not for each element.",
}
