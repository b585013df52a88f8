// What a write may cost, and how large an object may become. The program's own test of it is
// tests/e2e/cost_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const std::string kMaps = "/api/v1/namespaces/default/configmaps";

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all.append(i == 0 ? "" : ",").append(text);
  return all;
}

std::string role(std::string_view name, const std::string& verbs) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"rules":[{{"apiGroups":[""],"resources":["x"],"verbs":[{}]}}]}})",
      name, verbs);
}

class LimitsTest : public testing::Test {
 protected:
  testkit::RunningApi::Answer ask(const std::string& method, const std::string& target,
                                  const std::string& body,
                                  const std::string& content_type = "application/json") {
    http::Headers headers;
    headers.set("content-type", content_type);
    return api_.ask(method, target, body, headers);
  }
  void expect_too_large(const testkit::RunningApi::Answer& answer, std::string_view message) {
    EXPECT_EQ(answer.code, 413) << answer.body.substr(0, 500);
    EXPECT_NE(answer.body.find(R"("reason":"RequestEntityTooLarge")"), std::string::npos);
    EXPECT_NE(answer.body.find(message), std::string::npos) << answer.body.substr(0, 500);
  }

  testkit::RunningApi api_;
};

TEST_F(LimitsTest, OfDecodingAreNotBadRequests) {
  expect_too_large(
      ask("POST", kPods, R"({"spec":{"containers":[)" + repeated("{}", 300'000) + "]}}"),
      "Request entity too large: the body has more than 250000 values");
  expect_too_large(ask("POST", kPods, "spec: {containers: [" + repeated("{}", 300'000) + "]}",
                       "application/yaml"),
                   "Request entity too large: the body has more than 250000 values");
  std::string volumes;
  for (int i = 0; i < 1'000'000; ++i) volumes += std::string("\x0a\x00", 2);
  std::string length;
  for (size_t size = volumes.size(); size > 0; size >>= 7)
    length += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
  const std::string spec = "\x12" + length + volumes;
  length.clear();
  for (size_t size = spec.size(); size > 0; size >>= 7)
    length += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
  expect_too_large(ask("POST", kPods, std::string("k8s\0", 4) + "\x12" + length + spec,
                       "application/vnd.kubernetes.protobuf"),
                   "Request entity too large: the body has more than 250000 values");
}

TEST_F(LimitsTest, OfDefaultingAreThoseOfDecoding) {
  // Each container is small before its defaults are set.
  expect_too_large(
      ask("POST", kPods,
          R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeated("{}", 80'000) + "]}}"),
      "Request entity too large: the object takes more than 33554432 bytes of memory");
}

TEST_F(LimitsTest, OfPatchesAreThoseOfTheRequest) {
  ASSERT_EQ(ask("POST", kRoles, role("long", repeated("\"\"", 100'000))).code, 201);
  const std::string insertions =
      "[" + repeated(R"({"op":"add","path":"/rules/0/verbs/0","value":""})", 9'000) + "]";
  expect_too_large(ask("PATCH", kRoles + "/long", insertions, "application/json-patch+json"),
                   "Request entity too large: the request takes more than 20000000 steps");
}

TEST_F(LimitsTest, OfFieldErrorsEndTheAnswer) {
  const auto answer =
      ask("POST", kPods,
          R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeated("{}", 5'000) + "]}}");
  EXPECT_EQ(answer.code, 422);
  EXPECT_LT(answer.body.size(), 1'000'000U);
  EXPECT_NE(answer.body.find(R"({"message":"and )"), std::string::npos)
      << answer.body.substr(answer.body.size() - 300);
}

TEST_F(LimitsTest, OfObjectsAreThoseOfEtcd) {
  constexpr std::string_view kTooLarge = "etcdserver: request is too large";
  const std::string verb = "\"" + std::string(98, 'v') + "\"";
  EXPECT_EQ(ask("POST", kRoles, role("a", repeated(verb, 15'000))).code, 201);
  expect_too_large(ask("POST", kRoles, role("b", repeated(verb, 16'000))), kTooLarge);
  expect_too_large(ask("PUT", kRoles + "/a", role("a", repeated(verb, 16'000))), kTooLarge);
  expect_too_large(
      ask("PATCH", kRoles + "/a", R"([{"op":"copy","from":"/rules/0","path":"/rules/-"}])",
          "application/json-patch+json"),
      kTooLarge);
  // What is not stored has no limit, as upstream.
  EXPECT_EQ(ask("POST", kRoles + "?dryRun=All", role("b", repeated(verb, 16'000))).code, 201);
  // It can be deleted, and is small enough still.
  EXPECT_EQ(ask("DELETE", kRoles + "/a", "").code, 200);
}

// A megabyte is allowed, and each of these characters takes six bytes as JSON.
TEST_F(LimitsTest, OfObjectsCountWhatUpstreamStores) {
  EXPECT_EQ(
      ask("POST", kMaps,
          R"({"metadata":{"name":"html"},"data":{"a":")" + std::string(1'000'000, '<') + "\"}}")
          .code,
      201);
}

}  // namespace
}  // namespace proa::apiserver
