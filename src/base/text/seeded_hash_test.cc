#include "base/text/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace proa {
namespace {

TEST(SeededHash, EqualTextsHaveEqualHashes) {
  const std::string text = "a text of more than eight bytes";
  EXPECT_EQ(seeded_hash(text), seeded_hash(std::string(text)));
  EXPECT_EQ(SeededHash()(""), seeded_hash({}));
}

TEST(SeededHash, TextsThatDifferALittleDoNotCollide) {
  std::set<uint64_t> found;
  for (int i = 0; i < 10'000; ++i) found.insert(seeded_hash("key-" + std::to_string(i)));
  for (size_t zeros = 1; zeros < 40; ++zeros) found.insert(seeded_hash(std::string(zeros, '\0')));
  EXPECT_EQ(found.size(), 10'039U);
}

}  // namespace
}  // namespace proa
