#include "controllers/storage/attach/plan.h"

#include <gtest/gtest.h>

namespace proa::controllers::storage {
namespace {

using namespace std::chrono_literals;

const DeviceFacts kDevice{.driver = "gold.io", .handle = "h"};

AttachmentFacts attached_to(const std::string& node) {
  return {.name = attachment_name(kDevice, node), .volume = "v", .node = node, .attached = true};
}

struct AttachCase {
  const char* name;
  bool shared;
  std::vector<std::string> wanted;
  std::vector<std::string> there;
  std::vector<std::string> attach;
  std::vector<std::string> blocked;
  std::vector<std::string> detach;
};

TEST(PlanAttachments, GivesAnExclusiveVolumeToOneNodeAtATime) {
  const AttachCase cases[] = {
      {"nobody", false, {}, {}, {}, {}, {}},
      {"the first", false, {"a"}, {}, {"a"}, {}, {}},
      {"of two the first", false, {"b", "a"}, {}, {"b"}, {"a"}, {}},
      {"not before the other one let go", false, {"b"}, {"a"}, {}, {"b"}, {"a"}},
      {"who has it keeps it", false, {"b", "a"}, {"a"}, {}, {"b"}, {}},
      {"shared ones go everywhere", true, {"a", "b"}, {"c"}, {"a", "b"}, {}, {"c"}},
  };
  for (const AttachCase& c : cases) {
    SCOPED_TRACE(c.name);
    std::vector<AttachmentFacts> there;
    for (const std::string& node : c.there) there.push_back(attached_to(node));
    std::vector<const AttachmentFacts*> pointers;
    for (const AttachmentFacts& one : there) pointers.push_back(&one);
    DeviceFacts device = kDevice;
    device.shared = c.shared;
    const AttachPlan plan = plan_attachments(device, c.wanted, pointers);
    EXPECT_EQ(plan.attach, c.attach);
    EXPECT_EQ(plan.blocked, c.blocked);
    std::vector<std::string> detach;
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
  const NodeFacts sick{.ready = false, .in_use = used};
  const NodeFacts off{.ready = true, .out_of_service = true, .in_use = used};
  const NodeFacts idle{.ready = true, .in_use = {"kubernetes.io/csi/gold.io^other"}};
  const DetachCase cases[] = {
      {"nobody uses it", idle, 0s, DetachStep::kIfUnused, 0s},
      {"a healthy node uses it", healthy, 0s, std::nullopt, 0s},
      {"a healthy node uses it for long", healthy, 1h, std::nullopt, 0s},
      {"a sick node uses it", sick, 2min, std::nullopt, 4min},
      {"a sick node uses it for long", sick, 6min, DetachStep::kNow, 0s},
      {"a node that is off", off, 0s, DetachStep::kNow, 0s},
      {"a node that is gone", std::nullopt, 1min, std::nullopt, 5min},
      {"a node that is gone for long", std::nullopt, 6min, DetachStep::kNow, 0s},
  };
  for (const DetachCase& c : cases) {
    SCOPED_TRACE(c.name);
    const DetachPlan plan = plan_detach(attached_to("a"), c.node ? &*c.node : nullptr, c.waited);
    EXPECT_EQ(plan.step, c.step);
    EXPECT_EQ(plan.wait, c.wait);
  }
}

TEST(AttachmentName, IsThatOfUpstream) {
  // sha256 of "handle" "driver" "node".
  EXPECT_EQ(attachment_name({.driver = "driver", .handle = "handle"}, "node"),
            "csi-fdef298eb16db6fa42906ef1ff09a93a7f3028f8290cc9d71628ff91c237bfa7");
  EXPECT_EQ(unique_volume_name({.driver = "driver", .handle = "handle"}),
            "kubernetes.io/csi/driver^handle");
}

}  // namespace
}  // namespace proa::controllers::storage
