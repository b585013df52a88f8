#include "apiserver/representation/openapi/accept.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(ChooseOffered, TakesWhatIsWantedMost) {
  struct Case {
    std::string_view accept;
    std::string_view chosen;
  };
  constexpr std::string_view kOffered[] = {"application/json", "application/x@v1+protobuf"};
  constexpr Case kCases[] = {
      {"", "application/json"},
      {"*/*", "application/json"},
      {"*", "application/json"},
      {"application/*", "application/json"},
      {"application/x@v1+protobuf", "application/x@v1+protobuf"},
      {"application/x@v1+protobuf, application/json", "application/x@v1+protobuf"},
      {"application/json;q=0.5, application/x@v1+protobuf", "application/x@v1+protobuf"},
      {"application/x@v1+protobuf; q=0.1 , application/json ; q=0.9", "application/json"},
      {"text/html, application/json", "application/json"},
      {"text/html", ""},
      {"nonsense", ""},
      {";,;", ""},
      {"application/json/x", ""},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.accept);
    EXPECT_EQ(choose_offered(c.accept, kOffered), c.chosen);
  }
}

}  // namespace
}  // namespace proa::apiserver
