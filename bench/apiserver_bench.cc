// What `proa server` does in a second and what it takes, as a client sees it that shares the cores
// with it: over TLS, with a client certificate, durable. All load comes from one thread of this
// program, since neither wrk nor h2load can show a client certificate.
//   apiserver_bench [--quick] [SECTION ...]
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "load/objects.h"
#include "load/report.h"
#include "load/server.h"
#include "load/watch_crowd.h"

namespace proa::load {
namespace apiserver_bench {

struct Sizes {
  int rounds = 3;
  double seconds = 3;  // a round
  double watch_seconds = 10;
  size_t many = 100'000;
};

// What a start needed has been given back by then.
constexpr std::chrono::seconds kUntilIdle(5);
constexpr double kMegabyte = 1e6;
constexpr size_t kObjectBytes = 1024;
constexpr Shape kFillShape{Protocol::kHttp2, 16, 8};

template <typename Measure>
std::vector<Round> rounds(const Sizes& sizes, Measure measure) {
  std::vector<Round> all;
  for (int i = 0; i < sizes.rounds; ++i) all.push_back(measure());
  return all;
}

constexpr double kCores = 2;

Round round_of(const Outcome& outcome, const Meter& meter, double value) {
  const auto answers = static_cast<double>(outcome.answers);
  const double ours = meter.server_seconds() + meter.client_seconds();
  return {.value = value,
          .p50_ms = outcome.p50_ms,
          .p99_ms = outcome.p99_ms,
          .server_micros = meter.server_seconds() * 1e6 / answers,
          .client_micros = meter.client_seconds() * 1e6 / answers,
          .bound = value * kCores * outcome.seconds / ours,
          .others = meter.others()};
}

std::string describe(const Shape& shape) {
  std::string text = fmt::format("{}, {} connection{}", name_of(shape.protocol), shape.connections,
                                 shape.connections == 1 ? "" : "s");
  if (shape.streams > 1) text += fmt::format(" x {}", shape.streams);
  return text;
}

void fill(const Server& server, Fill::Kind kind, const std::string& name_space, size_t count,
          size_t bytes) {
  ask(server.target(), create_namespace(name_space));
  Fill workload(kind, name_space, count, bytes,
                static_cast<size_t>(kFillShape.connections * kFillShape.streams));
  Meter unread(server.pid());
  run_closed_loop(server.target(), kFillShape, workload, 0, unread);
}

Round requests(const Server& server, const Sizes& sizes, const Shape& shape, Workload& workload) {
  Meter meter(server.pid());
  const Outcome outcome = run_closed_loop(server.target(), shape, workload, sizes.seconds, meter);
  return round_of(outcome, meter, outcome.per_second());
}

// How lean the generator is: /version needs no certificate, so h2load can ask for it too.
std::optional<Round> h2load_version(const Server& server, const Sizes& sizes, const Shape& shape) {
  const testkit::TempDir place;
  const std::string output = place.file("output");
  Meter meter(server.pid());
  meter.start();
  testkit::Process process(
      {"h2load", "-D", fmt::format("{:.0f}", std::max(1.0, sizes.seconds)), "-c",
       std::to_string(shape.connections), "-m", std::to_string(shape.streams),
       fmt::format("https://127.0.0.1:{}/version", server.target().port)},
      output);
  const bool done = process.wait() == 0;
  meter.stop();
  std::ifstream lines(output);
  std::string word;
  double per_second = 0;
  while (done && lines >> word) {
    if (word == "req/s,") break;
    if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos)
      per_second = std::stod(word);
  }
  if (per_second == 0) return {};
  return Round{.value = per_second, .others = 0};
}

void bench_generator(const Server& server, const Sizes& sizes) {
  Table table("The generator beside h2load: GET /version, which needs no certificate", "requests/s",
              "request", 0);
  const Shape shape{Protocol::kHttp2, 64, 10};
  table.row("ours: " + describe(shape), rounds(sizes, [&] {
              Repeat workload({.path = "/version"});
              return requests(server, sizes, shape, workload);
            }));
  if (!testkit::has_program("h2load")) return;
  std::vector<Round> theirs;
  for (int i = 0; i < sizes.rounds; ++i) {
    if (const auto round = h2load_version(server, sizes, shape)) theirs.push_back(*round);
  }
  if (!theirs.empty()) table.row("h2load: " + describe(shape), theirs);
}

void bench_get(const Server& server, const Sizes& sizes) {
  fill(server, Fill::Kind::kConfigMap, "get", 64, kObjectBytes);
  Table table("GET of a ConfigMap of 1 kB", "requests/s", "request", 0);
  for (const auto& [protocol, streams] :
       {std::pair(Protocol::kHttp1, 1), {Protocol::kHttp2, 1}, {Protocol::kHttp2, 10}}) {
    for (const int connections : {1, 16, 64}) {
      const Shape shape{protocol, connections, streams};
      const auto measured = rounds(sizes, [&] {
        Repeat workload({.path = config_maps_path("get") + "/" + object_name(7)});
        return requests(server, sizes, shape, workload);
      });
      table.row(describe(shape), measured,
                connections == 64 ? std::optional(Goal{60'000}) : std::nullopt);
    }
  }
}

struct Encoding {
  std::string_view name;
  std::string_view accept;
  bool has_goal;
};
constexpr Encoding kEncodings[] = {
    {"JSON", "application/json", true},
    {"protobuf", "application/vnd.kubernetes.protobuf", true},
    {"Table", "application/json;as=Table;v=v1;g=meta.k8s.io", false},
};

void bench_list(const Server& server, const Sizes& sizes) {
  ask(server.target(), create_node());
  for (const size_t count : {1'000, 10'000}) {
    const std::string name_space = fmt::format("list-{}", count);
    fill(server, Fill::Kind::kPod, name_space, count, 0);
    Table table(fmt::format("LIST of {} pods of 1 kB, not compressed", count), "MB/s", "list", 0);
    for (const Encoding& encoding : kEncodings) {
      const Request request{.path = pods_path(name_space), .accept = std::string(encoding.accept)};
      const size_t bytes = ask(server.target(), request).size();
      for (const Shape& shape : {Shape{Protocol::kHttp2, 1, 1}, Shape{Protocol::kHttp2, 4, 1},
                                 Shape{Protocol::kHttp1, 4, 1}}) {
        const auto measured = rounds(sizes, [&] {
          Repeat workload(request);
          Meter meter(server.pid());
          const Outcome outcome =
              run_closed_loop(server.target(), shape, workload, sizes.seconds, meter);
          return round_of(outcome, meter, outcome.megabytes_per_second());
        });
        table.row(fmt::format("{} {:.1f} MB, {} x {}", encoding.name,
                              static_cast<double>(bytes) / kMegabyte, name_of(shape.protocol),
                              shape.connections),
                  measured,
                  encoding.has_goal && count == 10'000 ? std::optional(Goal{800}) : std::nullopt);
      }
    }
  }
}

void bench_writes(const Server& server, const Sizes& sizes) {
  fill(server, Fill::Kind::kConfigMap, "updates", 64, kObjectBytes);
  ask(server.target(), create_namespace("creates"));
  Table table("Writes of ConfigMaps of 1 kB, HTTP/2, one under way for each client, durable",
              "writes/s", "write", 0);
  for (const int clients : {1, 16, 64}) {
    const Shape shape{Protocol::kHttp2, clients, 1};
    const auto measured = rounds(sizes, [&] {
      Creates workload("creates", static_cast<size_t>(clients));
      const Round round = requests(server, sizes, shape, workload);
      workload.turn();
      Meter unread(server.pid());
      run_closed_loop(server.target(), shape, workload, 0, unread);
      return round;
    });
    table.row(fmt::format("create, {} clients", clients), measured,
              clients == 1    ? std::optional(Goal{2'000})
              : clients == 64 ? std::optional(Goal{15'000})
                              : std::nullopt);
  }
  for (const int clients : {1, 16, 64}) {
    const Shape shape{Protocol::kHttp2, clients, 1};
    const auto measured = rounds(sizes, [&] {
      Updates workload(server.target(), "updates", static_cast<size_t>(clients));
      return requests(server, sizes, shape, workload);
    });
    table.row(fmt::format("update, {} clients", clients), measured,
              clients == 64 ? std::optional(Goal{12'000}) : std::nullopt);
  }
}

// The writer goes round some objects, and needs no version: it is the only one.
WatchCrowd::Options crowd_of(const Server& server, const std::string& name_space,
                             const Shape& shape) {
  const std::string path = config_maps_path(name_space);
  const std::string version = version_in(ask(server.target(), {.path = path + "?limit=1"}));
  return {.watch_path = path + "?watch=true&resourceVersion=" + version,
          .shape = shape,
          .write = [path](size_t number) {
            const std::string name = object_name(number % 64);
            Request request{.method = "PUT", .path = path + "/" + name};
            request.body = config_map(name, kObjectBytes);
            const std::string digits = std::to_string(number);
            request.body.replace(request.body.size() - 4 - digits.size(), digits.size(), digits);
            return request;
          }};
}

void bench_watches(const Server& server, const Sizes& sizes) {
  constexpr double kEventsPerSecond = 100;
  fill(server, Fill::Kind::kConfigMap, "watched", 64, kObjectBytes);
  Table table(
      "Watch fan-out at 100 events/s of 1 kB; value: p99 of delivery, from before the write is "
      "sent "
      "to after the event is read",
      "p99 ms", "event", 2);
  for (const Shape& shape : {Shape{Protocol::kHttp2, 100, 1}, Shape{Protocol::kHttp2, 1000, 1},
                             Shape{Protocol::kHttp1, 1000, 1}, Shape{Protocol::kHttp2, 10, 100}}) {
    WatchCrowd crowd(server.target(), crowd_of(server, "watched", shape));
    double acknowledged = 0;
    std::vector<double> server_micros;
    const auto measured = rounds(sizes, [&] {
      Meter meter(server.pid());
      const auto delivery = crowd.run(kEventsPerSecond, sizes.watch_seconds, meter);
      const double events = static_cast<double>(delivery.events);
      acknowledged = delivery.acknowledged_p50_ms;
      server_micros.push_back(meter.server_seconds() * 1e6 / events);
      return Round{.value = delivery.p99_ms,
                   .p50_ms = delivery.p50_ms,
                   .p99_ms = delivery.p99_ms,
                   .server_micros = server_micros.back(),
                   .client_micros = meter.client_seconds() * 1e6 / events,
                   .others = meter.others()};
    });
    const bool thousand = shape.connections == 1000;
    table.row(describe(shape), measured, thousand ? std::optional(Goal{5, false}) : std::nullopt);
    const double micros = percentile(server_micros, 0.5);
    fmt::print("    write acknowledged after {:.2f} ms (p50)", acknowledged);
    if (thousand)
      fmt::print("; server us/event, goal at most 3: {}", micros <= 3 ? "reached" : "MISSED");
    fmt::print("\n");
  }
}

Round memory_of(const Server& server) {
  return {.value = static_cast<double>(resident_bytes(server.pid())) / kMegabyte};
}

// Fresh servers, so that what came before is not in the figure.
void bench_memory(const testkit::TempDir& place, const Sizes& sizes) {
  std::vector<Round> idle;
  std::vector<Round> full;
  std::vector<Round> watched;
  for (int i = 0; i < sizes.rounds; ++i) {
    const Server server(server_binary(), place.file(fmt::format("memory-{}", i)));
    std::this_thread::sleep_for(kUntilIdle);
    idle.push_back(memory_of(server));
    fill(server, Fill::Kind::kConfigMap, "many", sizes.many, kObjectBytes);
    full.push_back(memory_of(server));
    fill(server, Fill::Kind::kConfigMap, "watched", 64, kObjectBytes);
    const double before = memory_of(server).value;
    const WatchCrowd crowd(server.target(),
                           crowd_of(server, "watched", {Protocol::kHttp2, 1000, 1}));
    watched.push_back({.value = memory_of(server).value - before});
  }
  Table table("Memory (resident)", "MB", "", 1);
  table.row("idle", idle, Goal{30, false});
  table.row(fmt::format("with {} ConfigMaps of 1 kB", sizes.many), full, Goal{300, false});
  table.row("more with 1000 open watches", watched, Goal{60, false});
}

void bench_start(const testkit::TempDir& place, const Sizes& sizes) {
  const auto start = [](const std::string& directory) {
    const double busy = machine_busy_seconds();
    const Server server(server_binary(), directory);
    const double seconds = server.ready_seconds();
    const double ours = processor_seconds(server.pid());
    return Round{.value = seconds * 1e3,
                 .server_micros = ours * 1e6,
                 .others = std::max(0.0, (machine_busy_seconds() - busy - ours) / seconds)};
  };
  Table table("From the start of the process to /readyz", "ms", "start", 0);
  int number = 0;
  table.row("empty directory",
            rounds(sizes, [&] { return start(place.file(fmt::format("start-{}", number++))); }),
            Goal{250, false});
  const std::string directory = place.file("start-full");
  {
    const Server server(server_binary(), directory);
    fill(server, Fill::Kind::kConfigMap, "many", sizes.many, 2 * kObjectBytes);
  }
  table.row(fmt::format("{} objects of 2 kB (page cache warm)", sizes.many),
            rounds(sizes, [&] { return start(directory); }), Goal{2000, false});
}

void run_sections(const Sizes& sizes, const std::set<std::string>& sections) {
  const auto wanted = [&](const std::string& name) {
    return sections.empty() || sections.contains(name);
  };
  std::ifstream load("/proc/loadavg");
  std::string average;
  load >> average;
  fmt::print(
      "Medians of {} rounds, least..most of them. '2 cores': what the same processor time would "
      "give "
      "if both cores did nothing else. 'others': cores that were busy with something else; load "
      "average at the start {}.\n\n",
      sizes.rounds, average);
  const testkit::TempDir place;
  if (wanted("start")) bench_start(place, sizes);
  if (wanted("memory")) bench_memory(place, sizes);
  const Server server(server_binary(), place.file("server"));
  if (wanted("generator")) bench_generator(server, sizes);
  if (wanted("get")) bench_get(server, sizes);
  if (wanted("list")) bench_list(server, sizes);
  if (wanted("write")) bench_writes(server, sizes);
  if (wanted("watch")) bench_watches(server, sizes);
  Table table("Memory after all of that on one server (resident)", "MB", "", 1);
  table.row("get, list, write, watch", {memory_of(server)}, Goal{250, false});
}

}  // namespace apiserver_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  using namespace proa::load::apiserver_bench;  // NOLINT: main has no namespace
  Sizes sizes;
  std::set<std::string> sections;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--quick") {
      sizes = {.rounds = 3, .seconds = 0.3, .watch_seconds = 1, .many = 10'000};
    } else {
      sections.insert(argv[i]);
    }
  }
  run_sections(sizes, sections);
  return 0;
}
