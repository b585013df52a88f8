"""Episodes about reads, deletions, paths and media types."""

from mutations import put
from request import FIXTURES, JSON, MERGE, NAMESPACE, STRATEGIC, Documents, Request

LABELS = ["diff=yes", "diff!=yes", "diff in (yes,no)", "diff notin (yes)", "!diff", "diff", "a=b,c=d", "", "bad key=x", "a in (", "diff=yes,", "x==y", "a>1", "a=b=c", "a in ()",
          "-a=b", "a=" + "x" * 64]
FIELDS = ["metadata.name=base-0", "metadata.name!=base-0", "metadata.namespace=diff-b", "spec.nodeName=node-1", "status.phase=Pending", "bogus=x", "metadata.name", "metadata.name=a,metadata.name=b",
          "spec.unschedulable=true", "type=Opaque", "involvedObject.kind=Pod", "reason=Why", "status.replicas=0", "spec.restartPolicy=Never", "a=b=c", "metadata.name=\\"]
LIST_OPTIONS = [("limit", "1"), ("limit", "500"), ("limit", "-1"), ("limit", "x"), ("limit", "9999999999999999999"), ("continue", "bogus"), ("continue", "e30"), ("resourceVersion", "0"),
                ("resourceVersion", "abc"), ("resourceVersion", "-1"), ("resourceVersionMatch", "Exact"), ("resourceVersionMatch", "NotOlderThan"), ("resourceVersionMatch", "Bogus"),
                ("timeoutSeconds", "5"), ("timeoutSeconds", "x"), ("sendInitialEvents", "true"), ("allowWatchBookmarks", "true"), ("pretty", "false"), ("bogus", "x"), ("watch", "false")]
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
ACCEPTS = ["application/json", "*/*", "application/*", "text/html", "application/vnd.kubernetes.protobuf", "application/yaml", "bogus", "", TABLE, TABLE + ",application/json", PARTIAL, PARTIAL_LIST,
           "application/json;as=Bogus;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v9;g=meta.k8s.io", "application/json;q=0.1,application/yaml", "application/cbor", "application/json;stream=watch",
           "application/yaml;as=Table;v=v1;g=meta.k8s.io", "text/plain,application/json;q=0.5"]
CONTENT_TYPES = ["application/json", "text/plain", "application/yaml", "bogus", "application/json; charset=utf-8", "application/xml", "application/vnd.kubernetes.protobuf", "application/merge-patch+json",
                 "application/cbor", "", "application/x-www-form-urlencoded", "multipart/form-data"]
BODIES = ["", "{", "}", "[]", "null", "5", "\"x\"", "{}", "{\"kind\":\"Bogus\"}", "{\"kind\":\"Bogus\",\"apiVersion\":\"v1\"}", "{\"apiVersion\":\"bogus/v9\",\"kind\":\"ConfigMap\"}", "{\"kind\":5}",
          "{\"a\":1,\"a\":2}", "{\"metadata\":{\"name\":\"d\",\"name\":\"e\"}}", "{\"metadata\":{\"name\":\"d\"}} trailing", "{\"metadata\":{\"name\":\"d\"},\"data\":{\"a\":\"\\ud800\"}}", "kind: ConfigMap\nmetadata:\n  name: y\n",
          "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"d\"}}", "{\"metadata\":{\"name\":\"d\"},\"Data\":{\"a\":\"b\"}}", "{'a': 1}", "{\"metadata\":{\"name\":\"d\"},\"data\":{\"a\":\"b\",}}",
          "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}", "// comment\n{}", "{\"metadata\":{\"name\":\"d\"},\"data\":{\"\\u0000\":\"b\"}}", "\ufeff{}", "{\"metadata\":null}", "{\"metadata\":{\"name\":\"d\",\"namespace\":\"other\"}}"]
DELETE_BODIES = [None, {}, {"gracePeriodSeconds": 0}, {"gracePeriodSeconds": 5}, {"gracePeriodSeconds": -1}, {"propagationPolicy": "Foreground"}, {"propagationPolicy": "Orphan"}, {"propagationPolicy": "Background"},
                 {"propagationPolicy": "Bogus"}, {"orphanDependents": True}, {"orphanDependents": True, "propagationPolicy": "Orphan"}, {"preconditions": {"uid": "8ee54a5b-5ac1-4b6c-8e5e-0b8e4ffc0001"}},
                 {"preconditions": {"resourceVersion": "1"}}, {"dryRun": ["All"]}, {"dryRun": ["Bogus"]}, {"kind": "DeleteOptions", "apiVersion": "v1"}, {"kind": "Bogus", "apiVersion": "v1"},
                 {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "gracePeriodSeconds": 1}, {"bogus": 1}, {"gracePeriodSeconds": "x"}, "{", "null", "[]"]
DELETE_QUERIES = [[], [("gracePeriodSeconds", "0")], [("gracePeriodSeconds", "x")], [("propagationPolicy", "Foreground")], [("propagationPolicy", "Bogus")], [("dryRun", "All")], [("dryRun", "all")], [("orphanDependents", "true")],
                  [("orphanDependents", "bogus")]]
# Not "/": it lists each server's own health checks.
PATHS = ["/api", "/api/", "/api/v1", "/api/v2", "/api/v1/bogus", "/apis", "/apis/", "/apis/apps", "/apis/apps/", "/apis/apps/v1", "/apis/apps/v9", "/apis/bogus", "/apis/bogus/v1", "/apis//v1", "/apis/apps/v1/bogus", "/version",
         "/version/", "/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/bogus", "/bogus", "/api/v1/namespaces/diff-b/bogus", "/api/v1/namespaces/diff-b/pods/base-0/bogus", "/api/v1/namespaces/diff-b/pods/base-0/status",
         "/api/v1/namespaces/diff-b", "/api/v1/namespaces/missing/pods", "/api/v1/namespaces/missing/pods/x", "/api/v1/namespaces/diff-b/nodes", "/api/v1/pods/base-0", "/apis/apps/v1/namespaces/diff-b/deployments/base-0/scale",
         "/apis/apps/v1/namespaces/diff-b/deployments/base-0/bogus", "/api/v1/nodes/base-0/status", "/api/v1/namespaces/diff-b/configmaps/base-0/status", "/api/v1/namespaces/diff-b/secrets/", "/api/v1/namespaces//secrets", "/api/v1//namespaces",
         "/api/v1/namespaces/diff-b/pods/..", "/api/v1/namespaces/diff-b/configmaps/A%20b", "/api/v1/namespaces/diff-b/configmaps/a%2Fb", "/api/v1/watch/namespaces/diff-b/bogus", "/openapi", "/metrics/bogus", "/logs", "/ui", "/.well-known/openid-configuration",
         "/openid/v1/jwks", "/apis/batch/v1beta1", "/apis/policy/v1beta1/podsecuritypolicies", "/apis/extensions/v1beta1/deployments", "/apis/autoscaling", "/apis/events.k8s.io", "/api/v1/componentstatuses/bogus", "/apis/networking.k8s.io/v1"]
SYSTEM = ["/api/v1/namespaces/kube-system", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-public", "/apis/rbac.authorization.k8s.io/v1/clusterroles?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults",
          "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults", "/apis/rbac.authorization.k8s.io/v1/roles?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults",
          "/apis/rbac.authorization.k8s.io/v1/rolebindings?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
          "/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt", "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/global-default",
          "/apis/networking.k8s.io/v1/servicecidrs/kubernetes", "/apis/apiregistration.k8s.io/v1/apiservices", "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps",
          "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking", "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin", "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin"]


def read(workload):
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture()
    choice = rng.random()
    if choice < 0.3:
        query = [rng.choice(LIST_OPTIONS)] if rng.random() < 0.3 else []
        yield workload.request("get", "GET", resource, namespace, rng.choice([name, name, "missing"]), query=query)
    elif choice < 0.4:
        yield workload.request("get", "GET", resource, namespace, name, accept=rng.choice([TABLE, PARTIAL]), note="representation")
    else:
        query = []
        if rng.random() < 0.5:
            query.append(("labelSelector", rng.choice(LABELS)))
        if rng.random() < 0.4:
            query.append(("fieldSelector", rng.choice(FIELDS)))
        query += rng.sample(LIST_OPTIONS, rng.choice([0, 1, 1, 2]))
        scope = namespace if resource.namespaced else None
        # Controllers make objects of these kinds.
        is_shared = not resource.namespaced or resource.plural in ("configmaps", "serviceaccounts")
        if is_shared and not any(key == "labelSelector" for key, _ in query):
            query.append(("labelSelector", "diff=yes"))
        accept = rng.choice([JSON, JSON, JSON, TABLE, PARTIAL_LIST])
        yield workload.request("list", "GET", resource, scope, query=query, accept=accept, note=str(query))


def pages(workload):
    resource = workload.rng.choice([r for r in workload.stored if len(r.bases) > 1])
    namespace = workload.namespace_of(resource, FIXTURES)
    query = [("limit", "1"), ("labelSelector", "diff=yes")]
    for _ in range(3):
        answers = yield workload.request("list", "GET", resource, namespace, query=query, note="pages")
        documents = Documents(answers)
        following = documents.field("metadata", "continue")
        if not following(0) or not following(1):
            return
        query = [query[0], query[1], ("continue", following)]


def watch(workload):
    """Watches that are refused; what an accepted one sends depends on time."""
    resource, _, namespace, _ = workload.any_fixture()
    query = workload.rng.choice([("labelSelector", "a in ("), ("fieldSelector", "bogus=x"), ("resourceVersion", "abc"), ("resourceVersion", "-1"), ("timeoutSeconds", "x"), ("sendInitialEvents", "true"),
                                 ("resourceVersionMatch", "NotOlderThan"), ("resourceVersionMatch", "Exact"), ("limit", "x")])
    yield workload.request("watch", "GET", resource, namespace, query=[("watch", "true"), ("timeoutSeconds", "1"), query] if query[0] != "timeoutSeconds" else [("watch", "1"), query], note=str(query))


def delete(workload):
    rng = workload.rng
    plural = rng.choice(["configmaps", "pods", "jobs", "deployments", "secrets", "replicationcontrollers", "services", "leases", "persistentvolumeclaims"])
    resource = next(r for r in workload.stored if r.plural == plural)
    body = workload.named(resource, NAMESPACE)
    name = body["metadata"]["name"]
    if rng.random() < 0.3:
        body["metadata"]["finalizers"] = ["example.com/keep"]
    if plural == "pods" and rng.random() < 0.5:
        body["spec"]["nodeName"] = "node-1"
    answers = yield workload.request("create", "POST", resource, NAMESPACE, body=body, note="to be deleted")
    if any(answer.code != 201 for answer in answers):
        return
    options, query = rng.choice(DELETE_BODIES), rng.choice(DELETE_QUERIES) if rng.random() < 0.4 else []
    if options is not None and ("dryRun" in dict(query)):
        query = []  # with a body upstream ignores the query and deletes, which Proa does not: docs/compatibility.md
    yield workload.request("delete", "DELETE", resource, NAMESPACE, name, body=options, query=query, note=f"{options} {query}")
    yield workload.request("get", "GET", resource, NAMESPACE, name, note="after delete")
    if body["metadata"].get("finalizers"):
        yield workload.request("merge patch", "PATCH", resource, NAMESPACE, name, body={"metadata": {"finalizers": None}}, content_type=MERGE, note="finalizers after delete")
        yield workload.request("get", "GET", resource, NAMESPACE, name, note="after finalizers")


def delete_collection(workload):
    rng = workload.rng
    plural = rng.choice(["configmaps", "secrets", "leases"])
    resource = next(r for r in workload.stored if r.plural == plural)
    label = workload.name()
    for _ in range(rng.randint(0, 3)):
        body = workload.named(resource, NAMESPACE)
        body["metadata"]["labels"] = {"set": label}
        yield workload.request("create", "POST", resource, NAMESPACE, body=body, note="of a collection")
    query = [("labelSelector", f"set={label}")] + rng.choice([[], [("limit", "1")], [("dryRun", "All")], [("fieldSelector", "metadata.name=missing")], [("resourceVersion", "0")]])
    body = rng.choice([None, {}, {"gracePeriodSeconds": 0}, {"propagationPolicy": "Bogus"}, {"preconditions": {"resourceVersion": "1"}}, {"preconditions": {"uid": "x"}}])
    if ("dryRun", "All") in query:
        body = None  # as in delete()
    yield workload.request("deletecollection", "DELETE", resource, NAMESPACE, query=query, body=body, note=str((query[1:], body)))
    yield workload.request("list", "GET", resource, NAMESPACE, query=query[:1], note="after deletecollection")
    yield workload.request("deletecollection", "DELETE", resource, NAMESPACE, query=query[:1])


def path(workload):
    rng = workload.rng
    method = rng.choice(["GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BOGUS"])
    target = rng.choice(PATHS)
    # Not to be deleted: what other episodes use.
    if method == "DELETE" and ("base-0" in target or target.endswith(("diff-b", "secrets/", "secrets", "/nodes", "/namespaces"))):
        method = "GET"
    body = {"metadata": {"name": "x"}} if method in ("POST", "PUT", "PATCH") else None
    yield Request("paths", method, target, body, content_type=MERGE if method == "PATCH" else JSON, note="path",
                  query=[("dryRun", "All")] if method not in ("GET", "OPTIONS") else [])


def wrong_verb(workload):
    resource, name, namespace, _ = workload.any_fixture()
    method, target = workload.rng.choice([("POST", name), ("PUT", None), ("PATCH", None), ("OPTIONS", name), ("BOGUS", None)])
    yield workload.request("paths", method, resource, namespace, target, body={}, query=[("dryRun", "All")], note="wrong verb")


def media(workload):
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture()
    if rng.random() < 0.5:
        target = rng.choice([name, None, "missing"])
        query = [] if target else [("labelSelector", "diff=yes")]
        yield workload.request("media types", "GET", resource, namespace, target, accept=rng.choice(ACCEPTS), query=query, note="accept")
    else:
        body = workload.named(resource, workload.namespace_of(resource))
        method = rng.choice(["POST", "POST", "PATCH", "PUT"])
        target = None if method == "POST" else name
        yield workload.request("media types", method, resource, namespace, target, body=body, query=[("dryRun", "All")],
                               content_type=rng.choice(CONTENT_TYPES), note="content type")


def bodies(workload):
    rng = workload.rng
    resource, name, namespace, _ = workload.any_fixture()
    method = rng.choice(["POST", "POST", "PUT", "PATCH"])
    content_type = JSON if method != "PATCH" else rng.choice([MERGE, STRATEGIC, "application/json-patch+json"])
    yield workload.request("bodies", method, resource, namespace, None if method == "POST" else name, body=rng.choice(BODIES), content_type=content_type,
                           query=[("dryRun", rng.choice(["All", "All", "All", "Bogus"]))] + workload.validation(), note="body")


def system(workload):
    yield Request("system objects", "GET", workload.rng.choice(SYSTEM), note="system object")


def metadata(workload):
    """What clients send in metadata: resourceVersion, uid, generation, names and timestamps."""
    rng = workload.rng
    resource, name, namespace, documents = workload.any_fixture()
    edits = [(["resourceVersion"], "0"), (["resourceVersion"], ""), (["resourceVersion"], "1"), (["resourceVersion"], "abc"), (["uid"], "8ee54a5b-5ac1-4b6c-8e5e-0b8e4ffc0001"), (["uid"], ""), (["name"], "other"), (["name"], ""),
             (["namespace"], "other"), (["generation"], 99), (["generation"], -1), (["deletionTimestamp"], "2024-06-01T12:00:00Z"), (["creationTimestamp"], "2024-06-01T12:00:00Z"), (["creationTimestamp"], None),
             (["deletionGracePeriodSeconds"], 5), (["selfLink"], "/x"), (["finalizers"], ["bad"]), (["finalizers"], ["example.com/a", "example.com/a"]), (["finalizers"], ["foregroundDeletion"]),
             (["ownerReferences"], [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "8ee54a5b-5ac1-4b6c-8e5e-0b8e4ffc0002"}] * 2), (["ownerReferences"], [{"kind": "Pod", "name": "p"}]),
             (["annotations"], {"a": "x" * 300000}), (["labels"], {"a": "b c"}), (["generateName"], "gen-")]
    edit, value = rng.choice(edits)
    if rng.random() < 0.5:
        body = put(workload.named(resource, workload.namespace_of(resource)), ["metadata"] + edit, value)
        yield workload.request("metadata", "POST", resource, workload.namespace_of(resource), body=body, query=[("dryRun", "All")], note=f"create {edit[0]}")
    else:
        body = documents.edited(lambda document: put(document, ["metadata"] + edit, value))
        yield workload.request("metadata", "PUT", resource, namespace, name, body=body, query=[("dryRun", "All")], note=f"update {edit[0]}")


EPISODES = [(read, 8), (pages, 1), (watch, 0.7), (delete, 2.5), (delete_collection, 0.7), (path, 3), (wrong_verb, 1), (media, 4), (bodies, 4), (system, 0.7), (metadata, 4)]
