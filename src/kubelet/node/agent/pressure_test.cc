#include "kubelet/node/agent/pressure.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace pressure_test {

DiskSpace disk(int64_t available, int64_t inodes_free) {
  return {.capacity = 1000, .available = available, .inodes = 1000, .inodes_free = inodes_free};
}

}  // namespace pressure_test

TEST(PressuresOf, FollowUpstreamsBounds) {
  using pressure_test::disk;
  struct Case {
    const char* name;
    Measured measured;
    Pressures expected;
  };
  const Case cases[] = {
      {"nothing known", {}, {}},
      {"enough memory", {.available_memory = kLeastMemory}, {}},
      {"too little memory", {.available_memory = kLeastMemory - 1}, {.memory = true}},
      {"a tenth of the disk", {.node_disk = disk(101, 1000)}, {}},
      {"less than a tenth", {.node_disk = disk(99, 1000)}, {.disk = true}},
      {"few inodes", {.node_disk = disk(500, 49)}, {.disk = true}},
      {"enough inodes", {.node_disk = disk(500, 51)}, {}},
      {"images want more", {.image_disk = disk(149, 1000)}, {.disk = true}},
      {"images have enough", {.image_disk = disk(151, 1000)}, {}},
      {"no inodes are counted", {.node_disk = DiskSpace{.capacity = 10, .available = 9}}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(pressures_of(c.measured), c.expected);
  }
}

TEST(PressureMemory, KeepsAConditionForFiveMinutes) {
  PressureMemory memory;
  Steady now{std::chrono::hours(1)};
  EXPECT_EQ(memory.update({}, now), Pressures{});
  EXPECT_TRUE(memory.update({.memory = true}, now).memory);
  now += std::chrono::minutes(4);
  EXPECT_TRUE(memory.update({}, now).memory);
  EXPECT_FALSE(memory.update({}, now).disk);
  now += std::chrono::minutes(1);
  EXPECT_FALSE(memory.update({}, now).memory);
}

}  // namespace proa::kubelet
