#include "watch_crowd.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace proa::load {
namespace watch_crowd {

// The server takes 100 streams on a connection; who has so many writes unanswered is far behind.
constexpr size_t kMaxUnanswered = 90;
constexpr double kPatience = 30;  // seconds until an event that has not come is a lost one

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace watch_crowd

WatchCrowd::WatchCrowd(const Target& target, Options options)
    : options_(std::move(options)),
      count_(static_cast<size_t>(options_.shape.connections * options_.shape.streams)),
      seen_(count_) {
  const auto streams = static_cast<size_t>(options_.shape.streams);
  const Request watch{.path = options_.watch_path};
  poller_.add(connections_.emplace_back(target, Protocol::kHttp2, *this));
  for (size_t tag = 0; tag < count_; ++tag) {
    if (tag % streams == 0)
      poller_.add(connections_.emplace_back(target, options_.shape.protocol, *this));
    connections_.back().send(watch, tag);
    if (tag % streams == streams - 1) connections_.back().flush();
  }
  write();
  await_all();
}

WatchCrowd::Delivery WatchCrowd::run(double writes_per_second, double seconds, Meter& meter) {
  delivery_.clear();
  acknowledgement_.clear();
  const size_t before = sent_.size();
  const auto writes = static_cast<size_t>(writes_per_second * seconds);
  delivery_.reserve(writes * count_);
  meter.start();
  const auto start = Clock::now();
  for (size_t i = 0; i < writes;) {
    const double due = static_cast<double>(i) / writes_per_second;
    const double left = due - seconds_since(start);
    if (left <= 0 && sent_.size() - answered_ < watch_crowd::kMaxUnanswered) {
      write();
      ++i;
    }
    poller_.wait(left <= 0 ? 1 : static_cast<int>(std::ceil(left * 1e3)));
  }
  await_all();
  meter.stop();
  return {.events = delivery_.size(),
          .writes = sent_.size() - before,
          .p50_ms = percentile(delivery_, 0.5) * 1e3,
          .p99_ms = percentile(delivery_, 0.99) * 1e3,
          .acknowledged_p50_ms = percentile(acknowledgement_, 0.5) * 1e3};
}

void WatchCrowd::on_body(size_t tag, std::string_view part) {
  if (tag >= count_) return;
  const auto now = Clock::now();
  const char* at = part.data();
  const char* end = at + part.size();
  // An event ends with the only newline in it.
  while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)))) !=
         nullptr) {
    ++at;
    const size_t index = seen_[tag]++;
    if (index >= sent_.size()) fail("a watch sent more than was written: " + std::string(part));
    delivery_.push_back(watch_crowd::seconds_between(sent_[index], now));
    ++delivered_;
  }
}

void WatchCrowd::on_answer(size_t tag, int status) {
  if (tag < count_) fail("a watch ended, with status " + std::to_string(status));
  if (status != 200) fail("a write was answered " + std::to_string(status));
  ++answered_;
  acknowledgement_.push_back(watch_crowd::seconds_between(sent_[tag - count_], Clock::now()));
}

void WatchCrowd::write() {
  const Request request = options_.write(sent_.size());
  const size_t tag = count_ + sent_.size();
  sent_.push_back(Clock::now());
  connections_.front().send(request, tag);
  connections_.front().flush();
}

void WatchCrowd::await_all() {
  const auto start = Clock::now();
  while (delivered_ < sent_.size() * count_) {
    poller_.wait(100);
    if (seconds_since(start) > watch_crowd::kPatience)
      fail("watches have not seen " + std::to_string(sent_.size() * count_ - delivered_) +
           " events");
  }
}

}  // namespace proa::load
