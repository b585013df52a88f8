#include "cli/server/flags/server_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/node/node_flags.h"

namespace proa::cli {
namespace {

class ServerOptionsTest : public testing::Test {
 protected:
  ServerOptionsTest() {
    settings_.set("data-dir", "/d");
    for (const Flag& flag : server_option_flags()) settings_.set(flag.name, flag.fallback);
    for (const Flag& flag : node_flags()) settings_.set(flag.name, flag.fallback);
  }
  Result<ServerOptions> read(std::string_view name, const std::string& value,
                             ServerRole role = ServerRole::kServer) {
    Settings settings = settings_;
    settings.set(name, value);
    return read_server_options(settings, role);
  }

  Settings settings_;
};

TEST_F(ServerOptionsTest, ListenIsAnAddressAndAPort) {
  struct Case {
    const char* text;
    const char* address;
    int port;
  };
  for (const Case& c : {Case{"10.0.0.5:1", "10.0.0.5", 1}, Case{"[fd00::5]:6443", "fd00::5", 6443},
                        Case{":0", "", 0}, Case{"0.0.0.0:65535", "0.0.0.0", 65535}}) {
    SCOPED_TRACE(c.text);
    const auto options = read("listen", c.text);
    ASSERT_TRUE(options.ok()) << options.status().message();
    EXPECT_EQ(options->address, c.address);
    EXPECT_EQ(options->port, c.port);
  }
}

TEST_F(ServerOptionsTest, WrongValuesAreRefusedWithTheNameOfTheFlag) {
  struct Case {
    const char* flag;
    const char* value;
  };
  for (const Case& c :
       {Case{"listen", "6443"}, Case{"listen", "here:6443"}, Case{"listen", "10.0.0.5:65536"},
        Case{"listen", "10.0.0.5:-1"}, Case{"listen", "300.0.0.1:6443"},
        Case{"advertise-address", "here"}, Case{"advertise-address", "0.0.0.0"},
        Case{"tls-san", "a b"}, Case{"tls-san", "example.com,-x"},
        Case{"service-cluster-ip-range", ""}, Case{"service-cluster-ip-range", "10.96.0.0"},
        Case{"service-cluster-ip-range", "10.96.0.1/16"},
        Case{"service-cluster-ip-range", "10.96.0.0/32"},
        Case{"service-cluster-ip-range", "10.96.0.0/16,10.97.0.0/16"},
        Case{"service-node-port-range", "-1"}, Case{"service-node-port-range", "30000-70000"},
        Case{"service-node-port-range", "32767-30000"}}) {
    SCOPED_TRACE(std::string(c.flag) + " " + c.value);
    const auto options = read(c.flag, c.value);
    ASSERT_TRUE(options.is(Reason::kInvalid));
    EXPECT_TRUE(options.status().message().starts_with("--" + std::string(c.flag)))
        << options.status().message();
  }
}

TEST_F(ServerOptionsTest, FairnessNeedsSeats) {
  EXPECT_TRUE(read("max-requests-inflight", "0")->fairness);
  settings_.set("max-mutating-requests-inflight", "0");
  const auto none = read("max-requests-inflight", "0");
  ASSERT_TRUE(none.is(Reason::kInvalid));
  EXPECT_NE(none.status().message().find("--max-requests-inflight"), std::string::npos);
  settings_.set("enable-priority-and-fairness", "false");
  const auto unlimited = read("max-requests-inflight", "0");
  ASSERT_TRUE(unlimited.ok()) << unlimited.status().message();
  EXPECT_FALSE(unlimited->fairness);
}

TEST_F(ServerOptionsTest, PodsMustReachTheirServer) {
  for (const char* loopback : {"127.0.0.1:6443", "127.1.2.3:0", "[::1]:6443"}) {
    SCOPED_TRACE(loopback);
    EXPECT_TRUE(read("listen", loopback).ok());
    const auto options = read("listen", loopback, ServerRole::kCluster);
    ASSERT_TRUE(options.is(Reason::kInvalid));
    EXPECT_NE(options.status().message().find("--advertise-address"), std::string::npos);
  }
  // A proxy on another address may lead to it.
  settings_.set("advertise-address", "10.0.0.5");
  const auto proxied = read("listen", "127.0.0.1:6443", ServerRole::kCluster);
  ASSERT_TRUE(proxied.ok()) << proxied.status().message();
  EXPECT_EQ(proxied->advertised, "10.0.0.5");
}

TEST_F(ServerOptionsTest, PodsAndServicesNeedDifferentNetworks) {
  settings_.set("pod-cidr", "10.96.7.0/24");
  EXPECT_TRUE(read("listen", "0.0.0.0:1").ok());
  const auto options = read("listen", "0.0.0.0:1", ServerRole::kCluster);
  ASSERT_TRUE(options.is(Reason::kInvalid));
  EXPECT_EQ(options.status().message(),
            "--pod-cidr 10.96.7.0/24 overlaps with --service-cluster-ip-range 10.96.0.0/16");
}

TEST_F(ServerOptionsTest, TheCertificateHasAllNames) {
  settings_.set("listen", "10.0.0.5:6443");
  settings_.set("service-cluster-ip-range", "10.0.16.0/20,fd00::/108");
  const auto options = read("tls-san", "proa.example.com, *.example.com,203.0.113.7,127.0.0.1");
  ASSERT_TRUE(options.ok()) << options.status().message();
  const std::vector<std::string> names = certificate_names(*options);
  for (const char* name : {"localhost", "127.0.0.1", "10.0.0.5", "10.0.16.1", "fd00::1",
                           "proa.example.com", "*.example.com", "203.0.113.7"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
  EXPECT_EQ(std::ranges::count(names, "10.96.0.1"), 0);
}

TEST_F(ServerOptionsTest, ServicesInTheWayOfOtherNetworksAreWarnedAbout) {
  const auto options = read("service-cluster-ip-range", "10.96.0.0/12,fd00::/112");
  ASSERT_TRUE(options.ok()) << options.status().message();
  const auto warning = [&](std::string_view network, const char* link, const char* pods = "") {
    const Route route{.network = *parse_prefix(network), .link = link};
    return service_range_warning(*options, {&route, 1}, pods);
  };
  EXPECT_EQ(warning("10.100.0.0/16", "eth0"),
            "warning: --service-cluster-ip-range 10.96.0.0/12 overlaps with 10.100.0.0/16, which "
            "this machine reaches through eth0; addresses of Services hide those of that "
            "network\n");
  EXPECT_NE(warning("fd00::/8", "eth0"), "");
  EXPECT_EQ(warning("10.0.0.0/16", "eth0"), "");
  EXPECT_EQ(warning("10.100.0.0/16", "proa0"), "") << "our own";
  EXPECT_EQ(warning("10.0.0.0/16", "eth0", "10.244.0.0/16, 10.97.0.0/16"),
            "warning: --service-cluster-ip-range 10.96.0.0/12 overlaps with --cluster-cidr "
            "10.97.0.0/16\n");
}

}  // namespace
}  // namespace proa::cli
