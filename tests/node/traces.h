#pragma once

#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/program.h"

// The state of a `proa up` cluster on its machine outside of the API and its runtime, for tests
// that look for leftovers.
namespace proa::node_tests {

using Lines = std::vector<std::string>;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Traces {
 public:
  // `run_folder`: "/run/proa-1234abcd". REQUIRES: not that of the default data directory.
  Traces(std::string data_dir, std::string run_folder)
      : data_dir_(std::move(data_dir)),
        run_folder_(std::move(run_folder)),
        name_(std::filesystem::path(run_folder_).filename().string()) {}

  // The name of the bridge, the network and the cgroup.
  const std::string& name() const { return name_; }

  Lines pod_folders() const { return names_in(data_dir_ + "/kubelet/pods"); }
  Lines log_folders() const { return names_in(data_dir_ + "/log/pods"); }
  Lines namespaces() const {
    return names_in(run_folder_ + "/containerd/io.containerd.grpc.v1.cri/netns");
  }
  // containerd's state on disk of a running container: "ID unix:///run/containerd/s/SHIM".
  Lines bundles() const {
    const std::string folder = run_folder_ + "/containerd/io.containerd.runtime.v2.task/k8s.io";
    Lines found;
    for (const std::string& id : names_in(folder)) {
      found.push_back(id + " " + shim_address(folder + "/" + id));
    }
    return found;
  }
  // The state of the programs below it.
  Lines runtime_states() const {
    Lines found = names_in(run_folder_ + "/containerd/runc/k8s.io");
    const Lines more = names_in(run_folder_ + "/containerd/crun/k8s.io");
    found.insert(found.end(), more.begin(), more.end());
    return found;
  }
  // The CNI library's cache of pods.
  Lines network_results() const {
    return selected(names_in("/var/lib/cni/results"),
                    [&](const std::string& name) { return name.starts_with(name_ + "-"); });
  }
  // The owner of each allocated address: a sandbox id.
  Lines addresses() const {
    Lines found;
    const std::string folder = run_folder_ + "/networks/" + name_;
    for (const std::string& name : names_in(folder)) {
      if (name == "lock" || name.starts_with("last_reserved_ip")) continue;
      found.push_back(first_line(folder + "/" + name) + " has " + name);
    }
    return found;
  }
  // The host ends of pods' veth pairs.
  Lines links() const {
    return lines_of("ip -o link show master " + name_ + " 2>/dev/null | cut -d ' ' -f 2");
  }
  bool has_bridge() const { return std::filesystem::exists("/sys/class/net/" + name_); }
  // Chains of the portmap plugin, which contain the sandbox id.
  Lines rules() const {
    return selected(lines_of("iptables-save; ip6tables-save"), [&](const std::string& line) {
      return contains(line, "\\\"" + name_ + "\\\"");
    });
  }
  // Everything in a table that has our name.
  Lines all_rules() const {
    return selected(lines_of("iptables-save; ip6tables-save; nft list ruleset"),
                    [&](const std::string& line) { return contains(line, name_); });
  }
  // Sockets of our shims, or left behind by earlier ones.
  Lines shim_sockets() const {
    for (const std::string& bundle : bundles()) {
      const size_t begin = bundle.find("unix://");
      if (begin != std::string::npos) shim_sockets_.insert(bundle.substr(begin + 7));
    }
    return selected(Lines(shim_sockets_.begin(), shim_sockets_.end()),
                    [](const std::string& path) { return std::filesystem::exists(path); });
  }
  Lines mounts() const {
    std::ifstream table("/proc/self/mountinfo");
    Lines found;
    for (std::string line; std::getline(table, line);) {
      std::istringstream words(line);
      std::string point;
      for (int i = 0; i < 5; ++i) words >> point;
      if (is_below(point)) found.push_back(point);
    }
    return found;
  }
  // Cgroups of pods and containers and their parents, in all hierarchies.
  Lines cgroups() const {
    return lines_of("find /sys/fs/cgroup -mindepth 1 -type d -path '*/" + name_ + "*' 2>/dev/null");
  }
  // Processes with our folders in their arguments, and those in our cgroups.
  Lines processes() const {
    Lines found;
    for (const std::string& pid : names_in("/proc")) {
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      // Zombies do not count.
      if (contains(whole("/proc/" + pid + "/stat"), ") Z ")) continue;
      std::string words = whole("/proc/" + pid + "/cmdline");
      std::replace(words.begin(), words.end(), '\0', ' ');
      const bool ours = contains(words, run_folder_) || contains(words, data_dir_) ||
                        contains(whole("/proc/" + pid + "/cgroup"), "/" + name_ + "/");
      if (ours) found.push_back(pid + " " + words);
    }
    return found;
  }
  Lines shims() const {
    return selected(processes(), [](const std::string& line) {
      return contains(line, "containerd-shim") && contains(line, " -id ");
    });
  }

  // Up to containerd 1.7 the file contains only this; since 2.0 it is JSON.
  static std::string shim_address(const std::string& bundle) {
    const std::string text = whole(bundle + "/address") + whole(bundle + "/bootstrap.json");
    const size_t begin = std::min(text.find("unix://"), text.size());
    return text.substr(begin, text.find_first_of("\"\n{", begin) - begin);
  }
  static std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (line.ends_with('\r')) line.pop_back();
    return line;
  }
  static Lines names_in(const std::string& folder) {
    Lines names;
    DIR* listed = opendir(folder.c_str());
    if (listed == nullptr) return names;
    while (const dirent* entry = readdir(listed)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    closedir(listed);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  template <typename Condition>
  static Lines selected(Lines lines, Condition holds) {
    std::erase_if(lines, [&](const std::string& line) { return !holds(line); });
    return lines;
  }
  static std::string whole(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static Lines lines_of(const std::string& command) {
    std::istringstream text(e2e::run_shell(command).text);
    Lines lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  bool is_below(const std::string& point) const {
    return point.starts_with(data_dir_ + "/") || point.starts_with(run_folder_ + "/");
  }

  const std::string data_dir_;
  const std::string run_folder_;
  const std::string name_;
  mutable std::set<std::string> shim_sockets_;
};

}  // namespace proa::node_tests
