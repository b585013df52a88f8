#include "cli/node/local_status.h"

#include <sys/statvfs.h>

#include "cli/host/instance_lock.h"
#include "cli/node/foreign_runtime.h"
#include "crypto/certificate.h"
#include "kubelet/node/certificates/node_certificates.h"
#include "kubelet/runtime/containerd/socket_check.h"

namespace proa::cli {
namespace local_status {

constexpr size_t kMaxBytes = 256 * 1024;

std::optional<LocalStatus::Runtime> runtime_of(Files& files, const NodePaths& place) {
  const auto has_node = files.exists(place.kubelet_root);
  if (!has_node.ok() || !*has_node) return std::nullopt;
  LocalStatus::Runtime runtime{.socket = foreign_runtime_of(files, place)};
  if (runtime.socket.empty()) runtime.socket = place.socket;
  runtime.runs = kubelet::who_listens(runtime.socket).has_value();
  return runtime;
}

std::optional<LocalStatus::Disk> disk_of(const std::string& path) {
  struct statvfs info {};
  if (statvfs(path.c_str(), &info) != 0) return std::nullopt;
  return LocalStatus::Disk{.free_bytes = uint64_t{info.f_bavail} * info.f_frsize,
                           .total_bytes = uint64_t{info.f_blocks} * info.f_frsize};
}

std::vector<LocalStatus::Certificate> certificates_of(Files& files, const NodePaths& place) {
  struct Known {
    const char* name;
    std::string path;
  };
  const Known all[] = {{"authority", place.data_dir + "/tls/authority.crt"},
                       {"server", place.data_dir + "/tls/server.crt"},
                       {"admin", place.data_dir + "/tls/admin.crt"},
                       {"kubelet", place.data_dir + "/tls/kubelet.crt"},
                       {"node client", kubelet::client_certificate_path(place.kubelet_root)},
                       {"node server", kubelet::serving_certificate_path(place.kubelet_root)}};
  std::vector<LocalStatus::Certificate> found;
  for (const Known& one : all) {
    const auto pem = files.read_file(one.path, kMaxBytes);
    if (!pem) continue;
    const auto certificate = crypto::Certificate::parse(*pem);
    if (certificate.ok()) found.push_back({one.name, certificate->not_after()});
  }
  return found;
}

}  // namespace local_status

LocalStatus read_local_status(Files& files, const NodePaths& place) {
  return {.process = lock_holder(place.lock),
          .runtime = local_status::runtime_of(files, place),
          .disk = local_status::disk_of(place.data_dir),
          .certificates = local_status::certificates_of(files, place)};
}

}  // namespace proa::cli
