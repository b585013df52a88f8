#include "dns/cluster/index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace proa::dns {
namespace {

IpAddress ip(std::string_view text) { return parse_ip(text).value(); }

ServiceFacts headless() {
  return {.kind = ServiceFacts::Kind::kHeadless, .ports = {{.name = "http", .port = 80}}};
}

ServiceFacts with_ip(std::string_view address) {
  return {.addresses = {ip(address)}, .ports = {{.name = "http", .port = 80}}};
}

SliceFacts slice(std::initializer_list<std::string_view> addresses) {
  SliceFacts facts{.ports = {{.name = "http", .port = 80}}};
  for (const std::string_view address : addresses)
    facts.endpoints.push_back({.address = ip(address)});
  return facts;
}

std::vector<std::string> services_at(const Index& index, std::string_view address) {
  std::vector<std::string> names;
  index.find_address(ip(address), [&](const ServiceEntry& entry) {
    names.push_back(entry.name);
    return false;
  });
  std::ranges::sort(names);
  return names;
}

using Names = std::vector<std::string>;

TEST(Index, FindsServicesByNameAndAddress) {
  Index index;
  EXPECT_TRUE(index.set_service("default", "web", with_ip("10.96.0.1")));
  EXPECT_FALSE(index.set_service("default", "web", with_ip("10.96.0.1")));
  EXPECT_NE(index.find("default", "web"), nullptr);
  EXPECT_EQ(index.find("web", "default"), nullptr);
  EXPECT_EQ(services_at(index, "10.96.0.1"), Names{"web"});
  EXPECT_TRUE(index.set_service("default", "web", with_ip("10.96.0.2")));
  EXPECT_EQ(services_at(index, "10.96.0.1"), Names{});
  EXPECT_EQ(services_at(index, "10.96.0.2"), Names{"web"});
  EXPECT_TRUE(index.set_service("default", "web", std::nullopt));
  EXPECT_FALSE(index.set_service("default", "web", std::nullopt));
  EXPECT_EQ(index.find("default", "web"), nullptr);
  EXPECT_EQ(services_at(index, "10.96.0.2"), Names{});
  EXPECT_EQ(index.services(), 0U);
}

// Events of Services and of slices come in any order.
TEST(Index, TakesSlicesBeforeTheirService) {
  Index index;
  EXPECT_TRUE(index.set_slice("default", "db", "db-1", slice({"10.0.0.2", "10.0.0.1"})));
  EXPECT_EQ(index.find("default", "db"), nullptr);
  EXPECT_TRUE(index.set_service("default", "db", headless()));
  EXPECT_TRUE(index.set_slice("default", "db", "db-2", slice({"10.0.0.1", "fd00::1"})));
  const ServiceEntry* entry = index.find("default", "db");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->v4, (std::vector<AddressV4>{{10, 0, 0, 1}, {10, 0, 0, 2}}));
  EXPECT_EQ(entry->v6, std::vector{ip("fd00::1")});
  EXPECT_EQ(entry->places.size(), 4U);
  // One of two slices with an address goes.
  EXPECT_TRUE(index.set_slice("default", "db", "db-2", std::nullopt));
  EXPECT_EQ(services_at(index, "10.0.0.1"), Names{"db"});
  EXPECT_EQ(services_at(index, "fd00::1"), Names{});
  EXPECT_TRUE(index.set_service("default", "db", std::nullopt));
  EXPECT_EQ(index.services(), 1U);
  EXPECT_TRUE(index.set_slice("default", "db", "db-1", std::nullopt));
  EXPECT_EQ(index.services(), 0U);
  EXPECT_EQ(services_at(index, "10.0.0.1"), Names{});
}

TEST(Index, KnowsNamespaces) {
  Index index;
  EXPECT_TRUE(index.set_namespace("default", true));
  EXPECT_FALSE(index.set_namespace("default", true));
  EXPECT_TRUE(index.has_namespace("default"));
  EXPECT_TRUE(index.set_namespace("default", false));
  EXPECT_FALSE(index.has_namespace("default"));
}

// Whatever the order of changes was, the index is that of the last state.
TEST(Index, DependsOnTheLastStateOnly) {
  SeededRandom random(3);
  Index changed;
  std::array<std::optional<ServiceFacts>, 4> services;
  std::array<std::array<std::optional<SliceFacts>, 3>, 4> slices;
  for (int i = 0; i < 3000; ++i) {
    const size_t service = random.below(services.size());
    const std::string name = "s" + std::to_string(service);
    const std::string address = "10.0.0." + std::to_string(random.below(6));
    if (random.below(3) == 0) {
      services[service] = std::nullopt;
      if (random.below(2) == 0) services[service] = with_ip(address);
      changed.set_service("n", name, services[service]);
    } else {
      const size_t which = random.below(3);
      slices[service][which] = std::nullopt;
      if (random.below(3) != 0) slices[service][which] = slice({address, "10.0.0.9"});
      changed.set_slice("n", name, "x" + std::to_string(which), slices[service][which]);
    }
  }
  Index fresh;
  for (size_t service = 0; service < services.size(); ++service) {
    const std::string name = "s" + std::to_string(service);
    fresh.set_service("n", name, services[service]);
    for (size_t which = 0; which < 3; ++which) {
      fresh.set_slice("n", name, "x" + std::to_string(which), slices[service][which]);
    }
    EXPECT_EQ(changed.find("n", name) == nullptr, !services[service].has_value());
  }
  EXPECT_EQ(changed.services(), fresh.services());
  for (int i = 0; i < 10; ++i) {
    const std::string address = "10.0.0." + std::to_string(i);
    EXPECT_EQ(services_at(changed, address), services_at(fresh, address)) << address;
  }
}

}  // namespace
}  // namespace proa::dns
