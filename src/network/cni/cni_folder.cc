#include "network/cni/cni_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "json/parse.h"

namespace proa::network {
namespace cni_folder {

constexpr size_t kMaxConfig = 64 * 1024;
constexpr const char* kAcceptAdvertisementsFile = "/proc/sys/net/ipv6/conf/default/accept_ra";

// What containerd reads (github.com/containerd/go-cni).
bool has_config_name(std::string_view name) {
  return name.ends_with(".conflist") || name.ends_with(".conf") || name.ends_with(".json");
}

bool is_config(std::string_view text) {
  const auto config = json::parse(text);
  if (!config.ok() || config->root().kind() != json::Kind::kObject) return false;
  const json::Value* type = config->root().find("type");
  const json::Value* plugins = config->root().find("plugins");
  return (type != nullptr && type->kind() == json::Kind::kString) ||
         (plugins != nullptr && plugins->kind() == json::Kind::kArray);
}

}  // namespace cni_folder

Result<std::string> read_regular(Files& files, const std::string& folder, const std::string& name,
                                 size_t limit) {
  const FileDescriptor file =
      TRY(files.open_beneath(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno_status("reading " + name, errno);
  if (!S_ISREG(status.st_mode) || static_cast<size_t>(status.st_size) > limit) {
    return Status(Reason::kBadRequest, name + " is no file of CNI");
  }
  std::string text(static_cast<size_t>(status.st_size), '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return errno_status("reading " + name, errno);
  text.resize(static_cast<size_t>(got));
  return text;
}

Result<ForeignConfigs> foreign_configs(Files& files, const std::string& folder) {
  auto names = files.list(folder);
  if (names.is(Reason::kNotFound)) return ForeignConfigs{};
  if (!names.ok()) return names.status();
  std::ranges::sort(*names);
  ForeignConfigs found;
  for (const std::string& name : *names) {
    if (name == kOwnConfig || !cni_folder::has_config_name(name)) continue;
    const auto text = read_regular(files, folder, name, cni_folder::kMaxConfig);
    if (text.is(Reason::kNotFound)) continue;
    // What cannot be read here, such as a link to elsewhere, may be one for the runtime.
    const bool broken = text.ok() ? !cni_folder::is_config(*text) : text.is(Reason::kBadRequest);
    if (broken) {
      found.broken.push_back(name);
    } else if (found.first.empty()) {
      found.first = name;
    }
  }
  return found;
}

Result<bool> write_config(Files& files, const std::string& folder, const CniSetup& setup) {
  const std::string name(kOwnConfig);
  CniSetup actual = setup;
  actual.ipv6 = TRY(files.exists(cni_folder::kAcceptAdvertisementsFile));
  const std::string text = cni_config(actual);
  const auto before = read_regular(files, folder, name, cni_folder::kMaxConfig);
  if (before.ok() && *before == text) return false;
  TRY(files.write_file_atomic(folder + "/" + name, text, 0600));
  return true;
}

Result<void> check_plugins(Files& files, const std::string& folder) {
  std::string missing;
  for (const char* name : {"bridge", "host-local", "portmap", "bandwidth", "loopback", "tuning"}) {
    if (TRY(files.exists(folder + "/" + name))) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (missing.empty()) return {};
  return Status(Reason::kServiceUnavailable, "CNI plugins are missing in " + folder + ": " +
                                                 missing +
                                                 "; install the package "
                                                 "containernetworking-plugins");
}

Result<void> remove_config(Files& files, const std::string& folder) {
  auto removed = files.remove(folder + "/" + std::string(kOwnConfig));
  if (removed.is(Reason::kNotFound)) return {};
  return removed;
}

}  // namespace proa::network
