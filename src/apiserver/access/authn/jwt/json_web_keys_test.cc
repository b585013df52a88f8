#include "apiserver/access/authn/jwt/json_web_keys.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "testkit/crypto/test_key.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kText = "header.claims";

JsonWebKeys keys_of(const std::vector<std::string>& written) {
  return JsonWebKeys::parse(crypto::key_set(written)).value();
}

TokenSignature signed_by(const crypto::TestKey& key, const std::string& algorithm) {
  return {.algorithm = algorithm,
          .key_id = key.id(),
          .text = kText,
          .bytes = key.sign(algorithm, kText)};
}

TEST(JsonWebKeys, VerifyEachAlgorithm) {
  const std::map<std::string, crypto::TestKey> keys = {
      {"ES256", crypto::TestKey::ecdsa("p256", "P-256")},
      {"ES384", crypto::TestKey::ecdsa("p384", "P-384")},
      {"ES512", crypto::TestKey::ecdsa("p521", "P-521")},
      {"PS256", crypto::TestKey::rsa("rsa")},
      {"PS384", crypto::TestKey::rsa("rsa")},
      {"PS512", crypto::TestKey::rsa("rsa")},
      {"RS256", crypto::TestKey::rsa("rsa")},
      {"RS384", crypto::TestKey::rsa("rsa")},
      {"RS512", crypto::TestKey::rsa("rsa")}};
  ASSERT_EQ(keys.size(), crypto::algorithm_names().size());
  for (const std::string_view name : crypto::algorithm_names()) {
    SCOPED_TRACE(name);
    const crypto::TestKey& key = keys.at(std::string(name));
    const JsonWebKeys read = keys_of({key.public_json()});
    TokenSignature signature = signed_by(key, std::string(name));
    EXPECT_TRUE(read.verify(signature));
    signature.text = "header.claimt";
    EXPECT_FALSE(read.verify(signature));
    signature.text = kText;
    signature.bytes.back() ^= 1;
    EXPECT_FALSE(read.verify(signature));
  }
}

TEST(JsonWebKeys, NeverTakeOneAlgorithmForAnother) {
  const crypto::TestKey rsa = crypto::TestKey::rsa("k");
  const crypto::TestKey p256 = crypto::TestKey::ecdsa("k", "P-256");
  const crypto::TestKey p384 = crypto::TestKey::ecdsa("k", "P-384");
  const JsonWebKeys read = keys_of({rsa.public_json(), p256.public_json(), p384.public_json()});
  for (const std::string made : {"RS256", "PS256"}) {
    for (const std::string_view claimed : crypto::algorithm_names()) {
      SCOPED_TRACE(made + " as " + std::string(claimed));
      TokenSignature signature = signed_by(rsa, made);
      signature.algorithm = claimed;
      EXPECT_EQ(read.verify(signature), claimed == made);
    }
  }
  for (const std::string_view claimed : crypto::algorithm_names()) {
    SCOPED_TRACE("ES256 as " + std::string(claimed));
    TokenSignature signature = signed_by(p256, "ES256");
    signature.algorithm = claimed;
    EXPECT_EQ(read.verify(signature), claimed == "ES256");
  }
  // The curve belongs to the algorithm, whatever hash was signed.
  TokenSignature other_curve = signed_by(p384, "ES256");
  EXPECT_FALSE(read.verify(other_curve));
  for (const std::string claimed : {"none", "None", "", "HS256", "EdDSA", "rs256", "RS256 "}) {
    SCOPED_TRACE(claimed);
    TokenSignature signature = signed_by(rsa, "RS256");
    signature.algorithm = claimed;
    EXPECT_FALSE(read.verify(signature));
    signature.bytes.clear();
    EXPECT_FALSE(read.verify(signature));
  }
}

TEST(JsonWebKeys, RefuseSignaturesOfAnySize) {
  const crypto::TestKey rsa = crypto::TestKey::rsa("k");
  const crypto::TestKey ecdsa = crypto::TestKey::ecdsa("k");
  const JsonWebKeys read = keys_of({rsa.public_json(), ecdsa.public_json()});
  for (const size_t size : {0, 1, 31, 32, 63, 64, 65, 132, 255, 256, 257, 4096}) {
    for (const char fill : {'\0', '\x01', '\xff'}) {
      for (const std::string_view name : crypto::algorithm_names()) {
        const TokenSignature signature{.algorithm = std::string(name),
                                       .key_id = "k",
                                       .text = kText,
                                       .bytes = std::string(size, fill)};
        EXPECT_FALSE(read.verify(signature)) << name << " " << size;
      }
    }
  }
}

TEST(JsonWebKeys, UseTheKeyThatIsNamed) {
  const crypto::TestKey one = crypto::TestKey::ecdsa("one");
  const crypto::TestKey two = crypto::TestKey::ecdsa("two");
  const JsonWebKeys read = keys_of({one.public_json(), two.public_json()});
  EXPECT_TRUE(read.has("one"));
  EXPECT_FALSE(read.has("three"));
  TokenSignature signature = signed_by(two, "ES256");
  EXPECT_TRUE(read.verify(signature));
  signature.key_id = "one";
  EXPECT_FALSE(read.verify(signature));
  signature.key_id = "";
  EXPECT_TRUE(read.verify(signature));
}

TEST(JsonWebKeys, UseAKeyOnlyForItsAlgorithm) {
  const crypto::TestKey key = crypto::TestKey::rsa("k");
  const JsonWebKeys read = keys_of({key.public_json(R"(,"alg":"RS256","use":"sig")")});
  EXPECT_EQ(read.size(), 1u);
  EXPECT_TRUE(read.verify(signed_by(key, "RS256")));
  EXPECT_FALSE(read.verify(signed_by(key, "RS512")));
  EXPECT_FALSE(read.verify(signed_by(key, "PS256")));
}

TEST(JsonWebKeys, LeaveOutWhatIsOfNoUse) {
  const crypto::TestKey good = crypto::TestKey::ecdsa("good");
  const crypto::TestKey rsa = crypto::TestKey::rsa("rsa");
  const std::string n(342, 'A');
  const std::vector<std::string> useless = {
      "{}",
      "7",
      "null",
      R"("text")",
      R"({"kty":"oct","kid":"x","k":"c2VjcmV0"})",
      R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
      R"({"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"})",
      R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})",
      R"({"kty":"EC","crv":"","x":"AA","y":"AA"})",
      R"({"kty":"EC","crv":7})",
      R"({"kty":"RSA","n":"AQAB","e":"AQAB"})",
      R"({"kty":"RSA","e":"AQAB"})",
      R"({"kty":"RSA","n":"%%%","e":"AQAB"})",
      R"({"kty":"RSA","n":")" + n + R"(","e":"AQAB"})",
      good.public_json(R"(,"use":"enc")"),
      good.public_json(R"(,"alg":"ES384")"),
      good.public_json(R"(,"alg":"RS256")"),
      good.public_json(R"(,"alg":"HS256")"),
      good.public_json(R"(,"d":"c2VjcmV0")"),
      rsa.public_json(R"(,"alg":"RSA-OAEP")"),
      rsa.public_json(R"(,"e":"AQ")"),              // 1
      rsa.public_json(R"(,"e":"BA")"),              // even
      rsa.public_json(R"(,"e":"AQAAAAAAAAAAAQ")"),  // large
      crypto::TestKey::rsa("short", 0, 1024).public_json(),
  };
  for (const std::string& written : useless) {
    SCOPED_TRACE(written);
    const JsonWebKeys read = keys_of({written, good.public_json()});
    EXPECT_EQ(read.size(), 1u);
    EXPECT_TRUE(read.verify(signed_by(good, "ES256")));
  }
}

TEST(JsonWebKeys, RefusePointsThatAreNotOnTheCurve) {
  const std::string x = to_base64_url(std::string(32, '\x07'));
  EXPECT_EQ(keys_of({R"({"kty":"EC","crv":"P-256","x":")" + x + R"(","y":")" + x + R"("})"}).size(),
            0u);
  const std::string zero = to_base64_url(std::string(32, '\0'));
  EXPECT_EQ(
      keys_of({R"({"kty":"EC","crv":"P-256","x":")" + zero + R"(","y":")" + zero + R"("})"}).size(),
      0u);
}

TEST(JsonWebKeys, RefuseDocumentsThatAreNone) {
  for (const std::string text :
       {"", "[]", "null", "{}", R"({"keys":{}})", R"({"keys":null})", "<html>"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(JsonWebKeys::parse(text).ok());
  }
  EXPECT_EQ(JsonWebKeys::parse(R"({"keys":[]})").value().size(), 0u);
  EXPECT_FALSE(JsonWebKeys::parse(crypto::key_set(std::vector<std::string>(257, "{}"))).ok());
}

}  // namespace
}  // namespace proa::apiserver
