#include "testkit/kubelet/worker/worker_world.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "json/print.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::testkit {
namespace worker_world {

using namespace std::chrono_literals;

// More syncs in a row than any test needs: indicates a livelock.
constexpr size_t kMaxLooks = 200;

std::string make_folder() {
  std::string name = "/tmp/proa-worker-XXXXXX";
  CHECK(::mkdtemp(name.data()) != nullptr);
  return name;
}

kubelet::KubeletOptions options_in(const std::string& folder) {
  kubelet::KubeletOptions options;
  options.node_name = api::NodeName("n1");
  options.root = folder + "/kubelet";
  options.logs = folder + "/logs";
  options.resolv_conf = folder + "/resolv.conf";
  options.cluster_dns = {"10.0.0.10"};
  return options;
}

void remove_all(Files& files, const std::string& path) {
  const Result<std::vector<std::string>> names = files.list(path);
  if (names.ok()) {
    for (const std::string& name : *names) remove_all(files, path + "/" + name);
  }
  static_cast<void>(files.remove(path).ok());
}

}  // namespace worker_world

Result<void> UnsyncedFiles::write_file_atomic(const std::string& path, std::string_view content,
                                              mode_t mode) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!file.valid()) return errno_status(path, errno);
  CHECK(::write(file.get(), content.data(), content.size()) ==
        static_cast<ssize_t>(content.size()));
  return {};
}

Result<void> UnsyncedFiles::make_dirs(const std::string& path, mode_t mode) {
  for (size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) return errno_status(part, errno);
    if (end == std::string::npos) return {};
  }
}

struct WorkerWorld::Kubelet {
  explicit Kubelet(WorkerWorld& world)
      : waiting{{.max_threads = world.chosen_.waiting_threads}},
        queue(
            world.clock, world.random,
            {.backoff = {.first = std::chrono::milliseconds(100), .most = std::chrono::seconds(15)},
             .max_running = 16}),
        allocations({.registry = registry,
                     .clock = world.clock,
                     .events = world.events.recorder(),
                     .node = [&world] { return world.node.object; },
                     .pods_synced = [&world] { return world.all_known; },
                     .enqueue = looker()}),
        hooks(world.runtime, world.events.recorder(), world.clock),
        post_starts(hooks, waiting, world.events.recorder(), looker()),
        stopper(world.runtime, hooks, world.clock, waiting, world.events.recorder(),
                [this](api::UidView uid, Duration wait) {
                  queue.add_after({.name_space = {}, .name = uid.str()}, wait);
                }),
        workers(worker_context(world)),
        runner("pods", workers.worker(), queue, pool),
        housekeeper({.clock = world.clock,
                     .files = world.files,
                     .options = world.options,
                     .paths = world.paths,
                     .runtime = world.runtime,
                     .registry = registry,
                     .volumes = world.volumes,
                     .cgroups = world.cgroups,
                     .images = world.images,
                     .events = world.events.recorder(),
                     .shares = workers.shares(),
                     .pool = pool,
                     .enqueue = looker(),
                     .pods_synced = [&world] { return world.all_known; },
                     .tidy_runtime = [&world] { ++world.tidied; }}) {}

  kubelet::PodWorkers::Context worker_context(WorkerWorld& world) {
    return {.registry = registry,
            .allocations = allocations,
            .host = {.clock = world.clock,
                     .files = world.files,
                     .options = world.options,
                     .paths = world.paths,
                     .machine = {.memory_bytes = int64_t{8} << 30, .cgroup_v2 = true},
                     .cgroups = world.cgroups,
                     .volumes = world.volumes},
            .containers = {.runtime = world.runtime,
                           .images = world.images,
                           .stopper = stopper,
                           .post_starts = post_starts,
                           .prober = world.prober,
                           .probes = probes,
                           .prepare_network =
                               [&world](const kubelet::Pod&, const auto& addresses, const Until&) {
                                 world.prepared = addresses;
                                 return world.prepare_network;
                               }},
            .api = {.node = world.node,
                    .events = world.events.recorder(),
                    .objects = world.objects,
                    .statuses = world.statuses,
                    .services = [&world](std::string_view) { return world.services; },
                    .services_synced = [&world] { return world.services_synced; }},
            .enqueue = looker(),
            .halt = halt,
            .shutdown = stop.get_token()};
  }

  std::function<void(api::UidView)> looker() {
    return [this](api::UidView uid) { queue.add({.name_space = {}, .name = uid.str()}); };
  }

  WorkerPool pool{{.max_threads = 0}};
  WorkerPool waiting;
  client::WorkQueue queue;
  kubelet::Registry registry;
  kubelet::NodeHalt halt;
  kubelet::Allocations allocations;
  kubelet::ProbeResults probes;
  kubelet::Hooks hooks;
  kubelet::PostStarts post_starts;
  kubelet::Stopper stopper;
  std::stop_source stop;
  kubelet::PodWorkers workers;
  client::Runner runner;
  kubelet::Housekeeper housekeeper;
};

WorkerWorld::WorkerWorld(Options chosen)
    : folder(worker_world::make_folder()),
      options(worker_world::options_in(folder)),
      paths(options.root, options.logs),
      chosen_(chosen),
      kubelet_(std::make_unique<Kubelet>(*this)) {
  CHECK(files.make_dirs(paths.pods(), 0755).ok() && files.make_dirs(paths.logs(), 0755).ok());
  fake.add_image("image");
  // Runtime events trigger a sync of the pod.
  fake.on_change([this](const std::string& id) {
    const std::vector<kubelet::cri::Container> all = *fake.containers({}, {});
    for (const auto& one : all) {
      most_running_ = std::max<size_t>(most_running_, running(one.name));
    }
    const api::Uid uid = registry().owner(id);
    if (!uid.empty()) look(uid);
  });
}

WorkerWorld::~WorkerWorld() {
  kubelet_.reset();
  worker_world::remove_all(files, folder);
}

kubelet::PodPtr WorkerWorld::make_pod(const std::string& name, api::UidView uid,
                                      const std::string& spec, const std::string& metadata,
                                      const std::string& more, kubelet::Pod::Source source) const {
  return *kubelet::Pod::read(
      api::Object::make(
          fmt::format(R"({{"metadata":{{"name":"{}","namespace":"d","uid":"{}"{}}},"spec":{}{}}})",
                      name, uid.view(), metadata, spec, more)),
      source);
}

void WorkerWorld::remember(const kubelet::PodPtr& pod) {
  pods_[pod->uid()] = pod;
  registry().put(pod);
  look(pod->uid());
}

void WorkerWorld::put(const std::string& name, const std::string& spec, const std::string& metadata,
                      const std::string& more) {
  remember(make_pod(name, uid_of(name), spec, metadata, more, kubelet::Pod::Source::kApi));
}

void WorkerWorld::put_static(const std::string& name, const std::string& spec,
                             const std::string& hash) {
  remember(make_pod(name, api::UidView(hash), spec, {}, {}, kubelet::Pod::Source::kFile));
}

void WorkerWorld::remove(const std::string& name, int64_t grace) {
  const kubelet::PodPtr pod = pods_.at(uid_of(name));
  const json::Document document = *pod->object()->document();
  put(name, json::print(*document.root().find("spec")),
      fmt::format(R"(,"deletionTimestamp":"2026-01-02T15:04:35Z","deletionGracePeriodSeconds":{})",
                  grace));
}

void WorkerWorld::drop(const api::Uid& uid) {
  const kubelet::PodPtr pod = pods_.at(uid);
  pods_.erase(uid);
  registry().drop(pod);
  look(uid);
}

void WorkerWorld::look(api::UidView uid) {
  kubelet_->queue.add({.name_space = {}, .name = uid.str()});
}

void WorkerWorld::work() {
  const size_t looks = kubelet_->runner.drain(worker_world::kMaxLooks);
  looks_ += looks;
  CHECK(looks < worker_world::kMaxLooks);
}

void WorkerWorld::advance(Duration by) {
  clock.advance(by);
  work();
}

bool WorkerWorld::work_until(const std::function<bool()>& done) {
  const Steady end = clock.steady() + std::chrono::hours(1);
  work();
  while (!done()) {
    const Steady next = kubelet_->queue.next_due();
    if (next > end) return false;
    advance(std::max<Duration>(next - clock.steady(), Duration(1)));
  }
  return true;
}

void WorkerWorld::restart_kubelet() {
  kubelet_ = std::make_unique<Kubelet>(*this);
  prober = {};
  images.asked.clear();
  statuses.keep_only(pods_);
  for (const auto& [uid, pod] : pods_) {
    registry().put(pod);
    look(uid);
  }
}

std::string WorkerWorld::state(const std::string& name, const std::string& container) const {
  const auto status = statuses.last(uid_of(name));
  if (status == nullptr) return {};
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const api::View one : api::View(status->root())[list].items()) {
      if (one["name"].text() != container) continue;
      for (const json::Member& state : one["state"].members()) {
        const std::string_view reason = api::View(state.value)["reason"].text();
        return std::string(state.key) + (reason.empty() ? "" : ": " + std::string(reason));
      }
    }
  }
  return {};
}

size_t WorkerWorld::running(const std::string& container) {
  const std::vector<kubelet::cri::Container> all = *fake.containers({}, {});
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&container](const kubelet::cri::Container& one) {
        return one.name == container && one.state == kubelet::cri::ContainerState::kRunning;
      }));
}

std::vector<std::string> WorkerWorld::leftovers() {
  std::vector<std::string> found;
  const auto add = [&found](const std::string& kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) found.push_back(kind + " " + name);
  };
  const auto add_pods = [&found](const std::string& kind, const std::vector<api::Uid>& uids) {
    for (const api::Uid& uid : uids) found.push_back(kind + " " + uid.str());
  };
  const std::vector<kubelet::cri::Sandbox> sandboxes = *fake.sandboxes({}, {});
  for (const auto& one : sandboxes) add("sandbox", {one.name});
  const std::vector<kubelet::cri::Container> containers = *fake.containers({}, {});
  for (const auto& one : containers) add("container", {one.name});
  add_pods("volumes of", *volumes.pods());
  add_pods("cgroup of", *cgroups.pods());
  add("logs", *files.list(paths.logs()));
  add("folder", *files.list(paths.pods()));
  add_pods("images of", {images.asked.begin(), images.asked.end()});
  for (const auto& [uid, names] : prober.followed) add_pods("probes of", {uid});
  return found;
}

kubelet::Registry& WorkerWorld::registry() { return kubelet_->registry; }
kubelet::NodeHalt& WorkerWorld::halt() { return kubelet_->halt; }
kubelet::PostStarts& WorkerWorld::post_starts() { return kubelet_->post_starts; }
kubelet::Housekeeper& WorkerWorld::housekeeper() { return kubelet_->housekeeper; }

}  // namespace proa::testkit
