#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/selector/label_selector.h"
#include "base/time.h"

namespace proa::controllers::deployments {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
// What is left of extensions/v1beta1's spec.rollbackTo: upstream still obeys it.
inline constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";

// What a deployment asks for.
struct DeploymentFacts {
  api::LabelSelector selector = {};  // wants nothing when it is not valid
  int64_t replicas = 1;
  bool rolling = true;  // or Recreate
  // Pods beyond `replicas`, and pods that may be missing, while one template gives way to another;
  // zero for Recreate.
  int64_t max_surge = 0;
  int64_t max_unavailable = 0;
  int64_t min_ready_seconds = 0;
  bool paused = false;
  std::optional<Duration> progress_deadline = std::nullopt;
  std::optional<size_t> history_limit = std::nullopt;  // old ReplicaSets to keep; absent: all
  std::optional<int64_t> rollback_to = std::nullopt;   // a revision; zero: the one before
  int64_t status_replicas = 0;

  int64_t most_pods() const { return replicas + max_surge; }
  int64_t least_available() const { return replicas - max_unavailable; }
};
// Read once for each of its states.
const DeploymentFacts& deployment_facts(const api::Object& deployment);

// What one of its ReplicaSets asks for and says.
struct SetFacts {
  std::string name = {};
  Time created{};
  bool being_deleted = false;
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  bool observed = false;  // its status is about its spec as it is now
  int64_t current = 0;    // pods that there are
  int64_t ready = 0;
  int64_t available = 0;
  // Absent when it does not say so although its controller has looked at it.
  std::optional<int64_t> terminating = std::nullopt;
  int64_t revision = 0;
  std::optional<int64_t> desired_replicas = std::nullopt;  // of the deployment, when it was sized
  std::optional<int64_t> max_replicas = std::nullopt;
  // Its condition ReplicaFailure.
  struct Failure {
    std::string status;
    std::string reason;
    std::string message;
    std::string since;
  };
  std::optional<Failure> failure = std::nullopt;
};
const SetFacts& set_facts(const api::Object& set);

struct OwnedSet {
  api::ObjectPtr object = nullptr;
  SetFacts facts;
};

// The ReplicaSets of a deployment.
struct Sets {
  std::vector<OwnedSet> all = {};               // the oldest first
  std::optional<size_t> newest = std::nullopt;  // the one that has the deployment's template

  bool is_old(size_t index) const { return index != newest; }
  const SetFacts& at(size_t index) const { return all[index].facts; }
  int64_t total() const;  // pods that they ask for
  int64_t available() const;
};
// Puts the oldest first, those of one second by their names.
void sort_by_age(std::vector<OwnedSet>& sets);

}  // namespace proa::controllers::deployments
