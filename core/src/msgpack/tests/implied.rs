use super::*;

#[track_caller]
fn check(bytes: &[u8], want: &str) {
    match implied_type(bytes) {
        Ok(found) => assert_eq!(found.to_v05_text(), want, "{bytes:02x?}"),
        Err(error) => panic!("{bytes:02x?}: {error}"),
    }
}

#[track_caller]
fn check_error(bytes: &[u8]) {
    let found = implied_type(bytes);
    assert!(found.is_err(), "{bytes:02x?}: {found:?}");
}

#[test]
fn v90_every_kind_of_document() {
    check(&base64("gqFhw6FiwA=="), r#"["object",{"a":"bool","b":"dynamic"}]"#);
    check(&base64("kgHUAAA="), r#"["tuple",["number","dynamic"]]"#);
    check(&base64("gcQBYcM="), r#"["object",{"a":"bool"}]"#);
    check(&[0xc7, 3, 99, 1, 2, 3], "\"dynamic\"");
    check(&[0xca, 0, 0, 0, 0], "\"number\"");
    check(&[0xa1, 0xff], "\"string\"");
    check(&[0x80], r#"["object",{}]"#);
    check(&[0xdd, 0, 0, 0, 0], r#"["tuple",[]]"#);
    check(&[0x81, 0xc0, 1], r#"["object",{"":"number"}]"#);
    check(&[0x82, 0xa1, b'a', 1, 0xa1, b'a', 0xc3], r#"["object",{"a":"bool"}]"#);
}

#[test]
fn v90_bytes_without_a_type_are_refused() {
    check_error(&base64("xAFh"));
    check_error(&[0xc1]);
    check_error(&[0x81, 1, 1]);
    check_error(&[]);
    check_error(&[0xcd, 0]);
    check_error(&[0xa2, b'a']);
    check_error(&[0x91]);
    check_error(&[0xdd, 0xff, 0xff, 0xff, 0xff]);
}

#[test]
fn v90_a_header_cut_inside_its_length_counts_as_dynamic() {
    check(&base64("3gA="), "\"dynamic\"");
    check(&[0xde], "\"dynamic\"");
    check(&[0x91, 0xdd, 0, 0, 0], r#"["tuple",["dynamic"]]"#);
    check_error(&[0x92, 0xdd, 0, 0, 0]);
}

#[test]
fn v90_bytes_after_the_document() {
    check_error(&base64("w8M="));
    check(&base64("/5E="), "\"number\"");
    for cut_between_pieces in [
        &[0x91][..],
        &[0x92, 1],
        &[0x81],
        &[0x81, 1],
        &[0xa3],
        &[0xd9],
        &[0xd9, 5],
        &[0xcd],
        &[0xcb],
        &[0xd4],
        &[0xc7],
        &[0xc7, 5],
        &[0xc7, 0],
        &[0xdd],
        &[0xdd, 0xff, 0xff, 0xff, 0xff],
    ] {
        check(&[&[0xc3], cut_between_pieces].concat(), "\"bool\"");
    }
    for whole_or_cut_inside_a_piece in [
        &[0x91, 1][..],
        &[0xa3, b'a'],
        &[0xa0],
        &[0xd9, 0],
        &[0xda, 0],
        &[0xcd, 0],
        &[0xd4, 0],
        &[0xd4, 0, 0],
        &[0xc7, 0, 0],
        &[0xdd, 0],
        &[0xc1],
        &[0x92, 0xc1],
    ] {
        check_error(&[&[0xc3], whole_or_cut_inside_a_piece].concat());
    }
}
