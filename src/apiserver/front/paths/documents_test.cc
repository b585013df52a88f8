#include "apiserver/front/paths/documents.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

using testkit::RunningApi;

constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

class DocumentPathsTest : public testing::Test {
 protected:
  RunningApi::Answer ask(std::string_view path, const http::Headers& headers) {
    return api_.ask("GET", path, {}, headers);
  }

  RunningApi api_;
};

TEST_F(DocumentPathsTest, LetAggregatedDiscoveryBeKept) {
  for (const std::string_view path : {"/api", "/apis"}) {
    SCOPED_TRACE(path);
    const auto first = ask(path, {{"accept", kAggregated}});
    EXPECT_EQ(first.code, 200);
    EXPECT_EQ(first.headers.get("content-type"), kAggregated);
    EXPECT_EQ(first.headers.get("cache-control"), "public");
    EXPECT_EQ(first.headers.get("vary"), "Accept");
    const std::string tag(first.headers.get("etag"));
    EXPECT_EQ(tag.size(), 130u);
    const auto again = ask(path, {{"accept", kAggregated}, {"if-none-match", tag}});
    EXPECT_EQ(again.code, 304);
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.headers.get("etag"), tag);
    EXPECT_FALSE(again.headers.has("content-type"));
  }
}

TEST_F(DocumentPathsTest, GiveLegacyDiscoveryInEachEncoding) {
  for (const std::string_view path : {"/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1"}) {
    SCOPED_TRACE(path);
    for (const char* type :
         {"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}) {
      const auto found = ask(path, {{"accept", type}});
      EXPECT_EQ(found.code, 200);
      EXPECT_EQ(found.headers.get("content-type"), type);
      EXPECT_EQ(found.headers.get("cache-control"), "no-cache, private");
      EXPECT_FALSE(found.headers.has("vary"));
      EXPECT_FALSE(found.headers.has("etag"));
    }
    EXPECT_EQ(ask(path, {{"accept", "text/html"}}).code, 406);
  }
  EXPECT_NE(
      ask("/apis/apps/v1", {{"accept", "application/yaml"}}).body.find("kind: APIResourceList\n"),
      std::string::npos);
}

TEST_F(DocumentPathsTest, SayHowLongOpenApiMayBeKept) {
  EXPECT_EQ(ask("/openapi/v3", {}).headers.get("cache-control"), "no-cache, private");
  EXPECT_EQ(ask("/openapi/v3/apis/apps/v1", {}).headers.get("cache-control"), "no-cache, private");
}

}  // namespace
}  // namespace proa::apiserver
