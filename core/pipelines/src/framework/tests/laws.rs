//! Laws that hold for every value.

use proptest::prelude::*;

use super::*;
use planfuzz_core::value::{Text, ValueRef};

const BLOCK: &str = r#"{"attributes":{
    "a":{"type":"string","optional":true},
    "c":{"type":"string","computed":true},
    "d":{"type":"dynamic","optional":true,"computed":true},
    "m":{"nested_type":{"nesting_mode":"map","attributes":{"x":{"type":["set","string"],"optional":true},
        "y":{"type":"string","computed":true}}},"optional":true},
    "s":{"nested_type":{"nesting_mode":"set","attributes":{"x":{"type":"string","optional":true},
        "y":{"type":"number","optional":true,"computed":true}}},"optional":true},
    "w":{"type":"string","optional":true,"write_only":true}},
    "block_types":{"b":{"nesting_mode":"list","block":{"attributes":{"x":{"type":"string","optional":true}},
        "block_types":{"i":{"nesting_mode":"set","block":{"attributes":{"z":{"type":"bool","required":true}}}}}}}}}"#;

/// Values of a type, with unknowns if `unknown`.
fn values(ty: &Type, unknown: bool) -> BoxedStrategy<Value> {
    let present: BoxedStrategy<Value> = match ty {
        Type::Dynamic => prop_oneof![values(&Type::String, unknown), values(&Type::list(Type::Bool), unknown)].boxed(),
        Type::Bool => any::<bool>().prop_map(Value::bool).boxed(),
        Type::Number => (0..3_i64).prop_map(Value::number).boxed(),
        Type::String => "[aAb]{0,2}".prop_map(|text| Value::string(&text)).boxed(),
        Type::List(element) | Type::Set(element) => {
            let (element, of, is_set) = (values(element, unknown), (**element).clone(), matches!(ty, Type::Set(_)));
            let elements = prop::collection::vec(element, 0..4);
            let make = move |elements| if is_set { Value::set(&of, elements) } else { Value::list(&of, elements) };
            elements.prop_map(move |elements| make(elements).expect("elements of one type")).boxed()
        }
        Type::Map(element) => {
            let (entry, of) = (("[kl]", values(element, unknown)), (**element).clone());
            let named = |(key, value): (String, Value)| (Text::new(&key), value);
            let make = move |entries: Vec<_>| Value::map(&of, entries.into_iter().map(named).collect());
            prop::collection::vec(entry, 0..3).prop_map(move |entries| make(entries).expect("one type")).boxed()
        }
        Type::Object(object) => {
            let members: Vec<_> = object.attributes().iter().map(|one| values(&one.ty, unknown)).collect();
            let names: Vec<Text> = object.attributes().iter().map(|one| one.name.clone()).collect();
            members.prop_map(move |members| Value::object(names.iter().cloned().zip(members).collect())).boxed()
        }
        Type::Tuple(_) => unreachable!("the schema has no tuples"),
    };
    let (null, other) = (Value::null(ty.clone()), Value::unknown(ty.clone()));
    let unknowns = u32::from(unknown);
    prop_oneof![6 => present, 1 => Just(null), unknowns => Just(other)].boxed()
}

/// A whole object, or null.
fn objects(unknown: bool) -> BoxedStrategy<Value> {
    values(&provider(BLOCK, "{}").ty, unknown).prop_filter("no unknown whole", |value| !value.is_unknown()).boxed()
}

const REPLACE: &str = r#"{"a":{"plan":["requires_replace"]},"b":{"plan":["requires_replace"],"element_plan":["requires_replace"]},
    "b.i.z":{"plan":["requires_replace"]},"m.x":{"plan":["requires_replace"]},"s":{"element_plan":["requires_replace"]},
    "s.x":{"plan":["requires_replace"]},"s.y":{"default":1,"plan":["use_state_for_unknown","requires_replace"]}}"#;

/// Whether a list or set contains a null object.
fn has_null_object(value: ValueRef<'_>) -> bool {
    let is_listed = matches!(value.ty(), Type::List(_) | Type::Set(_));
    let is_null_object = |part: ValueRef<'_>| is_listed && part.is_null() && matches!(part.ty(), Type::Object(_));
    value.children().any(|(_, part)| is_null_object(part) || has_null_object(part))
}

proptest! {
    /// F40: if the prior state is proposed, it is planned, whatever the configuration. Null elements of blocks would become objects (F58);
    /// Core never sends any.
    #[test]
    fn without_rules_a_proposed_prior_is_planned(prior in objects(false), config in objects(true)) {
        prop_assume!(!has_null_object(prior.view()));
        let provider = provider(BLOCK, "{}");
        // Changes by F03 and F30 do not count, so prior is read first.
        let prior = provider.program.read(&prior, Returned { value: Some(&prior), is_error: false }).expect("values").new_state;
        let planned = provider.program.plan(PlanRequest { prior: &prior, config: &config, proposed: &prior });
        let planned = planned.expect("a plan");
        prop_assert_eq!(planned.planned, prior);
        prop_assert!(planned.requires_replace.is_empty());
    }

    /// F07, F90: no path leads into a set, no path repeats, and a create or a destroy has none.
    #[test]
    fn replacement_is_cut_at_sets(prior in objects(false), config in objects(true)) {
        let provider = provider(BLOCK, REPLACE);
        let request = PlanRequest { prior: &prior, config: &config, proposed: &config };
        match provider.program.plan(request) {
            Ok(planned) => {
                let paths: Vec<String> = planned.requires_replace.iter().map(WrittenPath::to_string).collect();
                prop_assert!(paths.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", paths);
                let is_in_set = |path: &String| path.starts_with(".s.") || path.starts_with(".s[") || path.contains(".i[");
                prop_assert!(!paths.iter().any(is_in_set), "{:?}", paths);
                prop_assert!(paths.is_empty() || !prior.is_null() && !config.is_null());
                prop_assert!(planned.planned.ty().conforms_to(&provider.ty));
            }
            Err(PlanError::Diagnostics(errors)) => prop_assert!(errors.iter().all(|error| error.rule == "F63")),
            Err(PlanError::Unfit(problem)) => prop_assert!(false, "{}", problem),
        }
    }

    /// A new state already has the outer form. This does not hold with equivalences inside the objects of a set, where F123 moves fields
    /// from one element to another.
    #[test]
    fn a_second_read_changes_nothing(current in objects(false), returned in objects(true)) {
        let provider = provider(BLOCK, r#"{"a":{"equal":"case"},"m.x":{"equal":"case"}}"#);
        let read = |current: &Value, value: &Value| {
            provider.program.read(current, Returned { value: Some(value), is_error: false }).expect("values")
        };
        let once = read(&current, &returned);
        prop_assert!(once.new_state.ty().conforms_to(&provider.ty));
        if once.errors.is_empty() {
            prop_assert_eq!(read(&once.new_state, &once.new_state).new_state, once.new_state);
        }
    }

    /// F41: only attributes that are computed and not configured are marked; blocks are never added or dropped (F47).
    #[test]
    fn only_computed_attributes_are_marked(config in objects(true)) {
        let provider = provider(BLOCK, "{}");
        let marked = provider.program.mark_unknown(&config, &config).expect("values");
        if !config.is_null() {
            for name in ["a", "b", "w"] {
                prop_assert_eq!(member(&marked, name).to_value(), member(&config, name).to_value());
            }
            let config = member(&config, "c");
            prop_assert_eq!(member(&marked, "c").is_unknown(), config.is_null() || config.is_unknown());
        }
    }

    /// Validation gives a result for every configuration, and the same each time.
    #[test]
    fn validation_is_total(config in objects(true)) {
        let provider = provider(BLOCK, "{}");
        let validate = || provider.program.validate(&config, true).expect("a configuration");
        prop_assert_eq!(validate(), validate());
    }
}
