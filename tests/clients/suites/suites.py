"""Runs the suites that are asked for, and compares each with its ratchet; see README.md."""

import argparse
import json
import os
import sys

import program_suites
import ratchet
from helm_suite import HelmSuite
from kubectl_suite import KubectlSuite

SUITES = {suite.name: suite for suite in (KubectlSuite, HelmSuite, *program_suites.SUITES)}


def main():
    parser = argparse.ArgumentParser()
    for program in ("proa", "kubectl", "folder", "against"):
        parser.add_argument("--" + program, required=True)
    for program in ("kube-apiserver", "kube-controller-manager", "kubectl-convert", "kubernetes", "helm", "examples", "python",
                    "python-checkout", "node-modules", "focus"):
        parser.add_argument("--" + program, default="")
    parser.add_argument("suite", nargs="+", choices=SUITES)
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    good = True
    for name in given.suite:
        suite = SUITES[name](given, os.path.dirname(os.path.abspath(__file__)))
        results = suite.run()
        good = ratchet.report(f"{name} against {given.against}", results, suite.ratchet) and good
        with open(os.path.join(given.folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump([result._asdict() for result in results], file, indent=1)
    print(f"\nlogs: {given.folder}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
