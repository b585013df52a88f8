#pragma once

#include <chrono>
#include <deque>
#include <functional>

#include "closed_loop.h"

namespace proa::load {

// Many watches of the same objects, each on a connection of its own or several to a connection, and
// one writer. Every watch sees every write, so its n-th line is the n-th write.
class WatchCrowd final : public Framing::Events {
 public:
  struct Options {
    std::string watch_path;  // from a resourceVersion on, without bookmarks
    Shape shape;             // a watch for each stream
    // The n-th write.
    std::function<Request(size_t)> write;
  };
  // Opens them all, and returns when each has seen the writer's first write.
  WatchCrowd(const Target& target, Options options);

  struct Delivery {
    size_t events = 0;
    size_t writes = 0;
    // From the moment before a write was sent to the moment when a watcher had read its event.
    double p50_ms = 0;
    double p99_ms = 0;
    double acknowledged_p50_ms = 0;
  };
  // Writes evenly for `seconds` (longer when the server does not keep up), and returns when every
  // watch has seen everything.
  Delivery run(double writes_per_second, double seconds, Meter& meter);

 private:
  using Clock = std::chrono::steady_clock;

  void on_body(size_t tag, std::string_view part) override;
  void on_answer(size_t tag, int status) override;
  void write();
  void await_all();

  Options options_;
  size_t count_;
  std::deque<Connection> connections_;
  Poller poller_;
  std::vector<size_t> seen_;  // lines, by watch
  std::vector<Clock::time_point> sent_;
  std::vector<double> delivery_;
  std::vector<double> acknowledgement_;
  size_t delivered_ = 0;
  size_t answered_ = 0;  // writes
};

}  // namespace proa::load
