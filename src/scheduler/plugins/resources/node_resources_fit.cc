#include "scheduler/plugins/resources/node_resources_fit.h"

#include "scheduler/plugins/resources/fit_filter.h"
#include "scheduler/plugins/resources/resource_args.h"
#include "scheduler/plugins/resources/room_hints.h"
#include "scheduler/plugins/resources/scoring.h"

namespace proa::scheduler {

namespace node_resources_fit {

class NodeResourcesFit final : public FilterPlugin, public ScorePlugin {
 public:
  explicit NodeResourcesFit(FitArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return "NodeResourcesFit"; }

  PreFiltered pre_filter(const Pod& pod) override {
    return {.filter = make_fit_filter(args_, pod.shape->requests.exact, book_)};
  }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    return make_fit_scorer(args_, pod.shape->requests.scored_newcomer);
  }

  std::vector<EventInterest> events() const override { return room_events(); }

  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    return may_make_room(pod, event);
  }

 private:
  const FitArgs args_;
  ReasonBook book_;
};

}  // namespace node_resources_fit

Result<std::unique_ptr<Plugin>> make_node_resources_fit(const PluginContext&, api::View args) {
  FitArgs read = TRY(read_fit_args(args));
  return std::make_unique<node_resources_fit::NodeResourcesFit>(std::move(read));
}

}  // namespace proa::scheduler
