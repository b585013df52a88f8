// What Services cost in the kernel in nftables mode: a first start, a restart, one change, and
// memory, by the number of Services. In a network namespace of its own.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "netlink/netns.h"
#include "proxy/nftables/nftables_rules.h"

namespace proa::proxy {
namespace {

constexpr uint32_t kChanges = 500;

IpAddress address(uint32_t number) {
  return parse_ip(fmt::format("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255))
      .value();
}

ServicePortPtr make_service(uint32_t number, uint32_t endpoints) {
  constexpr uint32_t kServices = 96 << 16;
  constexpr uint32_t kPods = 128 << 16;
  auto port = std::make_shared<ServicePort>();
  port->name = {"default", fmt::format("service-{}", number), "http"};
  port->cluster_ip = address(kServices + number);
  port->port = 80;
  for (uint32_t i = 0; i < endpoints; ++i) {
    port->cluster_endpoints.push_back({address(kPods + number * 4 + i), 8080, i == 0});
  }
  port->has_endpoints = endpoints > 0;
  return port;
}

// Resident bytes of this process.
uint64_t used_memory() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Changes one Service after the other: an endpoint is replaced, or with `more` one is added, and
// the next time removed. Median and 99th percentile, in milliseconds.
Result<void> measure(Rules& rules, std::vector<ServicePortPtr>& all, uint32_t more,
                     std::array<double, 2>& times) {
  std::vector<double> changes;
  for (uint32_t i = 0; i < kChanges; ++i) {
    ServicePortPtr& port = all[i % all.size()];
    auto changed = std::make_shared<ServicePort>(*port);
    std::vector<Endpoint>& endpoints = changed->cluster_endpoints;
    if (more == 0) {
      ++endpoints.back().port;
    } else if (endpoints.size() == 2) {
      endpoints.push_back({endpoints.back().address, 9999});
    } else {
      endpoints.pop_back();
    }
    const Change change{port, changed};
    port = change.after;
    Result<void> done;
    changes.push_back(milliseconds_of([&] { done = rules.apply(std::span(&change, 1)); }));
    TRY(done);
  }
  std::sort(changes.begin(), changes.end());
  times = {changes[changes.size() / 2], changes[changes.size() * 99 / 100]};
  return {};
}

Result<void> run(uint32_t services) {
  SystemClock clock;
  constexpr std::array kFamilies = {Family::kV4, Family::kV6};
  auto rules = TRY(nftables::NftablesRules::open(clock, kFamilies));
  NodeFacts node;
  node.pod_ranges = {parse_prefix("10.128.0.0/9").value()};
  std::vector<ServicePortPtr> all;
  for (uint32_t i = 0; i < services; ++i) all.push_back(make_service(i, 2));

  const uint64_t before = used_memory();
  Result<void> done;
  const double cold = milliseconds_of([&] { done = rules->replace(node, all); });
  TRY(done);
  const uint64_t after = used_memory();
  const double warm = milliseconds_of([&] { done = rules->replace(node, all); });
  TRY(done);
  std::array<double, 2> replaced{};
  std::array<double, 2> scaled{};
  TRY(measure(*rules, all, 0, replaced));
  TRY(measure(*rules, all, 1, scaled));
  fmt::print(
      "{:>6} Services: first start {:6.1f} ms, restart {:6.1f} ms; an endpoint replaced {:.3f} ms "
      "(p99 {:.3f}), one more or less {:.3f} ms (p99 {:.3f}); state {:.1f} MB\n",
      services, cold, warm, replaced[0], replaced[1], scaled[0], scaled[1],
      static_cast<double>(after - std::min(before, after)) / 1e6);
  return rules->remove();
}

}  // namespace
}  // namespace proa::proxy

int main() {
  const auto place = proa::netlink::NetworkNamespace::create();
  if (!place.ok()) {
    fmt::print("no network namespace: {}\n", place.status().message());
    return place.is(proa::Reason::kForbidden) ? 0 : 1;
  }
  for (const uint32_t services : {10U, 1000U, 10000U}) {
    const auto done = place->run([&] { return proa::proxy::run(services); });
    if (!done.ok()) {
      fmt::print("failed: {}\n", done.status().message());
      return 1;
    }
  }
  return 0;
}
