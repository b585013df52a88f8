#include "apiserver/access/authn/jwt/jwt_issuers.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/strings.h"
#include "crypto/digest.h"
#include "testkit/apiserver/test_issuer.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;
using Found = Result<std::optional<TokenIdentity>>;

const std::vector<std::string> kApi = {"https://api", "api"};

const crypto::TestKey& ecdsa() {
  static const crypto::TestKey key = crypto::TestKey::ecdsa("ecdsa");
  return key;
}
crypto::TestKey rsa() { return crypto::TestKey::rsa("rsa"); }

// An issuer, and a server that trusts it.
class TrustedIssuer {
 public:
  TrustedIssuer() : issuer_({rsa(), ecdsa()}), settings_(issuer_.settings()) {}

  JwtIssuer& settings() { return settings_; }
  JwtIssuers& start() {
    issuers_ =
        JwtIssuers::make(loops_, clock_, {.issuers = {settings_}, .api_audiences = kApi}).value();
    return *issuers_;
  }
  JwtIssuers& issuers() { return issuers_ == nullptr ? start() : *issuers_; }
  Found ask(const std::string& token, const std::vector<std::string>& audiences = kApi) {
    return issuers().authenticate(token, audiences);
  }

  // Claims of a valid token, followed by `more`: `,"sub":"joe"` overrides the earlier one.
  std::string claims(const std::string& more = "", const std::string& subject = "jane") const {
    return R"({"iss":")" + issuer_.url() + R"(","aud":"my-client","sub":")" + subject +
           R"(","exp":)" + std::to_string(seconds() + 3600) + more + "}";
  }
  int64_t seconds() const {
    return std::chrono::floor<std::chrono::seconds>(clock_.now().time_since_epoch()).count();
  }
  std::string token() const { return ecdsa().token("ES256", claims()); }

  TestIssuer& issuer() { return issuer_; }
  testkit::FakeClock& clock() { return clock_; }
  http::LoopGroup& loops() { return loops_; }

 private:
  TestIssuer issuer_;
  JwtIssuer settings_;
  testkit::FakeClock clock_;
  http::LoopGroup loops_{1};
  std::unique_ptr<JwtIssuers> issuers_;
};

// The user's name, "none" if the token is of another kind, or the failure.
std::string outcome(const Found& found) {
  if (!found.ok()) return found.status().message();
  return found->has_value() ? (**found).user->name : "none";
}

constexpr const char* kBadSignature =
    "oidc: verify token: failed to verify signature: failed to verify id token signature";

TEST(JwtIssuers, BelieveAGoodToken) {
  TrustedIssuer trusted;
  const Found found = trusted.ask(
      ecdsa().token("ES256", trusted.claims(R"(,"groups":["a","b"],"jti":"7","nbf":1,"iat":1)")));
  ASSERT_TRUE(found.ok() && found->has_value()) << outcome(found);
  EXPECT_EQ((*found)->user->name, "jane");
  EXPECT_EQ((*found)->user->groups, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ((*found)->user->extra.at(0).second, std::vector<std::string>{"JTI=7"});
  EXPECT_EQ((*found)->audiences, kApi);
}

TEST(JwtIssuers, KnowAllAlgorithms) {
  TrustedIssuer trusted;
  const crypto::TestKey p384 = crypto::TestKey::ecdsa("p384", "P-384");
  const crypto::TestKey p521 = crypto::TestKey::ecdsa("p521", "P-521");
  trusted.issuer().set_keys({rsa(), ecdsa(), p384, p521});
  for (const std::string name : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}) {
    EXPECT_EQ(outcome(trusted.ask(rsa().token(name, trusted.claims()))), "jane") << name;
  }
  EXPECT_EQ(outcome(trusted.ask(p384.token("ES384", trusted.claims()))), "jane");
  EXPECT_EQ(outcome(trusted.ask(p521.token("ES512", trusted.claims()))), "jane");
}

TEST(JwtIssuers, BelieveOnlyAlgorithmsThatAreAllowed) {
  TrustedIssuer trusted;
  trusted.settings().algorithms = {"RS256", "PS256"};
  EXPECT_EQ(outcome(trusted.ask(rsa().token("RS256", trusted.claims()))), "jane");
  EXPECT_EQ(outcome(trusted.ask(trusted.token())),
            "oidc: verify token: oidc: id token signed with unsupported algorithm, expected "
            "[\"RS256\" \"PS256\"] got \"ES256\"");
}

TEST(JwtIssuers, AreNotFooledByForgedTokens) {
  TrustedIssuer trusted;
  const std::string unsupported =
      "oidc: verify token: oidc: id token signed with unsupported algorithm, expected [\"ES256\" "
      "\"ES384\" \"ES512\" \"PS256\" \"PS384\" \"PS512\" \"RS256\" \"RS384\" \"RS512\"] got ";
  const std::string claims = to_base64_url(trusted.claims());

  for (const std::string name : {"none", "None", "NONE", ""}) {
    const std::string text = to_base64_url(R"({"alg":")" + name + R"("})") + "." + claims;
    EXPECT_EQ(outcome(trusted.ask(text + ".")), unsupported + "\"" + name + "\"");
    EXPECT_EQ(outcome(trusted.ask(text + ".AAAA")), unsupported + "\"" + name + "\"");
  }

  // A MAC whose secret is the public key.
  for (const std::string& secret : {rsa().public_pem(), rsa().public_json()}) {
    const std::string text = to_base64_url(R"({"alg":"HS256","kid":"rsa"})") + "." + claims;
    const std::string mac = to_base64_url(crypto::hmac_sha256(secret, text).view());
    const std::string token = text + "." + mac;
    EXPECT_EQ(outcome(trusted.ask(token)), unsupported + "\"HS256\"");
    const std::string renamed =
        to_base64_url(R"({"alg":"RS256","kid":"rsa"})") + token.substr(token.find('.'));
    EXPECT_EQ(outcome(trusted.ask(renamed)), kBadSignature);
  }

  // A foreign key under a known name, or embedded in the token.
  const crypto::TestKey forged = crypto::TestKey::ecdsa("ecdsa");
  EXPECT_EQ(outcome(trusted.ask(forged.token("ES256", trusted.claims()))), kBadSignature);
  const std::string with_key = R"({"alg":"ES256","jwk":)" + forged.public_json() + "}";
  EXPECT_EQ(outcome(trusted.ask(forged.token("ES256", trusted.claims(), with_key))), kBadSignature);
  const std::string with_url =
      R"({"alg":"ES256","jku":")" + trusted.issuer().url() + R"(/forged"})";
  EXPECT_EQ(outcome(trusted.ask(forged.token("ES256", trusted.claims(), with_url))), kBadSignature);
  EXPECT_EQ(trusted.issuer().count("/forged"), 0);

  // Other claims under a valid signature.
  const std::string good = trusted.token();
  const std::string swapped = good.substr(0, good.find('.')) + "." +
                              to_base64_url(trusted.claims("", "root")) +
                              good.substr(good.rfind('.'));
  EXPECT_EQ(outcome(trusted.ask(swapped)), kBadSignature);
  EXPECT_EQ(outcome(trusted.ask(good.substr(0, good.rfind('.') + 1))), kBadSignature);
  EXPECT_EQ(outcome(trusted.ask(good)), "jane");
}

TEST(JwtIssuers, TakeATokenWithoutTheNameOfItsKey) {
  TrustedIssuer trusted;
  EXPECT_EQ(outcome(trusted.ask(rsa().token("RS256", trusted.claims(), R"({"alg":"RS256"})"))),
            "jane");
}

TEST(JwtIssuers, LeaveTokensOfOthersToOthers) {
  TrustedIssuer trusted;
  for (const std::string& token : std::vector<std::string>{
           "opaque",
           "",
           "a.b.c",
           ecdsa().token("ES256", R"({"iss":"https://another.example","sub":"jane"})"),
           ecdsa().token("ES256", R"({"sub":"jane"})"),
           ecdsa().token("ES256", R"({"iss":")" + trusted.issuer().url() + R"(/"})"),
           std::string(100'000, '.'),
       }) {
    SCOPED_TRACE(token.substr(0, 80));
    EXPECT_EQ(outcome(trusted.ask(token)), "none");
    EXPECT_FALSE(trusted.issuers().may_wait(token));
  }
}

TEST(JwtIssuers, RefuseTokensThatAreNotGoodNowOrHere) {
  TrustedIssuer trusted;
  const auto ask = [&](const std::string& claims) {
    return outcome(trusted.ask(ecdsa().token("ES256", claims)));
  };
  const std::string head = R"({"iss":")" + trusted.issuer().url() + R"(","sub":"jane")";
  EXPECT_EQ(ask(head + R"(,"aud":"my-client","exp":1})"),
            "oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:01 +0000 "
            "UTC)");
  EXPECT_EQ(ask(head + R"(,"aud":"my-client"})"),
            "oidc: verify token: oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 "
            "UTC)");
  EXPECT_EQ(ask(head + R"(,"aud":"other","exp":9999999999})"),
            "oidc: verify token: oidc: expected audience \"my-client\" got [\"other\"]");
  EXPECT_TRUE(ask(head + R"(,"aud":"my-client","exp":9999999999,"nbf":9999999999})")
                  .starts_with("oidc: verify token: oidc: current time 2026-01-02 15:04:05"));
}

TEST(JwtIssuers, AreForTheAudiencesOfTheApi) {
  TrustedIssuer trusted;
  const std::string token = trusted.token();
  EXPECT_EQ(outcome(trusted.ask(token, {"other"})), "none");
  EXPECT_EQ(trusted.ask(token, {"other", "api"}).value()->audiences,
            std::vector<std::string>{"api"});
  EXPECT_TRUE(trusted.ask(token, {}).value()->audiences.empty());
}

TEST(JwtIssuers, EndWithTheToken) {
  TrustedIssuer trusted;
  const Found found = trusted.ask(trusted.token());
  ASSERT_TRUE(found.ok() && found->has_value());
  trusted.clock().advance(3600s);
  EXPECT_TRUE(trusted.issuers().still_holds(**found));
  trusted.clock().advance(1ns);
  EXPECT_FALSE(trusted.issuers().still_holds(**found));
}

TEST(JwtIssuers, FetchAKeyThatTheyDoNotKnow) {
  TrustedIssuer trusted;
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  EXPECT_FALSE(trusted.issuers().may_wait(trusted.token()));
  const crypto::TestKey next = crypto::TestKey::ecdsa("next");
  const std::string token = next.token("ES256", trusted.claims());
  trusted.issuer().set_keys({next});
  // The issuer was queried just now.
  EXPECT_FALSE(trusted.issuers().may_wait(token));
  EXPECT_EQ(outcome(trusted.ask(token)), kBadSignature);
  trusted.clock().advance(10s);
  EXPECT_TRUE(trusted.issuers().may_wait(token));
  EXPECT_FALSE(trusted.issuers().may_wait(trusted.token()));
  EXPECT_EQ(outcome(trusted.ask(token)), "jane");
  EXPECT_FALSE(trusted.issuers().may_wait(token));
  // The old key is gone.
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), kBadSignature);
  EXPECT_EQ(trusted.issuer().count(TestIssuer::kKeys), 2);
}

TEST(JwtIssuers, FindANewKeyUnderAnOldName) {
  TrustedIssuer trusted;
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  const crypto::TestKey other = crypto::TestKey::ecdsa("ecdsa");
  const std::string token = other.token("ES256", trusted.claims());
  trusted.issuer().set_keys({other});
  trusted.clock().advance(10s);
  // Fetched in the background.
  EXPECT_FALSE(trusted.issuers().may_wait(token));
  EXPECT_EQ(outcome(trusted.ask(token)), kBadSignature);
  // A token with an unknown key waits for the fetch.
  const crypto::TestKey unknown = crypto::TestKey::ecdsa("unknown");
  EXPECT_EQ(outcome(trusted.ask(unknown.token("ES256", trusted.claims()))), kBadSignature);
  EXPECT_EQ(outcome(trusted.ask(token)), "jane");
  EXPECT_EQ(trusted.issuer().count(TestIssuer::kKeys), 2);
}

TEST(JwtIssuers, DoNotAskAnIssuerForEveryUnknownKey) {
  TrustedIssuer trusted;
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  for (int i = 0; i < 100; ++i) {
    const crypto::TestKey key = crypto::TestKey::ecdsa("unknown-" + std::to_string(i));
    EXPECT_EQ(outcome(trusted.ask(key.token("ES256", trusted.claims()))), kBadSignature);
    trusted.clock().advance(1s);
  }
  EXPECT_GE(trusted.issuer().count(TestIssuer::kKeys), 2);
  EXPECT_LE(trusted.issuer().count(TestIssuer::kKeys), 11);
}

TEST(JwtIssuers, CannotSayAnythingBeforeTheyHaveKeys) {
  TrustedIssuer trusted;
  trusted.issuer().set_page(TestIssuer::kDiscovery, http::Response{503, {}, {}, {}});
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "oidc: authenticator not initialized");
  trusted.issuer().set_json(
      TestIssuer::kDiscovery,
      TestIssuer::discovery(trusted.issuer().url(), trusted.issuer().url() + TestIssuer::kKeys));
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "oidc: authenticator not initialized");
  trusted.clock().advance(10s);
  EXPECT_TRUE(trusted.issuers().may_wait(trusted.token()));
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
}

TEST(JwtIssuers, DoNotWaitOnALoop) {
  TrustedIssuer trusted;
  trusted.issuer().set_page(TestIssuer::kDiscovery, std::nullopt);
  trusted.start();
  std::string found;
  trusted.loops().at(0).run_and_wait([&] { found = outcome(trusted.ask(trusted.token())); });
  EXPECT_EQ(found, "oidc: authenticator not initialized");
  // Elsewhere it waits until stopped.
  {
    const std::jthread waiting([&] { found = outcome(trusted.ask(trusted.token())); });
    trusted.clock().await_waiters(1);
    trusted.issuers().stop();
  }
  EXPECT_EQ(found, "oidc: authenticator not initialized");
}

TEST(JwtIssuers, AnswerOnALoopWhatTheyKnow) {
  TrustedIssuer trusted;
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  std::string found;
  trusted.loops().at(0).run_and_wait([&] { found = outcome(trusted.ask(trusted.token())); });
  EXPECT_EQ(found, "jane");
}

TEST(JwtIssuers, FindTheDocumentWhereTheyAreTold) {
  TrustedIssuer trusted;
  trusted.settings().discovery_url = trusted.issuer().url() + "/elsewhere";
  trusted.settings().url = "https://issuer.example/tenant";
  trusted.issuer().set_json("/elsewhere",
                            TestIssuer::discovery("https://issuer.example/tenant",
                                                  trusted.issuer().url() + TestIssuer::kKeys));
  const std::string claims =
      R"({"iss":"https://issuer.example/tenant","aud":"my-client","sub":"jane","exp":9999999999})";
  EXPECT_EQ(outcome(trusted.ask(ecdsa().token("ES256", claims))), "jane");
  EXPECT_EQ(trusted.issuer().count(TestIssuer::kDiscovery), 0);
}

TEST(JwtIssuers, AskNobodyWithoutTls) {
  testkit::FakeClock clock;
  http::LoopGroup loops(1);
  JwtIssuer issuer{.url = "http://127.0.0.1:1", .audiences = {"a"}, .username = {.claim = "sub"}};
  EXPECT_FALSE(JwtIssuers::make(loops, clock, {.issuers = {issuer}, .api_audiences = {}}).ok());
  issuer.url = "https://127.0.0.1:1";
  issuer.certificate_authority = "nobody";
  EXPECT_FALSE(JwtIssuers::make(loops, clock, {.issuers = {issuer}, .api_audiences = {}}).ok());
}

TEST(JwtIssuers, NeverRepeatAToken) {
  TrustedIssuer trusted;
  const crypto::TestKey stranger = crypto::TestKey::ecdsa("stranger");
  const std::string canary = trusted.claims(R"(,"x":"canary")");
  for (const std::string& token : std::vector<std::string>{
           stranger.token("ES256", canary),
           stranger.token("ES256", canary, R"({"alg":"canary-alg"})"),
           stranger.token("ES256", canary, R"({"alg":7})"),
           ecdsa().token("ES256", R"({"iss":")" + trusted.issuer().url() + R"(","aud":"x"})"),
       }) {
    const Found found = trusted.ask(token);
    ASSERT_TRUE(found.is(Reason::kUnauthorized));
    for (const std::string_view part : split(token, '.')) {
      EXPECT_EQ(found.status().message().find(part), std::string::npos);
    }
  }
}

TEST(JwtIssuers, AreReplacedWhileTheyRun) {
  TrustedIssuer trusted;
  TestIssuer other({ecdsa()});
  const Found before = trusted.ask(trusted.token());
  ASSERT_EQ(outcome(before), "jane");
  JwtIssuers& issuers = trusted.issuers();
  EXPECT_TRUE(issuers.still_holds(**before));
  ASSERT_TRUE(issuers.replace({other.settings()}, Until::after(trusted.clock(), 1min)).ok());
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "none") << "no longer trusted";
  EXPECT_FALSE(issuers.still_holds(**before)) << "nor what is cached";
  const std::string claims = R"({"iss":")" + other.url() + R"(","aud":"my-client","sub":"joe",)" +
                             R"("exp":)" + std::to_string(trusted.seconds() + 3600) + "}";
  EXPECT_EQ(outcome(trusted.ask(ecdsa().token("ES256", claims))), "joe");
  issuers.release_former();
  ASSERT_TRUE(issuers.replace({}, Until::after(trusted.clock(), 1min)).ok());
  EXPECT_EQ(outcome(trusted.ask(ecdsa().token("ES256", claims))), "none");
}

TEST(JwtIssuers, StayWhereTheNextGiveNoKeys) {
  TrustedIssuer trusted;
  ASSERT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  TestIssuer silent({ecdsa()});
  silent.set_page(TestIssuer::kDiscovery, std::nullopt);
  std::stop_source stop;
  Result<void> replaced;
  std::jthread replacing([&] {
    replaced = trusted.issuers().replace({silent.settings()},
                                         Until::after(trusted.clock(), 1min, stop.get_token()));
  });
  trusted.clock().await_waiters(1);
  trusted.clock().advance(1min);
  replacing.join();
  ASSERT_TRUE(replaced.is(Reason::kServiceUnavailable));
  EXPECT_EQ(replaced.status().message(),
            "oidc: authenticator for issuer \"" + silent.url() + "\" is not initialized");
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
  // A server that stops does not wait.
  stop.request_stop();
  EXPECT_FALSE(
      trusted.issuers()
          .replace({silent.settings()}, Until::after(trusted.clock(), 1min, stop.get_token()))
          .ok());
  JwtIssuer plain = silent.settings();
  plain.url = "http://issuer.example";
  EXPECT_TRUE(
      trusted.issuers().replace({plain}, Until::after(trusted.clock(), 1min)).is(Reason::kInvalid));
  EXPECT_EQ(outcome(trusted.ask(trusted.token())), "jane");
}

}  // namespace
}  // namespace proa::apiserver
