#include "dns/node/resolv_conf_changes.h"

#include <filesystem>
#include <set>

#include "base/net/resolv_conf.h"

namespace proa::dns {
namespace resolv_conf_changes {

using std::filesystem::path;

std::string folder_of(const path& file) {
  const path folder = file.parent_path();
  return folder.empty() ? "." : folder.string();
}

// Where a link leads, also if nothing is there.
path target_of(const path& file) {
  std::error_code failed;
  path target = std::filesystem::weakly_canonical(file, failed);
  return failed ? file : target;
}

}  // namespace resolv_conf_changes

bool ResolvConfChanges::watch_folder(const std::string& folder) {
  auto known = folders_.find(folder);
  if (known == folders_.end()) {
    auto opened = FolderChanges::open(folder);
    if (!opened.ok()) return false;
    known = folders_.emplace(folder, std::move(*opened)).first;
  }
  return known->second.watch();
}

bool ResolvConfChanges::watch() {
  using namespace resolv_conf_changes;
  if (path_.empty()) return true;
  const std::set<std::string> own = {folder_of(path_), folder_of(target_of(path_))};
  const std::string systemd = folder_of(kSystemdResolvConf);
  std::erase_if(folders_, [&](const auto& known) {
    return !own.contains(known.first) && known.first != systemd;
  });
  bool complete = true;
  for (const std::string& folder : own) complete = watch_folder(folder) && complete;
  // Most machines without systemd-resolved never get one.
  std::error_code ignored;
  if (std::filesystem::exists(systemd, ignored)) complete = watch_folder(systemd) && complete;
  return complete;
}

std::vector<int> ResolvConfChanges::descriptors() const {
  std::vector<int> all;
  for (const auto& [folder, changes] : folders_) all.push_back(changes.descriptor());
  return all;
}

bool ResolvConfChanges::changed() {
  bool any = false;
  for (auto& [folder, changes] : folders_) any = changes.changed() || any;
  return any;
}

}  // namespace proa::dns
