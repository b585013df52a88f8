#include "apiserver/access/tokens/keys.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "testkit/crypto/test_key.h"

namespace proa::apiserver {
namespace {

std::unique_ptr<const TokenKey> read(std::string_view pem) {
  auto key = TokenKey::read(pem);
  CHECK(key.ok());
  return std::move(*key);
}

TEST(TokenKey, SignsWithTheAlgorithmOfItsKind) {
  struct Case {
    std::string_view algorithm;
    std::string pem;
    size_t signature_bytes;
  };
  const Case cases[] = {
      {"ES256", make_token_key().private_key, 64},
      {"ES384", crypto::make_private_key_pem("P-384"), 96},
      {"ES512", crypto::make_private_key_pem("P-521"), 132},
      {"RS256", crypto::make_private_key_pem("RSA-2048"), 256},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.algorithm);
    const auto key = read(c.pem);
    EXPECT_EQ(key->algorithm(), c.algorithm);
    EXPECT_TRUE(key->can_sign());
    // Numbers with leading zeros occur about once in 256 signatures.
    for (int i = 0; i < 20; ++i) {
      const std::string text = "text " + std::to_string(i);
      std::string signature = key->sign(text).value();
      EXPECT_EQ(signature.size(), c.signature_bytes);
      EXPECT_TRUE(key->verify(text, signature));
      EXPECT_FALSE(key->verify(text + "!", signature));
      EXPECT_FALSE(key->verify(text, signature.substr(1)));
      EXPECT_FALSE(key->verify(text, signature + '\0'));
      signature[signature.size() / 2] ^= 1;
      EXPECT_FALSE(key->verify(text, signature));
    }
    EXPECT_FALSE(key->verify("text", ""));
    EXPECT_FALSE(key->verify("text", std::string(c.signature_bytes, '\0')));
    EXPECT_FALSE(key->verify("text", std::string(c.signature_bytes, '\xff')));
  }
}

TEST(TokenKey, IsKnownByItsPublicHalf) {
  const auto both = read(make_token_key().private_key);
  const auto half = read(both->public_key().pem());
  EXPECT_FALSE(half->can_sign());
  EXPECT_EQ(half->id(), both->id());
  EXPECT_EQ(both->id().size(), 43u);
  EXPECT_TRUE(half->verify("a", both->sign("a").value()));
  const auto other = read(make_token_key().private_key);
  EXPECT_NE(other->id(), both->id());
  EXPECT_FALSE(other->verify("a", both->sign("a").value()));
}

TEST(TokenKey, RefusesWhatIsNoKeyOfItsKinds) {
  const std::string good = make_token_key().private_key;
  for (const std::string& pem :
       {std::string(), std::string("garbage"), good.substr(0, good.size() / 2),
        crypto::make_private_key_pem("RSA-1024"), crypto::make_private_key_pem("secp256k1"),
        crypto::make_private_key_pem("Ed25519")}) {
    EXPECT_TRUE(TokenKey::read(pem).is(Reason::kInvalid)) << pem;
  }
}

}  // namespace
}  // namespace proa::apiserver
