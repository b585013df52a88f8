// What admission webhooks cost requests that none of them is about: the p99 of writes and reads on
// a server with many webhooks, beside that on one without any. Both servers run all the time, and a
// round of one follows a round of the other, so that a machine that is slow for a while is slow for
// both. Nobody listens where the webhooks are, and none ignores failures: a write that one of them
// were asked about would fail the run.
//   webhooks_bench [ROUNDS]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "load/in_turns.h"
#include "load/objects.h"
#include "load/server.h"
#include "testkit/process.h"

namespace proa::load {
namespace webhooks_bench {

constexpr double kSeconds = 0.5;  // a round
constexpr double kMost = 1.10;    // the goal: p99 with webhooks, of that without
constexpr size_t kClients = 8;
constexpr Shape kShape{Protocol::kHttp2, kClients, 1};
constexpr std::string_view kNamespace = "bench";
constexpr std::string_view kGroup = "/apis/admissionregistration.k8s.io/v1/";

// Why the webhooks do not match. Those whose rules match look at every write: clusters have some of
// them, and many of the others.
struct Case {
  const char* name;
  int webhooks;  // of each kind
  const char* resources;
  const char* more;  // members of the webhook, which end with a comma
};

constexpr Case kCases[] = {
    {"another resource", 100, "pods", ""},
    {"a selector of objects", 10, "*", R"("objectSelector":{"matchLabels":{"none":"x"}},)"},
    {"a selector of namespaces", 10, "*", R"("namespaceSelector":{"matchLabels":{"none":"x"}},)"},
    {"a match condition", 10, "*",
     R"("matchConditions":[{"name":"c","expression":"object.metadata.name == 'none'"}],)"},
};

void configure(const Server& server, const Case& shown) {
  for (const char* kind : {"mutating", "validating"}) {
    std::string webhooks;
    for (int i = 0; i < shown.webhooks; ++i) {
      webhooks += fmt::format(
          R"({}{{"name":"w{}.example.com","clientConfig":{{"url":"https://127.0.0.1:1/"}},{})"
          R"("sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":"Fail",)"
          R"("rules":[{{"operations":["CREATE","UPDATE"],"apiGroups":[""],"apiVersions":["v1"],)"
          R"("resources":["{}"]}}]}})",
          i == 0 ? "" : ",", i, shown.more, shown.resources);
    }
    ask(server.target(),
        {.method = "POST",
         .path = fmt::format("{}{}webhookconfigurations", kGroup, kind),
         .body = fmt::format(R"({{"metadata":{{"name":"bench"}},"webhooks":[{}]}})", webhooks)});
  }
}

void forget(const Server& server) {
  for (const char* kind : {"mutating", "validating"}) {
    ask(server.target(),
        {.method = "DELETE", .path = fmt::format("{}{}webhookconfigurations/bench", kGroup, kind)});
  }
}

struct Round {
  double p99_ms = 0;
  double cpu_us = 0;  // of the server, for a request
};

Round run_round(const Server& server, Workload& workload) {
  Meter meter(server.pid());
  const Outcome outcome = run_closed_loop(server.target(), kShape, workload, kSeconds, meter);
  return {outcome.p99_ms, meter.server_seconds() * 1e6 / static_cast<double>(outcome.answers)};
}

Round reads(const Server& server) {
  Repeat workload({.path = config_maps_path(kNamespace) + "/" + object_name(0)});
  return run_round(server, workload);
}

Round updates(const Server& server) {
  Updates workload(server.target(), std::string(kNamespace), kClients);
  return run_round(server, workload);
}

Round creates(const Server& server) {
  Creates workload(std::string(kNamespace), kClients);
  const Round round = run_round(server, workload);
  workload.turn();
  Meter unread(server.pid());
  run_closed_loop(server.target(), kShape, workload, 0, unread);
  return round;
}

void compare(const std::string& name, const Server& without, const Server& with, int rounds,
             Round (*measure)(const Server&)) {
  std::vector<double> bare_cpu;
  std::vector<double> hooked_cpu;
  const auto p99_of = [&](const Server& server, std::vector<double>& cpu) {
    const Round round = measure(server);
    cpu.push_back(round.cpu_us);
    return round.p99_ms;
  };
  const InTurns p99 = measure_in_turns(
      rounds, [&] { return p99_of(without, bare_cpu); }, [&] { return p99_of(with, hooked_cpu); });
  fmt::print("{:46} {:8.2f} {:8.2f} {:7.3f}  {:8} {:8.1f} {:8.1f}\n", name, p99.first, p99.second,
             p99.ratio(), p99.ratio() <= kMost ? "reached" : "MISSED", median(bare_cpu),
             median(hooked_cpu));
}

void run(int rounds) {
  const testkit::TempDir place;
  const Server without(server_binary(), place.file("without"));
  const Server with(server_binary(), place.file("with"));
  for (const Server* server : {&without, &with}) {
    ask(server->target(), create_namespace(kNamespace));
    Fill fill(Fill::Kind::kConfigMap, std::string(kNamespace), kClients, 1024, kClients);
    Meter unread(server->pid());
    run_closed_loop(server->target(), kShape, fill, 0, unread);
  }
  fmt::print(
      "p99 in milliseconds of requests that match none of the mutating and validating webhooks, "
      "and the server's processor time for one in us; {} clients, medians of {} rounds in turns; "
      "goal: ratio at most {}\n\n{:46} {:>8} {:>8} {:>7}  {:8} {:>8} {:>8}\n",
      kClients, rounds, kMost, "", "without", "with", "ratio", "", "cpu", "cpu");
  for (const Case& shown : kCases) {
    configure(with, shown);
    compare(fmt::format("create, {} of each: {}", shown.webhooks, shown.name), without, with,
            rounds, creates);
    compare(fmt::format("update, {} of each: {}", shown.webhooks, shown.name), without, with,
            rounds, updates);
    if (&shown == &kCases[0]) {
      compare("get", without, with, rounds, reads);
    }
    forget(with);
  }
}

}  // namespace webhooks_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  proa::load::webhooks_bench::run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 21);
  return 0;
}
