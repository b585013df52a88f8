#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "controllers/workload/autoscaler/metrics_source.h"
#include "kinds/core/quota/usage/amounts.h"

namespace proa::controllers {

// What the autoscaler asks of a pod, read once for each state of it.
struct PodSample {
  struct Container {
    std::string name;
    kinds::quota::Amounts requests;
  };
  struct Readiness {
    bool is_true = false;
    bool is_false = false;  // it may be unknown
    Time since{};
  };

  std::string name = {};
  std::string phase = {};
  bool being_deleted = false;
  std::optional<Time> started = std::nullopt;
  std::optional<Readiness> readiness = std::nullopt;
  std::vector<Container> containers = {};  // all that run for as long as the pod does
  // What the pod asks for as a whole, where it says so itself.
  std::optional<kinds::quota::Amounts> as_a_whole = std::nullopt;

  bool serves() const { return phase == "Running" && readiness && readiness->is_true; }
};

const PodSample& pod_sample(const api::Object& pod);

// How much of a resource a pod asks for, in thousandths; of that container only, unless it is
// empty.
Result<int64_t> request_of(const PodSample& pod, std::string_view resource,
                           std::string_view container);

// How pods count that are to be scaled by a metric.
struct PodGroups {
  int64_t ready = 0;                 // those that have been measured, and count
  std::vector<std::string> unready;  // will do their part, but do not yet
  std::vector<std::string> missing;  // have not been measured
  std::vector<std::string> ignored;  // do nothing any more
};

// `is_cpu`: what pods use at their start says nothing about later.
PodGroups group_pods(const std::vector<const PodSample*>& pods, const PodMetrics& metrics,
                     bool is_cpu, Time now);

}  // namespace proa::controllers
