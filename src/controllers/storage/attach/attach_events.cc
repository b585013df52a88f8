#include "controllers/storage/attach/attach_events.h"

#include "base/strings.h"

namespace proa::controllers::storage {
namespace attach_events {

constexpr const char* kWaits = "waits";
constexpr const char* kAttached = "attached";
constexpr const char* kBlocked = "blocked";
constexpr const char* kFailed = "FailedAttachVolume";

// Upstream's format; it keeps the blank if the rest is empty.
std::string text_of(std::string_view what, const std::string& volume, const std::string& more) {
  return std::string(what) + " for volume \"" + volume + "\" " + more;
}

// Pod names of other namespaces are not disclosed.
std::string users_text(const api::Object& pod, const AttachEvents::Pods& users) {
  std::vector<std::string_view> names;
  for (const api::ObjectPtr& user : users) {
    if (user->metadata().name_space == pod.metadata().name_space) {
      names.push_back(user->metadata().name);
    }
  }
  const size_t others = users.size() - names.size();
  const std::string rest = std::to_string(others) + " pod(s) in different namespaces";
  if (names.empty()) return "Volume is already used by " + rest;
  const std::string text = "Volume is already used by pod(s) " + join(names, ", ");
  return others == 0 ? text : text + " and " + rest;
}

}  // namespace attach_events

bool AttachEvents::is_news(const About& about, const std::string& what) {
  MutexLock lock(mutex_);
  std::string& last = told_[about.volume][about.attachment];
  if (last == what) return false;
  last = what;
  return true;
}

void AttachEvents::warn(const Pods& pods, const std::string& message) {
  for (const api::ObjectPtr& pod : pods) {
    events_.warning(client::ObjectReference::to(*pod), attach_events::kFailed, message);
  }
}

void AttachEvents::waits(const About& about) { is_news(about, attach_events::kWaits); }

void AttachEvents::succeeded(const About& about, const Pods& pods) {
  {
    // Only if it was waited for, so that a restart does not repeat the event.
    MutexLock lock(mutex_);
    std::string& last = told_[about.volume][about.attachment];
    const bool waited = !last.empty() && last != attach_events::kAttached;
    last = attach_events::kAttached;
    if (!waited) return;
  }
  for (const api::ObjectPtr& pod : pods) {
    events_.normal(client::ObjectReference::to(*pod), "SuccessfulAttachVolume",
                   attach_events::text_of("AttachVolume.Attach succeeded", about.volume, ""));
  }
}

void AttachEvents::failed(const About& about, const std::string& why, const Pods& pods) {
  if (!is_news(about, why)) return;
  warn(pods, attach_events::text_of("AttachVolume.Attach failed", about.volume, ": " + why));
}

void AttachEvents::blocked(const About& about, const Pods& pods, const Pods& users) {
  if (!is_news(about, attach_events::kBlocked)) return;
  for (const api::ObjectPtr& pod : pods) {
    const std::string why =
        users.empty() ? "Volume is already exclusively attached to one node, waiting on detach "
                        "before it can be attached to another node"
                      : attach_events::users_text(*pod, users);
    warn({pod}, attach_events::text_of("Waiting for detach", about.volume, why));
  }
}

void AttachEvents::forget_others(const std::string& volume,
                                 const std::set<std::string>& attachments) {
  MutexLock lock(mutex_);
  const auto found = told_.find(volume);
  if (found == told_.end()) return;
  std::erase_if(found->second, [&](const auto& one) { return !attachments.contains(one.first); });
  if (found->second.empty()) told_.erase(found);
}

}  // namespace proa::controllers::storage
