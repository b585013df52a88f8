#include "scheduler/plugins/resources/room_hints.h"

#include <gtest/gtest.h>

#include <optional>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::Pairs;
using testkit::PodBuilder;

TEST(RoomHints, NameEventsThatMakeRoom) {
  uint32_t node = 0, assigned = 0;
  for (const EventInterest& interest : room_events()) {
    if (interest.resource == EventResource::kNode) node = interest.actions;
    if (interest.resource == EventResource::kAssignedPod) assigned = interest.actions;
  }
  EXPECT_EQ(node, action::kAdd | action::kUpdateNodeAllocatable);
  EXPECT_EQ(assigned, action::kDelete | action::kUpdatePodScaleDown);
}

TEST(RoomHints, KnowWhichPodsMayHelp) {
  const auto other = [](const Pairs& amounts) { return make_pod("other").request(amounts); };
  struct Case {
    const char* name;
    PodBuilder before;
    std::optional<PodBuilder> after;
    bool helps;
  };
  const Case cases[] = {
      {"one goes that ran", other({{"cpu", "1"}}).node("n"), std::nullopt, true},
      {"one goes that was to run", other({{"cpu", "1"}}).nominated("n"), std::nullopt, true},
      {"one goes that only waited", other({{"cpu", "1"}}), std::nullopt, false},
      {"one takes less", other({{"cpu", "2"}}).node("n"), other({{"cpu", "1"}}).node("n"), true},
      {"one that waits takes less", other({{"cpu", "2"}}), other({{"cpu", "1"}}), false},
      {"less of something else", other({{"memory", "2"}}).node("n"),
       other({{"memory", "1"}}).node("n"), false},
      {"less of a device", other({{"a.com/x", "2"}}).node("n"), other({{"a.com/x", "1"}}).node("n"),
       true},
      {"less as a whole", make_pod("other").pod_request({{"cpu", "2"}}).node("n"),
       make_pod("other").pod_request({{"cpu", "1"}}).node("n"), true},
      {"the pod itself asks for less", make_pod("waiting").request({{"cpu", "2"}}),
       make_pod("waiting").request({{"cpu", "1"}}), true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PodReader reader;
    const PodPtr waiting =
        reader.read(make_pod("waiting").request({{"cpu", "1"}, {"a.com/x", "1"}}).object());
    const PodPtr before = reader.read(c.before.object());
    const PodPtr after = c.after ? reader.read(c.after->object()) : nullptr;
    const ClusterEvent event{
        .resource = EventResource::kAssignedPod,
        .action = after == nullptr ? action::kDelete : action::kUpdatePodScaleDown,
        .old_pod = before.get(),
        .new_pod = after.get()};
    EXPECT_EQ(may_make_room(*waiting, event), c.helps);
  }
}

TEST(RoomHints, KnowWhichNodesMayHelp) {
  struct Case {
    const char* name;
    std::optional<Pairs> before;
    Pairs after;
    bool helps;
  };
  const Case cases[] = {
      {"a node that is too small", std::nullopt, {{"memory", "1"}, {"a.com/x", "2"}}, false},
      {"a node without the device", std::nullopt, {{"memory", "4"}, {"b.com/x", "2"}}, false},
      {"a node with both", std::nullopt, {{"memory", "4"}, {"a.com/x", "2"}}, true},
      {"a node that takes no pods",
       std::nullopt,
       {{"memory", "4"}, {"a.com/x", "2"}, {"pods", "0"}},
       false},
      {"less, and more of something else",
       Pairs{{"memory", "2"}, {"a.com/x", "2"}},
       {{"memory", "2"}, {"a.com/x", "1"}, {"b.com/x", "2"}},
       false},
      {"more of the device",
       Pairs{{"memory", "2"}, {"a.com/x", "1"}},
       {{"memory", "2"}, {"a.com/x", "2"}},
       true},
      {"more memory than before",
       Pairs{{"memory", "1"}, {"a.com/x", "2"}},
       {{"memory", "4"}, {"a.com/x", "2"}},
       true},
      {"more pods",
       Pairs{{"memory", "4"}, {"a.com/x", "2"}},
       {{"memory", "4"}, {"a.com/x", "2"}, {"pods", "33"}},
       true},
      {"too small now",
       Pairs{{"memory", "4"}, {"a.com/x", "2"}},
       {{"memory", "1"}, {"a.com/x", "3"}},
       false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PodReader reader;
    const PodPtr waiting =
        reader.read(make_pod("waiting").request({{"memory", "2"}, {"a.com/x", "1"}}).object());
    const auto facts = [](const Pairs& amounts) {
      return read_node(make_node("n").capacity({{"pods", "32"}}).capacity(amounts).object());
    };
    const NodeFacts after = facts(c.after);
    const std::optional<NodeFacts> before =
        c.before ? std::optional(facts(*c.before)) : std::nullopt;
    const ClusterEvent event{.resource = EventResource::kNode,
                             .action = before ? action::kUpdateNodeAllocatable : action::kAdd,
                             .old_node = before ? &*before : nullptr,
                             .new_node = &after};
    EXPECT_EQ(may_make_room(*waiting, event), c.helps);
  }
}

}  // namespace
}  // namespace proa::scheduler
