"""kubectl's own suite, test/cmd of the Kubernetes repository: one process a case, all of them on one server."""

import functools
import glob
import http.server
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import ratchet
from cluster import Cluster

CASE_SECONDS = 900
# A case reads a file of the repository from the internet; the copy has it.
ELSEWHERE = re.compile(r"https://raw\.[a-z.]+/kubernetes/kubernetes/\w+")
DETAIL_LINES = 10
COLOURS = re.compile(r"\x1b(\[[0-9;]*m|\(B)")
# What upstream's own script gives its server.
PLUGINS_OFF = ("ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,MutatingAdmissionWebhook,"
               "ValidatingAdmissionWebhook,StorageObjectInUseProtection")
FLAGS = ("--disable-admission-plugins", PLUGINS_OFF, "--service-cluster-ip-range", "10.0.0.0/24")
# What cases read of the repository.
FOLDERS = ("hack/lib", "hack/testdata", "test/cmd", "test/fixtures", "test/e2e/testing-manifests", "third_party/forked/shell2junit")


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class KubectlSuite:
    name = "kubectl"

    def __init__(self, given, here):
        self.given, self.case = given, os.path.join(here, "kubectl", "case")
        self.folder = os.path.join(given.folder, "kubectl")
        self.tree = os.path.join(self.folder, "tree")
        self.ratchet = ratchet.Ratchet(os.path.join(here, "kubectl"))

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "logs"))
        self.copy_tree()
        names = [name for name in self.list_cases() if re.search(self.given.focus, name)]
        results, cluster = [], None
        try:
            for name in names:
                if cluster is None:
                    cluster = self.start_cluster()
                results.append(self.run_case(name, cluster))
                # A case that failed leaves objects behind.
                if results[-1].outcome == ratchet.FAILED:
                    cluster.stop()
                    cluster = None
        finally:
            if cluster is not None:
                cluster.stop()
        return results

    def copy_tree(self):
        """Scripts write into the working folder, and the module's is read-only. Its files have lost their executable bits."""
        for folder in FOLDERS:
            shutil.copytree(os.path.join(self.given.kubernetes, folder), os.path.join(self.tree, folder), copy_function=shutil.copyfile)
        for folder, folders, files in os.walk(self.tree):
            os.chmod(folder, 0o755)
            for file in files:
                if file.endswith(".sh") or "kubectl/plugins" in folder:
                    os.chmod(os.path.join(folder, file), 0o755)
        files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=self.tree))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        for path in glob.glob(os.path.join(self.tree, "test", "cmd", "*.sh")):
            with open(path, "r+", encoding="utf-8") as script:
                text = ELSEWHERE.sub(f"http://127.0.0.1:{files.server_port}", script.read())
                script.seek(0)
                script.truncate()
                script.write(text)
        programs = os.path.join(self.tree, "_output", "bin")
        os.makedirs(programs)
        os.symlink(self.given.kubectl, os.path.join(programs, "kubectl"))
        os.symlink(self.given.kubectl_convert, os.path.join(programs, "kubectl-convert"))

    def start_cluster(self):
        # No scheduler and no CIDRs of nodes: upstream has none either.
        cluster = Cluster(os.path.join(self.folder, "server"), self.given, FLAGS, ("--scheduler=false", "--cluster-cidr", "none"),
                          "RBAC,AlwaysAllow")
        return cluster.__enter__()

    def environment(self, name, port):
        temporary = os.path.join(self.folder, "work", name)
        os.makedirs(temporary)
        inherited = {key: os.environ[key] for key in ("PATH", "USER", "LOGNAME") if key in os.environ}
        return {**inherited, "KUBE_TEMP": temporary, "TMPDIR": temporary, "KUBE_JUNIT_REPORT_DIR": temporary,
                "SECURE_API_PORT": str(port), "SHELL": "/bin/bash"}

    def list_cases(self):
        answer = subprocess.run([self.case, "list"], cwd=self.tree, env=self.environment("list", 0), check=True, capture_output=True, text=True)
        # A name may occur twice.
        return list(dict.fromkeys(answer.stdout.split()))

    def run_case(self, name, cluster):
        environment = self.environment(name, cluster.server.port)
        shutil.copyfile(cluster.certificate, os.path.join(environment["TMPDIR"], "apiserver.crt"))
        path = os.path.join(self.folder, "logs", name + ".log")
        begun = time.monotonic()
        with open(path, "wb") as log:
            process = subprocess.Popen([self.case, name], cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
            try:
                code = process.wait(CASE_SECONDS)
            except subprocess.TimeoutExpired:
                code = None
            # What the case left in the background, too.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        seconds = time.monotonic() - begun
        outcome = ratchet.PASSED if code == 0 else ratchet.SKIPPED if name in self.ratchet.reasons else ratchet.FAILED
        print(f"{outcome:<14} {seconds:6.1f} s  {name}", flush=True)
        return ratchet.Result(name, outcome, seconds, self.detail(path, code))

    @staticmethod
    def detail(path, code):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [COLOURS.sub("", line.rstrip()) for line in file]
        if code is None:
            lines.append(f"not within {CASE_SECONDS} s")
        # The canary of the scripts fails first, and is to.
        starts = [index for index, line in enumerate(lines) if "FAIL!" in line or "Call tree:" in line and "canary" not in "".join(lines[index:index + 2])]
        start = max(0, starts[0] - 3 if starts else len(lines) - DETAIL_LINES)
        return [line[:300] for line in lines[start:] if line][:DETAIL_LINES] + [path]
