"""Names the cause of a difference, so that differences with the same cause can be counted together."""

import json
import re

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
INDEX = re.compile(r"\[[^\]]*\]")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
NAME = re.compile(r"\b(base-\d+|n\d+|v[12]-\d+|10\.96\.\d+\.\d+)\b")
KIND = re.compile(r"^\S+ in version \S+ cannot be handled as a \S+: ")
DECODING = re.compile(r"json: cannot unmarshal (.+?) into Go (?:struct field (\S+)|value) of type (\S+)")
PATH = re.compile(r"\b[a-z][A-Za-z0-9]*(?:\.[a-zA-Z0-9]+|\[[^\]]*\])+")


def shape(text):
    """A message without its values: quoted parts, paths and numbers."""
    text = NAME.sub("NAME", KIND.sub("", text))
    text = DECODING.sub("json: cannot unmarshal …", text)
    text = re.sub(r"cannot restore \w+ from:? \w+", "cannot restore …", text)
    text = QUOTED.sub('"…"', text)
    text = re.sub(r"[\[{].{80,}[\]}]", "{…}", text, flags=re.S)
    text = PATH.sub("PATH", text)
    return NUMBER.sub("N", text)[:160]


def general(path):
    return INDEX.sub("[*]", path)


def first_difference(a, b, path=""):
    """Where two JSON values differ first, as a path and both values."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if a.get(key, "<absent>") != b.get(key, "<absent>") or (key in a) != (key in b):
                return first_difference(a.get(key, "<absent>"), b.get(key, "<absent>"), f"{path}.{key}" if path else key)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for x, y in zip(a, b):
            if x != y:
                return first_difference(x, y, path + "[*]")
    return path, a, b


def brief(value):
    if isinstance(value, (dict, list)) and value:
        return "{…}" if isinstance(value, dict) else f"[{len(value)} items]"
    return shape(json.dumps(value)) if not isinstance(value, str) else value[:40]


def cause_text(form):
    """Of a failure: the words without the name of the object, which every message begins with."""
    if form.causes:
        return "; ".join(sorted({shape(c.get("message", "")) for c in form.causes}))
    return shape(re.sub(r'^\S+ "[^"]*" is invalid: ', "", form.message))


def name_code(oracle, ours):
    if oracle.code == 422 and ours.code == 400 and DECODING.search(ours.message):
        return f"code {oracle.code} / {ours.code}: decoding of the patched object"
    text = cause_text(oracle) if oracle.is_failure or oracle.text is not None else cause_text(ours)
    return f"code {oracle.code} {oracle.reason} / {ours.code} {ours.reason}: {text[:200]}"


def name_meaning(oracle, ours):
    if oracle.is_failure != ours.is_failure:
        return f"another kind of answer: {brief(oracle.body)} / {brief(ours.body)}"
    if not oracle.is_failure:
        path, a, b = first_difference(oracle.body, ours.body)
        return f"object: {general(path)}: {brief(a)} / {brief(b)}"
    if oracle.reason != ours.reason:
        return f"reason: {oracle.reason} / {ours.reason}: {shape(oracle.message)}"
    theirs = {(c.get("reason", ""), c.get("field", "")): c.get("message", "") for c in oracle.causes}
    own = {(c.get("reason", ""), c.get("field", "")): c.get("message", "") for c in ours.causes}
    missing, extra = sorted(set(theirs) - set(own)), sorted(set(own) - set(theirs))
    if missing and extra:
        return f"cause: {missing[0][0]} {shape(theirs[missing[0]])} / {extra[0][0]} {shape(own[extra[0]])}"
    if missing:
        return f"cause missing: {missing[0][0]} {shape(theirs[missing[0]])}"
    if extra:
        return f"cause extra: {extra[0][0]} {shape(own[extra[0]])}"
    path, a, b = first_difference(oracle.body.get("details") or {}, ours.body.get("details") or {})
    return f"details.{path}: {brief(a)} / {brief(b)}"


def name_warnings(oracle, ours):
    theirs, own = ([re.sub(r'^299 \S+ "(.*)"$', r"\1", w).replace('\\"', '"') for w in form.warnings] for form in (oracle, ours))
    missing, extra = [w for w in theirs if w not in own], [w for w in own if w not in theirs]
    if missing and extra and missing[0].startswith(extra[0].removesuffix("...")):
        return "warning: cut off"
    return f"warning: {shape(missing[0]) if missing else 'none'} / {shape(extra[0]) if extra else 'none'}" + (" (of a failure)" if oracle.is_failure else "")


def name_message(theirs, own):
    for words in ("may not change fields other than", "is immutable after creation", "immutable after"):
        if words in theirs and words in own:
            return f"words: the diff of what is immutable: {words}"
    a, b = DECODING.search(theirs), DECODING.search(own)
    if a and b:
        for what, x, y in zip(("the value", "the field", "the type"), a.groups(), b.groups()):
            if x != y:
                return f"words: decoding: {what}: {x if what == 'the value' else ''} / {y if what == 'the value' else ''}"
        return "words: decoding: the quoted value"
    if b:
        return f"words: {shape(theirs)} / json: cannot unmarshal"
    if shape(theirs) == shape(own):
        return f"words: values in the message: {shape(theirs)}"
    return f"words: {shape(theirs)} / {shape(own)}"


def name_words(oracle, ours):
    if sorted(oracle.warnings) != sorted(ours.warnings):
        return name_warnings(oracle, ours)
    if oracle.content_type != ours.content_type:
        return f"content type: {oracle.content_type} / {ours.content_type}"
    if oracle.body != ours.body and oracle.is_failure:
        a, b = oracle.message, ours.message
        if oracle.causes and len(oracle.causes) == len(ours.causes):
            for x, y in zip(oracle.causes, ours.causes):
                if x != y:
                    a, b = x.get("message", ""), y.get("message", "")
                    break
        elif len(oracle.causes) != len(ours.causes):
            return "words: causes are repeated another number of times"
        return name_message(a, b)
    return f"words: {shape(oracle.message)} / {shape(ours.message)}"


def name(oracle, ours, levels):
    if not levels["code"]:
        return name_code(oracle, ours)
    return name_words(oracle, ours) if levels["meaning"] else name_meaning(oracle, ours)
