// What a change costs: GET, LIST and create of two binaries in turns, by the processor time of the
// server. Both servers run all the time, and a round of one follows a round of the other, so that a
// machine that is slow for a while is slow for both.
//   PROA_OLD_BINARY=FILE cost_bench [ROUNDS]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "load/objects.h"
#include "load/server.h"
#include "testkit/process.h"

namespace proa::load {
namespace cost_bench {

constexpr double kSeconds = 0.5;  // a round
constexpr double kMost = 1.03;    // the goal: processor time of the new one, of the old one's
constexpr Shape kFillShape{Protocol::kHttp2, 16, 8};

void fill(const Server& server, Fill::Kind kind, const std::string& name_space, size_t count) {
  ask(server.target(), create_namespace(name_space));
  Fill workload(kind, name_space, count, 1024,
                static_cast<size_t>(kFillShape.connections * kFillShape.streams));
  Meter unread(server.pid());
  run_closed_loop(server.target(), kFillShape, workload, 0, unread);
}

// Processor time of the server for each request, in microseconds.
using Measure = std::function<double(const Server&)>;

double micros(const Server& server, const Shape& shape, Workload& workload) {
  Meter meter(server.pid());
  const Outcome outcome = run_closed_loop(server.target(), shape, workload, kSeconds, meter);
  return meter.server_seconds() * 1e6 / static_cast<double>(outcome.answers);
}

Measure repeated(Request request, Shape shape) {
  return [request = std::move(request), shape](const Server& server) {
    Repeat workload(request);
    return micros(server, shape, workload);
  };
}

Measure creates(int clients) {
  return [clients](const Server& server) {
    const Shape shape{Protocol::kHttp2, clients, 1};
    Creates workload("creates", static_cast<size_t>(clients));
    const double cost = micros(server, shape, workload);
    workload.turn();
    Meter unread(server.pid());
    run_closed_loop(server.target(), shape, workload, 0, unread);
    return cost;
  };
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Alternates which of the two begins.
void compare(const std::string& name, const Server& before, const Server& after, int rounds,
             const Measure& measure) {
  std::vector<double> olds;
  std::vector<double> news;
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const bool old_first = i % 2 == 0;
    const double first = measure(old_first ? before : after);
    const double second = measure(old_first ? after : before);
    olds.push_back(old_first ? first : second);
    news.push_back(old_first ? second : first);
    ratios.push_back(news.back() / olds.back());
  }
  const double ratio = median(ratios);
  fmt::print("{:32} {:10.1f} {:10.1f} {:8.3f}  {}\n", name, median(olds), median(news), ratio,
             ratio <= kMost ? "reached" : "MISSED");
  std::fflush(stdout);
}

void run(const std::string& old_binary, int rounds) {
  const testkit::TempDir place;
  const Server before(old_binary, place.file("old"));
  const Server after(server_binary(), place.file("new"));
  for (const Server* server : {&before, &after}) {
    ask(server->target(), create_node());
    ask(server->target(), create_namespace("creates"));
    fill(*server, Fill::Kind::kConfigMap, "get", 64);
    fill(*server, Fill::Kind::kPod, "list", 1000);
  }
  fmt::print(
      "Processor time of the server for each request, in microseconds; medians of {} rounds in "
      "turns; goal: ratio at most {}\n\n{:32} {:>10} {:>10} {:>8}\n",
      rounds, kMost, "", "old", "new", "ratio");
  const Request get{.path = config_maps_path("get") + "/" + object_name(7)};
  compare("GET, HTTP/1.1, 16 connections", before, after, rounds,
          repeated(get, {Protocol::kHttp1, 16, 1}));
  compare("GET, HTTP/2, 16 connections", before, after, rounds,
          repeated(get, {Protocol::kHttp2, 16, 1}));
  const Request json{.path = pods_path("list"), .accept = "application/json"};
  compare("LIST of 1000, JSON", before, after, rounds, repeated(json, {Protocol::kHttp2, 4, 1}));
  const Request protobuf{.path = pods_path("list"),
                         .accept = "application/vnd.kubernetes.protobuf"};
  compare("LIST of 1000, protobuf", before, after, rounds,
          repeated(protobuf, {Protocol::kHttp2, 4, 1}));
  for (const int clients : {1, 16}) {
    compare(fmt::format("create, {} clients", clients), before, after, rounds, creates(clients));
  }
}

}  // namespace cost_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  const char* old_binary = std::getenv("PROA_OLD_BINARY");
  if (old_binary == nullptr) {
    fmt::print("skipped: PROA_OLD_BINARY names no binary to compare with\n");
    return 0;
  }
  proa::load::cost_bench::run(old_binary, argc > 1 ? std::max(std::atoi(argv[1]), 1) : 21);
  return 0;
}
