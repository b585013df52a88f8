#include "testkit/scheduler/oracle/oracle_resources.h"

#include <algorithm>
#include <cmath>

#include "api/validation/names.h"
#include "base/check.h"

namespace proa::testkit::oracle {
namespace oracle_resources {

constexpr int64_t kDefaultMilliCpu = 100;
constexpr int64_t kDefaultMemory = 200 * 1024 * 1024;

Amounts read_amounts(View list) {
  Amounts amounts;
  for (const json::Member& member : list.members()) {
    const View value = member.value;
    const auto parsed = value.is(json::Kind::kInt)
                            ? Result<api::Quantity>(api::Quantity(value.integer()))
                            : api::Quantity::parse(value.text());
    CHECK(parsed.ok());
    amounts[std::string(member.key)] = *parsed;
  }
  return amounts;
}

void add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) to[name] += amount;
}

// The element-wise maximum.
void raise(Amounts& to, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, added] = to.try_emplace(name, amount);
    if (!added && amount > at->second) at->second = amount;
  }
}

bool resize_infeasible(const Pod& pod) {
  for (const View condition : pod.status["conditions"].items()) {
    if (condition["type"].text() == "PodResizePending")
      return condition["reason"].text() == "Infeasible";
  }
  return false;
}

// During a resize the node must have room for the maximum of desired, allocated and actuated
// amounts; an infeasible desired amount is ignored.
Amounts effective(const Pod& pod, View spec, View actuated, View allocated) {
  Amounts amounts = resize_infeasible(pod) ? Amounts() : read_amounts(spec);
  raise(amounts, read_amounts(actuated));
  raise(amounts, read_amounts(allocated));
  return amounts;
}

View container_status(const Pod& pod, std::string_view name) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const View status : pod.status[list].items()) {
      if (status["name"].text() == name) return status;
    }
  }
  return {};
}

Amounts container_requests(const Pod& pod, View container, bool status, const Amounts& missing) {
  const View spec = container["resources"]["requests"];
  Amounts wanted = read_amounts(spec);
  if (status) {
    const View reported = container_status(pod, container["name"].text());
    if (reported["resources"].exists())
      wanted =
          effective(pod, spec, reported["resources"]["requests"], reported["allocatedResources"]);
  }
  wanted.insert(missing.begin(), missing.end());
  return wanted;
}

Amounts container_sum(const Pod& pod, const RequestOptions& options) {
  Amounts total;
  for (const View container : pod.spec["containers"].items())
    add(total, container_requests(pod, container, options.status, options.missing));
  Amounts sidecars;
  Amounts peak;  // while init containers run, one after the other
  for (const View container : pod.spec["initContainers"].items()) {
    const bool sidecar = container["restartPolicy"].text() == "Always";
    Amounts wanted = container_requests(pod, container, options.status && sidecar, options.missing);
    if (sidecar) {
      add(total, wanted);
      add(sidecars, wanted);
      raise(peak, sidecars);
    } else {
      add(wanted, sidecars);
      raise(peak, wanted);
    }
  }
  raise(total, peak);
  return total;
}

bool is_pod_level(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

bool has_pod_level_requests(const Pod& pod) {
  const auto requests = pod.spec["resources"]["requests"].members();
  return std::any_of(requests.begin(), requests.end(),
                     [](const json::Member& one) { return is_pod_level(one.key); });
}

void apply_pod_level(const Pod& pod, bool status, Amounts& total) {
  const View spec = pod.spec["resources"]["requests"];
  Amounts wanted = read_amounts(spec);
  Amounts counted = wanted;
  if (status && pod.status["resources"].exists())
    counted =
        effective(pod, spec, pod.status["resources"]["requests"], pod.status["allocatedResources"]);
  for (const auto& [name, amount] : wanted) {
    if (is_pod_level(name)) total[name] = counted[name];
  }
}

bool is_scalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  if (name.find('/') == std::string_view::npos || name.starts_with("requests.")) return false;
  return api::check_qualified_name("requests." + std::string(name)).empty();
}

struct Totals {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t storage = 0;
  int64_t pods = 0;
  std::map<std::string, int64_t> scalars = {};

  void add(const Amounts& amounts);
  int64_t scalar(const std::string& name) const {
    const auto at = scalars.find(name);
    return at == scalars.end() ? 0 : at->second;
  }
};

void Totals::add(const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    if (name == "cpu") {
      milli_cpu += amount.milli_value();
    } else if (name == "memory") {
      memory += amount.value();
    } else if (name == "ephemeral-storage") {
      storage += amount.value();
    } else if (name == "pods") {
      pods += amount.value();
    } else if (is_scalar(name)) {
      scalars[name] += amount.value();
    }
  }
}

Totals allocatable(const Node& node) {
  Totals totals;
  totals.add(read_amounts(node.status["allocatable"]));
  return totals;
}

Totals requested(const Node& node) {
  Totals totals;
  for (const Pod* pod : node.pods) totals.add(pod_requests(*pod, {.status = true}));
  return totals;
}

Amounts all_defaults() {
  return {{"cpu", api::Quantity::milli(kDefaultMilliCpu)},
          {"memory", api::Quantity(kDefaultMemory)}};
}

// A pod with pod-level requests has defaults only for resources that none of its containers
// request.
Amounts missing_of(const Pod& pod) {
  Amounts missing = all_defaults();
  if (!has_pod_level_requests(pod)) return missing;
  for (const auto& [name, amount] : pod_requests(pod, {.status = true})) missing.erase(name);
  return missing;
}

Totals requested_or_default(const Node& node) {
  Totals totals;
  for (const Pod* pod : node.pods)
    totals.add(pod_requests(*pod, {.status = true, .missing = missing_of(*pod)}));
  return totals;
}

std::optional<Rejection> check_fit(const Totals& wanted, const Node& node) {
  const Totals there = allocatable(node);
  const Totals used = requested(node);
  Rejection rejection{.preemption_may_help = true};
  const auto check = [&](const std::string& name, int64_t want, int64_t has, int64_t taken) {
    if (want <= 0 || want <= has - taken) return;
    rejection.reasons.push_back("Insufficient " + name);
    if (want > has) rejection.preemption_may_help = false;
  };
  if (static_cast<int64_t>(node.pods.size()) + 1 > there.pods)
    rejection.reasons.emplace_back("Too many pods");
  check("cpu", wanted.milli_cpu, there.milli_cpu, used.milli_cpu);
  check("memory", wanted.memory, there.memory, used.memory);
  check("ephemeral-storage", wanted.storage, there.storage, used.storage);
  for (const auto& [name, amount] : wanted.scalars)
    check(name, amount, there.scalar(name), used.scalar(name));
  if (rejection.reasons.empty()) return std::nullopt;
  return rejection;
}

// The free fraction of 100, rounded down. REQUIRES: has > 0.
int64_t left(int64_t has, int64_t taken) {
  return taken > has ? 0 : (has - taken) * kMaxScore / has;
}

// The balance of CPU and memory usage, of 100. With two resources the standard deviation is half of
// their difference; with one it is zero.
int64_t balance(const Totals& there, int64_t milli_cpu, int64_t memory) {
  double deviation = 0;
  if (there.milli_cpu != 0 && there.memory != 0) {
    const double cpu = static_cast<double>(milli_cpu) / static_cast<double>(there.milli_cpu);
    const double mem = static_cast<double>(memory) / static_cast<double>(there.memory);
    deviation = std::fabs((std::min(cpu, 1.0) - std::min(mem, 1.0)) / 2);
  }
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
}

}  // namespace oracle_resources

Amounts pod_requests(const Pod& pod, const RequestOptions& options) {
  Amounts total = oracle_resources::container_sum(pod, options);
  if (options.pod_level && oracle_resources::has_pod_level_requests(pod))
    oracle_resources::apply_pod_level(pod, options.status, total);
  oracle_resources::add(total, oracle_resources::read_amounts(pod.spec["overhead"]));
  return total;
}

Prepared prepare_fit(const Question& question) {
  oracle_resources::Totals wanted;
  wanted.add(pod_requests(question.pod, {}));
  return {
      .filter = [wanted](const Node& node) { return oracle_resources::check_fit(wanted, node); }};
}

Scores score_least_allocated(const Question& question, const Nodes& nodes) {
  // Upstream's scorer is made without the gates, so the pod's own resources and its status count
  // for nothing here (nodeResourceStrategyTypeMap), while those of running pods do.
  oracle_resources::Totals wanted;
  wanted.add(pod_requests(question.pod,
                          {.pod_level = false, .missing = oracle_resources::all_defaults()}));
  Scores scores;
  for (const Node* node : nodes) {
    const auto there = oracle_resources::allocatable(*node);
    const auto used = oracle_resources::requested_or_default(*node);
    int64_t sum = 0;
    int64_t weights = 0;
    const auto count = [&](int64_t has, int64_t taken) {
      if (has == 0) return;
      sum += oracle_resources::left(has, taken);
      ++weights;
    };
    count(there.milli_cpu, used.milli_cpu + wanted.milli_cpu);
    count(there.memory, used.memory + wanted.memory);
    scores.points.push_back(weights == 0 ? 0 : sum / weights);
  }
  return scores;
}

Scores score_balanced_allocation(const Question& question, const Nodes& nodes) {
  oracle_resources::Totals wanted;
  wanted.add(pod_requests(question.pod, {.status = true}));
  Scores scores;
  scores.skipped = wanted.milli_cpu == 0 && wanted.memory == 0;
  for (const Node* node : nodes) {
    const auto there = oracle_resources::allocatable(*node);
    const auto used = oracle_resources::requested(*node);
    const int64_t before = oracle_resources::balance(there, used.milli_cpu, used.memory);
    const int64_t after = oracle_resources::balance(there, used.milli_cpu + wanted.milli_cpu,
                                                    used.memory + wanted.memory);
    scores.points.push_back(kMaxScore / 2 + (kMaxScore / 2 + after - before) / 2);
  }
  return scores;
}

}  // namespace proa::testkit::oracle
