#include "controllers/access/account_tokens.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

// "signed:" and the claims.
Result<std::string> sign(const json::Value& claims) { return "signed:" + json::print(claims); }

class AccountTokensTest : public testing::Test {
 protected:
  AccountTokensTest() : AccountTokensTest(sign) {}
  explicit AccountTokensTest(Result<std::string> (*sign_token)(const json::Value& claims))
      : world_({.entries = {{"serviceaccount-token", "", make_account_token_controller}},
                .flags = {.sign_token = sign_token}}) {}

  api::ObjectPtr create_account(const std::string& name, const std::string& more = "") {
    return world_.create("", "serviceaccounts", "default",
                         R"({"metadata":{"name":")" + name + "\"}" + more + "}");
  }
  void create_token(const std::string& name, const std::string& account,
                    const std::string& more = "") {
    world_.create("", "secrets", "default",
                  R"({"metadata":{"name":")" + name +
                      R"(","annotations":{"kubernetes.io/service-account.name":")" + account +
                      "\"" + more + R"(}},"type":"kubernetes.io/service-account-token"})");
  }
  api::ObjectPtr secret(const std::string& name) {
    return world_.get("", "secrets", "default", name);
  }
  std::string value(const std::string& name, const std::string& key) {
    const json::Document document = *secret(name)->document();
    return from_base64(api::View(document.root())["data"][key].text()).value();
  }

  testkit::TestWorld world_;
};

TEST_F(AccountTokensTest, FillsSecretsForTokens) {
  const std::string uid(create_account("robot")->metadata().uid);
  create_token("token", "robot");
  world_.settle();
  EXPECT_EQ(value("token", "token"),
            R"(signed:{"iss":"kubernetes/serviceaccount",)"
            R"("kubernetes.io/serviceaccount/namespace":"default",)"
            R"("kubernetes.io/serviceaccount/secret.name":"token",)"
            R"("kubernetes.io/serviceaccount/service-account.name":"robot",)"
            R"("kubernetes.io/serviceaccount/service-account.uid":")" +
                uid + R"(","sub":"system:serviceaccount:default:robot"})");
  EXPECT_EQ(value("token", "namespace"), "default");
  EXPECT_EQ(value("token", "ca.crt"), world_.authority().certificate_pem);
  const json::Document document = *secret("token")->document();
  EXPECT_EQ(
      api::View(document.root())["metadata"]["annotations"]["kubernetes.io/service-account.uid"]
          .text(),
      uid);
}

TEST_F(AccountTokensTest, RestoresRemovedData) {
  create_account("robot");
  create_token("token", "robot");
  world_.settle();
  const std::string before = value("token", "token");
  world_.patch("", "secrets", "default", "token", R"({"data":{"token":null,"ca.crt":"bWluZQ=="}})");
  world_.settle();
  EXPECT_EQ(value("token", "token"), before);
  EXPECT_EQ(value("token", "ca.crt"), world_.authority().certificate_pem);
}

TEST_F(AccountTokensTest, TokensGoWithTheirAccount) {
  create_account("robot");
  create_account("other");
  create_token("one", "robot");
  create_token("two", "robot");
  create_token("three", "other");
  world_.settle();
  world_.remove("", "serviceaccounts", "default", "robot");
  world_.settle();
  EXPECT_EQ(secret("one"), nullptr);
  EXPECT_EQ(secret("two"), nullptr);
  EXPECT_NE(secret("three"), nullptr);
}

TEST_F(AccountTokensTest, TokensOfAnAccountThatWentMeanwhileGo) {
  create_account("robot");
  create_token("token", "robot");
  world_.settle();
  world_.remove("", "serviceaccounts", "default", "robot");
  create_account("robot");  // another one
  world_.restart();
  world_.settle();
  EXPECT_EQ(secret("token"), nullptr);
}

TEST_F(AccountTokensTest, TokensWithoutAnAccountGo) {
  create_token("token", "nobody");
  world_.settle();
  EXPECT_EQ(secret("token"), nullptr);
}

TEST_F(AccountTokensTest, RemovesDeletedTokensFromAccounts) {
  create_account("robot", R"(,"secrets":[{"name":"other"},{"name":"token"}])");
  create_token("token", "robot");
  world_.settle();
  world_.remove("", "secrets", "default", "token");
  world_.settle();
  const json::Document account = *world_.get("", "serviceaccounts", "default", "robot")->document();
  EXPECT_EQ(json::print(*api::View(account.root())["secrets"].value()), R"([{"name":"other"}])");
}

TEST_F(AccountTokensTest, LeavesOtherSecretsAlone) {
  world_.create("", "secrets", "default",
                R"({"metadata":{"name":"mine","annotations":{)"
                R"("kubernetes.io/service-account.name":"nobody"}}})");
  world_.settle();
  ASSERT_NE(secret("mine"), nullptr);
  EXPECT_EQ(value("mine", "token"), "");
}

TEST_F(AccountTokensTest, WritesNothingInASteadyState) {
  create_account("robot");
  create_token("token", "robot");
  world_.settle();
  const std::string before(secret("token")->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(secret("token")->metadata().resource_version, before);
}

class KeylessAccountTokensTest : public AccountTokensTest {
 protected:
  KeylessAccountTokensTest() : AccountTokensTest(nullptr) {}
};

TEST_F(KeylessAccountTokensTest, SecretsStayEmptyAndGoWithTheirAccount) {
  create_account("robot");
  create_token("token", "robot");
  world_.settle();
  EXPECT_EQ(value("token", "token"), "");
  world_.remove("", "serviceaccounts", "default", "robot");
  world_.settle();
  EXPECT_EQ(secret("token"), nullptr);
}

}  // namespace
}  // namespace proa::controllers
