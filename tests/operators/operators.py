"""Runs each operator against Proa and upstream at the same time, with the same steps; see README.md."""

import argparse
import collections
import json
import os
import re
import sys
import threading
import time
import urllib.request

import cert_manager
import log_lines
import memcached
import prometheus_operator
from clusters import Clusters

OPERATORS = {"cert-manager": cert_manager.Operator, "prometheus-operator": prometheus_operator.Operator,
             "memcached": memcached.Operator}
PAUSE_SECONDS = 5  # between two turns
# client-go's counter, and that of prometheus-operator.
REQUESTS = re.compile(r'^(?:rest_client_requests_total|prometheus_operator_kubernetes_client_http_requests_total)\{(.*)\} (\d+)', re.M)


class Run:
    """One operator against one server."""

    def __init__(self, operator, cluster, minutes):
        self.operator, self.cluster, self.minutes = operator, cluster, minutes
        self.ready_seconds, self.turns, self.failure = None, 0, None
        self.errors, self.answers = collections.Counter(), collections.Counter()

    def go(self):
        try:
            self.steps()
        except Exception as problem:  # whatever it is, the other server's run ends in order
            self.failure = str(problem) or repr(problem)
        finally:
            # Only until here: what they report while they end differs from run to run with any server.
            repeated_deletions = self.cluster.repeated_deletions()
            for name in self.cluster.processes:
                with open(self.cluster.log(name), encoding="utf-8", errors="replace") as lines:
                    self.errors += log_lines.classes(lines, repeated_deletions)
            self.cluster.stop()

    def steps(self):
        begun = time.monotonic()
        self.operator.install(self.cluster)
        metrics = self.operator.start(self.cluster)
        self.operator.create(self.cluster)
        self.ready_seconds = time.monotonic() - begun
        while time.monotonic() < begun + 60 * self.minutes:
            self.turns += 1
            self.operator.churn(self.cluster, self.turns)
            time.sleep(PAUSE_SECONDS)
        self.operator.remove(self.cluster)
        self.cluster.check_processes()
        for address in metrics:
            self.count_answers(address)

    def count_answers(self, address):
        """Answers of the server that are not a success, as the operator's client counted them."""
        try:
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
                text = answer.read().decode()
        except OSError:
            return
        for labels, count in REQUESTS.findall(text):
            code = re.search(r'(?:status_)?code="(\w+)"', labels)
            if code and not code[1].startswith("2"):
                method = re.search(r'method="(\w+)"', labels)
                self.answers[f"{method[1]} {code[1]}" if method else code[1]] += int(count)


def report(name, ours, upstreams):
    """Prints both runs. Returns whether ours is as good as upstream's."""
    print(f"\n{name}")
    for run in (ours, upstreams):
        ready = f"ready after {run.ready_seconds:.0f} s" if run.ready_seconds is not None else "never ready"
        kinds = sum(1 for level, _ in run.errors if level == log_lines.ERROR)
        lines = sum(count for (level, _), count in run.errors.items() if level == log_lines.ERROR)
        answers = ", ".join(f"{code}: {count}" for code, count in sorted(run.answers.items())) or "none"
        print(f"  {run.cluster.name:<9} {ready}, {run.turns} turns, {lines} errors of {kinds} kinds; answers of failure: {answers}")
        if run.failure:
            print(f"  {run.cluster.name:<9} FAILED: {run.failure}")
    for (level, text), count in sorted((ours.errors | upstreams.errors).items()):
        print(f"  {level:<7} proa {ours.errors[level, text]:>3}  upstream {upstreams.errors[level, text]:>3}  {text[:300]}")
    alone = log_lines.only_ours(ours.errors, upstreams.errors)
    for text in alone:
        print(f"  ONLY WITH PROA: {text}")
    sys.stdout.flush()
    return not (alone or ours.failure or upstreams.failure)


def run_both(name, program, module, given):
    with Clusters(os.path.join(given.folder, name), given) as both:
        runs = [Run(OPERATORS[name](program, module), cluster, given.minutes) for cluster in both.clusters]
        threads = [threading.Thread(target=run.go) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return runs


def main():
    parser = argparse.ArgumentParser()
    for program in ("proa", "kubectl", "kube-apiserver", "kube-controller-manager", "folder"):
        parser.add_argument("--" + program, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--operator", nargs=3, action="append", metavar=("NAME", "PROGRAM", "MODULE"), required=True)
    given = parser.parse_args()
    good, results = True, {}
    for name, program, module in given.operator:
        ours, upstreams = run_both(name, program, module, given)
        good = report(name, ours, upstreams) and good
        results[name] = {run.cluster.name: {"ready_seconds": run.ready_seconds, "turns": run.turns, "failure": run.failure,
                                            "answers": run.answers,
                                            "errors": {f"{level}: {text}": count for (level, text), count in run.errors.items()}}
                         for run in (ours, upstreams)}
    with open(os.path.join(given.folder, "report.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    print(f"\nlogs: {given.folder}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
