#include "apiserver/access/webhook/review.h"

#include <gtest/gtest.h>

#include "api/object/edit.h"
#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

constexpr ReviewKind kKind{
    .group = "authentication.k8s.io",
    .kind = "TokenReview",
    .status_type = "io.k8s.api.authentication.v1.TokenReviewStatus",
    .empty_status = R"({"user":{}})",
};

json::Document spec() {
  json::Document document({}, json::Value::object());
  api::Edit(document).set("token", "canary");
  return document;
}

class AskedReview {
 public:
  explicit AskedReview(const std::string& answer)
      : hook_([answer](const TestWebhook::Asked&) { return TestWebhook::json(answer); }),
        reviews_(WebhookClient::make(around_.context, {.connection = hook_.connection()}).value(),
                 kKind, "v1") {}

  Result<json::Document> ask() { return reviews_.ask(spec().root()); }
  std::string question() { return hook_.asked().at(0).body; }

 private:
  WebhookEnvironment around_;
  TestWebhook hook_;
  Reviews reviews_;
};

TEST(Reviews, SendASpecAndGetAStatus) {
  AskedReview review(
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"authenticated":true}})");
  const Result<json::Document> status = review.ask();
  ASSERT_TRUE(status.ok()) << status.status().message();
  EXPECT_TRUE(api::View(status->root())["authenticated"].flag());
  EXPECT_EQ(review.question(),
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
            R"("spec":{"token":"canary"},"status":{"user":{}}})"
            "\n");
}

TEST(Reviews, TakeAnAnswerThatDoesNotSayWhatItIs) {
  AskedReview review(R"({"status":{"authenticated":true,"unknown":[1]}})");
  const Result<json::Document> status = review.ask();
  ASSERT_TRUE(status.ok()) << status.status().message();
  EXPECT_TRUE(api::View(status->root())["authenticated"].flag());
}

TEST(Reviews, HaveAnEmptyStatusWhereNoneIsAnswered) {
  for (const char* answer : {"{}", R"({"status":null})", R"({"status":{}})"}) {
    SCOPED_TRACE(answer);
    AskedReview review(answer);
    const Result<json::Document> status = review.ask();
    ASSERT_TRUE(status.ok()) << status.status().message();
    EXPECT_FALSE(api::View(status->root())["authenticated"].flag());
  }
}

TEST(Reviews, RefuseOtherAnswersWithoutRepeatingThem) {
  for (const char* answer : {
           "",
           "canary",
           "[]",
           "null",
           R"("canary")",
           R"({"kind":"Status","apiVersion":"v1","message":"canary"})",
           R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1beta1"})",
           R"({"kind":"SubjectAccessReview","apiVersion":"authentication.k8s.io/v1"})",
           R"({"kind":7})",
           R"({"status":[]})",
           R"({"status":"canary"})",
           R"({"status":{"authenticated":"true"}})",
           R"({"status":{"authenticated":1}})",
           R"({"status":{"user":{"groups":"canary"}}})",
           R"({"status":{"user":{"extra":{"a":"canary"}}}})",
           R"({"status":{"audiences":[7]}})",
       }) {
    SCOPED_TRACE(answer);
    AskedReview review(answer);
    const Result<json::Document> status = review.ask();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.status().message().find("canary"), std::string::npos)
        << status.status().message();
  }
}

TEST(Reviews, RefuseAnswersThatAreNestedDeeply) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  AskedReview review(R"({"status":)" + deep + "}");
  EXPECT_FALSE(review.ask().ok());
}

}  // namespace
}  // namespace proa::apiserver
