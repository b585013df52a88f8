#include "crypto/signature.h"

#include <gtest/gtest.h>

#include "testkit/crypto/test_key.h"

namespace proa::crypto {

TEST(Signature, IsVerifiedByTheKeyThatMadeIt) {
  const struct {
    const char* key;
    std::vector<std::string_view> algorithms;
  } cases[] = {
      {"P-256", {"ES256"}},
      {"P-384", {"ES384"}},
      {"P-521", {"ES512"}},
      {"RSA-2048", {"PS256", "PS384", "PS512", "RS256", "RS384", "RS512"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.key);
    const PrivateKey key = PrivateKey::parse(make_private_key_pem(c.key)).value();
    for (const std::string_view name : algorithm_names()) {
      SCOPED_TRACE(name);
      const SignatureAlgorithm algorithm = algorithm_named(name).value();
      EXPECT_EQ(algorithm_name(algorithm), name);
      const bool expected = std::ranges::find(c.algorithms, name) != c.algorithms.end();
      ASSERT_EQ(fits(key.public_key(), algorithm), expected);
      if (!expected) {
        EXPECT_FALSE(verify(key.public_key(), algorithm, "text", std::string(64, 'x')));
        continue;
      }
      std::string made = sign(key, algorithm, "text").value();
      EXPECT_TRUE(verify(key.public_key(), algorithm, "text", made));
      EXPECT_FALSE(verify(key.public_key(), algorithm, "texT", made));
      EXPECT_FALSE(verify(key.public_key(), algorithm, "text", made + "x"));
      made[3] = static_cast<char>(made[3] ^ 1);
      EXPECT_FALSE(verify(key.public_key(), algorithm, "text", made));
    }
  }
}

TEST(Signature, PrefersOneAlgorithmForAKind) {
  const auto preferred = [](const char* kind) {
    const PrivateKey key = PrivateKey::parse(make_private_key_pem(kind)).value();
    const auto algorithm = preferred_algorithm(key.public_key());
    return algorithm ? algorithm_name(*algorithm) : "none";
  };
  EXPECT_EQ(preferred("P-256"), "ES256");
  EXPECT_EQ(preferred("P-384"), "ES384");
  EXPECT_EQ(preferred("P-521"), "ES512");
  EXPECT_EQ(preferred("RSA-2048"), "RS256");
  EXPECT_EQ(preferred("RSA-1024"), "none");
  EXPECT_EQ(preferred("secp256k1"), "none");
  EXPECT_EQ(preferred("Ed25519"), "none");
  EXPECT_FALSE(algorithm_named("HS256").has_value());
  EXPECT_FALSE(algorithm_named("none").has_value());
}

}  // namespace proa::crypto
