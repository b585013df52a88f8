#include "controllers/workload/deployment/facts.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "controllers/pods/share.h"
#include "controllers/workload/objects/deployment.h"

namespace proa::controllers::deployments {
namespace facts_reader {

// Upstream's value for "no limit".
constexpr int64_t kNone = std::numeric_limits<int32_t>::max();

std::optional<int64_t> limit_of(std::optional<int64_t> number) {
  return number == kNone ? std::nullopt : number;
}

void read_strategy(const objects::DeploymentStrategy& strategy, DeploymentFacts& facts) {
  facts.rolling = strategy.type != "Recreate";
  if (!facts.rolling) return;
  facts.max_surge = Share::from(strategy.rolling.max_surge).rounded_up(facts.replicas);
  const int64_t unavailable =
      Share::from(strategy.rolling.max_unavailable).rounded_down(facts.replicas);
  // Both may round down to zero; then one pod may be unavailable.
  const bool stuck = facts.max_surge == 0 && unavailable == 0;
  facts.max_unavailable = std::min(stuck ? 1 : unavailable, facts.replicas);
}

DeploymentFacts read(const api::Object& object) {
  Result<objects::Deployment> found = api::decode<objects::Deployment>(object);
  objects::Deployment deployment = found ? std::move(*found) : objects::Deployment();
  objects::DeploymentSpec& spec = deployment.spec;
  DeploymentFacts facts;
  facts.selector = std::move(spec.selector);
  facts.replicas = spec.replicas;
  read_strategy(spec.strategy, facts);
  facts.min_ready_seconds = spec.min_ready_seconds;
  facts.paused = spec.paused;
  if (const auto seconds = limit_of(spec.progress_deadline_seconds)) {
    facts.progress_deadline = std::chrono::seconds(*seconds);
  }
  if (const auto limit = limit_of(spec.history_limit)) {
    facts.history_limit = static_cast<size_t>(*limit);
  }
  facts.rollback_to = parse_int(deployment.metadata.annotations.rollback_to);
  facts.status_replicas = deployment.status.replicas;
  return facts;
}

// Nullopt if it is not a number or negative.
std::optional<int64_t> count_of(std::string_view text) {
  const std::optional<int64_t> number = parse_int(text);
  return number && *number >= 0 && *number <= kNone ? number : std::nullopt;
}

void read_set_status(const objects::OwnedSetStatus& status, int64_t generation, SetFacts& facts) {
  facts.observed = status.observed_generation >= generation;
  facts.current = status.replicas;
  facts.ready = status.ready;
  facts.available = status.available;
  if (status.terminating || status.observed_generation == 0) {
    facts.terminating = status.terminating.value_or(0);
  }
  const auto* failure = objects::find_condition(status.conditions, "ReplicaFailure");
  if (failure == nullptr) return;
  facts.failure = SetFacts::Failure{.status = std::string(failure->status),
                                    .reason = failure->reason,
                                    .message = failure->message,
                                    .since = std::string(failure->last_transition)};
}

SetFacts read_set(const api::Object& object) {
  Result<objects::OwnedSet> found = api::decode<objects::OwnedSet>(object);
  const objects::OwnedSet set = found ? std::move(*found) : objects::OwnedSet();
  const objects::OwnedSetAnnotations& annotations = set.metadata.annotations;
  SetFacts facts;
  facts.name = object.metadata().name;
  facts.created = set.metadata.created;
  facts.being_deleted = object.metadata().being_deleted;
  facts.replicas = set.spec.replicas;
  facts.min_ready_seconds = set.spec.min_ready_seconds;
  facts.revision = parse_int(annotations.revision).value_or(0);
  facts.desired_replicas = count_of(annotations.desired_replicas);
  facts.max_replicas = count_of(annotations.max_replicas);
  read_set_status(set.status, object.metadata().generation, facts);
  return facts;
}

}  // namespace facts_reader

const DeploymentFacts& deployment_facts(const api::Object& deployment) {
  return deployment.kept<DeploymentFacts>([&] { return facts_reader::read(deployment); });
}

const SetFacts& set_facts(const api::Object& set) {
  return set.kept<SetFacts>([&] { return facts_reader::read_set(set); });
}

int64_t Sets::total() const {
  int64_t total = 0;
  for (const OwnedSet& set : all) total += set.facts.replicas;
  return total;
}

int64_t Sets::available() const {
  int64_t available = 0;
  for (const OwnedSet& set : all) available += set.facts.available;
  return available;
}

void sort_by_age(std::vector<OwnedSet>& sets) {
  std::sort(sets.begin(), sets.end(), [](const OwnedSet& a, const OwnedSet& b) {
    return std::tie(a.facts.created, a.facts.name) < std::tie(b.facts.created, b.facts.name);
  });
}

}  // namespace proa::controllers::deployments
