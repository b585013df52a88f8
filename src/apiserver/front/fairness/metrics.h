#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "apiserver/front/fairness/queues/demand.h"
#include "apiserver/front/fairness/queues/queue_set.h"
#include "base/metrics/labelled.h"
#include "base/metrics/metrics.h"

namespace proa::apiserver::fairness {

enum class Rejection : uint8_t { kQueueFull, kLimitReached, kTimedOut, kCancelled };

// The metrics of the requests of one schema in one level; references into Metrics. Guarded by
// whoever owns it.
struct FlowMetrics {
  std::string level;
  std::string schema;
  Counter* dispatched = nullptr;  // null: none of the schema's metrics exist yet
  std::array<Counter*, 4> rejected{};
  Gauge* waiting_requests = nullptr;
  Gauge* waiting_seats = nullptr;
  Gauge* executing_requests = nullptr;
  Gauge* executing_seats = nullptr;
  Histogram* queue_length = nullptr;
  Histogram* waited_executed = nullptr;
  Histogram* waited_rejected = nullptr;
  Histogram* executed_regular = nullptr;
  Histogram* executed_watch = nullptr;
  Histogram* seats = nullptr;
  Histogram* watches = nullptr;
  Counter* unaccommodated = nullptr;
};

// apiserver_flowcontrol_*, with upstream's names and labels. Thread-safe.
class FairnessMetrics {
 public:
  FairnessMetrics();

  // Makes those that a schema has once it had a request.
  void complete(FlowMetrics& flow);
  void count(FlowMetrics& flow, Rejection rejection);

  // The state of a level.
  struct LevelRow {
    std::string name;
    int nominal = 0;
    int lower = 0;
    int upper = 0;
    int current = 0;
    double target = 0;
    SmoothedDemand demand;
    SeatSeconds r;
    QueueSet::DispatchFigures figures;
    uint64_t dispatches = 0;
    uint64_t epochs = 0;
  };
  void write(MetricsText& text, std::span<const LevelRow> levels, double fair_fraction) const;

 private:
  Labelled<Counter> dispatched_;
  Labelled<Counter> rejected_;
  Labelled<Gauge> waiting_requests_;
  Labelled<Gauge> waiting_seats_;
  Labelled<Gauge> executing_requests_;
  Labelled<Gauge> executing_seats_;
  Labelled<Histogram> queue_length_;
  Labelled<Histogram> waited_;
  Labelled<Histogram> executed_;
  Labelled<Histogram> seats_;
  Labelled<Histogram> watches_;
  Labelled<Counter> unaccommodated_;
};

}  // namespace proa::apiserver::fairness
