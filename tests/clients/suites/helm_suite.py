"""Helm with the charts of helm/charts: steps in their order, each a case."""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time

import helm_steps
import ratchet
from cluster import Cluster
from pretend_node import PretendNode

STEP_SECONDS = 120
DETAIL_LINES = 12


class Failed(Exception):
    """A command or an expectation of a step."""


class Tools:
    """What steps use. Each release has the namespace of its name."""

    def __init__(self, given, here, folder, cluster):
        self.given, self.cluster, self.folder = given, cluster, folder
        self.charts = os.path.join(folder, "charts")
        self.plugins = os.path.join(here, "helm", "plugins")
        self.url = None  # of the repository
        shutil.copytree(os.path.join(here, "helm", "charts"), self.charts)
        home = os.path.join(folder, "home")
        os.makedirs(home)
        self.environment = {"PATH": os.environ["PATH"], "HOME": home, "KUBECONFIG": cluster.kubeconfig, "HELM_PLUGINS": self.plugins}
        self.log = open(os.path.join(folder, "commands.log"), "w", encoding="utf-8")

    def run(self, program, *arguments, fails=None, given=None, environment=None):
        """Standard output. `fails`: a regular expression of the error that is due."""
        done = subprocess.run([program, *arguments], input=given, env={**self.environment, **(environment or {})}, text=True,
                              capture_output=True, timeout=STEP_SECONDS, check=False, cwd=self.charts)
        command = f"{os.path.basename(program)} {' '.join(arguments)}"
        self.log.write(f"$ {command}\n{done.stdout}{done.stderr}exit code {done.returncode}\n\n")
        self.log.flush()
        if fails is None and done.returncode != 0:
            raise Failed(f"{command}: {done.stderr.strip()[-1500:]}")
        if fails is not None and done.returncode == 0:
            raise Failed(f"{command}: succeeds, where this was due: {fails}")
        if fails is not None and not re.search(fails, done.stderr + done.stdout):
            raise Failed(f"{command}: fails with {(done.stderr + done.stdout).strip()[-1500:]!r}, where this was due: {fails}")
        return done.stdout

    def helm(self, *arguments, **options):
        return self.run(self.given.helm, *arguments, **options)

    def kubectl(self, *arguments, **options):
        return self.run(self.given.kubectl, *arguments, **options)

    def get(self, kind, name, namespace):
        """The object, or None."""
        text = self.kubectl("get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found", "--show-managed-fields")
        return json.loads(text) if text else None

    def names(self, kind, namespace):
        return self.kubectl("get", kind, "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}").split()

    def release(self, name, *arguments):
        return json.loads(self.helm("status", name, "-n", name, "-o", "json", *arguments))

    def history(self, name):
        return [(entry["revision"], entry["status"]) for entry in json.loads(self.helm("history", name, "-n", name, "-o", "json"))]

    def wait(self, what, holds, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.3)
        raise Failed(f"not within {seconds} s: {what}")

    @staticmethod
    def expect(what, got, want):
        if got != want:
            raise Failed(f"{what}: got {got!r}, want {want!r}")

    @staticmethod
    def expect_in(what, part, text):
        if part not in text:
            raise Failed(f"{what}: {part!r} is not in {str(text)[:1500]!r}")

    def serve(self, folder):
        """Serves a folder as a repository of charts."""
        handler = functools.partial(Silent, directory=folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        return self.url


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class HelmSuite:
    name = "helm"

    def __init__(self, given, here):
        self.given, self.here = given, here
        self.folder = os.path.join(given.folder, "helm")
        self.ratchet = ratchet.Ratchet(os.path.join(here, "helm"))

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        results = []
        with Cluster(os.path.join(self.folder, "server"), self.given) as cluster:
            tools = Tools(self.given, self.here, self.folder, cluster)
            node = PretendNode(cluster)
            node.start()
            try:
                for step in helm_steps.STEPS:
                    if re.search(self.given.focus, step.__name__):
                        results.append(self.run_step(step, tools))
            finally:
                node.stop()
        if node.failure:
            results.append(ratchet.Result("pretend_node", ratchet.FAILED, 0, [str(node.failure)]))
        return results

    def run_step(self, step, tools):
        begun, detail = time.monotonic(), []
        tools.log.write(f"=== {step.__name__}\n")
        try:
            step(tools)
        except Exception as failure:  # the next steps run all the same
            detail = (str(failure) or repr(failure)).splitlines()[:DETAIL_LINES]
        outcome = ratchet.PASSED if not detail else ratchet.SKIPPED if step.__name__ in self.ratchet.reasons else ratchet.FAILED
        result = ratchet.Result(step.__name__, outcome, time.monotonic() - begun, detail)
        print(f"{outcome:<14} {result.seconds:6.1f} s  {step.__name__}", flush=True)
        return result
