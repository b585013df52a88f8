#include "apiserver/front/http/http_request.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

struct Case {
  const char* name;
  const char* method;
  const char* target;
  const char* body;
  http::Headers headers = {};
  uint64_t queries = 1;
};

// In order: each depends on the state that the previous one left.
TEST(HttpRequest, IsParsedOnceWhateverItAsksFor) {
  testkit::RunningApi api;
  http::Headers merge;
  merge.set("content-type", "application/merge-patch+json");
  http::Headers impersonated;
  impersonated.set("impersonate-user", "jane");
  impersonated.set("impersonate-group", "system:masters");
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  const std::string one = maps + "/a";
  const std::string list = maps + "?labelSelector=a%3Db&fieldSelector=metadata.name%3Da&limit=5";
  const std::string create = maps + "?dryRun=All&fieldManager=me";
  const std::string removal = one + "?gracePeriodSeconds=0";
  const Case cases[] = {
      {"dry-run create", "POST", create.c_str(), R"({"metadata":{"name":"b"}})"},
      {"create", "POST", maps.c_str(), R"({"metadata":{"name":"a"}})"},
      // A get has nothing but a resourceVersion, which is looked up in the parsed target.
      {"get", "GET", one.c_str(), "", {}, 0},
      {"list", "GET", list.c_str(), ""},
      {"list, decided on the pool", "GET", list.c_str(), "", impersonated},
      {"update", "PUT", one.c_str(), R"({"metadata":{"name":"a"}})"},
      {"patch", "PATCH", one.c_str(), R"({"data":{"k":"v"}})", merge},
      {"delete by query", "DELETE", removal.c_str(), ""},
      {"delete of a collection", "DELETE", list.c_str(),
       R"({"kind":"DeleteOptions","apiVersion":"v1"})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const uint64_t requests = HttpRequest::count();
    const uint64_t queries = queries_read();
    const auto answer = api.ask(c.method, c.target, c.body, c.headers);
    EXPECT_LT(answer.code, 300) << answer.body;
    EXPECT_EQ(HttpRequest::count() - requests, 1u);
    EXPECT_EQ(queries_read() - queries, c.queries);
  }
}

TEST(HttpRequest, HasATimeout) {
  testkit::RunningApi api;
  const struct {
    const char* target;
    int code;
  } cases[] = {
      {"/version?timeout=invalid", 400},
      {"/version?timeout=3m", 200},
      {"/version?timeout=0s", 200},
      {"/version?timeout=", 200},
      {"/api/v1/namespaces/default/configmaps?timeout=5", 400},
      {"/api/v1/namespaces/default/configmaps?timeout=5s", 200},
      // A stream has none.
      {"/api/v1/namespaces/default/pods/none/log?timeout=invalid", 404},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.target);
    const auto answer = api.ask("GET", c.target);
    EXPECT_EQ(answer.code, c.code) << answer.body;
    if (c.code != 400) continue;
    EXPECT_NE(answer.body.find("invalid timeout specified in the request URL - time: "),
              std::string::npos)
        << answer.body;
  }
}

}  // namespace
}  // namespace proa::apiserver
