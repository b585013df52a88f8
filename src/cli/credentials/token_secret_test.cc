#include "cli/credentials/token_secret.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "testkit/fake_clock.h"

namespace proa::cli {
namespace {

using Texts = std::vector<std::string>;

const JoinToken kToken{"abcdef", "0123456789abcdef0123456789abcdef", "00"};

TEST(TokenSecret, HasTheFormThatServersKnow) {
  const std::string json = make_token_secret(
      kToken, {.id = "abcdef",
               .description = "for the new rack",
               .usages = {"authentication", "signing"},
               .groups = {"system:bootstrappers:rack", "system:bootstrappers:all"},
               .expiration = "2026-01-03T15:04:05Z"});
  const auto has = [&](const std::string& key, const std::string& value) {
    return json.find("\"" + key + "\":\"" + to_base64(value) + "\"") != std::string::npos;
  };
  EXPECT_TRUE(has("token-id", "abcdef"));
  EXPECT_TRUE(has("token-secret", kToken.secret));
  EXPECT_TRUE(has("expiration", "2026-01-03T15:04:05Z"));
  EXPECT_TRUE(has("description", "for the new rack"));
  EXPECT_TRUE(has("auth-extra-groups", "system:bootstrappers:rack,system:bootstrappers:all"));
  EXPECT_TRUE(has("usage-bootstrap-authentication", "true"));
  EXPECT_TRUE(has("usage-bootstrap-signing", "true"));
  EXPECT_TRUE(json.starts_with(
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"bootstrap-token-abcdef",)"
      R"("namespace":"kube-system"},"type":"bootstrap.kubernetes.io/token","data":{)"));
}

TEST(TokenSecret, IsReadAgain) {
  const TokenFacts facts{.id = "abcdef",
                         .description = "d",
                         .usages = {"signing"},
                         .groups = {"system:bootstrappers:rack"},
                         .expiration = "2026-01-03T15:04:05Z"};
  const auto read = read_token_secret(*api::Object::make(make_token_secret(kToken, facts)));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->id, facts.id);
  EXPECT_EQ(read->description, facts.description);
  EXPECT_EQ(read->usages, facts.usages);
  EXPECT_EQ(read->groups, facts.groups);
  EXPECT_EQ(read->expiration, facts.expiration);
}

TEST(TokenSecret, OtherSecretsAreNone) {
  for (const char* json :
       {R"({"metadata":{"name":"bootstrap-token-abcdef"},"type":"Opaque"})",
        R"({"metadata":{"name":"other"},"type":"bootstrap.kubernetes.io/token"})", "{}"}) {
    EXPECT_FALSE(read_token_secret(*api::Object::make(json)).has_value()) << json;
  }
}

TEST(TokenSecret, KnowsWhenItIsOver) {
  const Time now = testkit::FakeClock::kStart;  // 2026-01-02T15:04:05Z
  const auto is_over = [&](const char* expiration) {
    TokenFacts facts;
    facts.expiration = expiration;
    return facts.is_over(now);
  };
  EXPECT_FALSE(is_over(""));
  EXPECT_FALSE(is_over("2026-01-02T15:04:06Z"));
  EXPECT_TRUE(is_over("2026-01-02T15:04:05Z"));
  EXPECT_TRUE(is_over("2025-01-02T15:04:05Z"));
  EXPECT_TRUE(is_over("tomorrow"));
}

TEST(ParseGroups, TakesGroupsOfTokensOnly) {
  EXPECT_EQ(parse_groups("").value(), Texts{});
  EXPECT_EQ(parse_groups("system:bootstrappers:a, system:bootstrappers:b-2:c,").value(),
            (Texts{"system:bootstrappers:a", "system:bootstrappers:b-2:c"}));
  const std::string longest = "system:bootstrappers:" + std::string(256, 'a');
  EXPECT_TRUE(parse_groups(longest).ok());
  for (const std::string& bad :
       {std::string("system:masters"), std::string("system:bootstrappers"),
        std::string("system:bootstrappers:"), std::string("system:bootstrappers:A"),
        std::string("system:bootstrappers:a-"), longest + "a"}) {
    EXPECT_TRUE(parse_groups(bad).is(Reason::kInvalid)) << bad;
  }
}

TEST(ParseUsages, TakesWhatThereIs) {
  EXPECT_EQ(parse_usages("signing,authentication,signing").value(),
            (Texts{"signing", "authentication"}));
  EXPECT_TRUE(parse_usages("").is(Reason::kInvalid));
  EXPECT_TRUE(parse_usages("signing,other").is(Reason::kInvalid));
}

}  // namespace
}  // namespace proa::cli
