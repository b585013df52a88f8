"""Patches of three types that make the same change."""

import copy

from mutations import ABSENT, get, put


def merge_body(document, change):
    """A merge patch replaces whole lists: the path ends at the first list, which is sent with the change."""
    for length, part in enumerate(change.path):
        if isinstance(part, int):
            head = change.path[:length]
            items = put({"x": copy.deepcopy(get(document, head)) if get(document, head) is not ABSENT else []}, ["x"] + change.path[length:], change.value)
            return put({}, head, items["x"])
    return put({}, change.path, None if change.value is ABSENT else change.value)


def strategic_body(document, change):
    """A strategic patch names elements of a list by their key."""
    path, patch = change.path, None if change.value is ABSENT else change.value
    for length in range(len(path) - 1, -1, -1):
        if not isinstance(path[length], int):
            patch = {path[length]: patch}
            continue
        item = get(document, path[:length + 1])
        if isinstance(patch, dict) and isinstance(item, dict):
            keys = {k: item[k] for k in ("name", "type", "containerPort", "mountPath", "port", "ip", "key", "topologyKey", "uid") if k in item}
            patch = {**keys, **patch}
        patch = [patch]
    return patch
