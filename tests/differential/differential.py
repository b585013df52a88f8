#!/usr/bin/env python3
"""Sends the same generated requests to upstream's kube-apiserver and to Proa, and compares the answers.

tests/differential/run calls it with the programs that it needs; see README.md.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import time

from answers import Form, Normalizer, compare
from report import LEVELS, Report, percent
from schema import Schema
from servers import Servers
from workload import Workload


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proa", required=True, help="the program proa")
    parser.add_argument("--kube-apiserver", required=True, help="upstream's API server")
    parser.add_argument("--etcd", default="etcd")
    parser.add_argument("--folder", required=True, help="data and logs of the servers; it is emptied first")
    parser.add_argument("--report", help="where to write the report as JSON (default: report.json in --folder)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--top", type=int, default=30, help="how many causes to print for each level")
    parser.add_argument("--code", type=float, default=99.5, help="least percentage of answers with the same code")
    parser.add_argument("--meaning", type=float, default=98.5, help="least percentage with the same meaning")
    parser.add_argument("--exact", type=float, default=93, help="least percentage that are exactly equal")
    return parser.parse_args()


class Runner:
    def __init__(self, servers, report):
        self.servers, self.report = (servers.oracle, servers.ours), report
        self.normalizer = Normalizer()
        self.sent = 0

    def run(self, episode):
        answers = None
        while True:
            try:
                request = episode.send(answers)
            except StopIteration:
                return
            answers = self.exchange(request)

    def exchange(self, request):
        texts = [request.text(index) for index in range(len(self.servers))]
        answers = [server.send(request.method, request.target(index), request.headers(texts[index]), texts[index])
                   for index, server in enumerate(self.servers)]
        if request.category == "set up":
            for server, answer in zip(self.servers, answers):
                # Proa makes a namespace's service account itself; upstream's controller manager does, which is not there.
                if answer.code >= 300 and answer.code != 409:
                    raise RuntimeError(f"{server.name}: {request.method} {request.path}: {answer.code} {answer.body!r}")
            return answers
        forms = [Form(answer, self.normalizer) for answer in answers]
        body = (texts[0] or b"").decode("utf-8", "replace")
        sent = f"{request.method} {request.target(0)} {request.content_type if body else request.accept} {body[:3000]}"
        self.report.add(request, sent, forms, compare(*forms))
        self.sent += 1
        return answers


def make_csr():
    """The PEM text of a certificate signing request, in base64."""
    command = ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=u/O=g"]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    return base64.b64encode(text).decode()


def main():
    arguments = parse_arguments()
    report = Report()
    begun = time.monotonic()
    with Servers(arguments.folder, arguments.proa, arguments.kube_apiserver, arguments.etcd) as servers:
        schema = Schema(lambda path: json.loads(servers.oracle.send("GET", path, {"Accept": "application/json"}).body))
        workload = Workload(schema, arguments.seed, make_csr())
        runner = Runner(servers, report)
        print(f"both servers are ready after {time.monotonic() - begun:.0f} s; seed {arguments.seed}", flush=True)
        runner.run(workload.set_up())
        while report.totals()["requests"] < arguments.requests:
            runner.run(workload.episode())
        print(f"{runner.sent} requests after {time.monotonic() - begun:.0f} s", flush=True)
    path = arguments.report or os.path.join(arguments.folder, "report.json")
    report.write(path, arguments.seed)
    report.show(arguments.top)
    totals = report.totals()
    print(f"\n{totals['requests']} requests in {time.monotonic() - begun:.0f} s; report: {path}")
    failed = [level for level in LEVELS if percent(totals, level) < getattr(arguments, level)]
    for level in failed:
        print(f"the same {level}: {percent(totals, level):.2f} %, less than {getattr(arguments, level)} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
