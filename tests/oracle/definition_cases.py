#!/usr/bin/env python3
"""Generates CustomResourceDefinitions for the definition oracle: good ones with rules, mutated in a few places, created or updated.

    tests/oracle/definition_cases.py --seed 7 --count 1000 > questions
    tests/oracle/definition_cases.py --answer ORACLE               writes its answers into definition_picked.jsonl: cases that were picked by hand
"""
import argparse
import copy
import json
import os
import random
import subprocess

import cel_rules

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA_LISTS = ("allOf", "anyOf", "oneOf")

# What a mutation may write into any schema.
KEYWORDS = {
    "type": ["string", "object", "array", "integer", "text", "null", ""],
    "format": ["date", "no-such", "int32", "k8s-short-name"],
    "nullable": [True, False],
    "pattern": ["^a", "(", "[a", "a**"],
    "maxItems": [0, 3, 100000], "maxProperties": [0, 3], "maxLength": [0, 10],
    "uniqueItems": [True, False],
    "required": [["a"], []],
    "enum": [["a", "b"], []],
    "id": ["x", ""], "$schema": ["http://json-schema.org/schema#", ""], "$ref": ["#/x", ""],
    "title": ["t", ""], "description": ["d"],
    "not": [{"required": ["a"]}, {"type": "string"}, {"nullable": True}, {"properties": {"a": {"minimum": 1}}}, {"additionalProperties": False}],
    "allOf": [[{"required": ["a"]}], [{"anyOf": [{"type": "integer"}, {"type": "string"}]}], [{"x-kubernetes-validations": [{"rule": "true"}]}],
              [{"properties": {"metadata": {"maxProperties": 1}}}], [{"items": {"maxLength": 3}}], []],
    "anyOf": [[{"type": "integer"}, {"type": "string"}], [{"title": "x"}, {"description": "y"}], [{"default": 1}]],
    "oneOf": [[{"required": ["a"]}, {"required": ["b"]}], [{"x-kubernetes-list-type": "set"}], [{"additionalProperties": True}]],
    "additionalProperties": [True, False, {"type": "string"}, {}],
    "patternProperties": [{"a": {"type": "string"}}, {}], "definitions": [{"a": {"type": "string"}}, {}], "dependencies": [{"a": ["b"]}, {}],
    "additionalItems": [True, {"type": "string"}],
    "externalDocs": [{"url": "http://x"}], "example": [{"b": 1, "a": 2}],
    "x-kubernetes-preserve-unknown-fields": [True, False],
    "x-kubernetes-embedded-resource": [True], "x-kubernetes-int-or-string": [True],
    "x-kubernetes-list-type": ["atomic", "set", "map", "bag", ""],
    "x-kubernetes-list-map-keys": [["a"], ["a", "a"], ["name", "b"], []],
    "x-kubernetes-map-type": ["atomic", "granular", "bag"],
}
RULES = [
    {"rule": ""}, {"rule": "  "}, {"rule": "self"}, {"rule": "self == oldSelf"}, {"rule": "true\n", "message": "m"}, {"rule": "true ||\nfalse"},
    {"rule": "self.nowhere > 1"}, {"rule": "self ==", "message": "m"}, {"rule": "true", "message": "a\nb"}, {"rule": "true", "message": "  "},
    {"rule": "true", "messageExpression": "1"}, {"rule": "true", "messageExpression": "'a' +"}, {"rule": "true", "messageExpression": "  "},
    {"rule": "true", "messageExpression": "'a' + 'b'"}, {"rule": "true", "reason": "FieldValueForbidden"}, {"rule": "true", "reason": "Because"},
    {"rule": "true", "reason": ""}, {"rule": "true", "fieldPath": ".a"}, {"rule": "true", "fieldPath": "  "}, {"rule": "true", "fieldPath": ".a\n"},
    {"rule": "true", "fieldPath": "a"}, {"rule": "true", "fieldPath": "['a']"}, {"rule": "true", "fieldPath": "['a"}, {"rule": "true", "fieldPath": "[a]"},
    {"rule": "true", "fieldPath": ".spec.a"}, {"rule": "true", "optionalOldSelf": True}, {"rule": "true", "optionalOldSelf": False},
    {"rule": "oldSelf.hasValue()", "optionalOldSelf": True}, {"rule": "self == oldSelf", "optionalOldSelf": False},
    {"rule": "self == oldSelf", "optionalOldSelf": True}, {"rule": "1 < 2 && 'a' <= '<&>'"}, {"rule": "'a'.matches('(')"}, {"rule": "self < 3"},
    {"rule": "[1, 2, 3].all(a, [1, 2, 3].all(b, [1, 2, 3].all(c, a + b + c < 100)))"}, {"rule": "self.all(x, self.all(y, self.all(z, x == y && y == z)))"},
    {"rule": "self.exists(x, x == 'a') || self.all(x, x.contains('abc'))"}, {"rule": "no_such_function(self)"},
]
NAMES = ["plural", "singular", "kind", "listKind"]


class Definitions:
    def __init__(self, random_):
        self.random = random_
        self.schemas = cel_rules.Schemas(random_)

    def chance(self, share):
        return self.random.random() < share

    def schema(self):
        root = {"type": "object", "properties": {"spec": self.schemas.make_object(3), "status": self.schemas.make_object(1)}}
        for part in root["properties"].values():
            part.pop("nullable", None)
        if self.chance(0.6):
            cel_rules.add_rules(self.random, root, True)
        self.repair(root)
        return root

    def repair(self, schema):
        """What cel_rules leaves out since rules do not depend on it."""
        for key in schema.get("x-kubernetes-list-map-keys", []):
            inner = schema["items"]["properties"][key]
            inner.pop("nullable", None)
            schema["items"].setdefault("required", [])
            if key not in schema["items"]["required"]:
                schema["items"]["required"].append(key)
            schema["items"].pop("nullable", None)
        if schema.get("x-kubernetes-list-type") == "set":
            schema["items"].pop("nullable", None)
        if schema.get("x-kubernetes-embedded-resource") and not schema.get("properties"):
            schema["x-kubernetes-preserve-unknown-fields"] = True
        if "allOf" in schema:
            schema["x-kubernetes-validations"] = schema.pop("allOf")[0].get("x-kubernetes-validations", [])
        # Defaults are another oracle's.
        schema.pop("default", None)
        for inner in self.inner(schema):
            self.repair(inner)

    def inner(self, schema):
        found = [v for v in schema.get("properties", {}).values()]
        found += [schema[k] for k in ("items", "additionalProperties", "not") if isinstance(schema.get(k), dict)]
        for name in SCHEMA_LISTS:
            found += schema.get(name) or []
        return found

    def all(self, schema):
        found = [schema]
        for inner in self.inner(schema):
            found += self.all(inner)
        return found

    def version(self, name, schema, storage):
        version = {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}
        if self.chance(0.3):
            version["subresources"] = {"status": {}}
        if self.chance(0.2):
            version["additionalPrinterColumns"] = [{"name": "A", "type": "string", "jsonPath": ".spec.a"}]
        return version

    def good(self):
        schema = self.schema()
        versions = [self.version("v1", schema, True)]
        while self.chance(0.3) and len(versions) < 3:
            versions.append(self.version("v%d" % (len(versions) + 1), copy.deepcopy(schema) if self.chance(0.5) else self.schema(), False))
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ships.example.com"},
                "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "ships", "kind": "Ship"}, "versions": versions}}

    def mutate_schema(self, crd):
        versions = [v for v in crd["spec"]["versions"] if v.get("schema", {}).get("openAPIV3Schema") is not None]
        if not versions:
            return
        schema = self.random.choice(self.all(self.random.choice(versions)["schema"]["openAPIV3Schema"]))
        if self.chance(0.35):
            schema.setdefault("x-kubernetes-validations", []).append(copy.deepcopy(self.random.choice(RULES)))
        elif self.chance(0.15) and schema:
            schema.pop(self.random.choice(sorted(schema)))
        else:
            key = self.random.choice(sorted(KEYWORDS))
            value = copy.deepcopy(self.random.choice(KEYWORDS[key]))
            # A list of schemas that replaces one loses nothing that matters.
            schema[key] = value

    def mutate_version(self, crd):
        versions = crd["spec"]["versions"]
        version = self.random.choice(versions)
        choice = self.random.randrange(9)
        if choice == 0:
            version["name"] = self.random.choice(["v1", "V2", "v2", "", "a.b"])
        elif choice == 1:
            version["storage"] = not version["storage"]
        elif choice == 2:
            version["subresources"] = self.random.choice([{}, {"status": {}}, {"scale": {"specReplicasPath": self.random.choice([".spec.r", "spec", "", ".status.r"]),
                                                                                         "statusReplicasPath": self.random.choice([".status.r", ".x", ""]),
                                                                                         "labelSelectorPath": self.random.choice(["", ".status.s", "s", ".x.y"])}}])
        elif choice == 3:
            version["additionalPrinterColumns"] = [{"name": self.random.choice(["A", ""]), "type": self.random.choice(["string", "date", "text", ""]),
                                                    "format": self.random.choice(["", "int32", "x"]), "jsonPath": self.random.choice([".a", "a", ""])}]
        elif choice == 4:
            paths = [".spec.a", ".spec.name", ".spec", "spec.a", ".metadata.name", ".spec['a']", "", ".", ".spec.", ".status.b", ".kind"]
            version["selectableFields"] = [{"jsonPath": self.random.choice(paths)} for _ in range(self.random.randint(1, 4))]
        elif choice == 5:
            version.update(self.random.choice([{"deprecationWarning": "old"}, {"deprecated": True, "deprecationWarning": ""},
                                               {"deprecated": True, "deprecationWarning": "a\u0007b"}, {"deprecated": True, "deprecationWarning": "x" * 300}]))
        elif choice == 6:
            version.pop("schema", None)
        elif choice == 7:
            versions.append(copy.deepcopy(version))
        else:
            version["served"] = False

    def mutate_spec(self, crd):
        spec = crd["spec"]
        choice = self.random.randrange(7)
        if choice == 0:
            spec["group"] = self.random.choice(["", "example", "A.b", "x.k8s.io", "other.com"])
        elif choice == 1:
            spec["scope"] = self.random.choice(["", "Cluster", "World"])
        elif choice == 2:
            spec["names"][self.random.choice(NAMES)] = self.random.choice(["", "ships", "Ship", "a.b", "Boat"])
        elif choice == 3:
            spec["names"][self.random.choice(["shortNames", "categories"])] = self.random.choice([["a"], ["A", "b"], [""]])
        elif choice == 4:
            spec["preserveUnknownFields"] = self.chance(0.7)
        elif choice == 5:
            client = self.random.choice([None, {"url": "https://x/y"}, {"url": "http://x"}, {"service": {"name": "s", "namespace": "n"}}, {},
                                         {"url": "https://x", "caBundle": "YWJj"}])
            webhook = {"conversionReviewVersions": self.random.choice([[], ["v1"], ["v1", "v1"], ["v9"]])}
            if client is not None:
                webhook["clientConfig"] = client
            spec["conversion"] = self.random.choice([{"strategy": "Webhook", "webhook": webhook}, {"strategy": "None", "webhook": webhook}, {"strategy": "Magic"}])
        else:
            crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": self.random.choice(["unapproved", "https://x/y", "no"])}

    def mutate(self, crd, most):
        for _ in range(self.random.randint(0, most)):
            self.random.choice([self.mutate_schema] * 6 + [self.mutate_version] * 2 + [self.mutate_spec])(crd)


def question(seed):
    definitions = Definitions(random.Random(seed))
    crd = definitions.good()
    asked = {}
    if definitions.chance(0.35):
        old = copy.deepcopy(crd)
        definitions.mutate(old, 2)
        if definitions.chance(0.5):
            crd = copy.deepcopy(old)
        asked = {"old": old, "established": definitions.chance(0.5)}
    definitions.mutate(crd, 3)
    return dict(asked, crd=crd)


def answer_picked(oracle):
    path = os.path.join(HERE, "definition_picked.jsonl")
    with open(path) as picked:
        cases = [json.loads(line) for line in picked]
    for case in cases:
        case.pop("answer", None)
    questions = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    answers = subprocess.run([oracle], input=questions, capture_output=True, text=True, check=True).stdout.splitlines()
    with open(path, "w") as picked:
        for case, answer in zip(cases, answers, strict=True):
            picked.write(json.dumps(dict(case, answer=json.loads(answer)), ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--answer")
    options = parser.parse_args()
    if options.answer:
        answer_picked(options.answer)
        return
    for i in range(options.count):
        print(json.dumps(question("%d/%d" % (options.seed, i)), ensure_ascii=False))


if __name__ == "__main__":
    main()
