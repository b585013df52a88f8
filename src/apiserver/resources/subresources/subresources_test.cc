// Cases that the scripts in testdata/ cannot express: generated names, and concurrent clients.
#include "apiserver/resources/subresources/subresources.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "apiserver/access/tokens/service_account_tokens.h"
#include "apiserver/resources/subresources/budgets.h"
#include "json/parse.h"
#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kBudgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

class SubresourcesTest : public testing::Test {
 protected:
  json::Document get(const std::string& target) {
    return json::parse(api_.ask("GET", target).body).value();
  }
  std::string uid_of(const std::string& target) {
    return std::string(api::View(get(target).root())["metadata"]["uid"].text());
  }
  void post(const std::string& target, const std::string& body) {
    const auto answer = api_.ask("POST", target, body);
    ASSERT_EQ(answer.code, 201) << answer.body;
  }
  void patch_status(const std::string& target, const std::string& status) {
    http::Headers headers;
    headers.set("content-type", "application/merge-patch+json");
    const auto answer =
        api_.ask("PATCH", target + "/status", R"({"status":)" + status + "}", headers);
    ASSERT_EQ(answer.code, 200) << answer.body;
  }
  void make_running_pod(const std::string& name) {
    post(kPods,
         R"({"metadata":{"name":")" + name +
             R"(","labels":{"app":"x"}},"spec":{"nodeName":"n1","serviceAccountName":"robot",)"
             R"("containers":[{"name":"c","image":"nginx"}]}})");
    patch_status(kPods + "/" + name,
                 R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})");
  }
  // A new token of robot, decoded.
  ServiceAccountClaims claims_of(const std::string& spec) {
    const auto answer = api_.ask("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token",
                                 R"({"spec":)" + spec + "}");
    EXPECT_EQ(answer.code, 201) << answer.body;
    const json::Document document = json::parse(answer.body).value();
    ServiceAccountTokens::Options options;
    options.keys = {api_.token_key()};
    const auto tokens = ServiceAccountTokens::make(options).value()->verify(
        api::View(document.root())["status"]["token"].text(),
        std::vector<std::string>{"vault", options.issuer}, api_.clock().now());
    return tokens.value();
  }

  void SetUp() override {
    post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})");
  }

  testkit::RunningApi api_;
};

TEST_F(SubresourcesTest, ABindingIsForThePodOfThatUid) {
  post(kPods, R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"nginx"}]}})");
  const std::string uid = uid_of(kPods + "/a");
  post(kPods + "/a/binding",
       R"({"metadata":{"name":"a","uid":")" + uid + R"("},"target":{"name":"n1"}})");
}

TEST_F(SubresourcesTest, AnEvictionIsForThePodOfThatUid) {
  make_running_pod("a");
  const std::string uid = uid_of(kPods + "/a");
  const auto evict = [&](const std::string& wanted) {
    return api_.ask("POST", kPods + "/a/eviction",
                    R"({"metadata":{"name":"a"},"deleteOptions":{"preconditions":{"uid":")" +
                        wanted + R"("}}})");
  };
  const auto refused = evict("other");
  EXPECT_EQ(refused.code, 409);
  EXPECT_NE(refused.body.find("The object might have been deleted and then recreated"),
            std::string::npos);
  EXPECT_EQ(evict(uid).code, 201);
}

TEST_F(SubresourcesTest, EvictionsAtOnceTakeNoMoreThanTheBudgetHas) {
  constexpr int kNumber = 8;
  for (int i = 0; i < kNumber; ++i) make_running_pod("p" + std::to_string(i));
  post(
      kBudgets,
      R"({"metadata":{"name":"b"},"spec":{"minAvailable":5,"selector":{"matchLabels":{"app":"x"}}}})");
  patch_status(kBudgets + "/b",
               R"({"observedGeneration":1,"disruptionsAllowed":3,"currentHealthy":8,)"
               R"("desiredHealthy":5,"expectedPods":8})");
  std::atomic<int> evicted = 0;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < kNumber; ++i) {
      clients.emplace_back([&, name = "p" + std::to_string(i)] {
        const auto answer = api_.ask("POST", kPods + "/" + name + "/eviction",
                                     R"({"metadata":{"name":")" + name + R"("}})");
        evicted += answer.code == 201 ? 1 : 0;
        refused += answer.code == 429 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(evicted, 3);
  EXPECT_EQ(refused, kNumber - 3);
  const json::Document budget = get(kBudgets + "/b");
  const api::View status = api::View(budget.root())["status"];
  EXPECT_EQ(status["disruptionsAllowed"].integer(-1), 0);
  EXPECT_EQ(status["disruptedPods"].size(), 3u);
}

TEST(CheckBudget, TrustsNoNumbersThatCantBe) {
  const auto check = [](const std::string& status) {
    const json::Document budget =
        json::parse(R"({"metadata":{"name":"b"},"status":)" + status + "}").value();
    return check_budget(budget.root());
  };
  EXPECT_TRUE(check(R"({"disruptionsAllowed":1})").ok());
  EXPECT_EQ(check(R"({"disruptionsAllowed":-1})").status().message(),
            "poddisruptionbudget.policy \"b\" is forbidden: pdb disruptions allowed is negative");
  const auto with_disrupted = [](int count) {
    std::string pods;
    for (int i = 0; i < count; ++i) {
      pods += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":"2026-01-02T15:04:05Z")";
    }
    return R"({"disruptionsAllowed":1,"disruptedPods":{)" + pods + "}}";
  };
  EXPECT_TRUE(check(with_disrupted(2000)).ok());
  EXPECT_TRUE(check(with_disrupted(2001)).is(Reason::kForbidden));
}

TEST_F(SubresourcesTest, TokensSayWhatTheyAreBoundTo) {
  post("/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})");
  const std::string account = uid_of("/api/v1/namespaces/default/serviceaccounts/robot");
  const std::string secret = uid_of("/api/v1/namespaces/default/secrets/s");
  make_running_pod("web");
  const std::string pod = uid_of(kPods + "/web");
  const Time now = api_.clock().now();

  const ServiceAccountClaims plain = claims_of("{}");
  EXPECT_EQ(plain.user_name(), "system:serviceaccount:default:robot");
  EXPECT_EQ(plain.service_account.uid, account);
  EXPECT_EQ(plain.expires, now + std::chrono::hours(1));
  EXPECT_FALSE(plain.pod || plain.node || plain.secret || plain.warn_after);

  const std::string bound = R"("boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"web"})";
  const ServiceAccountClaims of_pod = claims_of("{" + bound + "}");
  EXPECT_EQ(of_pod.pod, (NamedObject{"web", pod}));
  // Its node is unknown to the server, but recorded.
  EXPECT_EQ(of_pod.node, (NamedObject{"n1", ""}));
  EXPECT_NE(of_pod.id, plain.id);

  const ServiceAccountClaims of_secret =
      claims_of(R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s","uid":")" +
                secret + "\"}}");
  EXPECT_EQ(of_secret.secret, (NamedObject{"s", secret}));

  post("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  const NamedObject node{"n1", uid_of("/api/v1/nodes/n1")};
  EXPECT_EQ(claims_of("{" + bound + "}").node, node);
  const ServiceAccountClaims of_node =
      claims_of(R"({"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n1"}})");
  EXPECT_EQ(of_node.node, node);
  EXPECT_FALSE(of_node.pod);
}

TEST_F(SubresourcesTest, TokensOfPodsLastLongerThanTheySay) {
  make_running_pod("web");
  const Time now = api_.clock().now();
  const std::string seconds = R"("expirationSeconds":3607)";
  const std::string bound = R"("boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"web"})";
  const ServiceAccountClaims extended = claims_of("{" + seconds + "," + bound + "}");
  EXPECT_EQ(extended.expires, now + std::chrono::hours(365 * 24));
  EXPECT_EQ(extended.warn_after, now + std::chrono::seconds(3607));
  // Only audiences of this server, and only those that a pod requests.
  for (const std::string& spec :
       {"{" + seconds + "}", "{" + seconds + "," + bound + R"(,"audiences":["vault"]})"}) {
    const ServiceAccountClaims claims = claims_of(spec);
    EXPECT_EQ(claims.expires, now + std::chrono::seconds(3607)) << spec;
    EXPECT_FALSE(claims.warn_after) << spec;
  }
}

}  // namespace
}  // namespace proa::apiserver
