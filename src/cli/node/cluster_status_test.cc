#include "cli/node/cluster_status.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::cli {
namespace {

ClusterStatus example() {
  ClusterStatus status;
  status.data_dir = "/var/lib/proa";
  status.local.process = 42;
  status.local.runtime = {.socket = "/run/proa/containerd.sock", .runs = true};
  status.local.disk = {.free_bytes = 3ull << 30, .total_bytes = 4ull << 30};
  status.local.certificates = {{"server", *parse_time("2027-01-02T03:04:05Z")}};
  status.leaders = {{"kube-scheduler", "box_1"}, {"kube-controller-manager", ""}};
  status.server = "https://127.0.0.1:6443";
  ClusterStatus::Node good;
  good.name = "a";
  good.ready = true;
  good.version = "v1.36.4";
  ClusterStatus::Node bad = good;
  bad.name = "b";
  bad.ready = false;
  bad.why_not = "no network";
  status.nodes = {good, bad};
  status.pods = {{"Pending", 1}, {"Running", 12}};
  return status;
}

TEST(ClusterStatus, PeopleGetLines) {
  EXPECT_EQ(status_text(example()),
            "Proa is running as process 42.\n"
            "  data           /var/lib/proa\n"
            "  https          https://127.0.0.1:6443\n"
            "  runtime        /run/proa/containerd.sock\n"
            "  disk           3.0 GiB of 4.0 GiB free\n"
            "  certificate    server until 2027-01-02T03:04:05Z\n"
            "  leader         kube-scheduler: box_1\n"
            "  leader         kube-controller-manager: none\n"
            "  node           a ready (v1.36.4)\n"
            "  node           b not ready (v1.36.4): no network\n"
            "  pods           1 pending, 12 running\n");
}

TEST(ClusterStatus, WhatIsWrongWithANodeThatIsReadyIsShown) {
  const api::Object node(
      R"({"metadata":{"name":"a"},"spec":{"unschedulable":true},"status":{"conditions":[)"
      R"({"type":"Ready","status":"True","message":"kubelet is posting ready status. )"
      R"(WARNING: the firewall drops pods. WARNING: no IPv6"}],)"
      R"("nodeInfo":{"kubeletVersion":"v1.36.4"}}})");
  ClusterStatus status;
  status.local.process = 1;
  status.nodes = {node_status(node)};
  const std::string text = status_text(status);
  EXPECT_NE(text.find("  node           a ready, cordoned (v1.36.4)\n"
                      "  warning        the firewall drops pods\n"
                      "  warning        no IPv6\n"),
            std::string::npos)
      << text;
  EXPECT_NE(json::print(status_document(status).root())
                .find(R"("cordoned":true,"warnings":["the firewall drops pods","no IPv6"])"),
            std::string::npos);
}

TEST(ClusterStatus, WhatIsNotKnownIsNotNone) {
  ClusterStatus status;
  status.pods_unknown = "the server did not tell";
  EXPECT_NE(status_text(status).find("  pods           unknown: the server did not tell\n"),
            std::string::npos);
  EXPECT_EQ(json::print(status_document(status).root()).find(R"("pods":)"), std::string::npos);
}

TEST(ClusterStatus, ANodeThatDoesNotRunIsAsItWasReportedLast) {
  ClusterStatus status = example();
  status.local.process.reset();
  status.outdated = true;
  const std::string text = status_text(status);
  EXPECT_NE(text.find("a ready (v1.36.4), by its last report to the server\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("12 running, by its last report to the server\n"), std::string::npos);
}

TEST(ClusterStatus, ReadsHealthChecks) {
  EXPECT_EQ(failed_checks("[+]ping ok\n[-]etcd failed: reason withheld\n"
                          "[-]disk-space failed: reason withheld\nreadyz check failed\n"),
            (std::vector<std::string>{"etcd", "disk-space"}));
  EXPECT_TRUE(failed_checks("ok").empty());
  EXPECT_EQ(cause_of("internal server error: the disk is full\n"), "the disk is full");
  EXPECT_EQ(cause_of("ok"), "ok");
  ClusterStatus status = example();
  status.problems = {{"etcd", "the disk is full"}};
  EXPECT_NE(status_text(status).find("  not healthy    etcd: the disk is full\n"),
            std::string::npos);
  EXPECT_NE(json::print(status_document(status).root())
                .find(R"("failedChecks":{"etcd":"the disk is full"})"),
            std::string::npos);
}

TEST(ClusterStatus, AClusterWithoutNodesAndPodsIsOneToo) {
  ClusterStatus status;
  status.data_dir = "/d";
  status.server = "https://x";
  EXPECT_EQ(status_text(status),
            "Proa is not running on this machine.\n"
            "  data           /d\n"
            "  https          https://x\n"
            "  pods           none\n");
}

TEST(ClusterStatus, ProgramsGetNumbers) {
  EXPECT_EQ(json::print(status_document(example()).root()),
            R"({"process":42,"dataDirectory":"/var/lib/proa","server":"https://127.0.0.1:6443",)"
            R"("runtime":{"socket":"/run/proa/containerd.sock","running":true},)"
            R"("disk":{"freeBytes":3221225472,"totalBytes":4294967296},)"
            R"("certificates":{"server":"2027-01-02T03:04:05Z"},)"
            R"("leaders":{"kube-scheduler":"box_1","kube-controller-manager":""},)"
            R"("failedChecks":{},"nodes":[{"name":"a","ready":true,"version":"v1.36.4"},)"
            R"({"name":"b","ready":false,"message":"no network","version":"v1.36.4"}],)"
            R"("pods":{"Pending":1,"Running":12}})");
}

TEST(ClusterStatus, TheHolderOfAnExpiredLeaseLeadsNothing) {
  const auto leader = [](const char* now) {
    const api::Object lease(
        R"({"metadata":{"name":"kube-scheduler"},"spec":{"holderIdentity":"box_1",)"
        R"("leaseDurationSeconds":15,"renewTime":"2027-01-02T03:04:05.000000Z"}})");
    return leader_of(lease, *parse_time(now)).holder;
  };
  EXPECT_EQ(leader("2027-01-02T03:04:19Z"), "box_1");
  EXPECT_EQ(leader("2027-01-02T03:04:21Z"), "");
}

}  // namespace
}  // namespace proa::cli
