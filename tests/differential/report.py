"""Counts, percentages per category, and causes in the order of how often they occur."""

import json

from causes import name

LEVELS = ("code", "meaning", "exact")
EXAMPLES = 5
LONGEST = 4000


class Report:
    def __init__(self):
        self.categories = {}
        self.causes = {}
        self.upstream_failures = 0

    def add(self, request, sent, forms, levels):
        # Where upstream panics or answers 500 for bad input, a client error is right.
        if forms[0].code in (0, 500) and 400 <= forms[1].code < 500:
            self.upstream_failures += 1
            return
        counts = self.categories.setdefault(request.category, dict.fromkeys(("requests",) + LEVELS, 0))
        counts["requests"] += 1
        for level in LEVELS:
            counts[level] += levels[level]
        if levels["exact"]:
            return
        level = next(level for level in LEVELS if not levels[level])
        cause = self.causes.setdefault((level, name(forms[0], forms[1], levels)), {"count": 0, "kinds": {}, "examples": []})
        cause["count"] += 1
        cause["kinds"][request.kind] = cause["kinds"].get(request.kind, 0) + 1
        if len(cause["examples"]) < EXAMPLES:
            cause["examples"].append({"request": sent, "note": request.note, "oracle": answer_text(forms[0]), "ours": answer_text(forms[1])})

    def totals(self):
        totals = dict.fromkeys(("requests",) + LEVELS, 0)
        for counts in self.categories.values():
            for key in totals:
                totals[key] += counts[key]
        return totals

    def ranked(self):
        """Causes, those that change the code first."""
        rows = [{"level": level, "cause": cause, **entry} for (level, cause), entry in self.causes.items()]
        return sorted(rows, key=lambda row: (LEVELS.index(row["level"]), -row["count"], row["cause"]))

    def write(self, path, seed):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"seed": seed, "totals": self.totals(), "upstreamFailures": self.upstream_failures, "categories": self.categories, "causes": self.ranked()}, file, indent=1)

    def show(self, top):
        print(f"\n{'category':20} {'requests':>8} {'code':>8} {'meaning':>8} {'exact':>8}")
        for category, counts in sorted(self.categories.items()) + [("all", self.totals())]:
            print(f"{category:20} {counts['requests']:8} " + " ".join(f"{percent(counts, level):7.2f}%" for level in LEVELS))
        print(f"not compared: {self.upstream_failures} requests that upstream answered with 500 or not at all, and Proa with a client error")
        for level in LEVELS:
            rows = [row for row in self.ranked() if row["level"] == level]
            print(f"\nWhere the {level} differs first: {sum(row['count'] for row in rows)} answers, {len(rows)} causes (upstream / Proa)")
            for row in rows[:top]:
                kinds = sorted(row["kinds"], key=lambda kind: -row["kinds"][kind])
                print(f"{row['count']:5}× {row['cause']}  [{', '.join(kinds[:4])}{' …' if len(kinds) > 4 else ''}]")
                example = row["examples"][0]
                for line in (example["request"], example["oracle"], example["ours"]):
                    print("       " + line[:300].replace("\n", " "))


def percent(counts, level):
    return 100 * counts[level] / counts["requests"] if counts["requests"] else 100.0


def answer_text(form):
    body = form.text if form.text is not None else json.dumps(form.body)
    warnings = "".join(f" Warning: {warning}" for warning in form.warnings)
    return f"{form.code} {form.content_type if form.code >= 400 else ''} {body}"[:LONGEST] + warnings
