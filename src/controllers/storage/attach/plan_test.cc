#include "controllers/storage/attach/plan.h"

#include <gtest/gtest.h>

namespace proa::controllers::storage {
namespace {

using namespace std::chrono_literals;

const DeviceFacts kDevice{.driver = "gold.io", .handle = "h"};

AttachmentFacts attached_to(const api::NodeName& node) {
  return {.name = attachment_name(kDevice, node), .volume = "v", .node = node, .attached = true};
}

using Nodes = std::vector<api::NodeName>;
const api::NodeName kA("a");
const api::NodeName kB("b");
const api::NodeName kC("c");

struct AttachCase {
  const char* name;
  bool shared;
  Nodes wanted;
  Nodes attached;
  Nodes attach;
  Nodes blocked;
  Nodes detach;
};

TEST(PlanAttachments, GivesAnExclusiveVolumeToOneNodeAtATime) {
  const AttachCase cases[] = {
      {"unused", false, {}, {}, {}, {}, {}},
      {"one node", false, {kA}, {}, {kA}, {}, {}},
      {"the first of two nodes", false, {kB, kA}, {}, {kB}, {kA}, {}},
      {"detach first", false, {kB}, {kA}, {}, {kB}, {kA}},
      {"stays attached", false, {kB, kA}, {kA}, {}, {kB}, {}},
      {"shared: all nodes", true, {kA, kB}, {kC}, {kA, kB}, {}, {kC}},
  };
  for (const AttachCase& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<AttachmentFacts> existing;
    for (const api::NodeName& node : c.attached) existing.push_back(attached_to(node));
    std::vector<const AttachmentFacts*> pointers;
    for (const AttachmentFacts& one : existing) pointers.push_back(&one);
    DeviceFacts device = kDevice;
    device.shared = c.shared;
    const AttachPlan plan = plan_attachments(device, c.wanted, pointers);
    EXPECT_EQ(plan.attach, c.attach);
    EXPECT_EQ(plan.blocked, c.blocked);
    Nodes detach;
    for (const AttachmentFacts* one : plan.detach) detach.push_back(one->node);
    EXPECT_EQ(detach, c.detach);
  }
}

struct DetachCase {
  const char* name;
  std::optional<NodeFacts> node;
  Duration waited;
  std::optional<DetachStep> step;
  Duration wait;
};

TEST(PlanDetach, WaitsForNodesThatUseIt) {
  const std::vector<std::string> used = {unique_volume_name(kDevice)};
  const NodeFacts healthy{.ready = true, .in_use = used};
  const NodeFacts unhealthy{.ready = false, .in_use = used};
  const NodeFacts off{.ready = true, .out_of_service = true, .in_use = used};
  const NodeFacts idle{.ready = true, .in_use = {"kubernetes.io/csi/gold.io^other"}};
  const DetachCase cases[] = {
      {"unused", idle, 0s, DetachStep::kIfUnused, 0s},
      {"used on a healthy node", healthy, 0s, std::nullopt, 0s},
      {"used on a healthy node for long", healthy, 1h, std::nullopt, 0s},
      {"used on an unhealthy node", unhealthy, 2min, std::nullopt, 4min},
      {"used on an unhealthy node for long", unhealthy, 6min, DetachStep::kNow, 0s},
      {"out of service", off, 0s, DetachStep::kNow, 0s},
      {"deleted node", std::nullopt, 1min, std::nullopt, 5min},
      {"long deleted node", std::nullopt, 6min, DetachStep::kNow, 0s},
  };
  for (const DetachCase& c : cases) {
    SCOPED_TRACE(c.name);
    const DetachPlan plan = plan_detach(attached_to(kA), c.node ? &*c.node : nullptr, c.waited);
    EXPECT_EQ(plan.step, c.step);
    EXPECT_EQ(plan.wait, c.wait);
  }
}

TEST(AttachmentName, MatchesUpstream) {
  // sha256 of "handle" "driver" "node".
  EXPECT_EQ(attachment_name({.driver = "driver", .handle = "handle"}, api::NodeName("node")),
            "csi-fdef298eb16db6fa42906ef1ff09a93a7f3028f8290cc9d71628ff91c237bfa7");
  EXPECT_EQ(unique_volume_name({.driver = "driver", .handle = "handle"}),
            "kubernetes.io/csi/driver^handle");
}

}  // namespace
}  // namespace proa::controllers::storage
