#pragma once

#include <cstdint>
#include <string_view>

#include "connection.h"
#include "meter.h"

namespace proa::load {

struct Shape {
  Protocol protocol = Protocol::kHttp2;
  int connections = 1;
  int streams = 1;  // requests under way on each connection; HTTP/1.1: 1
};

// What the clients ask. A slot is one client with one request under way; it asks the next when it
// has the answer.
class Workload {
 public:
  virtual ~Workload() = default;
  // The slot's next request, valid until the slot asks again; null: it has none any more.
  virtual const Request* next(size_t slot) = 0;
  virtual bool wants_bodies() const { return false; }
  // `body` is empty unless bodies are wanted. Fails the run when the status is not 2xx.
  virtual void answered(size_t slot, int status, std::string_view body);
};

struct Outcome {
  size_t answers = 0;
  uint64_t body_bytes = 0;
  double seconds = 0;
  double p50_ms = 0;
  double p99_ms = 0;

  double per_second() const { return static_cast<double>(answers) / seconds; }
  double megabytes_per_second() const { return static_cast<double>(body_bytes) / seconds / 1e6; }
};

// Asks for `seconds` (0: until the workload has no more), all from the calling thread. Connecting
// is neither timed nor metered.
Outcome run_closed_loop(const Target& target, const Shape& shape, Workload& workload,
                        double seconds, Meter& meter);

// One request, its body's text; fails the run when the answer is not 2xx.
std::string ask(const Target& target, const Request& request);

// The value at `share` (0.99) of the sorted values, which get reordered.
double percentile(std::vector<double>& values, double share);

}  // namespace proa::load
