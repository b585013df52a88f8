#include "scheduler/framework/event.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

TEST(EventLabel, IsUpstreams) {
  EXPECT_EQ(event_label(EventResource::kNode, action::kAdd), "NodeAdd");
  EXPECT_EQ(event_label(EventResource::kNode, action::kUpdateNodeTaint), "NodeUpdateNodeTaint");
  EXPECT_EQ(event_label(EventResource::kAssignedPod, action::kDelete), "AssignedPodDelete");
  EXPECT_EQ(event_label(EventResource::kUnscheduledPod, action::kUpdatePodGatesGone),
            "UnschedulablePodUpdatePodSchedulingGatesEliminated");
  EXPECT_EQ(event_label(EventResource::kAssignedPod, action::kUpdateOther), "AssignedPodUpdate");
  EXPECT_EQ(event_label(EventResource::kCsiNode, action::kAdd), "storage.k8s.io/CSINodeAdd");
}

TEST(NodeChanges, NameWhatIsDifferent) {
  struct Case {
    const char* name;
    NodeBuilder after;
    uint32_t changes;
  };
  const NodeBuilder before = make_node("n")
                                 .zone("a")
                                 .capacity({{"cpu", "4"}, {"pods", "10"}})
                                 .taint("a", "", "NoSchedule");
  const std::vector<Case> cases = {
      {"nothing", before, 0},
      {"a heartbeat", NodeBuilder(before).version(99), 0},
      {"cpu", NodeBuilder(before).capacity({{"cpu", "5"}}), action::kUpdateNodeAllocatable},
      {"pods", NodeBuilder(before).capacity({{"pods", "5"}}), action::kUpdateNodeAllocatable},
      {"a label", NodeBuilder(before).zone("b"), action::kUpdateNodeLabel},
      {"a taint", NodeBuilder(before).taint("b", "", "NoSchedule"), action::kUpdateNodeTaint},
      {"both", NodeBuilder(before).zone("b").taint("b", "", "NoSchedule"),
       action::kUpdateNodeLabel | action::kUpdateNodeTaint},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(node_changes(read_node(before.object()), read_node(c.after.object())), c.changes);
  }
}

TEST(NodeChanges, OnlyOpeningANodeMayHelp) {
  const NodeFacts open = read_node(make_node("n").object());
  const NodeFacts closed = read_node(make_node("n").unschedulable().object());
  EXPECT_EQ(node_changes(closed, open), action::kUpdateNodeTaint);
  EXPECT_EQ(node_changes(open, closed), 0u);
}

TEST(PodChanges, NameWhatIsDifferent) {
  struct Case {
    const char* name;
    PodBuilder before;
    PodBuilder after;
    uint32_t changes;
  };
  const PodBuilder plain = make_pod("a").label("app", "web").request({{"cpu", "2"}});
  const auto asks = [](const char* resource, const char* amount) {
    return make_pod("a").label("app", "web").request({{"cpu", "2"}, {resource, amount}});
  };
  const std::vector<Case> cases = {
      {"nothing", plain, plain, 0},
      {"its status", plain, PodBuilder(plain).phase("Running"), 0},
      {"a label", plain, PodBuilder(plain).label("tier", "1"), action::kUpdatePodLabel},
      {"less cpu", plain, PodBuilder(plain).request({{"cpu", "1"}}), action::kUpdatePodScaleDown},
      {"more cpu", plain, PodBuilder(plain).request({{"cpu", "3"}}), 0},
      {"less memory", asks("memory", "2Gi"), asks("memory", "1Gi"), action::kUpdatePodScaleDown},
      {"fewer devices", asks("example.com/gpu", "2"), asks("example.com/gpu", "1"),
       action::kUpdatePodScaleDown},
      {"no devices any more", asks("example.com/gpu", "2"), plain, action::kUpdatePodScaleDown},
      {"more memory, less cpu", plain,
       make_pod("a").label("app", "web").request({{"cpu", "1"}, {"memory", "1Gi"}}),
       action::kUpdatePodScaleDown},
      {"a toleration", plain, PodBuilder(plain).tolerate("why", "Exists"),
       action::kUpdatePodToleration},
      {"one gate of two", PodBuilder(plain).gate("a").gate("b"), PodBuilder(plain).gate("b"), 0},
      {"the last gate", PodBuilder(plain).gate("a"), plain, action::kUpdatePodGatesGone},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PodReader reader;
    EXPECT_EQ(pod_changes(*reader.read(c.before.object()), *reader.read(c.after.object())),
              c.changes);
  }
}

}  // namespace
}  // namespace proa::scheduler
