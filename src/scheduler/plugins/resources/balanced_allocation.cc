#include "scheduler/plugins/resources/balanced_allocation.h"

#include "scheduler/plugins/resources/balanced_scorer.h"
#include "scheduler/plugins/resources/resource_args.h"

namespace proa::scheduler {

namespace balanced_allocation {

class BalancedAllocation final : public ScorePlugin {
 public:
  explicit BalancedAllocation(std::vector<ResourceWeight> resources)
      : resources_(std::move(resources)) {}

  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    return make_balanced_scorer(resources_, pod.shape->requests.exact);
  }

 private:
  const std::vector<ResourceWeight> resources_;
};

}  // namespace balanced_allocation

Result<std::unique_ptr<Plugin>> make_balanced_allocation(const PluginContext&, api::View args) {
  std::vector<ResourceWeight> resources = TRY(read_balanced_args(args));
  return std::make_unique<balanced_allocation::BalancedAllocation>(std::move(resources));
}

}  // namespace proa::scheduler
