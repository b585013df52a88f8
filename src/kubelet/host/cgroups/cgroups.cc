#include "kubelet/host/cgroups/cgroups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/threads/mutex.h"
#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/huge_pages.h"
#include "kubelet/host/cgroups/mounts.h"

namespace proa::kubelet {
namespace cgroups {

constexpr std::string_view kPodPrefix = "pod";
constexpr size_t kMountinfoLimit = 16 << 20;  // a node with many pods has many mounts

// Without slashes at its ends: "/a/b/" is "a/b".
std::string relative(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::string join(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}/{}", path, name);
}

// Uids become names of folders.
Result<void> check_uid(api::UidView uid) {
  const std::string_view text = uid.view();
  if (text.empty() || text.find('/') != text.npos || text.find('\0') != text.npos)
    return Status(Reason::kBadRequest, fmt::format("invalid pod UID \"{}\"", text));
  return {};
}

class PodCgroups final : public Cgroups {
 public:
  PodCgroups(std::unique_ptr<CgroupTree> tree, CgroupLayout layout)
      : tree_(std::move(tree)),
        layout_(std::move(layout)),
        top_(join(relative(layout_.root), "kubepods")),
        burstable_(join(top_, "burstable")),
        besteffort_(join(top_, "besteffort")) {}

  bool is_v2() const override { return tree_->is_v2(); }

  Result<void> set_up(int64_t memory_bytes, int64_t milli_cpus) override {
    TRY(tree_->make(burstable_));
    TRY(tree_->make(besteffort_));
    TRY(tree_->set(besteffort_, {.cpu_shares = kMinShares}, Change::kExactly));
    CgroupValues all{.cpu_shares = shares_of(milli_cpus), .memory = memory_bytes};
    if (layout_.max_pids > 0) all.pids = layout_.max_pids;
    return tree_->set(top_, all, Change::kExactly);
  }

  Result<std::string> ensure(const Pod& pod) override {
    TRY(check_uid(pod.uid()));
    const std::string path = path_of(pod);
    TRY(tree_->make(path));
    const bool shared = TRY(tree_->is_shared(path));
    if (!shared) TRY(tree_->set(path, values_of(pod), Change::kExactly));
    return "/" + path;
  }

  Result<void> resize(const Pod& pod, Change change) override {
    TRY(check_uid(pod.uid()));
    return tree_->set(path_of(pod), values_of(pod), change);
  }

  Result<CgroupValues> values(const Pod& pod) override {
    TRY(check_uid(pod.uid()));
    return tree_->values(path_of(pod));
  }

  Result<MemoryUse> memory(const Pod& pod, const std::string& container_id) override {
    TRY(check_uid(pod.uid()));
    return tree_->memory(container_id.empty() ? path_of(pod) : join(path_of(pod), container_id));
  }

  Result<void> thaw(api::UidView pod_uid) override {
    TRY(check_uid(pod_uid));
    for (const std::string* parent : {&top_, &burstable_, &besteffort_})
      TRY(tree_->thaw(pod_path(*parent, pod_uid)));
    return {};
  }

  Result<void> remove(api::UidView pod_uid) override {
    TRY(check_uid(pod_uid));
    for (const std::string* parent : {&top_, &burstable_, &besteffort_})
      TRY(tree_->remove(pod_path(*parent, pod_uid)));
    return {};
  }

  Result<std::vector<api::Uid>> pods() override {
    std::set<api::Uid> uids;
    for (const std::string* parent : {&top_, &burstable_, &besteffort_}) {
      const std::vector<std::string> names = TRY(tree_->children(*parent));
      for (const std::string& name : names) {
        if (name.size() > kPodPrefix.size() && name.starts_with(kPodPrefix))
          uids.emplace(name.substr(kPodPrefix.size()));
      }
    }
    return std::vector<api::Uid>(uids.begin(), uids.end());
  }

  Result<void> balance(const std::function<std::vector<PodPtr>()>& active) override {
    MutexLock lock(balancing_);
    int64_t asked = 0;
    for (const PodPtr& pod : active()) {
      if (quality_of_service(*pod) != "Burstable") continue;
      const auto requests = pod_requests(pod->spec(), Overhead::kCounted);
      const auto cpu = requests.find("cpu");
      if (cpu == requests.end()) continue;
      if (__builtin_add_overflow(asked, cpu->second.milli_value(), &asked)) break;
    }
    TRY(tree_->set(besteffort_, {.cpu_shares = kMinShares}, Change::kExactly));
    return tree_->set(burstable_, {.cpu_shares = shares_of(asked)}, Change::kExactly);
  }

  Result<void> remove_all() override { return tree_->remove(top_); }

  Result<void> remove_own(const std::vector<api::Uid>& pod_uids) override {
    for (const api::Uid& uid : pod_uids) TRY(remove(uid));
    const bool used = TRY(tree_->has_processes(top_));
    return used ? Result<void>() : tree_->remove(top_);
  }

 private:
  const std::string& parent_of(std::string_view quality) const {
    if (quality == "Guaranteed") return top_;
    return quality == "Burstable" ? burstable_ : besteffort_;
  }
  std::string path_of(const Pod& pod) const {
    return pod_path(parent_of(quality_of_service(pod)), pod.uid());
  }
  CgroupValues values_of(const Pod& pod) const { return pod_values(pod, layout_.huge_page_sizes); }
  static std::string pod_path(const std::string& parent, api::UidView uid) {
    return fmt::format("{}/{}{}", parent, kPodPrefix, uid.view());
  }

  const std::unique_ptr<CgroupTree> tree_;
  const CgroupLayout layout_;
  const std::string top_;
  const std::string burstable_;
  const std::string besteffort_;
  Mutex balancing_;
};

Result<std::unique_ptr<CgroupTree>> open_tree(Files& files) {
  const std::string text = TRY(files.read_file("/proc/self/mountinfo", kMountinfoLimit));
  CgroupMounts found = find_cgroup_mounts(text);
  if (found.is_v2) return make_tree_v2(mounted_hierarchy(files, found.mounts.front().path));
  std::vector<V1Hierarchy> hierarchies;
  for (CgroupMount& mount : found.mounts) {
    hierarchies.push_back({.controllers = std::move(mount.controllers),
                           .folders = mounted_hierarchy(files, std::move(mount.path))});
  }
  return make_tree_v1(std::move(hierarchies));
}

// The kernel's limit of processes; zero if unknown.
int64_t read_max_pids(Files& files) {
  int64_t least = 0;
  for (const char* path : {"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"}) {
    const auto text = files.read_file(path, 64);
    const int64_t number = text ? parse_int(trim(*text)).value_or(0) : 0;
    if (number > 0) least = least == 0 ? number : std::min(least, number);
  }
  return least;
}

}  // namespace cgroups

Result<std::unique_ptr<Cgroups>> open_cgroups(Files& files, const KubeletOptions& options) {
  if (options.systemd_cgroups) {
    return Status(Reason::kBadRequest,
                  "the systemd cgroup driver is not supported; set SystemdCgroup = false in the "
                  "configuration of containerd");
  }
  auto tree = TRY(cgroups::open_tree(files));
  CgroupLayout layout{.root = options.cgroup_root,
                      .huge_page_sizes = read_huge_page_sizes(files),
                      .max_pids = cgroups::read_max_pids(files)};
  return make_cgroups(std::move(tree), std::move(layout));
}

std::unique_ptr<Cgroups> make_cgroups(std::unique_ptr<CgroupTree> tree, CgroupLayout layout) {
  return std::make_unique<cgroups::PodCgroups>(std::move(tree), std::move(layout));
}

}  // namespace proa::kubelet
