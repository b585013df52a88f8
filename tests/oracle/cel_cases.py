#!/usr/bin/env python3
"""Generates questions for the CEL oracle: random expressions, well typed and not, with variables.

    tests/oracle/cel_cases.py --seed 7 --count 1000 > questions
"""
import argparse
import json
import random

VARIABLES = {
    "i": ("int", [0, 1, -3, 7, 9223372036854775807]),
    "u": ("uint", [0, 2, 40]),
    "d": ("double", [0.5, -2.25, 1e9]),
    "b": ("bool", [True, False]),
    "s": ("string", ["", "abc", "Hello, world", "häßlich", "a.b/c"]),
    "y": ("bytes", ["", "YWJj"]),
    "n": ("duration", ["1h30m", "-2s", "0s"]),
    "t": ("timestamp", ["2024-02-29T12:30:45.123Z", "1970-01-01T00:00:00Z"]),
    "li": ("list(int)", [[], [3, 1, 2], [5, 5, 5, -1]]),
    "ls": ("list(string)", [[], ["a", "b"], ["x", "yy", "zzz", "x"]]),
    "m": ("map(string, int)", [{}, {"a": 1}, {"k": 7}]),
    "x": ("dyn", [1, "s", [1, "a"], {"a": {"b": [1, 2]}}, None, True]),
    "ms": ("map(string, string)", [{}, {"a": "one"}]),
}

STRINGS = ["", "a", "abc", "ABC", "hello world", "1", "-5", "1.5", "true", "é", "a,b,c", "%d", "k", "10Mi", "1.2.3",
           "10.0.0.1", "https://example.com:80/p?q=1", "1h", "2024-01-01T00:00:00Z", "[a-z]+", "^a", "x"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.locals = []
        self.used = set()

    def pick(self, options):
        return self.random.choice(options)

    def chance(self, share):
        return self.random.random() < share

    def of(self, kind, depth):
        """An expression that is meant to have a type."""
        if depth <= 0 or self.chance(0.12):
            return self.leaf(kind)
        if self.chance(0.02):  # ill typed on purpose
            kind = self.pick(["int", "string", "bool", "list(int)", "double", "uint", "map", "bytes"])
        if self.chance(0.08):
            return "(%s ? %s : %s)" % (self.of("bool", depth - 1), self.of(kind, depth - 1), self.of(kind, depth - 1))
        if self.chance(0.04):
            return "dyn(%s)" % self.of(kind, depth - 1)
        if self.chance(0.04):
            return "optional.of(%s).value()" % self.of(kind, depth - 1)
        if self.chance(0.03):
            return "[%s][0]" % self.of(kind, depth - 1)
        if self.chance(0.03):
            return "{'k': %s}.k" % self.of(kind, depth - 1)
        rule = self.pick(RULES.get(kind, [None]))
        if rule is None:
            return self.leaf(kind)
        return rule(self, depth - 1)

    def variable(self, name):
        self.used.add(name)
        return name

    def leaf(self, kind):
        names = [n for n, (t, _) in VARIABLES.items() if t == kind] + [n for n, t in self.locals if t == kind]
        if names and self.chance(0.5):
            return self.variable(self.pick(names))
        if kind == "int":
            return self.pick(["0", "1", "2", "-1", "7", "100", "9223372036854775807", "-9223372036854775808", "0x10"])
        if kind == "uint":
            return self.pick(["0u", "1u", "3u", "18446744073709551615u"])
        if kind == "double":
            return self.pick(["0.0", "1.5", "-2.0", "1e10", "0.1", "1e300"])
        if kind == "bool":
            return self.pick(["true", "false"])
        if kind == "string":
            return repr_cel(self.pick(STRINGS))
        if kind == "bytes":
            return "b" + repr_cel(self.pick(["", "a", "abc"]))
        if kind == "duration":
            return "duration('%s')" % self.pick(["1s", "1h", "-5m", "1.5s", "100ms"])
        if kind == "timestamp":
            return "timestamp('%s')" % self.pick(["2024-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
        if kind == "list(int)":
            return "[%s]" % ", ".join(self.leaf("int") for _ in range(self.random.randrange(4)))
        if kind == "list(string)":
            return "[%s]" % ", ".join(self.leaf("string") for _ in range(self.random.randrange(4)))
        if kind == "map":
            return self.pick(["m", "{'a': 1}", "{}", "{'a': 1, 'b': 2}"]) if not self.used.add("m") else ""
        if kind == "dyn":
            return "dyn(%s)" % self.leaf(self.pick(["int", "string", "bool", "double", "list(int)"]))
        return self.variable("x")

    def loop(self, range_kind, element, depth, name, body):
        variable = "v%d" % len(self.locals)
        target = self.of(range_kind, depth)
        self.locals.append((variable, element))
        text = "%s.%s(%s, %s)" % (parens(target), name, variable, body(self, depth))
        self.locals.pop()
        return text


def parens(text):
    return text if text.isalnum() else "(%s)" % text


def repr_cel(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def binary(symbol, kind):
    return lambda g, d: "%s %s %s" % (parens(g.of(kind, d)), symbol, parens(g.of(kind, d)))


def call(name, *kinds):
    return lambda g, d: "%s(%s)" % (name, ", ".join(g.of(k, d) for k in kinds))


def method(name, receiver, *kinds):
    return lambda g, d: "%s.%s(%s)" % (parens(g.of(receiver, d)), name, ", ".join(g.of(k, d) for k in kinds))


def text(format_, *kinds):
    return lambda g, d: format_ % tuple(g.of(k, d) for k in kinds)


def loop(range_kind, element, name, kind):
    return lambda g, d: g.loop(range_kind, element, d, name, lambda g2, d2: g2.of(kind, d2))


def loop2(range_kind, first, second, name, kind):
    def rule(g, d):
        target = g.of(range_kind, d)
        a, b = "k%d" % len(g.locals), "w%d" % len(g.locals)
        g.locals += [(a, first), (b, second)]
        body = g.of(kind, d)
        g.locals = g.locals[:-2]
        return "%s.%s(%s, %s, %s)" % (parens(target), name, a, b, body)
    return rule


def fixed(*texts):
    def rule(g, d):
        chosen = g.pick(texts)
        for name in VARIABLES:
            if name in chosen.replace("(", " ").replace(")", " ").replace(".", " ").replace("[", " ").split():
                g.used.add(name)
        return chosen
    return rule


RULES = {
    "bool": [binary("&&", "bool"), binary("||", "bool"), text("!(%s)", "bool"), binary("==", "int"), binary("!=", "string"),
             binary("<", "int"), binary(">=", "double"), binary("<=", "string"), binary(">", "uint"), binary("<", "duration"),
             binary("==", "list(int)"), binary("==", "dyn"), binary(">", "timestamp"), binary("<", "bytes"),
             text("(%s) in (%s)", "int", "list(int)"), text("(%s) in (%s)", "string", "list(string)"),
             text("(%s) in (%s)", "string", "map"), text("(%s) in ['a', 'abc', 'x']", "string"), text("(%s) in [1, 2, 3]", "int"),
             method("contains", "string", "string"), method("startsWith", "string", "string"),
             method("endsWith", "string", "string"), method("matches", "string", "string"), text("(%s).matches('^[a-z]+$')", "string"),
             loop("list(int)", "int", "all", "bool"), loop("list(int)", "int", "exists", "bool"),
             loop("list(string)", "string", "exists_one", "bool"), loop("map", "string", "all", "bool"),
             loop2("list(int)", "int", "int", "all", "bool"), loop2("map", "string", "int", "exists", "bool"),
             fixed("has(m.a)", "has(x.a)", "has(x.a.b)", "has({'a': 1}.a)"), text("(%s) < (%s)", "int", "double"),
             text("(%s) == dyn(%s)", "int", "uint"), call("bool", "string"), text("type(%s) == int", "int"),
             text("optional.of(%s).hasValue()", "int"), fixed("m.?a.hasValue()", "x.?a.?b.hasValue()")],
    "int": [binary("+", "int"), binary("-", "int"), binary("*", "int"), binary("/", "int"), binary("%", "int"),
            text("-(%s)", "int"), call("size", "string"), method("size", "list(int)"), call("size", "map"), call("int", "string"),
            call("int", "double"), call("int", "uint"), call("int", "timestamp"), text("(%s)[%s]", "list(int)", "int"),
            text("(%s)[%s]", "map", "string"), fixed("m.a", "x.a.b[0]", "x", "m['a']", "li[0]", "li[i]", "m[s]"),
            method("getHours", "duration"), method("getFullYear", "timestamp"), method("getDayOfWeek", "timestamp"),
            method("getMilliseconds", "timestamp"), text("(%s).getHours('+02:00')", "timestamp"),
            fixed("m.?a.orValue(5)", "m[?s].orValue(i)", "li[?0].orValue(3)", "li.first().orValue(2)"),
            text("optional.of(%s).orValue(%s)", "int", "int"), text("optional.none().or(optional.of(%s)).value()", "int"),
            fixed("m.?a.optMap(q, q + 1).orValue(0)", "m.?a.optFlatMap(q, optional.of(q * 2)).orValue(0)")],
    "uint": [binary("+", "uint"), binary("-", "uint"), binary("*", "uint"), binary("/", "uint"), call("uint", "int"), call("uint", "string"),
             binary("%", "uint"), call("uint", "double")],
    "double": [binary("+", "double"), binary("-", "double"), binary("*", "double"), binary("/", "double"), call("double", "int"),
               call("double", "string"), text("-(%s)", "double")],
    "string": [binary("+", "string"), call("string", "int"), call("string", "double"), call("string", "bool"), call("string", "bytes"),
               call("string", "duration"), call("string", "timestamp"), text("(%s)[%s]", "list(string)", "int"), call("string", "uint"),
               fixed("ms.a", "ls[0]", "ms[s]", "x.a")],
    "bytes": [binary("+", "bytes"), call("bytes", "string")],
    "duration": [binary("+", "duration"), binary("-", "duration"), binary("-", "timestamp"), call("duration", "string")],
    "timestamp": [text("(%s) + (%s)", "timestamp", "duration"), text("(%s) - (%s)", "timestamp", "duration"), call("timestamp", "string"),
                  call("timestamp", "int")],
    "list(int)": [binary("+", "list(int)"), loop("list(int)", "int", "map", "int"), loop("list(int)", "int", "filter", "bool"),
                  text("[%s, %s]", "int", "int"), text("[%s]", "int"), text("[?optional.of(%s), %s]", "int", "int"),
                  loop("list(string)", "string", "map", "int"), loop2("list(int)", "int", "int", "transformList", "int"),
                  text("[optional.of(%s), optional.none()].unwrapOpt()", "int"), fixed("[?m.?a]", "[?m.?zz, 1]"),
                  lambda g, d: g.loop("list(int)", "int", d, "map", lambda h, e: h.of("bool", e) + ", " + h.of("int", e))],
    "list(string)": [binary("+", "list(string)"), loop("list(string)", "string", "filter", "bool"), loop("map", "string", "map", "string"),
                     text("[%s, %s]", "string", "string")],
    "map": [text("{%s: %s}", "string", "int"), text("{'a': %s, 'b': %s}", "int", "int"), text("{?'a': optional.of(%s)}", "int"),
            loop2("map", "string", "int", "transformMap", "int"), fixed("{?'q': m.?a}")],
    "dyn": [text("dyn(%s)", "int"), text("dyn(%s)", "string"), text("dyn(%s)", "list(int)"), text("dyn(%s)", "map"),
            fixed("x.a", "x[0]", "x.a.b", "x[s]", "x + 1", "x == 1", "x.b", "x + x", "-x", "!x", "size(x)", "x.size()", "x < 2", "x ? 1 : 2",
                  "string(x)", "int(x)", "x.startsWith('s')", "x.all(q, q == 1)", "x in [1, 's']", "x.map(q, q)", "x && true", "type(x)")],
}

LIBRARIES = {
    "bool": [text("sets.contains(%s, %s)", "list(int)", "list(int)"), text("sets.equivalent(%s, %s)", "list(string)", "list(string)"),
             text("sets.intersects(%s, %s)", "list(int)", "list(int)"), method("isSorted", "list(int)"), call("isQuantity", "string"),
             text("quantity('1Ki').isGreaterThan(quantity(%s))", "string"), text("quantity('50M') == quantity(%s)", "string"),
             text("quantity('1.5').isInteger() || %s", "bool"), method("isSorted", "list(string)")],
    "int": [method("indexOf", "string", "string"), method("lastIndexOf", "string", "string"), method("sum", "list(int)"), method("max", "list(int)"),
            method("min", "list(int)"), method("indexOf", "list(int)", "int"), method("lastIndexOf", "list(string)", "string"),
            text("quantity('10').compareTo(quantity(%s))", "string"), text("quantity('10k').add(%s).asInteger()", "int"),
            text("sign(quantity('-3').sub(quantity('1')))"), method("indexOf", "string", "string", "int"), text("quantity(%s).asInteger()", "string")],
    "double": [text("quantity('1.5').asApproximateFloat() + %s", "double"), fixed("[1.5, 2.5].sum()", "[0.5].max()")],
    "string": [method("charAt", "string", "int"), method("lowerAscii", "string"), method("upperAscii", "string"), method("trim", "string"),
               method("replace", "string", "string", "string"), method("replace", "string", "string", "string", "int"),
               method("substring", "string", "int"), method("substring", "string", "int", "int"), method("join", "list(string)"),
               method("join", "list(string)", "string"), call("strings.quote", "string"), method("find", "string", "string"),
               text("(%s).find('[a-z]+')", "string"), text("'%%s-%%d'.format([dyn(%s), dyn(%s)])", "string", "int"),
               text("'%%.2f|%%s'.format([dyn(%s), dyn(%s)])", "double", "list(string)"), text("'%%x %%b %%o'.format([%s, 5, 8])", "int"),
               text("'%%s'.format([%s])", "map"), text("'%%s %%%%'.format([%s])", "duration"), text("'%%e'.format([%s])", "double"), method("max", "list(string)"), method("min", "list(string)")],
    "list(int)": [method("sort", "list(int)"), method("distinct", "list(int)"), method("reverse", "list(int)"), method("slice", "list(int)", "int", "int"),
                  fixed("lists.range(4)", "lists.range(i % 5)", "[[1, 2], [3]].flatten()", "[3, 1, 2].sortBy(q, -q)"), text("[[%s]].flatten()", "int")],
    "list(string)": [method("split", "string", "string"), method("split", "string", "string", "int"), method("findAll", "string", "string"),
                     text("(%s).findAll('[a-z]')", "string"), text("(%s).findAll('[a-z]', %s)", "string", "int"), method("sort", "list(string)"),
                     method("distinct", "list(string)"), method("reverse", "list(string)")],
}
NETWORKS = {
    "bool": [call("isIP", "string"), call("isCIDR", "string"), text("ip(%s).isLoopback()", "string"), text("ip('10.1.2.3').isGlobalUnicast() && %s", "bool"),
             text("cidr('10.0.0.0/8').containsIP(%s)", "string"), fixed("cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))", "cidr('fd00::/8').containsIP('fd00::1')",
             "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.0.0.0/8').containsCIDR(cidr('11.0.0.0/8'))", "ip('::1') == ip('::1')",
             "ip('127.0.0.1').isLoopback()", "ip.isCanonical('2001:DB8::1')", "ip('fe80::1').isLinkLocalUnicast()", "ip('224.0.0.1').isLinkLocalMulticast()",
             "ip('0.0.0.0').isUnspecified()", "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "ip('1.2.3.4') != ip('1.2.3.5')"),
             call("isSemver", "string"), text("isSemver(%s, true)", "string"), text("semver('1.2.3').isLessThan(semver(%s))", "string"),
             fixed("semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta'))", "semver('1.2.3') == semver('1.2.3')",
             "semver('v1.02', true).isGreaterThan(semver('1.1.9'))")],
    "int": [fixed("ip('::1').family()", "cidr('10.0.0.0/8').prefixLength()", "semver('1.2.3').major()", "semver('1.2.3-rc.1+build').patch()",
                  "semver('1.2.3').compareTo(semver('1.2.3-rc'))"), text("semver(%s).minor()", "string"), text("ip(%s).family()", "string")],
    "string": [text("string(ip(%s))", "string"), fixed("string(cidr('10.1.2.3/8'))", "string(cidr('fd00::/8').ip())")],
}
for _kind, _rules in list(LIBRARIES.items()) + list(NETWORKS.items()):
    RULES[_kind] = RULES[_kind] + _rules

KINDS = ["bool", "bool", "bool", "int", "string", "double", "uint", "list(int)", "list(string)", "map", "bytes", "duration", "timestamp", "dyn"]


def question(seed):
    generator = Generator(seed)
    expression = generator.of(generator.pick(KINDS), generator.pick([1, 2, 2, 3, 3, 4]))
    if generator.chance(0.01):
        cut = generator.random.randrange(len(expression) + 1)
        expression = expression[:cut] + generator.pick(["", "(", ")", "$", "..", "in", "'"]) + expression[cut:]
    names = sorted(n for n in generator.used if n in VARIABLES)
    return {"expression": expression, "types": {n: VARIABLES[n][0] for n in names},
            "values": {n: generator.pick(VARIABLES[n][1]) for n in names}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    for i in range(options.count):
        print(json.dumps(question("%d/%d" % (options.seed, i)), ensure_ascii=False))


if __name__ == "__main__":
    main()
