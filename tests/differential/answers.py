"""Brings answers into a form in which equal meaning is equal text, and compares two of them."""

import datetime
import json
import re

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
FIXED_UUID = "8ee54a5b-5ac1-4b6c-8e5e"  # sent by the workload itself
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
MANAGED_FIELDS = re.compile(r'\\*"managedFields\\*":\[')
MASKS = [
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "<token>"),
    (re.compile(r"\b10\.96\.(?!200\.7\b)\d+\.\d+\b(?!/)"), "<cluster-ip>"),
    (re.compile(r"\b(gen-|kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b"), r"\1<suffix>"),
    (re.compile(r'(resourceVersion\\*":\\*")\d+'), r"\1<rv>"),
    (re.compile(r"(?i)(resource ?version\"?:? ?(?:in record |in precondition ?|in object meta ?)?[:(]? ?\"?)\d{2,}"), r"\1<rv>"),
    (re.compile(r"\b(127\.0\.0\.1|192\.0\.2\.1):\d+"), "<server>"),
    # YAML's form.
    (re.compile(r"(?m)^( *)managedFields:\n(?:\1[ -].*\n)*"), ""),
]
VERSION_KEYS = {"gitVersion", "gitCommit", "buildDate", "goVersion", "compiler", "platform", "gitTreeState"}


def strip_managed_fields(text):
    """Removes managedFields from an object that a message quotes."""
    while match := MANAGED_FIELDS.search(text):
        depth, end = 0, match.end() - 1
        while end < len(text):
            depth += {"[": 1, "]": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[:match.start()] + text[end:].removeprefix(",")
    return text.replace(",}", "}")


def without_controller(service_cidr):
    """Proa makes a ServiceCIDR ready and protects it on creation; upstream's controller manager does, which is not there."""
    metadata, status = dict(service_cidr.get("metadata") or {}), dict(service_cidr.get("status") or {})
    metadata["finalizers"] = [name for name in metadata.get("finalizers") or [] if name != "networking.k8s.io/service-cidr-finalizer"]
    status["conditions"] = [entry for entry in status.get("conditions") or [] if entry.get("type") != "Ready"]
    for owner, key in ((metadata, "finalizers"), (status, "conditions")):
        if not owner[key]:
            del owner[key]
    return {**service_cidr, "metadata": metadata, "status": status}


class Normalizer:
    def __init__(self, today=None):
        today = today or datetime.datetime.now(datetime.timezone.utc).date()
        self.near = {today + datetime.timedelta(days=n) for n in range(-1, 4)}

    def text(self, text):
        text = strip_managed_fields(text)
        text = UUID.sub(lambda m: m.group() if m.group().startswith(FIXED_UUID) else "<uid>", text)
        text = TIME.sub(self.time, text)
        for pattern, replacement in MASKS:
            text = pattern.sub(replacement, text)
        return text

    def time(self, match):
        try:
            date = datetime.date(*(int(match.group(n)) for n in (1, 2, 3)))
        except ValueError:
            return match.group()
        return "<now>" if date in self.near else match.group()

    def value(self, value, key=None):
        if isinstance(value, dict):
            if isinstance(value.get("spec"), dict) and "cidrs" in value["spec"]:
                value = without_controller(value)
            return {k: self.value(v, k) for k, v in value.items() if k != "managedFields"}
        if isinstance(value, list):
            return [self.value(v, key) for v in value]
        if key in VERSION_KEYS and isinstance(value, str):
            return "<version>"
        if key in ("nodePort", "healthCheckNodePort") and isinstance(value, int) and value >= 30000:
            return "<port>"
        if key == "continue" and value:
            return "<continue>"
        if key in ("resourceVersion", "token") and isinstance(value, str) and value:
            return f"<{key}>"
        return self.text(value) if isinstance(value, str) else value


def tidy(body):
    """Sorts what has no order, and drops documentation, which is not copied."""
    if isinstance(body.get("items"), list):  # in the order of names, which generated suffixes change
        body["items"].sort(key=lambda item: json.dumps(item, sort_keys=True))
    if body.get("kind") == "Table":
        for column in body.get("columnDefinitions") or []:
            column["description"] = "<text>"
    if body.get("kind") == "SelfSubjectRulesReview":  # upstream's order changes from run to run
        for rules in (body.get("status") or {}).values():
            if isinstance(rules, list):
                rules.sort(key=lambda rule: json.dumps(rule, sort_keys=True))


class Form:
    """A normalized answer."""

    def __init__(self, answer, normalizer):
        self.code = answer.code
        self.content_type = answer.content_type
        self.warnings = [normalizer.text(warning) for warning in answer.warnings]
        self.text = None
        try:
            self.body = normalizer.value(json.loads(answer.body))
        except ValueError:
            self.body = None
            self.text = normalizer.text(answer.body.decode("utf-8", "replace")) if "protobuf" not in self.content_type else "<protobuf>"
        if isinstance(self.body, dict):
            tidy(self.body)

    @property
    def is_failure(self):
        return isinstance(self.body, dict) and self.body.get("kind") == "Status" and self.body.get("status") == "Failure"

    @property
    def reason(self):
        return self.body.get("reason", "") if self.is_failure else ""

    @property
    def message(self):
        if self.is_failure:
            return self.body.get("message", "")
        return self.text if self.text is not None else ""

    @property
    def causes(self):
        return (self.body.get("details") or {}).get("causes") or [] if self.is_failure else []

    def meaning(self):
        """What a program acts on. The words of a failure are for people."""
        if not self.is_failure:
            return [self.code, self.body if self.text is None or self.code < 300 else "<text>", self.text if self.code < 300 else ""]
        details = {k: v for k, v in (self.body.get("details") or {}).items() if k != "causes"}
        causes = sorted({(cause.get("reason", ""), cause.get("field", "")) for cause in self.causes})
        return [self.code, self.reason, details, causes]

    def whole(self):
        return [self.code, self.content_type, sorted(self.warnings), self.body, self.text]


def compare(oracle, ours):
    """Returns the levels on which two forms are equal: code, meaning, exact."""
    code = oracle.code == ours.code
    meaning = code and oracle.meaning() == ours.meaning()
    return {"code": code, "meaning": meaning, "exact": meaning and oracle.whole() == ours.whole()}
