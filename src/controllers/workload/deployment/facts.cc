#include "controllers/workload/deployment/facts.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "controllers/framework/conditions.h"
#include "controllers/framework/times.h"
#include "controllers/pods/share.h"

namespace proa::controllers::deployments {
namespace facts_reader {

using api::View;

// Upstream's way to say "none" where a number is expected.
constexpr int64_t kNone = std::numeric_limits<int32_t>::max();

std::optional<int64_t> limit_of(View value) {
  if (!value.exists() || value.integer() == kNone) return std::nullopt;
  return value.integer();
}

void read_strategy(View strategy, DeploymentFacts& facts) {
  facts.rolling = strategy["type"].text() != "Recreate";
  if (!facts.rolling) return;
  const View rolling = strategy["rollingUpdate"];
  facts.max_surge = Share::from(rolling["maxSurge"]).rounded_up(facts.replicas);
  const int64_t unavailable = Share::from(rolling["maxUnavailable"]).rounded_down(facts.replicas);
  // Of few pods, a share may round down to none; then one must be able to go.
  const bool stuck = facts.max_surge == 0 && unavailable == 0;
  facts.max_unavailable = std::min(stuck ? 1 : unavailable, facts.replicas);
}

// Nullopt when it is no number, or negative.
std::optional<int64_t> count_of(View text) {
  const std::optional<int64_t> number = parse_int(text.text());
  return number && *number >= 0 && *number <= kNone ? number : std::nullopt;
}

api::LabelSelector selector_of(View selector) {
  Result<api::LabelSelector> parsed = api::LabelSelector::from(selector);
  return parsed ? std::move(*parsed) : api::LabelSelector::nothing();
}

void read_set_status(View set, SetFacts& facts) {
  const View status = set["status"];
  const int64_t observed = status["observedGeneration"].integer();
  facts.observed = observed >= set["metadata"]["generation"].integer();
  facts.current = status["replicas"].integer();
  facts.ready = status["readyReplicas"].integer();
  facts.available = status["availableReplicas"].integer();
  const View terminating = status["terminatingReplicas"];
  if (terminating.exists() || observed == 0) facts.terminating = terminating.integer();
  const View failure = find_condition(status, "ReplicaFailure");
  if (!failure.exists()) return;
  facts.failure = SetFacts::Failure{.status = std::string(failure["status"].text()),
                                    .reason = std::string(failure["reason"].text()),
                                    .message = std::string(failure["message"].text()),
                                    .since = std::string(failure["lastTransitionTime"].text())};
}

SetFacts read_set(View set) {
  SetFacts facts;
  const View metadata = set["metadata"];
  const View annotations = metadata["annotations"];
  facts.name = metadata["name"].text();
  facts.created = creation_of(set);
  facts.being_deleted = metadata["deletionTimestamp"].exists();
  facts.replicas = set["spec"]["replicas"].integer(1);
  facts.min_ready_seconds = set["spec"]["minReadySeconds"].integer();
  facts.revision = parse_int(annotations[kRevision].text()).value_or(0);
  facts.desired_replicas = count_of(annotations[kDesiredReplicas]);
  facts.max_replicas = count_of(annotations[kMaxReplicas]);
  read_set_status(set, facts);
  return facts;
}

}  // namespace facts_reader

DeploymentFacts read_deployment(api::View deployment) {
  DeploymentFacts facts;
  const api::View spec = deployment["spec"];
  facts.selector = facts_reader::selector_of(spec["selector"]);
  facts.replicas = spec["replicas"].integer(1);
  facts_reader::read_strategy(spec["strategy"], facts);
  facts.min_ready_seconds = spec["minReadySeconds"].integer();
  facts.paused = spec["paused"].flag();
  if (const auto seconds = facts_reader::limit_of(spec["progressDeadlineSeconds"])) {
    facts.progress_deadline = std::chrono::seconds(*seconds);
  }
  if (const auto limit = facts_reader::limit_of(spec["revisionHistoryLimit"])) {
    facts.history_limit = static_cast<size_t>(*limit);
  }
  facts.rollback_to = parse_int(deployment["metadata"]["annotations"][kRollbackTo].text());
  facts.status_replicas = deployment["status"]["replicas"].integer();
  return facts;
}

const DeploymentFacts& deployment_facts(const api::Object& deployment) {
  return deployment.kept<DeploymentFacts>([&] {
    const Result<json::Document> document = deployment.document();
    return read_deployment(document ? api::View(document->root()) : api::View());
  });
}

const SetFacts& set_facts(const api::Object& set) {
  return set.kept<SetFacts>([&] {
    const Result<json::Document> document = set.document();
    return facts_reader::read_set(document ? api::View(document->root()) : api::View());
  });
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
