#include "apiserver/access/authn/bearer_tokens.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "base/encoding.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::seconds;
using Names = std::vector<std::string>;

// Accepts some tokens, and counts calls.
class FakeTokens final : public TokenAuthenticator {
 public:
  Result<std::optional<TokenIdentity>> authenticate(std::string_view token,
                                                    std::span<const std::string> asked) override {
    ++questions;
    last_asked.assign(asked.begin(), asked.end());
    if (token == "wrong") return Status(Reason::kUnauthorized, failure);
    const auto found = users.find(token);
    if (found == users.end()) return std::optional<TokenIdentity>();
    auto user = std::make_shared<User>();
    user->name = found->second;
    TokenIdentity identity{.user = user, .audiences = audiences};
    identity.warnings = warnings;
    return std::optional(std::move(identity));
  }
  bool may_wait(std::string_view) const override { return waits; }
  bool still_holds(const TokenIdentity&) const override { return holds; }

  std::map<std::string, std::string, std::less<>> users;
  std::string failure = "not so";
  Names audiences;
  Names warnings;
  bool waits = false;
  bool holds = true;
  int questions = 0;
  Names last_asked;
};

class BearerTokensTest : public testing::Test {
 protected:
  BearerTokensTest() {
    std::vector<std::unique_ptr<TokenAuthenticator>> kinds;
    for (FakeTokens** one : {&first_, &second_}) {
      auto made = std::make_unique<FakeTokens>();
      *one = made.get();
      kinds.push_back(std::move(made));
    }
    first_->users["t1"] = "alice";
    second_->users["t1"] = "never";
    second_->users["t2"] = "bob";
    tokens_ = std::make_unique<BearerTokens>(std::move(kinds), Names{"here"}, random_, clock_);
  }

  Result<UserPtr> authenticate(const http::Headers& headers) {
    const http::Peer peer{};
    warnings_.clear();
    return tokens_->authenticate({peer, headers, "/api", &warnings_});
  }
  // The user's name; "-": no token; otherwise the failure.
  std::string name_of(const http::Headers& headers) {
    const auto user = authenticate(headers);
    if (!user) return user.status().message();
    return *user == nullptr ? "-" : (*user)->name;
  }
  std::string name_of(const std::string& authorization) {
    return name_of(http::Headers{{"authorization", authorization}});
  }
  bool may_wait(const http::Headers& headers) const {
    const http::Peer peer{};
    return tokens_->may_wait(Credentials{peer, headers, "/api"});
  }
  static http::Headers websocket(const std::vector<std::string>& protocols) {
    http::Headers headers = {{"connection", "keep-alive, Upgrade"}, {"upgrade", "WebSocket"}};
    for (const std::string& one : protocols) headers.add("sec-websocket-protocol", one);
    return headers;
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  FakeTokens* first_ = nullptr;
  FakeTokens* second_ = nullptr;
  std::unique_ptr<BearerTokens> tokens_;
  Names warnings_;
};

TEST_F(BearerTokensTest, StandInTheHeader) {
  const std::pair<std::string, std::string> cases[] = {
      {"Bearer t1", "alice"},
      {"bearer t2", "bob"},
      {"  BEARER t1  ", "alice"},
      {"Bearer t1 more", "alice"},
      {"Bearer unknown", "invalid bearer token"},
      {"Bearer wrong", "not so"},
      {"", "-"},
      {"Bearer", "-"},
      {"Bearer ", "-"},
      {"t1", "-"},
      {"Basic t1", "-"},
      {"Bearer\tt1", "-"},
      {"Bearert1", "-"},
  };
  for (const auto& [header, expected] : cases) EXPECT_EQ(name_of(header), expected) << header;
  EXPECT_EQ(name_of(http::Headers()), "-");
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(authenticate({{"authorization", "Bearer t1"}}).value()->groups,
            Names{"system:authenticated"});
}

TEST_F(BearerTokensTest, AreNotLookedForBehindSpace) {
  EXPECT_EQ(name_of("Bearer  t1"), "-");
  EXPECT_EQ(warnings_,
            Names{"the provided Authorization header contains extra space before the bearer token, "
                  "and is ignored"});
}

TEST_F(BearerTokensTest, StandInASubprotocol) {
  const std::string prefix = "base64url.bearer.authorization.k8s.io.";
  const std::string alice = prefix + to_base64_url("t1");
  const std::pair<http::Headers, std::string> cases[] = {
      {websocket({alice, "v4.channel.k8s.io"}), "alice"},
      {websocket({"v4.channel.k8s.io, " + alice}), "alice"},
      {websocket({"v4.channel.k8s.io"}), "-"},
      {websocket({}), "-"},
      {websocket({prefix, "x"}), "-"},
      {websocket({alice}), "missing additional subprotocol"},
      {websocket({alice + "," + alice, "x"}),
       "multiple base64.bearer.authorization tokens specified"},
      {websocket({alice + "=", "x"}), "invalid base64.bearer.authorization token encoding"},
      {websocket({prefix + "%%", "x"}), "invalid base64.bearer.authorization token encoding"},
      {websocket({prefix + to_base64_url("\xff\xfe"), "x"}),
       "invalid base64.bearer.authorization token"},
      {websocket({prefix + to_base64_url("unknown"), "x"}), "invalid bearer token"},
      {http::Headers{{"sec-websocket-protocol", alice + ", x"}}, "-"},
      {http::Headers{{"sec-websocket-protocol", alice + ", x"}, {"upgrade", "websocket"}}, "-"},
  };
  for (const auto& [headers, expected] : cases) EXPECT_EQ(name_of(headers), expected);
  // One invalid token does not invalidate the other.
  http::Headers both = websocket({alice, "x"});
  both.set("authorization", "Bearer wrong");
  EXPECT_EQ(name_of(both), "alice");
}

TEST_F(BearerTokensTest, DoNotWaitIfAKindBeforeKnowsThem) {
  second_->waits = true;
  const auto may = [&](const char* token) {
    return may_wait({{"authorization", std::string("Bearer ") + token}});
  };
  EXPECT_FALSE(may("t1"));
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(first_->questions, 1);  // remembered
  EXPECT_EQ(second_->questions, 0);
  EXPECT_TRUE(may("t2"));
  EXPECT_TRUE(may("wrong"));
  EXPECT_EQ(second_->questions, 0);
  EXPECT_FALSE(may(std::string(70'000, 'x').c_str()));  // refused by its size
  first_->waits = true;
  clock_.advance(seconds(11));
  EXPECT_TRUE(may("t1"));
}

TEST_F(BearerTokensTest, AreRememberedForTenSeconds) {
  EXPECT_EQ(name_of("Bearer t2"), "bob");
  EXPECT_EQ(name_of("Bearer t2"), "bob");
  EXPECT_EQ(first_->questions, 1);
  EXPECT_EQ(second_->questions, 1);
  clock_.advance(seconds(9));
  EXPECT_EQ(name_of("Bearer t2"), "bob");
  EXPECT_EQ(second_->questions, 1);
  clock_.advance(seconds(1));
  second_->users.erase("t2");
  EXPECT_EQ(name_of("Bearer t2"), "invalid bearer token");
  EXPECT_EQ(second_->questions, 2);
  // Failures are not cached.
  EXPECT_EQ(name_of("Bearer t2"), "invalid bearer token");
  EXPECT_EQ(second_->questions, 3);
}

TEST_F(BearerTokensTest, AreRevokedAtOnce) {
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  first_->holds = false;
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(first_->questions, 2);
  first_->users.clear();
  second_->users.clear();
  EXPECT_EQ(name_of("Bearer t1"), "invalid bearer token");
  // They stay invalid, whatever the cached identity's state.
  first_->holds = true;
  EXPECT_EQ(name_of("Bearer t1"), "invalid bearer token");
}

TEST_F(BearerTokensTest, MayWaitUntilTheyAreKnown) {
  const http::Headers bob = {{"authorization", "Bearer t2"}};
  EXPECT_FALSE(may_wait(bob));
  second_->waits = true;
  EXPECT_TRUE(may_wait(bob));
  EXPECT_FALSE(may_wait({}));
  EXPECT_FALSE(may_wait({{"authorization", "Basic t2"}}));
  EXPECT_TRUE(
      may_wait(websocket({"base64url.bearer.authorization.k8s.io." + to_base64_url("t2"), "x"})));
  EXPECT_FALSE(may_wait(websocket({"x"})));
  EXPECT_EQ(name_of(bob), "bob");
  EXPECT_FALSE(may_wait(bob));
  second_->holds = false;
  EXPECT_TRUE(may_wait(bob));
}

TEST_F(BearerTokensTest, AreForTheAudienceThatIsAsked) {
  const auto audiences = [&](const Names& asked) -> Names {
    const auto answer = tokens_->review("t1", asked);
    return answer ? (*answer)->identity.audiences : Names{answer.status().message()};
  };
  // Token kinds without audiences are valid for this server.
  EXPECT_EQ(audiences({}), Names{"here"});
  EXPECT_EQ(first_->last_asked, Names{"here"});
  EXPECT_EQ(audiences({"x", "here"}), Names{"here"});
  EXPECT_EQ(audiences({"x"}), Names{"invalid bearer token"});
  EXPECT_EQ(first_->last_asked, Names{"x"});
  first_->audiences = {"x"};
  EXPECT_EQ(audiences({"x", "y"}), Names{"x"});
  // The cache distinguishes audiences.
  EXPECT_EQ(audiences({}), Names{"here"});
}

TEST_F(BearerTokensTest, AreReviewed) {
  EXPECT_EQ(tokens_->review("", {}).value(), nullptr);
  EXPECT_EQ(tokens_->review(" t1", {}).value(), nullptr);
  EXPECT_EQ(tokens_->review("t1 x", {}).value()->identity.user->name, "alice");
  EXPECT_EQ(tokens_->review("t2", {}).value()->identity.user->groups,
            Names{"system:authenticated"});
  EXPECT_EQ(tokens_->review("wrong", {}).status().message(), "not so");
  second_->failure = "nor so";
  EXPECT_EQ(tokens_->review("wrong", {}).status().message(), "[not so, nor so]");
  EXPECT_TRUE(tokens_->review("wrong", {}).is(Reason::kUnauthorized));
}

TEST_F(BearerTokensTest, AreNotEndless) {
  const std::string most(64 * 1024, 'a');
  first_->users[most] = "long";
  EXPECT_EQ(name_of("Bearer " + most), "long");
  const int asked = first_->questions;
  EXPECT_EQ(name_of("Bearer " + most + "a"), "invalid bearer token");
  EXPECT_EQ(first_->questions, asked);
}

TEST_F(BearerTokensTest, TellWhatTheirKindWantsToBeTold) {
  first_->warnings = {"old"};
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(warnings_, Names{"old"});
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(warnings_, Names{"old"});
}

TEST_F(BearerTokensTest, CountWhatTheCacheKnows) {
  const auto has = [this](const std::string& line) {
    MetricsText text;
    tokens_->write_metrics(text);
    return text.take().find("\nauthentication_token_cache_" + line + "\n") != std::string::npos;
  };
  EXPECT_FALSE(has(R"(request_total{status="miss"} 0)"));
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(name_of("Bearer t1"), "alice");
  EXPECT_EQ(name_of("Bearer nobody"), "invalid bearer token");
  EXPECT_EQ(name_of("Bearer wrong"), "not so");
  EXPECT_TRUE(has(R"(request_total{status="hit"} 1)"));
  EXPECT_TRUE(has(R"(request_total{status="miss"} 3)"));
  EXPECT_TRUE(has(R"(request_duration_seconds_count{status="miss"} 3)"));
  EXPECT_TRUE(has(R"(fetch_total{status="ok"} 2)"));
  EXPECT_TRUE(has(R"(fetch_total{status="error"} 1)"));
  EXPECT_TRUE(has(R"(active_fetch_count{status="in_flight"} 0)"));
}

TEST_F(BearerTokensTest, CountAMissOnceWhereOneMayWait) {
  second_->waits = true;
  const http::Headers alice = {{"authorization", "Bearer t1"}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(may_wait(alice));
    EXPECT_EQ(name_of(alice), "alice");
  }
  MetricsText text;
  tokens_->write_metrics(text);
  const std::string found = text.take();
  EXPECT_NE(found.find(R"(request_total{status="hit"} 2)"), found.npos) << found;
  EXPECT_NE(found.find(R"(request_total{status="miss"} 1)"), found.npos) << found;
  EXPECT_NE(found.find(R"(fetch_total{status="ok"} 1)"), found.npos) << found;
}

}  // namespace
}  // namespace proa::apiserver
