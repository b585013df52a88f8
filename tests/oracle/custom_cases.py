#!/usr/bin/env python3
"""Generates cases for the oracle of custom resources: random structural schemas with all attributes, and objects that have them, or nearly.

    tests/oracle/custom_cases.py --seed 7 --count 1000 > questions
    tests/oracle/custom_cases.py --defaults ...      schemas whose defaults are validated
    tests/oracle/custom_cases.py --columns ...       objects with the columns and fields of their definition
"""
import argparse
import copy
import json
import random

from custom_texts import COLUMNS, FORMATS, PATTERNS, SELECTABLE, TEXTS

NAMES = ["a", "b", "c", "name", "x-y", "p.q", "kind", "é", "items"]
KEYS = ["a", "k", "x-y", "zz", "name", ""]


class Cases:
    def __init__(self, random_):
        self.random = random_

    def chance(self, share):
        return self.random.random() < share

    def pick(self, options):
        return self.random.choice(options)

    # Schemas.

    def schema(self, depth, inside=False):
        kinds = ["integer", "number", "boolean", "string", "string", "either", "preserved"]
        if depth > 0:
            kinds += ["object", "object", "array", "array", "map", "map"]
            if not inside:
                kinds.append("embedded")
        schema = getattr(self, "schema_" + self.pick(kinds))(depth - 1)
        if self.chance(0.15):
            schema["nullable"] = True
        if self.chance(0.12):
            self.add_choices(schema)
        if self.chance(0.15):
            self.add_combination(schema)
        if self.chance(0.2):
            schema["default"] = self.value(schema)
            if schema["default"] is None:
                del schema["default"]
        return schema

    def add_choices(self, schema):
        plain = {k: v for k, v in schema.items() if k != "enum"}
        schema["enum"] = [self.value(plain) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.2):
            schema["enum"].append(self.pick([1, 1.5, "a", None, True, 97, {"a": 1}]))

    def maybe(self, schema, key, values, share=0.3):
        if self.chance(share):
            schema[key] = self.pick(values)

    def schema_integer(self, depth):
        schema = {"type": "integer"}
        self.maybe(schema, "format", ["int32", "int64", "float", "date"], 0.4)
        self.add_limits(schema)
        return schema

    def schema_number(self, depth):
        schema = {"type": "number"}
        self.maybe(schema, "format", ["float", "double", "int32"], 0.4)
        self.add_limits(schema)
        return schema

    def add_limits(self, schema):
        self.maybe(schema, "minimum", [0, 1, -5, 2.5, 1e6, 1 << 40, -1e20], 0.25)
        self.maybe(schema, "maximum", [0, 3, 10, 2.5, 123456789, 1e20, 0.00001], 0.25)
        self.maybe(schema, "exclusiveMinimum", [True, False], 0.1)
        self.maybe(schema, "exclusiveMaximum", [True, False], 0.1)
        self.maybe(schema, "multipleOf", [1, 2, 0.5, 3, 0.1, 2.5], 0.2)

    def schema_boolean(self, depth):
        schema = {"type": "boolean"}
        self.maybe(schema, "format", ["date"], 0.05)
        return schema

    def schema_string(self, depth):
        schema = {"type": "string"}
        self.maybe(schema, "format", list(FORMATS) + ["int32", "unknown-one"], 0.5)
        self.maybe(schema, "maxLength", [0, 1, 3, 12], 0.2)
        self.maybe(schema, "minLength", [0, 1, 3], 0.2)
        self.maybe(schema, "pattern", PATTERNS, 0.25)
        return schema

    def schema_either(self, depth):
        schema = {"x-kubernetes-int-or-string": True}
        if self.chance(0.5):
            schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        self.maybe(schema, "pattern", PATTERNS, 0.2)
        self.maybe(schema, "maximum", [3, 2.5], 0.2)
        self.maybe(schema, "format", ["date", "ipv4"], 0.1)
        return schema

    def schema_preserved(self, depth):
        schema = {"x-kubernetes-preserve-unknown-fields": True}
        self.maybe(schema, "type", ["object"], 0.6)
        if "type" in schema and depth > 0 and self.chance(0.4):
            schema["properties"] = {self.pick(NAMES): self.schema(depth)}
        return schema

    def schema_object(self, depth):
        names = self.random.sample(NAMES, self.random.randrange(4))
        schema = {"type": "object", "properties": {name: self.schema(depth) for name in names}}
        if not names and self.chance(0.5):
            del schema["properties"]
        if self.chance(0.4):
            schema["required"] = self.random.sample(names + ["missing"], self.random.randint(1, len(names) + 1))
        self.maybe(schema, "minProperties", [0, 1, 2], 0.1)
        self.maybe(schema, "maxProperties", [0, 1, 2], 0.1)
        self.maybe(schema, "x-kubernetes-map-type", ["atomic", "granular"], 0.1)
        self.maybe(schema, "x-kubernetes-preserve-unknown-fields", [True], 0.1)
        return schema

    def schema_embedded(self, depth):
        schema = {"type": "object", "x-kubernetes-embedded-resource": True}
        names = [name for name in self.random.sample(NAMES, 2) if name != "kind"]
        schema["properties"] = {name: self.schema(depth, True) for name in names}
        self.maybe(schema, "x-kubernetes-preserve-unknown-fields", [True], 0.5)
        return schema

    def schema_array(self, depth):
        schema = {"type": "array", "items": self.schema(depth)}
        self.maybe(schema, "minItems", [0, 1, 2], 0.2)
        self.maybe(schema, "maxItems", [0, 1, 2], 0.2)
        self.maybe(schema, "x-kubernetes-list-type", ["atomic", "set"], 0.5)
        if self.chance(0.4):
            keys = self.random.sample(["k", "name", "port"], self.random.randint(1, 2))
            schema["items"] = self.schema_object(depth)
            properties = schema["items"].setdefault("properties", {})
            for key in keys:
                properties[key] = {"type": self.pick(["string", "integer", "boolean", "number"])}
            schema["x-kubernetes-list-type"] = "map"
            schema["x-kubernetes-list-map-keys"] = keys
        return schema

    def schema_map(self, depth):
        schema = {"type": "object", "additionalProperties": self.pick([True, self.schema(depth), self.schema(depth), self.schema(depth)])}
        self.maybe(schema, "minProperties", [0, 1, 2], 0.15)
        self.maybe(schema, "maxProperties", [0, 1, 2], 0.15)
        return schema

    # allOf, anyOf, oneOf, not: checks without types, over the parts that the schema has.

    def add_combination(self, schema):
        for keyword in self.random.sample(["allOf", "anyOf", "oneOf", "not"], self.random.randint(1, 2)):
            if keyword == "not":
                schema["not"] = self.restriction(schema)
            elif keyword != "anyOf" or "anyOf" not in schema:
                schema[keyword] = [self.restriction(schema) for _ in range(self.random.randint(1, 3))]

    def restriction(self, schema):
        inner = {}
        self.maybe(inner, "enum", [["a", "abc"], [1, 3], [True], [2.5, "a"]], 0.15)
        self.maybe(inner, "format", ["date", "ipv4", "hostname"], 0.1)
        self.maybe(inner, "minimum", [0, 2, 2.5], 0.25)
        self.maybe(inner, "maximum", [3, 1e30], 0.15)
        self.maybe(inner, "multipleOf", [2, 0.5], 0.1)
        self.maybe(inner, "pattern", PATTERNS, 0.25)
        self.maybe(inner, "maxLength", [1, 3], 0.15)
        self.maybe(inner, "minItems", [1], 0.15)
        self.maybe(inner, "maxProperties", [1], 0.15)
        self.maybe(inner, "required", [["a"], ["name", "b"]], 0.25)
        if "properties" in schema and schema["properties"] and self.chance(0.6):
            name = self.pick(list(schema["properties"]))
            inner["properties"] = {name: self.restriction(schema["properties"][name])}
        if "items" in schema and self.chance(0.4):
            inner["items"] = self.restriction(schema["items"])
        if self.chance(0.1):
            inner["anyOf"] = [self.restriction(schema), self.restriction(schema)]
        return inner

    # Values.

    def value(self, schema):
        if self.chance(0.04):
            return None
        if self.chance(0.04):
            return self.pick([1, 2.5, "x", [1], {"y": 1.5}, True, [], {}, "2024-02-29"])
        if "default" in schema and self.chance(0.2):
            return copy.deepcopy(schema["default"])
        if schema.get("enum") and self.chance(0.8):
            return copy.deepcopy(self.pick(schema["enum"]))
        if schema.get("x-kubernetes-int-or-string"):
            return self.pick([1, 80, "5%", "http", 3.0, 97])
        kind = schema.get("type")
        if kind == "integer":
            return self.pick([0, 1, 3, -7, 6, 1 << 40, 1 << 31, 4.0, 2.5, 1e20, 97])
        if kind == "number":
            return self.pick([0, 1, 2.5, -1.25, 3.0, 0.3, 1e-7, 1e39, 1 << 50, 1234567.5, 6])
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "string":
            return self.text(schema)
        if kind == "array":
            return self.items(schema)
        if kind == "object":
            return self.members(schema)
        return self.pick([1, "x", [1, {"z": None}], {"y": 1.5, "a": {"b": None}}, None])

    def text(self, schema):
        if schema.get("format") in FORMATS and self.chance(0.8):
            return self.pick(FORMATS[schema["format"]])
        return self.pick(TEXTS)

    def items(self, schema):
        values = [self.value(schema["items"]) for _ in range(self.random.randrange(4))]
        if values and self.chance(0.3):
            values.append(copy.deepcopy(self.pick(values)))
        for value in values:
            for key in schema.get("x-kubernetes-list-map-keys", []):
                if isinstance(value, dict) and self.chance(0.8):
                    value[key] = self.pick([1, "a", "b", True, 1.0])
        return values

    def members(self, schema):
        value = {}
        for name, inner in schema.get("properties", {}).items():
            if self.chance(0.75):
                value[name] = self.value(inner)
        additional = schema.get("additionalProperties")
        if additional is not None:
            for key in self.random.sample(KEYS, self.random.randrange(3)):
                value[key] = self.value(additional) if isinstance(additional, dict) else self.pick([1, {"a": 1}, [{"b": 2}]])
        if self.chance(0.12):
            value[self.pick(["unknown", "other"])] = self.pick([1, "u", {"deep": 1}, [{"x": 1}], None])
        if schema.get("x-kubernetes-embedded-resource"):
            self.add_resource(value)
        return value

    def add_resource(self, value):
        if self.chance(0.9):
            value["apiVersion"] = self.pick(["v1", "apps/v1", "apps/v1", "a/b/c", ""])
        if self.chance(0.9):
            value["kind"] = self.pick(["Pod", "Pod", "not valid", "", "x_y"])
        if self.chance(0.05):
            value[self.pick(["apiVersion", "kind"])] = 7
        if self.chance(0.7):
            value["metadata"] = self.metadata()

    def metadata(self):
        metadata = {}
        self.maybe(metadata, "name", ["x", "a/b", "x", ".."], 0.6)
        self.maybe(metadata, "namespace", ["default", "Not"], 0.3)
        self.maybe(metadata, "labels", [{"a": "b"}, {"a b": "c"}, {}, None], 0.4)
        self.maybe(metadata, "creationTimestamp", [None, "2024-02-29T12:00:00Z"], 0.2)
        self.maybe(metadata, "unknown", [1, {"x": 1}], 0.15)
        self.maybe(metadata, "finalizers", [["a.example.com/x"], []], 0.2)
        self.maybe(metadata, "generation", [3, 0], 0.2)
        if self.chance(0.06):
            metadata.update(self.pick([{"name": 5}, {"labels": {"a": 1}}, {"finalizers": "x"}, {"creationTimestamp": "soon"}]))
        return metadata

    # Objects.

    def root(self):
        properties = {"spec": self.schema_object(3)}
        if self.chance(0.6):
            properties["status"] = self.schema(2)
        if self.chance(0.2):
            properties["extra"] = self.schema(2)
        if self.chance(0.1):
            properties["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[a-z]$"}}}
        schema = {"type": "object", "properties": properties}
        self.maybe(schema, "required", [["spec"], ["spec", "status"]], 0.3)
        self.maybe(schema, "x-kubernetes-preserve-unknown-fields", [True], 0.05)
        return schema

    def object(self, schema):
        value = {"apiVersion": "oracle.example.com/v1", "kind": "Case",
                 "metadata": {"name": "x", "namespace": "default", "resourceVersion": "5", "uid": "u"}}
        for name, inner in schema["properties"].items():
            if name != "metadata" and self.chance(0.9):
                value[name] = self.value(inner)
        if self.chance(0.1):
            value["unknown"] = self.pick([1, {"x": {"y": 1}}])
        if self.chance(0.15):
            value["metadata"].update(self.pick([
                {"unknown": 1}, {"labels": {"a": "b"}}, {"labels": {"a": 1}}, {"annotations": None}, {"creationTimestamp": None},
                {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "more": 1}]}, {"finalizers": 3}]))
        return value

    def changed(self, schema, value):
        """Another value of the schema that has much in common with it."""
        if not isinstance(value, (dict, list)) or self.chance(0.1):
            return self.value(schema) if self.chance(0.3) else copy.deepcopy(value)
        if isinstance(value, list):
            items = [self.changed(schema.get("items", {}), item) if self.chance(0.3) else copy.deepcopy(item) for item in value]
            if self.chance(0.2):
                self.random.shuffle(items)
            return items
        properties = schema.get("properties", {})
        additional = schema.get("additionalProperties")
        result = {}
        for name, inner in value.items():
            known = properties.get(name, additional if isinstance(additional, dict) else {})
            if self.chance(0.9):
                result[name] = self.changed(known, inner) if self.chance(0.4) else copy.deepcopy(inner)
        return result

    def old(self, schema, value):
        result = copy.deepcopy(value)
        for name, inner in schema["properties"].items():
            if name in value and name != "metadata":
                result[name] = self.changed(inner, value[name])
        result["metadata"] = {"name": "x", "namespace": "default", "resourceVersion": "5", "uid": "u"}
        return result

    def question(self):
        schema = self.root()
        value = self.object(schema)
        case = {"schema": schema, "object": value, "strict": self.chance(0.5)}
        if self.chance(0.5):
            case["old"] = self.old(schema, value)
            case["status"] = self.chance(0.3)
        if self.chance(0.1):
            case["drop"] = True
        if self.chance(0.15):
            case["scale"] = {"specReplicasPath": self.pick([".spec.a", ".spec.name"]), "statusReplicasPath": ".status.a",
                             "labelSelectorPath": ".status.name"}
        return case

    def columns(self):
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        value = {"apiVersion": "oracle.example.com/v1", "kind": "Case", "metadata": {"name": "x", "namespace": "default", "creationTimestamp": "2024-02-29T12:00:00Z"}}
        value["spec"] = {name: self.free(3) for name in self.random.sample(["a", "b", "name", "x-y"], 3)} if self.chance(0.8) else [self.free(2)]
        value["status"] = self.free(3)
        columns = [{"name": "c%d" % i, "type": self.pick(["integer", "number", "string", "boolean", "date"]),
                    "jsonPath": self.pick(COLUMNS)} for i in range(4)]
        fields = [{"jsonPath": path} for path in self.random.sample(SELECTABLE, 2)]
        return {"schema": schema, "object": value, "columns": columns, "fields": fields}

    def free(self, depth):
        if depth == 0 or self.chance(0.3):
            return self.pick([1, 2.5, "x", "2024-02-29T12:00:00Z", True, None, 1 << 40, 1e7, "", -3])
        if self.chance(0.4):
            return [self.free(depth - 1) for _ in range(self.random.randrange(4))]
        return {name: self.free(depth - 1) for name in self.random.sample(["a", "b", "name", "type", "status", "x-y"], self.random.randrange(1, 5))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--defaults", action="store_true")
    parser.add_argument("--columns", action="store_true")
    options = parser.parse_args()
    cases = Cases(random.Random(options.seed))
    for _ in range(options.count):
        if options.defaults:
            case = {"schema": cases.root(), "defaults": True}
        else:
            case = cases.columns() if options.columns else cases.question()
        print(json.dumps(case))


main()
