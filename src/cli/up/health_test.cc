#include "cli/up/health.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

TEST(HealthHandler, IsAliveAtOnceAndReadyWhenTold) {
  HealthHandler handler;
  EXPECT_EQ(handler.answer("GET", "/livez").status, 200);
  EXPECT_EQ(handler.answer("GET", "/healthz").body.view(), "ok");
  EXPECT_EQ(handler.answer("GET", "/readyz").status, 503);
  handler.set_ready(true);
  EXPECT_EQ(handler.answer("GET", "/readyz").status, 200);
  handler.set_ready(false);
  EXPECT_EQ(handler.answer("GET", "/readyz").status, 503);
}

TEST(HealthHandler, SaysItsVersion) {
  const http::Response response = HealthHandler().answer("GET", "/version");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("content-type"), "application/json");
  EXPECT_NE(response.body.view().find("\"gitVersion\": \"v1.36."), std::string_view::npos);
}

TEST(HealthHandler, AnswersTheRestWithAStatus) {
  const http::Response missing = HealthHandler().answer("GET", "/api/v1/pods");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(
      missing.body.view(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not)"
      R"( find the requested resource","reason":"NotFound","details":{},"code":404})"
      "\n");
  EXPECT_EQ(HealthHandler().answer("POST", "/livez").status, 405);
  EXPECT_EQ(HealthHandler().answer("HEAD", "/livez").status, 200);
}

}  // namespace
}  // namespace proa::cli
