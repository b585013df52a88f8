#include "profile/heap_profile.h"

#include <gtest/gtest.h>

namespace proa::profile {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};

TEST(HeapDump, IsScaledToAllAllocations) {
  const auto profile = read_heap_dump(
      "heap_v2/524288\n"
      "  t*: 5: 1052672 [0: 0]\n"
      "  t0: 5: 1052672 [0: 0]\n"
      "@ 0x1001 0x2001\n"
      "  t*: 4: 4096 [0: 0]\n"
      "  t0: 4: 4096 [0: 0]\n"
      "@ 0x3001\n"
      "  t*: 1: 104857600 [0: 0]\n"
      "@ 0x4001\n"
      "  t*: 0: 0 [7: 70]\n"
      "\n"
      "MAPPED_LIBRARIES:\n"
      "@ 0x5001\n"
      "  t*: 1: 1 [0: 0]\n",
      kNow);
  ASSERT_TRUE(profile.ok()) << profile.status().message();
  EXPECT_EQ(profile->period, 524288);
  EXPECT_EQ(profile->types.at(1).type, "inuse_space");
  ASSERT_EQ(profile->samples.size(), 2u);
  EXPECT_EQ(profile->samples[0].stack, (std::vector<uint64_t>{0x1000, 0x2000}));
  // Four of 1 kB were sampled, of which one in 512 is.
  EXPECT_NEAR(static_cast<double>(profile->samples[0].values[0]), 4 * 512.5, 1);
  EXPECT_NEAR(static_cast<double>(profile->samples[0].values[1]), 1024 * 4 * 512.5, 1024);
  // What is much larger than the distance of samples is always sampled.
  EXPECT_EQ(profile->samples[1].values, (std::vector<int64_t>{1, 104857600}));
}

TEST(HeapDump, OtherTextsAreRefused) {
  for (const char* text : {"", "heap_v2/", "heap_v2/0\n", "heap profile: 1: 2", "heap_v2/-5\n"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(read_heap_dump(text, kNow).is(Reason::kInvalid));
  }
  const auto cut =
      read_heap_dump("heap_v2/1024\n@ 0x1 zz\n  t*: 9223372036854775807: 1\n@ 0x5", kNow);
  ASSERT_TRUE(cut.ok());
  EXPECT_LE(cut->samples.size(), 1u);
}

// The tests have another allocator, or jemalloc as it is by default.
TEST(HeapProfile, SaysWhyThereIsNone) {
  const auto dump = dump_heap();
  ASSERT_TRUE(dump.is(Reason::kServiceUnavailable));
  EXPECT_TRUE(dump.status().message().starts_with("heap profiling is not available: "));
  EXPECT_FALSE(collect_heap_profile(SystemClock()).ok());
}

}  // namespace
}  // namespace proa::profile
