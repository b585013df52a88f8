#include "apiserver/front/http/list_answer.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "json/parse.h"
#include "testkit/apiserver/running_api.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kPath = "/api/v1/namespaces/default/configmaps";

// Enough for a list that is sent in several parts.
class ListAnswerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string text(1000, 'x');
    for (int i = 0; i < kCount; ++i) {
      const std::string body = R"({"metadata":{"name":"m-)" + std::to_string(1000 + i) +
                               R"("},"data":{"text":")" + text + "\"}}";
      ASSERT_EQ(api_.ask("POST", kPath, body).code, 201);
    }
  }

  static constexpr int kCount = 400;
  testkit::RunningApi api_;
};

TEST_F(ListAnswerTest, HasEveryItemOnce) {
  const auto answer = api_.ask("GET", kPath);
  ASSERT_EQ(answer.code, 200);
  const auto document = json::parse(answer.body);
  ASSERT_TRUE(document.ok());
  const api::View list = document->root();
  EXPECT_EQ(list["kind"].text(), "ConfigMapList");
  EXPECT_FALSE(list["metadata"]["resourceVersion"].text().empty());
  ASSERT_EQ(list["items"].size(), static_cast<size_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const api::View item = list["items"].item(static_cast<size_t>(i));
    EXPECT_EQ(item["metadata"]["name"].text(), "m-" + std::to_string(1000 + i));
    EXPECT_FALSE(item["kind"].exists());
  }
}

// As upstream, whose routes are those of GET.
TEST_F(ListAnswerTest, IsNotForWhoAsksForTheHeadAlone) {
  const auto head = api_.ask("HEAD", kPath);
  EXPECT_EQ(head.code, 405);
  EXPECT_TRUE(head.body.empty());
  EXPECT_EQ(api_.ask("GET", kPath).code, 200);
  EXPECT_EQ(api_.ask("HEAD", "/api/v1/namespaces/default/pods/p/status").code, 405);
  EXPECT_EQ(api_.ask("HEAD", "/api").code, 405);
  EXPECT_EQ(api_.ask("HEAD", "/apis").code, 200);
}

TEST_F(ListAnswerTest, IsWholeInProtobuf) {
  http::Headers headers;
  headers.set("accept", "application/vnd.kubernetes.protobuf");
  const auto answer = api_.ask("GET", kPath, "", headers);
  ASSERT_EQ(answer.code, 200);
  EXPECT_TRUE(answer.body.starts_with(std::string_view("k8s\0", 4)));
  for (int i = 0; i < kCount; ++i) {
    EXPECT_NE(answer.body.find("m-" + std::to_string(1000 + i)), std::string::npos);
  }
}

}  // namespace
}  // namespace proa::apiserver
