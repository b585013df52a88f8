// Custom resources as clients see them: media types, and watches of a definition that goes.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/inbox.h"

namespace proa::apiserver {
namespace custom_resources_test {

using Answer = testkit::RunningApi::Answer;

const std::string kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kDefinition = kDefinitions + "/ships.example.com";
const std::string kShips = "/apis/example.com/v1/namespaces/default/ships";
const std::string kProtobuf = "application/vnd.kubernetes.protobuf";
const std::string kMerge = "application/merge-patch+json";

class CustomResourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string names =
        R"("plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList")";
    ASSERT_EQ(api_.ask("POST", kDefinitions,
                       R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com",)"
                       R"("scope":"Namespaced","names":{)" +
                           names +
                           R"(},"versions":[{"name":"v1","served":true,"storage":true,)"
                           R"("subresources":{"status":{},"scale":{"specReplicasPath":)"
                           R"(".spec.crew","statusReplicasPath":".status.crew"}},"schema":)"
                           R"({"openAPIV3Schema":{"type":"object",)"
                           R"("x-kubernetes-preserve-unknown-fields":true}}}]}})")
                  .code,
              201);
    ASSERT_EQ(patch(kDefinition + "/status",
                    R"({"status":{"acceptedNames":{)" + names +
                        R"(},"conditions":[{"type":"NamesAccepted","status":"True"},)"
                        R"({"type":"Established","status":"True"}]}})")
                  .code,
              200);
  }
  Answer patch(const std::string& target, const std::string& body, const std::string& accept = "") {
    http::Headers headers = {{"content-type", kMerge}};
    if (!accept.empty()) headers.set("accept", accept);
    return api_.ask("PATCH", target, body, headers);
  }
  static std::string ship(const std::string& name) {
    return R"({"apiVersion":"example.com/v1","kind":"Ship","metadata":{"name":")" + name +
           R"("},"spec":{"crew":1}})";
  }
  Answer ask(const std::string& method, const std::string& target, const std::string& accept,
             const std::string& body = {}) {
    return api_.ask(method, target, body, {{"accept", accept}});
  }
  // `"resourceVersion":"N"` of a ship, and what follows.
  std::string version_of(const std::string& name) {
    const std::string body = api_.ask("GET", kShips + "/" + name).body;
    const size_t at = body.find(R"("resourceVersion":")");
    return at == std::string::npos ? body : body.substr(at, 24);
  }

  std::unique_ptr<http::BlockingCall> watch() {
    SystemClock clock;
    auto call = api_.open(kShips + "?watch=1");
    EXPECT_TRUE(call->head(Until::after(clock, testkit::kTestTimeout)).ok());
    return call;
  }
  // Reads a watch until that text, or, if it is empty, its end. False on timeout.
  static bool read(http::BlockingCall& call, std::string& seen, const std::string& text) {
    SystemClock clock;
    while (text.empty() || seen.find(text) == std::string::npos) {
      const auto part = call.read(Until::after(clock, testkit::kTestTimeout));
      if (!part) return false;
      if (!part->has_value()) return text.empty();
      seen += (*part)->str();
    }
    return true;
  }
  static int count(std::string_view text, std::string_view part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  testkit::RunningApi api_;
};

TEST_F(CustomResourcesTest, AreJsonWhereProtobufIsPreferred) {
  const std::string accept = kProtobuf + ",application/json";
  const auto expect_json = [](const Answer& answer, int code, const std::string& part) {
    EXPECT_EQ(answer.code, code) << answer.body;
    EXPECT_EQ(answer.headers.get("content-type"), "application/json");
    EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
  };
  const std::string one = R"("kind":"Ship")";
  expect_json(ask("POST", kShips, accept, ship("a")), 201, one);
  expect_json(ask("POST", kShips, kProtobuf + ",*/*", ship("b")), 201, one);
  expect_json(ask("GET", kShips + "/a", accept), 200, one);
  expect_json(ask("GET", kShips, accept), 200, R"("kind":"ShipList")");
  expect_json(patch(kShips + "/a", R"({"spec":{"crew":2}})", accept), 200, one);
  expect_json(patch(kShips + "/a/status", R"({"status":{"crew":2}})", accept), 200, one);
  expect_json(ask("GET", kShips + "/a/scale", accept), 200, R"("kind":"Scale")");
  expect_json(ask("DELETE", kShips + "/a", accept), 200, R"("status":"Success")");
  expect_json(ask("DELETE", kShips, accept), 200, R"("kind":"ShipList")");
  EXPECT_EQ(api_.ask("GET", kShips).body.find(R"("name":)"), std::string::npos);
}

TEST_F(CustomResourcesTest, WriteNothingThatCannotBeAnswered) {
  ASSERT_EQ(api_.ask("POST", kShips, ship("a")).code, 201);
  const std::string before = version_of("a");
  EXPECT_EQ(ask("POST", kShips, kProtobuf, ship("b")).code, 406);
  EXPECT_EQ(ask("PUT", kShips + "/a", kProtobuf, ship("a")).code, 406);
  EXPECT_EQ(patch(kShips + "/a", R"({"spec":{"crew":2}})", kProtobuf).code, 406);
  EXPECT_EQ(patch(kShips + "/a/status", R"({"status":{"crew":2}})", kProtobuf).code, 406);
  EXPECT_EQ(patch(kShips + "/a/scale", R"({"spec":{"replicas":2}})", kProtobuf).code, 406);
  EXPECT_EQ(ask("DELETE", kShips + "/a", kProtobuf).code, 406);
  EXPECT_EQ(ask("DELETE", kShips, kProtobuf).code, 406);
  EXPECT_EQ(ask("GET", kShips + "?watch=1&timeoutSeconds=1", kProtobuf).code, 406);
  // Forms that the answer does not have.
  const std::string form = "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
  EXPECT_EQ(ask("POST", kShips, form + "List", ship("b")).code, 406);
  EXPECT_EQ(ask("DELETE", kShips, form).code, 406);
  EXPECT_EQ(version_of("a"), before);
  EXPECT_EQ(api_.ask("GET", kShips + "/b").code, 404);
}

TEST_F(CustomResourcesTest, HaveMetadataInProtobuf) {
  ASSERT_EQ(api_.ask("POST", kShips, ship("a")).code, 201);
  const std::string form = kProtobuf + ";g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
  for (const auto& [method, target, accept] :
       {std::tuple{"GET", kShips + "/a", form}, std::tuple{"GET", kShips, form + "List"},
        std::tuple{"DELETE", kShips, form + "List"}}) {
    SCOPED_TRACE(target + " " + accept);
    const Answer answer = ask(method, target, accept);
    EXPECT_EQ(answer.code, 200);
    EXPECT_EQ(answer.headers.get("content-type"), kProtobuf);
    EXPECT_NE(answer.body.find("PartialObjectMetadata"), std::string::npos);
  }
  EXPECT_EQ(api_.ask("GET", kShips + "/a").code, 404);
}

TEST_F(CustomResourcesTest, TellWatchersOfAllThatGoesWithTheDefinition) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    ASSERT_EQ(api_.ask("POST", kShips, ship(name)).code, 201);
  const auto call = watch();
  std::string seen;
  ASSERT_TRUE(read(*call, seen, R"("name":"e")"));
  // While it is terminating, its objects go one by one, as the controller deletes them.
  ASSERT_EQ(api_.ask("DELETE", kDefinition).code, 200);
  ASSERT_EQ(api_.ask("POST", kShips, ship("f")).code, 403);
  for (const char* name : {"a", "b", "c", "d", "e"})
    ASSERT_EQ(api_.ask("DELETE", kShips + "/" + name).code, 200);
  ASSERT_EQ(patch(kDefinition, R"({"metadata":{"finalizers":null}})").code, 200);
  ASSERT_EQ(api_.ask("GET", kDefinition).code, 404);
  ASSERT_TRUE(read(*call, seen, ""));
  EXPECT_EQ(count(seen, R"("type":"DELETED")"), 5) << seen;
  EXPECT_EQ(count(seen, R"("type":"ERROR")"), 0) << seen;
}

TEST_F(CustomResourcesTest, EndWatchesWhenTheDefinitionChanges) {
  const auto call = watch();
  std::string seen;
  ASSERT_EQ(api_.ask("POST", kShips, ship("a")).code, 201);
  ASSERT_TRUE(read(*call, seen, R"("name":"a")"));
  ASSERT_EQ(api_.ask("POST", kShips, ship("b")).code, 201);
  ASSERT_EQ(patch(kDefinition, R"({"spec":{"names":{"shortNames":["sh"]}}})").code, 200);
  ASSERT_TRUE(read(*call, seen, ""));
  EXPECT_EQ(count(seen, R"("type":"ADDED")"), 2) << seen;
}

}  // namespace custom_resources_test
}  // namespace proa::apiserver
