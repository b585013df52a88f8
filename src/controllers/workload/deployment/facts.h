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
// The annotation that replaces spec.rollbackTo of extensions/v1beta1; upstream still supports it.
inline constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";

// The spec of a Deployment.
struct DeploymentFacts {
  api::LabelSelector selector = {};  // matches nothing if invalid
  int64_t replicas = 1;
  bool rolling = true;  // false: Recreate
  // Numbers of pods above and below `replicas` during a rollout; zero for Recreate.
  int64_t max_surge = 0;
  int64_t max_unavailable = 0;
  int64_t min_ready_seconds = 0;
  bool paused = false;
  std::optional<Duration> progress_deadline = std::nullopt;
  std::optional<size_t> history_limit = std::nullopt;  // old ReplicaSets to keep; nullopt: all
  std::optional<int64_t> rollback_to = std::nullopt;   // a revision; zero: the previous one
  int64_t status_replicas = 0;

  int64_t most_pods() const { return replicas + max_surge; }
  int64_t least_available() const { return replicas - max_unavailable; }
};
// Read once per version.
const DeploymentFacts& deployment_facts(const api::Object& deployment);

// Spec and status of a ReplicaSet of a Deployment.
struct SetFacts {
  std::string name = {};
  Time created{};
  bool being_deleted = false;
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
  bool observed = false;  // the status is of the current generation
  int64_t current = 0;    // status.replicas
  int64_t ready = 0;
  int64_t available = 0;
  // Nullopt if unknown although the status is current.
  std::optional<int64_t> terminating = std::nullopt;
  int64_t revision = 0;
  std::optional<int64_t> desired_replicas = std::nullopt;  // of the deployment at the last scaling
  std::optional<int64_t> max_replicas = std::nullopt;
  // The condition ReplicaFailure.
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
  std::vector<OwnedSet> all = {};               // oldest first
  std::optional<size_t> newest = std::nullopt;  // the one with the current template

  bool is_old(size_t index) const { return index != newest; }
  const SetFacts& at(size_t index) const { return all[index].facts; }
  int64_t total() const;  // sum of spec.replicas
  int64_t available() const;
};
// Oldest first, then by name.
void sort_by_age(std::vector<OwnedSet>& sets);

}  // namespace proa::controllers::deployments
