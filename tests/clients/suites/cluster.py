"""The server that a suite talks to: Proa's, or upstream's with etcd and kube-controller-manager as the oracle."""

import os
import shutil
import subprocess

import servers

TOKENS = 'admin-token,admin,admin,"system:masters"\n'


class Cluster(servers.Servers):
    """Starts the server that `given.against` names. The token `admin-token` is that of an administrator."""

    def __init__(self, folder, given, flags=(), proa_flags=(), authorization="Node,RBAC"):
        super().__init__(folder, given.proa, given.kube_apiserver, shutil.which("etcd"))
        self.upstream, self.manager, self.kubectl = given.against == "upstream", given.kube_controller_manager, given.kubectl
        self.tokens = os.path.join(folder, "tokens.csv")
        flags = (*flags, "--token-auth-file", self.tokens)
        self.oracle_flags, self.oracle_authorization = flags, authorization
        self.proa_flags = ("--log-level", "info", "--authorization-mode", authorization, *flags, *proa_flags)

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        with open(self.tokens, "w", encoding="utf-8") as file:
            file.write(TOKENS)
        try:
            self.make_authority()
            if self.upstream:
                self.make_keys()
                self.start_oracle()
                self.start_manager()
            else:
                self.start_proa()
            self.write_kubeconfig()
        except BaseException:
            self.stop()
            raise
        return self

    @property
    def server(self):
        return self.oracle if self.upstream else self.ours

    @property
    def tls(self):
        return os.path.join(self.folder, "proa", "tls")

    @property
    def certificate(self):
        """That of the server, or its authority."""
        return os.path.join(self.folder, "oracle-tls", "apiserver.crt") if self.upstream else os.path.join(self.tls, "authority.crt")

    @property
    def kubeconfig(self):
        return os.path.join(self.folder, "admin.kubeconfig")

    def make_authority(self):
        """Proa keeps one that it finds. A case of kubectl looks for this name in the handshake."""
        os.makedirs(self.tls)
        authority = os.path.join(self.tls, "authority")
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365", "-subj", "/CN=127.0.0.1",
                     "-keyout", authority + ".key", "-out", authority + ".crt")

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True)

    def make_keys(self):
        """What Proa makes by itself, in the same place: the key of service accounts, an administrator."""
        authority, client = os.path.join(self.tls, "authority"), os.path.join(self.folder, "client")
        self.openssl("genrsa", "-out", os.path.join(self.tls, "service-account.key"), "2048")
        self.openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/O=system:masters/CN=administrator", "-keyout", client + ".key",
                     "-out", client + ".csr")
        self.openssl("x509", "-req", "-in", client + ".csr", "-CA", authority + ".crt", "-CAkey", authority + ".key", "-CAcreateserial",
                     "-days", "2", "-out", client + ".crt")
        with open(client + ".pem", "wb") as pair:
            for end in (".crt", ".key"):
                with open(client + end, "rb") as file:
                    pair.write(file.read())

    def write_kubeconfig(self):
        config = ["config", "--kubeconfig", self.kubeconfig]
        for words in (["set-cluster", "it", "--server", f"https://127.0.0.1:{self.server.port}", "--certificate-authority", self.certificate,
                       "--embed-certs"],
                      ["set-credentials", "it", "--token", "admin-token"],
                      ["set-context", "it", "--cluster", "it", "--user", "it"], ["use-context", "it"]):
            subprocess.run([self.kubectl, *config, *words], check=True, stdout=subprocess.DEVNULL)

    def start_manager(self):
        pair = os.path.join(self.folder, "client.pem")
        path = os.path.join(self.folder, "manager.kubeconfig")
        for words in (["set-cluster", "it", "--server", f"https://127.0.0.1:{self.oracle.port}", "--certificate-authority", self.certificate],
                      ["set-credentials", "it", "--client-certificate", pair, "--client-key", pair],
                      ["set-context", "it", "--cluster", "it", "--user", "it"], ["use-context", "it"]):
            subprocess.run([self.kubectl, "config", "--kubeconfig", path, *words], check=True, stdout=subprocess.DEVNULL)
        authority = os.path.join(self.tls, "authority")
        self.start("kube-controller-manager", [
            self.manager, "--kubeconfig", path, "--secure-port", "0", "--leader-elect=false", "--controllers", "*",
            "--use-service-account-credentials", "--root-ca-file", authority + ".crt",
            "--service-account-private-key-file", os.path.join(self.tls, "service-account.key"),
            "--cluster-signing-cert-file", authority + ".crt", "--cluster-signing-key-file", authority + ".key"])
