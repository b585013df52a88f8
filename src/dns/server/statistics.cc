#include "dns/server/statistics.h"

#include <algorithm>
#include <span>
#include <string>

namespace proa::dns {
namespace statistics {

// plugin.TimeBuckets: from 0.25 ms, doubling.
constexpr std::array<double, Statistics::kTimes> kTimeBounds = {
    0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032,
    0.064,   0.128,  0.256, 0.512, 1.024, 2.048, 4.096, 8.192};
constexpr std::array<double, Statistics::kSizes> kSizeBounds = {
    0, 100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16e3, 32e3, 48e3, 64e3};

// Types that are counted by name (monitor types of CoreDNS); the last is all others.
constexpr std::array<Type, Statistics::kTypes - 1> kTypes = {Type::kA,
                                                             Type::kAaaa,
                                                             Type::kCname,
                                                             static_cast<Type>(48),
                                                             static_cast<Type>(43),
                                                             static_cast<Type>(37),
                                                             Type::kHttps,
                                                             Type::kMx,
                                                             Type::kNs,
                                                             static_cast<Type>(47),
                                                             static_cast<Type>(50),
                                                             Type::kPtr,
                                                             static_cast<Type>(46),
                                                             Type::kSoa,
                                                             Type::kSrv,
                                                             Type::kTxt};
constexpr std::array<std::string_view, Statistics::kTypes> kTypeNames = {
    "A",    "AAAA",  "CNAME", "DNSKEY", "DS",  "CERT", "HTTPS", "MX",   "NS",
    "NSEC", "NSEC3", "PTR",   "RRSIG",  "SOA", "SRV",  "TXT",   "other"};
constexpr std::array<std::string_view, Statistics::kRcodes> kRcodeNames = {
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "other"};
constexpr std::array<std::string_view, 3> kAnswerers = {"kubernetes", "forward", ""};
constexpr std::array<std::string_view, 2> kProtocols = {"udp", "tcp"};
constexpr std::array<std::string_view, 2> kFamilies = {"1", "2"};
constexpr std::string_view kServer = "dns://:53";
constexpr std::string_view kZone = ".";

constexpr MetricFamily kRequests{
    .name = "coredns_dns_requests_total",
    .help = "Counter of DNS requests made per zone, protocol and family.",
    .kind = MetricKind::kCounter,
    .labels = {"server", "zone", "view", "proto", "family", "type"}};
constexpr MetricFamily kResponses{.name = "coredns_dns_responses_total",
                                  .help = "Counter of response status codes.",
                                  .kind = MetricKind::kCounter,
                                  .labels = {"server", "zone", "view", "rcode", "plugin"}};
constexpr MetricFamily kDurations{
    .name = "coredns_dns_request_duration_seconds",
    .help = "Histogram of the time (in seconds) each request took per zone.",
    .kind = MetricKind::kHistogram,
    .labels = {"server", "zone", "view"},
    .bounds = kTimeBounds};
constexpr MetricFamily kRequestSizes{
    .name = "coredns_dns_request_size_bytes",
    .help = "Size of the EDNS0 UDP buffer in bytes (64K for TCP) per zone and protocol.",
    .kind = MetricKind::kHistogram,
    .labels = {"server", "zone", "view", "proto"},
    .bounds = kSizeBounds,
    .precision = 1};
constexpr MetricFamily kResponseSizes{.name = "coredns_dns_response_size_bytes",
                                      .help = "Size of the returned response in bytes.",
                                      .kind = MetricKind::kHistogram,
                                      .labels = {"server", "zone", "view", "proto"},
                                      .bounds = kSizeBounds,
                                      .precision = 1};
constexpr MetricFamily kDnssecOk{.name = "coredns_dns_do_requests_total",
                                 .help = "Counter of DNS requests with DO bit set per zone.",
                                 .kind = MetricKind::kCounter,
                                 .labels = {"server", "zone", "view"}};
constexpr MetricFamily kDropped{
    .name = "proa_dns_dropped_packets_total",
    .help =
        "Packets that got no answer: from elsewhere than this machine and its pods, responses, "
        "and what is too short.",
    .kind = MetricKind::kCounter};

template <size_t N>
size_t bucket_of(const std::array<double, N>& bounds, double value) {
  size_t bucket = 0;
  while (bucket < N && value > bounds[bucket]) ++bucket;
  return bucket;
}

size_t type_index(Type type) {
  return static_cast<size_t>(std::ranges::find(kTypes, type) - kTypes.begin());
}

}  // namespace statistics

void Statistics::add_request(const Request& request) {
  bump(requests_[request.tcp ? 1 : 0][request.v6 ? 1 : 0][statistics::type_index(request.type)]);
  bump(request_sizes_[request.tcp ? 1 : 0][statistics::bucket_of(
      statistics::kSizeBounds, static_cast<double>(request.size))]);
  bump(request_bytes_[request.tcp ? 1 : 0], request.size);
  if (request.dnssec_ok) bump(dnssec_ok_);
}

void Statistics::add_response(bool tcp, Rcode rcode, Answerer answerer, size_t size,
                              Duration duration) {
  bump(
      responses_[std::min(static_cast<size_t>(rcode), kRcodes - 1)][static_cast<size_t>(answerer)]);
  const double seconds = std::chrono::duration<double>(duration).count();
  bump(durations_[statistics::bucket_of(statistics::kTimeBounds, seconds)]);
  bump(nanoseconds_, static_cast<uint64_t>(duration.count()));
  bump(response_sizes_[tcp ? 1 : 0]
                      [statistics::bucket_of(statistics::kSizeBounds, static_cast<double>(size))]);
  bump(response_bytes_[tcp ? 1 : 0], size);
}

// The sums over all threads, and their text.
class StatisticsText {
 public:
  explicit StatisticsText(const std::deque<Statistics>& threads) : threads_(threads) {}

  void write(MetricsText& text) const {
    namespace s = statistics;
    text.begin(s::kRequests);
    for (size_t tcp = 0; tcp < 2; ++tcp) {
      for (size_t v6 = 0; v6 < 2; ++v6) {
        for (size_t type = 0; type < Statistics::kTypes; ++type) {
          add(text,
              {s::kServer, s::kZone, "", s::kProtocols[tcp], s::kFamilies[v6], s::kTypeNames[type]},
              sum([&](const Statistics& one) -> auto& { return one.requests_[tcp][v6][type]; }));
        }
      }
    }
    text.begin(s::kResponses);
    for (size_t code = 0; code < Statistics::kRcodes; ++code) {
      for (size_t who = 0; who < 3; ++who) {
        add(text, {s::kServer, s::kZone, "", s::kRcodeNames[code], s::kAnswerers[who]},
            sum([&](const Statistics& one) -> auto& { return one.responses_[code][who]; }));
      }
    }
    write_durations(text);
    write_sizes(text, s::kRequestSizes, &Statistics::request_sizes_, &Statistics::request_bytes_);
    write_sizes(text, s::kResponseSizes, &Statistics::response_sizes_,
                &Statistics::response_bytes_);
    text.begin(s::kDnssecOk);
    add(text, {s::kServer, s::kZone, ""},
        sum([](const Statistics& one) -> auto& { return one.dnssec_ok_; }));
    text.begin(s::kDropped);
    text.add({}, sum([](const Statistics& one) -> auto& { return one.dropped_; }));
  }

 private:
  template <typename Member>
  uint64_t sum(const Member& member) const {
    uint64_t total = 0;
    for (const Statistics& one : threads_) total += member(one).load(std::memory_order_relaxed);
    return total;
  }
  // What never happened has no line, as with CoreDNS.
  static void add(MetricsText& text, std::initializer_list<std::string_view> values,
                  uint64_t value) {
    if (value > 0) text.add(std::span(values.begin(), values.size()), value);
  }
  void write_durations(MetricsText& text) const {
    namespace s = statistics;
    text.begin(s::kDurations);
    const std::array<std::string_view, 3> labels = {s::kServer, s::kZone, ""};
    Histogram histogram(s::kTimeBounds);
    for (size_t i = 0; i <= Statistics::kTimes; ++i) {
      histogram.add_to_bucket(
          i, sum([&](const Statistics& one) -> auto& { return one.durations_[i]; }));
    }
    histogram.add_to_sum(
        static_cast<double>(sum([](const Statistics& one) -> auto& { return one.nanoseconds_; })) /
        1e9);
    text.add(labels, histogram);
  }
  template <typename Buckets, typename Bytes>
  void write_sizes(MetricsText& text, const MetricFamily& family, Buckets buckets,
                   Bytes bytes) const {
    namespace s = statistics;
    text.begin(family);
    for (size_t tcp = 0; tcp < 2; ++tcp) {
      const std::array<std::string_view, 4> labels = {s::kServer, s::kZone, "", s::kProtocols[tcp]};
      Histogram histogram(s::kSizeBounds, 1);
      for (size_t i = 0; i <= Statistics::kSizes; ++i) {
        histogram.add_to_bucket(
            i, sum([&](const Statistics& one) -> auto& { return (one.*buckets)[tcp][i]; }));
      }
      histogram.add_to_sum(static_cast<double>(
          sum([&](const Statistics& one) -> auto& { return (one.*bytes)[tcp]; })));
      text.add(labels, histogram);
    }
  }

  const std::deque<Statistics>& threads_;
};

Statistics& ServerStatistics::thread() {
  MutexLock lock(mutex_);
  return threads_.emplace_back();
}

void ServerStatistics::write(MetricsText& text) const {
  MutexLock lock(mutex_);
  StatisticsText(threads_).write(text);
}

}  // namespace proa::dns
