//! Reads the coverage of a corpus from the line that libFuzzer prints.

/// The number of edges that a run with `-runs=0` prints: that of its line `INITED`, or of the last line `DONE` where the corpus is
/// empty. A line without edges counts as 0: no file of the corpus is an input.
pub fn coverage_in(printed: &str) -> Option<u64> {
    let of = |event: &str| printed.lines().filter_map(|line| coverage_of(line, event)).next_back();
    of("INITED").or_else(|| of("DONE"))
}

/// As in `#12 INITED cov: 57 ft: 83 corp: 10/520b exec/s: 0 rss: 30Mb`.
fn coverage_of(line: &str, event: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace();
    words.next().filter(|word| word.starts_with('#'))?;
    words.next().filter(|word| *word == event)?;
    match words.find(|word| *word == "cov:") {
        Some(_) => words.next()?.parse().ok(),
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_loaded_corpus_has_the_coverage() {
        let printed = "INFO: Running with entropic power schedule (0xFF, 100).\nINFO: Seed: 1\n\
            #11\tINITED cov: 57 ft: 83 corp: 10/520b exec/s: 0 rss: 30Mb\n#11\tDONE   cov: 57 ft: 83 corp: 10/520b\n";
        assert_eq!(coverage_in(printed), Some(57));
        let empty = "#1\tDONE   cov: 3 ft: 2 corp: 1/1b lim: 4096 exec/s: 0 rss: 30Mb\n";
        assert_eq!(coverage_in(empty), Some(3));
        assert_eq!(coverage_in("#38\tINITED exec/s: 0 rss: 38Mb\n#38\tDONE   lim: 4 exec/s: 0 rss: 38Mb\n"), Some(0));
    }

    #[test]
    fn other_lines_have_none() {
        for printed in ["", "INITED cov: 5", "#2 NEW cov: 5", "2 INITED ft: 5", "#2 INITED cov: many", "cov: 3"] {
            assert_eq!(coverage_in(printed), None, "{printed}");
        }
    }
}
