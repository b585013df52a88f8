#include "proxy/nftables/sticky_ids.h"

#include <gtest/gtest.h>

#include <set>

namespace proa::proxy::nftables {
namespace {

ServicePortName name_of(int number) {
  return {.name_space = "default", .service = "s" + std::to_string(number), .port = "http"};
}

TEST(StickyIds, AreTheSameAfterARestart) {
  StickyIds ids;
  const uint32_t first = ids.take(name_of(1));
  EXPECT_NE(first, 0U);
  EXPECT_EQ(first % 4, 0U);
  EXPECT_EQ(ids.of(name_of(1)), first);
  ids.give_back(name_of(1));
  ids.take(name_of(2));
  EXPECT_EQ(ids.take(name_of(1)), first);
  StickyIds others;
  EXPECT_EQ(others.take(name_of(1)), first);
}

// With 30 bits, among this many some digests are the same.
TEST(StickyIds, AreUnique) {
  constexpr int kMany = 150'000;
  StickyIds ids;
  std::set<uint32_t> seen;
  for (int i = 0; i < kMany; ++i) seen.insert(ids.take(name_of(i)));
  EXPECT_EQ(seen.size(), static_cast<size_t>(kMany));
}

}  // namespace
}  // namespace proa::proxy::nftables
