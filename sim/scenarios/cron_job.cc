#include <fmt/format.h>

#include <array>

#include "sim/scenarios/jobs/cron_record.h"
#include "sim/scenarios/jobs/job_ledger.h"
#include "sim/scenarios/scenarios.h"

namespace proa::sim {
namespace cron_job {

constexpr const char* kName = "tick";
// Rounds without faults before it is stopped.
constexpr int kCalmRounds = 4;

class CronJobs final : public Scenario {
 public:
  void begin(Cluster& cluster) override {
    change_feed_ = std::make_unique<ChangeFeed>(
        cluster,
        std::vector<ChangeFeed::Resource>{{"batch", "cronjobs"}, {"batch", "jobs"}, {"", "pods"}});
    create(cluster);
  }

  void act(Cluster& cluster) override {
    const api::ObjectPtr cron_job = find(cluster);
    if (cron_job == nullptr) {
      create(cluster);
      return;
    }
    switch (cluster.below(12)) {
      case 0:
        patch(cluster, R"("suspend":true)");
        return;
      case 1:
      case 2:
        patch(cluster, R"("suspend":false)");
        return;
      case 3:
        patch(cluster, overlap_text(cluster));
        return;
      case 4:
        patch(cluster, limits_text(cluster));
        return;
      case 5:
        patch(cluster, deadline_text(cluster));
        return;
      case 6:
        patch(cluster, schedule_text(cluster));
        return;
      case 7:
      case 8:
        remove_some(cluster, "batch", "jobs");
        return;
      case 9:
        remove_some(cluster, "", "pods");
        return;
      case 10:
        create_manually(cluster, *cron_job);
        return;
      default:
        cluster.remove("batch", "cronjobs", kName, some_way(cluster));
    }
  }

  void calm(Cluster& cluster) override {
    if (find(cluster) == nullptr) return;
    patch(cluster, R"("suspend":false,"schedule":"* * * * *")");
    calm_rounds_ = kCalmRounds;
  }

  // Long enough for several minutes to pass.
  Duration max_pause() const override { return std::chrono::seconds(30); }

  Violations violations_now(Cluster& cluster) override {
    Violations violations;
    for (const ObjectChange& one : change_feed_->take()) {
      ledger_.apply(one, violations);
      if (one.resource == "cronjobs") hear_of_cron_job(one, violations);
      if (one.resource == "jobs") apply_job(one, violations);
    }
    if (calm_rounds_ > 0 && --calm_rounds_ == 0) {
      for (const auto& [uid, record] : records_) {
        record.check_pace(cluster.world().clock().now(), violations);
      }
      patch(cluster, R"("suspend":true)");
    }
    return violations;
  }

  Violations violations_at_rest(Cluster& cluster, const Kubelets&) override {
    Violations violations = leaks(cluster);
    ledger_.check_rest(violations);
    for (const auto& [uid, record] : records_) record.check_rest(violations);
    return violations;
  }

 private:
  static api::ObjectPtr find(Cluster& cluster) {
    const api::ObjectPtr found = cluster.get("batch", "cronjobs", kName);
    return found == nullptr || found->metadata().being_deleted ? nullptr : found;
  }

  static std::string schedule_text(Cluster& cluster) {
    return cluster.below(4) == 0 ? R"("schedule":"*/2 * * * *")" : R"("schedule":"* * * * *")";
  }
  static std::string overlap_text(Cluster& cluster) {
    constexpr std::array kPolicies = {"Allow", "Forbid", "Forbid", "Replace"};
    return fmt::format(R"("concurrencyPolicy":"{}")", kPolicies.at(cluster.below(4)));
  }
  static std::string limits_text(Cluster& cluster) {
    return fmt::format(R"("successfulJobsHistoryLimit":{},"failedJobsHistoryLimit":{})",
                       cluster.below(4), cluster.below(3));
  }
  static std::string deadline_text(Cluster& cluster) {
    if (cluster.below(2) == 0) return R"("startingDeadlineSeconds":null)";
    return fmt::format(R"("startingDeadlineSeconds":{})", 10 + cluster.below(100));
  }

  // Pods of a job finish at different times, and some fail permanently.
  static std::string job_text(Cluster& cluster) {
    return fmt::format(R"({{"backoffLimit":{},"completions":{},"template":{{)"
                       R"("spec":{{"restartPolicy":"Never",)"
                       R"("containers":[{{"name":"c","image":"i"}}]}}}}}})",
                       cluster.below(3), 1 + cluster.below(2));
  }

  static void create(Cluster& cluster) {
    cluster.create("batch", "cronjobs",
                   fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{},{},{},{},)"
                               R"("jobTemplate":{{"spec":{}}}}}}})",
                               kName, schedule_text(cluster), overlap_text(cluster),
                               limits_text(cluster), deadline_text(cluster), job_text(cluster)));
  }

  // As "kubectl create job --from" does.
  void create_manually(Cluster& cluster, const api::Object& cron_job) {
    cluster.create(
        "batch", "jobs",
        fmt::format(R"({{"metadata":{{"name":"manual-{}",)"
                    R"("annotations":{{"cronjob.kubernetes.io/instantiate":"manual"}},)"
                    R"("ownerReferences":[{{"apiVersion":"batch/v1","kind":"CronJob","name":"{}",)"
                    R"("uid":"{}","controller":true}}]}},"spec":{}}})",
                    manual_++, kName, cron_job.metadata().uid, job_text(cluster)));
  }

  static void patch(Cluster& cluster, const std::string& spec) {
    cluster.patch("batch", "cronjobs", kName, "{\"spec\":{" + spec + "}}");
  }

  static api::Propagation some_way(Cluster& cluster) {
    constexpr api::Propagation kWays[] = {api::Propagation::kBackground,
                                          api::Propagation::kForeground, api::Propagation::kOrphan};
    return kWays[cluster.below(3)];
  }

  static void remove_some(Cluster& cluster, const char* group, const char* resource) {
    const std::vector<api::ObjectPtr> all = cluster.list(group, resource);
    if (all.empty()) return;
    cluster.remove(group, resource, all[cluster.below(all.size())]->metadata().name,
                   some_way(cluster));
  }

  CronRecord* record_of(const api::Object& job) {
    const auto found = records_.find(std::string(controller_uid(job)));
    return found == records_.end() ? nullptr : &found->second;
  }

  void hear_of_cron_job(const ObjectChange& one, Violations& violations) {
    const std::string uid(one.object().metadata().uid);
    if (one.after == nullptr) {
      records_.erase(uid);
    } else if (one.before == nullptr) {
      records_.emplace(uid, CronRecord(one.after));
    } else {
      records_.at(uid).wrote(one.after, violations);
    }
  }

  void apply_job(const ObjectChange& one, Violations& violations) {
    CronRecord* before = one.before == nullptr ? nullptr : record_of(*one.before);
    CronRecord* after = one.after == nullptr ? nullptr : record_of(*one.after);
    if (before != nullptr && after == nullptr) before->lost(*one.before);
    if (after == nullptr) return;
    if (one.before == nullptr) {
      after->made(one.after, violations);
    } else {
      after->saw(one.after);
    }
  }

  std::unique_ptr<ChangeFeed> change_feed_;
  JobLedger ledger_;
  std::map<std::string, CronRecord> records_;  // by uid
  size_t manual_ = 0;
  int calm_rounds_ = 0;
};

}  // namespace cron_job

std::unique_ptr<Scenario> make_cron_job() { return std::make_unique<cron_job::CronJobs>(); }

}  // namespace proa::sim
