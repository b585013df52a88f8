#include "apiserver/access/tokens/keys.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>

#include "http/net/openssl.h"

namespace proa::apiserver {
namespace {

// As PEM, by what OpenSSL's makers of keys return.
std::string text_of(EVP_PKEY* made) {
  const http::openssl::KeyPointer key(made);
  CHECK(key != nullptr);
  const http::openssl::BioPointer bio(BIO_new(BIO_s_mem()));
  CHECK(PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

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
      {"ES256", make_token_key()->private_key, 64},
      {"ES384", text_of(EVP_EC_gen("P-384")), 96},
      {"ES512", text_of(EVP_EC_gen("P-521")), 132},
      {"RS256", text_of(EVP_RSA_gen(2048)), 256},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.algorithm);
    const auto key = read(c.pem);
    EXPECT_EQ(key->algorithm(), c.algorithm);
    EXPECT_TRUE(key->can_sign());
    // Numbers that start with zeros come about once in 256 signatures.
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
  const auto both = read(make_token_key()->private_key);
  const auto half = read(both->public_key());
  EXPECT_FALSE(half->can_sign());
  EXPECT_EQ(half->id(), both->id());
  EXPECT_EQ(both->id().size(), 43u);
  EXPECT_TRUE(half->verify("a", both->sign("a").value()));
  const auto other = read(make_token_key()->private_key);
  EXPECT_NE(other->id(), both->id());
  EXPECT_FALSE(other->verify("a", both->sign("a").value()));
}

TEST(TokenKey, RefusesWhatIsNoKeyOfItsKinds) {
  const std::string good = make_token_key()->private_key;
  for (const std::string& pem :
       {std::string(), std::string("garbage"), good.substr(0, good.size() / 2),
        text_of(EVP_RSA_gen(1024)), text_of(EVP_EC_gen("secp256k1")),
        text_of(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))}) {
    EXPECT_TRUE(TokenKey::read(pem).is(Reason::kInvalid)) << pem;
  }
}

}  // namespace
}  // namespace proa::apiserver
