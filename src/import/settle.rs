//! A possible result of a plan: the planned value with every unknown settled.

use planfuzz_core::value::{
    MapNode, Node, Number, Refinement, Text, Tri, Truth, Type, Value, ValueError, ValueRef, includes,
};

/// The value of an unknown text without refinements.
const SETTLED: &str = "known after apply";

/// The planned value with every unknown settled: as the prior object has it, where that is allowed there, else with the simplest
/// value that is not null and lies in its range.
///
/// # Errors
/// None, unless the value is not of its own type.
pub fn settled(planned: &Value, prior: &Value) -> Result<Value, ValueError> {
    let like = (prior.ty() == planned.ty()).then(|| prior.view());
    let node = node(planned.view(), like)?;
    Ok(Value::from_parts(planned.ty().clone(), node))
}

fn node(planned: ValueRef<'_>, prior: Option<ValueRef<'_>>) -> Result<Node, ValueError> {
    if planned.is_wholly_known() {
        return Ok(planned.node().clone());
    }
    if planned.is_unknown() {
        return Ok(of_unknown(planned, prior));
    }
    let prior = prior.filter(|prior| prior.is_present());
    let children = planned.children().enumerate().map(|(at, (step, child))| {
        let like = match planned.ty() {
            // Elements of sets cannot be matched.
            Type::Set(_) => None,
            Type::Map(_) => prior.and_then(|prior| prior.apply(&step)),
            Type::Object(_) => prior.and_then(|prior| prior.apply(&step)),
            _ => prior.and_then(|prior| prior.element(at)),
        };
        let node = node(child, like.filter(|like| like.ty() == child.ty()))?;
        Ok(Value::from_parts(child.ty().clone(), node))
    });
    let children = children.collect::<Result<Vec<Value>, ValueError>>()?;
    let rebuilt = match planned.ty() {
        Type::Set(element) => Value::set(element, children)?.into_parts().1,
        Type::Map(element) => {
            let keys = planned.entries().map(|(key, _)| key.clone());
            Value::map(element, keys.zip(children).collect())?.into_parts().1
        }
        _ => Node::seq(children.into_iter().map(|child| child.into_parts().1).collect()),
    };
    Ok(rebuilt)
}

fn of_unknown(planned: ValueRef<'_>, prior: Option<ValueRef<'_>>) -> Node {
    let is_allowed = |value: ValueRef<'_>| includes(planned, value) != Tri::False;
    if let Some(prior) = prior.filter(|prior| prior.is_present() && prior.is_wholly_known() && is_allowed(*prior)) {
        return prior.node().clone();
    }
    let simplest = simplest(planned);
    let is_right = is_allowed(ValueRef::new(planned.ty(), &simplest));
    if is_right { simplest } else { Node::Null }
}

fn simplest(planned: ValueRef<'_>) -> Node {
    let plain = Refinement::default();
    let record = match planned.node() {
        Node::Unknown(Some(record)) => record,
        _ => &plain,
    };
    match planned.ty() {
        Type::Bool => Node::Bool(Truth(true)),
        Type::String if record.prefix().is_empty() => Node::String(Text::new(SETTLED)),
        Type::String => Node::String(Text::new(&format!("{}settled", record.prefix()))),
        Type::Number => Node::Number(number(record)),
        Type::List(_) => Node::seq(vec![Node::Null; usize::try_from(record.lengths().0).unwrap_or(0).min(64)]),
        Type::Set(_) => Node::seq(Vec::new()),
        Type::Map(_) => Node::Map(triomphe::Arc::new(MapNode::from_sorted(Vec::new()))),
        Type::Dynamic | Type::Tuple(_) | Type::Object(_) => Node::Null,
    }
}

fn number(record: &Refinement) -> Number {
    match (record.number_min(), record.number_max()) {
        (Some(min), _) if min.inclusive => min.value.clone(),
        (_, Some(max)) if max.inclusive => max.value.clone(),
        (Some(min), _) => {
            min.value.to_i64().and_then(|least| least.checked_add(1)).map_or(Number::from(1_i64), Number::from)
        }
        (None, Some(max)) => {
            max.value.to_i64().and_then(|most| most.checked_sub(1)).map_or(Number::from(1_i64), Number::from)
        }
        (None, None) => Number::from(1_i64),
    }
}
