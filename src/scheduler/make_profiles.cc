#include "scheduler/make_profiles.h"

#include "scheduler/config/plan_profiles.h"

namespace proa::scheduler {
namespace profile_making {

Result<std::unique_ptr<Plugin>> make_plugin(std::string_view name,
                                            std::span<const PluginEntry> table,
                                            const PluginContext& context, api::View args) {
  for (const PluginEntry& entry : table) {
    if (entry.name == name) return entry.make(context, args);
  }
  return Status(Reason::kInvalid, "plugin \"" + std::string(name) + "\" does not exist");
}

PluginPoints points_of(Plugin& plugin) {
  PluginPoints points{.name = std::string(plugin.name())};
  points.at[Point::kPreEnqueue] = dynamic_cast<PreEnqueuePlugin*>(&plugin) != nullptr;
  points.at[Point::kQueueSort] = dynamic_cast<QueueSortPlugin*>(&plugin) != nullptr;
  points.at[Point::kPreFilter] = dynamic_cast<FilterPlugin*>(&plugin) != nullptr;
  points.at[Point::kFilter] = points.at[Point::kPreFilter];
  points.at[Point::kPostFilter] = dynamic_cast<PostFilterPlugin*>(&plugin) != nullptr;
  points.at[Point::kPreScore] = dynamic_cast<ScorePlugin*>(&plugin) != nullptr;
  points.at[Point::kScore] = points.at[Point::kPreScore];
  points.at[Point::kReserve] = dynamic_cast<ReservePlugin*>(&plugin) != nullptr;
  points.at[Point::kPermit] = dynamic_cast<PermitPlugin*>(&plugin) != nullptr;
  points.at[Point::kPreBind] = dynamic_cast<PreBindPlugin*>(&plugin) != nullptr;
  points.at[Point::kBind] = dynamic_cast<BindPlugin*>(&plugin) != nullptr;
  points.at[Point::kPostBind] = dynamic_cast<PostBindPlugin*>(&plugin) != nullptr;
  return points;
}

Plugin* find(const Profile& profile, std::string_view name) {
  for (const std::unique_ptr<Plugin>& plugin : profile.plugins) {
    if (plugin->name() == name) return plugin.get();
  }
  return nullptr;
}

template <typename T>
std::vector<T*> at(const Profile& profile, const ProfilePlan& plan, Point point) {
  std::vector<T*> plugins;
  for (const PlannedPlugin& one : plan.at[point]) {
    if (T* plugin = dynamic_cast<T*>(find(profile, one.name))) plugins.push_back(plugin);
  }
  return plugins;
}

void carry_out(const ProfilePlan& plan, Profile& profile) {
  profile.pre_enqueue = at<PreEnqueuePlugin>(profile, plan, Point::kPreEnqueue);
  const auto sorts = at<QueueSortPlugin>(profile, plan, Point::kQueueSort);
  profile.queue_sort = sorts.empty() ? nullptr : sorts.front();
  profile.filter = at<FilterPlugin>(profile, plan, Point::kFilter);
  profile.post_filter = at<PostFilterPlugin>(profile, plan, Point::kPostFilter);
  for (const PlannedPlugin& one : plan.at[Point::kScore]) {
    if (auto* plugin = dynamic_cast<ScorePlugin*>(find(profile, one.name))) {
      profile.score.push_back({.plugin = plugin, .weight = one.weight});
    }
  }
  profile.reserve = at<ReservePlugin>(profile, plan, Point::kReserve);
  profile.permit = at<PermitPlugin>(profile, plan, Point::kPermit);
  profile.pre_bind = at<PreBindPlugin>(profile, plan, Point::kPreBind);
  profile.bind = at<BindPlugin>(profile, plan, Point::kBind);
  profile.post_bind = at<PostBindPlugin>(profile, plan, Point::kPostBind);
}

}  // namespace profile_making

Result<std::vector<std::unique_ptr<Profile>>> make_profiles(const SchedulerConfig& config,
                                                            std::span<const PluginEntry> table,
                                                            const PluginContext& context) {
  using namespace profile_making;
  std::vector<std::unique_ptr<Profile>> profiles;
  std::vector<PluginPoints> known;
  for (const ProfileConfig& one : config.profiles) {
    auto profile = std::make_unique<Profile>();
    profile->scheduler_name = one.scheduler_name;
    for (const std::string& name : needed_plugins(one)) {
      std::unique_ptr<Plugin> plugin = TRY(make_plugin(name, table, context, one.args_of(name)));
      known.push_back(points_of(*plugin));
      profile->plugins.push_back(std::move(plugin));
    }
    profiles.push_back(std::move(profile));
  }
  const std::vector<ProfilePlan> plans = TRY(plan_profiles(config, known));
  for (size_t i = 0; i < plans.size(); ++i) carry_out(plans[i], *profiles[i]);
  return profiles;
}

}  // namespace proa::scheduler
