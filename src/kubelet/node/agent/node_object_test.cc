#include "kubelet/node/agent/node_object.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "kubelet/host/machine.h"

namespace proa::kubelet {
namespace node_object_test {

json::Document document(std::string_view text) { return json::parse(text).value(); }

}  // namespace node_object_test

using node_object_test::document;

TEST(NodeLabels, AreDefaultsAndWhatOptionsSay) {
  KubeletOptions options;
  options.node_name = api::NodeName("n1");
  options.labels = {{"disk", "fast"}, {"topology.kubernetes.io/zone", "z1"}};
  const std::string arch(architecture());
  NodeLabels expected{{"beta.kubernetes.io/arch", arch},
                      {"beta.kubernetes.io/os", "linux"},
                      {"disk", "fast"},
                      {"kubernetes.io/arch", arch},
                      {"kubernetes.io/hostname", "n1"},
                      {"kubernetes.io/os", "linux"},
                      {"topology.kubernetes.io/zone", "z1"}};
  EXPECT_EQ(initial_labels(options), expected);
  // A Node that is there keeps its own, but for those that are facts.
  expected.erase("disk");
  EXPECT_EQ(adopted_labels(options), expected);
}

TEST(MakeNode, HasTheTaintsOfTheOptions) {
  KubeletOptions options;
  options.node_name = api::NodeName("n1");
  options.taints = {"a=b:NoSchedule", "c:NoExecute"};
  const json::Document status = document("{}");
  const json::Document node = document(make_node(options, {}, status.root()).value());
  EXPECT_EQ(json::print(*api::View(node.root())["spec"].value()),
            R"({"taints":[{"key":"a","value":"b","effect":"NoSchedule"},)"
            R"({"key":"c","effect":"NoExecute"}]})");
  EXPECT_EQ(api::View(node.root())["metadata"]["annotations"]
                                  ["volumes.kubernetes.io/controller-managed-attach-detach"]
                                      .text(),
            "true");
  for (const char* bad : {"a=b", "a=b:Never", "=b:NoSchedule"}) {
    options.taints = {bad};
    EXPECT_FALSE(make_node(options, {}, status.root()).ok()) << bad;
  }
}

TEST(NodePatch, SaysWhatDiffers) {
  const json::Document before = document(
      R"({"metadata":{"labels":{"a":"1"}},"status":{"capacity":{"cpu":"1","old":"2"},)"
      R"("images":[{"names":["x"]}],"nodeInfo":{"bootID":"b"},)"
      R"("addresses":[{"type":"Hostname","address":"n0"}],)"
      R"("conditions":[{"type":"Other","status":"True"},{"type":"Ready","status":"False"}]}})");
  const json::Document status = document(
      R"({"capacity":{"cpu":"1"},"nodeInfo":{"bootID":"b"},)"
      R"("addresses":[{"type":"Hostname","address":"n1"}],)"
      R"("conditions":[{"type":"Other","status":"True"},{"type":"Ready","status":"True"}]})");
  const NodeChange change{.before = before.root(),
                          .status = status.root(),
                          .labels = {{"a", "1"}, {"b", "2"}},
                          .annotations = {}};
  EXPECT_TRUE(is_needed(change));
  EXPECT_EQ(node_patch(change),
            R"({"metadata":{"labels":{"b":"2"}},"status":{"capacity":{"cpu":"1","old":null},)"
            R"("addresses":[{"type":"Hostname","address":"n1"},{"$patch":"replace"}],)"
            R"("conditions":[{"type":"Ready","status":"True"}],"images":null}})");
}

TEST(NodePatch, IsNotNeededForHeartbeats) {
  const json::Document before =
      document(R"({"metadata":{"labels":{"a":"1"}},"status":{"conditions":[{"type":"Ready",)"
               R"("status":"True","lastHeartbeatTime":"1"}]}})");
  const json::Document status =
      document(R"({"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2"}]})");
  NodeChange change{.before = before.root(), .status = status.root(), .labels = {{"a", "1"}}};
  EXPECT_FALSE(is_needed(change));
  KubeletOptions options;
  options.local_volumes = "/data/storage";
  change.annotations = initial_annotations(options);
  EXPECT_TRUE(is_needed(change));
  EXPECT_EQ(node_patch(change).substr(0, 137),
            R"({"metadata":{"annotations":{"proa.dev/local-path-root":"/data/storage",)"
            R"("volumes.kubernetes.io/controller-managed-attach-detach":"true"}},)");
}

}  // namespace proa::kubelet
