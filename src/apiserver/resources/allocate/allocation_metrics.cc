#include "apiserver/resources/allocate/allocation_metrics.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace proa::apiserver {
namespace allocation_metrics {

constexpr double kSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

constexpr MetricFamily kAddressesTaken{"kube_apiserver_clusterip_allocator_allocated_ips",
                                       "Addresses of Services that are allocated.",
                                       MetricKind::kGauge,
                                       {"cidr"}};
constexpr MetricFamily kAddressesFree{"kube_apiserver_clusterip_allocator_available_ips",
                                      "Addresses of Services that are free.",
                                      MetricKind::kGauge,
                                      {"cidr"}};
constexpr MetricFamily kAddresses{"kube_apiserver_clusterip_allocator_allocation_total",
                                  "Allocations of Service addresses.",
                                  MetricKind::kCounter,
                                  {"cidr", "scope"}};
constexpr MetricFamily kAddressFailures{
    "kube_apiserver_clusterip_allocator_allocation_errors_total",
    "Allocations of Service addresses that failed.",
    MetricKind::kCounter,
    {"cidr", "scope"}};
constexpr MetricFamily kAddressSeconds{
    "kube_apiserver_clusterip_allocator_allocation_duration_seconds",
    "How long it took to allocate a Service address.",
    MetricKind::kHistogram,
    {"cidr"},
    kSeconds};
constexpr MetricFamily kPortsTaken{"kube_apiserver_nodeport_allocator_allocated_ports",
                                   "Node ports that are allocated.", MetricKind::kGauge};
constexpr MetricFamily kPortsFree{"kube_apiserver_nodeport_allocator_available_ports",
                                  "Node ports that are free.", MetricKind::kGauge};
constexpr MetricFamily kPorts{"kube_apiserver_nodeport_allocator_allocation_total",
                              "Allocations of node ports.",
                              MetricKind::kCounter,
                              {"scope"}};
constexpr MetricFamily kPortFailures{"kube_apiserver_nodeport_allocator_allocation_errors_total",
                                     "Allocations of node ports that failed.",
                                     MetricKind::kCounter,
                                     {"scope"}};

// By AllocationScope.
constexpr std::string_view kScopes[] = {"static", "dynamic"};

std::string_view name_of(AllocationScope scope) { return kScopes[static_cast<size_t>(scope)]; }

// IPv6 networks may have more addresses than a gauge can say.
int64_t bounded(uint64_t number) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min(number, kMost));
}

template <size_t kSize>
void write_scopes(MetricsText& text, const MetricFamily& family,
                  const std::array<Counter, kSize>& counters) {
  text.begin(family);
  for (size_t i = 0; i < kSize; ++i) {
    // As upstream, there is no series before its first use.
    if (counters[i].value() != 0) text.add({&kScopes[i], 1}, counters[i].value());
  }
}

}  // namespace allocation_metrics

ClusterIpMetrics::ClusterIpMetrics()
    : allocations_(allocation_metrics::kAddresses),
      failures_(allocation_metrics::kAddressFailures),
      seconds_(allocation_metrics::kAddressSeconds) {}

void ClusterIpMetrics::count(std::string_view cidr, AllocationScope scope, Duration took) {
  allocations_.at({cidr, allocation_metrics::name_of(scope)}).add();
  seconds_.at({cidr}).observe(std::chrono::duration<double>(took).count());
}

void ClusterIpMetrics::count_failure(std::string_view cidr, AllocationScope scope) {
  failures_.at({cidr, allocation_metrics::name_of(scope)}).add();
}

void ClusterIpMetrics::set_use(std::vector<RangeUse> use) {
  MutexLock lock(mutex_);
  use_ = std::move(use);
}

void ClusterIpMetrics::write(MetricsText& text) const {
  using namespace allocation_metrics;  // NOLINT: of this file only
  {
    MutexLock lock(mutex_);
    text.begin(kAddressesTaken);
    for (const RangeUse& one : use_) {
      const std::string_view cidr = one.range;
      text.add({&cidr, 1}, bounded(one.taken));
    }
    text.begin(kAddressesFree);
    for (const RangeUse& one : use_) {
      const std::string_view cidr = one.range;
      text.add({&cidr, 1}, bounded(one.free));
    }
  }
  allocations_.write(text);
  failures_.write(text);
  seconds_.write(text);
}

void NodePortMetrics::set_use(uint64_t taken, uint64_t free) {
  taken_.set(allocation_metrics::bounded(taken));
  free_.set(allocation_metrics::bounded(free));
}

void NodePortMetrics::write(MetricsText& text) const {
  using namespace allocation_metrics;  // NOLINT: of this file only
  text.begin(kPortsTaken);
  text.add({}, taken_.value());
  text.begin(kPortsFree);
  text.add({}, free_.value());
  write_scopes(text, kPorts, allocations_);
  write_scopes(text, kPortFailures, failures_);
}

}  // namespace proa::apiserver
