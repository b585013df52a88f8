#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/metrics/metrics.h"
#include "base/time.h"

namespace proa::apiserver {

// How authentication of requests ended, with upstream's names. Thread-safe; recording takes a few
// atomic additions.
class AuthenticationMetrics {
 public:
  enum class Outcome : uint8_t {
    kSuccess,  // anonymous users, too
    kFailure,  // the request has no credentials
    kError,    // its credentials were refused
  };
  static constexpr size_t kOutcomes = 3;
  // Names that are told apart; see authentication_metrics.cc.
  static constexpr size_t kUserLabels = 7;

  AuthenticationMetrics();

  void count_attempt(Outcome outcome, Duration took);
  void count_user(std::string_view name);

  void write(MetricsText& text) const;

 private:
  std::array<Counter, kOutcomes> attempts_;
  std::array<Histogram, kOutcomes> seconds_;
  std::array<Counter, kUserLabels> users_;
};

// How the cache of bearer tokens is used. Thread-safe.
class TokenCacheMetrics {
 public:
  TokenCacheMetrics();

  // Hits take less than the millisecond to which upstream rounds.
  void count_hit();
  void count_miss(Duration took);
  // Around asking the authenticators. `failed`: one of them refused the token.
  void begin_fetch() { fetching_.add(1); }
  void end_fetch(bool failed);

  void write(MetricsText& text) const;

 private:
  Counter hits_;
  Counter misses_;
  Histogram hit_seconds_;
  Histogram miss_seconds_;
  Counter fetched_;
  Counter failed_;
  Gauge fetching_;
};

// For how long client certificates are still valid. Thread-safe.
class CertificateMetrics {
 public:
  CertificateMetrics();

  void count(Duration remaining);

  void write(MetricsText& text) const;

 private:
  Histogram remaining_;
};

}  // namespace proa::apiserver
