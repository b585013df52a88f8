#include "apiserver/streaming/name_and_port.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(NameAndPort, IsWrittenInFourWays) {
  struct Case {
    std::string_view text;
    std::string_view scheme;
    std::string_view name;
    std::string_view port;
  };
  for (const Case& c :
       {Case{"web", "http", "web", ""}, Case{"web:80", "http", "web", "80"},
        Case{"web:metrics", "http", "web", "metrics"}, Case{"https:web:443", "https", "web", "443"},
        Case{"https:web:", "https", "web", ""}, Case{":web:80", "http", "web", "80"}}) {
    const auto found = parse_name_and_port(c.text);
    ASSERT_TRUE(found) << c.text;
    EXPECT_EQ(found->scheme, c.scheme) << c.text;
    EXPECT_EQ(found->name, c.name) << c.text;
    EXPECT_EQ(found->port, c.port) << c.text;
  }
}

TEST(NameAndPort, RefusesWhatIsNoName) {
  for (const std::string_view text : {"", ":80", "ftp:web:80", "web:80:90:1", "web:0", "web:70000",
                                      "a/b:80", "web@host:80", "https:..%2f:80", "Web:80"}) {
    EXPECT_FALSE(parse_name_and_port(text)) << text;
  }
}

}  // namespace
}  // namespace proa::apiserver
