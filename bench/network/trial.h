#pragma once

#include <string>

#include "node.h"
#include "world.h"

namespace proa::network_bench {

// A service proxy, as a program.
struct Proxy {
  std::string name;
  std::string binary;
  bool upstream = false;
};

// Times in milliseconds.
struct ChangeFigures {
  size_t changes = 0;
  double p50 = 0;  // from sending the write until the kernel has it
  double p99 = 0;
  double after_p50 = 0;  // from the server's answer on; zero if the kernel was first
  double after_p99 = 0;
  double processor = 0;  // of the proxy, with its children and its calls of the kernel
};

struct Figures {
  double cold = 0;            // from the start of the process until all endpoints are in the kernel
  double cold_processor = 0;  // milliseconds
  double megabytes = 0;       // resident
  ChangeFigures replaced;     // an endpoint by another
  ChangeFigures other_number;  // one endpoint more or less
};

// Where a proxy runs.
struct Place {
  const Node& node;
  World& world;
  std::string log;
};

// Runs the proxy on the node, whose rules stay when it is gone.
Figures try_proxy(const Proxy& proxy, const Place& place);

// The processor time of a change with many Services, as a multiple of that with few.
struct Growth {
  double replaced = 0;
  double other_number = 0;
};
// Changes both in turns, so that a machine that is slow for a while is slow for both.
Growth processor_growth(const Proxy& proxy, const Place& few, const Place& many);

}  // namespace proa::network_bench
