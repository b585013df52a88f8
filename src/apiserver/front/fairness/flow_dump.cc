#include <fmt/format.h>

#include <algorithm>

#include "apiserver/front/fairness/flow_control.h"

// The state of FlowControl as text.

namespace proa::apiserver::fairness {
namespace flow_dump {

using Row = std::vector<std::string>;

// Columns that end with a comma, aligned as Go's tabwriter does it for upstream.
std::string print(const std::vector<Row>& rows) {
  constexpr size_t kLeast = 8;
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), kLeast);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      text += row[i];
      if (last) break;
      text += ',';
      text.append(widths[i] - row[i].size() - 1, ' ');
    }
    text += '\n';
  }
  return text;
}

// RFC 3339 with as many digits as there are.
std::string nano_time(Time time) {
  std::string text = format_time(time);  // truncated to seconds
  const int64_t nanoseconds = (time.time_since_epoch() % std::chrono::seconds(1)).count();
  if (nanoseconds <= 0) return text;
  std::string digits = fmt::format("{:09}", nanoseconds);
  digits.erase(digits.find_last_not_of('0') + 1);
  text.insert(text.size() - 1, "." + digits);
  return text;
}

std::string number(int64_t value) { return std::to_string(value); }

// A level may have millions of queues.
constexpr int kMostIdleQueues = 4096;
constexpr const char* kNotStarted = "0001-01-01T00:00:00Z";

}  // namespace flow_dump

std::string FlowControl::dump_levels() const {
  std::vector<flow_dump::Row> rows{{"PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing",
                                    "WaitingRequests", "ExecutingRequests", "DispatchedRequests",
                                    "RejectedRequests", "TimedoutRequests", "CancelledRequests"}};
  MutexLock lock(mutex_);
  for (const auto& [name, level] : levels_) {
    const auto active = std::ranges::count_if(
        level->queues.queues(), [](const auto& queue) { return !queue.second.waiting.empty(); });
    const QueueSet::Totals& totals = level->queues.totals();
    rows.push_back({name, flow_dump::number(active), level->queues.idle() ? "true" : "false",
                    level->quiescing ? "true" : "false", flow_dump::number(totals.waiting),
                    flow_dump::number(totals.executing), std::to_string(totals.dispatched),
                    std::to_string(totals.rejected), std::to_string(totals.timed_out),
                    std::to_string(totals.cancelled)});
  }
  return flow_dump::print(rows);
}

std::string FlowControl::dump_queues() const {
  std::vector<flow_dump::Row> rows{{"PriorityLevelName", "Index", "PendingRequests",
                                    "ExecutingRequests", "SeatsInUse", "NextDispatchR",
                                    "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"}};
  const auto add = [&](const std::string& level, int index, const QueueSet::Queue& queue) {
    rows.push_back({level, flow_dump::number(index), std::to_string(queue.waiting.size()),
                    std::to_string(queue.executing.size()), flow_dump::number(queue.seats_in_use),
                    queue.next_dispatch_r.str(), flow_dump::number(queue.waiting_initial_seats),
                    flow_dump::number(queue.waiting_max_seats), queue.waiting_work.str()});
  };
  MutexLock lock(mutex_);
  for (const auto& [name, level] : levels_) {
    const auto& used = level->queues.queues();
    const int shown = std::min(level->queues.queue_count(), flow_dump::kMostIdleQueues);
    for (int index = 0; index < shown; ++index) {
      const auto queue = used.find(index);
      add(name, index, queue == used.end() ? QueueSet::Queue() : queue->second);
    }
    for (auto queue = used.lower_bound(shown); queue != used.end(); ++queue)
      add(name, queue->first, queue->second);
  }
  return flow_dump::print(rows);
}

std::string FlowControl::dump_requests(bool details) const {
  flow_dump::Row head{"PriorityLevelName", "FlowSchemaName", "QueueIndex",   "RequestIndexInQueue",
                      "FlowDistingsher",   "ArriveTime",     "InitialSeats", "FinalSeats",
                      "AdditionalLatency", "StartTime"};
  if (details) {
    for (const char* more : {"UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion",
                             "Resource", "SubResource"}) {
      head.emplace_back(more);
    }
  }
  std::vector<flow_dump::Row> rows{std::move(head)};
  const Time now = clock_.now();
  const Steady steady = clock_.steady();
  const auto calendar = [&](Steady time) { return flow_dump::nano_time(now - (steady - time)); };
  const auto add = [&](const Queued* queued, int64_t queue, int64_t index) {
    const auto& ticket = *static_cast<const Ticket*>(queued);
    const FlowSchema& schema = ticket.flow_->schema;
    std::string_view distinguisher;
    if (ticket.queue >= 0 && schema.distinguisher == FlowSchema::Distinguisher::kByUser)
      distinguisher = ticket.details_.get(RequestDetails::kUser);
    if (ticket.queue >= 0 && schema.distinguisher == FlowSchema::Distinguisher::kByNamespace)
      distinguisher = ticket.details_.get(RequestDetails::kNamespace);
    flow_dump::Row row{ticket.flow_->level->spec.name,
                       schema.name,
                       flow_dump::number(queue),
                       flow_dump::number(index),
                       std::string(distinguisher),
                       calendar(ticket.arrived),
                       flow_dump::number(ticket.estimate.initial_seats),
                       flow_dump::number(ticket.estimate.final_seats),
                       format_duration(ticket.estimate.additional_latency),
                       index < 0 ? calendar(ticket.started) : flow_dump::kNotStarted};
    for (size_t i = 0; details && i <= RequestDetails::kSubresource; ++i)
      row.emplace_back(ticket.details_.get(static_cast<RequestDetails::Field>(i)));
    rows.push_back(std::move(row));
  };
  MutexLock lock(mutex_);
  for (const auto& [name, level] : levels_) {
    for (const auto& [number, queue] : level->queues.queues()) {
      int64_t index = 0;
      for (const Queued* queued : queue.waiting) add(queued, number, index++);
      for (const Queued* queued : queue.executing) add(queued, number, -1);
    }
    for (const Queued* queued : level->queues.executing()) add(queued, -1, -1);
  }
  return flow_dump::print(rows);
}

void FlowControl::write_metrics(MetricsText& text) const {
  std::vector<FairnessMetrics::LevelRow> rows;
  double fair_fraction = 0;
  {
    MutexLock lock(mutex_);
    fair_fraction = fair_fraction_;
    for (const auto& [name, level] : levels_) {
      rows.push_back(
          {.name = name,
           .nominal = level->limits.nominal,
           .lower = level->limits.lower,
           .upper = level->limits.upper,
           .current = level->queues.limit(),
           .target = level->target,
           .demand = level->demand,
           .r = level->queues.current_r(),
           .figures = level->queues.figures(),
           .dispatches = level->queues.queue_count() == 0 ? 0 : level->queues.totals().dispatched,
           .epochs = level->queues.totals().epochs});
    }
  }
  metrics_.write(text, rows, fair_fraction);
}

}  // namespace proa::apiserver::fairness
