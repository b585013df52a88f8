#pragma once

#include "client/informer/runner.h"
#include "kubelet/workers/housekeeper.h"
#include "kubelet/workers/pod_workers.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"
#include "testkit/kubelet/recorded_events.h"
#include "testkit/kubelet/worker/fake_parts.h"
#include "testkit/kubelet/worker/faulty_runtime.h"

namespace proa::testkit {

// Files without syncing.
class UnsyncedFiles final : public Files {
 public:
  Result<std::string> read_file(const std::string& path, size_t limit) override {
    return files_.read_file(path, limit);
  }
  Result<void> write_file_atomic(const std::string& path, std::string_view content,
                                 mode_t mode) override;
  Result<std::vector<std::string>> list(const std::string& path) override {
    return files_.list(path);
  }
  Result<void> make_dirs(const std::string& path, mode_t mode) override;
  Result<void> remove(const std::string& path) override { return files_.remove(path); }
  Result<bool> exists(const std::string& path) override { return files_.exists(path); }
  Result<FileDescriptor> open_beneath(const std::string& root, const std::string& path, int flags,
                                      mode_t mode) override {
    return files_.open_beneath(root, path, flags, mode);
  }

 private:
  SystemFiles files_;
};

// Pod workers with fake dependencies, run on the test's thread on request: deterministic. A pod's
// uid is its name followed by "-uid", its namespace is "d".
class WorkerWorld {
 public:
  struct Options {
    size_t waiting_threads = 0;  // for stops and handlers; zero: they finish immediately
  };
  WorkerWorld() : WorkerWorld(Options{}) {}
  explicit WorkerWorld(Options options);
  ~WorkerWorld();

  static api::Uid uid_of(const std::string& name) { return api::Uid(name + "-uid"); }

  // Sets the desired state of a pod. `more`: further members of the object, preceded by a comma;
  // `metadata`: likewise of the metadata.
  void put(const std::string& name, const std::string& spec, const std::string& metadata = {},
           const std::string& more = {});
  // The same for a static pod; its uid is that of `hash`.
  void put_static(const std::string& name, const std::string& spec, const std::string& hash);
  // Deletes it through the API.
  void remove(const std::string& name, int64_t grace = 30);
  // It is removed from the API, or its file is removed.
  void drop(const api::Uid& uid);
  void look(api::UidView uid);

  // Works until there is no ready work.
  void work();
  // Advances the clock.
  void advance(Duration by);
  // Works, and advances to the next due time, for an hour at most. Returns whether `done` became
  // true.
  bool work_until(const std::function<bool()>& done);
  // Loses the kubelet's memory; keeps what it created and what is desired.
  void restart_kubelet();

  // Calls executed since the last call of done().
  std::vector<std::string> done() { return faults.take_done(); }
  // "Running"; "" while there is no status.
  std::string phase(const std::string& name) const { return statuses.phase(uid_of(name)); }
  // A container's state: "running", "waiting: CrashLoopBackOff", "terminated: Error".
  std::string state(const std::string& name, const std::string& container) const;
  // The number of running containers of that name.
  size_t running(const std::string& container);
  // The maximum number of containers of one name that ran concurrently.
  size_t most_running() const { return most_running_; }
  // Remains of pods anywhere on the node.
  std::vector<std::string> leftovers();

  FakeClock clock;
  UnsyncedFiles files;
  SeededRandom random{1};
  std::string folder;
  kubelet::KubeletOptions options;
  const kubelet::Paths paths;
  Faults faults;
  FakeRuntime fake{clock};
  FaultyRuntime runtime{fake, faults};
  RecordedEvents events{clock};
  FakeVolumes volumes{faults, files, paths};
  FakeCgroups cgroups{faults};
  FakeImages images;
  FakeProber prober;
  FakeStatuses statuses{faults};
  FakeNode node;
  NoObjects objects;
  bool all_known = true;
  std::vector<api::ObjectPtr> services;  // of all namespaces
  bool services_synced = true;
  // Answers whether the addresses of a pod have rules, and who was asked for last.
  Result<void> prepare_network = {};
  std::vector<std::string> prepared = {};
  int tidied = 0;  // the number of runtime cleanups

  kubelet::Registry& registry();
  kubelet::NodeHalt& halt();
  kubelet::PostStarts& post_starts();
  kubelet::Housekeeper& housekeeper();
  // The number of pod syncs.
  size_t looks() const { return looks_; }

 private:
  // The state that a restart loses.
  struct Kubelet;

  kubelet::PodPtr make_pod(const std::string& name, api::UidView uid, const std::string& spec,
                           const std::string& metadata, const std::string& more,
                           kubelet::Pod::Source source) const;
  void remember(const kubelet::PodPtr& pod);

  const Options chosen_;
  std::map<api::Uid, kubelet::PodPtr> pods_;  // the API's and static pods
  size_t looks_ = 0;
  std::atomic<size_t> most_running_ = 0;
  std::unique_ptr<Kubelet> kubelet_;
};

}  // namespace proa::testkit
