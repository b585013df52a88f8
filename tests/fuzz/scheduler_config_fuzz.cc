// An accepted configuration results in a plan or in an error with a reason; plans only use
// extension points that plugins implement.

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/check.h"
#include "scheduler/config/plan_profiles.h"
#include "scheduler/config/read_config.h"

namespace {

using namespace proa::scheduler;

// The default plugins, with extension points inferred from their names and weights.
std::vector<PluginPoints> known_plugins() {
  std::vector<PluginPoints> known;
  const SchedulerConfig defaults = default_config();
  for (const PluginChoice& one : defaults.profiles[0].plugins.multi_point.enabled) {
    PluginPoints points{.name = one.name};
    points.at[Point::kQueueSort] = one.name == "PrioritySort";
    points.at[Point::kBind] = one.name == "DefaultBinder";
    points.at[Point::kFilter] = one.name.starts_with("Node");
    points.at[Point::kScore] = one.weight > 0;
    known.push_back(std::move(points));
  }
  return known;
}

void check_plan(const ProfilePlan& plan, const std::vector<PluginPoints>& known) {
  CHECK(!plan.scheduler_name.empty());
  CHECK(plan.percentage_of_nodes_to_score >= 0 && plan.percentage_of_nodes_to_score <= 100);
  CHECK(plan.at[Point::kQueueSort].size() == 1);
  CHECK(!plan.at[Point::kBind].empty());
  for (const PointName& point : kPoints) {
    std::set<std::string_view> seen;
    for (const PlannedPlugin& plugin : plan.at[point.point]) {
      CHECK(seen.insert(plugin.name).second);
      const auto found = std::find_if(known.begin(), known.end(), [&](const PluginPoints& one) {
        return one.name == plugin.name;
      });
      CHECK(found != known.end() && found->at[point.point]);
      CHECK((plugin.weight != 0) == (point.point == Point::kScore));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<PluginPoints> kKnown = known_plugins();
  const auto config = read_config({reinterpret_cast<const char*>(data), size});
  if (!config) {
    CHECK(!config.status().message().empty());
    return 0;
  }
  CHECK(!config->profiles.empty());
  const auto plans = plan_profiles(*config, kKnown);
  if (!plans) {
    CHECK(!plans.status().message().empty());
    return 0;
  }
  CHECK(plans->size() == config->profiles.size());
  for (const ProfilePlan& plan : *plans) check_plan(plan, kKnown);
  return 0;
}
