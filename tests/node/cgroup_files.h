#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "shared_cluster.h"

namespace proa::node_tests {

constexpr const char* kUnlimited = "unlimited";

// The cgroup limits of pods and containers, as the kernel reports them.
class CgroupFiles : public SharedCluster {
 protected:
  static bool has_v2() { return std::filesystem::exists("/sys/fs/cgroup/cgroup.controllers"); }
  // The pod's cgroup of a controller; empty if there is none.
  static std::string cgroup(const std::string& uid, const std::string& controller) {
    const std::string base = has_v2() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    const std::string found =
        e2e::run_shell("find " + base + " -type d -name pod" + uid + " 2>/dev/null").text;
    return found.substr(0, found.find('\n'));
  }
  // The cgroup of the pod's first container, not of the pause container.
  static std::string cgroup_of_container(const std::string& name, const std::string& controller) {
    const std::string id = field(name, "status.containerStatuses[0].containerID");
    return cgroup(field(name, "metadata.uid"), controller) + "/" + id.substr(id.rfind('/') + 1);
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
  }
  static std::string memory_limit(const std::string& folder) {
    const std::string text = read(folder + (has_v2() ? "/memory.max" : "/memory.limit_in_bytes"));
    return text == "max" || text.size() > 18 ? kUnlimited : text;
  }
  // In microseconds per 100 ms.
  static std::string cpu_quota(const std::string& folder) {
    const std::string text = read(folder + (has_v2() ? "/cpu.max" : "/cpu.cfs_quota_us"));
    return text == "max" || text == "-1" ? kUnlimited : text;
  }
  // Version 2 has weights instead of shares. For pods the conversion is linear, as in upstream's
  // kubelet; for containers the runtime decides, and newer ones (runc 1.3.2, crun 1.23) use a curve
  // through the defaults, 1024 shares and a weight of 100.
  static void expect_shares(const std::string& folder, int shares) {
    SCOPED_TRACE(folder);
    if (!has_v2()) {
      EXPECT_EQ(read(folder + "/cpu.shares"), std::to_string(shares));
      return;
    }
    const std::string line = std::to_string(1 + (shares - 2) * 9999LL / 262142);
    const double bits = std::log2(shares);
    const double exponent = (bits * bits + 125 * bits) / 612 - 7.0 / 34;
    const std::string curve =
        shares <= 2 ? "1" : std::to_string(std::llround(std::ceil(std::pow(10, exponent))));
    const std::string weight = read(folder + "/cpu.weight");
    constexpr size_t kContainerId = 64;
    if (folder.size() - folder.rfind('/') - 1 == kContainerId) {
      EXPECT_THAT(weight, testing::AnyOf(line, curve));
    } else {
      EXPECT_EQ(weight, line);
    }
  }
};

}  // namespace proa::node_tests
