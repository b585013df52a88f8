#!/usr/bin/env python3
"""Generates admission policies with bindings, params and a write for the policy oracle.

    tests/oracle/policy_cases.py --seed 7 --count 1000 [--mutating] > questions
"""
import argparse
import json
import random

from policy_expressions import Expressions

RESOURCES = {"Pod": ("", "v1", "pods"), "Deployment": ("apps", "v1", "deployments"), "ConfigMap": ("", "v1", "configmaps"),
             "Namespace": ("", "v1", "namespaces")}
REASONS = ["Invalid", "Forbidden", "Unauthorized", "RequestEntityTooLarge"]


def chance(share):
    return random.random() < share


def some(table, share=0.5):
    return {key: value for key, value in table.items() if chance(share)}


def metadata(namespaced=True):
    made = {"name": random.choice(["web", "db", "a-b"])}
    if namespaced:
        made["namespace"] = "default"
    if chance(0.8):
        made["labels"] = some({"app": random.choice(["web", "db"]), "tier": "front", "x/y": "z"}, 0.6)
    if chance(0.4):
        made["annotations"] = {"note": random.choice(["hi", "", "ü"])}
    if chance(0.2):
        made["finalizers"] = ["example.com/a"]
    return made


def container(name):
    made = {"name": name, "image": random.choice(["nginx", "nginx:1", "registry.example.com/a/b@sha256:" + "0" * 64])}
    made.update(some({
        "imagePullPolicy": random.choice(["Always", "Never"]),
        "ports": [{"containerPort": 80}, {"containerPort": 81, "protocol": "UDP", "name": "dns"}][:random.randint(1, 2)],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "args": ["-a", "web"],
        "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}},
        "livenessProbe": {"httpGet": {"path": "/", "port": random.choice([80, "http"])}},
        "securityContext": {"privileged": False},
    }, 0.3))
    return made


def pod_spec():
    made = {"containers": [container(name) for name in ["a", "b", "c"][:random.randint(1, 3)]]}
    made.update(some({
        "nodeName": "n1", "restartPolicy": "Never", "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "a", "operator": "Exists"}], "volumes": [{"name": "v", "emptyDir": {}}],
        "terminationGracePeriodSeconds": 5, "priority": 3, "securityContext": {"runAsUser": 1000},
    }, 0.3))
    return made


def make_object(kind):
    group, version, _ = RESOURCES[kind]
    made = {"apiVersion": f"{group}/{version}" if group else version, "kind": kind, "metadata": metadata(kind != "Namespace")}
    if kind == "Pod":
        made["spec"] = pod_spec()
    elif kind == "Deployment":
        spec = pod_spec()
        for name in ("nodeName", "restartPolicy", "priority"):
            spec.pop(name, None)
        made["spec"] = {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": spec}}
        made["spec"].update(some({"replicas": random.randint(0, 5), "strategy": {"type": "Recreate"}, "paused": True, "minReadySeconds": 3}, 0.4))
    elif kind == "ConfigMap" and chance(0.8):
        made["data"] = some({"a": "1", "b": "two", "c": ""}, 0.6)
    elif kind == "Namespace":
        made["spec"] = {"finalizers": ["kubernetes"]}
    return made


def selector():
    roll = random.random()
    if roll < 0.9:
        return {}
    if roll < 0.94:
        return {"matchLabels": {"app": "web"}}
    key, operator = random.choice(["app", "env", "tier"]), random.choice(["In", "NotIn", "Exists", "DoesNotExist"])
    made = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        made["values"] = ["web", "test"]
    return {"matchExpressions": [made]}


def rule(kind):
    group, version, resource = RESOURCES[kind]
    if chance(0.07):
        group, version, resource = RESOURCES[random.choice(list(RESOURCES))]
    made = {"operations": random.choice([["*"], ["*"], ["CREATE", "UPDATE", "DELETE"], ["CREATE", "UPDATE", "DELETE"], ["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"]]),
            "apiGroups": [group] if chance(0.8) else ["*"], "apiVersions": [version] if chance(0.8) else ["*"],
            "resources": random.choice([[resource]] * 12 + [["*"], [resource + "/status"], ["*/*"], [resource + "/*"]]),
            "scope": random.choice(["*"] * 14 + ["Namespaced", "Cluster"])}
    if chance(0.05):
        made["resourceNames"] = ["web"]
    return made


def match(kind, required):
    made = {"matchPolicy": random.choice(["Equivalent", "Exact"]), "namespaceSelector": selector(), "objectSelector": selector()}
    if required or chance(0.5):
        made["resourceRules"] = [rule(kind) for _ in range(random.randint(1, 2))]
    if chance(0.05):
        made["excludeResourceRules"] = [rule(kind)]
    return made


def common_spec(kind, expressions):
    made = {"matchConstraints": match(kind, True), "failurePolicy": "Fail" if chance(0.75) else "Ignore"}
    if expressions.params:
        made["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
    variables = []
    for i in range(random.choice([0, 0, 1, 2, 3])):
        of = random.choice(["string", "bool", "int"])
        name = f"v{i}" if chance(0.95) else "v0"
        before = expressions.variables
        # Upstream's server crashes where a variable refers to itself.
        expressions.variables = {} if name in before else before
        text = {"string": expressions.string, "bool": expressions.boolean, "int": expressions.integer}[of]()
        expressions.variables = before
        variables.append({"name": name, "expression": text})
        expressions.variables[name] = of
    if variables:
        made["variables"] = variables
    if chance(0.25):
        made["matchConditions"] = [{"name": f"c{i}", "expression": expressions.boolean() if chance(0.4) else "true"} for i in range(random.randint(1, 3))]
    return made


def validation(expressions):
    made = {"expression": random.choice(["", " ", "\n"]) + expressions.boolean()}
    if chance(0.4):
        made["message"] = random.choice(["no", " not so ", "a message", " "])
    if chance(0.4):
        expressions.authorizer = chance(0.03)
        made["messageExpression"] = expressions.string() if chance(0.9) else random.choice(["1", "none", "'x'.repeat", "['a'].map(x, x)[1]", "'" + "m" * 5200 + "'"])
        expressions.authorizer = True
    if chance(0.4):
        made["reason"] = random.choice(REASONS)
    return made


def validating_spec(kind, expressions):
    made = common_spec(kind, expressions)
    made["validations"] = [validation(expressions) for _ in range(random.randint(1, 3))]
    if chance(0.4):
        expressions.authorizer = chance(0.1)
        made["auditAnnotations"] = [
            {"key": f"k{i}", "valueExpression": random.choice([expressions.string(), expressions.string(), f"{expressions.boolean()} ? 'a' : null", "null", "'" + "v" * 11000 + "'",
                                                               "1"] if chance(0.3) else [expressions.string()])}
            for i in range(random.randint(1, 2))]
        expressions.authorizer = True
    return made


PATHS = {
    "": ["/metadata/labels/new", "/metadata/labels/app", "/metadata/labels", "/metadata/annotations/note", "/metadata/annotations", "/metadata/finalizers/0",
         "/metadata/finalizers/-", "/metadata/name", "/none", "", "/metadata/labels/x~1y", "metadata/labels", "/kind"],
    "Pod": ["/spec/containers/0/image", "/spec/containers/-", "/spec/containers/1", "/spec/nodeName", "/spec/containers/0/env/0", "/spec/nodeSelector",
            "/spec/terminationGracePeriodSeconds", "/spec/containers/9/image", "/spec/none", "/spec/containers/0/resources"],
    "Deployment": ["/spec/replicas", "/spec/template/spec/containers/0/image", "/spec/strategy/type", "/spec/template/spec/containers/-", "/spec/paused"],
    "ConfigMap": ["/data/a", "/data/new", "/data", "/immutable"],
    "Namespace": ["/spec/finalizers/-", "/spec/finalizers"],
}


def json_patch(expressions):
    operations = []
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        op = random.choice(["add"] * 5 + ["replace", "replace", "remove", "test", "copy", "move", "none"])
        path = f"'{expressions.one(PATHS)}'"
        if chance(0.1):
            path = "'/metadata/labels/' + jsonpatch.escapeKey('a/b')"
        fields = [f"op: '{op}'", f"path: {path}"]
        if op in ("copy", "move") or chance(0.03):
            fields.append(f"from: '{expressions.one(PATHS)}'")
        if op in ("add", "replace", "test") or chance(0.05):
            value = expressions.value()
            if "containers/-" in path or chance(0.05):
                where = random.choice(["Object.spec.containers", "Object.spec.template.spec.containers", "Object"])
                value = where + "{name: 'z', image: " + expressions.string(1) + "}"
            fields.append(f"value: {value}")
        operations.append("JSONPatch{" + ", ".join(fields) + "}")
    made = "[" + ", ".join(operations) + "]"
    if chance(0.15):
        made = f"{expressions.boolean(1)} ? {made} : []"
    return made if chance(0.96) else random.choice(["1", "object", "[1]", "[object]", "{}", "[JSONPatch{op: 1}]"])


def labels(expressions):
    return "{" + ", ".join(f"'{key}': {expressions.string(1)}" for key in random.sample(["a", "app", "x/y"], random.randint(0, 2))) + "}"


def containers(expressions, where):
    made = []
    for _ in range(random.randint(1, 2)):
        fields = [f"name: '{random.choice('abz')}'"] if chance(0.95) else []
        fields += [text for text in [f"image: {expressions.string(1)}", "imagePullPolicy: 'Never'", "args: ['x']", "?workingDir: optional.of('/w')",
                                     "?command: optional.none()", f"env: [{where}.env{{name: 'A', value: {expressions.string(0)}}}]",
                                     f"ports: [{where}.ports{{containerPort: 80, protocol: 'TCP'}}]", "stdin: true"] if chance(0.25)]
        made.append(where + "{" + ", ".join(fields) + "}")
    return "[" + ", ".join(made) + "]"


def configuration(kind, expressions):
    fields = []
    if chance(0.7):
        more = random.choice(["", "", f", annotations: {labels(expressions)}", ", finalizers: ['example.com/b']", ", none: 1"])
        name = "Object.metadata" if chance(0.96) else "Object.meta"
        fields.append(f"metadata: {name}{{labels: {labels(expressions)}{more}}}")
    specs = {
        "Pod": lambda: ["containers: " + containers(expressions, "Object.spec.containers"), f"nodeName: {expressions.string(1)}", "priority: 7",
                        "nodeSelector: {'a': 'b'}", "tolerations: [Object.spec.tolerations{key: 'k'}]", "volumes: [Object.spec.volumes{name: 'w'}]",
                        "none: 1", "priority: 'a'", "securityContext: Object.spec.securityContext{runAsUser: 5}", "dnsPolicy: 'Default'"],
        "Deployment": lambda: [f"replicas: {expressions.integer(1)}", "paused: true", "strategy: Object.spec.strategy{type: 'RollingUpdate'}",
                               "template: Object.spec.template{spec: Object.spec.template.spec{containers: "
                               + containers(expressions, "Object.spec.template.spec.containers") + "}}",
                               "selector: Object.spec.selector{matchLabels: {'a': 'b'}}", "none: true"],
        "Namespace": lambda: ["finalizers: ['x.example.com/y']"],
    }
    if kind in specs and chance(0.8):
        chosen = [text for text in specs[kind]() if chance(0.2)]
        fields.append("spec: " + ("Object.spec" if chance(0.96) else "Object.other") + "{" + ", ".join(chosen) + "}")
    if kind == "ConfigMap" and chance(0.8):
        fields.append(f"data: {labels(expressions)}" if chance(0.8) else "immutable: " + expressions.boolean(1))
    made = "Object{" + ", ".join(fields) + "}"
    if chance(0.1):
        made = f"{expressions.boolean(1)} ? {made} : Object{{}}"
    return made if chance(0.97) else random.choice(["1", "object", "Object.spec{}", "[Object{}]", "none"])


def mutating_spec(kind, expressions):
    made = common_spec(kind, expressions)
    made["reinvocationPolicy"] = random.choice(["Never", "IfNeeded"])
    made["mutations"] = []
    for _ in range(random.choice([1, 1, 2])):
        if chance(0.5):
            made["mutations"].append({"patchType": "JSONPatch", "jsonPatch": {"expression": json_patch(expressions)}})
        else:
            made["mutations"].append({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": configuration(kind, expressions)}})
    return made


def binding(name, policy, kind, mutating, params):
    spec = {"policyName": policy}
    if not mutating:
        spec["validationActions"] = random.choice([["Deny"]] * 5 + [["Deny", "Audit"], ["Warn"], ["Audit"], ["Warn", "Audit"]])
    if chance(0.2):
        spec["matchResources"] = match(kind, False)
    if params and chance(0.95):
        reference = {"parameterNotFoundAction": random.choice(["Allow", "Deny"])}
        if chance(0.7):
            reference["name"] = random.choice(["one", "two", "none"])
        else:
            reference["selector"] = random.choice([{"matchLabels": {"p": "1"}}, {"matchLabels": {"p": "3"}}, {"matchLabels": {"p": "2"}}])
        if chance(0.3) or kind == "Namespace":
            reference["namespace"] = random.choice(["default", "default", "other"]) if chance(0.9) else ""
        spec["paramRef"] = {key: value for key, value in reference.items() if value != ""}
    return {"metadata": {"name": name}, "spec": spec}


def case(mutating):
    kind = random.choice(list(RESOURCES))
    group, _, resource = RESOURCES[kind]
    operation = random.choice(["CREATE", "CREATE", "UPDATE"] if mutating else ["CREATE", "CREATE", "UPDATE", "DELETE"])
    made = {"mutating": mutating, "operation": operation, "group": group, "resource": resource, "policies": [], "bindings": [],
            "params": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "default", "labels": {"p": "1"}},
                        "data": {"limit": "3", "name": "web"}},
                       {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "namespace": "default", "labels": {"p": "2"}}, "data": {"limit": "x"}}],
            "namespaces": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {"env": random.choice(["test", "prod"])}},
                            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}]}
    if operation != "DELETE":
        made["object"] = make_object(kind)
    if operation != "CREATE":
        made["old"] = make_object(kind)
        if operation == "UPDATE":
            made["old"]["metadata"]["name"] = made["object"]["metadata"]["name"]
        if kind == "Namespace":
            made["namespaces"].append(made["old"])
    for i in range(random.choice([1, 1, 1, 2])):
        name = f"p{i}"
        params = chance(0.4)
        expressions = Expressions(random, kind, params, mutating)
        spec = mutating_spec(kind, expressions) if mutating else validating_spec(kind, expressions)
        made["policies"].append({"metadata": {"name": name}, "spec": spec})
        for j in range(random.choice([1, 1, 2])):
            made["bindings"].append(binding(f"b{i}{j}", name, kind, mutating, params))
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--mutating", action="store_true")
    args = parser.parse_args()
    random.seed(args.seed * 2 + args.mutating)
    for _ in range(args.count):
        print(json.dumps(case(args.mutating)))


if __name__ == "__main__":
    main()
