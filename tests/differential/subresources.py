"""Episodes about subresources."""

from mutations import put
from patches import merge_body, strategic_body
from request import MERGE, NAMESPACE, STRATEGIC, Documents


def with_subresource(workload, subresource):
    return [r for r in workload.stored if subresource in r.subresources and any(key[0] == r.key for key in workload.fixtures)]


def status(workload):
    """A dry run of a write to /status: the status with one change, and sometimes a change elsewhere."""
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture(with_subresource(workload, "status"))
    under = "status" if any(f.path[0] == "status" for f in resource.paths) and rng.random() < 0.85 else None
    change = workload.mutator.change(resource, documents.oracle, under)
    query = [("dryRun", "All")] + workload.validation()
    if rng.random() < 0.5:
        body = documents.edited(lambda document: put(document, change.path, change.value))
        yield workload.request("status", "PUT", resource, namespace, name, "status", body=body, query=query, note=str(change))
    else:
        content_type = rng.choice([MERGE, STRATEGIC])
        make = merge_body if content_type == MERGE else strategic_body
        body = documents.edited(lambda document: make(document, change))
        yield workload.request("status", "PATCH", resource, namespace, name, "status", body=body, content_type=content_type, query=query, note=str(change))


def scale(workload):
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture(with_subresource(workload, "scale"))
    answers = yield workload.request("scale", "GET", resource, namespace, name, "scale")
    current = Documents(answers)
    edits = [(["spec", "replicas"], 3), (["spec", "replicas"], -1), (["spec", "replicas"], "x"), (["spec"], None), (["metadata", "name"], "other"), (["metadata", "namespace"], "other"), (["metadata", "resourceVersion"], "1"),
             (["metadata", "uid"], "x"), (["status", "replicas"], 9), (["kind"], "Bogus"), (["apiVersion"], "autoscaling/v9"), (["metadata", "labels"], {"a": "b"}), (["bogus"], 1)]
    path, value = rng.choice(edits)
    if rng.random() < 0.5:
        yield workload.request("scale", "PUT", resource, namespace, name, "scale", body=current.edited(lambda d: put(d, path, value)), query=[("dryRun", "All")] + workload.validation(), note=f"{path} = {value}")
    else:
        yield workload.request("scale", "PATCH", resource, namespace, name, "scale", body=put({}, path, value), content_type=rng.choice([MERGE, STRATEGIC]), query=[("dryRun", "All")], note=f"{path} = {value}")


def pod(workload, node=None):
    resource = next(r for r in workload.stored if r.key == "v1/pods")
    body = workload.named(resource, NAMESPACE, 0)
    if node:
        body["spec"]["nodeName"] = node
    return resource, body, body["metadata"]["name"]


def eviction(workload):
    rng = workload.rng
    resource, body, name = pod(workload, rng.choice([None, "node-1"]))
    yield workload.request("create", "POST", resource, NAMESPACE, body=body)
    base = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NAMESPACE}}
    variants = [base, put(base, ["deleteOptions"], {"gracePeriodSeconds": 0}), put(base, ["deleteOptions"], {"dryRun": ["All"]}), put(base, ["deleteOptions"], {"preconditions": {"uid": "x"}}), put(base, ["metadata", "name"], "other"),
                put(base, ["apiVersion"], "policy/v1beta1"), put(base, ["kind"], "Bogus"), put(base, ["metadata"], {}), {}, put(base, ["metadata", "namespace"], "other"), put(base, ["deleteOptions"], {"propagationPolicy": "Bogus"}), put(base, ["bogus"], 1)]
    yield workload.request("eviction", "POST", resource, NAMESPACE, rng.choice([name, name, name, "missing"]), "eviction", body=rng.choice(variants), query=rng.choice([[], [], [("dryRun", "All")]]) + workload.validation(), note="eviction")
    yield workload.request("get", "GET", resource, NAMESPACE, name, note="after eviction")
    yield workload.request("delete", "DELETE", resource, NAMESPACE, name, query=[("gracePeriodSeconds", "0")])


def binding(workload):
    rng = workload.rng
    resource, body, name = pod(workload)
    yield workload.request("create", "POST", resource, NAMESPACE, body=body)
    base = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"kind": "Node", "name": "node-1"}}
    variants = [base, base, put(base, ["target"], {}), put(base, ["target", "kind"], "Pod"), put(base, ["target", "name"], ""), put(base, ["target", "name"], "missing-node"), put(base, ["metadata", "name"], "other"), put(base, ["metadata"], {}),
                put(base, ["metadata", "uid"], "x"), put(base, ["metadata", "resourceVersion"], "1"), put(base, ["metadata", "annotations"], {"a": "b"}), put(base, ["metadata", "labels"], {"topology.kubernetes.io/zone": "z"}), put(base, ["kind"], "Bogus"), {}]
    chosen = rng.choice(variants)
    if rng.random() < 0.8:
        yield workload.request("binding", "POST", resource, NAMESPACE, name, "binding", body=chosen, query=workload.validation(), note="binding")
    else:
        bindings = next(r for r in workload.resources if r.plural == "bindings")
        yield workload.request("binding", "POST", bindings, NAMESPACE, body=chosen, note="bindings")
    yield workload.request("get", "GET", resource, NAMESPACE, name, note="after binding")
    if rng.random() < 0.5:
        yield workload.request("binding", "POST", resource, NAMESPACE, name, "binding", body=base, note="second binding")
    yield workload.request("delete", "DELETE", resource, NAMESPACE, name, query=[("gracePeriodSeconds", "0")])


def token(workload):
    rng = workload.rng
    resource = next(r for r in workload.stored if r.key == "v1/serviceaccounts")
    base = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    specs = [{}, {"expirationSeconds": 600}, {"expirationSeconds": 599}, {"expirationSeconds": 4294967297}, {"audiences": ["a", "b"]}, {"audiences": [""]}, {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "missing"}},
             {"boundObjectRef": {"kind": "Bogus", "apiVersion": "v1", "name": "x"}}, {"boundObjectRef": {"kind": "Node", "apiVersion": "v1", "name": "node-1"}}, {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "base-0", "uid": "x"}}, {"boundObjectRef": {}}, {"bogus": 1}]
    body = put(base, ["spec"], rng.choice(specs))
    if rng.random() < 0.3:
        body = put(body, ["metadata"], rng.choice([{"name": "other"}, {"namespace": "other"}, {"name": "base-0"}, None]))
    yield workload.request("token", "POST", resource, "diff-b", rng.choice(["base-0", "base-0", "base-0", "missing"]), "token", body=body, query=rng.choice([[], [("dryRun", "All")]]) + workload.validation(), note=str(body["spec"]))


def pod_changes(workload):
    """ephemeralcontainers and resize."""
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture([r for r in workload.stored if r.key == "v1/pods"])
    container = documents.oracle["spec"]["containers"][0]["name"]
    if rng.random() < 0.5:
        items = rng.choice([[{"name": "d", "image": "debug"}], [{"name": "d"}], [{"name": container, "image": "x"}], [{"name": "d", "image": "x", "targetContainerName": rng.choice([container, "missing"])}], [{"name": "d", "image": "x", "ports": [{"containerPort": 1}]}],
                            [{"name": "d", "image": "x", "resources": {"limits": {"cpu": "1"}}}], [{"name": "d", "image": "x", "lifecycle": {}}], []])
        patch, subresource = {"spec": {"ephemeralContainers": items}}, "ephemeralcontainers"
    else:
        resources = rng.choice([{"limits": {"cpu": "2"}}, {"requests": {"cpu": "50m"}}, {"requests": {"cpu": "9"}, "limits": {"cpu": "1"}}, {"limits": {"memory": "1Gi"}}, {"limits": {"example.com/x": "1"}}, {}, {"limits": {"cpu": "-1"}}])
        patch, subresource = {"spec": {"containers": [{"name": container, "resources": resources}]}}, "resize"
    yield workload.request(subresource, "PATCH", resource, namespace, name, subresource, body=patch, content_type=STRATEGIC, query=[("dryRun", "All")] + workload.validation(), note=str(patch))


def approval(workload):
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture([r for r in workload.stored if r.plural == "certificatesigningrequests"])
    condition = {"type": rng.choice(["Approved", "Denied", "Failed", "Bogus"]), "status": rng.choice(["True", "False", ""]), "reason": "r", "message": "m"}
    conditions = rng.choice([[condition], [condition, condition], [condition, {**condition, "type": "Denied"}], []])
    body = documents.edited(lambda document: put(document, ["status", "conditions"], conditions))
    yield workload.request("approval", "PUT", resource, namespace, name, rng.choice(["approval", "approval", "status"]), body=body, query=[("dryRun", "All")], note=str(conditions))


def finalize(workload):
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture([r for r in workload.stored if r.key == "v1/namespaces"])
    finalizers = rng.choice([[], ["kubernetes"], ["bad"], ["example.com/x"]])
    body = documents.edited(lambda document: put(document, ["spec", "finalizers"], finalizers))
    yield workload.request("finalize", "PUT", resource, None, name, "finalize", body=body, query=[("dryRun", "All")], note=str(finalizers))


EPISODES = [(status, 8), (scale, 1.5), (eviction, 0.6), (binding, 0.6), (token, 1.2), (pod_changes, 1.2), (approval, 0.6), (finalize, 0.3)]
