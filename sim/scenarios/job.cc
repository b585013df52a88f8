#include <fmt/format.h>

#include "sim/scenarios/jobs/job_ledger.h"
#include "sim/scenarios/scenarios.h"

namespace proa::sim {
namespace job {

constexpr const char* kName = "work";

class Jobs final : public Scenario {
 public:
  void begin(Cluster& cluster) override {
    change_feed_ = std::make_unique<ChangeFeed>(
        cluster, std::vector<ChangeFeed::Resource>{{"batch", "jobs"}, {"", "pods"}});
    create(cluster);
  }

  void act(Cluster& cluster) override {
    const api::ObjectPtr job = cluster.get("batch", "jobs", kName);
    if (job == nullptr || job->metadata().being_deleted) {
      create(cluster);
      return;
    }
    const bool finished = !controllers::jobs::job_facts(*job).finished.empty();
    switch (finished ? 8 + cluster.below(4) : cluster.below(12)) {
      case 0:
      case 1:
        patch(cluster, fmt::format(R"("parallelism":{})", cluster.below(5)));
        return;
      case 2:
        patch(cluster, R"("suspend":true)");
        return;
      case 3:
      case 4:
        patch(cluster, R"("suspend":false)");
        return;
      case 5:
      case 6:
      case 7:
      case 8:
        remove_some_pod(cluster);
        return;
      case 9:
        take_some_pod_out(cluster);
        return;
      case 10:
        add_stray_pod(cluster);
        return;
      default:
        remove(cluster);
    }
  }

  // As long as no replacement for an index may be created, its last failed pod stays, even if it is
  // being deleted: such jobs would not come to rest.
  void calm(Cluster& cluster) override {
    const api::ObjectPtr job = cluster.get("batch", "jobs", kName);
    if (job == nullptr) return;
    const bool keeps_pods =
        controllers::jobs::job_facts(*job).spec.backoff_limit_per_index.has_value();
    if (keeps_pods || cluster.below(2) == 0) patch(cluster, R"("suspend":false,"parallelism":2)");
  }

  Violations violations_now(Cluster&) override {
    Violations violations;
    for (const ObjectChange& one : change_feed_->take()) ledger_.apply(one, violations);
    return violations;
  }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    ledger_.check_rest(violations);
    return violations;
  }

 private:
  // Randomly empty, or the fields and a comma.
  static std::string perhaps(Cluster& cluster, uint64_t one_of, const std::string& fields) {
    return cluster.below(one_of) == 0 ? fields + "," : "";
  }

  static std::string indexes_text(Cluster& cluster) {
    const uint64_t completions = 1 + cluster.below(5);
    std::string text = fmt::format(R"("completionMode":"Indexed","completions":{},)", completions);
    if (cluster.below(2) == 0) {
      text += fmt::format(R"("backoffLimitPerIndex":{},)", cluster.below(3));
      text += perhaps(cluster, 2,
                      fmt::format(R"("maxFailedIndexes":{})", cluster.below(completions + 1)));
    }
    const std::string rule = cluster.below(2) == 0
                                 ? R"("succeededIndexes":"0")"
                                 : fmt::format(R"("succeededCount":{})", 1 + completions / 2);
    return text + perhaps(cluster, 3, R"("successPolicy":{"rules":[{)" + rule + "}]}");
  }

  static std::string failure_policy(bool by_index) {
    return fmt::format(R"("podFailurePolicy":{{"rules":[)"
                       R"({{"action":"Ignore","onExitCodes":{{"operator":"In","values":[{}]}}}},)"
                       R"({{"action":"Ignore","onPodConditions":)"
                       R"([{{"type":"DisruptionTarget","status":"True"}}]}},)"
                       R"({{"action":"{}","onExitCodes":{{"operator":"In","values":[{}]}}}}]}},)",
                       kIgnoredExitCode, by_index ? "FailIndex" : "FailJob", kFatalExitCode);
  }

  static std::string spec_text(Cluster& cluster) {
    std::string text = fmt::format(R"("parallelism":{},)", cluster.below(6));
    text += cluster.below(2) == 0
                ? indexes_text(cluster)
                : perhaps(cluster, 2, fmt::format(R"("completions":{})", cluster.below(6)));
    text += perhaps(cluster, 3, fmt::format(R"("backoffLimit":{})", cluster.below(4)));
    text += perhaps(cluster, 3, R"("podReplacementPolicy":"Failed")");
    text +=
        perhaps(cluster, 6, fmt::format(R"("activeDeadlineSeconds":{})", 20 + cluster.below(60)));
    text += perhaps(cluster, 8, fmt::format(R"("ttlSecondsAfterFinished":{})", cluster.below(60)));
    text += perhaps(cluster, 6, R"("suspend":true)");
    // Only such a job adopts pods that it did not create.
    text +=
        perhaps(cluster, 4, R"("manualSelector":true,"selector":{"matchLabels":{"app":"work"}})");
    return text;
  }

  static void create(Cluster& cluster) {
    std::string spec = spec_text(cluster);
    const bool by_index = spec.find("backoffLimitPerIndex") != std::string::npos;
    // The server accepts a policy only without restarts, and with replacement of failed pods.
    const bool has_policy = cluster.below(3) == 0;
    if (has_policy) spec += failure_policy(by_index);
    const bool restarts = !has_policy && !by_index && cluster.below(4) == 0;
    cluster.create("batch", "jobs",
                   fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}"template":{{)"
                               R"("metadata":{{"labels":{{"app":"work"}}}},)"
                               R"("spec":{{"restartPolicy":"{}",)"
                               R"("containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                               kName, spec, restarts ? "OnFailure" : "Never"));
  }

  static void patch(Cluster& cluster, const std::string& spec) {
    cluster.patch("batch", "jobs", kName, "{\"spec\":{" + spec + "}}");
  }

  static api::ObjectPtr some_pod(Cluster& cluster) {
    const std::vector<api::ObjectPtr> pods = cluster.list("", "pods");
    return pods.empty() ? nullptr : pods[cluster.below(pods.size())];
  }

  static void remove_some_pod(Cluster& cluster) {
    const api::ObjectPtr pod = some_pod(cluster);
    if (pod == nullptr) return;
    cluster.remove("", "pods", pod->metadata().name, api::Propagation::kBackground);
  }

  // The pod is orphaned, and stays.
  static void take_some_pod_out(Cluster& cluster) {
    const api::ObjectPtr pod = some_pod(cluster);
    if (pod == nullptr || cluster.below(3) != 0) return;
    cluster.patch("", "pods", pod->metadata().name,
                  R"({"metadata":{"labels":{"app":"other",)"
                  R"("batch.kubernetes.io/controller-uid":null,"controller-uid":null}}})");
  }

  void add_stray_pod(Cluster& cluster) {
    cluster.create("", "pods",
                   fmt::format(R"({{"metadata":{{"name":"stray-{}","labels":{{"app":"work"}}}},)"
                               R"("spec":{{"restartPolicy":"Never",)"
                               R"("containers":[{{"name":"c","image":"i"}}]}}}})",
                               strays_++));
  }

  static void remove(Cluster& cluster) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground, api::Propagation::kOrphan};
    cluster.remove("batch", "jobs", kName, kWays[cluster.below(3)]);
  }

  std::unique_ptr<ChangeFeed> change_feed_;
  JobLedger ledger_;
  size_t strays_ = 0;
};

}  // namespace job

std::unique_ptr<Scenario> make_job() { return std::make_unique<job::Jobs>(); }

}  // namespace proa::sim
