"""A request that goes to both servers, and what the workload keeps of their answers."""

import json
import urllib.parse

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
ORACLE, OURS = 0, 1
# Namespaces: of objects that episodes make, of objects that limit others, of objects that stay as they are.
NAMESPACE, LIMITED, FIXTURES = "diff-a", "diff-limits", "diff-b"


class Request:
    def __init__(self, category, method, path, body=None, query=(), content_type=JSON, accept=JSON, note="", kind=""):
        """body: None, text, a JSON value, or a function from the server (ORACLE, OURS) to one of them."""
        self.category, self.method, self.path, self.body = category, method, path, body
        self.query, self.content_type, self.accept = list(query), content_type, accept
        self.note, self.kind = note, kind

    def target(self, server):
        query = [(key, value(server) if callable(value) else value) for key, value in self.query]
        return self.path + ("?" + urllib.parse.urlencode(query) if query else "")

    def text(self, server):
        body = self.body(server) if callable(self.body) else self.body
        if body is None or isinstance(body, (str, bytes)):
            return body.encode() if isinstance(body, str) else body
        # Compact, as Go's clients write it: upstream compares raw JSON (a ControllerRevision's data) by its bytes.
        return json.dumps(body, separators=(",", ":")).encode()

    def headers(self, text):
        headers = {}
        if self.accept is not None:
            headers["Accept"] = self.accept
        if text is not None and self.content_type is not None:
            headers["Content-Type"] = self.content_type
        return headers


class Documents:
    """An object as each server returned it: what a client would edit and send back."""

    def __init__(self, answers):
        self.by_server = []
        for answer in answers:
            try:
                self.by_server.append(json.loads(answer.body))
            except ValueError:
                self.by_server.append({})

    @property
    def oracle(self):
        return self.by_server[ORACLE]

    def edited(self, edit):
        """A body: each server's own object with the same edit."""
        return lambda server: edit(self.by_server[server])

    def field(self, *path):
        def find(server):
            value = self.by_server[server]
            for part in path:
                value = value.get(part, "") if isinstance(value, dict) else ""
            return value
        return find
