#include <algorithm>
#include <set>

#include "base/strings.h"
#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/removal.h"
#include "kubelet/host/cgroups/tree.h"

namespace proa::kubelet {
namespace tree_v1 {

constexpr MemoryFiles kMemory{"memory.limit_in_bytes", "memory.usage_in_bytes"};

class TreeV1 final : public CgroupTree {
 public:
  explicit TreeV1(std::vector<V1Hierarchy> hierarchies) : hierarchies_(std::move(hierarchies)) {
    cpu_ = find("cpu");
    memory_ = find("memory");
    cpuset_ = find("cpuset");
    pids_ = find("pids");
    freezer_ = find("freezer");
    hugetlb_ = find("hugetlb");
  }

  bool is_complete() const { return cpu_ != nullptr && memory_ != nullptr; }
  bool is_v2() const override { return false; }

  Result<void> make(const std::string& path) override {
    const std::vector<std::string> steps = steps_to(path);
    // There are a dozen of hierarchies, and in all of them what is above is mostly there.
    const size_t last = steps.size() - 1;
    Result<void> made = make_step(last == 0 ? "" : steps[last - 1], path);
    if (!made.is(Reason::kNotFound)) return made;
    std::string above;
    for (const std::string& step : steps) {
      TRY(make_step(above, step));
      above = step;
    }
    return {};
  }

  Result<void> set(const std::string& path, const CgroupValues& values, Change change) override {
    const auto due = [&](Hierarchy* hierarchy, std::string_view file, int64_t value) {
      return is_due(*hierarchy, path, file, value, change);
    };
    const auto number = [&](Hierarchy* hierarchy, std::string_view file,
                            int64_t value) -> Result<void> {
      return write_if_other(*hierarchy, path, file, std::to_string(value));
    };
    if (values.cpu_shares && due(cpu_, "cpu.shares", *values.cpu_shares))
      TRY(number(cpu_, "cpu.shares", *values.cpu_shares));
    const int64_t quota = values.cpu_quota.value_or(0);
    if (quota != 0 && due(cpu_, "cpu.cfs_quota_us", quota)) {
      TRY(number(cpu_, "cpu.cfs_period_us", kQuotaPeriod));
      TRY(number(cpu_, "cpu.cfs_quota_us", quota));
    }
    if (change == Change::kExactly) {
      if (values.pids && pids_ != nullptr) TRY(number(pids_, "pids.max", *values.pids));
      if (hugetlb_ != nullptr)
        TRY(set_huge_pages(*hugetlb_, path, values.huge_pages, "limit_in_bytes"));
    }
    // Last: it may be refused because of the current usage, and the rest has to take effect
    // nevertheless.
    if (values.memory && due(memory_, kMemory.limit, *values.memory))
      TRY(set_memory(*memory_, path, kMemory, *values.memory));
    return {};
  }

  Result<MemoryUse> memory(const std::string& path) override {
    return read_memory(*memory_, path, kMemory);
  }

  Result<CgroupValues> values(const std::string& path) override {
    CgroupValues found;
    found.cpu_shares = TRY(read_bound(*cpu_, path, "cpu.shares"));
    found.cpu_quota = TRY(read_bound(*cpu_, path, "cpu.cfs_quota_us"));
    found.memory = TRY(read_bound(*memory_, path, kMemory.limit));
    return found;
  }

  // Runtimes make the same everywhere: one of a dozen hierarchies will do.
  Result<bool> is_shared(const std::string& path) override {
    const std::vector<std::string> inside = TRY(cpu_->children(path));
    return !inside.empty();
  }

  Result<std::vector<std::string>> children(const std::string& path) override {
    std::set<std::string> names;  // what half a removal left over is in some of them only
    for (const V1Hierarchy& hierarchy : hierarchies_) {
      auto found = hierarchy.folders->children(path);
      if (found.is(Reason::kNotFound)) continue;
      if (!found) return found.status();
      names.insert(found->begin(), found->end());
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  Result<bool> has_processes(const std::string& path) override {
    for (const V1Hierarchy& hierarchy : hierarchies_) {
      const bool found = TRY(kubelet::has_processes(*hierarchy.folders, path));
      if (found) return true;
    }
    return false;
  }

  Result<void> thaw(const std::string& path) override {
    if (freezer_ == nullptr) return {};
    return thaw_cgroup(*freezer_, path, "freezer.state", "THAWED");
  }

  Result<void> remove(const std::string& path) override {
    // Killed processes that are frozen do not end.
    Result<void> first = thaw(path);
    for (const V1Hierarchy& hierarchy : hierarchies_) {
      const auto removed = remove_cgroup(*hierarchy.folders, path);
      if (!removed && first) first = removed;
    }
    return first;
  }

 private:
  Hierarchy* find(std::string_view controller) const {
    for (const V1Hierarchy& hierarchy : hierarchies_) {
      const auto& all = hierarchy.controllers;
      if (std::find(all.begin(), all.end(), controller) != all.end())
        return hierarchy.folders.get();
    }
    return nullptr;
  }

  // kNotFound when something above is missing.
  Result<void> make_step(const std::string& above, const std::string& step) {
    for (const V1Hierarchy& hierarchy : hierarchies_) TRY(hierarchy.folders->make(step));
    if (cpuset_ == nullptr) return {};
    return fill_cpuset(above, step);
  }

  // A new cpuset is empty, and no process may enter it: it gets what the one above has.
  Result<void> fill_cpuset(const std::string& above, const std::string& path) {
    for (const std::string_view file : {"cpuset.cpus", "cpuset.mems"}) {
      const std::string now = TRY(cpuset_->read(path, file));
      if (!trim(now).empty()) continue;
      const std::string wanted = TRY(cpuset_->read(above, file));
      if (trim(wanted).empty())
        return Status(Reason::kNotFound, above + " has no " + std::string(file));
      TRY(cpuset_->write(path, file, trim(wanted)));
    }
    return {};
  }

  const std::vector<V1Hierarchy> hierarchies_;
  Hierarchy* cpu_ = nullptr;
  Hierarchy* memory_ = nullptr;
  Hierarchy* cpuset_ = nullptr;
  Hierarchy* pids_ = nullptr;
  Hierarchy* freezer_ = nullptr;
  Hierarchy* hugetlb_ = nullptr;
};

}  // namespace tree_v1

Result<std::unique_ptr<CgroupTree>> make_tree_v1(std::vector<V1Hierarchy> hierarchies) {
  auto tree = std::make_unique<tree_v1::TreeV1>(std::move(hierarchies));
  if (!tree->is_complete()) {
    return Status(Reason::kServiceUnavailable,
                  "cgroup controllers cpu and memory are not mounted; mount them writable below "
                  "/sys/fs/cgroup");
  }
  return std::unique_ptr<CgroupTree>(std::move(tree));
}

}  // namespace proa::kubelet
