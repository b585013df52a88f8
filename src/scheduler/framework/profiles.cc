#include "scheduler/framework/profiles.h"

namespace proa::scheduler {

const Profile* Profiles::find(std::string_view scheduler_name) const {
  for (const std::unique_ptr<Profile>& profile : profiles_) {
    if (profile->scheduler_name == scheduler_name) return profile.get();
  }
  return nullptr;
}

const Plugin* Profiles::gate(const Pod& pod) const {
  const Profile* profile = find(pod.shape->scheduler_name);
  if (profile == nullptr) return nullptr;
  for (PreEnqueuePlugin* plugin : profile->pre_enqueue) {
    if (!plugin->pre_enqueue(pod).ok()) return plugin;
  }
  return nullptr;
}

}  // namespace proa::scheduler
