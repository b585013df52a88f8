#include "apiserver/access/authn/webhook/webhook_tokens.h"

#include <gtest/gtest.h>

#include <array>

#include "json/parse.h"
#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;
using Asked = TestWebhook::Asked;

constexpr std::string_view kToken = "canary-token";
const std::vector<std::string> kApi = {"https://api"};

std::string answer(const std::string& status, const std::string& version = "v1") {
  return R"({"apiVersion":"authentication.k8s.io/)" + version +
         R"(","kind":"TokenReview","status":)" + status + "}";
}

// A webhook with a constant response, and its client.
class Tokens {
 public:
  explicit Tokens(const std::string& status, WebhookTokensOptions options = {})
      : hook_([status, version = options.version](const Asked&) {
          return TestWebhook::json(answer(status, version));
        }) {
    options.connection = hook_.connection("/authenticate");
    options.api_audiences = kApi;
    tokens_ = WebhookTokens::make(around_.context, options).value();
  }

  Result<std::optional<TokenIdentity>> ask(std::string_view token = kToken,
                                           const std::vector<std::string>& audiences = kApi) {
    return tokens_->authenticate(token, audiences);
  }
  WebhookTokens& tokens() { return *tokens_; }
  TestWebhook& hook() { return hook_; }
  testkit::FakeClock& clock() { return around_.clock; }
  http::LoopGroup& loops() { return around_.loops; }

 private:
  WebhookEnvironment around_;
  TestWebhook hook_;
  std::unique_ptr<WebhookTokens> tokens_;
};

TEST(WebhookTokens, SayWhomATokenSpeaksFor) {
  Tokens tokens(R"({"authenticated":true,"user":{"username":"jane","uid":"42","groups":["a","b"],)"
                R"("extra":{"example.org/x":["1","2"]}}})");
  const auto found = tokens.ask();
  ASSERT_TRUE(found.ok() && found->has_value());
  const User& user = *(*found)->user;
  EXPECT_EQ(user.name, "jane");
  EXPECT_EQ(user.uid, "42");
  EXPECT_EQ(user.groups, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(user.extra.size(), 1u);
  EXPECT_EQ(user.extra[0].first, "example.org/x");
  EXPECT_EQ(user.extra[0].second, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ((*found)->audiences, kApi);
  const std::vector<Asked> asked = tokens.hook().asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].head.target, "/authenticate?timeout=30s");
  EXPECT_EQ(asked[0].body,
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
            R"("spec":{"token":"canary-token","audiences":["https://api"]},"status":{"user":{}}})"
            "\n");
}

TEST(WebhookTokens, SpeakTheOlderVersionWhenTold) {
  Tokens tokens(R"({"authenticated":true,"user":{"username":"jane"}})", {.version = "v1beta1"});
  const auto found = tokens.ask();
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_NE(tokens.hook().asked()[0].body.find("authentication.k8s.io/v1beta1"), std::string::npos);
}

TEST(WebhookTokens, KnowNoOtherVersion) {
  WebhookEnvironment around;
  const auto made = WebhookTokens::make(around.context, {.version = "v2"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().message(),
            "unsupported authentication webhook version \"v2\", supported versions are \"v1\", "
            "\"v1beta1\"");
}

TEST(WebhookTokens, CompareAudiences) {
  struct Case {
    std::string name;
    std::string answered;  // audiences
    std::vector<std::string> wanted;
    bool good;
    std::vector<std::string> audiences;
  };
  const std::vector<Case> cases = {
      {"the webhook knows none, ours are wanted", "[]", {"https://api"}, true, {"https://api"}},
      {"the webhook knows none, others are wanted", "[]", {"other"}, false, {}},
      {"one of several", R"(["a","b"])", {"c", "b"}, true, {"b"}},
      {"in the order in which they are wanted", R"(["a","b"])", {"b", "a"}, true, {"b", "a"}},
      {"none of them", R"(["a","b"])", {"https://api"}, false, {}},
      {"none is wanted", R"(["a"])", {}, true, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Tokens tokens(R"({"authenticated":true,"user":{"username":"jane"},"audiences":)" + c.answered +
                  "}");
    const auto found = tokens.ask(kToken, c.wanted);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->has_value(), c.good);
    if (c.good) {
      EXPECT_EQ((*found)->audiences, c.audiences);
    }
  }
}

TEST(WebhookTokens, KeepAnswersForTheirTime) {
  Tokens tokens(R"({"authenticated":true,"user":{"username":"jane"}})");
  EXPECT_TRUE(tokens.tokens().may_wait(kToken));
  ASSERT_TRUE(tokens.ask().ok());
  ASSERT_TRUE(tokens.ask().ok());
  EXPECT_FALSE(tokens.tokens().may_wait(kToken));
  EXPECT_TRUE(tokens.tokens().may_wait("another"));
  EXPECT_EQ(tokens.hook().count(), 1u);
  // Other audiences are another cache key.
  ASSERT_TRUE(tokens.ask(kToken, {"other"}).ok());
  EXPECT_EQ(tokens.hook().count(), 2u);
  tokens.clock().advance(2min);
  ASSERT_TRUE(tokens.ask().ok());
  EXPECT_EQ(tokens.hook().count(), 2u);
  tokens.clock().advance(1ms);
  EXPECT_TRUE(tokens.tokens().may_wait(kToken));
  ASSERT_TRUE(tokens.ask().ok());
  EXPECT_EQ(tokens.hook().count(), 3u);
}

TEST(WebhookTokens, KeepNothingWhenToldSo) {
  Tokens tokens(R"({"authenticated":true,"user":{"username":"jane"}})", {.cache_ttl = 0s});
  ASSERT_TRUE(tokens.ask().ok());
  ASSERT_TRUE(tokens.ask().ok());
  EXPECT_EQ(tokens.hook().count(), 2u);
}

TEST(WebhookTokens, KeepThatATokenIsUnknown) {
  Tokens tokens(R"({"authenticated":false})");
  for (int i = 0; i < 2; ++i) {
    const auto found = tokens.ask();
    ASSERT_TRUE(found.ok());
    EXPECT_FALSE(found->has_value());
  }
  EXPECT_EQ(tokens.hook().count(), 1u);
}

TEST(WebhookTokens, TellWhatTheWebhookFoundWrongAndAskAgain) {
  Tokens tokens(R"({"authenticated":false,"error":"expired"})");
  for (int i = 0; i < 2; ++i) {
    const auto found = tokens.ask();
    ASSERT_TRUE(found.is(Reason::kUnauthorized));
    EXPECT_EQ(found.status().message(), "expired");
  }
  EXPECT_EQ(tokens.hook().count(), 2u);
}

TEST(WebhookTokens, DoNotRepeatATokenThatTheWebhookRepeats) {
  Tokens tokens(R"({"authenticated":false,"error":"no such token: canary-token"})");
  const auto found = tokens.ask();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().message(), "invalid bearer token");
}

TEST(WebhookTokens, RefuseWhenTheWebhookFails) {
  Tokens tokens("{}");
  const std::vector<TestWebhook::Answer> failures = {
      [](const Asked&) { return TestWebhook::json("{}", 403); },
      [](const Asked&) { return TestWebhook::json("canary-token"); },
      [](const Asked& asked) { return TestWebhook::json(asked.body, 400); },
      [](const Asked&) { return TestWebhook::json(answer(R"({"authenticated":"yes"})")); },
      [](const Asked&) { return TestWebhook::json(std::string(2 << 20, ' ')); },
      [](const Asked&) {
        return http::Response{302, {{"location", "https://127.0.0.1:1/"}}, {}, {}};
      },
  };
  for (size_t i = 0; i < failures.size(); ++i) {
    SCOPED_TRACE(i);
    tokens.hook().set_answer(failures[i]);
    const auto found = tokens.ask();
    ASSERT_TRUE(found.is(Reason::kUnauthorized));
    EXPECT_EQ(found.status().message().find("canary"), std::string::npos)
        << found.status().message();
  }
  EXPECT_EQ(tokens.hook().count(), failures.size());
}

TEST(WebhookTokens, DoNotWaitOnALoop) {
  Tokens tokens(R"({"authenticated":true,"user":{"username":"jane"}})");
  std::optional<Result<std::optional<TokenIdentity>>> found;
  const auto ask_on_loop = [&] {
    tokens.loops().at(0).run_and_wait([&] { found = tokens.ask(); });
  };
  ask_on_loop();
  EXPECT_FALSE(found->ok());
  EXPECT_EQ(tokens.hook().count(), 0u);
  ASSERT_TRUE(tokens.ask().ok());
  ask_on_loop();
  ASSERT_TRUE(found->ok() && (*found)->has_value());
  // It expired between may_wait() and authenticate().
  tokens.clock().advance(2min + 1s);
  ask_on_loop();
  EXPECT_TRUE(found->ok());
  tokens.clock().advance(10s);
  ask_on_loop();
  EXPECT_FALSE(found->ok());
}

}  // namespace
}  // namespace proa::apiserver
