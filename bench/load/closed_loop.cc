#include "closed_loop.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace proa::load {
namespace closed_loop {

using std::chrono::steady_clock;

class ClosedLoop final : public Framing::Events {
 public:
  ClosedLoop(const Target& target, const Shape& shape, Workload& workload)
      : workload_(workload),
        streams_(static_cast<size_t>(shape.streams)),
        slots_(static_cast<size_t>(shape.connections) * streams_) {
    for (int i = 0; i < shape.connections; ++i)
      poller_.add(connections_.emplace_back(target, shape.protocol, *this));
  }

  Outcome run(double seconds, Meter& meter) {
    times_.reserve(1 << 20);
    meter.start();
    start_ = steady_clock::now();
    seconds_ = seconds;
    now_ = start_;
    for (size_t slot = 0; slot < slots_.size(); ++slot) send_next(slot);
    for (auto& connection : connections_) connection.flush();
    while (under_way_ > 0) poller_.wait(1000);
    outcome_.seconds = seconds_since(start_);
    meter.stop();
    outcome_.answers = times_.size();
    outcome_.p50_ms = percentile(times_, 0.5) * 1e3;
    outcome_.p99_ms = percentile(times_, 0.99) * 1e3;
    return outcome_;
  }

 private:
  struct Slot {
    steady_clock::time_point sent;
    std::string body;
  };

  void on_body(size_t tag, std::string_view part) override {
    outcome_.body_bytes += part.size();
    if (workload_.wants_bodies()) slots_[tag].body.append(part);
  }

  void on_answer(size_t tag, int status) override {
    now_ = steady_clock::now();
    Slot& slot = slots_[tag];
    times_.push_back(std::chrono::duration<double>(now_ - slot.sent).count());
    --under_way_;
    workload_.answered(tag, status, slot.body);
    slot.body.clear();
    send_next(tag);
  }

  void send_next(size_t slot) {
    if (seconds_ > 0 && std::chrono::duration<double>(now_ - start_).count() >= seconds_) return;
    const Request* request = workload_.next(slot);
    if (request == nullptr) return;
    slots_[slot].sent = now_;
    connections_[slot / streams_].send(*request, slot);
    ++under_way_;
  }

  Workload& workload_;
  size_t streams_;
  std::vector<Slot> slots_;
  std::deque<Connection> connections_;
  Poller poller_;
  Outcome outcome_;
  std::vector<double> times_;
  double seconds_ = 0;
  size_t under_way_ = 0;
  steady_clock::time_point start_;
  steady_clock::time_point now_;
};

// One request, once.
class Single final : public Workload {
 public:
  explicit Single(const Request& request) : request_(&request) {}
  const Request* next(size_t) override { return std::exchange(request_, nullptr); }
  bool wants_bodies() const override { return true; }
  void answered(size_t slot, int status, std::string_view body) override {
    Workload::answered(slot, status, body);
    body_ = body;
  }
  std::string take() { return std::move(body_); }

 private:
  const Request* request_;
  std::string body_;
};

}  // namespace closed_loop

void Workload::answered(size_t, int status, std::string_view body) {
  if (status < 200 || status > 299)
    fail("the server answered " + std::to_string(status) + " " + std::string(body));
}

Outcome run_closed_loop(const Target& target, const Shape& shape, Workload& workload,
                        double seconds, Meter& meter) {
  closed_loop::ClosedLoop loop(target, shape, workload);
  return loop.run(seconds, meter);
}

std::string ask(const Target& target, const Request& request) {
  closed_loop::Single single(request);
  Meter unread(0);
  run_closed_loop(target, {.protocol = Protocol::kHttp1}, single, 0, unread);
  return single.take();
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

}  // namespace proa::load
