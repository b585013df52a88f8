#include "kubelet/host/resolver_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/net/resolv_conf.h"
#include "testkit/memory_files.h"

namespace proa::kubelet {
namespace {

using testkit::MemoryFiles;

TEST(ResolverFile, IsThatBehindAStubOnLoopback) {
  MemoryFiles files;
  EXPECT_EQ(read_resolver_file(files, "/etc/resolv.conf"), "");
  files.content["/etc/resolv.conf"] = "nameserver 127.0.0.53\n";
  EXPECT_EQ(read_resolver_file(files, "/etc/resolv.conf"), "nameserver 127.0.0.53\n");
  files.content[std::string(kSystemdResolvConf)] = "nameserver 10.0.0.2\n";
  EXPECT_EQ(read_resolver_file(files, "/etc/resolv.conf"), "nameserver 10.0.0.2\n");
  files.content["/etc/resolv.conf"] = "nameserver 1.1.1.1\n";
  EXPECT_EQ(read_resolver_file(files, "/etc/resolv.conf"), "nameserver 1.1.1.1\n");
}

std::string searches(int count, size_t size) {
  std::string line = "search";
  for (int i = 0; i < count; ++i) line += fmt::format(" {:a>{}}", i, size);
  return line;
}

TEST(ResolverFile, IsComparedWithTheLimitsOfPods) {
  const struct {
    const char* name;
    std::string text;
    const char* domain;
    const char* problem;  // empty: none
  } cases[] = {
      {"within", searches(29, 3), "cluster.local", ""},
      {"too many beside the cluster's", searches(30, 3), "cluster.local",
       "Resolv.conf file '/r' contains search line consisting of more than 29 domains!"},
      {"without the cluster's", searches(32, 3), "", ""},
      {"too many", searches(33, 3), "",
       "Resolv.conf file '/r' contains search line consisting of more than 32 domains!"},
      {"a long path", searches(1, 254), "",
       "Resolv.conf file \"/r\" contains a search path which length is more than allowed 253 "
       "chars!"},
      {"a long line", searches(9, 250), "",
       "Resolv.conf file '/r' contains search line which length is more than allowed 2048 chars!"},
      {"no server in a line", "nameserver\n", "", "nameserver list is empty "},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryFiles files;
    files.content["/r"] = c.text;
    EXPECT_EQ(resolver_file_problem(files, "/r", c.domain).value_or(""), c.problem);
  }
  MemoryFiles none;
  EXPECT_EQ(resolver_file_problem(none, "/r", "").value_or(""),
            "open /r: no such file or directory");
}

}  // namespace
}  // namespace proa::kubelet
