#include "cli/credentials/start_hint.h"

#include <unistd.h>

namespace proa::cli {
namespace start_hints {

struct Sign {
  const char* file;
  const char* hint;
};
constexpr const char* kServer = "`proa server`";
constexpr const char* kNode = "`proa node`";
// The first one that exists decides.
constexpr Sign kSigns[] = {{"/tls/kubelet.crt", "`proa up`"},
                           {"/tls/authority.crt", kServer},
                           {"/kubelet/pki/authority.crt", kNode}};

}  // namespace start_hints

std::string start_hint(Files& files, const std::string& data_dir) {
  for (const start_hints::Sign& sign : start_hints::kSigns) {
    const auto there = files.exists(data_dir + sign.file);
    if (there.ok() && *there) return sign.hint;
  }
  return "`proa up` or `proa server`";
}

std::string runtime_start_hint(Files& files, const std::string& data_dir) {
  for (const start_hints::Sign& sign : start_hints::kSigns) {
    if (sign.hint == start_hints::kServer) continue;
    const auto there = files.exists(data_dir + sign.file);
    if (there.ok() && *there) return sign.hint;
  }
  return "`proa up` or `proa node`";
}

Status no_admin_kubeconfig(Files& files, const std::string& data_dir,
                           const std::string& root_data_dir) {
  std::string message = data_dir + "/admin.kubeconfig does not exist; ";
  const std::string start = start_hint(files, data_dir);
  // Nodes never get one.
  message += start == start_hints::kNode
                 ? "this is a node of a cluster, and its server has that file"
                 : "start " + start + ", or pass --data-dir";
  const bool is_of_root = !root_data_dir.empty() && data_dir != root_data_dir;
  const auto there = is_of_root ? files.exists(root_data_dir) : Result<bool>(false);
  if (there.ok() && *there) message += "; for the cluster in " + root_data_dir + " use sudo";
  return {Reason::kNotFound, std::move(message)};
}

Status no_admin_kubeconfig(Files& files, const std::string& data_dir) {
  return no_admin_kubeconfig(files, data_dir, geteuid() == 0 ? "" : std::string(kRootDataDir));
}

}  // namespace proa::cli
