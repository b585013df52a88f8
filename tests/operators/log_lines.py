"""Reads the logs of operators: which kinds of errors and warnings are in them, and how many of each."""

import collections
import json
import re

KLOG = re.compile(r"^([EWF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ([\w.-]+):\d+\] (.*)")
ZAP = re.compile(r"^\S+\t(ERROR|WARN|DPANIC|PANIC)\t(.*)")
SLOG = re.compile(r"^\S*(?:ts|time)=\S+ level=(\w+) (.*)", re.IGNORECASE)

ERROR, WARNING = "error", "warning"

# An operator that writes what it read a moment ago, or creates what it did not see then, loses a race now and then. That
# is the answer of any server.
LOST_RACE = re.compile(r"the object has been modified; please apply your changes|already exists")

# klog: "message" err="..." name="..."; slog: msg="message" component=... err="..."
QUOTED = r'"(?:[^"\\]|\\.)*"'
FIELDS = re.compile(rf"(?:^|\bmsg=)({QUOTED})(?: |$)")
ERROR_FIELD = re.compile(rf"\berr=({QUOTED}|\S+)")

# What no two runs share.
MASKS = [(re.compile(pattern), mask) for pattern, mask in (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?", "TIME"),
    (r"0x[0-9a-f]+", "POINTER"),
    (r'(?<= )(\\?")[a-z0-9.-]+\\?"', r"\1NAME\1"),  # issuers.cert-manager.io "site" not found
    (r"(?<=-)(?=[a-z0-9]*\d|[bcdfghjklmnpqrstvwxz]{5}\b)[a-z0-9]{5,10}\b", "SUFFIX"),
    (r"\b\d+(\.\d+)?(ns|µs|ms|s)\b", "TIME"),
    (r"\b\d+(\.\d+)*\b", "N"))]


def normalized(text):
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def without_fields(text):
    """Message and error. The other fields (object, controller, id) do not say anything of the server."""
    message, brace, fields = text.partition("\t{")  # zap: in JSON
    if brace:
        try:
            return f"{message}: {json.loads('{' + fields).get('error', '')}"
        except ValueError:
            return text
    if match := FIELDS.search(text):
        error = ERROR_FIELD.search(text)
        return f"{match[1]}: {error[1]}" if error else match[1]
    return text


def parsed(line):
    """(level, message) of a line that reports an error or a warning, or nothing."""
    if match := KLOG.match(line):
        return (WARNING if match[1] == "W" else ERROR), f"{match[2]}: {without_fields(match[3])}"
    if match := ZAP.match(line):
        return (WARNING if match[1] == "WARN" else ERROR), without_fields(match[2])
    if match := SLOG.match(line):
        level = match[1].lower()
        if level in ("warn", "warning", "error"):
            return (ERROR if level == "error" else WARNING), without_fields(match[2])
    return None


def classes(lines, repeated_deletions=()):
    """How often each class of errors and of warnings occurs: {(level, text): count}. The answers to deletions of what the
    operator had deleted before are no errors of the server."""
    result = collections.Counter()
    for line in lines:
        if found := parsed(line.rstrip("\n")):
            level, message = found
            if LOST_RACE.search(message):
                level, message = WARNING, "a conflict with another write"
            elif any(answer in message.replace("\\", "") for answer in repeated_deletions):
                level, message = WARNING, "an object that was deleted before"
            result[level, normalized(message)] += 1
    return result


def only_ours(ours, upstreams):
    """The classes of errors that upstream's server does not cause."""
    return sorted(text for level, text in ours if level == ERROR and (level, text) not in upstreams)
