#include "controllers/pods/pod_facts.h"

#include <cmath>

#include "base/strings.h"
#include "controllers/pods/pod.h"

namespace proa::controllers {
namespace pod_facts_reader {

PodPhase phase_of(std::string_view text) {
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  if (text == "Failed") return PodPhase::kFailed;
  if (text == "Unknown") return PodPhase::kUnknown;
  return PodPhase::kPending;
}

void read_conditions(const objects::PodStatus& status, PodFacts& facts) {
  for (const objects::PodConditionState& condition : status.conditions) {
    if (condition.type != "Ready") continue;
    facts.ready = condition.status == "True";
    const Result<Time> since = parse_time(condition.last_transition);
    facts.ready_since = since ? std::optional(*since) : std::nullopt;
  }
}

int64_t most_restarts(const objects::PodStatus& status) {
  int64_t most = 0;
  for (const auto* list : {&status.init_containers, &status.containers}) {
    for (const objects::PodContainerStatus& one : *list) most = std::max(most, one.restarts);
  }
  return most;
}

PodFacts read(const api::Object& object) {
  PodFacts facts;
  Result<objects::Pod> pod = api::decode<objects::Pod>(object);
  if (!pod) return facts;
  facts.phase = phase_of(pod->status.phase);
  facts.being_deleted = object.metadata().being_deleted;
  facts.node = std::move(pod->spec.node);
  facts.created = pod->metadata.created;
  facts.restarts = most_restarts(pod->status);
  facts.address = std::move(pod->status.address);
  facts.deletion_cost = parse_int(pod->metadata.annotations.deletion_cost).value_or(0);
  read_conditions(pod->status, facts);
  return facts;
}

// Ages are compared by order of magnitude, as upstream's LogarithmicScaleDown does, so that not
// always the newest pod is deleted.
int64_t magnitude(std::optional<Time> since, Time now) {
  if (!since) return 0;
  const double seconds = std::chrono::duration<double>(now - *since).count();
  return seconds < 1 ? 0 : static_cast<int64_t>(std::log2(seconds));
}

}  // namespace pod_facts_reader

bool PodFacts::available(int64_t min_ready_seconds, Time now) const {
  if (!ready) return false;
  if (min_ready_seconds == 0) return true;
  return ready_since && *ready_since + std::chrono::seconds(min_ready_seconds) <= now;
}

std::optional<Duration> PodFacts::available_in(int64_t min_ready_seconds, Time now) const {
  if (!ready || !ready_since || available(min_ready_seconds, now)) return std::nullopt;
  return *ready_since + std::chrono::seconds(min_ready_seconds) - now;
}

Duration next_available(std::span<const api::ObjectPtr> pods, int64_t min_ready_seconds, Time now) {
  Duration next{0};
  for (const api::ObjectPtr& pod : pods) {
    const std::optional<Duration> wait = pod_facts(*pod).available_in(min_ready_seconds, now);
    if (wait && (next == Duration::zero() || *wait < next)) next = *wait;
  }
  return next;
}

const PodFacts& pod_facts(const api::Object& pod) {
  return pod.kept<PodFacts>([&] { return pod_facts_reader::read(pod); });
}

api::PodKey pod_key(const api::Object& pod) {
  return {std::string(pod.metadata().name_space), std::string(pod.metadata().name)};
}

bool goes_before(const PodFacts& a, size_t rank_a, const PodFacts& b, size_t rank_b, Time now) {
  using pod_facts_reader::magnitude;
  if (a.node.empty() != b.node.empty()) return a.node.empty();
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.ready != b.ready) return !a.ready;
  if (a.deletion_cost != b.deletion_cost) return a.deletion_cost < b.deletion_cost;
  if (rank_a != rank_b) return rank_a > rank_b;
  if (a.ready && b.ready) {
    const int64_t age_a = magnitude(a.ready_since, now);
    const int64_t age_b = magnitude(b.ready_since, now);
    if (age_a != age_b) return age_a < age_b;
  }
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  return magnitude(a.created, now) < magnitude(b.created, now);
}

}  // namespace proa::controllers
