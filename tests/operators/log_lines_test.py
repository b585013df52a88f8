import json
import unittest

import audit
import log_lines

KLOG = 'E1118 08:31:00.123456   12345 reflector.go:204] "Failed to watch" err="unknown (get issuers.cert-manager.io)"\n'
ZAP = ('2026-11-18T08:31:00Z\tERROR\tReconciler error\t{"controller": "memcached", "name": "cache", '
       '"reconcileID": "0b5a1b4e-7f0a-4a58-8d3c-0a4c1f8e2b11", "error": "deployments.apps \\"cache\\" is forbidden"}\n')
SLOG = 'ts=2026-11-18T08:31:00.1Z level=error caller=operator.go:12 msg="sync failed" err="no route 42"\n'


class LogLines(unittest.TestCase):
    def test_every_format_gives_its_errors(self):
        found = log_lines.classes([KLOG, ZAP, SLOG])
        self.assertEqual(set(found), {
            ("error", 'Reconciler error: deployments.apps "NAME" is forbidden'),
            ("error", '"sync failed": "no route N"'),
            ("error", 'reflector.go: "Failed to watch": "unknown (get issuers.cert-manager.io)"')})

    def test_informative_lines_and_stack_traces_are_left_out(self):
        self.assertFalse(log_lines.classes(["I1118 08:31:00.123456   12345 a.go:1] started", "main.main()", "\t/src/main.go:12",
                                            "ts=1 level=info msg=ok", "2026-11-18T08:31:00Z\tINFO\tstarted"]))

    def test_names_times_and_numbers_do_not_make_a_class(self):
        one = log_lines.classes(['E1118 08:31:00.123456   1 a.go:1] issuers "one" site-x7k2p 12 at 2026-11-18T08:31:00Z took 12.5ms'])
        other = log_lines.classes(['E1118 09:31:00.123456  99 a.go:7] issuers "two" site-9zzzz 7 at 2026-11-18T09:31:00Z took 3s'])
        self.assertEqual(one, other)
        self.assertEqual(log_lines.only_ours(one, other), [])

    def test_an_error_of_ours_alone_counts_and_a_conflict_does_not(self):
        conflict = ('E1118 08:31:00.123456   1 a.go:1] Operation cannot be fulfilled on issuers "a": the object has been '
                    'modified; please apply your changes to the latest version and try again')
        self.assertEqual(log_lines.only_ours(log_lines.classes([conflict, KLOG]), log_lines.classes([])),
                         ['reflector.go: "Failed to watch": "unknown (get issuers.cert-manager.io)"'])
        self.assertEqual(log_lines.only_ours(log_lines.classes([KLOG]), log_lines.classes([KLOG, KLOG])), [])

    def test_a_repeated_deletion_does_not_count_and_the_loss_of_an_object_does(self):
        lines = ['E1118 08:31:00.123456   1 a.go:1] "re-queuing" err="requests.cert-manager.io \\"site-1\\" not found"',
                 'E1118 08:31:00.123456   1 a.go:1] "lost" err="requests.cert-manager.io \\"site-2\\" not found"']
        found = log_lines.classes(lines, {'requests.cert-manager.io "site-1" not found'})
        self.assertEqual(set(found), {("warning", "an object that was deleted before"),
                                      ("error", 'a.go: "NAME": "requests.cert-manager.io \\"NAME\\" not found"')})


class Audit(unittest.TestCase):
    @staticmethod
    def event(verb, name, code, message=""):
        return json.dumps({"verb": verb, "objectRef": {"resource": "requests", "namespace": "default", "name": name},
                           "responseStatus": {"code": code, "message": message}})

    def test_only_the_second_of_two_deletions_is_a_repeated_one(self):
        lines = [self.event("delete", "never-there", 404, "never-there not found"), self.event("delete", "site-1", 200),
                 self.event("get", "site-1", 404, "get not found"), self.event("delete", "site-1", 404, "site-1 not found")]
        self.assertEqual(audit.repeated_deletions(lines), {"site-1 not found"})


if __name__ == "__main__":
    unittest.main()
