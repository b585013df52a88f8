#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "controllers/workload/autoscaler/metrics_source.h"
#include "kinds/core/quota/usage/amounts.h"

namespace proa::controllers {

// What the autoscaler reads of a pod, once per version of it.
struct PodSample {
  struct Container {
    std::string name;
    kinds::quota::Amounts requests;
  };
  struct Readiness {
    bool is_true = false;
    bool is_false = false;  // neither: unknown
    Time since{};
  };

  std::string name = {};
  std::string phase = {};
  bool being_deleted = false;
  std::optional<Time> started = std::nullopt;
  std::optional<Readiness> readiness = std::nullopt;
  std::vector<Container> containers = {};  // with sidecars, without other init containers
  // Pod-level requests (spec.resources), if any.
  std::optional<kinds::quota::Amounts> pod_requests = std::nullopt;

  bool is_ready() const { return phase == "Running" && readiness && readiness->is_true; }
};

const PodSample& pod_sample(const api::Object& pod);

// The request of a pod for a resource, in thousandths; of that container only, unless empty.
Result<int64_t> request_of(const PodSample& pod, std::string_view resource,
                           std::string_view container);

// Pods by how they count for a metric; by name.
struct PodGroups {
  int64_t ready = 0;                 // measured, and counted
  std::vector<std::string> unready;  // pending, or not ready yet
  std::vector<std::string> missing;  // without a measurement
  std::vector<std::string> ignored;  // failed or being deleted
};

// `is_cpu`: pods that are still starting count as unready, since their CPU usage is not typical.
PodGroups group_pods(const std::vector<const PodSample*>& pods, const PodMetrics& metrics,
                     bool is_cpu, Time now);

}  // namespace proa::controllers
