#pragma once

#include <functional>

#include "base/threads/poller.h"
#include "kubelet/runtime/images/image_collector.h"
#include "kubelet/runtime/logs/rotate.h"
#include "kubelet/workers/actions/parts.h"

namespace proa::kubelet {

// Looks now and then at all that there is: what events did not tell, and what nobody owns. Two
// calls to the runtime, whatever the number of pods.
class Housekeeper final : public Pollable {
 public:
  // `ready`: whether all pods that are wanted are known; before, those that nobody knows are left
  // alone. `tidy`: part of each look. Everything outlives it.
  Housekeeper(const Parts& parts, WorkerPool& pool, std::function<bool()> ready,
              std::function<void()> tidy);
  // Calls off a look that is under way, and waits for it.
  ~Housekeeper() override;

  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // At once, and some times more soon: events may have been missed.
  void hurry();

 private:
  bool begin(Steady now) EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);
  void end() EXCLUDES(mutex_);
  bool may_look(const std::string& uid) const;
  Result<void> compare_runtime();
  Until until() const;
  void rotate_log(const cri::Container& container);
  void find_leftovers();
  void collect_images();

  const Parts& parts_;
  WorkerPool& pool_;
  const std::function<bool()> ready_;
  const std::function<void()> tidy_;
  LogRotation logs_;
  ImageCollector collector_;
  Steady collect_at_ = {};  // of the one task that runs
  std::function<void()> wake_;
  std::atomic<bool> hurry_ = true;
  std::atomic<size_t> echo_ = 0;  // looks since it was in a hurry
  std::atomic<bool> all_known_ = false;
  Steady due_ = {};  // of the thread that polls
  std::stop_source stop_;
  Mutex mutex_;
  CondVar idle_;
  bool running_ GUARDED_BY(mutex_) = false;
  size_t tasks_ GUARDED_BY(mutex_) = 0;  // that have not ended, whether or not they run still
};

}  // namespace proa::kubelet
