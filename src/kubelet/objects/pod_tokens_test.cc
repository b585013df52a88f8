#include "kubelet/objects/pod_tokens.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "kubelet/objects/test_api.h"
#include "testkit/fake_clock.h"

namespace proa::kubelet {
namespace {

PodPtr pod() {
  return *Pod::read(
      api::Object::make(
          R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1"},"spec":{"serviceAccountName":"seller"}})"),
      Pod::Source::kApi);
}

struct Fixture {
  void answer(const std::string& token, Duration lasts) {
    api.answers.push_back(fmt::format(R"({{"status":{{"token":"{}","expirationTimestamp":"{}"}}}})",
                                      token, format_time(clock.now() + lasts)));
  }
  std::string get(const std::string& audience = "", int64_t seconds = 3607) {
    const Result<BoundToken> found = tokens.get(*pod(), audience, seconds);
    return found ? found->token : "! " + found.status().message();
  }
  testkit::FakeClock clock;
  SeededRandom random{1};
  TestApi api;
  PodTokens tokens{api, api::builtin_schema(), clock, random};
};

TEST(RequestToken, BindsItToThePod) {
  Fixture fixture;
  fixture.answer("secret", std::chrono::hours(1));
  const Result<BoundToken> bound =
      request_token(fixture.api, api::builtin_schema(), *pod(), "vault", 3607);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->token, "secret");
  EXPECT_EQ(bound->expires, fixture.clock.now() + std::chrono::hours(1));
  ASSERT_EQ(fixture.api.created.size(), 1u);
  EXPECT_EQ(
      fixture.api.created[0],
      R"(serviceaccounts/token shop/seller {"kind":"TokenRequest",)"
      R"("apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"audiences":["vault"],)"
      R"("expirationSeconds":3607,"boundObjectRef":{"kind":"Pod","apiVersion":"v1",)"
      R"("name":"web","uid":"u-1"}}})");
}

TEST(PodTokens, AreRenewedWhenAFifthIsLeft) {
  Fixture fixture;
  fixture.answer("a", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get(), "a");
  fixture.clock.advance(std::chrono::minutes(47));
  EXPECT_EQ(fixture.get(), "a");
  EXPECT_EQ(fixture.api.created.size(), 1u);
  fixture.clock.advance(std::chrono::minutes(1));
  fixture.answer("b", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get(), "b");
  // Another audience is another token.
  fixture.answer("c", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get("vault"), "c");
  EXPECT_EQ(fixture.get(), "b");
}

TEST(PodTokens, AreRenewedEveryDay) {
  Fixture fixture;
  fixture.answer("a", std::chrono::hours(1000));
  EXPECT_EQ(fixture.get(), "a");
  fixture.clock.advance(std::chrono::hours(23));
  EXPECT_EQ(fixture.get(), "a");
  fixture.clock.advance(std::chrono::hours(1));
  fixture.answer("b", std::chrono::hours(1000));
  EXPECT_EQ(fixture.get(), "b");
}

TEST(PodTokens, AreUsedToTheirEndWhenTheServerIsAway) {
  Fixture fixture;
  EXPECT_EQ(fixture.get(), "! failed to fetch token: not now");
  fixture.answer("a", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get(), "a");
  fixture.clock.advance(std::chrono::minutes(59));
  EXPECT_EQ(fixture.get(), "a");
  fixture.clock.advance(std::chrono::minutes(2));
  EXPECT_EQ(fixture.get(), "! token of pod shop/web expired and refresh failed: not now");
}

TEST(PodTokens, AreForgottenWithThePod) {
  Fixture fixture;
  fixture.answer("a", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get(), "a");
  fixture.tokens.forget("u-1");
  fixture.answer("b", std::chrono::minutes(60));
  EXPECT_EQ(fixture.get(), "b");
}

}  // namespace
}  // namespace proa::kubelet
