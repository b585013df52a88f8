"""A node without containers: it registers, renews its lease, and reports of the pods on it what their annotation asks for.

suite/outcome: run (or none): running and ready; succeed, fail: ended so; wait: never ready.
"""

import json
import threading
import time

import servers

NAME = "pretend"
PAUSE_SECONDS = 0.2
RENEW_SECONDS = 5
JSON, MERGE, STRATEGIC = "application/json", "application/merge-patch+json", "application/strategic-merge-patch+json"


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def condition(kind, holds):
    return {"type": kind, "status": "True" if holds else "False", "lastTransitionTime": now()}


def container_status(container, outcome, started):
    state = {"running": {"startedAt": started}}
    if outcome in ("succeed", "fail"):
        ended = {"exitCode": 0 if outcome == "succeed" else 1, "reason": "Completed" if outcome == "succeed" else "Error"}
        state = {"terminated": {**ended, "startedAt": started, "finishedAt": started}}
    return {"name": container["name"], "image": container["image"], "imageID": container["image"], "ready": outcome == "run",
            "started": "running" in state, "restartCount": 0, "state": state}


def pod_status(pod):
    outcome = pod["metadata"].get("annotations", {}).get("suite/outcome", "run")
    started = now()
    phase = {"succeed": "Succeeded", "fail": "Failed"}.get(outcome, "Running")
    ready = outcome == "run"
    return {"phase": phase, "startTime": started, "hostIP": "192.0.2.10", "podIP": "192.0.2.11",
            "conditions": [condition("Initialized", True), condition("Ready", ready), condition("ContainersReady", ready)],
            "containerStatuses": [container_status(container, outcome, started) for container in pod["spec"]["containers"]]}


class PretendNode:
    """Runs in a thread from start to stop, with a connection of its own."""

    def __init__(self, cluster):
        self.server = servers.Server("node", cluster.server.port, cluster.server.context)
        # Upstream's oracle runs without a scheduler.
        self.binds = cluster.upstream
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.failure = None

    def start(self):
        capacity = {"cpu": "64", "memory": "256Gi", "pods": "500", "ephemeral-storage": "1Ti"}
        self.send("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NAME, "labels": {"kubernetes.io/hostname": NAME}}})
        self.send("PATCH", f"/api/v1/nodes/{NAME}/status", {"status": {
            "capacity": capacity, "allocatable": capacity, "conditions": [
                {**condition("Ready", True), "reason": "KubeletReady", "lastHeartbeatTime": now()}]}}, STRATEGIC)
        self.send("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", self.lease())
        self.thread.start()

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.server.close()

    def send(self, method, path, body=None, content_type=JSON):
        answer = self.server.send(method, path, {"Content-Type": content_type}, json.dumps(body) if body is not None else None)
        # A pod that changes or goes at the same time is looked at again.
        if answer.code not in (200, 201, 202, 404, 409):
            raise RuntimeError(f"{method} {path}: {answer.code} {answer.body[:300]}")
        return json.loads(answer.body)

    @staticmethod
    def lease():
        return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NAME},
                "spec": {"holderIdentity": NAME, "leaseDurationSeconds": 40, "renewTime": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())}}

    def work(self):
        renewed = time.monotonic()
        try:
            while not self.ended.wait(PAUSE_SECONDS):
                for pod in self.send("GET", "/api/v1/pods")["items"]:
                    self.turn(pod)
                if time.monotonic() > renewed + RENEW_SECONDS:
                    renewed = time.monotonic()
                    self.send("PATCH", f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NAME}", self.lease(), MERGE)
        except (RuntimeError, ValueError, KeyError) as failure:
            self.failure = failure

    def turn(self, pod):
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        if not pod["spec"].get("nodeName"):
            if self.binds and not pod["metadata"].get("deletionTimestamp"):
                self.send("POST", path + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]},
                                                      "target": {"apiVersion": "v1", "kind": "Node", "name": NAME}})
        elif pod["metadata"].get("deletionTimestamp"):
            self.send("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
                                       "preconditions": {"uid": pod["metadata"]["uid"]}})
        elif pod["status"].get("phase", "Pending") == "Pending":
            self.send("PATCH", path + "/status", {"metadata": {"uid": pod["metadata"]["uid"]}, "status": pod_status(pod)}, STRATEGIC)
