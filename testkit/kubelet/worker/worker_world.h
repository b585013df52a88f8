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

// Files that a power loss may take: nobody waits for the disk.
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

// The worker of pods with everything around it, which works when it is told to, on the test's own
// thread: what it does is the same in every run. A pod's uid is its name with "-uid" behind it,
// its namespace "d".
class WorkerWorld {
 public:
  struct Options {
    size_t waiting_threads = 0;  // for stops and handlers; zero: they are over at once
  };
  WorkerWorld() : WorkerWorld(Options{}) {}
  explicit WorkerWorld(Options options);
  ~WorkerWorld();

  // A pod is wanted so. `more` stands in the object besides its metadata and spec, with a comma in
  // front; `metadata` in the former, likewise.
  void put(const std::string& name, const std::string& spec, const std::string& metadata = {},
           const std::string& more = {});
  // The same for one that stands in a file; its uid is that of `hash`.
  void put_static(const std::string& name, const std::string& spec, const std::string& hash);
  // Somebody deletes it.
  void remove(const std::string& name, int64_t grace = 30);
  // The API has it no more, or its file is gone.
  void drop(const std::string& uid);
  void look(const std::string& uid);

  // Works until nothing is to be done now.
  void work();
  // So much later.
  void advance(Duration by);
  // Works, and goes to the next moment at which there is something to do, for an hour at most.
  // Whether `done` came true.
  bool work_until(const std::function<bool()>& done);
  // What the kubelet remembers is lost; what it made, and what is wanted, is not.
  void restart_kubelet();

  // What was done since the last call of it.
  std::vector<std::string> done() { return faults.take_done(); }
  // "Running", and "" while nothing was said.
  std::string phase(const std::string& name) const { return statuses.phase(name + "-uid"); }
  // Of a container's status: "running", "waiting: CrashLoopBackOff", "terminated: Error".
  std::string state(const std::string& name, const std::string& container) const;
  // How many containers of that name run now.
  size_t running(const std::string& container);
  // The most of one name that ever ran at once.
  size_t most_running() const { return most_running_; }
  // What is left of pods anywhere on the node.
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
  int tidied = 0;  // how often the runtime was

  kubelet::Registry& registry();
  kubelet::PostStarts& post_starts();
  kubelet::Housekeeper& housekeeper();
  // How many looks at pods there were.
  size_t looks() const { return looks_; }

 private:
  // What a restart loses.
  struct Kubelet;

  kubelet::PodPtr make_pod(const std::string& name, const std::string& uid, const std::string& spec,
                           const std::string& metadata, const std::string& more,
                           kubelet::Pod::Source source) const;
  void remember(const kubelet::PodPtr& pod);

  const Options chosen_;
  std::map<std::string, kubelet::PodPtr> pods_;  // by uid: what the API or the folder has
  size_t looks_ = 0;
  std::atomic<size_t> most_running_ = 0;
  std::unique_ptr<Kubelet> kubelet_;
};

}  // namespace proa::testkit
