// What many CustomResourceDefinitions cost `proa server`, and what their objects, their rules and
// server-side apply cost a write; kube-apiserver beside it, where KUBE_APISERVER names it.
// PROA_OLD_BINARY: a binary whose idle memory is compared.
//   crd_bench [--quick] [SECTION ...]      sections: definitions, objects, rules, apply, idle
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

#include "crd/definitions.h"
#include "crd/workloads.h"
#include "load/objects.h"
#include "load/report.h"

namespace proa::crd_bench {

using load::Goal;
using load::Protocol;
using load::Round;
using load::Shape;
using load::Subject;

constexpr size_t kDefinitions = 1'000;
// What a start needed has been given back by then.
constexpr std::chrono::seconds kUntilIdle(5);
// Old versions are kept for five minutes, and looked for every 38 seconds.
constexpr std::chrono::seconds kForgotten(400);
constexpr Shape kClients{Protocol::kHttp2, 16, 1};
constexpr size_t kSlots = 16;
constexpr size_t kObjectBytes = 2'048;

struct Sizes {
  bool quick = false;
  int rounds = 5;
  double seconds = 2;  // a round
};

// Goals are ours only.
std::optional<Goal> goal_of(const Subject& subject, Goal goal) {
  return subject.name == "proa" ? std::optional(goal) : std::nullopt;
}

double timed(const Subject& subject, load::Workload& workload, int connections) {
  load::Meter unread(subject.pid);
  return run_closed_loop(subject.target, {Protocol::kHttp1, connections, 1}, workload, 0, unread)
      .seconds;
}

// Until all say that they are established, and their objects can be listed.
double await_served(const Subject& subject, size_t first, size_t count) {
  constexpr int kConnections = 4;
  std::vector<std::string> objects;
  std::vector<std::string> definitions;
  for (size_t i = first; i < first + count; ++i) {
    objects.push_back(objects_path(i));
    definitions.push_back("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" +
                          definition_name(i));
  }
  Until served(std::move(objects), kConnections,
               [](int status, std::string_view) { return status == 200; });
  Until established(std::move(definitions), kConnections, [](int, std::string_view body) {
    return body.find(R"("type":"Established","status":"True")") != std::string_view::npos;
  });
  return timed(subject, served, kConnections) + timed(subject, established, kConnections);
}

double create_definitions(const Subject& subject, size_t first, size_t count) {
  std::vector<load::Request> requests;
  for (size_t i = first; i < first + count; ++i) requests.push_back(create_definition(i));
  Each creates(std::move(requests));
  const double seconds = timed(subject, creates, kSlots);
  return seconds + await_served(subject, first, count);
}

struct Document {
  std::string name;
  std::string path;
  std::string accept;
  bool names_kinds;
};

std::vector<Document> documents(size_t number) {
  return {{"index of version 3", "/openapi/v3", "application/json", false},
          {"its group, version 3", "/openapi/v3/apis/" + group_of(number) + "/v1beta1",
           "application/json", true},
          {"version 2, JSON", "/openapi/v2", "application/json", true},
          {"version 2, protobuf", "/openapi/v2",
           "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", true}};
}

// Until a document has the definition: the first that is asked for, or a later one. Not counting
// the connection.
Round ask_document(const Subject& subject, const Document& document, size_t number) {
  const load::Request request{.path = document.path, .accept = document.accept};
  Round round;
  for (;;) {
    Each once({request});
    load::Meter meter(subject.pid);
    round.value +=
        run_closed_loop(subject.target, {Protocol::kHttp1, 1, 1}, once, 0, meter).seconds;
    round.server_micros += meter.server_seconds() * 1e6;
    round.others = meter.others();
    if (!document.names_kinds ||
        ask(subject.target, request).find(kind_of(number)) != std::string::npos)
      break;
    // The question whether it has is not part of it, but what passes meanwhile would be.
    constexpr std::chrono::milliseconds kPause(10);
    std::this_thread::sleep_for(kPause);
  }
  round.value *= 1e3;
  return round;
}

void bench_documents(const Subject& subject, const Sizes& sizes) {
  load::Table table(
      fmt::format("{}: the first OpenAPI document after one more definition", subject.name), "ms",
      "document", 1);
  size_t number = kDefinitions;
  for (size_t i = 0; i < documents(0).size(); ++i) {
    std::vector<Round> rounds;
    for (int round = 0; round < sizes.rounds; ++round) {
      create_definitions(subject, ++number, 1);
      rounds.push_back(ask_document(subject, documents(number)[i], number));
    }
    table.row(documents(0)[i].name, rounds, goal_of(subject, {50, false}));
  }
}

void bench_definitions(const Subject& subject, const Sizes& sizes) {
  std::this_thread::sleep_for(kUntilIdle);
  // The code that definitions need becomes resident with the first of them.
  create_definitions(subject, kDefinitions, 1);
  std::this_thread::sleep_for(kUntilIdle);
  const double before = subject.megabytes();
  const double own_before = subject.own_megabytes();
  const double processor = load::processor_seconds(subject.pid);
  const double seconds = create_definitions(subject, 0, kDefinitions);
  const double used = load::processor_seconds(subject.pid) - processor;
  std::this_thread::sleep_for(kUntilIdle);
  const double full = subject.megabytes() - before;
  if (!sizes.quick) std::this_thread::sleep_for(kForgotten);
  const double settled = subject.megabytes() - before;
  const double own = subject.own_megabytes() - own_before;
  {
    load::Table table(fmt::format("{}: {} definitions of {} bytes", subject.name, kDefinitions,
                                  definition(0).size()),
                      "", "", 2);
    table.row("seconds until all are served", {{.value = seconds}}, goal_of(subject, {3, false}));
    table.row("seconds of processor time", {{.value = used}});
    table.row("MB resident, with the last 5 minutes", {{.value = full}});
    if (!sizes.quick) {
      table.row("MB resident", {{.value = settled}}, goal_of(subject, {40, false}));
      table.row("MB of these that are no code", {{.value = own}});
    }
  }
  bench_documents(subject, sizes);
}

// Two workloads in turns, so that a machine that is slow for a while is slow for both.
struct Pair {
  std::vector<Round> first;
  std::vector<Round> second;
};

Pair in_turns(const Subject& subject, const Sizes& sizes, load::Workload& first,
              load::Workload& second) {
  Pair pair;
  const auto measure = [&](load::Workload& workload) {
    const Cost cost = cost_of(subject, kClients, workload, sizes.seconds);
    return Round{
        .value = cost.per_second, .server_micros = cost.server_micros, .others = cost.others};
  };
  for (int i = 0; i < sizes.rounds; ++i) {
    pair.first.push_back(measure(first));
    pair.second.push_back(measure(second));
  }
  return pair;
}

double median(const std::vector<Round>& rounds, double Round::*member) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(round.*member);
  return load::percentile(values, 0.5);
}

void bench_objects(const Subject& subject, const Sizes& sizes) {
  constexpr size_t kNumber = 2'000;  // a definition of its own
  create_definitions(subject, kNumber, 1);
  ask(subject.target, load::create_namespace("objects"));
  const std::string path = load::config_maps_path("objects");
  Posts maps(path, kSlots,
             [](std::string_view name) { return load::config_map(name, kObjectBytes); });
  Posts custom(objects_path(kNumber), kSlots,
               [](std::string_view name) { return custom_object(kNumber, name, kObjectBytes); });
  const Pair pair = in_turns(subject, sizes, maps, custom);
  {
    load::Table table(fmt::format("{}: creates of 2 kB, 16 clients", subject.name), "creates/s",
                      "create", 0);
    table.row("ConfigMaps", pair.first);
    table.row("custom objects", pair.second);
  }
  load::Table table(fmt::format("{}: custom objects, of the rate of ConfigMaps", subject.name), "",
                    "", 2);
  const double rate = median(pair.second, &Round::value) / median(pair.first, &Round::value);
  table.row("creates of 2 kB", {{.value = rate}}, goal_of(subject, {0.7}));
}

void bench_rules(const Subject& subject, const Sizes& sizes) {
  std::vector<std::string> paths;
  for (const bool has_rules : {false, true}) {
    ask(subject.target, create_ruled_definition(has_rules));
    paths.push_back(ruled_path(has_rules));
  }
  Until served(paths, 1, [](int status, std::string_view) { return status == 200; });
  timed(subject, served, 1);
  Posts plain(paths[0], kSlots, [](std::string_view name) { return ruled_object(false, name); });
  Posts ruled(paths[1], kSlots, [](std::string_view name) { return ruled_object(true, name); });
  const Pair pair = in_turns(subject, sizes, plain, ruled);
  {
    load::Table table(fmt::format("{}: creates of a small custom object", subject.name),
                      "creates/s", "create", 0);
    table.row("without rules", pair.first);
    table.row("with 10 rules", pair.second);
  }
  load::Table table(fmt::format("{}: processor time of 10 rules", subject.name), "us", "", 1);
  table.row("more for each create",
            {{.value = median(pair.second, &Round::server_micros) -
                       median(pair.first, &Round::server_micros)}},
            goal_of(subject, {40, false}));
}

// REQUIRES: no controller writes Deployments.
void bench_apply(const Subject& subject, const Sizes& sizes) {
  using Way = DeploymentWrites::Way;
  DeploymentWrites update(subject.target, Way::kUpdate, kSlots);
  DeploymentWrites apply(subject.target, Way::kApply, kSlots);
  const Pair pair = in_turns(subject, sizes, update, apply);
  {
    load::Table table(
        fmt::format("{}: an annotation of a Deployment changes, 16 clients", subject.name),
        "writes/s", "write", 0);
    table.row("update", pair.first);
    table.row("server-side apply", pair.second);
  }
  load::Table table(fmt::format("{}: server-side apply, of an update", subject.name), "", "", 2);
  table.row("processor time",
            {{.value = median(pair.second, &Round::server_micros) /
                       median(pair.first, &Round::server_micros)}},
            goal_of(subject, {2.5, false}));
}

double idle_megabytes(const std::string& binary) {
  const testkit::TempDir folder;
  const load::Server server(binary, folder.file("data"));
  std::this_thread::sleep_for(kUntilIdle);
  return load::subject_of(server).megabytes();
}

void bench_idle(const Sizes& sizes) {
  const char* before = std::getenv("PROA_OLD_BINARY");
  if (before == nullptr) return;
  std::vector<Round> olds;
  std::vector<Round> news;
  std::vector<Round> more;
  for (int i = 0; i < sizes.rounds; ++i) {
    olds.push_back({.value = idle_megabytes(before)});
    news.push_back({.value = idle_megabytes(load::server_binary())});
    more.push_back({.value = news.back().value - olds.back().value});
  }
  load::Table table("Resident after five seconds, with all controllers", "MB", "", 1);
  table.row("PROA_OLD_BINARY", olds);
  table.row("this one", news);
  table.row("more", more, Goal{2, false});
}

// What is asked of each server.
struct Section {
  std::string name;
  void (*run)(const Subject& subject, const Sizes& sizes);
  std::vector<std::string> flags;  // of ours
};

const std::vector<Section>& sections() {
  static const std::vector<Section> kSections{
      {"definitions", bench_definitions, {}},
      {"objects", bench_objects, {}},
      {"rules", bench_rules, {}},
      {"apply", bench_apply, {"--controllers", "none", "--scheduler=false"}}};
  return kSections;
}

void run(const Section& section, const Sizes& sizes) {
  const testkit::TempDir folder;
  const std::string directory = folder.file("proa");
  const std::string program = load::upstream_program();
  std::string certificates = directory;
  load::Target target;
  {
    const load::Server server(load::server_binary(), directory, "127.0.0.1", section.flags);
    target = server.target();
    section.run(load::subject_of(server), sizes);
  }
  if (program.empty()) return;
  const load::Upstream upstream(program, folder.file("upstream"), directory, target);
  section.run(upstream.subject(), sizes);
  if (section.name == "definitions") {
    fmt::print("etcd beside it: {:.0f} MB\n\n", upstream.etcd_megabytes());
  }
}

}  // namespace proa::crd_bench

int main(int count, char** arguments) {
  using namespace proa::crd_bench;  // NOLINT: all of it is for this
  Sizes sizes;
  std::set<std::string> wanted;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--quick") {
      sizes = {.quick = true, .rounds = 3, .seconds = 0.5};
    } else {
      wanted.insert(argument);
    }
  }
  for (const Section& section : sections()) {
    if (wanted.empty() || wanted.contains(section.name)) run(section, sizes);
  }
  if (wanted.empty() || wanted.contains("idle")) bench_idle(sizes);
}
