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

double p99_of_reads(const Server& server) {
  Repeat workload({.path = config_maps_path(kNamespace) + "/" + object_name(0)});
  Meter unread(server.pid());
  return run_closed_loop(server.target(), kShape, workload, kSeconds, unread).p99_ms;
}

double p99_of_updates(const Server& server) {
  Updates workload(server.target(), std::string(kNamespace), kClients);
  Meter unread(server.pid());
  return run_closed_loop(server.target(), kShape, workload, kSeconds, unread).p99_ms;
}

double p99_of_creates(const Server& server) {
  Creates workload(std::string(kNamespace), kClients);
  Meter unread(server.pid());
  const double p99 = run_closed_loop(server.target(), kShape, workload, kSeconds, unread).p99_ms;
  workload.turn();
  run_closed_loop(server.target(), kShape, workload, 0, unread);
  return p99;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Alternates which of the two begins.
void compare(const std::string& name, const Server& without, const Server& with, int rounds,
             double (*measure)(const Server&)) {
  std::vector<double> bare;
  std::vector<double> hooked;
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const bool bare_first = i % 2 == 0;
    const double first = measure(bare_first ? without : with);
    const double second = measure(bare_first ? with : without);
    bare.push_back(bare_first ? first : second);
    hooked.push_back(bare_first ? second : first);
    ratios.push_back(hooked.back() / bare.back());
  }
  const double ratio = median(ratios);
  fmt::print("{:40} {:10.2f} {:10.2f} {:8.3f}  {}\n", name, median(bare), median(hooked), ratio,
             ratio <= kMost ? "reached" : "MISSED");
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
      "p99 in milliseconds of requests that match none of the mutating and validating webhooks; "
      "{} clients, medians of {} rounds in turns; goal: ratio at most {}\n\n{:40} {:>10} {:>10} "
      "{:>8}\n",
      kClients, rounds, kMost, "", "without", "with", "ratio");
  for (const Case& shown : kCases) {
    configure(with, shown);
    compare(fmt::format("create, {} of each: {}", shown.webhooks, shown.name), without, with,
            rounds, p99_of_creates);
    compare(fmt::format("update, {} of each: {}", shown.webhooks, shown.name), without, with,
            rounds, p99_of_updates);
    if (&shown == &kCases[0]) {
      compare("get", without, with, rounds, p99_of_reads);
    }
    forget(with);
  }
}

}  // namespace webhooks_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  proa::load::webhooks_bench::run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 11);
  return 0;
}
