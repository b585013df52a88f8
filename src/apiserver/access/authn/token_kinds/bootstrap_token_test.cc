#include "apiserver/access/authn/token_kinds/bootstrap_token.h"

#include <gtest/gtest.h>

#include <map>

#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

const std::string kKey = "/registry/secrets/kube-system/bootstrap-token-abc123";
const std::string kSecret = "0123456789abcdef";
const std::string kToken = "abc123." + kSecret;

using Data = std::map<std::string, std::string>;

Data good() {
  return {{"token-id", "abc123"},
          {"token-secret", kSecret},
          {"usage-bootstrap-authentication", "true"}};
}

class BootstrapTokensTest : public testing::Test {
 protected:
  void put(const Data& data, const std::string& more = R"("type":"bootstrap.kubernetes.io/token")",
           const std::string& metadata = "") {
    std::string text;
    for (const auto& [key, value] : data) {
      text += (text.empty() ? "\"" : ",\"") + key + "\":\"" + to_base64(value) + "\"";
    }
    put_text(kKey, R"({"metadata":{"name":"bootstrap-token-abc123")" + metadata + "},\"data\":{" +
                       text + "}," + more + "}");
  }
  void put_text(const std::string& key, const std::string& json) {
    ASSERT_TRUE(store_
                    ->commit({.compares = {}, .operations = {store::Put{key, Bytes(json)}}},
                             store::Durability::kSynced)
                    .ok());
  }
  std::optional<TokenIdentity> authenticate(std::string_view token = kToken) {
    return tokens_.authenticate(token, {}).value();
  }

  testkit::FakeClock clock_;
  const std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  BootstrapTokens tokens_{*store_, api::builtin_schema(), clock_};
};

TEST_F(BootstrapTokensTest, AreKnownByTheirSecret) {
  EXPECT_FALSE(authenticate());
  put(good());
  const auto found = authenticate();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user->name, "system:bootstrap:abc123");
  EXPECT_EQ(found->user->groups, std::vector<std::string>{"system:bootstrappers"});
  EXPECT_TRUE(found->user->uid.empty() && found->user->extra.empty());
  EXPECT_TRUE(found->audiences.empty());
}

TEST_F(BootstrapTokensTest, MayBeLongerThanUpstreams) {
  for (const size_t size : {16, 17, 32, 64}) {
    const std::string secret(size, 'x');
    Data data = good();
    data["token-secret"] = secret;
    put(data);
    EXPECT_TRUE(authenticate("abc123." + secret)) << size;
    EXPECT_FALSE(authenticate("abc123." + secret.substr(1))) << size;
    EXPECT_FALSE(authenticate("abc123." + secret + "x")) << size;
    EXPECT_FALSE(authenticate("abc123." + secret.substr(1) + "y")) << size;
  }
  Data data = good();
  data["token-secret"] = std::string(65, 'x');
  put(data);
  EXPECT_FALSE(authenticate("abc123." + std::string(65, 'x')));
}

TEST_F(BootstrapTokensTest, LookLikeTokens) {
  put(good());
  const std::vector<std::string> others = {"",
                                           ".",
                                           "abc123.",
                                           "." + kSecret,
                                           "abc12." + kSecret,
                                           "abc1234." + kSecret,
                                           "ABC123." + kSecret,
                                           "abc123.0123456789ABCDEF",
                                           "abc123.0123456789abcde",
                                           kToken + ".",
                                           kToken + " ",
                                           " " + kToken,
                                           "abc/.." + kSecret,
                                           "../abc." + kSecret,
                                           std::string(1 << 20, 'a')};
  for (const std::string& token : others) {
    EXPECT_FALSE(authenticate(token)) << token.substr(0, 40);
  }
}

TEST_F(BootstrapTokensTest, NeedASecretThatIsMeantForIt) {
  const std::string type = R"("type":"bootstrap.kubernetes.io/token")";
  put(good(), R"("type":"Opaque")");
  EXPECT_FALSE(authenticate());
  put(good(), type, R"(,"deletionTimestamp":"2026-01-02T15:04:05Z")");
  EXPECT_FALSE(authenticate());
  struct Case {
    std::string key, value;
    bool good;
  };
  const Case cases[] = {
      {"token-secret", "", false},
      {"token-secret", "0123456789abcdeF", false},
      {"token-id", "abc124", false},
      {"token-id", "", false},
      {"usage-bootstrap-authentication", "false", false},
      {"usage-bootstrap-authentication", "True", false},
      {"usage-bootstrap-authentication", "", false},
      {"usage-bootstrap-signing", "true", true},
      {"expiration", "2026-01-02T15:04:06Z", true},
      {"expiration", "2026-01-02T16:04:06+01:00", true},
      {"expiration", "2026-01-02T15:04:05Z", false},
      {"expiration", "2025-01-02T15:04:05Z", false},
      {"expiration", "tomorrow", false},
      {"auth-extra-groups", "system:bootstrappers:a", true},
      {"auth-extra-groups", "system:bootstrappers:a,", false},
      {"auth-extra-groups", "system:bootstrappers:", false},
      {"auth-extra-groups", "system:bootstrappers:a-", false},
      {"auth-extra-groups", "system:bootstrappers:A", false},
      {"auth-extra-groups", "system:bootstrappers", false},
      {"auth-extra-groups", "system:masters", false},
      {"auth-extra-groups", "system:bootstrappers:a,system:masters", false},
      {"auth-extra-groups", "system:bootstrappers:" + std::string(257, 'a'), false},
  };
  for (const Case& c : cases) {
    Data data = good();
    data[c.key] = c.value;
    put(data);
    EXPECT_EQ(authenticate().has_value(), c.good) << c.key << "=" << c.value;
  }
  put_text(kKey, R"({"metadata":{},"type":"bootstrap.kubernetes.io/token"})");
  EXPECT_FALSE(authenticate());
  put_text(kKey, R"({"type":"bootstrap.kubernetes.io/token","data":{"token-secret":"%%%"}})");
  EXPECT_FALSE(authenticate());
}

TEST_F(BootstrapTokensTest, BringTheirGroups) {
  Data data = good();
  data["auth-extra-groups"] =
      "system:bootstrappers:z:1,system:bootstrappers:a,system:bootstrappers:a";
  put(data);
  EXPECT_EQ(authenticate()->user->groups,
            (std::vector<std::string>{"system:bootstrappers", "system:bootstrappers:a",
                                      "system:bootstrappers:z:1"}));
}

TEST_F(BootstrapTokensTest, HoldUntilTheirSecretChangesOrTheirTimeIsOver) {
  Data data = good();
  data["expiration"] = "2026-01-02T15:04:06Z";
  put(data);
  const auto found = authenticate();
  ASSERT_TRUE(found);
  EXPECT_TRUE(tokens_.still_holds(*found));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(tokens_.still_holds(*found));
  put(good());
  const auto again = authenticate();
  EXPECT_TRUE(tokens_.still_holds(*again));
  EXPECT_FALSE(tokens_.still_holds(*found));
  ASSERT_TRUE(store_
                  ->commit({.compares = {}, .operations = {store::Delete{kKey}}},
                           store::Durability::kSynced)
                  .ok());
  EXPECT_FALSE(tokens_.still_holds(*again));
  EXPECT_FALSE(authenticate());
}

}  // namespace
}  // namespace proa::apiserver
