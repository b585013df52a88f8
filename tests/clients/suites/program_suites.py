"""Suites of programs that print a line for each case: client-go's, the Python client's, the JavaScript client's."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time

import ratchet
from cluster import Cluster

PROGRAM_SECONDS = 300
LINE = re.compile(r"^(ok|FAIL|skip)\s+([\w./-]+)(?:: (.*))?$")
WORDS = {"ok": ratchet.PASSED, "FAIL": ratchet.FAILED, "skip": ratchet.SKIPPED}


class ProgramSuite:
    """Programs that run one after the other on one server without nodes."""

    name = None

    def __init__(self, given, here):
        self.given, self.here = given, here
        self.folder = os.path.join(given.folder, self.name)
        self.ratchet = ratchet.Ratchet(os.path.join(here, self.name))
        self.results = []

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "home"))
        with Cluster(os.path.join(self.folder, "server"), self.given) as cluster:
            self.environment = {"PATH": os.environ["PATH"], "HOME": os.path.join(self.folder, "home"), "KUBECONFIG": cluster.kubeconfig,
                                "TMPDIR": os.path.join(self.folder, "home"), "PYTHONDONTWRITEBYTECODE": "1"}
            self.run_programs(cluster)
        return self.results

    def run_programs(self, cluster):
        raise NotImplementedError

    def start(self, *command, given=subprocess.DEVNULL):
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def add(self, name, outcome, seconds, detail=""):
        if outcome == ratchet.FAILED and name in self.ratchet.reasons:
            outcome = ratchet.SKIPPED
        if re.search(self.given.focus, name):
            self.results.append(ratchet.Result(name, outcome, seconds, [detail] if detail else []))

    def run_lines(self, prefix, *command):
        """A program with a line for each case; the program itself is a case, too."""
        begun = last = time.monotonic()
        process, output = self.start(*command), []
        try:
            timer = signal_later(process)
            for line in process.stdout:
                output.append(line)
                found = LINE.match(line.rstrip())
                if found:
                    now = time.monotonic()
                    self.add(f"{prefix}.{found[2]}", WORDS[found[1]], now - last, found[3] or "")
                    last = now
            process.wait()
            timer.cancel()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        with open(os.path.join(self.folder, prefix + ".log"), "w", encoding="utf-8") as log:
            log.writelines(output)
        lines = [line for line in output if LINE.match(line.rstrip())]
        ended = process.returncode == 0 or any(line.startswith("FAIL") for line in lines)
        self.add(prefix, ratchet.PASSED if ended and lines else ratchet.FAILED, time.monotonic() - begun,
                 "" if ended and lines else " ".join("".join(output).split())[-700:])

    def run_case(self, name, act):
        begun = time.monotonic()
        try:
            act()
            self.add(name, ratchet.PASSED, time.monotonic() - begun)
        except (AssertionError, OSError, subprocess.SubprocessError) as failure:
            self.add(name, ratchet.FAILED, time.monotonic() - begun, " ".join(str(failure).split())[-700:])


def signal_later(process):
    timer = threading.Timer(PROGRAM_SECONDS, process.kill)
    timer.daemon = True
    timer.start()
    return timer


class PythonSuite(ProgramSuite):
    name = "python"

    def run_programs(self, cluster):
        folder = os.path.join(self.here, "python")
        self.run_lines("packaged", self.given.python, os.path.join(folder, "packaged.py"))
        self.run_lines("features", self.given.python, os.path.join(folder, "features.py"))
        if self.given.python_checkout:
            self.run_lines("checkout", self.given.python, os.path.join(folder, "packaged.py"), self.given.python_checkout)


class JavaScriptSuite(ProgramSuite):
    name = "javascript"

    def run_programs(self, cluster):
        # Modules are resolved relative to the program.
        os.symlink(os.path.join(self.given.node_modules, "node_modules"), os.path.join(self.folder, "node_modules"))
        program = os.path.join(self.folder, "features.mjs")
        shutil.copyfile(os.path.join(self.here, "javascript", "features.mjs"), program)
        self.run_lines("features", "node", program)


class ClientGoSuite(ProgramSuite):
    """client-go's examples, which are what the module carries for a server."""

    name = "client-go"

    def run_programs(self, cluster):
        self.cluster, self.config = cluster, ("--kubeconfig", cluster.kubeconfig)
        for name in ("create-update-delete-deployment", "dynamic-create-update-delete-deployment"):
            self.run_case(name, lambda name=name: self.deployment(name))
        self.run_case("out-of-cluster-client-configuration", self.out_of_cluster)
        self.run_case("workqueue", self.workqueue)
        self.run_case("leader-election", self.leader_election)

    def example(self, name):
        return os.path.join(self.given.examples, name)

    def until(self, process, text, log):
        """Reads lines until one has the text."""
        timer = signal_later(process)
        for line in process.stdout:
            log.append(line)
            if text in line:
                timer.cancel()
                return
        raise AssertionError(f"ended without {text!r}: {''.join(log)[-500:]}")

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()

    def kubectl(self, *arguments):
        return subprocess.run([self.given.kubectl, *self.config, *arguments], check=True, capture_output=True, text=True).stdout

    def deployment(self, name):
        # It waits for Enter between its steps.
        done = subprocess.run([self.example(name), *self.config], input="\n\n\n\n", env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        text = done.stdout + done.stderr
        assert done.returncode == 0, text[-700:]
        for part in ("Created deployment \"demo-deployment\"", "Updated deployment", " * demo-deployment (1 replicas)", "Deleted deployment"):
            assert part in text, f"no {part!r} in {text[-700:]}"
        # It ends before its objects do, and the next one uses the same name.
        self.kubectl("wait", "--for=delete", "deployment/demo-deployment", "--timeout=30s")

    def out_of_cluster(self):
        process, log = self.start(self.example("out-of-cluster-client-configuration"), *self.config), []
        try:
            self.until(process, "There are", log)
            self.until(process, "Pod example-xxxxx in namespace default not found", log)
        finally:
            self.end(process)

    def workqueue(self):
        process, log = self.start(self.example("workqueue"), *self.config), []
        try:
            # The pod that it believes in is not there.
            self.until(process, "Pod default/mypod does not exist anymore", log)
            self.kubectl("run", "queued", "--image=queued:1")
            self.until(process, "Sync/Add/Update for Pod queued", log)
            self.kubectl("delete", "pod", "queued", "--grace-period=0", "--force")
            self.until(process, "Pod default/queued does not exist anymore", log)
        finally:
            self.end(process)

    def leader_election(self):
        words = ("--lease-lock-name=suite", "--lease-lock-namespace=default")
        first, second, log = self.start(self.example("leader-election"), *self.config, *words, "--id=1"), None, []
        try:
            self.until(first, "Controller loop", log)
            second = self.start(self.example("leader-election"), *self.config, *words, "--id=2")
            self.until(second, "new leader elected: 1", log)
            self.end(first)
            # It was released, so nobody waits until it expires.
            self.until(second, "Controller loop", log)
            assert self.kubectl("get", "lease", "suite", "-o", "jsonpath={.spec.holderIdentity}") == "2"
        finally:
            for process in (first, second):
                if process is not None:
                    self.end(process)


SUITES = (ClientGoSuite, PythonSuite, JavaScriptSuite)
