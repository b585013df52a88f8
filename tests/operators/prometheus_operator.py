"""prometheus-operator: Prometheus, Alertmanager and what they select become StatefulSets, Services and Secrets. It runs as
the service account of its example, by impersonation, with the roles of its example."""

import base64
import gzip
import os

from servers import free_port


def has_condition(kind, status):
    def holds(found):
        conditions = found.get("status", {}).get("conditions", [])
        return any(one["type"] == kind and one["status"] == status for one in conditions)
    return holds


class Operator:
    def __init__(self, program, module):
        self.program, self.module = program, module

    def install(self, cluster):
        example = os.path.join(self.module, "example")
        role = os.path.join(example, "rbac", "prometheus-operator", "prometheus-operator-")
        cluster.install(os.path.join(example, "prometheus-operator-crd"),
                        role + "service-account.yaml", role + "cluster-role.yaml", role + "cluster-role-binding.yaml")
        # It lists nodes in the endpoints of their kubelets.
        cluster.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}, "spec": {"unschedulable": True}})
        cluster.run("patch", "node", "node-1", "--subresource", "status", "--type", "merge", "-p",
                    '{"status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.10"}]}}')

    def start(self, cluster):
        address = f"127.0.0.1:{free_port()}"
        cluster.start("prometheus-operator", self.program, "--apiserver", cluster.url, "--ca-file", cluster.authority,
                      "--cert-file", cluster.client, "--key-file", cluster.client,
                      "--as", "system:serviceaccount:default:prometheus-operator", "--web.listen-address", address,
                      "--kubelet-service", "kube-system/kubelet", "--kubelet-sync-period", "20s")
        return [address]

    def create(self, cluster):
        example = os.path.join(self.module, "example")
        cluster.install(os.path.join(example, "rbac", "prometheus", "prometheus-service-account.yaml"),
                        os.path.join(example, "rbac", "prometheus", "prometheus.yaml"),
                        os.path.join(example, "user-guides", "getting-started", "example-app-service-monitor.yaml"))
        cluster.apply(self.monitor("made-here", "30s"), self.rule("rules", 1), self.alertmanager())
        cluster.wait_for("statefulset", "prometheus-prometheus", lambda found: found["spec"]["replicas"] == 2)
        cluster.wait_for("statefulset", "alertmanager-main")
        cluster.wait_for("secret", "prometheus-prometheus", lambda _: "made-here" in self.configuration(cluster))
        for name in ("prometheus-operated", "alertmanager-operated"):
            cluster.wait_for("service", name)
        cluster.wait_for("configmap", "prometheus-prometheus-rulefiles-0")
        cluster.wait_for("prometheus", "prometheus", has_condition("Reconciled", "True"))
        cluster.wait_for("alertmanager", "main", has_condition("Reconciled", "True"))
        cluster.wait_for("endpoints", "kubelet", lambda found: "192.0.2.10" in str(found["subsets"]), "kube-system")
        # There is no node that they could run on.
        cluster.wait_for("prometheus", "prometheus", has_condition("Available", "False"))

    @staticmethod
    def labelled(name, more=None):
        return {"name": name, "namespace": "default", "labels": {"team": "frontend", **(more or {})}}

    def monitor(self, name, interval):
        return {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": self.labelled(name),
                "spec": {"selector": {"matchLabels": {"app": name}}, "endpoints": [{"port": "web", "interval": interval}]}}

    def rule(self, name, threshold):
        return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": self.labelled(name),
                "spec": {"groups": [{"name": "one", "rules": [{"alert": "Many", "expr": f"vector({threshold})"}]}]}}

    def alertmanager(self):
        return {"apiVersion": "monitoring.coreos.com/v1", "kind": "Alertmanager", "metadata": self.labelled("main"),
                "spec": {"replicas": 3}}

    @staticmethod
    def configuration(cluster):
        """What the operator made for Prometheus."""
        data = (cluster.get("secret", "prometheus-prometheus") or {}).get("data", {}).get("prometheus.yaml.gz")
        return gzip.decompress(base64.b64decode(data)).decode() if data else ""

    def churn(self, cluster, turn):
        replicas = 1 + turn % 3
        cluster.patch("prometheus", "prometheus", {"spec": {"replicas": replicas, "ruleSelector": {}}})
        cluster.wait_for("statefulset", "prometheus-prometheus", lambda found: found["spec"]["replicas"] == replicas)
        cluster.apply(self.monitor("made-here", f"{turn + 31}s"), self.rule("rules", turn))
        cluster.wait("the new interval", lambda: f"scrape_interval: {turn + 31}s" in self.configuration(cluster))
        cluster.wait_for("configmap", "prometheus-prometheus-rulefiles-0",
                         lambda found: f"vector({turn})" in str(found["data"]))
        cluster.delete_and_wait_for_another("statefulset", "alertmanager-main")
        cluster.delete_and_wait_for_another("secret", "prometheus-prometheus")
        cluster.apply(self.monitor("short-lived", "10s"))
        cluster.wait("the new monitor", lambda: "short-lived" in self.configuration(cluster))
        cluster.delete("servicemonitor", "short-lived")
        cluster.wait("the monitor to be gone", lambda: "short-lived" not in self.configuration(cluster))

    def remove(self, cluster):
        cluster.delete("prometheus", "prometheus")
        cluster.delete("alertmanager", "main")
        for name in ("prometheus-prometheus", "alertmanager-main"):
            cluster.wait_until_gone("statefulset", name)
        cluster.wait_until_gone("secret", "prometheus-prometheus")
