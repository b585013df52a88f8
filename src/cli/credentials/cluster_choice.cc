#include "cli/credentials/cluster_choice.h"

#include <cstdlib>

#include "base/strings.h"

namespace proa::cli {

std::string kubeconfig_of_environment(Files& files, const char* value) {
  if (value == nullptr) return {};
  std::string first;
  for (const std::string_view part : split(value, ':')) {
    if (part.empty()) continue;
    std::string path(part);
    const auto there = files.exists(path);
    if (there.ok() && *there) return path;
    if (first.empty()) first = path;
  }
  return first;
}

Result<std::unique_ptr<AdminClient>> open_cluster(const Settings& settings, Duration timeout) {
  const std::string& given = settings.text("kubeconfig");
  if (!given.empty()) return AdminClient::open_kubeconfig(given, timeout);
  if (!settings.is_given("data-dir")) {
    SystemFiles files;
    const std::string path = kubeconfig_of_environment(files, std::getenv("KUBECONFIG"));
    if (!path.empty()) return AdminClient::open_kubeconfig(path, timeout, "KUBECONFIG");
  }
  auto opened = AdminClient::open(settings.text("data-dir"));
  if (!opened.is(Reason::kNotFound)) return opened;
  return Status(Reason::kNotFound, opened.status().message() +
                                       "; for a cluster elsewhere pass --kubeconfig or set "
                                       "KUBECONFIG");
}

}  // namespace proa::cli
