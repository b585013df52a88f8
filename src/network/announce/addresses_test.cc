#include "network/announce/addresses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::network {
namespace {

api::ObjectPtr node(std::string_view name, std::string_view address, bool ready = true,
                    std::string_view labels = "") {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"{}","labels":{{{}}}}},"status":{{"conditions":[{{"type":"Ready",)"
      R"("status":"{}"}}],"addresses":[{{"type":"InternalIP","address":"{}"}}]}}}})",
      name, labels, ready ? "True" : "False", address));
}
api::ObjectPtr service(std::string_view spec, std::string_view ingress) {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"web","namespace":"d"}},"spec":{{"type":"LoadBalancer"{}}},)"
      R"("status":{{"loadBalancer":{{"ingress":[{}]}}}}}})",
      spec, ingress));
}
api::ObjectPtr slice(std::string_view family, std::string_view endpoints) {
  return api::Object::make(fmt::format(
      R"({{"metadata":{{"name":"web-1","namespace":"d","labels":{{"kubernetes.io/service-name":)"
      R"("web"}}}},"addressType":"{}","endpoints":[{}]}})",
      family, endpoints));
}

constexpr const char* kVip = R"({"ip":"198.51.100.1","ipMode":"VIP"})";
constexpr const char* kLocal = R"(,"externalTrafficPolicy":"Local")";
constexpr const char* kTerminating =
    R"({"nodeName":"b","conditions":{"ready":false,"serving":true,"terminating":true}})";

TEST(AnnouncedAddresses, AreThoseOfServicesWithTheNodesThatMayAnnounceThem) {
  const api::ObjectPtr a = node("a", "192.0.2.1");
  const api::ObjectPtr b = node("b", "192.0.2.2");
  struct Case {
    const char* name;
    std::vector<api::ObjectPtr> services;
    std::vector<api::ObjectPtr> slices;
    std::vector<api::ObjectPtr> nodes;
    const char* expected;
  };
  const Case cases[] = {
      {"any node", {service("", kVip)}, {}, {a, b}, "198.51.100.1 a b"},
      {"not ready", {service("", kVip)}, {}, {a, node("b", "192.0.2.2", false)}, "198.51.100.1 a"},
      {"none is ready", {service("", kVip)}, {}, {node("b", "::1", false)}, "198.51.100.1 b"},
      {"excluded",
       {service("", kVip)},
       {},
       {a, node("b", "192.0.2.2", true,
                R"("node.kubernetes.io/exclude-from-external-load-balancers":"")")},
       "198.51.100.1 a"},
      {"with an API server",
       {service("", kVip)},
       {},
       {a, node("b", "192.0.2.2", true, R"("node-role.kubernetes.io/control-plane":"")")},
       "198.51.100.1 a (b)"},
      {"a class of others", {service(R"(,"loadBalancerClass":"x/y")", kVip)}, {}, {a}, ""},
      {"a proxy's address",
       {service("", R"({"ip":"198.51.100.1","ipMode":"Proxy"})")},
       {},
       {a},
       ""},
      {"an address of a node", {service("", R"({"ip":"192.0.2.2"})")}, {}, {a, b}, ""},
      {"local",
       {service(kLocal, kVip)},
       {slice("IPv4", R"({"nodeName":"b"})")},
       {a, b},
       "198.51.100.1 b"},
      {"local, of another family",
       {service(kLocal, kVip)},
       {slice("IPv6", R"({"nodeName":"b"})")},
       {a, b},
       "198.51.100.1"},
      {"local, and about to end",
       {service(kLocal, kVip)},
       {slice("IPv4", kTerminating)},
       {a, b},
       "198.51.100.1 b"},
      {"local, a ready one beside it",
       {service(kLocal, kVip)},
       {slice("IPv4",
              R"({"nodeName":"a","conditions":{"ready":true}},)" + std::string(kTerminating))},
       {a, b},
       "198.51.100.1 a"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::string found;
    for (const AnnouncedAddress& one : announced_addresses({c.services, c.slices, c.nodes})) {
      found += one.address.str();
      for (const std::string& name : one.nodes) found += " " + name;
      for (const std::string& name : one.spare_nodes) found += " (" + name + ")";
    }
    EXPECT_EQ(found, c.expected);
  }
}

}  // namespace
}  // namespace proa::network
