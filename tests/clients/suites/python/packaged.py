"""Runs the tests of a server that the package kubernetes carries, and those of a checkout of its repository where one is given.

The package has these tests, but not kubernetes.e2e_test, where they get the configuration from.
Prints "ok NAME", "skip NAME: reason" or "FAIL NAME: reason" for each.
"""

import glob
import os
import sys
import types
import unittest

import kubernetes
from kubernetes import config
from kubernetes.client import Configuration

PACKAGED = ("kubernetes.dynamic.test_client", "kubernetes.dynamic.test_discovery")


def get_e2e_configuration():
    made = Configuration()
    config.load_kube_config(client_configuration=made)
    return made


def provide_base():
    package, base = types.ModuleType("kubernetes.e2e_test"), types.ModuleType("kubernetes.e2e_test.base")
    base.get_e2e_configuration = get_e2e_configuration
    package.base = base
    sys.modules.update({"kubernetes.e2e_test": package, "kubernetes.e2e_test.base": base})


class Lines(unittest.TestResult):
    def line(self, word, test, reason=None):
        name = test.id().removeprefix("kubernetes.")
        print(f"{word} {name}{': ' + ' '.join(reason.split()) if reason else ''}", flush=True)

    def addSuccess(self, test):
        self.line("ok", test)

    def addSkip(self, test, reason):
        self.line("skip", test, reason)

    def addFailure(self, test, err):
        self.line("FAIL", test, self._exc_info_to_string(err, test)[-700:])

    addError = addFailure


def main():
    checkout = sys.argv[1] if len(sys.argv) > 1 else ""
    if checkout:
        # They read their files from the working folder. The client itself is that of the package.
        os.chdir(checkout)
        kubernetes.__path__.append(os.path.join(checkout, "kubernetes"))
        files = sorted(glob.glob("kubernetes/e2e_test/test_*.py"))
        tests = unittest.defaultTestLoader.loadTestsFromNames([file.removesuffix(".py").replace("/", ".") for file in files])
    else:
        provide_base()
        tests = unittest.defaultTestLoader.loadTestsFromNames(PACKAGED)
    tests.run(Lines())


main()
