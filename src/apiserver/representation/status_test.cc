#include "apiserver/representation/status.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

using namespace std::string_view_literals;

TEST(StatusResponse, IsInTheEncodingThatTheClientReads) {
  const Status failure(Reason::kNotFound, "pods \"a\" not found");
  const auto type_for = [&](std::string_view accept) {
    return std::string(status_response(failure, accept).headers.get("content-type"));
  };
  EXPECT_EQ(type_for(""), "application/json");
  EXPECT_EQ(type_for("text/html"), "application/json");
  EXPECT_EQ(type_for("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"),
            "application/json");
  EXPECT_EQ(type_for("application/vnd.kubernetes.protobuf,application/json"),
            "application/vnd.kubernetes.protobuf");

  const http::Response response = status_response(failure, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(response.status, 404);
  EXPECT_TRUE(response.body.view().starts_with("k8s\0"sv));
  EXPECT_NE(response.body.view().find(failure.message()), std::string_view::npos);
}

}  // namespace
}  // namespace proa::apiserver
