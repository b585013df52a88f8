#pragma once

#include <functional>

#include "base/threads/poller.h"
#include "kubelet/logs/rotate.h"
#include "kubelet/worker/parts.h"

namespace proa::kubelet {

// Looks now and then at all that there is: what events did not tell, and what nobody owns. Two
// calls to the runtime, whatever the number of pods.
class Housekeeper final : public Pollable {
 public:
  // `ready`: whether all pods that are wanted are known; before, nobody is looked for who is not
  // wanted. `look`: a pod is to be looked at. Everything outlives it.
  Housekeeper(const Parts& parts, WorkerPool& pool, std::function<bool()> ready,
              std::function<void(const std::string& uid)> look);
  // Waits for a look that is under way.
  ~Housekeeper() override;

  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // At once: events may have been missed.
  void hurry();

 private:
  void run();
  Result<void> compare_runtime();
  void rotate_log(const cri::Container& container, const Until& until);
  void find_leftovers();

  const Parts& parts_;
  WorkerPool& pool_;
  const std::function<bool()> ready_;
  const std::function<void(const std::string& uid)> look_;
  LogRotation logs_;
  std::function<void()> wake_;
  std::atomic<bool> hurry_ = true;
  Steady due_ = {};
  Mutex mutex_;
  CondVar idle_;
  bool running_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::kubelet
