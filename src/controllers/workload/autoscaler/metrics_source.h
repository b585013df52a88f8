#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "api/selector/label_selector.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::controllers {

// What was measured of one pod.
struct PodMetric {
  Time measured;    // the end of the window
  Duration window;  // the time that it is the average of
  int64_t value;    // in thousandths
};
using PodMetrics = std::map<std::string, PodMetric, std::less<>>;  // by the names of pods

// Where measurements come from. Values are in thousandths. Failures say, in upstream's words, which
// API did not answer and why. Blocking; from any thread.
class MetricsSource {
 public:
  virtual ~MetricsSource() = default;

  // How much of a resource pods use; of that container only, or, where it is empty, of all. Pods
  // without a measurement are left out.
  virtual Result<PodMetrics> resource(std::string_view resource, std::string_view name_space,
                                      const api::LabelSelector& pods,
                                      std::string_view container) = 0;
  // A metric of pods that somebody else knows of.
  virtual Result<PodMetrics> pods(std::string_view metric, std::string_view name_space,
                                  const api::LabelSelector& pods,
                                  const api::LabelSelector& selector) = 0;
  // A metric of the object that is referred to (kind, name, apiVersion).
  virtual Result<int64_t> object(std::string_view metric, std::string_view name_space,
                                 api::View reference, const api::LabelSelector& selector) = 0;
  // All values of a metric that has nothing to do with objects of the cluster.
  virtual Result<std::vector<int64_t>> external(std::string_view metric,
                                                std::string_view name_space,
                                                const api::LabelSelector& selector) = 0;
};

// For a cluster without any of the metrics APIs: fails as upstream does there.
std::unique_ptr<MetricsSource> make_absent_metrics();

}  // namespace proa::controllers
