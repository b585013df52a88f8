#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector/label_selector.h"
#include "base/result.h"
#include "base/time.h"
#include "controllers/workload/objects/autoscaler.h"

namespace proa::controllers {

// A measurement of one pod.
struct PodMetric {
  Time measured;    // end of the window
  Duration window;  // the value is the average over it
  int64_t value;    // in thousandths
};
using PodMetrics = std::map<std::string, PodMetric, std::less<>>;  // by pod name

// The metrics APIs. Values are in thousandths. Errors have upstream's texts: which API failed and
// why. Blocking; thread-safe.
class MetricsSource {
 public:
  virtual ~MetricsSource() = default;

  // Usage of a resource by pods, or by that container of each; all containers if empty. Pods
  // without a measurement are left out.
  virtual Result<PodMetrics> resource(std::string_view resource, std::string_view name_space,
                                      const api::LabelSelector& pods,
                                      std::string_view container) = 0;
  // A custom metric of pods.
  virtual Result<PodMetrics> pods(std::string_view metric, std::string_view name_space,
                                  const api::LabelSelector& pods,
                                  const api::LabelSelector& selector) = 0;
  // A custom metric of the referenced object.
  virtual Result<int64_t> object(std::string_view metric, std::string_view name_space,
                                 const objects::ObjectReference& reference,
                                 const api::LabelSelector& selector) = 0;
  // All values of a metric that belongs to no object of the cluster.
  virtual Result<std::vector<int64_t>> external(std::string_view metric,
                                                std::string_view name_space,
                                                const api::LabelSelector& selector) = 0;
};

// For a cluster without metrics APIs: fails as upstream does there.
std::unique_ptr<MetricsSource> make_absent_metrics();

}  // namespace proa::controllers
