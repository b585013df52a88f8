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

// On a pod until its job has counted it: no pod is gone before that.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kFailuresKey = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredFailuresKey =
    "batch.kubernetes.io/job-index-ignored-failure-count";

// What a job asks of one of its pods, read once for each state of the pod.
struct JobPod {
  // A container that ended with something else than zero.
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
  bool tracked = false;  // has the finalizer: it is not counted yet
  std::optional<int64_t> index = std::nullopt;
  // Of the pods before it that had its index; those that a policy ignored stand apart.
  int64_t failures = 0;
  int64_t ignored_failures = 0;
  int64_t restarts = 0;  // of all its containers together
  // Of pods that ended or are on their way out only: others change too often.
  Time finished_at{};
  std::vector<Exit> exits = {};
  std::vector<std::pair<std::string, std::string>> conditions = {};  // type, status

  bool succeeded() const { return phase == PodPhase::kSucceeded; }
  bool ended() const { return succeeded() || phase == PodPhase::kFailed; }
  bool active() const { return !ended() && !being_deleted; }
  bool terminating() const { return !ended() && being_deleted; }
  // `must_end`: one that is merely on its way out has not failed yet.
  bool failed(bool must_end) const {
    return phase == PodPhase::kFailed || (!must_end && terminating());
  }
  bool operator==(const JobPod&) const = default;
};

const JobPod& job_pod(const api::Object& pod);

// Pods of one job. Results of what is worked out of them are positions in this list.
using Pods = std::span<const JobPod* const>;

}  // namespace proa::controllers::jobs
