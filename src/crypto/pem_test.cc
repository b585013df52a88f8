#include "crypto/pem.h"

#include <gtest/gtest.h>

namespace proa::crypto {

TEST(PemBlocks, AreFoundOneAfterTheOther) {
  std::string_view text =
      "words\n-----BEGIN A-----\nMAA=\n-----END A-----\n"
      "-----BEGIN BROKEN-----\n!\n-----END BROKEN-----\n"
      "-----BEGIN B C-----\nName: value\n\nTU\nFB\n-----END B C-----\nrest";
  const auto first = next_pem_block(text);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->type, "A");
  EXPECT_FALSE(first->has_headers);
  EXPECT_TRUE(first->is_sequence());
  const auto second = next_pem_block(text);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->type, "B C");
  EXPECT_TRUE(second->has_headers);
  EXPECT_EQ(second->bytes, "MAA");
  EXPECT_FALSE(second->is_sequence());
  EXPECT_FALSE(next_pem_block(text).has_value());
}

// Each beginning searched to the end of the text would take minutes.
TEST(PemBlocks, AreFoundAfterManyBeginnings) {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "-----BEGIN X" + std::to_string(i) + "-----\n";
  text += "-----BEGIN A-----\nMAA=\n-----END A-----\n-----END X0-----\n";
  std::string_view rest = text;
  const auto found = next_pem_block(rest);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->type, "A");
  EXPECT_FALSE(next_pem_block(rest).has_value());
}

TEST(PemBlocks, HaveTheLengthThatTheySay) {
  const auto sequence = [](std::string bytes) {
    return PemBlock{.bytes = std::move(bytes)}.is_sequence();
  };
  EXPECT_TRUE(sequence(std::string("\x30\x01x", 3)));
  EXPECT_TRUE(sequence("\x30\x81\x80" + std::string(0x80, 'x')));
  EXPECT_TRUE(sequence("\x30\x82\x01\x02" + std::string(0x102, 'x')));
  EXPECT_FALSE(sequence(std::string("\x30\x02x", 3)));
  EXPECT_FALSE(sequence(std::string("\x30\x80", 2)));
  EXPECT_FALSE(sequence("\x30\x85\x01\x01\x01\x01\x01"));
  EXPECT_FALSE(sequence("\x31\x01x"));
  EXPECT_FALSE(sequence(""));
}

}  // namespace proa::crypto
