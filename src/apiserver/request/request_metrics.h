#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/request/request.h"
#include "base/clock.h"
#include "base/metrics/labelled.h"
#include "base/metrics/metrics.h"

namespace proa::apiserver {

class RequestMetrics;

// The handle of a counted request: small and copyable. Ended once.
class RequestMark {
 public:
  RequestMark() = default;  // not counted

  // The request was answered.
  void end(int code, size_t body_bytes) const;
  // The same for a request that was refused (429) or given up (504) to protect the server.
  void end_in_defense(int code, size_t body_bytes) const;
  // A watch sent `count` events.
  void sent_events(size_t count) const;

 private:
  friend class RequestMetrics;
  RequestMetrics* metrics_ = nullptr;
  uint32_t series_ = 0;
  uint32_t resource_ = 0;
  Steady begin_;
};

// Ends it with success when the last reference is dropped; for watches, which end in many ways.
std::shared_ptr<const RequestMark> ended_with_last_reference(const RequestMark& mark);

// Counts requests by resource, verb etc. Recording is a lookup by index and a few atomic additions;
// labels are formatted on scrape. Thread-safe.
class RequestMetrics {
 public:
  // All arguments outlive it. Resources that are not in the schema are counted together.
  RequestMetrics(const api::Schema& schema, const Clock& clock);
  ~RequestMetrics();

  RequestMark begin(const Request& request, bool dry_run);

  void write(MetricsText& text) const;

 private:
  friend class RequestMark;
  struct Series;
  struct Target {
    const api::Resource* resource = nullptr;  // null: unknown
    const api::Subresource* subresource = nullptr;
  };
  enum Scope : uint32_t { kResource, kNamespace, kCluster, kScopes };
  enum Work : uint32_t { kReadOnly, kMutating, kWorks };
  static constexpr uint32_t kVerbs = 8;
  static constexpr uint32_t kPerTarget = kVerbs * kScopes * 2;

  // The labels of a series, decoded from its index.
  struct Place {
    const Target& target;
    api::Verb verb;
    Scope scope;
    bool dry_run;
  };
  Place place_of(uint32_t series) const;
  static std::string_view verb_text(const Place& place);
  static std::vector<std::string_view> labels_of(const Place& place, bool with_dry_run);
  Series& series(uint32_t number);
  void end(const RequestMark& mark, int code, size_t body_bytes);
  void count_termination(const RequestMark& mark, int code);
  bool was_requested(uint32_t target) const;
  void write_deprecated(MetricsText& text) const;
  void write_family(MetricsText& text, const MetricFamily& family,
                    void (*add)(MetricsText&, const Series&, const Place&)) const;

  const Clock& clock_;
  std::unordered_map<const api::Resource*, uint32_t> first_target_;
  std::vector<Target> targets_;  // a resource, then its subresources
  // Indexed by target, verb, scope and dry run; allocated by the first request.
  std::unique_ptr<std::atomic<Series*>[]> series_;
  std::unique_ptr<Counter[]> events_;  // by target
  std::array<Gauge, kWorks> in_flight_;
  Labelled<Gauge> deprecated_;  // of custom resources
};

}  // namespace proa::apiserver
