#include "apiserver/resources/virtual/access_reviews.h"

#include <gtest/gtest.h>

#include "apiserver/access/authz/authorizer.h"
#include "json/parse.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

std::string selectors_text(const Attributes& attributes) {
  std::string text;
  for (const api::FieldSelector::Term& term : attributes.fields) {
    text += " " + term.field + (term.equal ? "=" : "!=") + term.value;
  }
  for (const api::LabelSelector::Requirement& requirement : attributes.labels) {
    text += " " + requirement.key + "~" + std::to_string(static_cast<int>(requirement.op));
    for (const std::string& value : requirement.values) text += "," + value;
  }
  return text;
}

class Answers final : public Authorizer {
 public:
  Verdict authorize(const Attributes& attributes) override {
    const User& user = *attributes.user;
    asked = user.name + "(" + user.uid;
    for (const std::string& group : user.groups) asked += " " + group;
    for (const auto& [key, values] : user.extra) {
      asked += " " + key + ":";
      for (const std::string& value : values) asked += value + ";";
    }
    asked += ") " + std::string(attributes.verb) + " ";
    if (attributes.is_resource) {
      for (const std::string_view part :
           {attributes.group, attributes.version, attributes.resource, attributes.subresource,
            attributes.name_space, attributes.name}) {
        asked.append(part).append("|");
      }
    } else {
      asked += attributes.path;
    }
    asked += selectors_text(attributes);
    return verdict;
  }
  void list_rules(const User&, std::string_view, RuleList&) override {}

  Verdict verdict;
  std::string asked = "nothing";
};

using Review = Result<Answer> (*)(const ApiContext& context, Call& call);

class AccessReviewsTest : public testing::Test {
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
            .authorizer = answers_};
  }
  std::string post(Review review, std::string_view resource, const std::string& body,
                   const std::string& name_space = "") {
    Request request = cluster_.request("authorization.k8s.io", resource, "");
    request.verb = api::Verb::kCreate;
    request.name_space = name_space;
    request.user = std::make_shared<const User>(
        User{.name = "jane", .uid = "7", .groups = {"devs"}, .extra = {}});
    Call call{std::move(request),
              WriteOptions{},
              {.content_type = "application/json", .bytes = Bytes(std::string(body))}};
    const auto answer = review(context(), call);
    if (!answer.ok()) {
      return std::to_string(answer.status().code()) + " " + answer.status().message();
    }
    EXPECT_EQ(answer->code, 201);
    return std::string(answer->object->json());
  }
  std::string post_subject(const std::string& spec, const std::string& more = "") {
    return post(create_subject_access_review, "subjectaccessreviews",
                R"({"spec":)" + spec + more + "}");
  }
  std::string post_self(const std::string& spec, const std::string& more = "") {
    return post(create_self_subject_access_review, "selfsubjectaccessreviews",
                R"({"spec":)" + spec + more + "}");
  }
  std::string post_local(const std::string& spec, const std::string& metadata = "{}") {
    return post(create_local_subject_access_review, "localsubjectaccessreviews",
                R"({"metadata":)" + metadata + R"(,"spec":)" + spec + "}", "ns");
  }
  static std::string status_of(const std::string& answer) {
    const size_t at = answer.find("\"status\":");
    return at == std::string::npos ? answer : answer.substr(at, answer.size() - at - 1);
  }

  testkit::TestCluster cluster_{{}};
  Answers answers_;
};

const std::string kPods = R"({"verb":"get","resource":"pods","namespace":"ns"})";

TEST_F(AccessReviewsTest, AsksForSomebody) {
  answers_.verdict = {Decision::kAllow, "because"};
  EXPECT_EQ(post_subject(R"({"user":"bob","uid":"u","groups":["a","b"],"extra":{"k":["v","w"]},)"
                         R"("resourceAttributes":{"verb":"get","group":"apps","version":"v1",)"
                         R"("resource":"deployments","subresource":"scale","namespace":"ns",)"
                         R"("name":"web"}})"),
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},)"
            R"("spec":{"resourceAttributes":{"namespace":"ns","verb":"get","group":"apps",)"
            R"("version":"v1","resource":"deployments","subresource":"scale","name":"web"},)"
            R"("user":"bob","groups":["a","b"],"extra":{"k":["v","w"]},"uid":"u"},)"
            R"("status":{"allowed":true,"reason":"because"}})");
  EXPECT_EQ(answers_.asked, "bob(u a b k:v;w;) get apps|v1|deployments|scale|ns|web|");
}

TEST_F(AccessReviewsTest, AsksForTheCaller) {
  answers_.verdict = {Decision::kAllow};
  EXPECT_EQ(status_of(post_self(R"({"resourceAttributes":)" + kPods + "}")),
            R"("status":{"allowed":true})");
  EXPECT_EQ(answers_.asked, "jane(7 devs) get |*|pods||ns||");
  // Always for the caller, whatever the body says.
  post_self(R"({"user":"admin","groups":["system:masters"],"resourceAttributes":)" + kPods + "}");
  EXPECT_EQ(answers_.asked, "jane(7 devs) get |*|pods||ns||");
}

TEST_F(AccessReviewsTest, AsksForPaths) {
  post_self(R"({"nonResourceAttributes":{"verb":"get","path":"/metrics"}})");
  EXPECT_EQ(answers_.asked, "jane(7 devs) get /metrics");
}

TEST_F(AccessReviewsTest, AsksForOneNamespace) {
  answers_.verdict = {Decision::kAllow};
  const std::string spec = R"({"user":"bob","resourceAttributes":)" + kPods + "}";
  const std::string answer = post_local(spec);
  EXPECT_NE(answer.find(R"("metadata":{"namespace":"ns"})"), std::string::npos) << answer;
  EXPECT_EQ(answers_.asked, "bob() get |*|pods||ns||");
  EXPECT_EQ(post_local(spec, R"({"namespace":"ns"})"), answer);

  answers_.asked = "nothing";
  EXPECT_EQ(post_local(spec, R"({"namespace":"other"})"),
            "400 the namespace of the provided object does not match the namespace sent on the "
            "request");
  EXPECT_EQ(post_local(R"({"user":"bob","resourceAttributes":{"verb":"get","resource":"pods",)"
                       R"("namespace":"kube-system"}})"),
            "422 .authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid "
            "value: \"kube-system\": must match metadata.namespace");
  EXPECT_EQ(post_local(R"({"user":"bob","resourceAttributes":{"verb":"get","resource":"nodes"}})"),
            "422 .authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid "
            "value: \"\": must match metadata.namespace");
  EXPECT_TRUE(post_local(R"({"user":"bob","nonResourceAttributes":{"verb":"get","path":"/"}})")
                  .ends_with("disallowed on this kind of request"));
  EXPECT_EQ(answers_.asked, "nothing");
}

TEST_F(AccessReviewsTest, TellsWhatWasDecided) {
  const std::string spec = R"({"resourceAttributes":)" + kPods + "}";
  EXPECT_EQ(status_of(post_self(spec)), R"("status":{"allowed":false})");
  answers_.verdict = {Decision::kNoOpinion, "RBAC: role \"x\" not found"};
  EXPECT_EQ(status_of(post_self(spec)),
            R"("status":{"allowed":false,"reason":"RBAC: role \"x\" not found"})");
  answers_.verdict = {Decision::kDeny, "never"};
  EXPECT_EQ(status_of(post_self(spec)),
            R"("status":{"allowed":false,"denied":true,"reason":"never"})");
  // Not the client's value.
  EXPECT_EQ(status_of(post_self(spec, R"(,"status":{"allowed":true,"evaluationError":"x"})")),
            R"("status":{"allowed":false,"denied":true,"reason":"never"})");
}

TEST_F(AccessReviewsTest, RefusesWhatMakesNoSense) {
  const std::string invalid = "422 .authorization.k8s.io \"\" is invalid: ";
  EXPECT_EQ(post_self("{}"), invalid +
                                 "spec.resourceAttributes: Invalid value: null: exactly one of "
                                 "nonResourceAttributes or resourceAttributes must be specified");
  EXPECT_EQ(post_subject(R"({"resourceAttributes":)" + kPods + "}"),
            invalid +
                "spec.user: Invalid value: \"\": at least one of user or group must be "
                "specified");
  EXPECT_TRUE(post_self(R"({"resourceAttributes":)" + kPods +
                        R"(,"nonResourceAttributes":{"path":"/","verb":"get"}})")
                  .ends_with("cannot be specified in combination with resourceAttributes"));
  EXPECT_TRUE(post_self(R"({"resourceAttributes":)" + kPods + "}", R"(,"metadata":{"name":"x"})")
                  .ends_with("must be empty"));
  EXPECT_EQ(post_self("7").substr(0, 4), "400 ");
  EXPECT_EQ(post_self(R"({"resourceAttributes":[]})").substr(0, 4), "400 ");
  EXPECT_EQ(answers_.asked, "nothing");
}

TEST_F(AccessReviewsTest, TakesSelectorsAsTheyAreUnderstood) {
  const auto ask = [this](const std::string& selectors) {
    const std::string answer =
        post_self(R"({"resourceAttributes":{"verb":"list","resource":"pods",)" + selectors + "}}");
    return status_of(answer);
  };
  const std::string fine = R"("status":{"allowed":false})";
  const auto ignored = [](const std::string& what) {
    return R"("status":{"allowed":false,"evaluationError":")" + what + R"("})";
  };
  const std::string fields = "spec.resourceAttributes.fieldSelector";
  const std::string labels = "spec.resourceAttributes.labelSelector";
  const std::string asked = "jane(7 devs) list |*|pods||||";
  const struct {
    std::string selectors;
    std::string status;
    std::string terms;
  } cases[] = {
      {R"("fieldSelector":{"rawSelector":"spec.nodeName=n,a!=b"})", fine, " a!=b spec.nodeName=n"},
      {R"("fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]},)"
       R"({"key":"c","operator":"NotIn","values":["d"]}]})",
       fine, " a=b c!=d"},
      {R"("fieldSelector":{"rawSelector":"a"})", ignored(fields + " ignored due to parse error"),
       ""},
      {R"("fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["b","c"]},)"
       R"({"key":"c","operator":"NotIn","values":["d"]},{"key":"e","operator":"Exists"},)"
       R"({"key":"f","operator":"Future"}]})",
       ignored(fields + " partially ignored due to parse error"), " c!=d"},
      {R"("labelSelector":{"rawSelector":"a in (y,x),!b"})", fine, " a~0,x,y b~6"},
      {R"("labelSelector":{"requirements":[{"key":"a","operator":"In","values":["y","x"]},)"
       R"({"key":"b","operator":"DoesNotExist"},{"key":"c","operator":"Exists"},)"
       R"({"key":"d","operator":"NotIn","values":["z"]}]})",
       fine, " a~0,x,y b~6 c~5 d~1,z"},
      {R"("labelSelector":{"rawSelector":"a in ("})",
       ignored(labels + " ignored due to parse error"), ""},
      {R"("labelSelector":{"requirements":[{"key":"a","operator":"Future"}]},)"
       R"("fieldSelector":{"requirements":[{"key":"a","operator":"Future"}]})",
       ignored(fields + " ignored due to parse error; " + labels + " ignored due to parse error"),
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.selectors);
    EXPECT_EQ(ask(c.selectors), c.status);
    EXPECT_EQ(answers_.asked, asked + c.terms);
  }
  EXPECT_TRUE(ask(R"("fieldSelector":{})")
                  .ends_with("when spec.resourceAttributes.fieldSelector is specified, "
                             "requirements or rawSelector is required"));
}

}  // namespace
}  // namespace proa::apiserver
