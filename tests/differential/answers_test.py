"""Tests of the comparison itself: what it ignores, and what it must see. `run` starts them before the servers."""

import datetime
import json
import unittest
from email.message import Message

from answers import Form, Normalizer, compare
from causes import name
from mutations import ABSENT, put
from patches import merge_body, strategic_body
from servers import Answer


def form(code, body, warnings=()):
    headers = Message()
    headers["Content-Type"] = "application/json"
    for warning in warnings:
        headers["Warning"] = f'299 - "{warning}"'
    return Form(Answer(code, headers, json.dumps(body).encode()), Normalizer(datetime.date(2026, 1, 2)))


def failure(code, reason, message, causes=()):
    return {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": code, "details": {"causes": list(causes)}}


class CompareTest(unittest.TestCase):
    def levels(self, a, b):
        levels = compare(a, b)
        return [level for level in ("code", "meaning", "exact") if levels[level]]

    def test_what_servers_generate_is_not_compared(self):
        one = {"metadata": {"uid": "0f4b1f0e-0000-4000-8000-000000000001", "resourceVersion": "17", "creationTimestamp": "2026-01-02T10:00:00Z", "managedFields": [{}]}, "spec": {"clusterIP": "10.96.3.4"}}
        two = {"metadata": {"uid": "0f4b1f0e-0000-4000-8000-000000000002", "resourceVersion": "4", "creationTimestamp": "2026-01-02T10:00:09Z"}, "spec": {"clusterIP": "10.96.9.9"}}
        self.assertEqual(self.levels(form(200, one), form(200, two)), ["code", "meaning", "exact"])

    def test_times_of_other_days_are_compared(self):
        self.assertEqual(self.levels(form(200, {"time": "2024-06-01T12:00:00Z"}), form(200, {"time": "2024-06-01T12:00:01Z"})), ["code"])

    def test_quoted_objects_are_masked(self):
        quoted = ' "" is invalid: patch: Invalid value: "{\\"metadata\\":{\\"resourceVersion\\":\\"%d\\"%s},\\"a\\":1}": no'
        managed = ',\\"managedFields\\":[{\\"fieldsV1\\":{\\"f:a\\":[]}}]'
        self.assertEqual(self.levels(form(422, failure(422, "Invalid", quoted % (12, managed))), form(422, failure(422, "Invalid", quoted % (345, "")))), ["code", "meaning", "exact"])

    def test_words_are_not_meaning(self):
        cause = {"reason": "FieldValueInvalid", "field": "spec.a", "message": "Invalid value: 1"}
        one = form(422, failure(422, "Invalid", "x", [cause]))
        two = form(422, failure(422, "Invalid", "y", [{**cause, "message": "Invalid value: 2"}]))
        self.assertEqual(self.levels(one, two), ["code", "meaning"])
        self.assertEqual(name(one, two, compare(one, two)), "words: values in the message: Invalid value: N")

    def test_another_field_is_another_meaning(self):
        causes = [{"reason": "FieldValueRequired", "field": field, "message": "Required value"} for field in ("spec.a", "spec.b")]
        one, two = form(422, failure(422, "Invalid", "x", causes)), form(422, failure(422, "Invalid", "x", causes[:1]))
        self.assertEqual(self.levels(one, two), ["code"])
        self.assertEqual(name(one, two, compare(one, two)), "cause missing: FieldValueRequired Required value")

    def test_warnings_are_compared(self):
        one, two = form(200, {}, ["a b c"]), form(200, {}, ["a b"])
        self.assertEqual(self.levels(one, two), ["code", "meaning"])
        self.assertEqual(name(one, two, compare(one, two)), "warning: cut off")

    def test_null_is_not_an_empty_list(self):
        one, two = form(200, {"rules": None}), form(200, {"rules": []})
        self.assertEqual(name(one, two, compare(one, two)), "object: rules: null / []")


class ChangeTest(unittest.TestCase):
    document = {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}}

    def change(self, path, value):
        return type("Change", (), {"path": path, "value": value})

    def test_put_makes_what_is_missing(self):
        self.assertEqual(put({}, ["a", 0, "b"], 1), {"a": [{"b": 1}]})
        self.assertEqual(put({"a": {"b": 1, "c": 2}}, ["a", "b"], ABSENT), {"a": {"c": 2}})

    def test_a_merge_patch_sends_the_whole_list(self):
        patch = merge_body(self.document, self.change(["spec", "containers", 0, "image"], "y"))
        self.assertEqual(patch, {"spec": {"containers": [{"name": "a", "image": "y"}, {"name": "b"}]}})

    def test_a_strategic_patch_names_the_element(self):
        patch = strategic_body(self.document, self.change(["spec", "containers", 1, "image"], "y"))
        self.assertEqual(patch, {"spec": {"containers": [{"name": "b", "image": "y"}]}})


if __name__ == "__main__":
    unittest.main()
