#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"
#include "base/time.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers::jobs {

// Finalizer of pods that their job has not counted yet: keeps the pod until then.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kFailuresKey = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredFailuresKey =
    "batch.kubernetes.io/job-index-ignored-failure-count";

// What a job reads of a pod, once per version of it.
struct JobPod {
  // A container with a nonzero exit code.
  struct Exit {
    std::string container;
    int64_t code = 0;
    bool operator==(const Exit&) const = default;
  };

  std::string name = {};
  api::Uid uid = {};
  PodPhase phase = PodPhase::kPending;
  bool being_deleted = false;
  bool ready = false;
  bool tracked = false;  // has the finalizer: not counted yet
  std::optional<int64_t> index = std::nullopt;
  // Failures of earlier pods with this index; failures ignored by a policy are separate.
  int64_t failures = 0;
  int64_t ignored_failures = 0;
  int64_t restarts = 0;  // sum over all containers
  // Only read of finished and terminating pods: others change too often.
  Time finished_at{};
  std::vector<Exit> exits = {};
  std::vector<std::pair<std::string, std::string>> conditions = {};  // type, status

  bool succeeded() const { return phase == PodPhase::kSucceeded; }
  bool ended() const { return succeeded() || phase == PodPhase::kFailed; }
  bool active() const { return !ended() && !being_deleted; }
  bool terminating() const { return !ended() && being_deleted; }
  // `must_end`: a terminating pod has not failed until it has ended.
  bool failed(bool must_end) const {
    return phase == PodPhase::kFailed || (!must_end && terminating());
  }
  bool operator==(const JobPod&) const = default;
};

const JobPod& job_pod(const api::Object& pod);

// The pods of one job. Results refer to them by position.
using Pods = std::span<const JobPod* const>;

}  // namespace proa::controllers::jobs
