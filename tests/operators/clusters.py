"""Proa's server and upstream's, each with its controllers, as an operator and kubectl see them."""

import json
import os
import shutil
import subprocess
import time

import audit
import servers

WAIT_SECONDS = 120
STOP_SECONDS = 20
SETTLE_SECONDS = 1


class Late(Exception):
    """What was expected did not come in time."""


def audit_log_name(server):
    return server + "-audit.log"


class Cluster:
    """One server, and the programs that run against it."""

    def __init__(self, name, port, authority, folder, programs):
        self.name, self.folder, self.kubectl = name, folder, programs.kubectl
        self.url, self.authority = f"https://127.0.0.1:{port}", authority
        self.client = os.path.join(programs.folder, "client.pem")
        self.kubeconfig = os.path.join(folder, "admin.kubeconfig")
        self.audit_log = os.path.join(programs.folder, audit_log_name(name))
        self.processes = {}
        os.makedirs(folder)
        self.write_kubeconfig(self.kubeconfig, {"client-certificate": self.client, "client-key": self.client})

    def write_kubeconfig(self, path, user):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "it",
                       "clusters": [{"name": "it", "cluster": {"server": self.url, "certificate-authority": self.authority}}],
                       "users": [{"name": "it", "user": user}],
                       "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}, file)

    def service_account_kubeconfig(self, namespace, name):
        path = os.path.join(self.folder, name + ".kubeconfig")
        token = self.run("create", "token", name, "-n", namespace, "--duration", "6h").strip()
        self.write_kubeconfig(path, {"token": token})
        return path

    def run(self, *arguments, given=None):
        result = subprocess.run([self.kubectl, "--kubeconfig", self.kubeconfig, *arguments], input=given, text=True,
                                capture_output=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {result.stderr.strip()}")
        return result.stdout

    def apply(self, *objects):
        given = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        self.run("apply", "--server-side", "--force-conflicts", "-f", "-", given=given)

    def install(self, *paths):
        """Definitions and roles; a definition is too large for the annotation of an apply by the client."""
        for path in paths:
            self.run("apply", "--server-side", "-f", path)
        if "customresourcedefinition" in self.run("get", "crd", "-o", "name"):
            self.run("wait", "crd", "--all", "--for=condition=Established", f"--timeout={WAIT_SECONDS}s")

    def get(self, kind, name, namespace="default"):
        """The object, or nothing while there is none."""
        text = self.run("get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found")
        return json.loads(text) if text else None

    def list(self, kind, namespace="default"):
        return json.loads(self.run("get", kind, "-n", namespace, "-o", "json"))["items"]

    def patch(self, kind, name, change):
        self.run("patch", kind, name, "-n", "default", "--type", "merge", "-p", json.dumps(change))

    def delete(self, kind, name):
        self.run("delete", kind, name, "-n", "default", "--wait=false")

    def wait(self, what, holds):
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            self.check_processes()
            result = holds()
            if result:
                return result
            time.sleep(0.5)
        raise Late(f"not within {WAIT_SECONDS} s: {what}")

    def wait_for(self, kind, name, holds=lambda _: True, namespace="default"):
        def held():
            found = self.get(kind, name, namespace)
            return found if found and holds(found) else None
        return self.wait(f"{kind} {name}", held)

    def wait_until_gone(self, kind, name):
        self.wait(f"{kind} {name} to be gone", lambda: self.get(kind, name) is None)

    def settle(self, kind, name):
        """Waits until nobody writes the object any more: one that is deleted before gives errors that depend on timing."""
        def holds():
            before = self.get(kind, name)
            time.sleep(SETTLE_SECONDS)
            return before == self.get(kind, name)
        self.wait(f"{kind} {name} to settle", holds)

    def delete_and_wait_for_another(self, kind, name):
        """What an operator owns comes back after someone has deleted it."""
        uid = self.get(kind, name)["metadata"]["uid"]
        self.delete(kind, name)
        return self.wait_for(kind, name, lambda found: found["metadata"]["uid"] != uid)

    def start(self, name, *command, environment=None):
        with open(self.log(name), "wb") as log:
            self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                    env={**os.environ, **(environment or {})})

    def log(self, name):
        return os.path.join(self.folder, name + ".log")

    def repeated_deletions(self):
        with open(self.audit_log, encoding="utf-8") as lines:
            return audit.repeated_deletions(lines)

    def check_processes(self):
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise RuntimeError(f"{name} ended with code {process.returncode}: see {self.log(name)}")

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = {}


class Clusters(servers.Servers):
    """Both servers with controllers, without nodes and a scheduler."""

    def __init__(self, folder, programs):
        super().__init__(folder, programs.proa, programs.kube_apiserver, shutil.which("etcd"))
        self.proa_flags = ("--scheduler=false", "--log-level", "info", *self.audit_flags("proa"))
        self.oracle_flags = self.audit_flags("upstream")
        self.kubectl, self.manager = programs.kubectl, programs.kube_controller_manager
        self.clusters = []

    def audit_flags(self, server):
        return ("--audit-policy-file", os.path.join(self.folder, "audit-policy.json"),
                "--audit-log-path", os.path.join(self.folder, audit_log_name(server)))

    def prepare(self):
        with open(os.path.join(self.folder, "audit-policy.json"), "w", encoding="utf-8") as file:
            json.dump(audit.POLICY, file)

    def __enter__(self):
        super().__enter__()
        try:
            tls = os.path.join(self.folder, "proa", "tls")
            authority = os.path.join(tls, "authority.crt")
            self.clusters = [
                Cluster("proa", self.ours.port, authority, os.path.join(self.folder, "with-proa"), self),
                Cluster("upstream", self.oracle.port, os.path.join(self.folder, "oracle-tls", "apiserver.crt"),
                        os.path.join(self.folder, "with-upstream"), self)]
            upstream = self.clusters[1]
            self.start("kube-controller-manager", [
                self.manager, "--kubeconfig", upstream.kubeconfig, "--secure-port", "0", "--leader-elect=false", "--controllers", "*",
                "--use-service-account-credentials", "--root-ca-file", authority,
                "--service-account-private-key-file", os.path.join(tls, "service-account.key"),
                "--cluster-signing-cert-file", authority, "--cluster-signing-key-file", os.path.join(tls, "authority.key")])
            for cluster in self.clusters:
                cluster.wait_for("serviceaccount", "default")
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        for cluster in self.clusters:
            cluster.stop()
        super().stop()
