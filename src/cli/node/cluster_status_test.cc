#include "cli/node/cluster_status.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::cli {
namespace {

ClusterStatus example() {
  ClusterStatus status;
  status.data_dir = "/var/lib/proa";
  status.process = 42;
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
            "  node           a ready (v1.36.4)\n"
            "  node           b not ready (v1.36.4): no network\n"
            "  pods           1 pending, 12 running\n");
}

TEST(ClusterStatus, AClusterWithoutNodesAndPodsIsOneToo) {
  ClusterStatus status;
  status.data_dir = "/d";
  status.server = "https://x";
  EXPECT_EQ(status_text(status),
            "Proa is running as a server without a node.\n"
            "  data           /d\n"
            "  https          https://x\n"
            "  pods           none\n");
}

TEST(ClusterStatus, ProgramsGetNumbers) {
  EXPECT_EQ(json::print(status_document(example()).root()),
            R"({"process":42,"dataDirectory":"/var/lib/proa","server":"https://127.0.0.1:6443",)"
            R"("nodes":[{"name":"a","ready":true,"version":"v1.36.4"},)"
            R"({"name":"b","ready":false,"message":"no network","version":"v1.36.4"}],)"
            R"("pods":{"Pending":1,"Running":12}})");
}

}  // namespace
}  // namespace proa::cli
