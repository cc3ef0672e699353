//! Mistakes planted on purpose in planners of workspaces, one at a time: campaigns are measured by how many they find.
//!
//! A planner lists its mistakes with [`planted_faults!`](crate::planted_faults), and asks at the place where each would be made whether it is
//! planted. Only builds with the feature `faults` of its crate have the list.

/// The catalogue of a planner's mistakes: a type `Fault` with one value for each, and `Faulty`, the planner that has one of them.
#[macro_export]
macro_rules! planted_faults {
    ($right:ident; $($ident:ident $name:literal $rule:literal $description:literal,)*) => {
        /// A mistake: each a plausible slip in one rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $(#[doc = $description] $ident,)*
        }

        impl Fault {
            /// All of them.
            pub const ALL: &'static [Fault] = &[$(Fault::$ident,)*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $(Fault::$ident => $name,)* }
            }

            /// The rule that it breaks.
            pub fn rule(self) -> &'static str {
                match self { $(Fault::$ident => $rule,)* }
            }

            /// What it does wrong.
            pub fn description(self) -> &'static str {
                match self { $(Fault::$ident => $description,)* }
            }

            /// The planner with the mistake.
            pub fn planner(self) -> &'static Faulty<$right> {
                match self { $(Fault::$ident => &Faulty(Fault::$ident, $right),)* }
            }
        }

        ::std::thread_local! {
            static PLANTED: ::std::cell::Cell<Option<Fault>> = const { ::std::cell::Cell::new(None) };
            static TURNS: ::std::cell::Cell<bool> = const { ::std::cell::Cell::new(false) };
        }

        pub(crate) fn is_planted(fault: Fault) -> bool {
            PLANTED.get() == Some(fault)
        }

        /// Whether a mistake is planted that is made every other time.
        #[allow(dead_code, reason = "not every planner has such a mistake")]
        pub(crate) fn is_planted_in_turns(fault: Fault) -> bool {
            is_planted(fault) && TURNS.replace(!TURNS.get())
        }

        /// The mistake that is planted in this thread.
        #[allow(dead_code, reason = "not every planner has several threads")]
        pub(crate) fn planted() -> Option<Fault> {
            PLANTED.get()
        }

        /// Runs `act` with this mistake planted in the thread.
        #[allow(dead_code, reason = "not every planner has several threads")]
        pub(crate) fn with<T>(planted: Option<Fault>, act: impl FnOnce() -> T) -> T {
            let _here = Here(PLANTED.replace(planted));
            act()
        }

        /// The mistake that is planted in this thread until this is dropped.
        struct Here(Option<Fault>);

        impl Here {
            fn plant(fault: Fault) -> Here {
                Here(PLANTED.replace(Some(fault)))
            }
        }

        impl Drop for Here {
            fn drop(&mut self) {
                PLANTED.set(self.0);
            }
        }

        /// A planner with a mistake.
        #[derive(Clone, Copy, Debug)]
        pub struct Faulty<P>(pub Fault, pub P);

        impl<P: $crate::WorkspacePlanner> $crate::WorkspacePlanner for Faulty<P> {
            fn name(&self) -> &str {
                self.0.name()
            }

            fn refusal(&self) -> Option<&str> {
                self.1.refusal()
            }

            fn in_another_order(&self, seed: u64) -> Option<Box<dyn $crate::WorkspacePlanner>> {
                let other = self.1.in_another_order(seed)?;
                Some(Box::new(Faulty(self.0, other)))
            }

            fn begin(&self) -> Option<Box<dyn $crate::WorkspacePlanner + '_>> {
                let begun = self.1.begin()?;
                Some(Box::new(Faulty(self.0, begun)))
            }

            fn plan(
                &self,
                workspace: &$crate::Workspace,
                providers: &mut dyn $crate::Providers,
            ) -> $crate::Planned {
                let _here = Here::plant(self.0);
                self.1.plan(workspace, providers)
            }

            fn apply(
                &self,
                workspace: &$crate::Workspace,
                plan: &$crate::Plan,
                providers: &mut dyn $crate::Providers,
            ) -> $crate::Applied {
                let _here = Here::plant(self.0);
                self.1.apply(workspace, plan, providers)
            }

            fn refuses(
                &self,
                workspace: &$crate::Workspace,
                plan: &$crate::Plan,
                saved: &$crate::Saved,
            ) -> Vec<$crate::Diagnostic> {
                let _here = Here::plant(self.0);
                self.1.refuses(workspace, plan, saved)
            }

            fn refresh(
                &self,
                workspace: &$crate::Workspace,
                providers: &mut dyn $crate::Providers,
            ) -> $crate::Written {
                let _here = Here::plant(self.0);
                self.1.refresh(workspace, providers)
            }

            fn import(
                &self,
                workspace: &$crate::Workspace,
                asked: &$crate::Import,
                providers: &mut dyn $crate::Providers,
            ) -> $crate::Written {
                let _here = Here::plant(self.0);
                self.1.import(workspace, asked, providers)
            }
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn every_fault_has_a_name_of_its_own_and_a_description() {
                let names: ::std::collections::BTreeSet<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
                assert_eq!(names.len(), Fault::ALL.len());
                assert!(Fault::ALL.iter().all(|fault| fault.description().ends_with('.') && !fault.rule().is_empty()));
            }

            #[test]
            fn a_mistake_is_planted_only_as_long_as_its_guard_lives() {
                let (one, other) = (Fault::ALL[0], Fault::ALL[1]);
                assert!(!is_planted(one));
                let here = Here::plant(one);
                assert!(is_planted(one) && !is_planted(other));
                drop(here);
                assert!(!is_planted(one));
            }
        }
    };
}
