#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace proa {
namespace random_test {

TEST(Random, RepeatsForTheSameSeed) {
  SeededRandom a(7);
  SeededRandom b(7);
  SeededRandom c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t number = a.next();
    EXPECT_EQ(number, b.next());
    differs |= number != c.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, StaysBelowItsBoundAndReachesAllOfIt) {
  SeededRandom random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(*seen.rbegin(), 6U);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
}

TEST(Random, SystemFillsEveryByte) {
  SystemRandom random;
  std::array<unsigned char, 64> zeros{};
  std::array<bool, 64> touched{};
  for (int round = 0; round < 20; ++round) {
    auto bytes = zeros;
    random.fill(bytes);
    for (size_t i = 0; i < bytes.size(); ++i) touched[i] = touched[i] || bytes[i] != 0;
  }
  for (const bool byte : touched) EXPECT_TRUE(byte);
}

TEST(Uid, IsARandomUuid) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uid = make_uid(random);
    ASSERT_EQ(uid.size(), 36U);
    for (const size_t dash : {8, 13, 18, 23}) EXPECT_EQ(uid[dash], '-');
    EXPECT_EQ(uid[14], '4');
    EXPECT_NE(std::string("89ab").find(uid[19]), std::string::npos);
    EXPECT_EQ(uid.find_first_not_of("0123456789abcdef-"), std::string::npos);
    EXPECT_TRUE(seen.insert(uid).second);
  }
}

TEST(Suffix, HasNoVowels) {
  SystemRandom random;
  const std::string suffix = make_suffix(random, 1000);
  EXPECT_EQ(suffix.size(), 1000U);
  EXPECT_EQ(suffix.find_first_of("aeiouy013"), std::string::npos);
  EXPECT_EQ(make_suffix(random, 0), "");
}

}  // namespace random_test
}  // namespace proa
