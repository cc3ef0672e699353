#!/usr/bin/env python3
"""A small planner, in Python, as a subject of planfuzz.

    planfuzz run --subject reference --subject 'exec:python3 examples/python-planner/planner.py'

It answers `proposed_new`, `planned_data_resource` and `normalize_legacy`. The letters with numbers are the rules of
docs/spec/merge-and-rules.md (M, LN), schema.md (S) and values.md (V) that a function follows; schemas are the JSON that
`terraform providers schema -json` prints, read as it stands.
"""

from __future__ import annotations

import argparse
import re
from decimal import Decimal
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from protocol import (
    DYNAMIC,
    Operation,
    Refusal,
    Value,
    element_type,
    has_dynamic,
    null,
    object_type,
    read,
    read_type,
    serve,
    unknown,
    write,
)

Schema = Dict[str, Any]
"""A block, an attribute, a nested type or a block type, as its JSON."""

Rule = Callable[[Value, Value], Value]
"""What becomes of one element: of its prior value, and of its configured one."""


class Dialect(NamedTuple):
    """An engine and its version 1.x, as far as the operations here differ between them."""

    engine: str
    minor: int

    @classmethod
    def of(cls, name: str) -> Dialect:
        known = re.fullmatch(r"(terraform|opentofu)-1\.(\d+)", name)
        if known is None:
            raise Refusal(f"expected a dialect such as terraform-1.11, found {name}")
        return cls(known[1], int(known[2]))

    @property
    def merges_new_map_elements(self) -> bool:
        """D01"""
        return self.engine == "terraform" and self.minor >= 12

    @property
    def has_group_nested_types(self) -> bool:
        """D07"""
        return self.engine == "terraform" and self.minor >= 15


class Planner:
    """The operations in one dialect. `bug` is the name of the one that it has on purpose."""

    def __init__(self, dialect: Dialect, bug: Optional[str] = None) -> None:
        self.dialect = dialect
        self.bug = bug

    # The operations

    def proposed_new(self, block: Schema, prior: Value, config: Value) -> Value:
        """M01"""
        if prior.is_null:
            if config.is_null:
                return prior
            prior = self.empty(block)
        return self.merge_block(block, prior, config)

    def planned_data_resource(self, block: Schema, config: Value) -> Value:
        """M40"""
        return self.merge_block(block, unknown(self.type_of_block(block)), config)

    def normalize_legacy(self, block: Schema, value: Value) -> Value:
        """LN01"""
        if value.is_null:
            return value
        members = dict(members_of(value, block))
        for name, inner in blocks_of(block).items():
            members[name] = self.normalize_nested_block(inner, members[name])
        return object_value(members)

    # Merging blocks

    def merge_block(self, block: Schema, prior: Value, config: Value) -> Value:
        """M02"""
        if not config.is_known:
            return prior
        before, configured = members_of(prior, block), members_of(config, block)
        merged = self.merge_attributes(block, before, configured)
        for name, inner in blocks_of(block).items():
            merged[name] = self.merge_nested_block(inner, before[name], configured[name])
        return object_value(merged)

    def merge_nested_block(self, inner: Schema, prior: Value, config: Value) -> Value:
        """M15"""
        block, mode = inner["block"], inner["nesting_mode"]

        def rule(prior: Value, config: Value) -> Value:
            return self.proposed_new(block, prior, config)

        if config.is_unknown or (config.is_null and mode != "group"):
            return config
        if mode in ("single", "group"):
            return rule(prior, config)
        return self.merge_collection(mode, block, rule, prior, config)

    # Merging attributes

    def merge_attribute(self, attribute: Schema, prior: Value, config: Value) -> Value:
        """M10"""
        if is_computed(attribute) and config.is_null:
            return config if has_configured_parts(attribute, prior) else prior
        nested = attribute.get("nested_type")
        if nested is None or config.is_unknown:
            return config
        if nested["nesting_mode"] == "group" and self.dialect.has_group_nested_types:
            raise Refusal("expected no nested type of mode group in a merge (M11)")
        if config.is_null:
            return config

        def rule(prior: Value, config: Value) -> Value:
            return self.merge_nested_object(nested, prior, config)

        # M11
        if nested["nesting_mode"] == "single":
            return rule(prior, config)
        return self.merge_collection(nested["nesting_mode"], nested, rule, prior, config)

    def merge_nested_object(self, nested: Schema, prior: Value, config: Value) -> Value:
        """M12: an unknown object becomes a known one, all of whose members are unknown."""
        if config.is_null:
            return config
        return object_value(self.merge_attributes(nested, members_of(prior, nested), members_of(config, nested)))

    def merge_attributes(self, schema: Schema, prior: Dict[str, Value], config: Dict[str, Value]) -> Dict[str, Value]:
        """The attributes of a block or of a nested type."""
        attributes = attributes_of(schema).items()
        return {name: self.merge_attribute(attribute, prior[name], config[name]) for name, attribute in attributes}

    # Merging collections

    def merge_collection(self, mode: str, schema: Schema, rule: Rule, prior: Value, config: Value) -> Value:
        """The elements of `config`, which is known, each with what belongs to it in `prior`."""
        if mode == "list":
            return self.merge_list(rule, prior, config)
        if mode == "map":
            return self.merge_map(rule, prior, config)
        if mode == "set":
            return self.merge_set(schema, rule, prior, config)
        raise Refusal(f"expected no nested type of mode {mode} in a merge (M11)")

    def merge_list(self, rule: Rule, prior: Value, config: Value) -> Value:
        """M17"""
        if not count(config):
            return config
        merged = []
        for key, element in entries(config):
            is_new = prior.is_null or prior.is_known and not has(prior, key)
            merged.append(element if is_new else rule(at(prior, key), element))
        if config.kind == "tuple":
            return Value(("tuple", tuple(element.type for element in merged)), merged)
        return Value(("list", element_type(merged)), merged)

    def merge_map(self, rule: Rule, prior: Value, config: Value) -> Value:
        """M18"""
        if not count(config):
            return config
        if config.kind not in ("map", "object"):
            raise Refusal(f"expected a map or an object of blocks, found a value of type {config.kind} (M18)")
        if prior.is_known and prior.kind not in ("map", "object") and count(prior):
            names = [key for key, _ in entries(prior)]
            if any(not isinstance(name, str) or name in config.data for name in names):
                raise Refusal(f"expected a map or an object of blocks, found a prior value of type {prior.kind} (M18)")
        before = prior.data if isinstance(prior.data, dict) else {}
        merged = {}
        for key, element in config.data.items():
            if key in before:
                merged[key] = rule(before[key], element)
            elif self.dialect.merges_new_map_elements:
                merged[key] = rule((unknown if prior.is_unknown else null)(element.type), element)
            else:
                merged[key] = element
        if config.kind == "object":
            return object_value(merged)
        return Value(("map", element_type(merged.values())), merged)

    def merge_set(self, schema: Schema, rule: Rule, prior: Value, config: Value) -> Value:
        """M19

        The merged elements are not merged with each other, nor put in order: whoever reads a set does that (V50, V52).
        """
        if not config.data:
            return config
        unused = list(prior.data) if prior.is_known else []
        merged = []
        for element in config.data:
            before = next((one for one in unused if matches(one, element, schema)), None)
            if before is None:
                before = null(config.type[1])
            elif self.bug != "reused-prior":
                remove(unused, before)
            merged.append(rule(before, element))
        return Value(("set", element_type(merged)), merged)

    # What the legacy SDK leaves open

    def normalize_nested_block(self, inner: Schema, value: Value) -> Value:
        """LN02"""
        block, mode = inner["block"], inner["nesting_mode"]
        if mode == "map" or has_dynamic(self.type_of_block(block)):
            return value
        if mode in ("single", "group"):
            if value.is_unknown:
                return self.stub(block)
            if value.is_null:
                return value if mode == "single" else self.empty(block)
            return self.normalize_legacy(block, value)
        if value.is_unknown:
            stub = self.stub(block)
            return Value((mode, stub.type), [stub])
        if not value.data:
            return Value(value.type, [])
        elements = [self.normalize_legacy(block, element) for element in value.data]
        return Value((mode, element_type(elements)), elements)

    def stub(self, block: Schema) -> Value:
        """LN03"""
        if any("nested_type" in attribute for attribute in attributes_of(block).values()):
            raise Refusal("expected attributes with a type, as the legacy SDK has them, found a nested one (LN03)")
        members = {name: unknown(self.declared_type(of)) for name, of in attributes_of(block).items()}
        for name, inner in blocks_of(block).items():
            mode, ty = inner["nesting_mode"], self.type_of_nested_block(inner)
            if mode == "map":
                members[name] = Value(ty, {})
            else:
                stub = self.stub(inner["block"])
                members[name] = stub if mode in ("single", "group") else Value(ty, [stub])
        return object_value(members)

    # Schemas

    def type_of_block(self, block: Schema) -> Any:
        """S30"""
        types = {name: self.type_of_attribute(attribute) for name, attribute in attributes_of(block).items()}
        types.update((name, self.type_of_nested_block(inner)) for name, inner in blocks_of(block).items())
        return object_type(types)

    def type_of_nested_block(self, inner: Schema) -> Any:
        ty, mode = self.type_of_block(inner["block"]), inner["nesting_mode"]
        if mode in ("single", "group"):
            return ty
        return DYNAMIC if mode != "set" and has_dynamic(ty) else (mode, ty)

    def type_of_attribute(self, attribute: Schema) -> Any:
        nested = attribute.get("nested_type")
        if nested is None:
            return read_type(attribute["type"])
        ty = object_type({name: self.type_of_attribute(inner) for name, inner in attributes_of(nested).items()})
        mode = nested["nesting_mode"]
        if mode == "group" and not self.dialect.has_group_nested_types:
            return object_type({})  # S31
        return ty if mode in ("single", "group") else (mode, ty)

    def declared_type(self, attribute: Schema) -> Any:
        """S34: of what planning makes out of the schema alone."""
        leaf = attribute.get("type")
        return self.type_of_attribute(attribute) if leaf is None else read_type(leaf, keeps_optional=True)

    def empty(self, block: Schema) -> Value:
        """S35"""
        members = {name: null(self.declared_type(of)) for name, of in attributes_of(block).items()}
        for name, inner in blocks_of(block).items():
            members[name] = self.empty_nested_block(inner)
        return object_value(members)

    def empty_nested_block(self, inner: Schema) -> Value:
        mode, ty = inner["nesting_mode"], self.type_of_nested_block(inner)
        if mode == "single":
            return null(ty)
        if mode == "group":
            return self.empty(inner["block"])
        if mode == "map":
            return Value(object_type({}) if ty == DYNAMIC else ty, {})
        return Value(("tuple", ()) if ty == DYNAMIC else ty, [])


# Schemas


def attributes_of(schema: Schema) -> Dict[str, Schema]:
    """Of a block or of a nested type."""
    return schema.get("attributes", {})


def blocks_of(block: Schema) -> Dict[str, Schema]:
    return block.get("block_types", {})


def is_computed(attribute: Schema) -> bool:
    return attribute.get("computed", False)


def has_configured_parts(attribute: Schema, prior: Value) -> bool:
    """M21: whether the prior value of an optional nested attribute has anything inside that only a configuration can set."""
    nested = attribute.get("nested_type")
    return nested is not None and attribute.get("optional", False) and has_configured_members(nested, prior)


def has_configured_members(nested: Schema, value: Value) -> bool:
    if not value.is_known:
        return False
    if nested["nesting_mode"] in ("single", "group"):
        objects: Any = [value]
    else:
        objects = value.data.values() if isinstance(value.data, dict) else value.data
    for of in objects:
        for name, inner in (of.data if of.is_known else {}).items():
            attribute = attributes_of(nested)[name]
            if not inner.is_null and not is_computed(attribute):
                return True
            if attribute.get("nested_type") and has_configured_members(attribute["nested_type"], inner):
                return True
    return False


# Values


def object_value(members: Dict[str, Value]) -> Value:
    return Value(object_type({name: value.type for name, value in members.items()}), members)


def members_of(value: Value, schema: Schema) -> Dict[str, Value]:
    """The members of an object that a block or nested type describes: nulls in a null object, unknowns in an unknown one."""
    if value.is_known:
        members = value.data if value.kind == "object" else {}
    else:
        member = null if value.is_null else unknown
        members = {name: member(ty) for name, ty in value.type[1]} if value.kind == "object" else {}
    missing = [name for name in (*attributes_of(schema), *blocks_of(schema)) if name not in members]
    if missing or value.kind != "object":
        raise Refusal(f"expected an object with {missing}, found a value of type {value.kind} (M02)")
    return members


def item(value: Value, index: int) -> Optional[Value]:
    """The element of a list or tuple at an index; None where there is none."""
    if value.is_known:
        return value.data[index] if isinstance(value.data, list) and index < len(value.data) else None
    if value.is_null:
        return None
    if value.kind == "tuple":
        return unknown(value.type[1][index]) if index < len(value.type[1]) else None
    if value.type == DYNAMIC:
        return unknown(DYNAMIC)
    return unknown(value.type[1]) if value.kind == "list" else None


# Blocks whose type is dynamic: anything may stand there (M30)


def count(value: Value) -> int:
    if value.kind in ("tuple", "object"):
        return len(value.type[1])
    if value.kind in ("list", "set", "map") and value.is_known:
        return len(value.data)
    raise Refusal(f"expected a collection of blocks, found a value of type {value.kind} (M30)")


def entries(value: Value) -> Iterable[Tuple[Any, Value]]:
    """The keys and elements of a known value that has a count."""
    if isinstance(value.data, dict):
        return sorted(value.data.items(), key=lambda one: one[0].encode())
    return [(key_of(element) if value.kind == "set" else index, element) for index, element in enumerate(value.data)]


def key_of(element: Value) -> Any:
    """What an element of a set is as a key: a text, an index, or itself where it is neither."""
    if element.is_known and element.kind == "string":
        return element.data
    if element.is_known and element.kind == "number":
        number = Decimal(element.data)
        if number.is_finite() and number >= 0 and number.adjusted() < 18 and number == number.to_integral_value():
            return int(number)
    return element


def has(value: Value, key: Any) -> bool:
    if value.kind not in ("map", "list", "tuple"):
        raise Refusal(f"expected elements by key, found a value of type {value.kind} (M30)")
    sort, kind = ("string", str) if value.kind == "map" else ("number", int)
    if isinstance(key, Value) and not key.is_known and key.type == sort:
        raise Refusal("expected a key that is known and not null (M30)")
    if not isinstance(key, kind):
        return False
    return key in value.data if kind is str else key < len(value.data)


def at(value: Value, key: Any) -> Value:
    """The element at a key; where there is none by the rules, the engine crashes."""
    if value.kind == "map" and isinstance(key, str):
        found = entry(value, key)
        return null(value.type[1]) if found is None else found
    found = None if value.kind == "map" or isinstance(key, str) and value.type != DYNAMIC else item(value, key)
    if found is None:
        raise Refusal(f"expected an element at {key!r}, found none in a value of type {value.kind} (M30)")
    return found


def remove(values: List[Value], gone: Value) -> None:
    """Takes this very value out of a list, whatever is equal to it."""
    del values[next(index for index, value in enumerate(values) if value is gone)]


def same(one: Value, other: Value) -> bool:
    """Raw equality, refinements aside (V14, V30). Numbers are equal whatever their text (V21)."""
    if one.type != other.type:
        return False
    if not (one.is_known and other.is_known):
        return one.is_null == other.is_null and one.is_unknown == other.is_unknown
    if isinstance(one.data, dict):
        return one.data.keys() == other.data.keys() and all(same(of, other.data[key]) for key, of in one.data.items())
    if isinstance(one.data, list):
        return len(one.data) == len(other.data) and all(map(same, one.data, other.data))
    return Decimal(one.data) == Decimal(other.data) if one.type == "number" else one.data == other.data


def matches(prior: Value, config: Value, schema: Optional[Schema], attribute: Optional[Schema] = None) -> bool:
    """M22: whether an element of a prior set can be what became of a configured one.

    `schema` is the block or nested type that names the members here, `attribute` the attribute that this is the value of, if it
    is one.
    """
    if same(prior, config):
        return True
    if config.kind == "set":
        return False
    if attribute is not None and "nested_type" not in attribute:
        return is_computed(attribute) and config.is_null
    if not prior.is_known:
        return True
    if isinstance(prior.data, list):
        pairs = [(element, item(config, index), schema, None) for index, element in enumerate(prior.data)]
    elif prior.kind == "map":
        pairs = [(element, entry(config, key), schema, None) for key, element in prior.data.items()]
    elif config.is_null:
        return not prior.data  # a null object has no members
    else:
        others = members_of(config, schema)
        pairs = [(of, others[name], *lookup(schema, name)) for name, of in prior.data.items()]
    return all(other is not None and matches(one, other, *where) for one, other, *where in pairs)


def entry(value: Value, key: str) -> Optional[Value]:
    """The element of a map at a key; None where there is none."""
    if value.is_known:
        return value.data.get(key)
    return unknown(value.type[1]) if value.is_unknown else None


def lookup(schema: Schema, name: str) -> Any:
    """What names the members of a member, and the attribute that it is the value of (S60, S61)."""
    inner = blocks_of(schema).get(name)
    if inner is not None:
        return inner["block"], None
    attribute = attributes_of(schema)[name]
    return attribute.get("nested_type"), attribute


# The program

BUGS = {"reused-prior": "one prior element of a set can become several configured ones"}


def main() -> None:
    parser = argparse.ArgumentParser(description="A small planner that speaks the line protocol of planfuzz.")
    what = "; ".join(f"{name}: {text}" for name, text in BUGS.items())
    parser.add_argument("--bug", choices=BUGS, help=f"be wrong on purpose ({what})")
    bug = parser.parse_args().bug

    def operations_in(dialect: str) -> Dict[str, Operation]:
        planner = Planner(Dialect.of(dialect), bug)

        def on_values(op: Callable[..., Value], *inputs: str) -> Operation:
            def answer(request: Dict[str, Any]) -> Any:
                block = request["schema"]["block"]
                ty = planner.type_of_block(block)
                return {"value": write(op(block, *[read(request[name], ty) for name in inputs]), ty)}

            return answer

        return {
            "proposed_new": on_values(planner.proposed_new, "prior", "config"),
            "planned_data_resource": on_values(planner.planned_data_resource, "config"),
            "normalize_legacy": on_values(planner.normalize_legacy, "value"),
        }

    serve("python planner" if bug is None else f"python planner with {bug}", operations_in)


if __name__ == "__main__":
    main()
