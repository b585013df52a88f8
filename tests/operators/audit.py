"""Reads audit logs: which requests were answered "not found" because of an earlier request of the same run."""

import json

# Deletions alone, once each, without what they contain.
POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
          "rules": [{"level": "Metadata", "verbs": ["delete"]}]}


def object_of(event):
    reference = event.get("objectRef", {})
    return tuple(reference.get(field, "") for field in ("apiGroup", "resource", "subresource", "namespace", "name"))


def repeated_deletions(lines):
    """The messages of deletions that found no object because an earlier one had deleted it."""
    deleted, messages = set(), set()
    for line in lines:
        event = json.loads(line)
        status = event.get("responseStatus", {})
        if event["verb"] != "delete":
            continue
        if status.get("code") == 404 and object_of(event) in deleted:
            messages.add(status.get("message", ""))
        elif status.get("code") in (200, 202):
            deleted.add(object_of(event))
    return messages - {""}
