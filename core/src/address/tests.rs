//! PL70 to PL82.

use super::*;
use crate::dialect::Engine;

const TERRAFORM: Notation = Notation { engine: Engine::Terraform };
const OPENTOFU: Notation = Notation { engine: Engine::OpenTofu };

fn instance(text: &str) -> AbsResourceInstance {
    TERRAFORM.instance(text).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn pl71_pl82_printed_addresses_read_back() {
    for text in [
        "a_b.c",
        "data.a.b",
        "ephemeral.a.b[0]",
        "a.b[\"k\"]",
        "module.m.a.b",
        "module.m[0].module.n[\"x y\"].data.a.b-c[\"é\"]",
        "ünder.b",
    ] {
        assert_eq!(instance(text).to_string(), text);
        assert_eq!(OPENTOFU.instance(text).map(|address| address.to_string()).as_deref(), Ok(text));
    }
    for text in ["output.a", "module.m[2].output.a"] {
        assert_eq!(OutputAddress::parse(text).expect("an output").to_string(), text);
    }
    for text in [
        "provider[\"terraform.io/builtin/terraform\"]",
        "module.a.module.b.provider[\"h/n/t\"].west",
        "provider[\"h/n/t\"].west[\"k\"]",
    ] {
        assert_eq!(ProviderConfig::parse(text).expect("a provider").to_string(), text);
    }
    for text in ["", "module.a", "module.a[1].module.b"] {
        assert_eq!(ModuleInstance::parse(text).expect("a module").to_string(), text);
    }
}

#[test]
fn pl72_keys_are_quoted_as_the_configuration_language_does() {
    let key = |text: &str| InstanceKey::Text(text.to_owned()).to_string();
    assert_eq!(key("a\n\r\t\"\\"), r#"["a\n\r\t\"\\"]"#);
    assert_eq!(key("${x} $ %{ %"), r#"["$${x} $ %%{ %"]"#);
    assert_eq!(key("\u{7}é\u{a0}\u{e0001}"), "[\"\\u0007é\\u00a0\\U000e0001\"]");
    for text in ["a\n\r\t\"\\", "${x} $ %{ %", "\u{7}é\u{a0}\u{e0001}", "$", "$$ {", "]\"["] {
        let address = AbsResourceInstance { key: InstanceKey::Text(text.to_owned()), ..instance("a.b") };
        assert_eq!(instance(&address.to_string()), address);
    }
}

#[test]
fn pl74_the_order_is_by_module_mode_type_name_and_key() {
    let sorted = [
        "data.z.z",
        "a.a",
        "a.b",
        "a.b[2]",
        "a.b[10]",
        "a.b[\"1\"]",
        "a.b[\"a\"]",
        "b.a",
        "module.b.a.a",
        "module.b[0].a.a",
        "module.b[\"k\"].a.a",
        "module.c.a.a",
        "module.a.module.a.a.a",
    ];
    let mut shuffled: Vec<AbsResourceInstance> = sorted.iter().rev().map(|text| instance(text)).collect();
    shuffled.sort();
    let shuffled: Vec<String> = shuffled.iter().map(ToString::to_string).collect();
    assert_eq!(shuffled, sorted);
}

#[test]
fn pl75_pl77_errors_of_invalid_addresses_have_an_offset() {
    for (text, expected, offset) in [
        ("", "a name", 0),
        ("a", "a name", 1),
        ("a.b.c", "the end", 3),
        ("a.b[0][1]", "the end", 6),
        ("a.b[*]", "a whole number or a string in quotes", 4),
        ("a.b[-1]", "a whole number or a string in quotes", 4),
        ("a.b[1.5]", "a whole number of 64 bits", 4),
        ("a.b[1_0]", "\"]\"", 5),
        ("a.b[99999999999999999999]", "a whole number of 64 bits", 4),
        ("a.b[\"${x}\"]", "a string without interpolation", 5),
        ("a.b[\"x", "the end of the string", 6),
        ("a.b[\"\\q\"]", "an escape of the configuration language", 5),
        ("a.b + 1", "\".\", \"[\" or the end", 4),
        ("module.a", "a name", 8),
        ("[0].a", "a name", 0),
    ] {
        let problem = TERRAFORM.instance(text).expect_err(text);
        assert_eq!((problem.expected, problem.offset), (expected, offset), "{text}");
    }
    assert_eq!(instance(" a . b [ 0 ] ").to_string(), "a.b[0]");
    assert_ne!(instance("a.b[0]"), instance("a.b[\"0\"]"));
}

#[test]
fn pl78_terraform_has_a_prefix_and_reserved_words() {
    assert_eq!(instance("resource.var.x").to_string(), "var.x");
    assert!(TERRAFORM.instance("var.x").is_err());
    assert!(OPENTOFU.instance("var.x").is_ok());
    assert_eq!(OPENTOFU.instance("resource.x").map(|address| address.resource.type_name).as_deref(), Ok("resource"));
}

#[test]
fn pl79_a_target_is_a_module_a_resource_or_an_instance() {
    let target = |text| TERRAFORM.target(text).expect("a target");
    assert!(matches!(target("module.a"), Target::Module(_)));
    assert!(matches!(target("module.a[0].b.c"), Target::Resource(_)));
    assert!(matches!(target("b.c[\"k\"]"), Target::Instance(_)));
}

#[test]
fn pl33_pl34_pl37_instances_know_what_they_are_of() {
    let address = instance("module.a[0].module.b[\"k\"].x.y[3]");
    assert_eq!(address.config_resource().to_string(), "module.a.module.b.x.y");
    assert!(address.is_of_config(&address.config_resource()) && address.is_of(&address.abs_resource()));
    assert!(!instance("module.a.module.b.x.y[3]").is_of(&address.abs_resource()));
    let parent = ModuleInstance::parse("module.a[0]").expect("a module");
    assert!(address.module.is_of_call(&parent, "b") && !parent.is_of_call(&parent, "a"));
    assert!(!ModuleInstance::ROOT.is_of_call(&ModuleInstance::ROOT, "a"));
}

#[test]
fn pl75_pl77_the_same_address_is_written_in_several_ways() {
    for text in ["a.b[00]", "a.b[0.0]", "a.b[0e1]", "\u{feff}a.b[0]", "a.b/* c */[0] # d", "a.b[0]// d\n"] {
        assert_eq!(TERRAFORM.instance(text).map(|address| address.to_string()).as_deref(), Ok("a.b[0]"), "{text}");
    }
    assert_eq!(instance("a.b[10e-1]").to_string(), "a.b[1]");
}

#[test]
fn pl78_behind_the_word_resource_stands_a_managed_one() {
    assert_eq!(instance("resource.data.b").resource.mode, ResourceMode::Managed);
    assert!(TERRAFORM.instance("resource.data.a.b").is_err());
}

#[test]
fn pl83_invalid_addresses_have_the_summaries_of_an_engine() {
    for (text, summaries) in [
        ("", &["Variable name required"][..]),
        ("a.", &["Attribute name required"]),
        ("a.*", &["Attribute name required"]),
        ("a.b[*]", &["Attribute name required"]),
        ("a.b[x]", &["Index value required"]),
        ("a.b['x']", &["Invalid character", "Index value required"]),
        ("a.b[0", &["Unclosed index brackets"]),
        ("a.b[\"x", &["Unterminated string literal", "Unclosed index brackets"]),
        ("a.b[\"\\q\"]", &["Invalid escape sequence"]),
        ("a.b[\"${x}\"]", &["Invalid string literal"]),
        ("a.b[\"\n\"]", &["Invalid multi-line string", "Invalid string literal"]),
        ("a.b c", &["Invalid character"]),
        ("a.b;", &["Invalid character", "Invalid character"]),
        ("a.b@", &["Invalid character", "Invalid character"]),
        ("module", &["Invalid address operator"]),
        ("module.m[0][1].a.b", &["Invalid address operator"]),
        ("a.b[1.5]", &["Invalid address"]),
        ("a.b.c", &["Invalid address"]),
    ] {
        assert_eq!(TERRAFORM.instance(text).expect_err(text).summaries, summaries, "{text}");
    }
}
