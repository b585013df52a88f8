// DNS of a node with 10,000 Services and 50,000 endpoints: memory, answers a second by UDP with
// dnsperf on the same machine, the 99th percentile at half of that rate, how soon the name of a new
// Service is answered, and how much more a core answers than with CoreDNS.
//
//   COREDNS=FILE dns_bench [SECONDS]     of each run of dnsperf; default 5
//   dns_bench joined                     what a joined node needs for them, in a lab

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "api/schema/builtin.h"
#include "base/random.h"
#include "base/threads/poller.h"
#include "dns/cluster.h"
#include "dns/coredns.h"
#include "dns/dnsperf.h"
#include "dns/joined_node.h"
#include "dns/node/follower.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/dns/dns_client.h"
#include "testkit/dns/test_cluster.h"

namespace proa::dns {
namespace {

using dns_bench::dnsperf;
using dns_bench::kEndpoints;
using dns_bench::kServices;
using dns_bench::name_of;
using dns_bench::Run;

constexpr int kNewServices = 200;
constexpr int kGoal = 150'000;  // answers a second

void fill(Index& index) {
  index.set_namespace("default", true);
  for (uint32_t i = 0; i < kServices; ++i) {
    const bool headless = dns_bench::is_headless(i);
    ServiceFacts facts{.ports = {{.name = "http", .port = 80}}};
    facts.kind = headless ? ServiceFacts::Kind::kHeadless : ServiceFacts::Kind::kClusterIp;
    if (!headless) facts.addresses.push_back(dns_bench::service_address(i));
    index.set_service("default", name_of(i), std::move(facts));
    SliceFacts slice{.ports = {{.name = "http", .port = 8080}}};
    slice.endpoints.reserve(kEndpoints);
    for (uint32_t j = 0; j < kEndpoints; ++j) {
      slice.endpoints.push_back({.address = dns_bench::endpoint_address(i, j),
                                 .hostname = dns_bench::endpoint_hostname(i, j)});
    }
    index.set_slice("default", name_of(i), name_of(i) + "-x7k2p", std::move(slice));
  }
  index.set_synced();
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

using Microseconds = std::chrono::duration<double, std::micro>;

double since(std::chrono::steady_clock::time_point begin) {
  return Microseconds(std::chrono::steady_clock::now() - begin).count();
}

double percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<size_t>(part * static_cast<double>(values.size())))];
}

// Reading a query, finding the answer and writing it, without the network.
void bench_lookup(ClusterState& cluster) {
  constexpr int kRounds = 1'000'000;
  std::vector<testkit::Message> queries;
  for (uint32_t i = 0; i < 1000; ++i) {
    queries.push_back(testkit::make_query(
        1, name_of(i * 7 % kServices) + ".default.svc.cluster.local", Type::kA, 1232));
  }
  std::array<uint8_t, kOurUdpSize> buffer;
  const auto begin = std::chrono::steady_clock::now();
  size_t bytes = 0;
  for (int i = 0; i < kRounds; ++i) {
    Query query;
    parse_query(queries[static_cast<size_t>(i) % queries.size()], query);
    Writer writer(buffer, query.limit());
    writer.begin_response(query);
    Name external;
    ReaderLock lock(cluster.mutex);
    lookup(cluster.index, cluster.zone, {.question = query.question}, writer, external);
    bytes += writer.finish(Rcode::kNoError, {.authoritative = true});
  }
  fmt::print("message to message: {:.0f} ns ({} bytes on average)\n", since(begin) * 1000 / kRounds,
             bytes / kRounds);
}

// The time of single queries while dnsperf asks: what a pod sees. dnsperf itself prints no
// percentiles, and one line for each answer would be most of its work.
std::vector<double> probe(const testkit::TestDnsServer& server, const std::atomic<bool>& end) {
  std::vector<double> times;
  const auto query = testkit::make_query(1, name_of(1) + ".default.svc.cluster.local", Type::kA);
  while (!end) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = testkit::ask_udp(server.address(), server.udp_port(), query, 1000);
    times.push_back(answer.empty() ? 1000.0 : since(begin) / 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return times;
}

void bench_rate(ClusterState& cluster, int seconds) {
  const std::string file = fmt::format("/tmp/dns_bench-{}.txt", getpid());
  dns_bench::write_queries(file);
  testkit::TestDnsServer server(cluster, nullptr, std::thread::hardware_concurrency());
  const auto ask = [&](int length, int rate) {
    return dnsperf(server.address(), server.udp_port(), file, length, rate);
  };
  ask(1, 0);
  const Run full = ask(seconds, 0);
  fmt::print("dnsperf: {:.0f} answers/s, {:.0f} lost\n", full.rate, full.lost);
  for (const int rate : {kGoal / 2, static_cast<int>(full.rate / 2)}) {
    std::atomic<bool> end = false;
    std::vector<double> times;
    std::thread prober([&] { times = probe(server, end); });
    const Run part = ask(seconds, rate);
    end = true;
    prober.join();
    const size_t count = times.size();
    fmt::print("at {:.0f}/s, {:.0f} lost: p50 {:.3f} ms, p99 {:.3f} ms of {} queries beside it\n",
               part.rate, part.lost, percentile(times, 0.5), percentile(times, 0.99), count);
  }
  std::filesystem::remove(file);
}

// From the request that creates a Service until its name is answered by UDP.
void bench_programming(ClusterState& cluster) {
  apiserver::RemoteTestClient remote;
  SystemClock clock;
  SystemRandom random;
  Metrics metrics;
  Follower follower({.client = remote.client(),
                     .schema = api::builtin_schema(),
                     .clock = clock,
                     .random = random,
                     .metrics = metrics,
                     .cluster = cluster,
                     .node = "node"});
  Poller poller(clock);
  follower.join(poller);
  poller.start();
  while (!follower.synced()) std::this_thread::yield();
  testkit::TestDnsServer server(cluster);
  const api::Resource* services = api::builtin_schema().find_resource("", "v1", "services");
  std::vector<double> times;
  for (int i = 0; i < kNewServices; ++i) {
    const std::string name = fmt::format("new-{}", i);
    const auto query = testkit::make_query(1, name + ".default.svc.cluster.local", Type::kA);
    const auto begin = std::chrono::steady_clock::now();
    const auto made = remote.client().create(
        {.resource = services, .name_space = "default", .name = {}, .subresource = {}},
        json::parse_literal(fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"ports":[{{"port":80}}]}}}})", name)),
        {}, Until::after(clock, std::chrono::seconds(10)));
    if (!made.ok()) {
      fmt::print("creating a Service failed: {}\n", made.status().message());
      return;
    }
    while (true) {
      const auto answer = testkit::ask_udp(server.address(), server.udp_port(), query);
      if (answer.size() > 7 && answer[7] > 0) break;
    }
    times.push_back(since(begin) / 1000);
  }
  poller.stop();
  fmt::print("a new Service is answered after p50 {:.2f} ms, p99 {:.2f} ms\n",
             percentile(times, 0.5), percentile(times, 0.99));
}

int run(int seconds) {
  const auto zone = Zone::make({.servers = {parse_ip("10.96.0.10").value()}});
  if (!zone.ok()) return 1;
  ClusterState cluster(*zone);
  const double before = resident_mb();
  const auto begin = std::chrono::steady_clock::now();
  {
    WriterLock lock(cluster.mutex);
    fill(cluster.index);
  }
  fmt::print("{} Services with {} endpoints: {:.1f} MB, {:.0f} ms\n", kServices,
             kServices * kEndpoints, resident_mb() - before, since(begin) / 1000);
  bench_lookup(cluster);
  bench_rate(cluster, seconds);
  bench_programming(cluster);
  const char* coredns = std::getenv("COREDNS");
  if (coredns == nullptr || ::access(coredns, X_OK) != 0) {
    fmt::print(
        "without CoreDNS: PROA_BUILD_CLIENTS=1 tests/clients/build-go dns builds it, COREDNS names "
        "it\n");
    return 0;
  }
  return dns_bench::compare_with_coredns(coredns, seconds) ? 0 : 1;
}

}  // namespace
}  // namespace proa::dns

int main(int count, char** words) {
  if (count == 3 && std::string_view(words[1]) == "serve") {
    return proa::dns_bench::serve(words[2]);
  }
  if (count == 2 && std::string_view(words[1]) == "joined") {
    return proa::dns_bench::measure_joined_node() ? 0 : 1;
  }
  return proa::dns::run(count > 1 ? std::max(std::atoi(words[1]), 1) : 5);
}
