#include "controllers/lifecycle/service_accounts.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

class ServiceAccountsTest : public testing::Test {
 protected:
  api::ObjectPtr account(std::string_view name_space) {
    return world_.get("", "serviceaccounts", name_space, "default");
  }
  api::ObjectPtr authority(std::string_view name_space) {
    return world_.get("", "configmaps", name_space, "kube-root-ca.crt");
  }

  testkit::TestWorld world_;
};

TEST_F(ServiceAccountsTest, EveryNamespaceHasThem) {
  world_.create("", "namespaces", "", R"({"metadata":{"name":"team"}})");
  world_.settle();
  for (const char* name : {"default", "kube-system", "team"}) {
    EXPECT_NE(account(name), nullptr) << name;
    ASSERT_NE(authority(name), nullptr) << name;
    EXPECT_NE(authority(name)->json().find("BEGIN CERTIFICATE"), std::string_view::npos);
  }
}

TEST_F(ServiceAccountsTest, TheyComeBack) {
  world_.settle();
  world_.remove("", "serviceaccounts", "default", "default");
  world_.remove("", "configmaps", "default", "kube-root-ca.crt");
  EXPECT_EQ(account("default"), nullptr);
  world_.settle();
  EXPECT_NE(account("default"), nullptr);
  EXPECT_NE(authority("default"), nullptr);
}

TEST_F(ServiceAccountsTest, WhatSomebodyPutIntoTheAuthorityIsTakenOutAgain) {
  world_.settle();
  ASSERT_TRUE(world_.client()
                  .patch(world_.place("", "configmaps", "default", "kube-root-ca.crt"),
                         api::PatchType::kMerge,
                         json::parse_literal(R"({"data":{"ca.crt":"mine"}})"), {}, {})
                  .ok());
  world_.settle();
  EXPECT_EQ(authority("default")->json().find("mine"), std::string_view::npos);
}

TEST_F(ServiceAccountsTest, NothingIsWrittenWhenAllIsThere) {
  world_.settle();
  const std::string before(account("default")->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(account("default")->metadata().resource_version, before);
}

}  // namespace
}  // namespace proa::controllers
