#include "controllers/access/legacy_token_cleaner.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using std::chrono::hours;

constexpr Duration kDay = hours(24);

TEST(FateOfLegacyToken, GoesByItsTimesAndLabels) {
  constexpr Time kNow{std::chrono::seconds(1767366245)};  // 2026-01-02T15:04:05Z
  const struct {
    const char* name;
    const char* metadata;
    LegacyTokenFate fate;
  } cases[] = {
      {"never used", R"("creationTimestamp":"2025-01-01T00:00:00Z")", LegacyTokenFate::kMark},
      {"young", R"("creationTimestamp":"2025-12-31T00:00:00Z")", LegacyTokenFate::kKeep},
      {"used lately",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-last-used":"2025-12-23"})",
       LegacyTokenFate::kKeep},
      {"used at who knows when",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-last-used":"2025"})",
       LegacyTokenFate::kKeep},
      {"used long ago",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-last-used":"2025-12-22"})",
       LegacyTokenFate::kMark},
      {"marked lately",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-invalid-since":"2025-12-23"})",
       LegacyTokenFate::kKeep},
      {"marked long ago",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-invalid-since":"2025-12-22"})",
       LegacyTokenFate::kRemove},
      {"marked in a way that can't be read",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("labels":{"kubernetes.io/legacy-token-invalid-since":"yes"})",
       LegacyTokenFate::kMark},
      {"going already",
       R"("creationTimestamp":"2025-01-01T00:00:00Z",)"
       R"("deletionTimestamp":"2026-01-01T00:00:00Z")",
       LegacyTokenFate::kKeep},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document secret = *json::parse(R"({"metadata":{)" + std::string(c.metadata) + "}}");
    EXPECT_EQ(fate_of_legacy_token(secret.root(), kNow, 10 * kDay), c.fate);
  }
}

class LegacyTokenCleanerTest : public testing::Test {
 protected:
  LegacyTokenCleanerTest() {
    world_.create("", "serviceaccounts", "default",
                  R"({"metadata":{"name":"robot"},"secrets":[{"name":"old"}]})");
    create_token("old");
    create_token("by-hand");
  }

  void create_token(const std::string& name) {
    world_.create("", "secrets", "default",
                  R"({"metadata":{"name":")" + name +
                      R"(","annotations":{"kubernetes.io/service-account.name":"robot"}},)"
                      R"("type":"kubernetes.io/service-account-token"})");
  }
  // Since then the server notes when tokens are used; by default, since its start.
  void set_tracked_since(Time since) {
    world_.patch("", "configmaps", "kube-system",
                 "kube-apiserver-legacy-service-account-token-tracking",
                 R"({"data":{"since":")" + format_time(since).substr(0, 10) + R"("}})");
  }
  api::ObjectPtr secret(const std::string& name) {
    return world_.get("", "secrets", "default", name);
  }
  bool is_marked(const std::string& name) {
    return secret(name)->metadata().label("kubernetes.io/legacy-token-invalid-since") != nullptr;
  }
  // Watches end when years pass at once.
  void pass_days(int days) {
    for (int day = 0; day < days; day += 30) {
      world_.clock().advance(30 * kDay);
      world_.restart();
      world_.settle();
    }
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{{"legacy-serviceaccount-token-cleaner",
                                                          "legacy-service-account-token-cleaner",
                                                          make_legacy_token_cleaner}}};
};

TEST_F(LegacyTokenCleanerTest, MarksUnusedTokensThenDeletesThem) {
  world_.settle();
  pass_days(330);
  EXPECT_FALSE(is_marked("old"));
  pass_days(60);
  EXPECT_TRUE(is_marked("old"));
  EXPECT_FALSE(is_marked("by-hand"));
  pass_days(330);
  EXPECT_NE(secret("old"), nullptr);
  pass_days(60);
  EXPECT_EQ(secret("old"), nullptr);
  EXPECT_NE(secret("by-hand"), nullptr);
}

TEST_F(LegacyTokenCleanerTest, ChecksEveryDay) {
  world_.clock().advance(365 * kDay);
  world_.restart();
  world_.settle();
  EXPECT_FALSE(is_marked("old"));
  world_.pass(kDay);
  EXPECT_TRUE(is_marked("old"));
}

TEST_F(LegacyTokenCleanerTest, KeepsTokensUntilTheyWereTrackedForAYear) {
  set_tracked_since(world_.clock().now() + 600 * kDay);
  pass_days(800);
  EXPECT_FALSE(is_marked("old"));
}

TEST_F(LegacyTokenCleanerTest, KeepsTokensThatPodsUse) {
  world_.create("", "pods", "default",
                R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"robot",)"
                R"("automountServiceAccountToken":false,)"
                R"("containers":[{"name":"c","image":"i"}],)"
                R"("volumes":[{"name":"v","secret":{"secretName":"old"}}]}})");
  pass_days(800);
  ASSERT_NE(secret("old"), nullptr);
  EXPECT_FALSE(is_marked("old"));
}

}  // namespace
}  // namespace proa::controllers
