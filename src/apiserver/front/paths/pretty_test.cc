#include "apiserver/front/paths/pretty.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

using testkit::RunningApi;

TEST(Pretty, IsForPeopleAndForThoseWhoAsk) {
  struct Case {
    const char* agent;
    const char* query;
    bool pretty;
  };
  RunningApi api;
  for (const Case& c : {Case{"kubectl/v1.36.0", "", false}, Case{"curl/8.5.0", "", true},
                        Case{"Wget/1.21", "", true}, Case{"Mozilla/5.0 (X11)", "", true},
                        Case{"Mozilla/4.0", "", false}, Case{"kubectl", "?pretty=true", true},
                        Case{"kubectl", "?pretty=1", true}, Case{"curl", "?pretty=false", false},
                        Case{"curl", "?pretty=yes", false}, Case{"curl", "?pretty=", true}}) {
    for (const char* path : {"/api/v1/namespaces/default", "/api/v1/namespaces", "/api",
                             "/apis/apps/v1", "/api/v1/namespaces/nothing"}) {
      const auto answer =
          api.ask("GET", std::string(path) + c.query, {}, {{"user-agent", c.agent}});
      EXPECT_EQ(answer.body.starts_with("{\n  \"kind\": "), c.pretty)
          << path << c.query << " " << c.agent << " " << answer.body.substr(0, 40);
    }
  }
}

TEST(Pretty, HoldsForWritesAndRefusals) {
  RunningApi api;
  const http::Headers curl = {{"user-agent", "curl/8.5.0"}};
  const auto made = api.ask("POST", "/api/v1/namespaces/default/configmaps",
                            R"({"metadata":{"name":"a"},"data":{"x":"{\"a\": 1}"}})", curl);
  EXPECT_EQ(made.code, 201);
  EXPECT_NE(made.body.find("\n  \"data\": {\n    \"x\": \"{\\\"a\\\": 1}\"\n  }"),
            std::string::npos)
      << made.body;
  http::Headers nobody = curl;
  nobody.set("authorization", "Bearer nonsense");
  nobody.set("impersonate-user", "nobody");
  const auto refused = api.ask("GET", "/api/v1/secrets", {}, nobody);
  EXPECT_GE(refused.code, 400);
  EXPECT_TRUE(refused.body.starts_with("{\n  \"kind\": \"Status\",")) << refused.body;
}

TEST(Pretty, DoesNotMakeSmallAnswersEnormous) {
  RunningApi api;
  std::string deep = std::string(480, '[') + "0";
  for (int i = 0; i < 20'000; ++i) deep += ",0";
  deep += std::string(480, ']');
  const std::string review =
      R"({"metadata":{"managedFields":[{"manager":"x","operation":"Update","apiVersion":"v1",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"a":)" +
      deep + R"(}}]},"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}})";
  const auto answer = api.ask(
      "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?pretty=true", review, {});
  EXPECT_EQ(answer.code, 201);
  EXPECT_LT(answer.body.size(), 2 * review.size());
}

TEST(Pretty, LeavesProtobufAlone) {
  RunningApi api;
  const auto answer = api.ask("GET", "/api/v1/namespaces/default?pretty=true", {},
                              {{"accept", "application/vnd.kubernetes.protobuf"}});
  EXPECT_TRUE(answer.body.starts_with("k8s")) << answer.body.substr(0, 10);
}

}  // namespace
}  // namespace proa::apiserver
