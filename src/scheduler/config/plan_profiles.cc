#include "scheduler/config/plan_profiles.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "api/validation/go_text.h"
#include "scheduler/framework/plugin.h"

namespace proa::scheduler {
namespace profile_plan {

using api::quoted;

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

Status unknown_plugin(const PointName& point, std::string_view name) {
  return invalid(std::string(point.interface) + " " + quoted(name) + " does not exist");
}

Status named_twice(const PointName& point, std::string_view name) {
  return invalid("plugin " + quoted(name) + " already registered as " + quoted(point.interface));
}

// One profile on its way to a plan.
class Planner {
 public:
  Planner(const PluginSets& sets, std::span<const PluginPoints> known) : sets_(sets) {
    for (const PluginPoints& one : known) known_.emplace(one.name, &one);
  }

  Result<void> plan(ProfilePlan& plan) {
    for (const PointName& point : kPoints) {
      plan.at[point.point] = TRY(chosen_at(point));
    }
    if (sets_.multi_point.enabled.empty()) return {};
    for (const PointName& point : kPoints) {
      TRY(spread_to(point, plan.at[point.point]));
    }
    return {};
  }

  // Sets the weights of the plugins at that point. Those of the point override those of multiPoint.
  Result<void> weigh(Point point, std::vector<PlannedPlugin>& plugins) const {
    std::map<std::string_view, int64_t> weights;
    int64_t total = 0;
    for (const PluginSet* set : {&sets_.at[point], &sets_.multi_point}) {
      for (const PluginChoice& one : set->enabled) {
        const PluginPoints* plugin = find(one.name);
        if (plugin == nullptr || !plugin->at[point]) continue;
        const int64_t weight = one.weight == 0 ? 1 : one.weight;
        if (!weights.emplace(one.name, weight).second) continue;
        // Upstream's sum has overflowed if it is negative.
        if (total < 0 || weight * kMaxScore > std::numeric_limits<int64_t>::max() - total) {
          return invalid("total score of Score plugins could overflow");
        }
        total += weight * kMaxScore;
      }
    }
    for (PlannedPlugin& one : plugins) one.weight = weights[one.name];
    return {};
  }

 private:
  const PluginPoints* find(std::string_view name) const {
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }

  // The plugins that the point itself enables.
  Result<std::vector<PlannedPlugin>> chosen_at(const PointName& point) const {
    std::vector<PlannedPlugin> plugins;
    std::set<std::string_view> seen;
    for (const PluginChoice& one : sets_.at[point.point].enabled) {
      const PluginPoints* plugin = find(one.name);
      if (plugin == nullptr) return unknown_plugin(point, one.name);
      if (!plugin->at[point.point]) {
        return invalid("plugin " + quoted(one.name) + " does not extend " +
                       std::string(point.interface) + " plugin");
      }
      if (!seen.insert(one.name).second) return named_twice(point, one.name);
      plugins.push_back({.name = one.name});
    }
    return plugins;
  }

  // Adds the plugins of multiPoint. The order is: plugins in both, in the order of the point; those
  // of multiPoint only; the rest.
  Result<void> spread_to(const PointName& point, std::vector<PlannedPlugin>& plugins) const {
    const PluginSet& here = sets_.at[point.point];
    const std::set<std::string_view> disabled(here.disabled.begin(), here.disabled.end());
    if (disabled.contains("*")) return {};
    std::set<std::string_view> enabled_here;
    for (const PlannedPlugin& one : plugins) enabled_here.insert(one.name);

    std::set<std::string_view> of_both;
    std::set<std::string_view> seen;
    std::vector<PlannedPlugin> from_all;
    for (const PluginChoice& one : sets_.multi_point.enabled) {
      const PluginPoints* plugin = find(one.name);
      if (plugin == nullptr) return unknown_plugin(point, one.name);
      if (!plugin->at[point.point] || disabled.contains(one.name)) continue;
      if (enabled_here.contains(one.name)) {
        of_both.insert(one.name);
      } else if (!seen.insert(one.name).second) {
        return named_twice(point, one.name);
      } else {
        from_all.push_back({.name = one.name});
      }
    }
    const auto rest =
        std::stable_partition(plugins.begin(), plugins.end(),
                              [&](const PlannedPlugin& one) { return of_both.contains(one.name); });
    plugins.insert(rest, from_all.begin(), from_all.end());
    return {};
  }

  const PluginSets& sets_;
  std::map<std::string_view, const PluginPoints*> known_;
};

Result<ProfilePlan> plan_one(const ProfileConfig& profile, std::span<const PluginPoints> known) {
  ProfilePlan plan{.scheduler_name = profile.scheduler_name};
  Planner planner(profile.plugins, known);
  TRY(planner.plan(plan));
  const std::string whose = " for profile with scheduler name " + quoted(profile.scheduler_name);
  if (const size_t count = plan.at[Point::kQueueSort].size(); count != 1) {
    return invalid("only one queue sort plugin required" + whose + ", but got " +
                   std::to_string(count));
  }
  if (plan.at[Point::kBind].empty()) {
    return invalid("at least one bind plugin is needed" + whose);
  }
  const auto weigh = [&](Point point, std::string_view what) -> Result<void> {
    const Result<void> weighed = planner.weigh(point, plan.at[point]);
    if (!weighed) return weighed.status().in(what);
    return {};
  };
  TRY(weigh(Point::kScore, "score plugins"));
  TRY(weigh(Point::kPlacementScore, "placement score plugins"));
  return plan;
}

// The queue is shared by all profiles.
Result<void> check_queue(const ProfilePlan& plan, const ProfileConfig& profile,
                         const ProfilePlan& first, const ProfileConfig& first_profile) {
  const std::string& sort = plan.at[Point::kQueueSort][0].name;
  const std::string& first_sort = first.at[Point::kQueueSort][0].name;
  const std::string whose = " for profile " + quoted(plan.scheduler_name);
  if (sort != first_sort) {
    return invalid("different queue sort plugins" + whose + ": " + quoted(sort) +
                   ", first: " + quoted(first_sort));
  }
  if (!(profile.args_of(sort) == first_profile.args_of(sort))) {
    return invalid("different queue sort plugin args" + whose);
  }
  return {};
}

}  // namespace profile_plan

std::vector<std::string> needed_plugins(const ProfileConfig& profile) {
  std::vector<std::string> needed;
  const auto add = [&](const PluginSet& set) {
    for (const PluginChoice& one : set.enabled) {
      if (std::find(needed.begin(), needed.end(), one.name) == needed.end()) {
        needed.push_back(one.name);
      }
    }
  };
  add(profile.plugins.multi_point);
  for (const PointName& point : kPoints) add(profile.plugins.at[point.point]);
  return needed;
}

Result<std::vector<ProfilePlan>> plan_profiles(const SchedulerConfig& config,
                                               std::span<const PluginPoints> known) {
  std::vector<ProfilePlan> plans;
  std::set<std::string_view> names;
  for (const ProfileConfig& profile : config.profiles) {
    Result<ProfilePlan> plan = profile_plan::plan_one(profile, known);
    if (!plan) {
      return plan.status().in("creating profile for scheduler name " + profile.scheduler_name);
    }
    if (profile.scheduler_name.empty()) return profile_plan::invalid("scheduler name is needed");
    if (!names.insert(profile.scheduler_name).second) {
      return profile_plan::invalid("duplicate profile with scheduler name " +
                                   api::quoted(profile.scheduler_name));
    }
    if (!plans.empty()) {
      TRY(profile_plan::check_queue(*plan, profile, plans[0], config.profiles[0]));
    }
    plan->percentage_of_nodes_to_score =
        profile.percentage_of_nodes_to_score.value_or(config.percentage_of_nodes_to_score);
    plans.push_back(std::move(*plan));
  }
  if (plans.empty()) return profile_plan::invalid("at least one profile is required");
  return plans;
}

}  // namespace proa::scheduler
