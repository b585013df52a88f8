"""The API as the oracle describes it: resources from discovery, fields from OpenAPI v2."""

import json
import os
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))

# Kinds whose behaviour is later work: custom resources and CEL policies.
LATER = {"customresourcedefinitions", "validatingadmissionpolicies", "mutatingadmissionpolicies",
         "mutatingadmissionpolicybindings"}
# Fields whose content is an expression (CEL), or that only server-side apply writes.
LATER_FIELDS = {"cel", "matchConditions", "managedFields", "celDevices"}

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
MAX_DEPTH = 11


class Resource:
    def __init__(self, group, version, entry):
        self.group, self.version = group, version
        self.plural, self.kind, self.namespaced = entry["name"], entry["kind"], entry["namespaced"]
        self.verbs = set(entry["verbs"])
        self.subresources = {}
        self.bases = []
        self.definition = None
        self.paths = []

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self):
        return f"{self.api_version}/{self.plural}"

    def path(self, namespace=None, name=None, subresource=None):
        parts = ["/apis", self.group, self.version] if self.group else ["/api", self.version]
        if self.namespaced and namespace is not None:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        parts += [urllib.parse.quote(p, safe="") for p in (name, subresource) if p is not None]
        return "/".join(parts)


class Field:
    """A place in a kind: its path (names, and "*" for an element of a list or a map) and its schema."""

    def __init__(self, path, schema):
        self.path, self.schema = path, schema


class Schema:
    def __init__(self, fetch):
        """fetch(path) returns the oracle's JSON."""
        self.definitions = fetch("/openapi/v2")["definitions"]
        self.resources = {}
        for group_version in self.group_versions(fetch):
            self.read_group(fetch, group_version)
        self.read_bases()
        for resource in self.resources.values():
            resource.definition = self.find_definition(resource)
            if resource.definition:
                self.walk(resource, self.definitions[resource.definition], (), ())

    def group_versions(self, fetch):
        yield "", "v1"
        for group in fetch("/apis")["groups"]:
            for version in group["versions"]:
                yield group["name"], version["version"]

    def read_group(self, fetch, group_version):
        group, version = group_version
        entries = fetch(f"/apis/{group}/{version}" if group else f"/api/{version}")["resources"]
        for entry in entries:
            if "/" in entry["name"] or entry["name"] in LATER:
                continue
            resource = Resource(group, version, entry)
            self.resources[resource.key] = resource
        for entry in entries:
            plural, _, subresource = entry["name"].partition("/")
            owner = self.resources.get(f"{group}/{version}/{plural}" if group else f"{version}/{plural}")
            if subresource and owner:
                owner.subresources[subresource] = set(entry["verbs"])

    def read_bases(self):
        folder = os.path.join(HERE, "objects")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for key, bases in json.load(file).items():
                    if key in self.resources:
                        self.resources[key].bases = bases

    def find_definition(self, resource):
        for name, definition in self.definitions.items():
            for entry in definition.get("x-kubernetes-group-version-kind", []):
                if (entry["group"], entry["version"], entry["kind"]) == (resource.group, resource.version, resource.kind):
                    return name
        return None

    def resolve(self, schema):
        """Follows references. Returns the definition's name (or None) and the schema itself."""
        name = None
        while "$ref" in schema or "allOf" in schema:
            name = (schema.get("$ref") or schema["allOf"][0]["$ref"]).rsplit("/", 1)[1]
            schema = self.definitions[name]
        return name, schema

    def walk(self, resource, schema, path, seen):
        name, schema = self.resolve(schema)
        if path:
            resource.paths.append(Field(path, schema))
        if name in seen or len(path) >= MAX_DEPTH:
            return
        seen = seen + (name,) if name else seen
        for key, value in sorted(schema.get("properties", {}).items()):
            if key not in LATER_FIELDS and path + (key,) not in {("kind",), ("apiVersion",)}:
                self.walk(resource, value, path + (key,), seen)
        if schema.get("type") == "array":
            self.walk(resource, schema["items"], path + ("*",), seen)
        elif isinstance(schema.get("additionalProperties"), dict):
            self.walk(resource, schema["additionalProperties"], path + ("*",), seen)


def type_of(schema):
    """One of object, map, array, string, integer, number, boolean, quantity, intstr, time, bytes, any."""
    form = schema.get("format", "")
    if form == "int-or-string":
        return "intstr"
    if form == "date-time":
        return "time"
    if form == "byte":
        return "bytes"
    kind = schema.get("type")
    if kind == "string" and "fixed-point" in schema.get("description", ""):
        return "quantity"
    if kind == "object" and "additionalProperties" in schema:
        return "map"
    if kind == "object" and "properties" not in schema:
        return "any"
    return kind or ("object" if "properties" in schema else "any")
