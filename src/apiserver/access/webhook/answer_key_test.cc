#include "apiserver/access/webhook/answer_key.h"

#include <gtest/gtest.h>

#include <vector>

namespace proa::apiserver {
namespace {

std::string key_of(const AnswerKeys& keys, const std::vector<std::string_view>& parts) {
  return keys.of(parts);
}

TEST(AnswerKeys, DifferWhereverThePartsDiffer) {
  SeededRandom random(1);
  const AnswerKeys keys(random);
  EXPECT_EQ(key_of(keys, {"ab", "c"}), key_of(keys, {"ab", "c"}));
  EXPECT_NE(key_of(keys, {"ab", "c"}), key_of(keys, {"a", "bc"}));
  EXPECT_NE(key_of(keys, {"ab", "c"}), key_of(keys, {"abc"}));
  EXPECT_NE(key_of(keys, {"a"}), key_of(keys, {"a", ""}));
  EXPECT_NE(key_of(keys, {"1:a"}), key_of(keys, {"", "a"}));
  EXPECT_EQ(key_of(keys, {}).size(), 32u);
}

TEST(AnswerKeys, AreSecret) {
  SeededRandom random(1);
  const AnswerKeys some(random);
  const AnswerKeys others(random);
  EXPECT_NE(key_of(some, {"token"}), key_of(others, {"token"}));
  EXPECT_EQ(key_of(some, {"token"}).find("token"), std::string::npos);
}

}  // namespace
}  // namespace proa::apiserver
