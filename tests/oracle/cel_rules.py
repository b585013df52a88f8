#!/usr/bin/env python3
"""Generates rules of schemas for the CEL oracle: random structural schemas, objects that have them, and rules over both.

    tests/oracle/cel_rules.py --seed 7 --count 1000 > questions
    tests/oracle/cel_rules.py --objects ...       objects that are checked by all rules of their schema
"""
import argparse
import json
import random

NAMES = ["a", "b", "spec", "items", "name", "x-y", "for", "k__v", "p.q", "in", "u/v", "Z9", "1st", "é"]
TEXTS = ["", "a", "abc", "b,c", "10Mi", "1.2.3.4", "http://x/y?z=1", "A-b", "x" * 12, "ä", "k"]
RESERVED = {"for", "in"}


def escaped(name):
    """None if expressions cannot write it."""
    if not name or name[0].isdigit() or not all(c.isalnum() and c.isascii() or c in "_-./" for c in name):
        return None
    if name in RESERVED:
        return "__%s__" % name
    out = name.replace("__", "\0")
    for text, word in ((".", "dot"), ("-", "dash"), ("/", "slash"), ("\0", "underscores")):
        out = out.replace(text, "__%s__" % word)
    return out


class Schemas:
    def __init__(self, random_):
        self.random = random_

    def chance(self, share):
        return self.random.random() < share

    def maybe(self, schema, key, most):
        if self.chance(0.5):
            schema[key] = self.random.randrange(most)

    def make(self, depth):
        kinds = ["integer", "number", "boolean", "string", "string", "time", "bytes", "either", "preserved"]
        if depth > 0:
            kinds += ["object", "object", "array", "array", "array", "map", "map", "embedded"]
        schema = getattr(self, "make_" + self.random.choice(kinds))(depth - 1)
        if self.chance(0.1):
            schema["nullable"] = True
        return schema

    def make_integer(self, depth):
        return {"type": "integer"}

    def make_number(self, depth):
        return {"type": "number"}

    def make_boolean(self, depth):
        return {"type": "boolean"}

    def make_string(self, depth):
        schema = {"type": "string"}
        self.maybe(schema, "maxLength", 300)
        if self.chance(0.15):
            schema["enum"] = ["a", "abc", "much longer"]
        return schema

    def make_time(self, depth):
        return {"type": "string", "format": self.random.choice(["date", "date-time", "duration"])}

    def make_bytes(self, depth):
        schema = {"type": "string", "format": "byte"}
        self.maybe(schema, "maxLength", 100)
        return schema

    def make_either(self, depth):
        schema = {"x-kubernetes-int-or-string": True}
        self.maybe(schema, "maxLength", 30)
        return schema

    def make_preserved(self, depth):
        return {"x-kubernetes-preserve-unknown-fields": True}

    def make_object(self, depth):
        names = self.random.sample(NAMES, self.random.randrange(5))
        schema = {"type": "object", "properties": {name: self.make(depth) for name in names}}
        if not names and self.chance(0.5):
            del schema["properties"]
        required = [name for name in names if self.chance(0.4)]
        if required:
            schema["required"] = required
        if self.chance(0.15):
            schema["x-kubernetes-preserve-unknown-fields"] = True
        for name in names:
            if schema["properties"][name].get("type") == "integer" and self.chance(0.2):
                schema["properties"][name]["default"] = 5
        return schema

    def make_embedded(self, depth):
        schema = self.make_object(depth)
        schema["x-kubernetes-embedded-resource"] = True
        return schema

    def make_array(self, depth):
        schema = {"type": "array", "items": self.make(depth)}
        self.maybe(schema, "maxItems", 20)
        item = schema["items"]
        if item.get("type") in ("string", "integer", "boolean", "number") and self.chance(0.4):
            schema["x-kubernetes-list-type"] = "set"
        elif item.get("type") == "object" and self.chance(0.6):
            keys = [n for n, s in item.get("properties", {}).items() if s.get("type") in ("string", "integer", "boolean")]
            if keys:
                schema["x-kubernetes-list-type"] = "map"
                schema["x-kubernetes-list-map-keys"] = self.random.sample(keys, self.random.randint(1, min(2, len(keys))))
        return schema

    def make_map(self, depth):
        schema = {"type": "object", "additionalProperties": self.make(depth)}
        self.maybe(schema, "maxProperties", 10)
        return schema

    def value(self, schema):
        if schema.get("nullable") and self.chance(0.3):
            return None
        if schema.get("x-kubernetes-int-or-string"):
            return self.random.choice([1, 80, "5%", "http"])
        kind = schema.get("type")
        if kind == "integer":
            return self.random.choice([0, 1, 3, -7, 1 << 40])
        if kind == "number":
            return self.random.choice([0, 1, 2.5, -1.25])
        if kind == "boolean":
            return self.chance(0.5)
        if kind == "string":
            return self.text(schema)
        if kind == "array":
            return self.items(schema)
        if kind == "object" and "additionalProperties" in schema:
            return {k: self.value(schema["additionalProperties"]) for k in self.random.sample(["a", "k", "x-y", "zz"], self.random.randrange(3))}
        if kind == "object":
            return self.fields(schema)
        return self.random.choice([1, "x", [1], {"y": 1.5}])

    def text(self, schema):
        kind = schema.get("format")
        bad = self.chance(0.06)
        if kind == "date":
            return "2024-02-30" if bad else self.random.choice(["2024-02-29", "1999-12-31"])
        if kind == "date-time":
            return "2024-01-01" if bad else self.random.choice(["2024-02-29T12:00:00Z", "2001-01-01T00:00:00.5+02:00"])
        if kind == "duration":
            return "soon" if bad else self.random.choice(["1h", "90s", "0", "2 days"])
        if kind == "byte":
            return "a+b" if bad else self.random.choice(["", "YWJj", "YQ=="])
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        return self.random.choice(TEXTS)

    def items(self, schema):
        values = [self.value(schema["items"]) for _ in range(self.random.randrange(4))]
        if schema.get("x-kubernetes-list-type") in ("set", "map"):
            unique = {}
            for value in values:
                key = value if not isinstance(value, dict) else [value.get(k) for k in schema["x-kubernetes-list-map-keys"]]
                unique[json.dumps(key)] = value
            values = list(unique.values())
        return values

    def fields(self, schema):
        value = {}
        keys = {k for s in schema.get("properties", {}).values() for k in s.get("x-kubernetes-list-map-keys", [])}
        for name, inner in schema.get("properties", {}).items():
            if self.chance(0.85) or name in keys:
                value[name] = self.value(inner)
        if schema.get("x-kubernetes-embedded-resource"):
            value.update({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}})
        elif schema.get("x-kubernetes-preserve-unknown-fields") and self.chance(0.5):
            value["unknown"] = self.random.choice([1, "u"])
        return value


def kind_of(schema):
    """The type that expressions see; None if they do not see it."""
    if schema.get("x-kubernetes-int-or-string"):
        return "dyn"
    kind = schema.get("type")
    if kind == "string":
        return {"date": "timestamp", "date-time": "timestamp", "duration": "duration", "byte": "bytes"}.get(schema.get("format"), "string")
    if kind == "array":
        return "list" if kind_of(schema["items"]) else None
    if kind == "object" and "additionalProperties" in schema:
        return "map" if kind_of(schema["additionalProperties"]) else None
    return {"integer": "int", "number": "double", "boolean": "bool", "object": "object"}.get(kind)


TEXT = {"type": "string"}
META = {"type": "object", "properties": {"name": TEXT, "generateName": TEXT}}


class Rules:
    """Boolean expressions over what is in scope: pairs of an expression and its schema."""

    def __init__(self, random_, schema, root):
        self.random = random_
        self.scope = [("self", schema, root)]
        if random_.random() < 0.4:
            self.scope.append(("oldSelf", schema, root))
        self.depth = 0

    def chance(self, share):
        return self.random.random() < share

    def pick(self, options):
        return self.random.choice(options)

    def source(self):
        """A value: a variable, or something in one."""
        text, schema, root = self.pick(self.scope)
        while self.chance(0.75):
            kind = kind_of(schema)
            if kind == "object":
                properties = dict(schema.get("properties", {}))
                if root or schema.get("x-kubernetes-embedded-resource"):
                    properties.update({"kind": TEXT, "apiVersion": TEXT, "metadata": META})
                usable = [n for n in properties if escaped(n) and kind_of(properties[n])]
                if not usable:
                    break
                name = self.pick(usable)
                text, schema, root = text + (".?" if self.chance(0.02) else ".") + escaped(name), properties[name], False
            elif kind == "list" and self.chance(0.3):
                text, schema, root = text + self.pick(["[0]", "[1]", "[self.size()]" if text == "self" else "[0]"]), schema["items"], False
            elif kind == "map" and self.chance(0.4):
                text, schema, root = text + self.pick([".k", "['x-y']", ".a"]), schema["additionalProperties"], False
            else:
                break
        return text, schema

    def of(self, kind):
        """An expression of a type that has it as simply as possible."""
        for _ in range(12):
            text, schema = self.source()
            if kind_of(schema) == kind:
                return text
        return {"int": "3", "string": "'abc'", "double": "1.5", "bool": "true", "timestamp": "timestamp('2020-01-01T00:00:00Z')",
                "duration": "duration('1h')", "bytes": "b'abc'", "list": "['a', 'b']", "dyn": "dyn(1)", "map": "{'k': 1}"}.get(kind, "self")

    def boolean(self, depth):
        if depth > 0 and self.chance(0.35):
            return self.pick(["(%s) && (%s)", "(%s) || (%s)", "(%s) ? (%s) : true", "!(%s) || (%s)"]) % (self.boolean(depth - 1), self.boolean(depth - 1))
        text, schema = self.source()
        kind = kind_of(schema)
        if kind is None:
            return "true"
        return getattr(self, "of_" + kind)(text, schema, depth)

    def of_bool(self, text, schema, depth):
        return self.pick([text, "!" + text, "%s == %s" % (text, self.of("bool"))])

    def of_int(self, text, schema, depth):
        return self.pick(["%s > 1", "%s + 1 < 100", "%s in [1, 2, 3]", "%s == " + self.of("int"), "string(%s).size() > 1", "%s * 2 >= " + self.of("int"),
                          "double(%s) < 5.0", "%s % 2 == 0", "[%s, 3].max() < 10"]).replace("%s", text)

    def of_double(self, text, schema, depth):
        return self.pick(["%s > 1.0", "%s < " + self.of("double"), "%s == 2.5", "int(%s) == 1", "%s + %s > 0.0"]).replace("%s", text)

    def of_string(self, text, schema, depth):
        other = self.of("string")
        return self.pick([
            "%s == " + other, "%s != 'a'", "%s.size() < 5", "%s.contains(" + other + ")", "%s.startsWith('a')", "%s.endsWith(" + other + ")",
            "%s.matches('^[a-z]+$')", "%s.matches(" + other + ")", "(%s + " + other + ").size() < 9", "%s < " + other, "%s in ['a', 'abc']",
            "%s.lowerAscii() == 'abc'", "%s.split(',').size() < 3", "%s.split(',', 2).all(q, q != 'z')", "%s.replace('a', 'bbb').size() < 30",
            "%s.substring(0).size() > 0", "%s.indexOf('a') >= 0", "%s.trim() == %s", "isQuantity(%s)", "quantity(%s).isGreaterThan(quantity('1k'))",
            "isURL(%s)", "url(%s).getHost() == 'x'", "isIP(%s)", "isCIDR(%s)", "ip(%s).family() == 4", "!format.dns1123Label().validate(%s).hasValue()",
            "format.named(%s).hasValue()", "%s.find('[a-c]+') == 'a'", "%s.findAll('[a-c]').size() < 4", "bytes(%s).size() > 2", "isSemver(%s)",
            "strings.quote(%s).size() > 3", "'%d-%s'.format([1, %s]).size() > 3", "url(%s) == url(" + other + ")", "%s.charAt(0) == 'a'",
            "size(%s + %s + %s) > 2", "[%s, " + other + "].exists(q, q == 'a')", "{%s: 1}.size() == 1", "%s.lastIndexOf(" + other + ") < 3",
            "int(%s) > 3", "duration(%s) > duration('1s')"]).replace("%s", text)

    def of_bytes(self, text, schema, depth):
        return self.pick(["%s.size() > 1", "string(%s) == 'abc'", "%s == " + self.of("bytes"), "%s + %s != b''", "%s < b'x'"]).replace("%s", text)

    def of_timestamp(self, text, schema, depth):
        return self.pick(["%s < timestamp('2022-01-01T00:00:00Z')", "%s.getFullYear() > 2000", "%s.getHours('Europe/Berlin') < 12", "%s == " + self.of("timestamp"),
                          "%s - " + self.of("timestamp") + " < duration('1h')", "%s + duration('1h') > %s", "string(%s).size() > 5"]).replace("%s", text)

    def of_duration(self, text, schema, depth):
        return self.pick(["%s < duration('2h')", "%s.getMinutes() > 3", "%s == " + self.of("duration"), "%s + %s > duration('1s')"]).replace("%s", text)

    def of_dyn(self, text, schema, depth):
        return self.pick(["type(%s) == int", "%s == 80", "%s == '5%'", "%s == " + self.of("dyn"), "type(%s) == string && %s.contains('%')", "string(%s).size() < 5",
                          "%s in [1, 2]", "%s > 3", "dyn(%s) != null"]).replace("%s", text)

    def of_object(self, text, schema, depth):
        names = [escaped(n) for n, s in schema.get("properties", {}).items() if escaped(n) and kind_of(s)]
        if names and self.chance(0.6):
            return "%s(%s.%s)" % (self.pick(["has", "has", "!has"]), text, self.pick(names))
        other = text.replace("self", "oldSelf", 1) if text.startswith("self") and any(t == "oldSelf" for t, _, _ in self.scope) else text
        return self.pick(["%s == %s" % (text, other), "%s != %s" % (text, other), "type(%s) == map" % text])

    def inner(self, names, depth):
        self.scope += [(name, schema, False) for name, schema in names]
        body = self.boolean(depth - 1) if depth > 0 else "true"
        if self.chance(0.7):
            text, schema = self.scope[-1][0], self.scope[-1][1]
            kind = kind_of(schema)
            body = getattr(self, "of_" + kind)(text, schema, depth - 1) if depth > 0 and kind else body
        self.scope = self.scope[:len(self.scope) - len(names)]
        return body

    def of_list(self, text, schema, depth):
        item = schema["items"]
        name = "e%d" % len(self.scope)
        other = text.replace("self", "oldSelf", 1) if text.startswith("self") and len(self.scope) > 1 and self.scope[1][0] == "oldSelf" else text
        loop = "%s.%s(%s, %s)" % (text, self.pick(["all", "exists", "exists_one"]), name, self.inner([(name, item)], depth))
        options = [loop, loop, loop, loop, "%s.size() < 5" % text, "%s == %s" % (text, other), "(%s + %s).size() > 1" % (text, other),
                   "(%s + %s) == %s" % (text, other, other), "%s.filter(%s, %s).size() > 0" % (text, name, self.inner([(name, item)], depth)),
                   "%s.map(%s, %s == %s).exists(z, z)" % (text, name, name, name), "%s[0] in %s" % (text, other), "%s[0] == %s[0]" % (text, other),
                   "%s.all(i%s, %s, i%s < 5)" % (text, name, name, name)]
        if kind_of(item) in ("string", "int", "double"):
            options += ["%s.isSorted()" % text, "%s.max() == %s.min()" % (text, other), "sets.contains(%s, %s)" % (text, other), "%s.indexOf(%s[0]) == 0" % (text, other),
                        "%s.sort() == %s.distinct()" % (text, other), "%s.lastIndexOf(%s[0]) == 0" % (text, text)]
        if kind_of(item) == "string":
            options += ["%s.join(',').size() < 9" % text, "%s + ['a', 'zz'] == %s" % (text, other), "'a' in %s" % text, "%s == ['a', 'abc']" % text]
        if kind_of(item) == "int":
            options += ["%s.sum() > 3" % text, "%s + [1, 77] == %s" % (text, other), "3 in %s" % text]
        return self.pick(options)

    def of_map(self, text, schema, depth):
        value = schema["additionalProperties"]
        name = "k%d" % len(self.scope)
        other = "v%d" % len(self.scope)
        both = self.inner([(name, TEXT), (other, value)], depth)
        keys = self.inner([(name, TEXT)], depth)
        return self.pick(["%s.all(%s, %s)" % (text, name, keys), "%s.exists(%s, %s, %s)" % (text, name, other, both), "%s.size() < 3" % text, "'k' in %s" % text,
                          "has(%s.k)" % text, "%s == %s" % (text, text), "%s.all(%s, %s[%s] == %s[%s])" % (text, name, text, name, text, name),
                          "%s.map(%s, %s).size() > 1" % (text, name, name), "%s.transformList(%s, %s, %s).size() > 0" % (text, name, other, name)])


def add_rules(random_, schema, root):
    """Rules in some places of a schema."""
    if kind_of(schema) and (root or random_.random() < 0.4):
        rules = []
        for _ in range(random_.randint(1, 2)):
            rule = {"rule": Rules(random_, schema, root).boolean(1)}
            if random_.random() < 0.3:
                rule["message"] = random_.choice(["must be so", " spaces ", "no"])
            if random_.random() < 0.3:
                text = Rules(random_, schema, root).of("string")
                rule["messageExpression"] = random_.choice(["'it is ' + %s", "%s", "'a' + '\\n' + %s", "string(%s.size())"]) % text
            if random_.random() < 0.3:
                rule["reason"] = random_.choice(["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid"])
            names = [n for n in schema.get("properties", {}) if n.isascii()]
            if names and random_.random() < 0.3:
                name = random_.choice(names)
                rule["fieldPath"] = "." + name if name.isalnum() and random_.random() < 0.5 else "['%s']" % name
            if "oldSelf" in rule["rule"] and random_.random() < 0.1:
                rule["optionalOldSelf"] = True
            rules.append(rule)
        if random_.random() < 0.1:
            schema["allOf"] = [{"x-kubernetes-validations": rules}]
        else:
            schema["x-kubernetes-validations"] = rules
    for inner in list(schema.get("properties", {}).values()) + [schema[k] for k in ("items", "additionalProperties") if k in schema]:
        add_rules(random_, inner, bool(inner.get("x-kubernetes-embedded-resource")))


def object_question(seed):
    random_ = random.Random(seed)
    schemas = Schemas(random_)
    schema = schemas.make_object(3)
    check = {"object": schemas.value(schema)}
    if random_.random() < 0.8:
        check["old"] = schemas.value(schema)
        for name in check["object"]:
            if random_.random() < 0.6:
                check["old"][name] = check["object"][name]
    for value in check.values():
        value.update({"apiVersion": "g/v1", "kind": "Thing", "metadata": {"name": "n"}})
    add_rules(random_, schema, True)
    check["schema"] = schema
    if random_.random() < 0.05:
        check["budget"] = random_.randint(1, 60)
    return {"check": check}


def question(seed):
    random_ = random.Random(seed)
    schemas = Schemas(random_)
    root = random_.random() < 0.5
    while True:
        schema = schemas.make_object(3) if root else schemas.make(3)
        if kind_of(schema):
            break
    schema.pop("nullable", None)
    rule = {"schema": schema, "resourceRoot": root, "optionalOldSelf": random_.random() < 0.05, "self": schemas.value(schema),
            "oldSelf": schemas.value(schema)}
    if random_.random() < 0.4:
        rule["oldSelf"] = rule["self"]
    if root:
        for key in ("self", "oldSelf"):
            rule[key] = dict(rule[key], apiVersion="g/v1", kind="Thing", metadata={"name": "n"})
    return {"expression": Rules(random_, schema, root).boolean(2), "rule": rule}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--objects", action="store_true")
    options = parser.parse_args()
    make = object_question if options.objects else question
    for i in range(options.count):
        print(json.dumps(make("%d/%d" % (options.seed, i)), ensure_ascii=False))


if __name__ == "__main__":
    main()
