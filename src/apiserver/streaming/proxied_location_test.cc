#include "apiserver/streaming/proxied_location.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(ProxiedLocation, ComesByTheProxyAgain) {
  struct Case {
    std::string_view name;
    std::string_view location;
    std::string_view seen;
  };
  const Destination proxy{.origin = {.tls = false,
                                     .host = "10.0.0.9",
                                     .port = 8080,
                                     .unix_path = {},
                                     .server_name = {}},
                          .prefix = "/p/proxy"};
  for (const Case& c : {
           Case{"a path", "/next/", "/p/proxy/next/"},
           Case{"with a query", "/next?x=/y#z", "/p/proxy/next?x=/y#z"},
           Case{"relative", "next", "next"},
           Case{"relative with a colon", "a/b:c//d", "a/b:c//d"},
           Case{"a query", "?x=//y", "?x=//y"},
           Case{"of that server", "http://10.0.0.9:8080/next", "/p/proxy/next"},
           Case{"of another port", "http://10.0.0.9:80/next", "http://10.0.0.9:80/next"},
           Case{"of any scheme", "//10.0.0.9:8080/next", "/p/proxy/next"},
           Case{"without a path", "http://10.0.0.9:8080", "http://10.0.0.9:8080"},
           Case{"of ours", "https://api:6443/next", "https://api:6443/p/proxy/next"},
           Case{"of ours already", "https://api:6443/p/proxy/x", "https://api:6443/p/proxy/x"},
           Case{"there already", "/p/proxy/x", "/p/proxy/x"},
           Case{"of somebody else", "http://example.com/next", "http://example.com/next"},
           Case{"of somebody else of any scheme", "//example.com/next", "//example.com/next"},
           Case{"with markup", "/%00<script>\"x\"</script>/",
                "/p/proxy/%00%3Cscript%3E%22x%22%3C/script%3E/"},
           Case{"elsewhere with markup", "http://example.com/<b>", "http://example.com/%3Cb%3E"},
       }) {
    EXPECT_EQ(proxied_location(c.location, proxy, "api:6443"), c.seen) << c.name;
  }
}

TEST(ProxiedLocation, KnowsAServerByThePortThatItsSchemeImplies) {
  Destination proxy{
      .origin = {.tls = true, .host = "fd00::1", .port = 443, .unix_path = {}, .server_name = {}},
      .prefix = "/p/proxy"};
  EXPECT_EQ(proxied_location("https://[fd00::1]/x", proxy, "api"), "/p/proxy/x");
  EXPECT_EQ(proxied_location("https://[fd00::1]:443/x", proxy, "api"), "/p/proxy/x");
  EXPECT_EQ(proxied_location("https://[fd00::2]/x", proxy, "api"), "https://[fd00::2]/x");
}

}  // namespace
}  // namespace proa::apiserver
