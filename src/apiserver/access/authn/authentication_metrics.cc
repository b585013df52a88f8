#include "apiserver/access/authn/authentication_metrics.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace proa::apiserver {
namespace authentication_metrics {

using Labels = std::span<const std::string_view>;

// Doubles from a millisecond, 15 times.
constexpr double kSeconds[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                               0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};
constexpr double kCacheSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kRemaining[] = {0,          30 * kMinute, kHour,      2 * kHour, 6 * kHour,
                                 12 * kHour, kDay,         2 * kDay,   4 * kDay,  7 * kDay,
                                 30 * kDay,  90 * kDay,    180 * kDay, 360 * kDay};

constexpr std::string_view kOutcomeNames[AuthenticationMetrics::kOutcomes] = {"success", "failure",
                                                                              "error"};
// Upstream's compressUsername: names of its own, and what stands for all others.
constexpr std::string_view kUsers[AuthenticationMetrics::kUserLabels] = {
    "admin",    "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default",
    "email_id", "other"};
constexpr size_t kEmail = 5;
constexpr size_t kOther = 6;

constexpr MetricFamily kAttempts{"authentication_attempts",
                                 "Attempts to authenticate a request, by result.",
                                 MetricKind::kCounter,
                                 {"result"}};
constexpr MetricFamily kDuration{"authentication_duration_seconds",
                                 "How long it took to authenticate a request, by result.",
                                 MetricKind::kHistogram,
                                 {"result"},
                                 kSeconds};
constexpr MetricFamily kUserRequests{"authenticated_user_requests",
                                     "Requests of known users, by the kind of their name.",
                                     MetricKind::kCounter,
                                     {"username"}};
constexpr MetricFamily kLookups{"authentication_token_cache_request_total",
                                "Bearer tokens that were looked up in the cache.",
                                MetricKind::kCounter,
                                {"status"}};
constexpr MetricFamily kLookupSeconds{"authentication_token_cache_request_duration_seconds",
                                      "How long it took to authenticate a bearer token.",
                                      MetricKind::kHistogram,
                                      {"status"},
                                      kCacheSeconds};
constexpr MetricFamily kFetches{"authentication_token_cache_fetch_total",
                                "Bearer tokens that were not in the cache, by what became of them.",
                                MetricKind::kCounter,
                                {"status"}};
constexpr MetricFamily kActiveFetches{"authentication_token_cache_active_fetch_count",
                                      "Bearer tokens that are being authenticated right now.",
                                      MetricKind::kGauge,
                                      {"status"}};
constexpr MetricFamily kExpiration{
    "apiserver_client_certificate_expiration_seconds",
    "For how long the client certificates of requests are still valid.",
    MetricKind::kHistogram,
    {},
    kRemaining,
    1};

double seconds(Duration took) { return std::chrono::duration<double>(took).count(); }

double whole_milliseconds(Duration took) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  return static_cast<double>(whole) / 1000;
}

size_t label_of(std::string_view name) {
  const auto* known = std::find(std::begin(kUsers), std::begin(kUsers) + kEmail, name);
  if (known != std::begin(kUsers) + kEmail) return static_cast<size_t>(known - std::begin(kUsers));
  return name.find('@') == name.npos ? kOther : kEmail;
}

// As upstream, there is no series before its first use.
void add_used(MetricsText& text, std::string_view label, const Counter& counter) {
  if (counter.value() != 0) text.add(Labels{&label, 1}, counter.value());
}

void add_used(MetricsText& text, std::string_view label, const Histogram& histogram) {
  if (histogram.cumulative().back() != 0) text.add(Labels{&label, 1}, histogram);
}

}  // namespace authentication_metrics

AuthenticationMetrics::AuthenticationMetrics()
    : seconds_{Histogram(authentication_metrics::kSeconds),
               Histogram(authentication_metrics::kSeconds),
               Histogram(authentication_metrics::kSeconds)} {}

void AuthenticationMetrics::count_attempt(Outcome outcome, Duration took) {
  const auto index = static_cast<size_t>(outcome);
  attempts_[index].add();
  seconds_[index].observe(authentication_metrics::seconds(took));
}

void AuthenticationMetrics::count_user(std::string_view name) {
  users_[authentication_metrics::label_of(name)].add();
}

void AuthenticationMetrics::write(MetricsText& text) const {
  using namespace authentication_metrics;  // NOLINT: of this file only
  text.begin(kAttempts);
  for (size_t i = 0; i < kOutcomes; ++i) add_used(text, kOutcomeNames[i], attempts_[i]);
  text.begin(kDuration);
  for (size_t i = 0; i < kOutcomes; ++i) add_used(text, kOutcomeNames[i], seconds_[i]);
  text.begin(kUserRequests);
  for (size_t i = 0; i < kUserLabels; ++i) add_used(text, kUsers[i], users_[i]);
}

TokenCacheMetrics::TokenCacheMetrics()
    : hit_seconds_(authentication_metrics::kCacheSeconds),
      miss_seconds_(authentication_metrics::kCacheSeconds) {}

void TokenCacheMetrics::count_hit() {
  hits_.add();
  hit_seconds_.observe(0);
}

void TokenCacheMetrics::count_miss(Duration took) {
  misses_.add();
  miss_seconds_.observe(authentication_metrics::whole_milliseconds(took));
}

void TokenCacheMetrics::end_fetch(bool failed) {
  (failed ? failed_ : fetched_).add();
  fetching_.add(-1);
}

void TokenCacheMetrics::write(MetricsText& text) const {
  using namespace authentication_metrics;  // NOLINT: of this file only
  text.begin(kLookups);
  add_used(text, "hit", hits_);
  add_used(text, "miss", misses_);
  text.begin(kLookupSeconds);
  add_used(text, "hit", hit_seconds_);
  add_used(text, "miss", miss_seconds_);
  text.begin(kFetches);
  add_used(text, "error", failed_);
  add_used(text, "ok", fetched_);
  // Each request asks for itself, so as many are blocked as are in flight.
  text.begin(kActiveFetches);
  for (const std::string_view status : {"blocked", "in_flight"})
    text.add(Labels{&status, 1}, fetching_.value());
}

CertificateMetrics::CertificateMetrics() : remaining_(authentication_metrics::kRemaining, 1) {}

void CertificateMetrics::count(Duration remaining) {
  // Those of the past are in the first bucket.
  remaining_.observe(std::max(authentication_metrics::seconds(remaining), 0.0));
}

void CertificateMetrics::write(MetricsText& text) const {
  text.begin(authentication_metrics::kExpiration);
  text.add({}, remaining_);
}

}  // namespace proa::apiserver
