#include "apiserver/access/tokens/service_account_tokens.h"

#include <gtest/gtest.h>

#include "apiserver/access/tokens/jwt.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};
const std::vector<std::string> kHere = {"https://kubernetes.default.svc.cluster.local"};

ServiceAccountClaims some_claims() {
  ServiceAccountClaims claims;
  claims.name_space = "default";
  claims.service_account = {"robot", "u-1"};
  claims.audiences = kHere;
  claims.id = "j-1";
  claims.issued = kNow;
  claims.expires = kNow + std::chrono::hours(1);
  return claims;
}

class ServiceAccountTokensTest : public testing::Test {
 protected:
  static std::unique_ptr<const ServiceAccountTokens> with_keys(std::vector<std::string> keys) {
    ServiceAccountTokens::Options options;
    options.keys = std::move(keys);
    auto tokens = ServiceAccountTokens::make(options);
    CHECK(tokens.ok());
    return std::move(*tokens);
  }

  Result<ServiceAccountClaims> verify(std::string_view token, Time now = kNow) const {
    return tokens_->verify(token, kHere, now);
  }
  // Signed by the right key, with any claims.
  std::string sign(std::string_view claims) const {
    const json::Document document = json::parse(claims).value();
    return sign_jwt(document.root(), *tokens_->keys()[0]).value();
  }
  // `claims` as issued, with a text replaced.
  std::string sign_changed(std::string_view from, std::string_view to) const {
    std::string text = payload_of(tokens_->issue(some_claims()).value());
    const size_t at = text.find(from);
    CHECK(at != std::string::npos);
    return sign(text.replace(at, from.size(), to));
  }

  static std::string payload_of(std::string_view token) {
    return from_base64_url(split(token, '.')[1]).value();
  }

  const TokenKeyText key_ = make_token_key();
  const std::unique_ptr<const ServiceAccountTokens> tokens_ = with_keys({key_.private_key});
};

TEST_F(ServiceAccountTokensTest, SayWhatUpstreamsSay) {
  ServiceAccountClaims claims = some_claims();
  claims.pod = {"web", "u-2"};
  claims.node = {"n1", ""};
  claims.warn_after = kNow + std::chrono::seconds(3607);
  const std::string token = tokens_->issue(claims).value();
  EXPECT_EQ(payload_of(token),
            R"({"aud":["https://kubernetes.default.svc.cluster.local"],"exp":1767369845,)"
            R"("iat":1767366245,"iss":"https://kubernetes.default.svc.cluster.local","jti":"j-1",)"
            R"("kubernetes.io":{"namespace":"default","node":{"name":"n1"},)"
            R"("pod":{"name":"web","uid":"u-2"},"serviceaccount":{"name":"robot","uid":"u-1"},)"
            R"("warnafter":1767369852},"nbf":1767366245,)"
            R"("sub":"system:serviceaccount:default:robot"})");
  EXPECT_EQ(from_base64_url(split(token, '.')[0]).value(),
            R"({"alg":"ES256","kid":")" + tokens_->keys()[0]->id() + "\"}");
}

TEST_F(ServiceAccountTokensTest, AreReadBackAsTheyWereIssued) {
  ServiceAccountClaims bound = some_claims();
  bound.secret = {"s", "u-3"};
  bound.audiences = {"vault", kHere[0]};
  ServiceAccountClaims pod = some_claims();
  pod.pod = {"web", "u-2"};
  pod.node = {"n1", "u-4"};
  pod.warn_after = kNow;
  for (const ServiceAccountClaims& claims : {some_claims(), bound, pod}) {
    const auto read = verify(tokens_->issue(claims).value());
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(*read, claims);
    EXPECT_EQ(read->user_name(), "system:serviceaccount:default:robot");
  }
}

TEST_F(ServiceAccountTokensTest, HaveTheirTime) {
  const std::string token = tokens_->issue(some_claims()).value();
  using std::chrono::seconds;
  EXPECT_TRUE(verify(token, kNow - seconds(60)).ok());
  EXPECT_EQ(verify(token, kNow - seconds(61)).status().message(),
            "service account token is not valid yet");
  EXPECT_TRUE(verify(token, kNow + seconds(3660)).ok());
  EXPECT_EQ(verify(token, kNow + seconds(3661)).status().message(),
            "service account token has expired");
}

TEST_F(ServiceAccountTokensTest, AreForTheirAudience) {
  ServiceAccountClaims claims = some_claims();
  claims.audiences = {"vault"};
  const std::string token = tokens_->issue(claims).value();
  EXPECT_TRUE(verify(token).is(Reason::kUnauthorized));
  const std::vector<std::string> others = {"x", "vault"};
  EXPECT_TRUE(tokens_->verify(token, others, kNow).ok());
  EXPECT_FALSE(tokens_->verify(token, {}, kNow).ok());
}

TEST_F(ServiceAccountTokensTest, CantBeChangedByOneBit) {
  const std::string token = tokens_->issue(some_claims()).value();
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_TRUE(verify(changed).is(Reason::kUnauthorized)) << i;
    EXPECT_TRUE(verify(token.substr(0, i)).is(Reason::kUnauthorized)) << i;
  }
  EXPECT_FALSE(verify(token + "=").ok());
  EXPECT_FALSE(verify(token + ".").ok());
  EXPECT_FALSE(verify("." + token).ok());
  EXPECT_FALSE(verify(" " + token).ok());
}

TEST_F(ServiceAccountTokensTest, CantChooseHowTheyAreChecked) {
  const std::string token = tokens_->issue(some_claims()).value();
  const std::string payload(split(token, '.')[1]);
  const std::string signature(split(token, '.')[2]);
  const auto with_header = [&](const std::string& header, const std::string& proof) {
    return to_base64_url(header) + "." + payload + "." + proof;
  };
  EXPECT_FALSE(verify(with_header(R"({"alg":"none"})", "")).ok());
  EXPECT_FALSE(verify(with_header(R"({"alg":"None"})", signature)).ok());
  EXPECT_FALSE(
      verify(with_header(R"({"kid":")" + tokens_->keys()[0]->id() + "\"}", signature)).ok());
  // The public key must not be accepted as the secret of a MAC.
  for (const std::string& header :
       {std::string(R"({"alg":"HS256"})"),
        R"({"alg":"HS256","kid":")" + tokens_->keys()[0]->id() + "\"}"}) {
    const std::string text = to_base64_url(header) + "." + payload;
    const std::string mac = to_base64_url(crypto::hmac_sha256(key_.public_key, text).view());
    EXPECT_FALSE(verify(text + "." + mac).ok());
  }
  // Validly signed by one of our keys, but under another name or with critical extensions.
  const TokenKey& key = *tokens_->keys()[0];
  for (const std::string_view header :
       {R"({"alg":"RS256"})", R"({"alg":"ES384"})", R"({"alg":"ES256","kid":"other"})",
        R"({"alg":"ES256","crit":["x"]})", R"({"alg":"ES256","kid":7})",
        R"({"alg":"none","alg":"ES256"})", R"(["ES256"])", R"({"alg":["ES256"]})"}) {
    const std::string text = to_base64_url(header) + "." + payload;
    EXPECT_FALSE(verify(text + "." + to_base64_url(key.sign(text).value())).ok()) << header;
  }
  for (const std::string_view header :
       {R"({"alg":"ES256"})", R"({"alg":"ES256","kid":null})", R"({"alg":"ES256","kid":""})",
        R"({"alg":"ES256","crit":null})", R"({"alg":"ES256","crit":[]})"}) {
    const std::string plain = to_base64_url(header) + "." + payload;
    EXPECT_TRUE(verify(plain + "." + to_base64_url(key.sign(plain).value())).ok()) << header;
  }
}

TEST_F(ServiceAccountTokensTest, MustBeSignedByAKeyThatIsKnown) {
  const TokenKeyText other = make_token_key();
  const auto others = with_keys({other.private_key});
  const std::string foreign = others->issue(some_claims()).value();
  EXPECT_FALSE(verify(foreign).ok());
  // A replaced key is still accepted, by its public half.
  const auto both = with_keys({key_.private_key, other.public_key});
  EXPECT_TRUE(both->verify(foreign, kHere, kNow).ok());
  EXPECT_EQ(both->verify(both->issue(some_claims()).value(), kHere, kNow)->id, "j-1");
}

TEST_F(ServiceAccountTokensTest, MustSayEverythingThatCounts) {
  struct Case {
    std::string_view from, to;
  };
  const Case cases[] = {
      {R"("exp":1767369845,)", ""},
      {R"("exp":1767369845)", R"("exp":"1767369845")"},
      {R"("exp":1767369845)", R"("exp":-1)"},
      {R"("exp":1767369845)", R"("exp":9223372036854775807)"},
      {R"("exp":1767369845)", R"("exp":1e300)"},
      {R"("nbf":1767366245,)", ""},
      {R"("iat":1767366245)", R"("iat":1767369999)"},
      {R"("iss":"https)", R"("iss":"http)"},
      {R"("namespace":"default",)", ""},
      {R"("name":"robot",)", ""},
      {R"("uid":"u-1")", R"("uid":"")"},
      {R"("sub":"system:serviceaccount:default:robot")", R"("sub":"system:admin")"},
      {R"("aud":[)", R"("audience":[)"},
      {R"("kubernetes.io":{)", R"("other":{)"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(verify(sign_changed(c.from, c.to)).is(Reason::kUnauthorized)) << c.from << c.to;
  }
  EXPECT_TRUE(verify(sign_changed("j-1", "j-2")).ok());
  EXPECT_TRUE(verify(sign_changed("[\"https://kubernetes.default.svc.cluster.local\"]",
                                  "\"https://kubernetes.default.svc.cluster.local\""))
                  .ok());
  EXPECT_FALSE(verify(sign("[]")).ok());
  EXPECT_FALSE(verify(std::string(1 << 20, 'a')).ok());
  EXPECT_FALSE(verify("").ok());
}

TEST_F(ServiceAccountTokensTest, NeedAPrivateKey) {
  EXPECT_TRUE(ServiceAccountTokens::make({}).is(Reason::kInvalid));
  ServiceAccountTokens::Options options;
  options.keys = {key_.public_key};
  EXPECT_TRUE(ServiceAccountTokens::make(options).is(Reason::kInvalid));
  options.keys = {"garbage"};
  EXPECT_TRUE(ServiceAccountTokens::make(options).is(Reason::kInvalid));
}

}  // namespace
}  // namespace proa::apiserver
