"""What a suite must not lose: passing.txt lists the cases that pass, reasons.txt those that cannot, each with its reason."""

import collections
import os
import re

PASSED, FAILED, SKIPPED = "passed", "failed", "does not apply"

Result = collections.namedtuple("Result", "name outcome seconds detail")


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


class Ratchet:
    def __init__(self, folder):
        self.passing = read_lines(os.path.join(folder, "passing.txt"))
        self.reasons = dict(re.split(r"\s+", line, maxsplit=1) for line in read_lines(os.path.join(folder, "reasons.txt")))

    def judge(self, results):
        """Sentences about what is wrong, and the names that are new in the list."""
        outcomes = {result.name: result.outcome for result in results}
        wrong = [f"{name} is in passing.txt and {outcomes[name]}" for name in self.passing
                 if outcomes.get(name, PASSED) != PASSED]
        wrong += [f"{name} {FAILED}, and reasons.txt does not say why" for name, outcome in outcomes.items()
                  if outcome == FAILED and name not in self.passing and name not in self.reasons]
        new = [name for name, outcome in outcomes.items() if outcome == PASSED and name not in self.passing]
        return wrong, new


def report(suite, results, ratchet):
    """Prints the results of a suite. Returns whether nothing is lost."""
    print(f"\n{suite}")
    for result in results:
        reason = ratchet.reasons.get(result.name, "") if result.outcome != PASSED else ""
        print(f"  {result.outcome:<14} {result.seconds:6.1f} s  {result.name}{': ' + reason if reason else ''}")
        if result.outcome == FAILED and result.detail:
            print("".join(f"      {line}\n" for line in result.detail), end="")
    counts = collections.Counter(result.outcome for result in results)
    wrong, new = ratchet.judge(results)
    print(f"  {counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} do not apply; {sum(r.seconds for r in results):.0f} s")
    for name in new:
        print(f"  new, for passing.txt: {name}")
    for sentence in wrong:
        print(f"  WRONG: {sentence}")
    return not wrong
