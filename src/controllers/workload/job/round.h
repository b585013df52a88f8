#pragma once

#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/job/decision.h"
#include "controllers/workload/job/ownership.h"
#include "controllers/workload/job/tracking.h"

namespace proa::controllers::jobs {

// Shared by all rounds. Everything outlives them.
struct RoundTools {
  const ControllerContext& context;
  const api::Resource& resource;
  PodOwnership& ownership;
  PodControl& pod_control;
  Freshness& pods_written;
  Freshness& jobs_written;
  PodBackoffs& backoffs;
};

// One reconcile of a job: counts its pods, creates and deletes pods, writes the status. REQUIRES:
// the caches contain earlier writes; the job is not finished and managed by this controller.
class Round {
 public:
  Round(const RoundTools& tools, api::ObjectPtr job);

  Result<client::Again> run();
  // Number of pods; valid after run().
  size_t pods() const { return pods_.size(); }

 private:
  Owner owner() const { return {tools_.resource, *object_}; }
  client::Key key() const { return client::Key::of(*object_); }
  Time now() const { return tools_.context.clock.now(); }

  Result<void> load();
  PodBackoff backoff_now() const;
  // Numbers of deleted pods, and of those that were ready.
  struct Stopped {
    int64_t all = 0;
    int64_t ready = 0;
    Result<void> outcome;
  };
  Stopped stop(const std::vector<size_t>& pods, bool counted);
  Result<void> end_pods();
  Result<void> run_pods();
  Result<void> create(const PodPlan& plan);
  Result<api::ObjectPtr> create_one(const PodPlan& plan, size_t number);
  void put_suspension();
  Result<void> track();
  Result<void> release(const std::vector<size_t>& pods);
  void put_ending();
  void put_end();
  Result<void> write();
  void record_end() const;
  void wait_for(Duration time);

  const RoundTools& tools_;
  api::ObjectPtr object_;  // the last written version
  JobFacts job_;           // its status is updated by the round
  json::Document document_;
  std::vector<api::ObjectPtr> pods_;
  std::vector<const JobPod*> facts_;
  Tally tally_;
  PodBackoff backoff_;
  std::optional<End> end_;
  const char* suspension_ = nullptr;  // reason of the event if the condition changed
  Duration again_{0};
};

}  // namespace proa::controllers::jobs
