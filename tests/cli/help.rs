//! The help of the command, and a build without what an option needs.

use crate::Place;
use crate::help_and_completions::commands;

#[test]
fn help_has_an_example() {
    let place = Place::new();
    // Completions are not tried out, but installed.
    for command in commands().iter().filter(|command| *command != "completions") {
        let ended = place.run(&[command, "--help"]);
        ended.ends(0, &[]);
        assert!(ended.out.contains("Example: "), "{}", ended.out);
        assert!(ended.out.contains(&format!("planfuzz {command}")), "{}", ended.out);
    }
    let ended = place.run(&["--help"]);
    assert!(ended.out.contains("Example: planfuzz"));
}

#[test]
fn measuring_takes_no_built_in_choices() {
    let place = Place::new();
    for choice in [["--subject", "reference"], ["--op", "proposed_new"], ["--dialect", "opentofu-1.12"]] {
        place.run(&["measure", choice[0], choice[1]]).ends(2, &["expected files for --subject"]);
    }
}

#[cfg(not(feature = "faults"))]
#[test]
fn a_build_without_planted_faults_explains_how_to_make_one_with_them() {
    let crate::CommandOutput { code, out, err } = Place::new().run(&["kills", "--time", "1s"]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("error:") && err.contains("--features faults -- kills"), "{err}");
}
