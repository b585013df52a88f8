#include "controllers/framework/freshness.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

class FreshnessTest : public testing::Test {
 protected:
  FreshnessTest() { informer_.poll(); }

  api::ObjectPtr create(const char* name) {
    return world_.create("", "configmaps", "default",
                         R"({"metadata":{"name":")" + std::string(name) + "\"}}");
  }

  static client::Selector config_maps() {
    client::Selector selector;
    selector.place.resource = api::builtin_schema().find_resource("", "v1", "configmaps");
    return selector;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{}};
  SeededRandom random_{1};
  client::Informer informer_{world_.client(), world_.clock(), random_, config_maps()};
  Freshness freshness_{informer_};
  const client::Key key_{"default", "owner"};
};

TEST_F(FreshnessTest, WaitsForTheCacheAfterAWrite) {
  EXPECT_TRUE(freshness_.is_fresh(key_));
  freshness_.wrote(key_, *create("a"));
  EXPECT_FALSE(freshness_.is_fresh(key_));
  EXPECT_TRUE(freshness_.is_fresh({"default", "other"}));
  informer_.poll();
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

TEST_F(FreshnessTest, WaitsForTheCacheAfterADeletion) {
  const api::ObjectPtr object = create("a");
  informer_.poll();
  world_.remove("", "configmaps", "default", "a");
  freshness_.removed(key_, *object);
  EXPECT_FALSE(freshness_.is_fresh(key_));
  informer_.poll();
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

TEST_F(FreshnessTest, ChecksUnknownOutcomesWithTheServer) {
  create("a");
  freshness_.failed(key_, Status(Reason::kServiceUnavailable, "the connection was lost"));
  EXPECT_FALSE(freshness_.is_fresh(key_));
  informer_.poll();
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

TEST_F(FreshnessTest, ChecksDeletionsWithTheServer) {
  create("a");
  create("b");
  informer_.poll();
  world_.remove("", "configmaps", "default", "b");
  freshness_.failed(key_, Status(Reason::kServiceUnavailable, "the connection was lost"));
  EXPECT_FALSE(freshness_.is_fresh(key_));
  informer_.poll();
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

TEST_F(FreshnessTest, WaitsForTheCacheAfterNotFound) {
  const api::ObjectPtr object = create("a");
  informer_.poll();
  world_.remove("", "configmaps", "default", "a");
  freshness_.gone(key_, *object);
  EXPECT_FALSE(freshness_.is_fresh(key_));
  informer_.poll();
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

TEST_F(FreshnessTest, ARefusedWriteWasNotDone) {
  create("a");
  freshness_.failed(key_, Status(Reason::kForbidden, "exceeded quota"));
  EXPECT_TRUE(freshness_.is_fresh(key_));
}

}  // namespace
}  // namespace proa::controllers
