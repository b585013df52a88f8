#include "apiserver/access/authn/jwt/signed_token.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "base/encoding.h"

namespace proa::apiserver {
namespace {

std::string token_of(const std::string& header, const std::string& claims,
                     const std::string& signature = "signature") {
  return to_base64_url(header) + "." + to_base64_url(claims) + "." + to_base64_url(signature);
}

TEST(SignedToken, IsTakenApart) {
  const std::string token =
      token_of(R"({"alg":"RS256","kid":"k"})", R"({"iss":"https://a","sub":"jane"})");
  const std::optional<UntrustedToken> read = read_untrusted(token);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->issuer, "https://a");
  EXPECT_EQ(api::View(read->claims.root())["sub"].text(), "jane");
  const Result<TokenSignature> signature = read_signature(token);
  ASSERT_TRUE(signature.ok());
  EXPECT_EQ(signature->algorithm, "RS256");
  EXPECT_EQ(signature->key_id, "k");
  EXPECT_EQ(signature->bytes, "signature");
  EXPECT_EQ(signature->text, token.substr(0, token.rfind('.')));
}

TEST(SignedToken, NeedsNoKeyIdAndNoExtensions) {
  for (const char* header :
       {R"({"alg":"RS256"})", R"({"alg":"RS256","kid":""})",
        R"({"alg":"RS256","kid":null,"crit":null})", R"({"alg":"RS256","crit":[]})"}) {
    SCOPED_TRACE(header);
    const std::string token = token_of(header, "{}");
    const Result<TokenSignature> signature = read_signature(token);
    ASSERT_TRUE(signature.ok());
    EXPECT_EQ(signature->key_id, "");
  }
}

TEST(SignedToken, KnowsBothNamesOfGoogle) {
  EXPECT_EQ(read_untrusted(token_of("{}", R"({"iss":"accounts.google.com"})"))->issuer,
            "https://accounts.google.com");
}

TEST(SignedToken, IsNoneOfTheseTexts) {
  const std::string claims = to_base64_url(R"({"iss":"https://a"})");
  for (const std::string& text : std::vector<std::string>{
           "",
           ".",
           "..",
           "...",
           "opaque",
           "a." + claims,
           "a." + claims + ".b.c",
           R"({"payload":"..","signatures":[]})",
           "a.%%%.b",
           "a." + claims + "=.b",
           "a." + to_base64_url("[]") + ".b",
           "a." + to_base64_url("null") + ".b",
           "a." + to_base64_url(R"({"iss":"a","iss":"https://b"})") + ".b",
           "a." + to_base64_url(R"({"iss":"a"}{})") + ".b",
           "a." + to_base64_url(std::string(200, '[') + std::string(200, ']')) + ".b",
           "a." + to_base64_url(std::string(70'000, ' ')) + ".b",
       }) {
    SCOPED_TRACE(text.substr(0, 80));
    EXPECT_FALSE(read_untrusted(text).has_value());
  }
}

TEST(SignedToken, MayHaveAnyIssuerOrNone) {
  EXPECT_EQ(read_untrusted(token_of("{}", "{}"))->issuer, "");
  EXPECT_EQ(read_untrusted(token_of("{}", R"({"iss":7})"))->issuer, "");
  EXPECT_EQ(read_untrusted(token_of("{}", R"({"iss":null})"))->issuer, "");
}

TEST(SignedToken, HasNoSignatureThatCannotBeRead) {
  const std::string claims = R"({"iss":"canary"})";
  for (const std::string& token : std::vector<std::string>{
           token_of("", claims),
           token_of("[]", claims),
           token_of("canary", claims),
           token_of(R"({"alg":7})", claims),
           token_of(R"({"alg":null})", claims),
           token_of(R"({"alg":"canary-canary-canary"})", claims),
           token_of(R"({"alg":"RS256","kid":{}})", claims),
           token_of(R"({"alg":"none","alg":"RS256"})", claims),
           token_of(R"({"alg":"RS256","crit":["exp"],"exp":1})", claims),
           token_of(R"({"alg":"RS256","kid":7})", claims),
           token_of(R"({"alg":"RS256","crit":7})", claims),
           to_base64_url(R"({"alg":"RS256"})") + "." + to_base64_url(claims) + ".%%%",
       }) {
    SCOPED_TRACE(token);
    ASSERT_TRUE(read_untrusted(token).has_value());
    const Result<TokenSignature> signature = read_signature(token);
    ASSERT_TRUE(signature.is(Reason::kUnauthorized));
    EXPECT_EQ(signature.status().message().find("canary"), std::string::npos);
  }
}

}  // namespace
}  // namespace proa::apiserver
