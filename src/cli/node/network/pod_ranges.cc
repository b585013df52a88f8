#include "cli/node/network/pod_ranges.h"

#include "base/strings.h"
#include "kubelet/runtime/containerd/socket_check.h"

namespace proa::cli {
namespace pod_ranges {

constexpr std::string_view kFile = "/pod-cidr";
constexpr std::string_view kSocket = "/containerd.sock";
constexpr size_t kMaxBytes = 256;

Result<void> check_against(const std::string& folder, std::string_view text,
                           const std::vector<IpPrefix>& ranges) {
  for (const std::string_view part : split(trim(text), ',')) {
    const auto other = parse_prefix(part);
    if (!other) continue;
    for (const IpPrefix& own : ranges) {
      if (!overlap(own, *other)) continue;
      if (!kubelet::who_listens(folder + std::string(kSocket))) return {};
      return Status(Reason::kConflict,
                    "the pod range " + own.str() + " overlaps with " + other->str() +
                        " of another node on this machine, which runs in " + folder +
                        "; choose another --pod-cidr or --cluster-cidr");
    }
  }
  return {};
}

}  // namespace pod_ranges

Result<void> claim_pod_ranges(Files& files, const std::string& run_folder,
                              const std::vector<IpPrefix>& ranges,
                              const std::string& all_run_folders) {
  using namespace pod_ranges;  // NOLINT: this unit's own
  for (const std::string& name : TRY(files.list(all_run_folders))) {
    const std::string folder = all_run_folders + "/" + name;
    if (!name.starts_with("proa") || folder == run_folder) continue;
    const auto text = files.read_file(folder + std::string(kFile), kMaxBytes);
    if (text.ok()) TRY(check_against(folder, *text, ranges));
  }
  std::vector<std::string> texts;
  for (const IpPrefix& range : ranges) texts.push_back(range.str());
  return files.write_file_atomic(run_folder + std::string(kFile), join(texts, ",") + "\n", 0644);
}

std::vector<std::string> former_pod_ranges(Files& files, const std::string& run_folder) {
  using namespace pod_ranges;  // NOLINT: this unit's own
  const auto text = files.read_file(run_folder + std::string(kFile), kMaxBytes);
  std::vector<std::string> ranges;
  if (!text.ok()) return ranges;
  for (const std::string_view part : split(trim(*text), ',')) {
    if (const auto range = parse_prefix(part)) ranges.push_back(range->str());
  }
  return ranges;
}

}  // namespace proa::cli
