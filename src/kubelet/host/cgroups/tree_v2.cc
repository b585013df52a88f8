#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/removal.h"
#include "kubelet/host/cgroups/tree.h"

namespace proa::kubelet {
namespace tree_v2 {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view word : split(trim(text), ' ')) {
    if (!word.empty()) found.emplace_back(word);
  }
  return found;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr MemoryFiles kMemory{"memory.max", "memory.current"};

class TreeV2 final : public CgroupTree {
 public:
  TreeV2(std::unique_ptr<Hierarchy> folders, std::vector<std::string> controllers)
      : folders_(std::move(folders)), controllers_(std::move(controllers)) {}

  bool is_v2() const override { return true; }

  Result<void> make(const std::string& path) override {
    std::string above;
    for (const std::string& step : steps_to(path)) {
      TRY(enable_controllers(above));
      TRY(folders_->make(step));
      above = step;
    }
    return {};
  }

  Result<void> set(const std::string& path, const CgroupValues& values, Change change) override {
    const auto due = [&](std::string_view file, int64_t value) {
      return is_due(*folders_, path, file, value, change);
    };
    const auto write = [&](std::string_view file, const std::string& text) {
      return write_if_other(*folders_, path, file, text);
    };
    const int64_t weight = weight_of(values.cpu_shares.value_or(0));
    if (values.cpu_shares && due("cpu.weight", weight))
      TRY(write("cpu.weight", std::to_string(weight)));
    const int64_t quota = values.cpu_quota.value_or(0);
    if (quota != 0 && due("cpu.max", quota))
      TRY(write("cpu.max", fmt::format("{} {}", quota, kQuotaPeriod)));
    if (change == Change::kExactly) {
      if (values.pids && has(controllers_, "pids"))
        TRY(write("pids.max", std::to_string(*values.pids)));
      if (has(controllers_, "hugetlb"))
        TRY(set_huge_pages(*folders_, path, values.huge_pages, "max"));
    }
    // Last: it may be refused because of the current usage, and the rest has to take effect
    // nevertheless.
    if (values.memory && due(kMemory.limit, *values.memory))
      TRY(set_memory(*folders_, path, kMemory, *values.memory));
    return {};
  }

  Result<MemoryUse> memory(const std::string& path) override {
    return read_memory(*folders_, path, kMemory);
  }

  Result<CgroupValues> values(const std::string& path) override {
    CgroupValues found;
    const int64_t weight = TRY(read_bound(*folders_, path, "cpu.weight"));
    found.cpu_shares = shares_of_weight(weight);
    found.cpu_quota = TRY(read_bound(*folders_, path, "cpu.max"));
    found.memory = TRY(read_bound(*folders_, path, kMemory.limit));
    return found;
  }

  Result<bool> is_shared(const std::string& path) override {
    const std::vector<std::string> inside = TRY(folders_->children(path));
    return !inside.empty();
  }

  Result<std::vector<std::string>> children(const std::string& path) override {
    auto names = folders_->children(path);
    if (names.is(Reason::kNotFound)) return std::vector<std::string>();
    return names;
  }

  Result<bool> has_processes(const std::string& path) override {
    return kubelet::has_processes(*folders_, path);
  }

  Result<void> thaw(const std::string& path) override {
    return thaw_cgroup(*folders_, path, "cgroup.freeze", "0");
  }

  Result<void> remove(const std::string& path) override { return remove_cgroup(*folders_, path); }

 private:
  // Children get the files of a controller only if it is enabled here.
  Result<void> enable_controllers(const std::string& path) {
    const std::string there = TRY(folders_->read(path, "cgroup.controllers"));
    const std::string on = TRY(folders_->read(path, "cgroup.subtree_control"));
    const std::vector<std::string> enabled = words(on);
    std::string wanted;
    for (const std::string& name : words(there)) {
      if (!has(enabled, name)) wanted += (wanted.empty() ? "+" : " +") + name;
    }
    if (wanted.empty()) return {};
    if (folders_->write(path, "cgroup.subtree_control", wanted)) return {};
    // One failure must not keep the others from being enabled. A missing controller is reported
    // when its files are written.
    for (const std::string& name : words(wanted)) {
      const auto ignored = folders_->write(path, "cgroup.subtree_control", name);
      (void)ignored;
    }
    return {};
  }

  const std::unique_ptr<Hierarchy> folders_;
  const std::vector<std::string> controllers_;  // of the root
};

}  // namespace tree_v2

Result<std::unique_ptr<CgroupTree>> make_tree_v2(std::unique_ptr<Hierarchy> folders) {
  const std::string text = TRY(folders->read("", "cgroup.controllers"));
  std::vector<std::string> controllers = tree_v2::words(text);
  for (const std::string_view needed : {"cpu", "memory"}) {
    if (tree_v2::has(controllers, needed)) continue;
    return Status(
        Reason::kServiceUnavailable,
        fmt::format("cgroup controller {} is not delegated (systemd: Delegate=yes)", needed));
  }
  return std::unique_ptr<CgroupTree>(
      std::make_unique<tree_v2::TreeV2>(std::move(folders), std::move(controllers)));
}

}  // namespace proa::kubelet
