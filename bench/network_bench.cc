// The network of a node, beside upstream's kube-proxy, both in nftables mode: how soon Services
// and their changes are in the kernel, what that costs, and what packets pay for it. One API
// server for all; each proxy has a node in namespaces of its own, and nothing of the machine
// changes.
//   KUBE_PROXY=FILE network_bench [SERVICES ...]      default: 10 1000 10000
//   network_bench guard                               what the guard of pods' ports costs packets
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "load/closed_loop.h"
#include "network/guarded_pods.h"
#include "network/packets.h"
#include "network/trial.h"
#include "testkit/process.h"

namespace proa::network_bench {
namespace {

constexpr double kMostCold = 2000;   // milliseconds
constexpr double kMostChange = 10;   // milliseconds, p99
constexpr double kMostGrowth = 1.2;  // from the fewest Services to the most
constexpr double kLeastThroughput = 0.95;
constexpr double kLeastFaster = 10;  // than upstream's
constexpr int kGuardRounds = 9;
constexpr double kLeastGuarded = 0.9;
constexpr double kMostConnecting = 1.25;

void goal(const std::string& what, double value, double bound, bool at_least) {
  const bool reached = at_least ? value >= bound : value <= bound;
  fmt::print("{:72} {:9.2f}  {} {:g}: {}\n", what, value, at_least ? "at least" : "at most", bound,
             reached ? "reached" : "MISSED");
  std::fflush(stdout);
}

// What one proxy gave with one number of Services.
struct Run {
  const Proxy& proxy;
  size_t services;
  Figures figures;
  Node node;
};

void print_row(const Run& run) {
  const Figures& f = run.figures;
  fmt::print("{:>10} {:>8} {:9.0f} {:9.0f} {:8.1f}", run.proxy.name, run.services, f.cold,
             f.cold_processor, f.megabytes);
  for (const ChangeFigures* change : {&f.replaced, &f.other_number}) {
    fmt::print(" | {:4} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.3f}", change->changes, change->p50,
               change->p99, change->after_p50, change->after_p99, change->processor);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_head() {
  fmt::print(
      "Milliseconds. Cold: from the start of the process until the kernel has all endpoints. A "
      "change: from sending it to the API server until the kernel has it, and from the answer on; "
      "processor time of the proxy for each.\n"
      "{:>10} {:>8} {:>9} {:>9} {:>8} | an endpoint replaced{:29} | one endpoint more or less\n"
      "{:>10} {:>8} {:>9} {:>9} {:>8}",
      "", "", "", "", "", "", "proxy", "Services", "cold", "processor", "MB");
  for (int i = 0; i < 2; ++i) {
    fmt::print(" | {:>4} {:>8} {:>8} {:>8} {:>8} {:>8}", "", "p50", "p99", "after", "p99", "CPU");
  }
  fmt::print("\n");
}

// Of `count` Services, which are spread over all of them.
std::vector<std::string> service_addresses(size_t services, size_t count) {
  std::vector<std::string> addresses;
  // Neighbours in memory are not neighbours in time.
  constexpr size_t kStep = 7919;
  for (size_t i = 0; i < count; ++i) {
    addresses.push_back(World::service_address(i * kStep % services));
  }
  return addresses;
}

double median(std::vector<double> values) { return load::percentile(values, 0.5); }

// Microseconds to connect, a median for each round.
struct ConnectTimes {
  std::vector<double> few;  // to as many Services as the smallest run has
  std::vector<double> all;  // to all Services in turn: the caches of the processor are no help
};

void judge_growth(const std::string& what, const std::list<Run>& runs,
                  const std::vector<ConnectTimes>& times,
                  std::vector<double> ConnectTimes::*which) {
  std::vector<double> ours;
  size_t index = 0;
  for (const Run& run : runs) {
    if (!run.proxy.upstream) ours.push_back(median(times[index].*which));
    ++index;
  }
  goal(fmt::format("a new connection with {} Services, of that with {}, {}", runs.back().services,
                   runs.front().services, what),
       ours.back() / ours.front(), kMostGrowth, false);
}

// New connections through Services, in turns on all nodes, so that a machine that is slow for a
// while is slow for all of them.
void compare_first_packets(const std::list<Run>& runs, const World& world) {
  constexpr int kRounds = 40;
  constexpr size_t kConnections = 500;
  const size_t few = runs.front().services;
  std::vector<ConnectTimes> times(runs.size());
  ConnectTimes direct;
  for (int round = 0; round < kRounds; ++round) {
    const auto measure = [&](const Node& node, std::vector<std::string> addresses, int port) {
      const size_t first = static_cast<size_t>(round) * kConnections % addresses.size();
      std::rotate(addresses.begin(), addresses.begin() + static_cast<ptrdiff_t>(first),
                  addresses.end());
      return median(connect_micros(node.client, addresses, port, kConnections));
    };
    size_t index = 0;
    for (const Run& run : runs) {
      ConnectTimes& of_run = times[index++];
      of_run.few.push_back(
          measure(run.node, service_addresses(run.services, few), World::kServicePort));
      of_run.all.push_back(
          measure(run.node, service_addresses(run.services, run.services), World::kServicePort));
    }
    std::vector<std::string> endpoints;
    for (size_t i = 0; i < world.services(); ++i) endpoints.push_back(world.endpoint_of(i));
    direct.all.push_back(measure(runs.front().node, endpoints, World::kEndpointPort));
    endpoints.resize(few);
    direct.few.push_back(measure(runs.front().node, endpoints, World::kEndpointPort));
  }
  fmt::print(
      "\nA new connection, microseconds (medians of {} rounds of {}): to {} Services, to all of "
      "them\n",
      kRounds, kConnections, few);
  const auto print = [](std::string_view name, size_t services, const ConnectTimes& row) {
    fmt::print("{:>10} {:>8} {:8.1f} {:8.1f}\n", name, services, median(row.few), median(row.all));
  };
  print("pod to pod", world.services(), direct);
  size_t index = 0;
  for (const Run& run : runs) print(run.proxy.name, run.services, times[index++]);
  judge_growth("to the same number", runs, times, &ConnectTimes::few);
  judge_growth("to all", runs, times, &ConnectTimes::all);
}

// One connection with as many bytes as it can carry, directly and through a Service in turns.
void compare_throughput(const Run& run, const World& world) {
  constexpr int kRounds = 15;
  constexpr double kSeconds = 0.4;
  std::vector<double> direct;
  std::vector<double> service;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const auto measure_direct = [&] {
      direct.push_back(
          throughput(run.node.client, world.endpoint_of(0), World::kEndpointPort, kSeconds));
    };
    if (round % 2 == 0) measure_direct();
    service.push_back(
        throughput(run.node.client, World::service_address(0), World::kServicePort, kSeconds));
    if (round % 2 == 1) measure_direct();
    ratios.push_back(service.back() / direct.back());
  }
  fmt::print(
      "\nBytes with {} Services: pod to pod {:.2f} GB/s, pod to Service to pod {:.2f} GB/s\n",
      run.services, median(direct) / 1e9, median(service) / 1e9);
  goal("pod to Service to pod, of pod to pod", median(ratios), kLeastThroughput, true);
}

const Run& find(const std::list<Run>& runs, bool upstream, size_t services) {
  return *std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.proxy.upstream == upstream && run.services == services;
  });
}

void judge(const std::list<Run>& runs, size_t most, bool has_upstream) {
  const Figures& ours = find(runs, false, most).figures;
  fmt::print("\nWith {} Services\n", most);
  goal("cold, ms", ours.cold, kMostCold, false);
  goal("an endpoint replaced, after the answer, p99, ms", ours.replaced.after_p99, kMostChange,
       false);
  goal("one endpoint more or less, after the answer, p99, ms", ours.other_number.after_p99,
       kMostChange, false);
  if (!has_upstream) return;
  const Figures& theirs = find(runs, true, most).figures;
  goal("kube-proxy's cold start, of ours", theirs.cold / ours.cold, kLeastFaster, true);
  goal("kube-proxy's replaced endpoint (p50), of ours", theirs.replaced.p50 / ours.replaced.p50,
       kLeastFaster, true);
  goal("kube-proxy's endpoint more or less (p50), of ours",
       theirs.other_number.p50 / ours.other_number.p50, kLeastFaster, true);
}

// `many` has all Services.
void judge_processor_time(const Proxy& proxy, size_t fewest, World& many,
                          const testkit::TempDir& place, int number) {
  World few(place.file("few"));
  few.grow(fewest);
  const Node of_few(number);
  const Node of_many(number + 1);
  const Growth growth = processor_growth(proxy, {of_few, few, place.file("few.log")},
                                         {of_many, many, place.file("many.log")});
  goal(fmt::format("processor time of a replaced endpoint, of that with {}", fewest),
       growth.replaced, kMostGrowth, false);
  goal(fmt::format("processor time of one endpoint more or less, of that with {}", fewest),
       growth.other_number, kMostGrowth, false);
}

void run_all(const std::vector<size_t>& sizes, const std::list<Proxy>& proxies) {
  const testkit::TempDir place;
  World world(place.file("data"));
  std::list<Run> runs;
  std::list<Sink> sinks;
  int number = 0;
  print_head();
  for (const size_t services : sizes) {
    world.grow(services);
    for (const Proxy& proxy : proxies) {
      Run& run = runs.emplace_back(Run{proxy, services, {}, Node(++number)});
      sinks.emplace_back(run.node.server, World::kEndpointPort);
      run.figures = try_proxy(
          proxy, {run.node, world, place.file(fmt::format("{}-{}.log", proxy.name, services))});
      print_row(run);
    }
  }
  judge(runs, sizes.back(), proxies.size() > 1);
  judge_processor_time(proxies.front(), sizes.front(), world, place, ++number);
  compare_first_packets(runs, world);
  compare_throughput(find(runs, false, sizes.back()), world);
}

void judge_guard() {
  const GuardCost cost = measure_guard(kGuardRounds);
  goal("throughput between pods with the guard, of that without", cost.throughput, kLeastGuarded,
       true);
  goal("time to connect with the guard, of that without", cost.connecting, kMostConnecting, false);
}

}  // namespace
}  // namespace proa::network_bench

int main(int argc, char** argv) {
  using namespace proa::network_bench;
  if (argc > 1 && std::string_view(argv[1]) == "guard") {
    judge_guard();
    return 0;
  }
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::max(std::strtoul(argv[i], nullptr, 10), 1UL));
  if (sizes.empty()) sizes = {10, 1000, 10000};
  std::list<Proxy> proxies = {{"proa", proa::load::server_binary(), false}};
  const char* upstream = std::getenv("KUBE_PROXY");
  if (upstream != nullptr && ::access(upstream, X_OK) == 0) {
    proxies.push_back({"kube-proxy", upstream, true});
  } else {
    fmt::print(
        "without kube-proxy: PROA_BUILD_CLIENTS=1 tests/clients/build-go kube-proxy builds it, "
        "KUBE_PROXY names it\n");
  }
  if (!enter_own_machine()) {
    fmt::print("skipped: it takes root, for network namespaces\n");
    return 0;
  }
  run_all(sizes, proxies);
  judge_guard();
  return 0;
}
