#include "dns/forward/upstream/loop_probes.h"

#include <gtest/gtest.h>

namespace proa::dns {
namespace {

TEST(LoopProbes, RecognizeTheirNamesOnly) {
  SeededRandom random(1);
  LoopProbes probes(random);
  const Name zone = *Name::parse("corp.example");
  Question question{.name = probes.begin(zone, 5), .type = LoopProbes::kType};
  EXPECT_TRUE(question.name.view().within(zone));
  EXPECT_FALSE(probes.came_back(5));
  EXPECT_EQ(probes.saw({.name = zone, .type = LoopProbes::kType}), std::nullopt);
  EXPECT_EQ(probes.saw({.name = question.name, .type = Type::kA}), std::nullopt);
  EXPECT_FALSE(probes.came_back(5));
  EXPECT_EQ(probes.saw(question), 5u);
  EXPECT_TRUE(probes.came_back(5));
  // A new probe begins without knowledge, under another name.
  const Name next = probes.begin(zone, 5);
  EXPECT_FALSE(next == question.name);
  EXPECT_FALSE(probes.came_back(5));
  EXPECT_EQ(probes.saw(question), std::nullopt);
  question.name = next;
  probes.forget(5);
  EXPECT_EQ(probes.saw(question), std::nullopt);
}

TEST(LoopProbes, HaveNoRoomInAVeryLongZone) {
  SeededRandom random(1);
  LoopProbes probes(random);
  Name zone;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(zone.append(std::string(58, 'a')));
  EXPECT_TRUE(probes.begin(zone, 1).view().is_root());
}

}  // namespace
}  // namespace proa::dns
