"""cert-manager: a self-signed authority issues certificates, which become Secrets; the CA injector writes the authority of
the webhook into its configurations. All three programs run as the administrator: their roles are in a Helm chart."""

import os

from servers import free_port

NAMESPACE = "cert-manager"


def is_ready(found):
    conditions = found.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def certificate(name, issuer, **spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": name, "namespace": "default"},
            "spec": {"secretName": name + "-tls", "privateKey": {"algorithm": "ECDSA", "size": 256},
                     "issuerRef": {"name": issuer, "kind": "Issuer", "group": "cert-manager.io"}, **spec}}


def issuer(name, spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


class Operator:
    def __init__(self, program, module):
        self.program, self.module = program, module

    def install(self, cluster):
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        cluster.install(*(os.path.join(self.module, "deploy", "crds", name)
                          for name in sorted(os.listdir(os.path.join(self.module, "deploy", "crds"))) if name.endswith(".yaml")))

    def start(self, cluster):
        metrics = [f"127.0.0.1:{free_port()}" for _ in range(3)]
        webhook = free_port()
        for program, address in zip(("controller", "cainjector", "webhook"), metrics):
            more = ["--port", str(webhook), "--healthz-port", str(free_port())] if program == "webhook" else []
            cluster.start(program, self.program, program, "--kubeconfig", cluster.kubeconfig, "--metrics", address, *more)
        # Nobody calls a webhook before it serves.
        cluster.wait_for("secret", "cert-manager-webhook-ca", namespace=NAMESPACE)
        cluster.apply(self.hook("Validating", webhook, "/validate", ["CREATE", "UPDATE"], "*/*"),
                      self.hook("Mutating", webhook, "/mutate", ["CREATE"], "certificaterequests"))
        for kind in ("validatingwebhookconfiguration", "mutatingwebhookconfiguration"):
            cluster.wait_for(kind, "cert-manager-webhook", lambda found: found["webhooks"][0]["clientConfig"].get("caBundle"))
        return metrics

    @staticmethod
    def hook(kind, port, path, operations, resources):
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind + "WebhookConfiguration",
                "metadata": {"name": "cert-manager-webhook",
                             "annotations": {"cert-manager.io/inject-ca-from-secret": f"{NAMESPACE}/cert-manager-webhook-ca"}},
                "webhooks": [{"name": "webhook.cert-manager.io", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                              "failurePolicy": "Fail", "matchPolicy": "Equivalent", "timeoutSeconds": 30,
                              "clientConfig": {"url": f"https://localhost:{port}{path}"},
                              "rules": [{"apiGroups": ["cert-manager.io"], "apiVersions": ["v1"], "operations": operations,
                                         "resources": [resources]}]}]}

    def create(self, cluster):
        cluster.apply(issuer("selfsigned", {"selfSigned": {}}),
                      certificate("authority", "selfsigned", isCA=True, commonName="authority"),
                      issuer("authority", {"ca": {"secretName": "authority-tls"}}),
                      certificate("site", "authority", dnsNames=["one.example.org"]))
        cluster.wait_for("issuer", "authority", is_ready)
        for name in ("authority", "site"):
            cluster.wait_for("certificate", name, is_ready)
            cluster.wait_for("secret", name + "-tls", lambda found: found["data"]["ca.crt"])
        cluster.wait("the requests are approved", lambda: self.requests_are_approved(cluster))

    @staticmethod
    def requests_are_approved(cluster):
        requests = cluster.list("certificaterequest")
        return len(requests) == 2 and all(
            any(one["type"] == "Approved" and one["status"] == "True" for one in request["status"]["conditions"])
            for request in requests)

    def churn(self, cluster, turn):
        # Another name, another certificate.
        before = cluster.get("secret", "site-tls")["data"]["tls.crt"]
        cluster.patch("certificate", "site", {"spec": {"dnsNames": [f"name-{turn}.example.org"]}})
        cluster.wait_for("secret", "site-tls", lambda found: found["data"]["tls.crt"] != before)
        cluster.wait_for("certificate", "site", is_ready)
        cluster.delete_and_wait_for_another("secret", "site-tls")
        cluster.wait_for("certificate", "site", is_ready)
        cluster.apply(certificate("other", "authority", commonName="other"))
        cluster.wait_for("certificate", "other", is_ready)
        cluster.settle("certificate", "other")
        cluster.delete("certificate", "other")
        cluster.wait_until_gone("secret", "other-tls")
        cluster.wait("its requests are gone",
                     lambda: not any(one["metadata"]["name"].startswith("other-") for one in cluster.list("certificaterequest")))

    def remove(self, cluster):
        for name in ("site", "authority"):
            cluster.delete("certificate", name)
        for name in ("site", "authority"):
            cluster.wait_until_gone("secret", name + "-tls")
        for name in ("authority", "selfsigned"):
            cluster.delete("issuer", name)
            cluster.wait_until_gone("issuer", name)
