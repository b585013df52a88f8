#pragma once

#include <optional>
#include <string>

#include "controllers/workload/autoscaler/metrics_source.h"

namespace proa::controllers {

// The measurements of a test; unset ones fail. `asked` records the last request.
struct FakeMeasurements {
  std::optional<PodMetrics> pods = std::nullopt;  // resources and other metrics of pods
  std::optional<int64_t> object = std::nullopt;
  std::optional<std::vector<int64_t>> external = std::nullopt;
  std::string asked = {};
};

class FakeMetrics final : public MetricsSource {
 public:
  explicit FakeMetrics(FakeMeasurements& measured) : measured_(measured) {}

  Result<PodMetrics> resource(std::string_view resource, std::string_view name_space,
                              const api::LabelSelector& pods, std::string_view container) override {
    note("resource", resource, name_space, pods.str() + " " + std::string(container));
    return answer(measured_.pods);
  }
  Result<PodMetrics> pods(std::string_view metric, std::string_view name_space,
                          const api::LabelSelector& pods,
                          const api::LabelSelector& selector) override {
    note("pods", metric, name_space, pods.str() + " " + selector.str());
    return answer(measured_.pods);
  }
  Result<int64_t> object(std::string_view metric, std::string_view name_space,
                         const objects::ObjectReference& reference,
                         const api::LabelSelector& selector) override {
    note("object", metric, name_space, reference.name + " " + selector.str());
    return answer(measured_.object);
  }
  Result<std::vector<int64_t>> external(std::string_view metric, std::string_view name_space,
                                        const api::LabelSelector& selector) override {
    note("external", metric, name_space, selector.str());
    return answer(measured_.external);
  }

 private:
  void note(std::string_view kind, std::string_view what, std::string_view name_space,
            const std::string& rest) {
    measured_.asked =
        std::string(kind) + " " + std::string(what) + " " + std::string(name_space) + " " + rest;
  }
  template <typename T>
  static Result<T> answer(const std::optional<T>& measured) {
    if (measured) return *measured;
    return Status(Reason::kNotFound, "nothing measured");
  }

  FakeMeasurements& measured_;
};

}  // namespace proa::controllers
