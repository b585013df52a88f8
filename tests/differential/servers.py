"""The two servers: upstream's kube-apiserver with etcd (the oracle), and Proa. Both listen on loopback only."""

import base64
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import time

START_SECONDS = 300  # on a busy machine
ANSWER_SECONDS = 15


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Answer:
    def __init__(self, code, headers, body):
        self.code, self.headers, self.body = code, headers, body

    @property
    def warnings(self):
        return self.headers.get_all("Warning") or []

    @property
    def content_type(self):
        return self.headers.get("Content-Type") or ""


class Server:
    """One server as a client sees it."""

    def __init__(self, name, port, context):
        self.name, self.port, self.context = name, port, context
        self.connection = None

    def send(self, method, path, headers=None, body=None):
        for _ in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=ANSWER_SECONDS)
                self.connection.request(method, path, body, headers or {})
                response = self.connection.getresponse()
                answer = Answer(response.status, response.headers, response.read())
                if response.will_close:
                    self.close()
                return answer
            except TimeoutError:
                self.close()
                return Answer(0, http.client.HTTPMessage(), b"the answer did not end in time")
            except (http.client.HTTPException, ConnectionError, ssl.SSLError):
                # The server may have closed an idle connection.
                self.close()
        return Answer(0, http.client.HTTPMessage(), b"the connection was closed without an answer")

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def wait_until_ready(self, process):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with code {process.returncode}")
            try:
                if self.send("GET", "/readyz").code == 200:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        raise RuntimeError(f"{self.name} was not ready within {START_SECONDS} seconds")


class Servers:
    """Starts both, with the same client certificate, service account key and Service network; stops them on exit."""

    oracle_flags = ()
    oracle_authorization = "Node,RBAC"
    proa_flags = ("--controllers", "none", "--scheduler=false", "--log-level", "warn")

    def __init__(self, folder, proa, kube_apiserver, etcd):
        self.folder, self.proa, self.kube_apiserver, self.etcd = folder, proa, kube_apiserver, etcd
        self.processes = []
        self.oracle = self.ours = None

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        try:
            self.prepare()
            self.start_proa()
            self.start_oracle()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def prepare(self):
        """Files that the flags name."""

    def start(self, name, arguments):
        with open(os.path.join(self.folder, name + ".log"), "wb") as log:
            process = subprocess.Popen(arguments, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def start_proa(self):
        port, data = free_port(), os.path.join(self.folder, "proa")
        process = self.start("proa", [self.proa, "server", "--data-dir", data, "--listen", f"127.0.0.1:{port}", *self.proa_flags])
        kubeconfig = os.path.join(data, "admin.kubeconfig")
        end = time.monotonic() + START_SECONDS
        while not os.path.exists(kubeconfig):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("proa did not start: see " + os.path.join(self.folder, "proa.log"))
            time.sleep(0.1)
        self.ours = Server("proa", port, self.client_context(kubeconfig))
        self.ours.wait_until_ready(process)

    def client_context(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            text = file.read()
        pair = os.path.join(self.folder, "client.pem")
        with open(pair, "wb") as file:
            for key in ("client-certificate-data", "client-key-data"):
                file.write(base64.b64decode(re.search(key + r":\s*\"?([A-Za-z0-9+/=]+)", text).group(1)) + b"\n")
        return self.context_of(pair)

    @staticmethod
    def context_of(pair):
        # Both are on loopback, and one has a self-signed certificate.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(pair)
        return context

    def start_oracle(self):
        client, peer, port = free_port(), free_port(), free_port()
        etcd, tls = f"http://127.0.0.1:{client}", os.path.join(self.folder, "proa", "tls")
        self.start("etcd", [self.etcd, "--data-dir", os.path.join(self.folder, "etcd"), "--unsafe-no-fsync",
                            "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
                            "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                            "--initial-cluster", f"default=http://127.0.0.1:{peer}"])
        # Upstream reads public keys from this form only.
        key, public = os.path.join(tls, "service-account.key"), os.path.join(self.folder, "service-account.pub")
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
        process = self.start("kube-apiserver", [
            self.kube_apiserver, "--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--secure-port", str(port),
            "--advertise-address", "192.0.2.1", "--cert-dir", os.path.join(self.folder, "oracle-tls"),
            "--client-ca-file", os.path.join(tls, "authority.crt"), "--authorization-mode", self.oracle_authorization, "--allow-privileged",
            "--service-account-key-file", public, "--service-account-signing-key-file", key,
            "--service-account-issuer", "https://kubernetes.default.svc.cluster.local",
            "--service-cluster-ip-range", "10.96.0.0/16", *self.oracle_flags])
        self.oracle = Server("oracle", port, self.ours.context if self.ours else self.context_of(os.path.join(self.folder, "client.pem")))
        self.oracle.wait_until_ready(process)

    def stop(self):
        for server in (self.oracle, self.ours):
            if server is not None:
                server.close()
        # The last one first: the oracle releases its leases in etcd.
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
