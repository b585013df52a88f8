#include "kubelet/host/resolver_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/resolv_conf.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace resolver_file {

// Far more than any sensible resolv.conf has.
constexpr size_t kMaxBytes = size_t{1} << 20;
// "NAMESPACE.svc.DOMAIN", "svc.DOMAIN", "DOMAIN".
constexpr size_t kClusterPaths = 3;

std::string chosen(Files& files, std::string text) {
  if (!names_loopback_only(read_resolv_conf(text))) return text;
  const Result<std::string> systemd = files.read_file(std::string(kSystemdResolvConf), kMaxBytes);
  if (!systemd.ok()) return text;
  return std::string(without_loopback_stub(text, *systemd));
}

}  // namespace resolver_file

std::string read_resolver_file(Files& files, const std::string& path) {
  Result<std::string> text = files.read_file(path, resolver_file::kMaxBytes);
  return text.ok() ? resolver_file::chosen(files, std::move(*text)) : std::string();
}

std::optional<std::string> resolver_file_problem(Files& files, const std::string& path,
                                                 std::string_view cluster_domain) {
  Result<std::string> text = files.read_file(path, resolver_file::kMaxBytes);
  if (!text.ok()) return text.status().message();
  const ResolvConf conf = read_resolv_conf(resolver_file::chosen(files, std::move(*text)));
  if (conf.empty_server) return "nameserver list is empty ";
  const size_t most = kMaxSearchPaths - (cluster_domain.empty() ? 0 : resolver_file::kClusterPaths);
  if (conf.searches.size() > most) {
    return fmt::format(
        "Resolv.conf file '{}' contains search line consisting of more than {} domains!", path,
        most);
  }
  if (std::any_of(conf.searches.begin(), conf.searches.end(),
                  [](const std::string& one) { return one.size() > kMaxSearchPath; })) {
    return fmt::format(
        "Resolv.conf file \"{}\" contains a search path which length is more than allowed {} "
        "chars!",
        path, kMaxSearchPath);
  }
  if (join(conf.searches, " ").size() > kMaxSearchLine) {
    return fmt::format(
        "Resolv.conf file '{}' contains search line which length is more than allowed {} chars!",
        path, kMaxSearchLine);
  }
  return std::nullopt;
}

}  // namespace proa::kubelet
