"""Makes requests from a seed. An episode is a generator: it yields requests and is sent both answers to each."""

import copy
import random

import options
import subresources
from mutations import ABSENT, Mutator, get, put
from patches import merge_body, strategic_body
from request import FIXTURES, JSON_PATCH, LIMITED, MERGE, NAMESPACE, STRATEGIC, Documents, Request
from values import Values

# A real object of these kinds changes how later requests are answered: only dry runs, beside the fixtures.
DRY_ONLY = {"apiservices", "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "servicecidrs", "priorityclasses",
            "storageclasses", "ingressclasses", "prioritylevelconfigurations", "flowschemas"}
# Upstream calls what an APIService names, and writes the status of flow control.
NO_FIXTURES = {"apiservices", "flowschemas", "prioritylevelconfigurations"}
LIMITING = {"limitranges", "resourcequotas"}
POPULAR = {"pods": 4, "deployments": 2, "services": 3, "jobs": 2, "persistentvolumeclaims": 2, "statefulsets": 2, "nodes": 2, "configmaps": 2}


class Workload:
    def __init__(self, schema, seed, csr):
        self.rng = random.Random(seed)
        self.values = Values(schema, self.rng)
        self.mutator = Mutator(self.values, self.rng)
        self.csr = csr
        self.counter = 0
        self.resources = [r for r in schema.resources.values() if r.bases and "create" in r.verbs]
        self.stored = [r for r in self.resources if "get" in r.verbs]
        self.fixtures = {}
        self.episodes = [(self.create, 26), (self.update, 13), (self.merge_patch, 9), (self.strategic_patch, 8), (self.json_patch, 8),
                         (self.life, 4)]
        self.episodes += [(lambda episode=episode: episode(self), weight) for episode, weight in options.EPISODES + subresources.EPISODES]

    def episode(self):
        episodes, weights = zip(*self.episodes)
        return self.rng.choices(episodes, weights)[0]()

    # Building blocks.

    def resource(self, among=None):
        among = among or self.resources
        return self.rng.choices(among, [POPULAR.get(r.plural, 1) for r in among])[0]

    def name(self):
        self.counter += 1
        return f"n{self.counter}"

    def namespace_of(self, resource, default=NAMESPACE):
        return LIMITED if resource.plural in LIMITING else default

    def base(self, resource, namespace, index=None):
        base = copy.deepcopy(self.rng.choice(resource.bases) if index is None else resource.bases[index])
        base = self.fill(base, namespace)
        return {"apiVersion": resource.api_version, "kind": resource.kind, **base}

    def fill(self, value, namespace):
        if isinstance(value, dict):
            return {k: self.fill(v, namespace) for k, v in value.items()}
        if isinstance(value, list):
            return [self.fill(v, namespace) for v in value]
        return {"@ns@": namespace, "@csr@": self.csr}.get(value, value) if isinstance(value, str) else value

    def named(self, resource, namespace, index=None):
        """A new valid object with a name of its own."""
        base = self.base(resource, namespace, index)
        metadata = base.setdefault("metadata", {})
        if resource.plural not in ("selfsubjectreviews", "ipaddresses"):
            metadata["name"] = metadata.get("name") or self.name()
        if resource.plural == "ipaddresses":
            self.counter += 1
            metadata["name"] = f"10.96.200.{self.counter % 250 + 1}"
        metadata.setdefault("labels", {})["diff"] = "yes"
        return base

    def request(self, category, method, resource, namespace=None, name=None, subresource=None, **more):
        kind = resource.kind + ("/" + subresource if subresource else "")
        return Request(category, method, resource.path(namespace, name, subresource), kind=kind, **more)

    def validation(self):
        choice = self.rng.choices([None, "Strict", "Warn", "Ignore", "Bogus"], [60, 20, 12, 6, 1])[0]
        return [("fieldValidation", choice)] if choice else []

    def fixture(self, resource):
        """A fixture's name, namespace and documents; None where there is none."""
        names = [key for key in self.fixtures if key[0] == resource.key]
        if not names:
            return None
        key = self.rng.choice(names)
        return key[1], self.namespace_of(resource, FIXTURES), self.fixtures[key]

    def any_fixture(self, among=None):
        while True:
            resource = self.resource(among or self.stored)
            found = self.fixture(resource)
            if found:
                return (resource,) + found

    # What both servers need before the episodes.

    def set_up(self):
        for namespace in (NAMESPACE, LIMITED, FIXTURES):
            labels = {"pod-security.kubernetes.io/warn": "restricted"} if namespace == NAMESPACE else {}
            yield Request("set up", "POST", "/api/v1/namespaces", {"metadata": {"name": namespace, "labels": labels}})
            yield Request("set up", "POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
        yield Request("set up", "POST", "/api/v1/nodes", {"metadata": {"name": "node-1"}})
        for resource in self.stored:
            if resource.plural in NO_FIXTURES:
                continue
            namespace = self.namespace_of(resource, FIXTURES)
            for index in range(len(resource.bases)):
                yield from self.make_fixture(resource, namespace, index)

    def make_fixture(self, resource, namespace, index):
        fixture = self.named(resource, namespace, index)
        if resource.plural != "ipaddresses":
            fixture["metadata"]["name"] = f"{resource.version}-{index}" if resource.group == "autoscaling" else f"base-{index}"
        answers = yield self.request("create", "POST", resource, namespace, body=fixture, note="fixture")
        if all(answer.code == 201 for answer in answers):
            self.fixtures[resource.key, fixture["metadata"]["name"]] = Documents(answers)

    # Episodes about objects.

    def changed(self, resource, document, under=None):
        changes = []
        for _ in range(self.rng.choices([1, 2, 0], [80, 15, 5])[0]):
            change = self.mutator.change(resource, document, under)
            document = put(document, change.path, change.value)
            if not isinstance(document, dict):
                break
            changes.append(str(change))
        return document, ", ".join(changes) or "unchanged"

    def create(self):
        resource = self.resource()
        namespace = self.namespace_of(resource)
        body, note = self.changed(resource, self.named(resource, namespace))
        if self.rng.random() < 0.05 and get(body, ["metadata", "name"]) is not ABSENT:
            body = put(put(body, ["metadata", "name"], ABSENT), ["metadata", "generateName"], "gen-")
        is_real = self.rng.random() < 0.3 and resource.plural not in DRY_ONLY and resource in self.stored
        query = self.validation() + ([] if is_real else [("dryRun", "All")])
        answers = yield self.request("create", "POST", resource, namespace, body=body, query=query, note=note)
        if is_real and all(answer.code == 201 for answer in answers):
            name = Documents(answers).oracle.get("metadata", {}).get("name")
            if name and name == get(body, ["metadata", "name"]):
                yield self.request("get", "GET", resource, namespace, name, note=note)
                yield self.request("delete", "DELETE", resource, namespace, name, query=[("gracePeriodSeconds", "0")], note=note)

    def update(self):
        resource, name, namespace, documents = self.any_fixture([r for r in self.stored if "update" in r.verbs])
        before = documents.oracle
        changed, note = self.changed(resource, before)
        edits = differences(before, changed)

        def edit(document):
            for path, value in edits:
                document = put(document, path, value)
            return document
        yield self.request("update", "PUT", resource, namespace, name, body=documents.edited(edit),
                           query=[("dryRun", "All")] + self.validation(), note=note)

    def patched(self, style, make, content_type):
        resource, name, namespace, documents = self.any_fixture([r for r in self.stored if "patch" in r.verbs])
        change = self.mutator.change(resource, documents.oracle)
        yield self.request(style, "PATCH", resource, namespace, name, body=make(documents, change), content_type=content_type,
                           query=[("dryRun", "All")] + self.validation(), note=str(change))

    def merge_patch(self):
        return self.patched("merge patch", lambda documents, change: documents.edited(lambda d: merge_body(d, change)), MERGE)

    def strategic_patch(self):
        return self.patched("strategic patch", lambda documents, change: documents.edited(lambda d: strategic_body(d, change)), STRATEGIC)

    def json_patch(self):
        return self.patched("json patch", self.json_patch_body, JSON_PATCH)

    def json_patch_body(self, _, change):
        pointer = "/" + "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in change.path)
        if change.value is ABSENT:
            return [{"op": "remove", "path": pointer}]
        operations = [{"op": self.rng.choice(["add", "add", "replace"]), "path": pointer, "value": change.value}]
        extra = self.rng.random()
        if extra < 0.1:
            operations.insert(0, {"op": "test", "path": pointer, "value": change.value})
        elif extra < 0.15:
            operations.append({"op": "copy", "from": pointer, "path": "/metadata/annotations"})
        elif extra < 0.2:
            operations.append({"op": "move", "from": pointer, "path": "/metadata/labels/moved"})
        elif extra < 0.22:
            operations.append({"op": self.rng.choice(["bogus", "remove", "test"]), "path": self.rng.choice(["", "/", "bogus", "/metadata/nothing"])})
        return operations

    def life(self):
        """One object from its creation to its end, with writes that are stored."""
        resource = self.resource([r for r in self.stored if r.plural not in DRY_ONLY | {"ipaddresses"}])
        namespace = self.namespace_of(resource)
        body = self.named(resource, namespace)
        name = body["metadata"]["name"]
        answers = yield self.request("create", "POST", resource, namespace, body=body, note="valid")
        if any(answer.code != 201 for answer in answers):
            return
        for _ in range(self.rng.randint(1, 4)):
            documents = Documents((yield self.request("get", "GET", resource, namespace, name)))
            change = self.mutator.change(resource, documents.oracle)
            style = self.rng.choice(["update", MERGE, STRATEGIC])
            if style == "update":
                request = self.request("update", "PUT", resource, namespace, name, note=f"{change} (stored)",
                                       body=documents.edited(lambda d, c=change: put(d, c.path, c.value)))
            else:
                make = merge_body if style == MERGE else strategic_body
                request = self.request("merge patch" if style == MERGE else "strategic patch", "PATCH", resource, namespace, name,
                                       body=documents.edited(lambda d, c=change, m=make: m(d, c)), content_type=style, note=f"{change} (stored)")
            answers = yield request
            if answers[0].code != answers[1].code:
                break
        yield self.request("get", "GET", resource, namespace, name)
        yield self.request("delete", "DELETE", resource, namespace, name, query=[("gracePeriodSeconds", "0")])
        yield self.request("get", "GET", resource, namespace, name)


def differences(before, after):
    """The (path, value) pairs that make one document of the other; what each server generated stays its own."""
    result = []

    def visit(path, a, b):
        if a == b and type(a) is type(b):
            return
        if isinstance(a, dict) and isinstance(b, dict):
            for key in sorted(set(a) | set(b)):
                visit(path + [key], a.get(key, ABSENT), b.get(key, ABSENT))
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for index, (x, y) in enumerate(zip(a, b)):
                visit(path + [index], x, y)
        else:
            result.append((path, b))
    visit([], before, after)
    return [(path, value) for path, value in result if path]
