#include "apiserver/front/paths/debug/zpages.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/running_api.h"
#include "testkit/fake_clock.h"
#include "testkit/http/http2_client.h"

namespace proa::apiserver {
namespace {

class ZPagesTest : public testing::Test {
 protected:
  http::Response ask(const char* target, const char* accept) {
    http::RequestHead head{.method = "GET", .target = target};
    if (*accept != '\0') head.headers.add("accept", accept);
    return pages_.answer(head, *http::parse_target(target)).value();
  }

  SystemClock clock_;
  ZPages pages_{R"({"major":"1","minor":"36","gitVersion":"v1.36.4+proa","goVersion":"g++ 12"})",
                {{"listen", "127.0.0.1:6443"}, {"empty", ""}},
                clock_};
};

constexpr const char* kHead =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

TEST_F(ZPagesTest, AreTextForPeople) {
  for (const char* accept :
       {"", "text/plain", "*/*", "text/*", "application/json;v=foo;g=config.k8s.io;as=Flagz,*/*"}) {
    SCOPED_TRACE(accept);
    const http::Response flags = ask("/flagz", accept);
    EXPECT_EQ(flags.status, 200);
    EXPECT_EQ(flags.headers.get("content-type"), "text/plain; charset=utf-8");
    EXPECT_FALSE(flags.headers.has("x-content-type-options"));
    EXPECT_EQ(flags.body.view(),
              "\napiserver flagz\n" + std::string(kHead) + "empty=\nlisten=127.0.0.1:6443\n");
  }
  const std::string status(ask("/statusz", "").body.view());
  EXPECT_TRUE(status.starts_with("\napiserver statusz\n" + std::string(kHead) + "\nStarted: "))
      << status;
  for (const char* line :
       {"\nUp: 0 hr ", "\nGo version: g++ 12\n", "\nBinary version: 1.36.4+proa\n",
        "\nEmulation version: 1.36\n",
        "\nPaths: /flagz /healthz /livez /metrics /readyz /statusz /version\n"}) {
    EXPECT_NE(status.find(line), std::string::npos) << line << status;
  }
}

TEST_F(ZPagesTest, AreObjectsForThoseWhoAskForThem) {
  const http::Response json = ask("/flagz", "application/json;v=v1beta1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(json.headers.get("content-type"),
            "application/json;g=config.k8s.io;v=v1beta1;as=Flagz");
  EXPECT_EQ(
      json.body.view(),
      R"({"kind":"Flagz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},)"
      R"("flags":{"empty":"","listen":"127.0.0.1:6443"}})"
      "\n");
  EXPECT_FALSE(json.headers.has("warning"));
  const http::Response yaml = ask("/flagz", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(yaml.headers.get("content-type"),
            "application/yaml;g=config.k8s.io;v=v1alpha1;as=Flagz");
  EXPECT_NE(yaml.body.view().find("kind: Flagz\n"), std::string_view::npos) << yaml.body.view();
  EXPECT_EQ(yaml.headers.get("warning"),
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer "
            "version.\"");
  const std::string status(
      ask("/statusz", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz").body.view());
  EXPECT_TRUE(status.starts_with(
      R"({"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"apiserver"},)"
      R"("startTime":"2)"))
      << status;
  EXPECT_NE(status.find(R"("goVersion":"g++ 12","binaryVersion":"1.36.4+proa",)"
                        R"("emulationVersion":"1.36","paths":["/flagz","/healthz","/livez",)"
                        R"("/metrics","/readyz","/statusz","/version"])"),
            std::string::npos)
      << status;
}

TEST_F(ZPagesTest, RefuseOtherForms) {
  for (const char* accept :
       {"application/xml", "application/json", "application/json;v=v1beta1;g=config.k8s.io",
        "application/json;v=v1beta1;g=config.k8s.io;as=Statusz", "text/plain;as=Flagz",
        "application/vnd.kubernetes.protobuf"}) {
    SCOPED_TRACE(accept);
    const http::Response refused = ask("/flagz", accept);
    EXPECT_EQ(refused.status, 406);
    EXPECT_NE(
        refused.body.view().find("only the following media types are accepted: "
                                 "application/json;g=config.k8s.io;v=v1beta1;as=Flagz, "
                                 "application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz, text/plain"),
        std::string_view::npos);
  }
}

TEST(DebugPages, AreServedByTheApi) {
  testkit::RunningApi api;
  const auto flags = api.ask("GET", "/flagz", {}, {{"accept", "text/plain"}});
  EXPECT_EQ(flags.code, 200);
  EXPECT_NE(flags.body.find("\nprofiling=true\n"), std::string::npos) << flags.body;
  EXPECT_EQ(api.ask("GET", "/statusz", {}, {{"accept", "*/*"}}).code, 200);
  EXPECT_EQ(api.ask("GET", "/livez").code, 200);
  const auto slis = api.ask("GET", "/metrics/slis");
  EXPECT_NE(slis.body.find(R"(kubernetes_healthcheck{name="ping",type="livez"} 1)"),
            std::string::npos)
      << slis.body;
  const auto index = api.ask("GET", "/");
  for (const char* path : {"\"/flagz\"", "\"/statusz\"", "\"/metrics/slis\""})
    EXPECT_NE(index.body.find(path), std::string::npos) << path;
}

TEST(DebugPages, ThoseOfOtherComponentsAreServedToo) {
  testkit::RunningApi api;
  const auto answer = [](const http::RequestHead&, const http::Target&, const User& user) {
    return text_response(200, user.name);
  };
  api.api().add_path({.prefix = "/configz", .answer = answer, .listed = true});
  api.api().add_path({.prefix = "/debug/other/", .answer = answer});
  EXPECT_EQ(api.ask("GET", "/configz").body, "admin");
  EXPECT_EQ(api.ask("GET", "/configzz").code, 404);
  EXPECT_EQ(api.ask("GET", "/configz/").code, 404);
  EXPECT_EQ(api.ask("GET", "/debug/other/one").code, 200);
  testkit::Http2Client other(api.port(), api.client_certificate("someone", "team"));
  EXPECT_EQ(other.wait(other.ask("GET", "/configz")).status, 403);
  const std::string index = api.ask("GET", "/").body;
  EXPECT_NE(index.find("\"/configz\""), std::string::npos);
  EXPECT_EQ(index.find("/debug/other"), std::string::npos);
}

}  // namespace
}  // namespace proa::apiserver
