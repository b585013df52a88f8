#include "cli/node/pod_ranges.h"

#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kubelet/runtime/containerd/socket_check.h"

namespace proa::cli {
namespace pod_ranges {

constexpr std::string_view kFile = "/pod-cidr";
constexpr std::string_view kSocket = "/containerd.sock";
constexpr size_t kMaxBytes = 256;

}  // namespace pod_ranges

Result<void> claim_pod_range(Files& files, const NodePaths& place, const std::string& pod_cidr,
                             const std::string& all_run_folders) {
  using namespace pod_ranges;  // NOLINT: this unit's own
  const auto own = parse_prefix(pod_cidr);
  for (const std::string& name : TRY(files.list(all_run_folders))) {
    const std::string folder = all_run_folders + "/" + name;
    if (!name.starts_with("proa") || folder == place.run_folder) continue;
    const auto text = files.read_file(folder + std::string(kFile), kMaxBytes);
    const auto other = text.ok() ? parse_prefix(trim(*text)) : std::nullopt;
    if (!own || !other || !overlap(*own, *other)) continue;
    if (!kubelet::who_listens(folder + std::string(kSocket))) continue;
    return Status(Reason::kConflict, "--pod-cidr " + pod_cidr + " overlaps with " + other->str() +
                                         " of another cluster on this machine, which runs in " +
                                         folder + "; choose another --pod-cidr");
  }
  return files.write_file_atomic(place.run_folder + std::string(kFile), pod_cidr + "\n", 0644);
}

}  // namespace proa::cli
