//! Places in heredocs are places in the file, with indentation removed or not (E80b): a name is found at its place.

use planfuzz_language::SourcePlace;
use planfuzz_language::expression::{Expression, Kind, parse};

/// The text at the place of every name and every reference of an expression.
fn written(text: &str) -> Vec<String> {
    let tree = parse(text, SourcePlace::default()).unwrap_or_else(|faults| panic!("{text:?}: {faults:?}"));
    let mut found = Vec::new();
    collect(&tree, text, &mut found);
    found
}

fn collect(node: &Expression, text: &str, found: &mut Vec<String>) {
    let (start, end) = (node.place.span.start as usize, node.place.span.end as usize);
    let own = text.get(start..end).unwrap_or_else(|| panic!("{node:?} is at no place of {text:?}"));
    match &node.kind {
        Kind::Root(root) => assert_eq!(own, root.as_str(), "in {text:?}"),
        Kind::Attribute(_, name) => {
            assert!(own.ends_with(name.as_str()), "{own:?} in {text:?}");
            found.push(own.to_owned());
        }
        _ => {}
    }
    node.children().into_iter().for_each(|child| collect(child, text, found));
}

#[test]
fn places_of_names_in_heredocs_hold_these_names() {
    for text in [
        "<<X\n  a ${local.p}\n${local.q}\nX\n",
        "<<-X\n    a ${local.p}\n      ${local.q} b\n    X\n",
        "<<-X\r\n    a ${local.p}\r\n\r\n      é ${local.q}\r\n  X\r\n",
        "<<-X\n\t\ta ${[\n local.p,\n][0]}\n\t\t\t${local.q}\n\tX\n",
        "<<-X\n    a ${~ local.p ~}  \n      b\n    ${local.q}\n    X\n",
        "<<-X\n    %{ for x in local.p ~}\n      i ${x.a}\n    %{ endfor ~}\n    ${local.q}\n  X\n",
        "<<-X\n    a ${<<-Y\n      in ${local.p}\n        in2\n      Y\n    } z\n      ${local.q}\n    X\n",
        "<<-X\n    a ${<<X\n   ${local.p}\nX\n    } z\n      ${local.q}\n    X\n",
        "[<<-X\n    ${local.p}\n    X\n, local.q]",
    ] {
        let found = written(text);
        let kept: Vec<&str> = found.iter().map(String::as_str).filter(|name| name.starts_with("local")).collect();
        assert_eq!(kept, ["local.p", "local.q"], "in {text:?}");
    }
}

#[test]
fn only_a_name_at_the_end_of_a_line_begins_a_heredoc() {
    for text in ["<<X \na\nX\n", "<< X\na\nX\n", "<<- X\na\nX\n", "<<--X\na\nX\n", "<<\"X\"\na\nX\n", "<<1\na\n1\n"] {
        assert!(parse(text, SourcePlace::default()).is_err(), "{text:?}");
    }
    for text in ["<<X\na\n", "<<X\na ${\nX\n}\n", "<<-X\n  %{ if true }\n  X\n"] {
        assert!(parse(text, SourcePlace::default()).is_err(), "{text:?} does not end");
    }
}
