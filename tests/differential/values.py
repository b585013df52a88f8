"""Values for fields: some that fit a schema, and some that do not."""

from schema import LATER_FIELDS, type_of

TIMES = ["2024-06-01T12:00:00Z", "2024-06-01T14:00:00+02:00", "2024-06-01T12:00:00.123456Z"]
QUANTITIES = ["1", "100m", "1.5Gi", "1e3", "0", "2k"]
BROKEN = {
    "string": ["", "a b", "Abc", "-a", "a/b", "a/b/c", "x" * 64, "x" * 254, "Bogus", "é", "a\nb", "*", "a..b", "1.2.3.4", "$(A)"],
    "integer": [-1, 0, 65536, 2147483648, 9223372036854775807, 9223372036854775808, 1.0, 1.5, 1e3, 101],
    "number": [-1, 0, 1e300],
    "boolean": [False],
    "quantity": ["", "-1", "abc", "1E", "0.5m", "1.1Ki", "1e100", "9223372036854775807", " 1", 1, 1.5, "1Zi", "100000000Ei"],
    "intstr": ["", "150%", "-1", "a%", -1, 0, 65536, "http", "0%", 1.5, "1"],
    "time": ["", "yesterday", "2024-06-01", "2024-06-01T12:00:00", "0001-01-01T00:00:00Z", "2024-13-01T00:00:00Z", 5],
    "bytes": ["", "a", "!!!!", "YQ==", "YQ"],
    "any": [{}, [], "x", 1],
}
WRONG_TYPES = {"string": [5, True, [], {}, ["a"]], "integer": ["5", True, [], {}], "number": ["5", {}],
               "boolean": ["true", 1, [], {}], "quantity": [True, [], {}], "intstr": [True, [], {}],
               "time": [True, [], {}], "bytes": [5, ["a"], {}], "array": ["x", 5, {}, True], "object": ["x", 5, [], True],
               "map": ["x", 5, [], ["a"]], "any": []}
# Strings that fit by the field's name, where "x" does not.
BY_NAME = {"image": "img:1", "path": "/x", "mountPath": "/m", "host": "a.example.com", "hostIP": "192.0.2.7", "ip": "192.0.2.8", "podIP": "10.9.9.9",
           "cidr": "192.0.2.0/24", "apiVersion": "v1", "kind": "Pod", "operator": "Exists", "url": "https://a.example.com/",
           "fieldPath": "metadata.name", "resource": "limits.cpu", "protocol": "TCP", "driver": "d.example.com", "status": "True",
           "schedule": "0 * * * *", "timeZone": "UTC", "uid": "8ee54a5b-5ac1-4b6c-8e5e-0b8e4ffc0001", "effect": "NoSchedule",
           "restartPolicy": "Always", "server": "192.0.2.9", "type": "Ready", "mode": "x", "namespace": "ns", "scheme": "HTTP"}


class Values:
    def __init__(self, schema, rng):
        self.schema, self.rng = schema, rng

    def fitting(self, schema, name="x", depth=0):
        """A value of the right type, which may still break a rule of the kind."""
        _, schema = self.schema.resolve(schema)
        rng, kind = self.rng, type_of(schema)
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if kind == "object":
            return self.struct(schema, depth)
        if kind == "map":
            item = schema["additionalProperties"]
            return {key: self.fitting(item, key, depth + 1) for key in rng.sample(["a", "cpu", "example.com/b"], rng.randint(1, 2))}
        if kind == "array":
            return [self.fitting(schema["items"], name, depth + 1) for _ in range(rng.randint(1, 2))]
        if kind == "quantity":
            return rng.choice(QUANTITIES)
        if kind == "intstr":
            return rng.choice([1, 80, "25%", "http"])
        if kind == "time":
            return TIMES[2] if "micro" in name.lower() else rng.choice(TIMES)
        simple = {"integer": rng.choice([1, 2, 10]), "number": 1, "boolean": rng.random() < 0.7, "bytes": "YQ==", "any": {"a": 1}}
        return simple[kind] if kind in simple else BY_NAME.get(name, rng.choice(["x", "x", "a-1", "example.com/x"]))

    def struct(self, schema, depth):
        required, result = schema.get("required", []), {}
        chance = 0.3 if depth < 2 else 0.1
        for key, value in sorted(schema.get("properties", {}).items()):
            if key in LATER_FIELDS or depth > 6:
                continue
            if key in required or self.rng.random() < chance:
                result[key] = self.fitting(value, key, depth + 1)
        return result

    def broken(self, schema):
        kind = type_of(schema)
        return self.rng.choice(BROKEN.get(kind) or [{}, None])

    def wrong_type(self, schema):
        return self.rng.choice(WRONG_TYPES.get(type_of(schema)) or [None])

    def empty(self, schema):
        kind = type_of(schema)
        return {"object": {}, "map": {}, "any": {}, "array": [], "integer": 0, "number": 0, "boolean": False}.get(kind, "")
