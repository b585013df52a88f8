"""kubebuilder's sample: a Memcached becomes a Deployment. It runs with the service account and roles of its project."""

import os

from servers import free_port

KIND = "memcacheds.example.com.testproject.org"
NAMESPACE = "system"  # as in the project's bindings


class Operator:
    def __init__(self, program, module):
        self.program, self.module = program, module

    def install(self, cluster):
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        rbac = os.path.join(self.module, "config", "rbac")
        cluster.install(os.path.join(self.module, "config", "crd", "bases"))
        cluster.install(*(os.path.join(rbac, name + ".yaml") for name in ("service_account", "role", "role_binding")))

    def start(self, cluster):
        """Returns the address of its metrics. Without an election, which it holds in a pod only."""
        kubeconfig = cluster.service_account_kubeconfig(NAMESPACE, "controller-manager")
        metrics = f"127.0.0.1:{free_port()}"
        cluster.start("memcached", self.program, "--kubeconfig", kubeconfig, f"--metrics-bind-address={metrics}",
                      "--metrics-secure=false", f"--health-probe-bind-address=127.0.0.1:{free_port()}",
                      environment={"MEMCACHED_IMAGE": "memcached:1.6"})
        return [metrics]

    def create(self, cluster):
        cluster.apply(self.memcached("cache", 2))
        cluster.wait_for("deployment", "cache", lambda found: found["spec"]["replicas"] == 2)
        cluster.wait_for(KIND, "cache", self.is_available)
        # The Deployment is at work, too.
        cluster.wait("two pods", lambda: len(cluster.list("pods")) == 2)

    @staticmethod
    def memcached(name, size):
        return {"apiVersion": "example.com.testproject.org/v1alpha1", "kind": "Memcached",
                "metadata": {"name": name, "namespace": "default"}, "spec": {"size": size, "containerPort": 11211}}

    @staticmethod
    def is_available(found):
        conditions = found.get("status", {}).get("conditions", [])
        return any(one["type"] == "Available" and one["status"] == "True" for one in conditions)

    def churn(self, cluster, turn):
        size = 1 + turn % 3
        cluster.patch(KIND, "cache", {"spec": {"size": size}})
        cluster.wait_for("deployment", "cache", lambda found: found["spec"]["replicas"] == size)
        cluster.delete_and_wait_for_another("deployment", "cache")
        cluster.apply(self.memcached("other", 0))
        cluster.wait_for("deployment", "other")
        cluster.settle(KIND, "other")
        cluster.delete(KIND, "other")
        cluster.wait_until_gone(KIND, "other")
        cluster.wait_until_gone("deployment", "other")

    def remove(self, cluster):
        cluster.delete(KIND, "cache")
        cluster.wait_until_gone("deployment", "cache")
        cluster.wait("no pods", lambda: not cluster.list("pods"))
