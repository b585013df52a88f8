#include "apiserver/streaming/aggregation/openapi_reader.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

std::string url_in(std::string_view json) {
  const auto read = read_openapi_index(json, "wardle.example.com", "v1");
  return read ? *read : "failed";
}

TEST(ReadOpenApiIndex, TakesItsOwnVersionOnly) {
  EXPECT_EQ(url_in(R"({"paths":{"apis/wardle.example.com/v1":{"serverRelativeURL":)"
                   R"("/openapi/v3/apis/wardle.example.com/v1?hash=AB"}}})"),
            "/openapi/v3/apis/wardle.example.com/v1?hash=AB");
  EXPECT_EQ(
      url_in(R"({"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1"}}})"), "");
  // Not the address of something else.
  EXPECT_EQ(url_in(R"({"paths":{"apis/wardle.example.com/v1":{"serverRelativeURL":)"
                   R"("https://evil.example.com/"}}})"),
            "");
  EXPECT_EQ(url_in(R"({"paths":{"apis/wardle.example.com/v1":{"serverRelativeURL":)"
                   R"("/openapi/v3/apis/wardle.example.com/v1/../../x"}}})"),
            "");
  EXPECT_EQ(url_in("{}"), "");
  EXPECT_EQ(url_in("[]"), "failed");
  EXPECT_EQ(url_in("<html>"), "failed");
}

}  // namespace
}  // namespace proa::apiserver
