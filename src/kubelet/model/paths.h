#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object/names.h"

namespace proa::kubelet {

// The file layout of pods, the same as that of upstream's kubelet: backup and log tools rely on it.
class Paths {
 public:
  Paths(std::string root, std::string logs) : root_(std::move(root)), logs_(std::move(logs)) {}

  const std::string& root() const { return root_; }
  const std::string& logs() const { return logs_; }
  std::string pods() const { return root_ + "/pods"; }
  std::string pod(api::UidView uid) const { return pods() + "/" + uid.str(); }
  // Of the plugin "kubernetes.io/empty-dir": ".../volumes/kubernetes.io~empty-dir/NAME".
  std::string volume(api::UidView uid, std::string_view plugin, std::string_view name) const {
    return pod(uid) + "/volumes/kubernetes.io~" + std::string(plugin) + "/" + std::string(name);
  }
  std::string subpaths(api::UidView uid) const { return pod(uid) + "/volume-subpaths"; }
  std::string hosts_file(api::UidView uid) const { return pod(uid) + "/etc-hosts"; }
  // The folder of a container's termination messages: one file per attempt.
  std::string container(api::UidView uid, std::string_view name) const {
    return pod(uid) + "/containers/" + std::string(name);
  }
  // Below container(): the termination message of that attempt.
  static std::string termination_file(uint32_t attempt) { return std::to_string(attempt); }
  std::string pod_logs(std::string_view name_space, std::string_view name, api::UidView uid) const {
    return logs_ + "/" + std::string(name_space) + "_" + std::string(name) + "_" + uid.str();
  }
  // Below pod_logs(), as CRI takes it: "web/0.log".
  static std::string log_file(std::string_view container, uint32_t attempt) {
    return std::string(container) + "/" + std::to_string(attempt) + ".log";
  }

 private:
  const std::string root_;
  const std::string logs_;
};

}  // namespace proa::kubelet
