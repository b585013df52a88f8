#include "kubelet/node/agent/node_observer.h"

#include "base/log.h"
#include "kubelet/node/agent/node_addresses.h"

namespace proa::kubelet {
namespace node_observer {

const Log kLog{"kubelet"};

// Upstream's baseRuntimeSyncThreshold: a runtime that was not seen ready for so long is down.
constexpr Duration kPatience = std::chrono::seconds(30);
// The maximum age of the image list without a reported change.
constexpr Duration kImagesAge = std::chrono::seconds(30);

std::optional<DiskSpace> measure_disk(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const Result<DiskSpace> space = disk_space(path);
  return space ? std::optional(*space) : std::nullopt;
}

}  // namespace node_observer

NodeObserver::NodeObserver(Context context)
    : context_(std::move(context)),
      machine_(read_machine(context_.files, context_.system_root)),
      addresses_(context_.options.addresses) {
  // Its filesystem is measured, so it must be there.
  const Result<void> made = context_.files.make_dirs(context_.options.root, 0750);
  if (!made) node_observer::kLog.error("pod folder cannot be created", {{"error", made.status()}});
}

void NodeObserver::look(bool all, const Until& until) {
  if (context_.options.addresses.empty()) {
    Result<std::vector<std::string>> found =
        find_addresses(context_.files, context_.system_root, addresses_);
    if (found) addresses_ = std::move(*found);
  }
  if (context_.network) network_seen_ = context_.network();
  look_at_runtime(until);
  if (all || context_.clock.steady() >= images_due_) look_at_images(until);
  measure(until);
}

void NodeObserver::look_at_runtime(const Until& until) {
  const Result<cri::RuntimeReadiness> readiness = context_.runtime.readiness(until);
  if (readiness) {
    runtime_seen_.readiness = *readiness;
    if (readiness->runtime_ready) {
      runtime_seen_.ever_ready = true;
      last_ready_ = context_.clock.steady();
    }
    told_ = false;
  } else {
    if (!told_) {
      node_observer::kLog.warn("runtime status request failed", {{"error", readiness.status()}});
    }
    told_ = true;
    ask_version_ = true;  // it may come back as another one
  }
  runtime_seen_.down =
      runtime_seen_.ever_ready && context_.clock.steady() - last_ready_ >= node_observer::kPatience;
  if (!readiness || !ask_version_) return;
  const Result<cri::RuntimeVersion> version = context_.runtime.version(until);
  if (!version) return;
  runtime_seen_.version = *version;
  ask_version_ = false;
}

void NodeObserver::look_at_images(const Until& until) {
  if (told_) return;  // it would not answer this either
  Result<std::vector<cri::Image>> images = context_.runtime.images(until);
  if (!images) return;
  images_ = std::move(*images);
  images_due_ = context_.clock.steady() + node_observer::kImagesAge;
}

void NodeObserver::measure(const Until& until) {
  if (image_folder_.empty() && !told_) {
    const Result<std::vector<cri::FilesystemUse>> used = context_.runtime.image_filesystems(until);
    if (used && !used->empty()) image_folder_ = used->front().mountpoint;
  }
  const Result<int64_t> memory = available_memory(context_.files, context_.system_root);
  const Measured measured{
      .available_memory = memory ? std::optional(*memory) : std::nullopt,
      .node_disk = node_observer::measure_disk(context_.options.root),
      .image_disk = node_observer::measure_disk(image_folder_),
  };
  // Once known it stays: a filesystem that can't be asked now has not shrunk.
  if (measured.node_disk) disk_capacity_ = measured.node_disk->capacity;
  pressures_ = memory_.update(pressures_of(measured), context_.clock.steady());
}

NodeFacts NodeObserver::facts() const {
  return {.options = context_.options,
          .machine = machine_,
          .runtime = runtime_seen_,
          .network = network_seen_,
          .addresses = addresses_,
          .disk_capacity = disk_capacity_,
          .pressures = pressures_,
          .images = images_,
          .kubelet_version = context_.kubelet_version,
          .now = context_.clock.now()};
}

std::set<std::string> NodeObserver::recursive_handlers() const {
  std::set<std::string> names;
  if (!runtime_seen_.readiness) return names;
  for (const cri::RuntimeHandler& handler : runtime_seen_.readiness->handlers) {
    if (handler.recursive_read_only_mounts) names.insert(handler.name);
  }
  return names;
}

}  // namespace proa::kubelet
