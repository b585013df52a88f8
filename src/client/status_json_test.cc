#include "client/status_json.h"

#include <gtest/gtest.h>

namespace proa::client {
namespace {

TEST(StatusJson, ReadsEverythingThatAFailureSays) {
  const Status status = status_from_answer(
      422,
      R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"t"},"status":"Failure",)"
      R"("message":"Pod \"a\" is invalid","reason":"Invalid","details":{"name":"a","group":"g",)"
      R"("kind":"Pod","uid":"u","causes":[{"reason":"FieldValueRequired","message":"Required",)"
      R"("field":"spec.x"}],"retryAfterSeconds":7},"code":422})",
      "");
  EXPECT_EQ(status.reason(), Reason::kInvalid);
  EXPECT_EQ(status.code(), 422);
  EXPECT_EQ(status.message(), "Pod \"a\" is invalid");
  const StatusDetails expected{.name = "a",
                               .group = "g",
                               .kind = "Pod",
                               .uid = "u",
                               .causes = {{"FieldValueRequired", "Required", "spec.x"}},
                               .retry_after_seconds = 7,
                               .continue_token = "t"};
  EXPECT_EQ(status.details(), expected);
}

TEST(StatusJson, TakesTheReasonOfTheCodeWhereNoneIsSaid) {
  const Status status =
      status_from_answer(403, R"({"kind":"Status","status":"Failure","message":"no"})", "");
  EXPECT_EQ(status.reason(), Reason::kForbidden);
  EXPECT_EQ(status.code(), 403);
}

TEST(StatusJson, MakesAFailureOfWhatIsNoStatus) {
  const Status status = status_from_answer(503, " <html>busy</html>\n", "12");
  EXPECT_EQ(status.reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(status.message(), "the server answered with code 503: <html>busy</html>");
  EXPECT_EQ(status.details().retry_after_seconds, 12);
  EXPECT_EQ(status_from_answer(418, "", "").reason(), Reason::kUnknown);
  EXPECT_EQ(status_from_answer(418, "", "").code(), 418);
}

TEST(StatusJson, ReadsRetryAfterWithinBounds) {
  EXPECT_EQ(retry_after_seconds("5"), 5);
  EXPECT_EQ(retry_after_seconds(""), 0);
  EXPECT_EQ(retry_after_seconds("Fri, 02 Jan 2026 15:04:05 GMT"), 0);
  EXPECT_EQ(retry_after_seconds("99999999999"), 3600);
}

}  // namespace
}  // namespace proa::client
