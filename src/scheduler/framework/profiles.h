#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "scheduler/framework/profile.h"
#include "scheduler/framework/queue_policy.h"

namespace proa::scheduler {

// The profiles of one process by schedulerName. They share one queue, so they have the same queue
// sort.
class Profiles final : public QueuePolicy {
 public:
  // REQUIRES: at least one, each with a queue_sort.
  void set(std::vector<std::unique_ptr<Profile>> profiles) { profiles_ = std::move(profiles); }

  // Null if no profile has that name.
  const Profile* find(std::string_view scheduler_name) const;
  const std::vector<std::unique_ptr<Profile>>& all() const { return profiles_; }

  bool goes_before(const QueuedPod& a, const QueuedPod& b) const override {
    return profiles_[0]->queue_sort->goes_before(a, b);
  }
  const Plugin* gate(const Pod& pod) const override;

 private:
  std::vector<std::unique_ptr<Profile>> profiles_;
};

}  // namespace proa::scheduler
