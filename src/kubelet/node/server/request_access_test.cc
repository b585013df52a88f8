#include "kubelet/node/server/request_access.h"

#include <gtest/gtest.h>

namespace proa::kubelet {

TEST(AccessFor, IsWhatUpstreamAsksForAndMoreForExec) {
  struct Case {
    const char* method;
    const char* path;
    const char* verb;
    std::vector<std::string> subresources;
  };
  const Case cases[] = {
      {"GET", "/pods", "get", {"pods", "proxy"}},
      {"GET", "/pods/", "get", {"pods", "proxy"}},
      {"GET", "/podsx", "get", {"proxy"}},
      {"GET", "/runningpods/", "get", {"pods", "proxy"}},
      {"GET", "/healthz", "get", {"healthz", "proxy"}},
      {"GET", "/healthz/log", "get", {"healthz", "proxy"}},
      {"GET", "/configz", "get", {"configz", "proxy"}},
      {"GET", "/flagz", "get", {"configz"}},
      {"GET", "/statusz", "get", {"statusz"}},
      {"GET", "/stats/summary", "get", {"stats"}},
      {"GET", "/metrics", "get", {"metrics"}},
      {"GET", "/metrics/cadvisor", "get", {"metrics"}},
      {"GET", "/logs/kubelet.log", "get", {"log"}},
      {"POST", "/checkpoint/a/b/c", "create", {"checkpoint"}},
      {"GET", "/containerLogs/a/b/c", "get", {"proxy"}},
      {"POST", "/exec/a/b/c", "create", {"proxy"}},
      {"GET", "/exec/a/b/c", "create", {"proxy"}},
      {"GET", "/attach/a/b/c", "create", {"proxy"}},
      {"GET", "/portForward/a/b", "create", {"proxy"}},
      {"GET", "/run/a/b/c", "create", {"proxy"}},
      {"GET", "/execute", "get", {"proxy"}},
      {"PUT", "/x", "update", {"proxy"}},
      {"PATCH", "/x", "patch", {"proxy"}},
      {"DELETE", "/x", "delete", {"proxy"}},
      {"HEAD", "/x", "", {"proxy"}},
      {"GET", "/", "get", {"proxy"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.method) + " " + c.path);
    const RequestAccess access = access_for(c.method, c.path);
    EXPECT_EQ(access.verb, c.verb);
    EXPECT_EQ(access.subresources, c.subresources);
  }
}

}  // namespace proa::kubelet
