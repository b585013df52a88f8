#pragma once

#include <functional>

#include "base/threads/poller.h"
#include "kubelet/model/options.h"
#include "kubelet/model/paths.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/runtime/images/image_collector.h"
#include "kubelet/runtime/images/image_puller.h"
#include "kubelet/runtime/logs/rotate.h"
#include "kubelet/workers/state/registry.h"
#include "kubelet/workers/state/share_balancer.h"

namespace proa::kubelet {

// The periodic resync of the node: enqueues pods whose state in the runtime changed without an
// event, and what is left of unknown pods; rotates logs, balances CPU shares, collects images. Two
// calls to the runtime list all pods at once.
class Housekeeper final : public Pollable {
 public:
  struct Context {
    Clock& clock;
    Files& files;
    const KubeletOptions& options;
    const Paths& paths;
    cri::Runtime& runtime;
    Registry& registry;
    Volumes& volumes;
    Cgroups& cgroups;
    ImagePuller& images;
    client::EventRecorder& events;
    const ShareBalancer& shares;
    WorkerPool& pool;
    // Adds a pod to the queue of the workers.
    std::function<void(api::UidView uid)> enqueue;
    // Whether all wanted pods are known. Before that, unknown pods are left alone.
    std::function<bool()> pods_synced;
    std::function<void()> tidy_runtime;  // part of each resync; may be empty
  };
  // Everything outlives it.
  explicit Housekeeper(Context context);
  // Cancels a resync that is under way, and waits for it.
  ~Housekeeper() override;

  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // Resyncs at once, and some more times soon: events may have been missed.
  void resync_now();

 private:
  bool begin(Steady now) EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);
  void end() EXCLUDES(mutex_);
  bool may_enqueue(api::UidView uid) const;
  Result<void> compare_runtime();
  Until until() const;
  void rotate_log(const cri::Container& container);
  void find_leftovers();
  void collect_images();

  const Context context_;
  LogRotation logs_;
  ImageCollector collector_;
  Steady collect_at_ = {};  // only the running task touches it
  std::function<void()> wake_;
  std::atomic<bool> resync_now_ = true;
  std::atomic<size_t> resyncs_ = 0;  // since the last resync_now()
  std::atomic<bool> synced_ = false;
  Steady due_ = {};  // only the polling thread touches it
  std::stop_source stop_;
  Mutex mutex_;
  CondVar idle_;
  bool running_ GUARDED_BY(mutex_) = false;
  size_t tasks_ GUARDED_BY(mutex_) = 0;  // that have not returned yet
};

}  // namespace proa::kubelet
