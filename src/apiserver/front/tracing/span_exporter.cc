#include "apiserver/front/tracing/span_exporter.h"

#include <algorithm>
#include <iterator>

#include "apiserver/front/tracing/otlp.h"
#include "base/log.h"
#include "base/threads/guarded.h"
#include "http/client/grpc_status.h"

namespace proa::apiserver::tracing {
namespace span_exporter {

const Log kLog{"tracing"};

// So long the spans of a server that stops are still sent.
constexpr Duration kStopGrace = std::chrono::seconds(5);
constexpr uint32_t kLogBurst = 3;
constexpr Duration kLogEvery = std::chrono::minutes(1);

constexpr MetricFamily kExported{"proa_tracing_spans_exported_total",
                                 "Spans that the collector took.", MetricKind::kCounter};
constexpr MetricFamily kDropped{"proa_tracing_spans_dropped_total",
                                "Spans that were lost: the queue was full, or the collector did "
                                "not take them.",
                                MetricKind::kCounter,
                                {"reason"}};

// As OpenTelemetry's exporter: others would fail again.
bool may_repeat(const Status& failure) {
  switch (http::grpc_code(failure)) {
    case http::GrpcCode::kCancelled:
    case http::GrpcCode::kDeadlineExceeded:
    case http::GrpcCode::kAborted:
    case http::GrpcCode::kOutOfRange:
    case http::GrpcCode::kUnavailable:
    case http::GrpcCode::kDataLoss:
      return true;
    default:
      return false;
  }
}

}  // namespace span_exporter

SpanExporter::SpanExporter(Send send, std::string instance, Clock& clock, const Options& options)
    : send_(std::move(send)),
      instance_(std::move(instance)),
      clock_(clock),
      options_(options),
      failures_logged_(clock, span_exporter::kLogBurst, span_exporter::kLogEvery),
      thread_([this] { run(); }) {}

SpanExporter::~SpanExporter() { stop(); }

void SpanExporter::push(std::vector<Span> spans) {
  size_t taken = 0;
  bool wakes = false;
  {
    MutexLock lock(mutex_);
    if (!stopping_) taken = std::min(spans.size(), options_.queue - queue_.size());
    // The first begins a batch, the last one makes it full.
    wakes = taken > 0 && (queue_.empty() || queue_.size() + taken >= options_.batch);
    std::move(spans.begin(), spans.begin() + static_cast<ptrdiff_t>(taken),
              std::back_inserter(queue_));
  }
  if (wakes) changed_.notify_one();
  dropped_.add(spans.size() - taken);
}

void SpanExporter::run() {
  for (;;) {
    const std::vector<Span> batch = collect();
    if (batch.empty()) break;
    send(batch);
  }
  MutexLock lock(mutex_);
  ended_ = true;
  finished_.notify_all();
}

std::vector<Span> SpanExporter::collect() {
  MutexLock lock(mutex_);
  while (queue_.empty() && !stopping_) changed_.wait(mutex_);
  const Steady until = clock_.steady() + options_.delay;
  while (queue_.size() < options_.batch && !stopping_ && clock_.steady() < until)
    clock_.wait_until(changed_, mutex_, until);
  const auto end = queue_.begin() + static_cast<ptrdiff_t>(std::min(queue_.size(), options_.batch));
  std::vector<Span> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return batch;
}

bool SpanExporter::pause(Duration duration, Steady until) {
  const Steady end = clock_.steady() + duration;
  if (end >= until) return false;
  MutexLock lock(mutex_);
  while (!stopping_ && clock_.steady() < end) clock_.wait_until(changed_, mutex_, end);
  return !stopping_;
}

void SpanExporter::send(std::span<const Span> batch) {
  const std::string message = encode_spans(batch, instance_);
  if (message.size() <= options_.bytes || batch.size() == 1) return send(message, batch.size());
  const size_t half = batch.size() / 2;
  send(batch.first(half));
  send(batch.subspan(half));
}

void SpanExporter::send(std::string_view message, size_t spans) {
  const Steady until = clock_.steady() + options_.patience;
  Duration wait = options_.first_pause;
  for (;;) {
    const Result<Bytes> answer = guarded([&] {
      return send_(message, Until::after(clock_, options_.timeout, given_up_.get_token()));
    });
    if (answer) {
      const uint64_t rejected = std::min<uint64_t>(rejected_spans(answer->view()), spans);
      exported_.add(spans - rejected);
      failed_.add(rejected);
      return;
    }
    if (span_exporter::may_repeat(answer.status()) && pause(wait, until)) {
      wait = std::min(2 * wait, options_.longest_pause);
      continue;
    }
    failed_.add(spans);
    if (const auto omitted = failures_logged_.next()) {
      span_exporter::kLog.warn(
          "the collector did not take spans",
          {{"spans", spans}, {"error", answer.status()}, {"omitted", *omitted}});
    }
    return;
  }
}

void SpanExporter::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    const Steady until = clock_.steady() + span_exporter::kStopGrace;
    while (!ended_ && clock_.steady() < until) clock_.wait_until(finished_, mutex_, until);
  }
  given_up_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void SpanExporter::write(MetricsText& text) const {
  text.begin(span_exporter::kExported);
  text.add({}, exported_.value());
  text.begin(span_exporter::kDropped);
  const std::string_view queue = "queue_full";
  text.add({&queue, 1}, dropped_.value());
  const std::string_view failed = "export_failed";
  text.add({&failed, 1}, failed_.value());
}

}  // namespace proa::apiserver::tracing
