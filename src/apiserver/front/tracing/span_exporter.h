#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "apiserver/front/tracing/span.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/limits/log_limit.h"
#include "base/metrics/metrics.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::apiserver::tracing {

// Sends spans to a collector, in batches, from a thread of its own. It holds so many spans at most:
// those that find no place, and those that the collector does not take, are dropped and counted.
class SpanExporter {
 public:
  // Sends one message and returns the answer; blocks. Failures have gRPC's codes.
  using Send = std::function<Result<Bytes>(std::string_view message, const Until& until)>;
  // The numbers of OpenTelemetry's batch processor.
  struct Options {
    size_t queue = 2048;
    size_t batch = 512;
    // Of one message; a batch with more is sent in several. gRPC's servers take 4 MiB by default.
    size_t bytes = 3'000'000;
    Duration delay = std::chrono::seconds(5);     // how long a batch waits until it is full
    Duration timeout = std::chrono::seconds(10);  // of one attempt
    Duration first_pause = std::chrono::seconds(5);
    Duration longest_pause = std::chrono::seconds(30);
    Duration patience = std::chrono::minutes(1);  // with one batch
  };

  // The clock outlives it.
  SpanExporter(Send send, std::string instance, Clock& clock, const Options& options);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  // Never blocks.
  void push(std::vector<Span> spans) EXCLUDES(mutex_);
  // Sends what is queued, for a limited time, and ends. Further spans are lost.
  void stop() EXCLUDES(mutex_);
  void write(MetricsText& text) const;

 private:
  void run() EXCLUDES(mutex_);
  // Waits for spans; none: stopped.
  std::vector<Span> collect() EXCLUDES(mutex_);
  void send(std::span<const Span> batch) EXCLUDES(mutex_);
  // `spans`: how many the message has.
  void send(std::string_view message, size_t spans) EXCLUDES(mutex_);
  // False: there is no time left.
  bool pause(Duration duration, Steady until) EXCLUDES(mutex_);

  const Send send_;
  const std::string instance_;
  Clock& clock_;
  const Options options_;
  LogLimit failures_logged_;
  Counter exported_;
  Counter dropped_;
  Counter failed_;
  Mutex mutex_;
  CondVar changed_;   // the thread waits for spans, or for time
  CondVar finished_;  // stop() waits for the thread
  std::vector<Span> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::stop_source given_up_;
  std::jthread thread_;
};

}  // namespace proa::apiserver::tracing
