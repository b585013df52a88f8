#include "apiserver/front/audit/backends/lane.h"

#include <algorithm>

#include "base/log.h"
#include "base/threads/guarded.h"

namespace proa::apiserver::audit {
namespace lane {

const Log kLog{"audit"};

// Events that are written together where batches have no size of their own.
constexpr size_t kEventsAtOnce = 256;
// So long the events of a server that stops are still written.
constexpr Duration kStopGrace = std::chrono::seconds(5);
// Failures are logged at most so often: a client can cause as many as it likes.
constexpr uint32_t kLogBurst = 3;
constexpr Duration kLogEvery = std::chrono::seconds(30);
// What upstream's truncating backend counts, and the items of a list do not have.
constexpr std::string_view kTypeMembers = R"("kind":"Event","apiVersion":"audit.k8s.io/v1",)";

}  // namespace lane

Lane::Lane(std::unique_ptr<Backend> backend, const LaneOptions& options, Clock& clock,
           AuditMetrics& metrics)
    : backend_(std::move(backend)),
      options_(options),
      clock_(clock),
      metrics_(metrics),
      drops_logged_(clock, lane::kLogBurst, lane::kLogEvery),
      failures_logged_(clock, lane::kLogBurst, lane::kLogEvery),
      tokens_(static_cast<double>(options.batch.burst)),
      tokens_counted_(clock.steady()) {
  if (options_.writers > 0) {
    writers_ = std::make_unique<WorkerPool>(
        WorkerPool::Options{.max_threads = options_.writers, .max_queued = options_.writers});
  }
  thread_ = std::jthread([this] { run(); });
}

Lane::~Lane() { stop(); }

bool Lane::is_full() const {
  if (options_.mode == Mode::kBatch) return false;
  MutexLock lock(mutex_);
  return queue_.size() >= options_.batch.buffer_events || queued_bytes_ >= options_.queue_bytes;
}

bool Lane::has_room(const Item& item) const {
  const size_t factor = options_.mode == Mode::kBatch ? 1 : 2;
  return queue_.size() < factor * options_.batch.buffer_events &&
         queued_bytes_ + item.bytes <= factor * options_.queue_bytes;
}

void Lane::push(EventPtr event, Done done) {
  Item item{.event = std::move(event), .done = std::move(done)};
  if (item.event != nullptr) item.bytes = item.event->bytes();
  if (!enqueue(item)) drop(item);
}

bool Lane::enqueue(Item& item) {
  bool wakes = false;
  {
    MutexLock lock(mutex_);
    // One that waits in line holds nothing.
    if (stopping_ || (item.event != nullptr && !has_room(item))) return false;
    const bool awaited = item.done != nullptr;
    queued_bytes_ += item.bytes;
    awaited_ += awaited ? 1 : 0;
    queue_.push_back(std::move(item));
    wakes = wake_at_ != kNever && (awaited || queue_.size() >= wake_at_);
    if (wakes) wake_at_ = kNever;
  }
  if (wakes) arrived_.notify_one();
  return true;
}

void Lane::drop(const Item& item) {
  if (item.event != nullptr) {
    metrics_.fail(Plugin::kBuffered, 1);
    if (const auto omitted = drops_logged_.next()) {
      lane::kLog.error("audit event dropped: the queue is full or closed",
                       {{"auditID", item.event->request->audit_id}, {"omitted", *omitted}});
    }
  }
  if (item.done != nullptr) item.done(false);
}

void Lane::run() {
  for (;;) {
    Batch batch = collect();
    if (batch.empty()) break;
    wait_for_turn();
    write_somewhere(std::move(batch));
  }
  MutexLock lock(mutex_);
  while (writing_ > 0) arrived_.wait(mutex_);
  ended_ = true;
  finished_.notify_all();
}

// A moment in which others may come, unless a request waits.
void Lane::gather() {
  const Steady until = clock_.steady() + options_.gather;
  while (!stopping_ && awaited_ == 0 && queue_.size() < lane::kEventsAtOnce &&
         clock_.steady() < until) {
    wake_at_ = lane::kEventsAtOnce;
    clock_.wait_until(arrived_, mutex_, until);
  }
}

void Lane::take_into(Batch& batch) {
  const bool batches = options_.mode == Mode::kBatch && options_.batch.max_events > 1;
  const size_t most = batches ? options_.batch.max_events : lane::kEventsAtOnce;
  while (batch.size() < most && !queue_.empty()) {
    queued_bytes_ -= queue_.front().bytes;
    awaited_ -= queue_.front().done != nullptr ? 1 : 0;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
}

Lane::Batch Lane::collect() {
  Batch batch;
  MutexLock lock(mutex_);
  while (queue_.empty() && !stopping_) {
    wake_at_ = 1;
    arrived_.wait(mutex_);
  }
  if (options_.mode != Mode::kBatch || options_.batch.max_events <= 1) {
    if (options_.gather > Duration::zero()) gather();
    wake_at_ = kNever;
    take_into(batch);
    return batch;
  }
  const Steady until = clock_.steady() + options_.batch.max_wait;
  const size_t full = std::min(options_.batch.max_events, options_.batch.buffer_events);
  while (queue_.size() < full && !stopping_ && clock_.steady() < until) {
    wake_at_ = full;
    clock_.wait_until(arrived_, mutex_, until);
  }
  wake_at_ = kNever;
  take_into(batch);
  return batch;
}

// A token bucket, as upstream's.
void Lane::wait_for_turn() {
  if (options_.mode != Mode::kBatch || !options_.batch.throttles) return;
  const double rate = options_.batch.batches_per_second;
  const auto refill = [&] {
    const Steady now = clock_.steady();
    const double gained = std::chrono::duration<double>(now - tokens_counted_).count() * rate;
    tokens_ = std::min(tokens_ + gained, static_cast<double>(options_.batch.burst));
    tokens_counted_ = now;
  };
  refill();
  if (tokens_ < 1) {
    const auto missing = std::chrono::duration<double>((1 - tokens_) / rate);
    // Rounded up, so that the token is there then.
    const Steady until = clock_.steady() + std::chrono::duration_cast<Duration>(missing) +
                         std::chrono::microseconds(1);
    MutexLock lock(mutex_);
    while (!stopping_ && clock_.steady() < until) clock_.wait_until(arrived_, mutex_, until);
  }
  refill();
  tokens_ = std::max(0.0, tokens_ - 1);
}

void Lane::write_somewhere(Batch batch) {
  if (writers_ == nullptr) return write(batch);
  {
    MutexLock lock(mutex_);
    while (writing_ >= options_.writers) arrived_.wait(mutex_);
    ++writing_;
  }
  const auto shared = std::make_shared<Batch>(std::move(batch));
  const auto task = [this, shared] {
    write(*shared);
    MutexLock lock(mutex_);
    --writing_;
    arrived_.notify_one();
  };
  if (!writers_->submit(task)) task();
}

std::optional<std::string> Lane::text_of(const Event& event) const {
  std::string text = backend_->text_of(event, WithObjects::kYes);
  const TruncateOptions& limits = options_.truncate;
  if (!limits.enabled) return text;
  // With its line end.
  const size_t more = 1 + (backend_->plugin() == Plugin::kWebhook ? lane::kTypeMembers.size() : 0);
  if (text.size() + more > limits.max_event_bytes && event.request->level >= Level::kRequest) {
    text = backend_->text_of(event, WithObjects::kNo);
  }
  if (text.size() + more > limits.max_event_bytes) return std::nullopt;
  return text;
}

void Lane::write(Batch& batch) {
  const bool limited = options_.truncate.enabled;
  std::vector<std::string> texts;
  std::vector<size_t> whose;  // the item of each text
  size_t bytes = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].event == nullptr) continue;
    std::optional<std::string> text;
    const Result<void> made = guarded([&] { text = text_of(*batch[i].event); });
    if (!text) {
      metrics_.fail(made ? Plugin::kTruncate : backend_->plugin(), 1);
      if (const auto omitted = failures_logged_.next()) {
        lane::kLog.error("audit event dropped: too large even after truncating",
                         {{"auditID", batch[i].event->request->audit_id}, {"omitted", *omitted}});
      }
      continue;
    }
    if (limited && !texts.empty() && bytes + text->size() > options_.truncate.max_batch_bytes) {
      write_part(batch, texts, whose);
      texts.clear();
      whose.clear();
      bytes = 0;
    }
    bytes += text->size();
    texts.push_back(std::move(*text));
    whose.push_back(i);
  }
  if (!texts.empty()) write_part(batch, texts, whose);
  // Also those without an event, and those that upstream's truncating backend leaves out.
  for (Item& item : batch) {
    if (item.done != nullptr) item.done(true);
  }
}

void Lane::write_part(Batch& batch, std::vector<std::string>& texts,
                      const std::vector<size_t>& whose) {
  const Result<void> written = guarded([&] { return backend_->write(texts); });
  if (!written) {
    metrics_.fail(backend_->plugin(), texts.size());
    // Without the events: they may show objects.
    if (const auto omitted = failures_logged_.next()) {
      lane::kLog.error(
          "audit events were not recorded",
          {{"events", texts.size()}, {"error", written.status()}, {"omitted", *omitted}});
    }
  }
  for (const size_t i : whose) {
    if (batch[i].done == nullptr) continue;
    const Done done = std::exchange(batch[i].done, nullptr);
    done(written.ok());
  }
}

void Lane::stop() {
  {
    MutexLock lock(mutex_);
    if (stopping_ && ended_) return;
    stopping_ = true;
    arrived_.notify_all();
  }
  backend_->hurry();
  {
    const Steady until = clock_.steady() + lane::kStopGrace;
    MutexLock lock(mutex_);
    while (!ended_ && clock_.steady() < until) clock_.wait_until(finished_, mutex_, until);
  }
  backend_->cancel();
  if (thread_.joinable()) thread_.join();
  writers_.reset();
}

}  // namespace proa::apiserver::audit
