#!/usr/bin/env python3
"""A provider in Python that keeps its promises, or breaks the one that its first argument names.

It is written with the framework `tf` (`pip install tf`), as its users write theirs: what is broken here are the provider's own methods, not
the protocol. Objects are in memory.
"""

import os
import sys

from msgpack import ExtType
from tf.iface import DataSource, Provider, Resource
from tf.runner import run_provider
from tf.schema import Attribute, Schema
from tf.types import Map, Number, String, Unknown
from tf.utils import Diagnostics

BREACH = sys.argv[1] if len(sys.argv) > 1 else "none"
OBJECTS: dict[str, dict] = {}
MADE = 0


def number() -> int:
    """Another number each time."""
    global MADE
    MADE += 1
    return MADE


class Thing(Resource):
    def __init__(self, provider):
        self.provider = provider

    @classmethod
    def get_name(cls) -> str:
        return "thing"

    @classmethod
    def get_schema(cls) -> Schema:
        return Schema(
            version=1,
            attributes=[
                Attribute("id", String(), computed=True),
                Attribute("name", String(), required=True, requires_replace=True),
                Attribute("mode", String(), optional=True),
                Attribute("size", Number(), optional=True),
                Attribute("note", String(), optional=True, computed=True),
                Attribute("stamp", String(), computed=True),
                Attribute("tags", Map(String()), optional=True),
            ],
        )

    def validate(self, diags: Diagnostics, type_name: str, config: dict):
        super().validate(diags, type_name, config)
        # The framework hands on an unknown that engines know something of as it came over the wire, and not as Unknown.
        is_unknown = config["mode"] is Unknown or isinstance(config["mode"], ExtType)
        if not is_unknown and config["mode"] not in (None, "fast", "slow"):
            diags.add_error('expected mode to be one of ["fast" "slow"]', path=["mode"])
        if BREACH == "bad-diagnostic" and config["mode"] is not None:
            diags.add_warning("mode is old", path=["nosuch"])

    def plan(self, ctx, current, planned):
        """Of updates alone: the framework plans what is created."""
        if BREACH == "config-changed" and planned["mode"] == "fast":
            planned["mode"] = "slow"
        if BREACH == "unset-set" and planned["size"] is None:
            planned["size"] = 5
        if BREACH == "unstable":
            planned["stamp"] = f"n{number()}"
        if BREACH == "perpetual":
            planned["stamp"] = Unknown
        return planned

    def create(self, ctx, planned):
        if BREACH == "late-refusal" and planned["tags"] is not None:
            ctx.diagnostics.add_error("tags are not supported", path=["tags"])
            return None
        if BREACH == "dies" and planned["tags"] is not None:
            os._exit(2)
        made = {**planned, "id": f"i-{number()}"}
        return self.stored(made)

    def update(self, ctx, current, planned):
        return self.stored(planned)

    def stored(self, state: dict) -> dict:
        given = {"note": "auto", "stamp": "now"}
        if BREACH == "unknown-left":
            del given["stamp"]
        for name, value in given.items():
            if state[name] is Unknown:
                state[name] = value
        if BREACH == "result-differs" and state["size"] is not None:
            state["size"] = 77
        OBJECTS[state["id"]] = {**state}
        return state

    def read(self, ctx, current):
        found = OBJECTS.get(current["id"])
        if found is None:
            return None
        found = {**found}
        if BREACH == "read-differs" and found["size"] is not None:
            found["size"] = 78
        if BREACH == "import-partial" and current["name"] is None:
            found["mode"] = None
        return found

    def delete(self, ctx, current):
        if BREACH != "not-gone":
            OBJECTS.pop(current["id"], None)

    def import_(self, ctx, id: str):
        names = [attribute.name for attribute in self.get_schema().attributes]
        return {**dict.fromkeys(names), "id": id} if id in OBJECTS else None


class Here(DataSource):
    def __init__(self, provider):
        self.provider = provider

    @classmethod
    def get_name(cls) -> str:
        return "here"

    @classmethod
    def get_schema(cls) -> Schema:
        return Schema(attributes=[Attribute("name", String(), required=True), Attribute("text", String(), computed=True)])

    def read(self, ctx, config):
        return {"name": config["name"], "text": "here is " + config["name"]}


class Planted(Provider):
    def get_model_prefix(self) -> str:
        return "py_"

    def full_name(self) -> str:
        return "tf.example.com/planfuzz/py"

    def get_provider_schema(self, diags: Diagnostics) -> Schema:
        return Schema(version=0)

    def validate_config(self, diags: Diagnostics, config: dict):
        pass

    def configure_provider(self, diags: Diagnostics, config: dict):
        pass

    def get_data_sources(self):
        return [Here]

    def get_resources(self):
        return [Thing]


if __name__ == "__main__":
    run_provider(Planted(), [sys.argv[0]])
