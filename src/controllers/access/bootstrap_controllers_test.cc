#include "controllers/access/bootstrap_controllers.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "controllers/access/bootstrap_tokens.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

class BootstrapTest : public testing::Test {
 protected:
  explicit BootstrapTest(std::vector<ControllerEntry> entries) : world_(std::move(entries)) {}

  void create_token(const std::string& id, const std::string& more = "") {
    world_.create("", "secrets", "kube-system",
                  R"({"metadata":{"name":"bootstrap-token-)" + id +
                      R"("},"type":"bootstrap.kubernetes.io/token","stringData":{"token-id":")" +
                      id + R"(","token-secret":"0123456789abcdef",)" + more +
                      R"("usage-bootstrap-signing":"true"}})");
  }
  std::string ends_in(Duration time) {
    return R"("expiration":")" + format_time(world_.clock().now() + time) + R"(",)";
  }

  testkit::TestWorld world_;
};

class BootstrapSignerTest : public BootstrapTest {
 protected:
  BootstrapSignerTest()
      : BootstrapTest(std::vector<ControllerEntry>{
            {"bootstrapsigner", "bootstrap-signer", make_bootstrap_signer}}) {
    if (world_.get("", "namespaces", "", "kube-public") == nullptr) {
      world_.create("", "namespaces", "", R"({"metadata":{"name":"kube-public"}})");
    }
  }

  void create_map() {
    world_.create("", "configmaps", "kube-public",
                  R"({"metadata":{"name":"cluster-info"},"data":{"kubeconfig":"here","x":"y"}})");
  }
  api::ObjectPtr map() { return world_.get("", "configmaps", "kube-public", "cluster-info"); }
  std::string value(const std::string& key) {
    const json::Document document = *map()->document();
    return std::string(api::View(document.root())["data"][key].text());
  }
};

TEST_F(BootstrapSignerTest, SignsWithEveryToken) {
  create_map();
  create_token("aaaaaa");
  create_token("bbbbbb");
  world_.settle();
  EXPECT_EQ(value("jws-kubeconfig-aaaaaa"),
            detached_signature("here", {"aaaaaa", "0123456789abcdef"}));
  EXPECT_EQ(value("jws-kubeconfig-bbbbbb"),
            detached_signature("here", {"bbbbbb", "0123456789abcdef"}));
  EXPECT_EQ(value("x"), "y");
}

TEST_F(BootstrapSignerTest, FollowsTheDocumentAndTheTokens) {
  create_token("aaaaaa");
  create_token("bbbbbb");
  world_.settle();
  create_map();
  world_.settle();
  EXPECT_NE(value("jws-kubeconfig-aaaaaa"), "");
  world_.patch("", "configmaps", "kube-public", "cluster-info",
               R"({"data":{"kubeconfig":"there"}})");
  world_.remove("", "secrets", "kube-system", "bootstrap-token-bbbbbb");
  world_.settle();
  EXPECT_EQ(value("jws-kubeconfig-aaaaaa"),
            detached_signature("there", {"aaaaaa", "0123456789abcdef"}));
  EXPECT_EQ(value("jws-kubeconfig-bbbbbb"), "");
}

TEST_F(BootstrapSignerTest, TokensThatAreOverSignNoMore) {
  create_map();
  create_token("aaaaaa", ends_in(std::chrono::minutes(10)));
  world_.settle();
  EXPECT_NE(value("jws-kubeconfig-aaaaaa"), "");
  world_.pass(std::chrono::minutes(9));
  EXPECT_NE(value("jws-kubeconfig-aaaaaa"), "");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(value("jws-kubeconfig-aaaaaa"), "");
}

TEST_F(BootstrapSignerTest, WritesNothingInASteadyState) {
  create_map();
  create_token("aaaaaa");
  world_.settle();
  const std::string before(map()->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(map()->metadata().resource_version, before);
}

TEST_F(BootstrapSignerTest, SignsNothingWithoutADocument) {
  create_token("aaaaaa");
  world_.settle();
  EXPECT_EQ(map(), nullptr);
  world_.create("", "configmaps", "kube-public", R"({"metadata":{"name":"cluster-info"}})");
  world_.settle();
  EXPECT_EQ(value("jws-kubeconfig-aaaaaa"), "");
}

class TokenCleanerTest : public BootstrapTest {
 protected:
  TokenCleanerTest()
      : BootstrapTest(std::vector<ControllerEntry>{
            {"tokencleaner", "token-cleaner", make_bootstrap_token_cleaner}}) {}

  bool is_there(const std::string& id) {
    return world_.get("", "secrets", "kube-system", "bootstrap-token-" + id) != nullptr;
  }
};

TEST_F(TokenCleanerTest, DeletesWhatIsOverWhenItIs) {
  create_token("aaaaaa", ends_in(std::chrono::hours(1)));
  create_token("bbbbbb", ends_in(std::chrono::hours(3)));
  create_token("cccccc");
  world_.pass(std::chrono::minutes(59));
  EXPECT_TRUE(is_there("aaaaaa"));
  world_.pass(std::chrono::minutes(2));
  EXPECT_FALSE(is_there("aaaaaa"));
  EXPECT_TRUE(is_there("bbbbbb"));
  world_.restart();
  world_.pass(std::chrono::hours(2));
  EXPECT_FALSE(is_there("bbbbbb"));
  EXPECT_TRUE(is_there("cccccc"));
}

TEST_F(TokenCleanerTest, GoesByTheEndAsItIsNow) {
  create_token("aaaaaa", ends_in(std::chrono::hours(1)));
  world_.settle();
  world_.patch("", "secrets", "kube-system", "bootstrap-token-aaaaaa",
               R"({"data":{"expiration":null}})");
  world_.pass(std::chrono::hours(2));
  EXPECT_TRUE(is_there("aaaaaa"));
  world_.patch("", "secrets", "kube-system", "bootstrap-token-aaaaaa",
               R"({"stringData":{"expiration":"no time"}})");
  world_.settle();
  EXPECT_FALSE(is_there("aaaaaa"));
}

TEST_F(TokenCleanerTest, LeavesOtherSecretsAlone) {
  world_.create(
      "", "secrets", "kube-system",
      R"({"metadata":{"name":"mine"},"stringData":{"expiration":"2000-01-01T00:00:00Z"}})");
  world_.settle();
  EXPECT_NE(world_.get("", "secrets", "kube-system", "mine"), nullptr);
}

}  // namespace
}  // namespace proa::controllers
