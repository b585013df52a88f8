#include "controllers/workload/autoscaler/metrics_source.h"

namespace proa::controllers {
namespace metrics_source {

Status not_found(std::string_view what) {
  return {Reason::kNotFound,
          "the server could not find the requested resource (get " + std::string(what) + ")"};
}

Status failed(std::string_view api, const Status& why) {
  return {why.reason(),
          "unable to fetch metrics from " + std::string(api) + " metrics API: " + why.message()};
}

class Absent final : public MetricsSource {
 public:
  Result<PodMetrics> resource(std::string_view, std::string_view, const api::LabelSelector&,
                              std::string_view) override {
    return failed("resource", not_found("pods.metrics.k8s.io"));
  }
  Result<PodMetrics> pods(std::string_view, std::string_view, const api::LabelSelector&,
                          const api::LabelSelector&) override {
    return no_custom();
  }
  Result<int64_t> object(std::string_view, std::string_view, const objects::ObjectReference&,
                         const api::LabelSelector&) override {
    return no_custom();
  }
  Result<std::vector<int64_t>> external(std::string_view metric, std::string_view,
                                        const api::LabelSelector&) override {
    return failed("external", not_found(std::string(metric) + ".external.metrics.k8s.io"));
  }

 private:
  static Status no_custom() {
    return failed("custom",
                  {Reason::kNotFound, "no custom metrics API (custom.metrics.k8s.io) registered"});
  }
};

}  // namespace metrics_source

std::unique_ptr<MetricsSource> make_absent_metrics() {
  return std::make_unique<metrics_source::Absent>();
}

}  // namespace proa::controllers
