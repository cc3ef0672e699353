"""The line protocol of planfuzz, and the notation of types and values in it (docs/formats.md).

Nothing here knows how to plan. `serve` reads requests and writes answers; `read` and `write` turn the JSON of a value into a
`Value` and back, directed by the type that the schema gives its place.

A type is a string ("string", "dynamic", ...) or a tuple: ("list", T), ("set", T), ("map", T), ("tuple", (T, ...)),
("object", ((name, T), ...)) with the names in order. So types can be compared with ==.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from typing import Any, Callable, Dict, Iterable, List, NamedTuple

DYNAMIC = "dynamic"


# Values


class Number(str):
    """A number as its JSON text: no float is as precise as a number can be, and what came in goes out as it was."""


class Unknown(NamedTuple):
    """In the place of data that nobody knows yet: with `True`, or with the refinements, which are carried and never read."""

    facts: Any = True


class Value(NamedTuple):
    """A value with its own type.

    The data is None for null, an Unknown, or what is known: a bool, a str, a Number (the infinities are the strings "inf" and
    "-inf", as in the notation), a list of values for lists, tuples and sets, a dict of values for maps and objects. A set is a
    list in the order in which the set iterates; that of a request arrives in that order.
    """

    type: Any
    data: Any

    @property
    def is_null(self) -> bool:
        return self.data is None

    @property
    def is_unknown(self) -> bool:
        return isinstance(self.data, Unknown)

    @property
    def is_known(self) -> bool:
        return not self.is_null and not self.is_unknown

    @property
    def kind(self) -> str:
        """The first word of the type: "string", "list", "object", ..."""
        return kind_of(self.type)


def null(ty: Any) -> Value:
    return Value(ty, None)


def unknown(ty: Any) -> Value:
    return Value(ty, Unknown())


class Refusal(Exception):
    """The input is refused, as it must be where the engine crashes. Any other exception is a bug of the planner."""


# Types


def kind_of(ty: Any) -> str:
    return ty if isinstance(ty, str) else ty[0]


def object_type(attributes: Dict[str, Any]) -> Any:
    return "object", tuple(sorted(attributes.items()))


@functools.lru_cache(maxsize=4096)
def has_dynamic(ty: Any) -> bool:
    kind = kind_of(ty)
    if kind == "object":
        return any(has_dynamic(inner) for _, inner in ty[1])
    if kind == "tuple":
        return any(has_dynamic(inner) for inner in ty[1])
    return ty == DYNAMIC if isinstance(ty, str) else has_dynamic(ty[1])


def element_type(elements: Iterable[Value]) -> Any:
    """The one type that the elements of a collection have (V08): where they have several, an engine crashes."""
    types = {element.type for element in elements} - {DYNAMIC}
    if len(types) > 1:
        raise Refusal("expected elements of one type")
    return types.pop() if types else DYNAMIC


def read_type(notation: Any, keeps_optional: bool = False) -> Any:
    """A type from its JSON. Values that come from outside are of types that do not say which attributes are optional."""
    if isinstance(notation, str):
        return notation
    kind, inner = notation[0], notation[1]
    if kind == "object":
        ty = object_type({name: read_type(ty, keeps_optional) for name, ty in inner.items()})
        return (*ty, tuple(sorted(notation[2]))) if keeps_optional and len(notation) > 2 and notation[2] else ty
    if kind == "tuple":
        return kind, tuple(read_type(ty, keeps_optional) for ty in inner)
    return kind, read_type(inner, keeps_optional)


def write_type(ty: Any) -> Any:
    kind = kind_of(ty)
    if kind == "object":
        optional = [list(names) for names in ty[2:]]
        return [kind, {name: write_type(inner) for name, inner in ty[1]}, *optional]
    if kind == "tuple":
        return [kind, [write_type(inner) for inner in ty[1]]]
    return ty if isinstance(ty, str) else [kind, write_type(ty[1])]


# Values as JSON


def read(notation: Any, declared: Any) -> Value:
    """The value that some JSON is where the schema says `declared`."""
    if declared == DYNAMIC:
        if notation is None:
            return null(DYNAMIC)
        if "$unknown" in notation:
            return unknown(DYNAMIC)
        return read(notation["value"], read_type(notation["type"]))
    if notation is None:
        return null(declared)
    if isinstance(notation, dict) and "$unknown" in notation:
        return Value(declared, Unknown(notation["$unknown"]))
    kind = kind_of(declared)
    if kind == "object":
        members = {name: read(notation[escaped(name)], ty) for name, ty in declared[1]}
        # The type is the declared one, unless there is something dynamic inside that now has a type of its own.
        ty = declared if not has_dynamic(declared) else object_type({name: of.type for name, of in members.items()})
        return Value(ty, members)
    if kind == "tuple":
        items = [read(item, ty) for item, ty in zip(notation, declared[1])]
        return Value((kind, tuple(item.type for item in items)), items)
    if kind == "map":
        members = {unescaped(key): read(item, declared[1]) for key, item in notation.items()}
        ty, values = alike(declared, members.values())
        return Value(ty, dict(zip(members, values)))
    if kind in ("list", "set"):
        return Value(*alike(declared, [read(item, declared[1]) for item in notation]))
    return Value(declared, notation)


def alike(declared: Any, elements: Iterable[Value]) -> Any:
    """The type of a collection with these elements, and the elements with the type that they share.

    They come with one type each. Only where something dynamic is inside it can look otherwise: the notation does not write the
    type of a null, so that it is read as one of the declared type, and takes on that of its neighbours here.
    """
    elements = list(elements)
    if not elements or not has_dynamic(declared):
        return declared, elements
    shared = functools.reduce(common, (element.type for element in elements))
    return (declared[0], shared), [retyped(element, shared) for element in elements]


def common(one: Any, other: Any) -> Any:
    """Of two types the one that says more, part by part."""
    if one == other or other == DYNAMIC:
        return one
    if one == DYNAMIC:
        return other
    if kind_of(one) == "object" and kind_of(other) == "object":
        return "object", tuple((name, common(a, b)) for (name, a), (_, b) in zip(one[1], other[1]))
    if kind_of(one) == "tuple" and kind_of(other) == "tuple":
        return "tuple", tuple(common(a, b) for a, b in zip(one[1], other[1]))
    if isinstance(one, tuple) and isinstance(other, tuple) and one[0] == other[0]:
        return one[0], common(one[1], other[1])
    raise Refusal("expected elements of one type")


def retyped(value: Value, ty: Any) -> Value:
    if value.type == ty:
        return value
    data, kind = value.data, kind_of(ty)
    if value.is_known and kind == "object":
        data = {name: retyped(data[name], inner) for name, inner in ty[1]}
    elif value.is_known and kind == "tuple":
        data = [retyped(item, inner) for item, inner in zip(data, ty[1])]
    elif value.is_known and kind == "map":
        data = {key: retyped(item, ty[1]) for key, item in data.items()}
    elif value.is_known and kind in ("list", "set"):
        data = [retyped(item, ty[1]) for item in data]
    return Value(ty, data)


def write(value: Value, declared: Any) -> Any:
    """The JSON of a value where the schema says `declared`."""
    if declared == DYNAMIC and value.type != DYNAMIC:
        return {"type": write_type(value.type), "value": write(value, value.type)}
    data = value.data
    if data is None:
        return None
    if isinstance(data, Unknown):
        return {"$unknown": data.facts}
    kind = value.kind
    if kind == "object":
        return {escaped(name): write(data[name], ty) for name, ty in declared[1]}
    if kind == "tuple":
        return [write(item, ty) for item, ty in zip(data, declared[1])]
    if kind == "map":
        return {escaped(key): write(item, declared[1]) for key, item in data.items()}
    if kind in ("list", "set"):
        return [write(item, declared[1]) for item in data]
    return data


def escaped(name: str) -> str:
    return "$" + name if name.startswith("$") else name


def unescaped(name: str) -> str:
    return name[1:] if name.startswith("$") else name


# Lines


def parse(line: bytes) -> Any:
    return json.loads(line, parse_int=Number, parse_float=Number)


def text_of(notation: Any) -> str:
    """JSON text: what `json.dumps` writes, but that a Number is a number."""
    if isinstance(notation, Number):
        return str(notation)
    if isinstance(notation, dict):
        return "{" + ",".join([f"{json.dumps(name)}:{text_of(of)}" for name, of in notation.items()]) + "}"
    if isinstance(notation, list):
        return "[" + ",".join([text_of(item) for item in notation]) + "]"
    return json.dumps(notation)


Operation = Callable[[Dict[str, Any]], Any]
"""Takes a request, and gives what formats.md has in `want`."""


def serve(name: str, operations_in: Callable[[str], Dict[str, Operation]]) -> None:
    """Answers the requests on standard input until it ends, by the operations that there are in the dialect of the greeting."""
    operations: Dict[str, Operation] = {}

    def answer(line: bytes) -> str:
        request = parse(line)
        head = {"id": request["id"]} if "id" in request else {"hello": Number(1)}
        try:
            if "id" in head:
                return text_of({**head, "ok": operations[request["op"]](request)})
            operations.update(operations_in(request["dialect"]))
            return text_of({**head, "name": name, "ops": list(operations)})
        except Refusal as refusal:
            return text_of({**head, "error": str(refusal)})

    for lines in batches():
        # The answers to all that was there go out together; then whoever waits has everything that there is.
        sys.stdout.write("".join([answer(line) + "\n" for line in lines]))
        sys.stdout.flush()


def batches() -> Iterable[List[bytes]]:
    """The lines of standard input, as many at a time as are there."""
    begun: List[bytes] = []
    while True:
        chunk = os.read(sys.stdin.fileno(), 1 << 16)
        if not chunk:
            return
        begun.append(chunk)
        if b"\n" in chunk:
            *lines, rest = b"".join(begun).split(b"\n")
            begun = [rest]
            yield lines
