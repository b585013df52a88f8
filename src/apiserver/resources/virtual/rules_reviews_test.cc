#include "apiserver/resources/virtual/rules_reviews.h"

#include <gtest/gtest.h>

#include "apiserver/access/authz/authorizer.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

class Lists final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override { return {}; }
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override {
    asked = user.name + " in " + std::string(name_space);
    rules = listed;
  }

  RuleList listed;
  std::string asked;
};

class RulesReviewsTest : public testing::Test {
 protected:
  ApiContext context() {
    const ApiContext& plain = cluster_.context;
    return {.store = plain.store,
            .schema = plain.schema,
            .defaulting = plain.defaulting,
            .clock = plain.clock,
            .random = plain.random,
            .hooks = plain.hooks,
            .admission = plain.admission,
            .authorizer = lists_};
  }
  std::string post(const std::string& body) {
    Request request = cluster_.request("authorization.k8s.io", "selfsubjectrulesreviews", "");
    request.user = std::make_shared<const User>(User{.name = "jane"});
    Call call{std::move(request),
              WriteOptions{},
              {.content_type = "application/json", .bytes = Bytes(std::string(body))}};
    const auto answer = create_self_subject_rules_review(context(), call);
    if (!answer.ok()) {
      return std::to_string(answer.status().code()) + " " + answer.status().message();
    }
    EXPECT_EQ(answer->code, 201);
    return std::string(answer->object->json());
  }

  testkit::TestCluster cluster_{{}};
  Lists lists_;
};

const std::string kHead = R"({"kind":"SelfSubjectRulesReview",)"
                          R"("apiVersion":"authorization.k8s.io/v1","metadata":{},"spec":{},)";

TEST_F(RulesReviewsTest, ListsWhatTheCallerMayDo) {
  lists_.listed.resources = {
      {.verbs = {"get", "list"}, .groups = {"", "apps"}, .resources = {"*"}, .names = {}},
      {.verbs = {"*"}, .groups = {""}, .resources = {"secrets"}, .names = {"mine"}}};
  lists_.listed.paths = {{.verbs = {"get"}, .paths = {"/healthz", "/version/*"}}};
  EXPECT_EQ(post(R"({"spec":{"namespace":"ns"}})"),
            kHead + R"("status":{"resourceRules":[)"
                    R"({"verbs":["get","list"],"apiGroups":["","apps"],"resources":["*"]},)"
                    R"({"verbs":["*"],"apiGroups":[""],"resources":["secrets"],)"
                    R"("resourceNames":["mine"]}],"nonResourceRules":[)"
                    R"({"verbs":["get"],"nonResourceURLs":["/healthz","/version/*"]}],)"
                    R"("incomplete":false}})");
  EXPECT_EQ(lists_.asked, "jane in ns");
}

TEST_F(RulesReviewsTest, SaysThatItIsNotAll) {
  lists_.listed.incomplete = true;
  lists_.listed.error = "webhook authorizer does not support user rule resolution";
  EXPECT_EQ(post(R"({"spec":{"namespace":"ns"}})"),
            kHead + R"("status":{"resourceRules":[],"nonResourceRules":[],"incomplete":true,)"
                    R"("evaluationError":"webhook authorizer does not support user rule )"
                    R"(resolution"}})");
}

TEST_F(RulesReviewsTest, NeedsANamespace) {
  EXPECT_EQ(post(R"({"spec":{}})"), "400 no namespace on request");
  EXPECT_EQ(post("{}"), "400 no namespace on request");
  EXPECT_EQ(post("[").substr(0, 4), "400 ");
  EXPECT_EQ(lists_.asked, "");
}

}  // namespace
}  // namespace proa::apiserver
