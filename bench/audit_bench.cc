// What the audit of a request costs the thread of its loop: the policy, the record, its event in
// the queue. Texts are made by another thread, which writes them to nowhere.

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "apiserver/front/audit/auditor.h"
#include "apiserver/front/audit/events/policy_file.h"
#include "apiserver/front/audit/record.h"
#include "http/net/loop.h"

namespace proa::apiserver::audit {
namespace {

constexpr int kRequests = 20'000;  // in a round, with a pause after it: a queue that is never full
constexpr int kRounds = 20;

// Rules as clusters have them: the frequent and harmless first, the rest at last.
constexpr const char* kRules = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, users: [system:kube-proxy], verbs: [watch], resources: [{resources: [endpoints, services]}]}
- {level: None, userGroups: [system:nodes], verbs: [get], resources: [{resources: [nodes, nodes/status]}]}
- {level: None, users: [system:kube-scheduler, system:kube-controller-manager], verbs: [get, update], namespaces: [kube-system], resources: [{group: coordination.k8s.io, resources: [leases]}]}
- {level: None, nonResourceURLs: ['/healthz*', '/version', '/swagger*', '/readyz*', '/livez*']}
- {level: None, resources: [{resources: [events]}, {group: events.k8s.io}]}
- {level: Metadata, resources: [{resources: [secrets, configmaps, serviceaccounts/token]}, {group: authentication.k8s.io, resources: [tokenreviews]}]}
- {level: Metadata}
)";

void run(const char* name, const Attributes& attributes, const UserPtr& user) {
  SystemClock clock;
  SystemRandom random;
  std::vector<std::string> ignored;
  Options options{.policy = read_policy(kRules, ignored).value()};
  options.log.emplace();
  options.log->file = {.path = "/dev/null", .max_age_days = 0, .max_backups = 0, .max_bytes = 0};
  options.log->batch.buffer_events = 2 * kRequests;
  const std::shared_ptr<Auditor> auditor =
      Auditor::make(std::move(options), clock, random, nullptr).value();
  http::LoopGroup loops(1);
  const auto context = std::make_shared<const http::ExchangeContext>(
      http::ExchangeContext{std::make_shared<const http::ServerLimits>(), nullptr, nullptr});
  const auto peer = std::make_shared<const http::Peer>(
      http::Peer{.address = "192.0.2.7", .certificates = {}, .secure = true});
  http::RequestHead head;
  head.method = "GET";
  head.target = "/api/v1/namespaces/default/pods/web-5d4f8c7b9-x2x7q";
  head.headers = {{"accept", "application/json"},
                  {"user-agent", "kubectl/v1.36.4 (linux/amd64) kubernetes/1234567"},
                  {"accept-encoding", "gzip"}};
  const auto heads = std::make_shared<http::HeadBudget>(http::HeadLimits{});
  auto share =
      heads->take(std::make_shared<http::HeadBudget::Account>(), http::Exchange::memory_of(head));
  const auto exchange = std::make_shared<http::Exchange>(
      loops.at(0), http::OpenHead{std::move(head), std::move(share)}, peer, context);
  constexpr std::string_view kReason =
      "RBAC: allowed by ClusterRoleBinding \"developers\" of ClusterRole \"view\" to Group "
      "\"developers\"";
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRequests; ++i) {
      const auto record = auditor->begin(*exchange, attributes, user, RequestKind::kOrdinary);
      auditor->receive(record, [](bool) {});
      record->note_decision(true, kReason);
      http::ResponseHead answer{200, {{"content-type", "application/json"}}};
      record->on_head(answer);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / kRequests);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  auditor->stop();
  fmt::print("{}: {:.2f} us per request, {} events lost\n", name, best * 1e6,
             auditor->metrics().errors[static_cast<size_t>(Plugin::kBuffered)].value());
}

}  // namespace
}  // namespace proa::apiserver::audit

int main() {
  using namespace proa::apiserver;
  const auto jane = std::make_shared<const User>(User{
      .name = "jane", .uid = {}, .groups = {"developers", "system:authenticated"}, .extra = {}});
  const Attributes pod{.user = jane.get(),
                       .verb = "get",
                       .version = "v1",
                       .resource = "pods",
                       .name_space = "default",
                       .name = "web-5d4f8c7b9-x2x7q"};
  audit::run("level Metadata, last of 7 rules", pod, jane);
  const Attributes health{
      .user = jane.get(), .verb = "get", .is_resource = false, .path = "/readyz"};
  audit::run("level None", health, jane);
  return 0;
}
