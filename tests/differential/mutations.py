"""Changes one place of an object. A mutation has a name, a path with concrete keys, and the value that is there afterwards."""

import copy

from schema import type_of

ABSENT = object()
METADATA_CHANCE = 0.15
# Lists with values that each server generates: the oracle's are not sent to the other.
GENERATED = {"clusterIPs", "ports", "volumes", "volumeMounts", "containers", "initContainers"}


class Change:
    def __init__(self, name, path, value):
        self.name, self.path, self.value = name, path, value

    def __str__(self):
        return f"{self.name} {'.'.join(str(part) for part in self.path)}"


def get(document, path):
    for part in path:
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            return ABSENT
    return document


def put(document, path, value):
    """Sets or (ABSENT) removes the value at a path; makes what is missing on the way. Returns the document."""
    if not path:
        return value
    document = copy.deepcopy(document)
    place = document
    for part, following in zip(path, path[1:]):
        found = get(place, [part])
        if not isinstance(found, (dict, list)):
            found = [] if isinstance(following, int) else {}
            assign(place, part, found)
        place = get(place, [part])
    if value is not ABSENT:
        assign(place, path[-1], value)
    elif get(place, [path[-1]]) is not ABSENT:
        del place[path[-1]]
    return document


def assign(place, part, value):
    if isinstance(place, list) and isinstance(part, int):
        while len(place) <= part:
            place.append({} if len(place) < part else value)
        place[part] = value
    elif isinstance(place, dict):
        place[str(part)] = value


class Mutator:
    def __init__(self, values, rng):
        self.values, self.rng = values, rng

    def fields(self, resource, base, under=None):
        """The resource's fields, those that the object has several times, so that they come up more often."""
        # Metadata is the same for all kinds, and would come up too often.
        if not under and self.rng.random() < METADATA_CHANCE:
            under = "metadata"
        fields = [f for f in resource.paths if (f.path[0] == under if under else f.path[0] != "metadata")] or resource.paths
        present = [f for f in fields if get(base, self.concrete(f.path, base)) is not ABSENT]
        return fields, present

    def concrete(self, path, base):
        """Chooses elements of lists and keys of maps: existing ones where there are some."""
        result = []
        for part in path:
            if part == "*":
                here = get(base, result)
                if isinstance(here, dict):
                    part = self.rng.choice(sorted(here)) if here else "k"
                else:
                    part = self.rng.randrange(len(here)) if isinstance(here, list) and here else 0
            result.append(part)
        return result

    def change(self, resource, base, under=None):
        fields, present = self.fields(resource, base, under)
        field = self.rng.choice(present if present and self.rng.random() < 0.65 else fields)
        path = self.concrete(field.path, base)
        return self.rng.choice(self.ways(field, path, base))(field, path, base)

    def ways(self, field, path, base):
        kind, found = type_of(field.schema), get(base, path)
        ways = [self.fitting, self.broken, self.broken, self.wrong_type, self.empty, self.null]
        if found is not ABSENT:
            ways += [self.drop, self.drop]
        if kind in ("object", "map"):
            ways += [self.unknown]
        if kind == "array" and isinstance(found, list) and found and path[-1] not in GENERATED:
            ways += [self.repeated, self.reordered]
        if field.path[:2] in (("metadata", "labels"), ("metadata", "annotations")):
            ways += [self.bad_key]
        return ways

    def fitting(self, field, path, _):
        return Change("fitting", path, self.values.fitting(field.schema, str(path[-1])))

    def broken(self, field, path, _):
        return Change("broken", path, self.values.broken(field.schema))

    def wrong_type(self, field, path, _):
        return Change("wrong-type", path, self.values.wrong_type(field.schema))

    def empty(self, field, path, _):
        return Change("empty", path, self.values.empty(field.schema))

    def null(self, _, path, __):
        return Change("null", path, None)

    def drop(self, _, path, __):
        return Change("drop", path, ABSENT)

    def unknown(self, _, path, __):
        return Change("unknown-field", path + ["bogusField"], "x")

    def repeated(self, _, path, base):
        items = get(base, path)
        return Change("repeated", path, items + [items[0]])

    def reordered(self, _, path, base):
        return Change("reordered", path, get(base, path)[::-1])

    def bad_key(self, _, path, __):
        return Change("bad-key", path[:2] + [self.rng.choice(["bad key", "", "a/b/c", "x" * 64, "-a", "UP.example.com/x"])], "x")
