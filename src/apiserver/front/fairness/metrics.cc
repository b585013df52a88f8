#include "apiserver/front/fairness/metrics.h"

namespace proa::apiserver::fairness {
namespace metrics {

constexpr double kSeconds[] = {0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};
constexpr double kLengths[] = {0, 10, 25, 50, 100, 250, 500, 1000};
constexpr double kSeats[] = {1, 2, 4, 8, 16, 32, 64, 100};
constexpr double kWatches[] = {0, 1, 10, 100, 1000, 10000};
constexpr double kWhole = 1;  // the precision of sums of whole numbers

constexpr MetricFamily kDispatched{
    "apiserver_flowcontrol_dispatched_requests_total",
    "Number of requests executed by API Priority and Fairness subsystem",
    MetricKind::kCounter,
    {"priority_level", "flow_schema"}};
constexpr MetricFamily kRejected{
    "apiserver_flowcontrol_rejected_requests_total",
    "Number of requests rejected by API Priority and Fairness subsystem",
    MetricKind::kCounter,
    {"priority_level", "flow_schema", "reason"}};
constexpr MetricFamily kWaitingRequests{
    "apiserver_flowcontrol_current_inqueue_requests",
    "Number of requests currently pending in queues of the API Priority and Fairness subsystem",
    MetricKind::kGauge,
    {"priority_level", "flow_schema"}};
constexpr MetricFamily kWaitingSeats{
    "apiserver_flowcontrol_current_inqueue_seats",
    "Number of seats currently pending in queues of the API Priority and Fairness subsystem",
    MetricKind::kGauge,
    {"priority_level", "flow_schema"}};
constexpr MetricFamily kExecutingRequests{
    "apiserver_flowcontrol_current_executing_requests",
    "Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the "
    "API Priority and Fairness subsystem",
    MetricKind::kGauge,
    {"priority_level", "flow_schema"}};
constexpr MetricFamily kExecutingSeats{
    "apiserver_flowcontrol_current_executing_seats",
    "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, "
    "any stage otherwise) requests in the API Priority and Fairness subsystem",
    MetricKind::kGauge,
    {"priority_level", "flow_schema"}};
constexpr MetricFamily kQueueLength{
    "apiserver_flowcontrol_request_queue_length_after_enqueue",
    "Length of queue in the API Priority and Fairness subsystem, as seen by each request after it "
    "is enqueued",
    MetricKind::kHistogram,
    {"priority_level", "flow_schema"},
    kLengths,
    kWhole};
constexpr MetricFamily kWaited{"apiserver_flowcontrol_request_wait_duration_seconds",
                               "Length of time a request spent waiting in its queue",
                               MetricKind::kHistogram,
                               {"priority_level", "flow_schema", "execute"},
                               kSeconds};
constexpr MetricFamily kExecuted{
    "apiserver_flowcontrol_request_execution_seconds",
    "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution "
    "in the API Priority and Fairness subsystem",
    MetricKind::kHistogram,
    {"priority_level", "flow_schema", "type"},
    kSeconds};
constexpr MetricFamily kEstimatedSeats{
    "apiserver_flowcontrol_work_estimated_seats",
    "Number of estimated seats (maximum of initial and final seats) associated with requests in "
    "API Priority and Fairness",
    MetricKind::kHistogram,
    {"priority_level", "flow_schema"},
    kSeats,
    kWhole};
constexpr MetricFamily kWatchCounts{
    "apiserver_flowcontrol_watch_count_samples",
    "count of watchers for mutating requests in API Priority and Fairness",
    MetricKind::kHistogram,
    {"priority_level", "flow_schema"},
    kWatches,
    kWhole};
constexpr MetricFamily kUnaccommodated{
    "apiserver_flowcontrol_request_dispatch_no_accommodation_total",
    "Number of times a dispatch attempt resulted in a non accommodation due to lack of available "
    "seats",
    MetricKind::kCounter,
    {"priority_level", "flow_schema"}};

using Row = FairnessMetrics::LevelRow;

constexpr MetricFamily of_level(std::string_view name, std::string_view help) {
  return {name, help, MetricKind::kGauge, {"priority_level"}};
}

// Gauges of each level.
struct LevelGauge {
  MetricFamily family;
  double (*value)(const Row& row);
};
const LevelGauge kLevelGauges[] = {
    {of_level("apiserver_flowcontrol_nominal_limit_seats",
              "Nominal number of execution seats configured for each priority level"),
     [](const Row& row) { return static_cast<double>(row.nominal); }},
    {of_level("apiserver_flowcontrol_lower_limit_seats",
              "Configured lower bound on number of execution seats available to each priority "
              "level"),
     [](const Row& row) { return static_cast<double>(row.lower); }},
    {of_level("apiserver_flowcontrol_upper_limit_seats",
              "Configured upper bound on number of execution seats available to each priority "
              "level"),
     [](const Row& row) { return static_cast<double>(row.upper); }},
    {of_level("apiserver_flowcontrol_current_limit_seats",
              "current derived number of execution seats available to each priority level"),
     [](const Row& row) { return static_cast<double>(row.current); }},
    {of_level("apiserver_flowcontrol_demand_seats_high_watermark",
              "High watermark, over last adjustment period, of demand_seats"),
     [](const Row& row) { return static_cast<double>(row.demand.high_watermark); }},
    {of_level("apiserver_flowcontrol_demand_seats_average",
              "Time-weighted average, over last adjustment period, of demand_seats"),
     [](const Row& row) { return row.demand.average; }},
    {of_level("apiserver_flowcontrol_demand_seats_stdev",
              "Time-weighted standard deviation, over last adjustment period, of demand_seats"),
     [](const Row& row) { return row.demand.deviation; }},
    {of_level("apiserver_flowcontrol_demand_seats_smoothed", "Smoothed seat demands"),
     [](const Row& row) { return row.demand.smoothed; }},
    {of_level("apiserver_flowcontrol_target_seats", "Seat allocation targets"),
     [](const Row& row) { return row.target; }},
    {of_level("apiserver_flowcontrol_current_r", "R(time of last change)"),
     [](const Row& row) { return row.r.number(); }},
};
// The same for those that had a dispatch from a queue.
const LevelGauge kDispatchGauges[] = {
    {of_level("apiserver_flowcontrol_dispatch_r", "R(time of last dispatch)"),
     [](const Row& row) { return row.figures.r.number(); }},
    {of_level("apiserver_flowcontrol_latest_s", "S(most recently dispatched request)"),
     [](const Row& row) { return row.figures.start.number(); }},
};
constexpr MetricFamily kBounds{"apiserver_flowcontrol_next_s_bounds",
                               "min and max, over queues, of S(oldest waiting request in queue)",
                               MetricKind::kGauge,
                               {"priority_level", "bound"}};
constexpr MetricFamily kDiscountedBounds{
    "apiserver_flowcontrol_next_discounted_s_bounds",
    "min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress",
    MetricKind::kGauge,
    {"priority_level", "bound"}};
constexpr MetricFamily kEpochs{"apiserver_flowcontrol_epoch_advance_total",
                               "Number of times the queueset's progress meter jumped backward",
                               MetricKind::kCounter,
                               {"priority_level", "success"}};
constexpr MetricFamily kFairFraction{
    "apiserver_flowcontrol_seat_fair_frac",
    "Fair fraction of server's concurrency to allocate to each priority level that can use it",
    MetricKind::kGauge,
    {}};

constexpr std::string_view kReasons[] = {"queue-full", "concurrency-limit", "time-out",
                                         "cancelled"};

void add(MetricsText& text, std::string_view level, std::string_view bound, SeatSeconds value) {
  const std::array<std::string_view, 2> labels{level, bound};
  text.add(labels, value.number());
}

}  // namespace metrics

FairnessMetrics::FairnessMetrics()
    : dispatched_(metrics::kDispatched),
      rejected_(metrics::kRejected),
      waiting_requests_(metrics::kWaitingRequests),
      waiting_seats_(metrics::kWaitingSeats),
      executing_requests_(metrics::kExecutingRequests),
      executing_seats_(metrics::kExecutingSeats),
      queue_length_(metrics::kQueueLength),
      waited_(metrics::kWaited),
      executed_(metrics::kExecuted),
      seats_(metrics::kEstimatedSeats),
      watches_(metrics::kWatchCounts),
      unaccommodated_(metrics::kUnaccommodated) {}

void FairnessMetrics::complete(FlowMetrics& flow) {
  if (flow.dispatched != nullptr) return;
  flow.dispatched = &dispatched_.at({flow.level, flow.schema});
  flow.waiting_requests = &waiting_requests_.at({flow.level, flow.schema});
  flow.waiting_seats = &waiting_seats_.at({flow.level, flow.schema});
  flow.executing_requests = &executing_requests_.at({flow.level, flow.schema});
  flow.executing_seats = &executing_seats_.at({flow.level, flow.schema});
  flow.queue_length = &queue_length_.at({flow.level, flow.schema});
  flow.waited_executed = &waited_.at({flow.level, flow.schema, "true"});
  flow.waited_rejected = &waited_.at({flow.level, flow.schema, "false"});
  flow.executed_regular = &executed_.at({flow.level, flow.schema, "regular"});
  flow.executed_watch = &executed_.at({flow.level, flow.schema, "watch"});
  flow.seats = &seats_.at({flow.level, flow.schema});
  flow.watches = &watches_.at({flow.level, flow.schema});
  flow.unaccommodated = &unaccommodated_.at({flow.level, flow.schema});
}

void FairnessMetrics::count(FlowMetrics& flow, Rejection rejection) {
  const auto index = static_cast<size_t>(rejection);
  Counter*& counter = flow.rejected[index];
  if (counter == nullptr)
    counter = &rejected_.at({flow.level, flow.schema, metrics::kReasons[index]});
  counter->add();
}

void FairnessMetrics::write(MetricsText& text, std::span<const LevelRow> levels,
                            double fair_fraction) const {
  dispatched_.write(text);
  rejected_.write(text);
  waiting_requests_.write(text);
  waiting_seats_.write(text);
  executing_requests_.write(text);
  executing_seats_.write(text);
  queue_length_.write(text);
  waited_.write(text);
  executed_.write(text);
  seats_.write(text);
  watches_.write(text);
  unaccommodated_.write(text);
  const auto write = [&](const metrics::LevelGauge& gauge, bool dispatched_only) {
    text.begin(gauge.family);
    for (const LevelRow& row : levels) {
      const std::string_view label = row.name;
      if (!dispatched_only || row.dispatches > 0) text.add({&label, 1}, gauge.value(row));
    }
  };
  for (const metrics::LevelGauge& gauge : metrics::kLevelGauges) write(gauge, false);
  for (const metrics::LevelGauge& gauge : metrics::kDispatchGauges) write(gauge, true);
  text.begin(metrics::kBounds);
  for (const LevelRow& row : levels) {
    if (row.dispatches == 0) continue;
    metrics::add(text, row.name, "min", row.figures.least);
    metrics::add(text, row.name, "max", row.figures.most);
  }
  text.begin(metrics::kDiscountedBounds);
  for (const LevelRow& row : levels) {
    if (row.dispatches == 0) continue;
    metrics::add(text, row.name, "min", row.figures.least_discounted);
    metrics::add(text, row.name, "max", row.figures.most_discounted);
  }
  text.begin(metrics::kEpochs);
  for (const LevelRow& row : levels) {
    const std::array<std::string_view, 2> labels{row.name, "true"};
    if (row.epochs > 0) text.add(labels, row.epochs);
  }
  text.begin(metrics::kFairFraction);
  text.add({}, fair_fraction);
}

}  // namespace proa::apiserver::fairness
