#include "dns/node/resolv_conf_changes.h"

#include <filesystem>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/net/resolv_conf.h"

namespace proa::dns {
namespace resolv_conf_changes {

using std::filesystem::path;

const Log kLog{"dns"};

void warn(const Status& why) {
  kLog.warn("watching the host's resolvers failed; changes are noticed late", {{"error", why}});
}

std::string folder_of(const path& file) {
  const path folder = file.parent_path();
  return folder.empty() ? "." : folder.string();
}

// Of the file, and of all that it is a link to, whether that exists or not.
std::set<std::string> folders_of(path file) {
  constexpr int kMostLinks = 8;
  std::set<std::string> folders = {folder_of(file)};
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code is_no_link;
    const path target = std::filesystem::read_symlink(file, is_no_link);
    if (is_no_link) break;
    file = (file.parent_path() / target).lexically_normal();
    folders.insert(folder_of(file));
  }
  return folders;
}

}  // namespace resolv_conf_changes

bool ResolvConfChanges::watch_folder(const std::string& folder) {
  auto known = folders_.find(folder);
  if (known == folders_.end()) {
    auto opened = FolderChanges::open(folder);
    if (!opened.ok()) {
      // Once: it is tried at each look.
      if (!std::exchange(open_failed_, true)) resolv_conf_changes::warn(opened.status());
      return false;
    }
    open_failed_ = false;
    known = folders_.emplace(folder, std::move(*opened)).first;
  }
  const Result<bool> watched = known->second.watch();
  if (!watched) resolv_conf_changes::warn(watched.status());
  return watched && *watched;
}

bool ResolvConfChanges::watch() {
  using namespace resolv_conf_changes;
  if (path_.empty()) return true;
  const std::set<std::string> own = folders_of(path_);
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
