#include "base/net/resolv_conf.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa {
namespace {

TEST(ResolvConf, ReadsServersSearchPathsAndOptions) {
  const ResolvConf conf = read_resolv_conf(
      "# nameserver 9.9.9.9\n  nameserver 1.1.1.1\r\nnameserver fe80::1%eth0 rest\nsearch old\n"
      "search corp.example. . example\noptions ndots:1 rotate\noptions ndots:2\nunknown x\n");
  EXPECT_EQ(join(conf.servers, " "), "1.1.1.1 fe80::1%eth0");
  EXPECT_EQ(join(conf.searches, " "), "corp.example example");
  EXPECT_EQ(join(conf.options, " "), "ndots:2 rotate");
  EXPECT_FALSE(conf.empty_server);
  EXPECT_TRUE(read_resolv_conf("nameserver\n").empty_server);
}

TEST(ResolvConf, ReplacesAStubOnLoopbackByRealServers) {
  constexpr std::string_view kReal = "nameserver 10.0.0.2\n";
  const struct {
    const char* name;
    std::string_view file;
    std::string_view systemd;
    bool replaced;
  } cases[] = {
      {"systemd-resolved", "nameserver 127.0.0.53\noptions edns0\n", kReal, true},
      {"another stub, both families", "nameserver 127.0.0.1\nnameserver ::1\n", kReal, true},
      {"real servers", "nameserver 1.1.1.1\n", kReal, false},
      {"a stub and a real server", "nameserver 127.0.0.53\nnameserver 1.1.1.1\n", kReal, false},
      {"no server", "search example\n", kReal, false},
      {"no file of systemd", "nameserver 127.0.0.53\n", "", false},
      {"systemd itself asks a stub", "nameserver 127.0.0.53\n", "nameserver 127.0.0.1\n", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(without_loopback_stub(c.file, c.systemd), c.replaced ? c.systemd : c.file);
  }
}

}  // namespace
}  // namespace proa
