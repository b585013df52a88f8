#include "crypto/x25519.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace proa::crypto {
namespace {

X25519Key from_hex_text(std::string_view text) {
  X25519Key key{};
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<uint8_t>(std::stoi(std::string(text.substr(2 * i, 2)), nullptr, 16));
  }
  return key;
}

TEST(X25519, IsWhatTheStandardSays) {
  // RFC 7748, 5.2: after one iteration.
  X25519Key nine{9};
  EXPECT_EQ(x25519_public_key(nine).value(),
            from_hex_text("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"));
}

TEST(X25519, NewKeysHaveTheBitsOfTheCurve) {
  SystemRandom random;
  const X25519Key key = new_x25519_key(random);
  EXPECT_EQ(key[0] & 7, 0);
  EXPECT_EQ(key[31] & 192, 64);
  EXPECT_NE(key, new_x25519_key(random));
}

}  // namespace
}  // namespace proa::crypto
