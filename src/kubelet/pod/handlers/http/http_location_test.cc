#include "kubelet/pod/handlers/http/http_location.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(TargetOfPath, IsWhatGoWouldSend) {
  struct Case {
    std::string_view path;
    std::string_view expected;
  };
  for (const Case& c :
       {Case{"", "/"}, Case{"/", "/"}, Case{"healthz", "/healthz"}, Case{"/a?b=c", "/a?b=c"},
        Case{"/a#part", "/a"}, Case{"/a b", "/a%20b"}, Case{"/a%20b", "/a%20b"},
        Case{"/100%", "/100%25"}, Case{"?x=1", "/?x=1"}, Case{"/a\r\nHost: x", "/a%0D%0AHost:%20x"},
        Case{"http://elsewhere/x", "/x"}, Case{"//elsewhere/x", "/x"}, Case{"/a//b", "/a//b"},
        Case{"/\xc3\xa9", "/%C3%A9"}}) {
    SCOPED_TRACE(c.path);
    EXPECT_EQ(target_of_path(c.path), c.expected);
  }
}

TEST(ResolveLocation, IsRelativeToWhatWasAskedFor) {
  HttpGet from;
  from.host = "10.0.0.1";
  from.port = 8080;
  from.target = "/a/b?c=d";
  struct Case {
    std::string_view location;
    std::string_view expected;  // host:port target
  };
  for (const Case& c :
       {Case{"/x", "10.0.0.1:8080 /x"}, Case{"x?y", "10.0.0.1:8080 /a/x?y"},
        Case{"?z", "10.0.0.1:8080 /a/b?z"}, Case{"http://10.0.0.1/x#y", "10.0.0.1:80 /x"},
        Case{"https://Other.example", "other.example:443 /"},
        Case{"//10.0.0.1:9/x", "10.0.0.1:9 /x"}}) {
    SCOPED_TRACE(c.location);
    const auto found = resolve_location(from, c.location);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->host + ":" + std::to_string(found->port) + " " + found->target, c.expected);
  }
  EXPECT_FALSE(resolve_location(from, "ftp://x/").ok());
}

}  // namespace
}  // namespace proa::kubelet
