#include "controllers/framework/custom/custom_informers.h"

#include <algorithm>

namespace proa::controllers {
namespace custom_informers {

client::Selector all_of(const CustomVersion& version) {
  client::Selector selector;
  selector.place.resource = version.resource;
  return selector;
}

// Other changes of a definition concern nobody who reads objects.
bool still_serves(const custom::Definition& definition, const FollowedCustom& followed) {
  const auto served = definition.resources();
  return definition.object()->metadata().uid == followed.definition().object()->metadata().uid &&
         std::ranges::any_of(served, [&](const custom::CustomResource* resource) {
           return resource->version == followed.resource().version;
         });
}

}  // namespace custom_informers

FollowedCustom::FollowedCustom(CustomVersion version, client::Client& client, Clock& clock,
                               Random& random)
    : version_(std::move(version)),
      informer_(client, clock, random, custom_informers::all_of(version_)) {}

CustomInformers::CustomInformers(CustomResources& resources, client::Client& client, Clock& clock,
                                 Random& random)
    : resources_(resources), client_(client), clock_(clock), random_(random) {
  resources_.add_handler([this](const custom::DefinitionPtr&, const custom::DefinitionPtr&) {
    changes_.fetch_add(1, std::memory_order_acq_rel);
    wake_->call();
  });
}

void CustomInformers::start(const CustomVersion& version) {
  Running running{.followed = std::make_shared<FollowedCustom>(version, client_, clock_, random_),
                  .woken = std::make_shared<std::atomic<bool>>(true)};
  client::Informer& informer = running.followed->informer_;
  // Not the shared pointer, which would keep itself alive.
  FollowedCustom* const followed = running.followed.get();
  informer.add_handler([this, followed](const client::Change& change) {
    const auto found = running_.find(std::string(followed->definition().name()));
    if (found == running_.end() || found->second.followed.get() != followed) return;
    const FollowedCustomPtr held = found->second.followed;
    for (const Follower& follower : followers_) {
      if (follower.changed) follower.changed(held, change);
    }
  });
  informer.on_news([woken = running.woken, wake = wake_] {
    woken->store(true, std::memory_order_release);
    wake->call();
  });
  const FollowedCustomPtr held = running.followed;
  {
    MutexLock lock(mutex_);
    running_.insert_or_assign(std::string(version.definition->name()), std::move(running));
  }
  for (const Follower& follower : followers_) {
    if (follower.started) follower.started(held);
  }
}

void CustomInformers::stop(const Running& running) {
  for (const Follower& follower : followers_) {
    if (follower.stopped) follower.stopped(running.followed);
  }
}

void CustomInformers::update() {
  std::map<std::string_view, CustomVersion> wanted;
  for (const custom::DefinitionPtr& definition : resources_.all()) {
    CustomVersion version = readable_version(definition);
    if (version) wanted.emplace(definition->name(), std::move(version));
  }
  for (auto one = running_.begin(); one != running_.end();) {
    const auto found = wanted.find(one->first);
    const FollowedCustom& followed = *one->second.followed;
    if (found != wanted.end() &&
        custom_informers::still_serves(*found->second.definition, followed)) {
      wanted.erase(found);
      ++one;
      continue;
    }
    AllRunning::node_type gone;
    {
      MutexLock lock(mutex_);
      gone = running_.extract(one++);
    }
    stop(gone.mapped());
  }
  for (const auto& [name, version] : wanted) start(version);
}

Steady CustomInformers::poll(Running& running) {
  FollowedCustom& followed = *running.followed;
  running.woken->store(false, std::memory_order_release);
  running.due = followed.informer_.poll();
  // A later time is that of the next attempt after a failure.
  const bool failed = running.due != Steady::max() && running.due > clock_.steady();
  if (failed || followed.informer_.synced()) {
    followed.settled_.store(true, std::memory_order_release);
  }
  return running.due;
}

Steady CustomInformers::poll() {
  const uint64_t changes = changes_.load(std::memory_order_acquire);
  if (changes != followed_changes_.load(std::memory_order_acquire)) {
    update();
    followed_changes_.store(changes, std::memory_order_release);
  }
  const Steady now = clock_.steady();
  Steady due = Steady::max();
  for (auto& [name, running] : running_) {
    if (running.woken->load(std::memory_order_acquire) || running.due <= now) poll(running);
    due = std::min(due, running.due);
  }
  return due;
}

FollowedCustomPtr CustomInformers::find(const std::string& definition) const {
  MutexLock lock(mutex_);
  const auto found = running_.find(definition);
  return found == running_.end() ? nullptr : found->second.followed;
}

bool CustomInformers::settled() const {
  if (changes_.load(std::memory_order_acquire) !=
      followed_changes_.load(std::memory_order_acquire)) {
    return false;
  }
  MutexLock lock(mutex_);
  return std::ranges::all_of(running_, [](const auto& one) {
    return one.second.followed->settled_.load(std::memory_order_acquire);
  });
}

}  // namespace proa::controllers
