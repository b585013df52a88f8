#include "network/announce/used_ports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace proa::network {
namespace {

using Ports = std::set<std::string>;

api::ObjectPtr service(std::string_view metadata, std::string_view spec) {
  return api::Object::make(
      fmt::format(R"({{"metadata":{{"name":"web"{}}},"spec":{{"ports":[{{"port":80}},)"
                  R"({{"port":53,"protocol":"UDP"}}]{}}}}})",
                  metadata, spec));
}

TEST(WantedPorts, AreThoseOfLoadBalancersOfTheNodes) {
  constexpr const char* kBalancer = R"(,"type":"LoadBalancer")";
  EXPECT_EQ(wanted_ports(*service("", kBalancer)), (Ports{"53/UDP", "80/TCP"}));
  EXPECT_EQ(wanted_ports(*service("", R"(,"type":"NodePort")")), Ports{});
  EXPECT_EQ(wanted_ports(*service("", R"(,"type":"LoadBalancer","loadBalancerClass":"x/y")")),
            Ports{});
  EXPECT_EQ(wanted_ports(*service(R"(,"labels":{"proa.dev/announced":"true"})", kBalancer)),
            Ports{});
}

TEST(UsedPorts, AreThoseAtWhichAProgramHearsTheNodesAddresses) {
  const auto ip = [](const char* text) { return parse_ip(text).value(); };
  const std::vector<netlink::Listener> listeners = {{IPPROTO_TCP, ip("0.0.0.0"), 22, false},
                                                    {IPPROTO_TCP, ip("127.0.0.1"), 80, false},
                                                    {IPPROTO_UDP, ip("192.0.2.1"), 53, false},
                                                    {IPPROTO_TCP, ip("::"), 443, true},
                                                    {IPPROTO_TCP, ip("0.0.0.0"), 9100, false}};
  const Ports wanted = {"22/TCP", "22/UDP", "80/TCP", "53/UDP", "443/TCP"};
  const IpAddress v4[] = {ip("192.0.2.1")};
  EXPECT_EQ(used_ports(wanted, listeners, v4), (Ports{"22/TCP", "53/UDP"}));
  const IpAddress v6[] = {ip("2001:db8::1")};
  EXPECT_EQ(used_ports(wanted, listeners, v6), (Ports{"443/TCP"}));
}

}  // namespace
}  // namespace proa::network
