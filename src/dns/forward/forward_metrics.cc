#include "dns/forward/forward_metrics.h"

#include "dns/forward/cache.h"

namespace proa::dns {
namespace forward_metrics {

// Of all series: there is one server and one cache on a node.
constexpr std::string_view kServer = "dns://:53";
constexpr std::string_view kZones = ".";

constexpr double kSeconds[] = {0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032,
                               0.064,   0.128,  0.256, 0.512, 1.024, 2.048, 4.096, 8.192};

constexpr MetricFamily kEntries{.name = "coredns_cache_entries",
                                .help = "The number of elements in the cache.",
                                .kind = MetricKind::kGauge,
                                .labels = {"server", "type", "zones", "view"}};
constexpr MetricFamily kRequests{.name = "coredns_cache_requests_total",
                                 .help = "The count of cache requests.",
                                 .labels = {"server", "zones", "view"}};
constexpr MetricFamily kHits{.name = "coredns_cache_hits_total",
                             .help = "The count of cache hits.",
                             .labels = {"server", "type", "zones", "view"}};
constexpr MetricFamily kMisses{
    .name = "coredns_cache_misses_total",
    .help =
        "The count of cache misses. Deprecated, derive misses from cache hits/requests "
        "counters.",
    .labels = {"server", "zones", "view"}};
constexpr MetricFamily kPrefetches{
    .name = "coredns_cache_prefetch_total",
    .help = "The number of times the cache has prefetched a cached item.",
    .labels = {"server", "zones", "view"}};
constexpr MetricFamily kStale{.name = "coredns_cache_served_stale_total",
                              .help = "The number of requests served from stale cache entries.",
                              .labels = {"server", "zones", "view"}};
constexpr MetricFamily kRejected{
    .name = "coredns_forward_max_concurrent_rejects_total",
    .help =
        "Counter of the number of queries rejected because the concurrent queries were at "
        "maximum."};
constexpr MetricFamily kBroken{
    .name = "coredns_forward_healthcheck_broken_total",
    .help = "Counter of the number of complete failures of the healthchecks."};
constexpr MetricFamily kDuration{.name = "coredns_proxy_request_duration_seconds",
                                 .help = "Histogram of the time each request took.",
                                 .kind = MetricKind::kHistogram,
                                 .labels = {"proxy_name", "to", "rcode"},
                                 .bounds = kSeconds};
constexpr MetricFamily kProbeFailures{.name = "coredns_proxy_healthcheck_failures_total",
                                      .help = "Counter of the number of failed healthchecks.",
                                      .labels = {"proxy_name", "to"}};

}  // namespace forward_metrics

ForwardMetrics::ForwardMetrics(Metrics& metrics, const Cache& cache)
    : requests(metrics.counter(forward_metrics::kRequests,
                               {forward_metrics::kServer, forward_metrics::kZones, ""})),
      hits(metrics.counter(forward_metrics::kHits,
                           {forward_metrics::kServer, "success", forward_metrics::kZones, ""})),
      negative_hits(metrics.counter(forward_metrics::kHits, {forward_metrics::kServer, "denial",
                                                             forward_metrics::kZones, ""})),
      misses(metrics.counter(forward_metrics::kMisses,
                             {forward_metrics::kServer, forward_metrics::kZones, ""})),
      prefetches(metrics.counter(forward_metrics::kPrefetches,
                                 {forward_metrics::kServer, forward_metrics::kZones, ""})),
      served_stale(metrics.counter(forward_metrics::kStale,
                                   {forward_metrics::kServer, forward_metrics::kZones, ""})),
      rejected(metrics.counter(forward_metrics::kRejected)),
      all_down(metrics.counter(forward_metrics::kBroken)),
      metrics_(metrics) {
  metrics.collect([&cache](MetricsText& text) {
    const Cache::Size size = cache.size();
    text.begin(forward_metrics::kEntries);
    text.add(std::initializer_list<std::string_view>{forward_metrics::kServer, "success",
                                                     forward_metrics::kZones, ""},
             uint64_t{size.positive});
    text.add(std::initializer_list<std::string_view>{forward_metrics::kServer, "denial",
                                                     forward_metrics::kZones, ""},
             uint64_t{size.negative});
  });
}

void ForwardMetrics::answered(const Upstream& upstream, Rcode rcode, Duration took) {
  metrics_.histogram(forward_metrics::kDuration, {"forward", upstream.str(), rcode_name(rcode)})
      .observe(std::chrono::duration<double>(took).count());
}

void ForwardMetrics::probe_failed(const Upstream& upstream) {
  metrics_.counter(forward_metrics::kProbeFailures, {"forward", upstream.str()}).add();
}

}  // namespace proa::dns
