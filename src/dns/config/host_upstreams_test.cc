#include "dns/config/host_upstreams.h"

#include <gtest/gtest.h>

#include "base/net/resolv_conf.h"
#include "base/strings.h"
#include "testkit/memory_files.h"

namespace proa::dns {
namespace {

using testkit::MemoryFiles;

TEST(HostUpstreams, AreThoseOfResolvConf) {
  const struct {
    const char* name;
    const char* text;
    const char* systemd;
    const char* expected;
    const char* warnings;
  } cases[] = {
      {"plain", "nameserver 10.0.0.2\nnameserver fe80::1%eth0\nnameserver 10.0.0.2\n", "",
       "10.0.0.2:53 [fe80::1%eth0]:53", ""},
      {"behind the stub", "nameserver 127.0.0.53\n", "nameserver 10.0.0.3\n", "10.0.0.3:53", ""},
      {"the stub", "nameserver 127.0.0.53\n", "", "127.0.0.53:53", ""},
      {"never ourselves", "nameserver 10.96.0.10\nnameserver 10.0.0.2\n", "", "10.0.0.2:53",
       "/etc/resolv.conf: nameserver 10.96.0.10 is the cluster's own DNS address and is not asked"},
      {"no address", "nameserver x\n", "", "",
       "/etc/resolv.conf: upstream \"x\" is not an IP address"},
  };
  const IpAddress own = *parse_ip("10.96.0.10");
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryFiles files;
    files.content["/etc/resolv.conf"] = c.text;
    if (*c.systemd != 0) files.content[std::string(kSystemdResolvConf)] = c.systemd;
    Problems problems;
    std::vector<std::string> found;
    for (const Upstream& one : host_upstreams(files, "/etc/resolv.conf", {&own, 1}, problems)) {
      found.push_back(one.str());
    }
    EXPECT_EQ(join(found, " "), c.expected);
    EXPECT_EQ(join(problems.warnings, "\n"), c.warnings);
  }
  MemoryFiles none;
  Problems problems;
  EXPECT_TRUE(host_upstreams(none, "/etc/resolv.conf", {}, problems).empty());
  EXPECT_EQ(problems.warnings.size(), 1u);
}

TEST(HostUpstreams, AreAddedToZonesThatAskThem) {
  const Upstream host{.address = *parse_ip("10.0.0.2")};
  const Upstream own{.address = *parse_ip("10.0.0.3")};
  const auto zones = with_host_upstreams(
      {{.zone = ".", .upstreams = {own}, .of_host = true}, {.zone = "a", .upstreams = {own}}},
      {&host, 1});
  EXPECT_EQ(zones[0].upstreams, (std::vector<Upstream>{own, host}));
  EXPECT_FALSE(zones[0].of_host);
  EXPECT_EQ(zones[1].upstreams, std::vector<Upstream>{own});
}

}  // namespace
}  // namespace proa::dns
