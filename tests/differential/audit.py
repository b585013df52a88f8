#!/usr/bin/env python3
"""Sends the same requests to upstream's kube-apiserver and to Proa, both with the same audit policy, and compares their events.

tests/differential/run audit calls it; see README.md.
"""

import argparse
import json
import os
import ssl
import sys
import time

from answers import Normalizer, tidy
from request import JSON, MERGE, STRATEGIC
from servers import Server, Servers

# The namespace says the level.
LEVELS = {"audit-metadata": "Metadata", "audit-request": "Request", "audit-whole": "RequestResponse"}
POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, users: ["system:apiserver"]}
- {level: None, nonResourceURLs: ["/readyz*"]}
- {level: Metadata, namespaces: [audit-metadata]}
- {level: Request, namespaces: [audit-request]}
- {level: RequestResponse, namespaces: [audit-whole], omitManagedFields: true}
- {level: RequestResponse, omitStages: [RequestReceived], nonResourceURLs: ["/api*", "/version"]}
- {level: Metadata, omitStages: [RequestReceived]}
"""
WAIT_SECONDS = 10
APPLY = "application/apply-patch+yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class AuditedServers(Servers):
    def __enter__(self):
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        # Beside the folder, which is emptied.
        self.logs = [f"{self.folder}-{name}.log" for name in ("oracle", "proa")]
        policy = f"{self.folder}-policy.yaml"
        with open(policy, "w", encoding="utf-8") as file:
            file.write(POLICY)
        for log in self.logs:
            if os.path.exists(log):
                os.remove(log)
        flags = [["--audit-policy-file", policy, "--audit-log-path", log] for log in self.logs]
        self.oracle_flags = tuple(flags[0])
        self.proa_flags = (*self.proa_flags, *flags[1])
        return super().__enter__()


def pod(name):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def requests_in(namespace):
    """(method, path, body, headers) of one namespace, in order."""
    core, apps = f"/api/v1/namespaces/{namespace}", f"/apis/apps/v1/namespaces/{namespace}"
    labels = {"app": "a"}
    deployment = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": labels}, "template": {
        "metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}
    secret = {"metadata": {"name": "s"}, "stringData": {"password": "canary"}}
    yield "POST", core + "/configmaps", {"metadata": {"name": "a", "labels": labels}, "data": {"k": "v<&>"}}, {}
    yield "POST", core + "/configmaps", {"metadata": {"name": "a"}}, {}
    yield "POST", core + "/configmaps", {"metadata": {"generateName": "gen-"}}, {}
    yield "POST", core + "/configmaps", {"metadata": {"name": "No_Name"}}, {}
    yield "POST", core + "/configmaps?dryRun=All", {"metadata": {"name": "dry"}}, {}
    yield "POST", core + "/configmaps", "{", {}
    yield "POST", core + "/secrets", secret, {}
    yield "POST", core + "/pods", pod("p"), {}
    yield "POST", apps + "/deployments", deployment, {}
    yield "GET", core + "/configmaps/a", None, {}
    yield "GET", core + "/configmaps/none", None, {}
    yield "GET", core + "/configmaps/none", None, {"Accept": PROTOBUF}
    yield "GET", core + "/secrets/s", None, {}
    yield "GET", core + "/configmaps?labelSelector=app%3Da", None, {}
    yield "GET", core + "/configmaps?labelSelector=app%3Da", None, {"Accept": TABLE}
    yield "GET", core + "/configmaps?labelSelector=app%3Da", None, {"Accept": PROTOBUF}
    yield "GET", core + "/configmaps?fieldSelector=metadata.name%3Da", None, {}
    yield "GET", core + "/configmaps?watch=true&timeoutSeconds=1&labelSelector=app%3Dnone", None, {}
    yield "GET", core + "/configmaps?watch=true&resourceVersion=nonsense", None, {}
    yield "GET", core + "/configmaps?limit=nonsense", None, {}
    yield "PUT", core + "/configmaps/a", {"metadata": {"name": "a", "labels": labels}, "data": {"k": "w"}}, {}
    yield "PUT", core + "/configmaps/a", {"metadata": {"name": "a", "resourceVersion": "1"}}, {}
    yield "PATCH", core + "/configmaps/a", {"data": {"b": "1"}}, {"Content-Type": MERGE}
    yield "PATCH", core + "/configmaps/a", {"data": {"b": "2"}}, {"Content-Type": STRATEGIC}
    yield "PATCH", core + "/configmaps/a", [{"op": "remove", "path": "/data/none"}], {"Content-Type": "application/json-patch+json"}
    yield "PATCH", core + "/configmaps/x?fieldManager=m", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}, {"Content-Type": APPLY}
    yield "PATCH", core + "/configmaps/a", {}, {"Content-Type": "text/plain"}
    yield "GET", apps + "/deployments/d/scale", None, {}
    yield "PUT", apps + "/deployments/d/scale", {"metadata": {"name": "d", "namespace": namespace}, "spec": {"replicas": 2}}, {}
    yield "PATCH", apps + "/deployments/d/status", {"status": {"replicas": 1}}, {"Content-Type": MERGE}
    yield "POST", core + "/serviceaccounts/default/token", {"spec": {"expirationSeconds": 3600}}, {}
    yield "POST", core + "/pods/p/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}, {}
    yield "POST", core + "/pods/p/exec?command=ls", None, {}
    yield "GET", core + "/pods/p/log", None, {}
    yield "GET", core + "/configmaps", None, {"Impersonate-User": "ann", "Impersonate-Group": "g"}
    yield "GET", core + "/configmaps/a", None, {"X-Forwarded-For": "10.0.0.1, junk, 10.0.0.2", "X-Real-Ip": "10.0.0.3"}
    yield "GET", core + "/configmaps/a", None, {"User-Agent": "x" * 1500}
    yield "GET", core + "/nothing", None, {}
    yield "OPTIONS", core + "/configmaps", None, {}
    yield "DELETE", core + "/configmaps/a", {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}, {}
    yield "DELETE", core + "/configmaps/a", None, {}
    yield "DELETE", core + "/pods/p", {"gracePeriodSeconds": 0}, {}
    yield "DELETE", core + "/configmaps?labelSelector=app%3Da", None, {}


def other_requests():
    for path in ("/api", "/apis", "/api/v1", "/apis/apps/v1", "/version", "/healthz", "/nowhere", "/apis/none.example/v1/things"):
        yield "GET", path, None, {}
    yield "GET", "/api/v1/nodes/none", None, {}
    yield "GET", "/api/v1/componentstatuses", None, {}
    yield "POST", "/api/v1/namespaces", {"metadata": {"name": "audit-other"}}, {}
    yield "GET", "/api/v1/namespaces/audit-other", None, {}
    review = {"spec": {"user": "ann", "resourceAttributes": {"verb": "get", "resource": "pods"}}}
    yield "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review, {}


class Comparison:
    def __init__(self):
        self.normalizer = Normalizer()
        self.same, self.different = 0, []

    def form(self, event):
        event = dict(event)
        for key in ("requestObject", "responseObject"):
            if isinstance(event.get(key), dict):
                tidy(event[key])
        # The order of fields matters, too.
        return json.dumps(self.normalizer.value(event))

    def compare(self, request, theirs, ours):
        theirs, ours = [[self.form(event) for event in events] for events in (theirs, ours)]
        if theirs == ours:
            self.same += 1
        else:
            self.different.append((request, theirs, ours))


def read_events(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            found.setdefault(event["auditID"], []).append(event)
    return found


def send(server, number, method, path, body, headers):
    if body is not None and not isinstance(body, str):
        body = json.dumps(body, separators=(",", ":"))
    fields = {"Audit-Id": f"r{number}", "User-Agent": "differential", "Accept": JSON, **headers}
    if body is not None:
        fields.setdefault("Content-Type", JSON)
    return server.send(method, path, fields, body)


def stranger(server):
    """The same server for somebody without a certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return Server(server.name, server.port, context)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for flag in ("--proa", "--kube-apiserver", "--folder"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--etcd", default="etcd")
    parser.add_argument("--report", help="not used")
    parser.add_argument("--least", type=float, default=90, help="least percentage of requests with equal events")
    arguments = parser.parse_args()
    comparison, sent = Comparison(), []
    with AuditedServers(arguments.folder + "-audit", arguments.proa, arguments.kube_apiserver, arguments.etcd) as servers:
        both = (servers.oracle, servers.ours)
        for namespace in LEVELS:
            for server in both:
                server.send("POST", "/api/v1/namespaces", {"Content-Type": JSON}, json.dumps({"metadata": {"name": namespace}}))
                # Upstream's controller manager would make it.
                server.send("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"Content-Type": JSON}, '{"metadata":{"name":"default"}}')
        for requests in (*map(requests_in, LEVELS), other_requests()):
            for request in requests:
                for server in both:
                    send(server, len(sent), *request)
                sent.append(request)
        for server in both:
            send(stranger(server), len(sent), "GET", "/api/v1/namespaces/audit-whole/configmaps", None, {})
        sent.append(("GET", "(without a certificate)", None, {}))
        # The last events may be on their way.
        end = time.monotonic() + WAIT_SECONDS
        last = f"r{len(sent) - 1}"
        while time.monotonic() < end and not all(last in read_events(log) for log in servers.logs):
            time.sleep(0.2)
        time.sleep(1)
        theirs, ours = map(read_events, servers.logs)
    for number, request in enumerate(sent):
        comparison.compare(request, theirs.get(f"r{number}", []), ours.get(f"r{number}", []))
    for request, their_events, our_events in comparison.different:
        print(f"\n{request[0]} {request[1]} {request[3]}")
        for name, events in (("upstream", their_events), ("proa", our_events)):
            for event in events:
                print(f"  {name}: {event[:3000]}")
    share = 100 * comparison.same / len(sent)
    print(f"\n{len(sent)} requests, {share:.1f} % with equal events")
    with open(servers.logs[1], encoding="utf-8") as file:
        leaks = [line for line in file if json.loads(line)["level"] == "Metadata" and "canary" in line]
    for line in leaks:
        print(f"a secret at level Metadata: {line}")
    return 1 if leaks or share < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
