#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/object/names.h"

namespace proa::kubelet {

// The file layout of pods, the same as that of upstream's kubelet: backup and log tools rely on it.
class Paths {
 public:
  Paths(std::string root, std::string logs, std::string log_records = {})
      : root_(std::move(root)), logs_(std::move(logs)), log_records_(std::move(log_records)) {}

  const std::string& root() const { return root_; }
  const std::string& logs() const { return logs_; }
  // Has a link for each pod of ours in logs(), if others may write there; else it is logs().
  const std::string& log_records() const { return log_records_.empty() ? logs_ : log_records_; }
  bool has_log_records() const { return !log_records_.empty(); }
  // Links to the logs of all containers, for log collectors: "/var/log/containers".
  std::string log_links() const { return logs_.substr(0, logs_.rfind('/')) + "/containers"; }
  // The name of a container's link there. File names have 255 bytes at most.
  static std::string log_link(std::string_view pod, std::string_view name_space,
                              std::string_view container, std::string_view id) {
    constexpr size_t kMaxStem = 251;
    const std::string stem = std::string(pod) + "_" + std::string(name_space) + "_" +
                             std::string(container) + "-" + std::string(id);
    return stem.substr(0, kMaxStem) + ".log";
  }
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
  const std::string log_records_;
};

}  // namespace proa::kubelet
