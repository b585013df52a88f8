#include "cli/node/join/node_kubeconfig.h"

#include <fmt/format.h>

#include "api/object/view.h"
#include "json/yaml.h"

namespace proa::cli {
namespace node_kubeconfig {

constexpr size_t kMaxBytes = 64 * 1024;
constexpr std::string_view kUserPrefix = "system:node:";

std::string path_of(const NodePaths& place) { return place.kubelet_root + "/kubeconfig"; }

}  // namespace node_kubeconfig

Result<void> write_node_kubeconfig(Files& files, const NodePaths& place, const std::string& server,
                                   const std::string& node_name) {
  const std::string text = fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- name: proa
  cluster:
    server: {0}
    certificate-authority: pki/authority.crt
users:
- name: {1}{2}
  user:
    client-certificate: pki/kubelet-client-current.pem
    client-key: pki/kubelet-client-current.pem
contexts:
- name: proa
  context:
    cluster: proa
    user: {1}{2}
current-context: proa
)",
                                       server, node_kubeconfig::kUserPrefix, node_name);
  return files.write_file_atomic(node_kubeconfig::path_of(place), text, 0600);
}

std::optional<NodeKubeconfig> find_node_kubeconfig(Files& files, const NodePaths& place) {
  using namespace node_kubeconfig;  // NOLINT: this unit's own
  const auto text = files.read_file(path_of(place), kMaxBytes);
  if (!text) return std::nullopt;
  const auto document = json::parse_yaml(*text);
  if (!document) return std::nullopt;
  const std::string_view user = api::View(document->root())["users"].item(0)["name"].text();
  if (!user.starts_with(kUserPrefix)) return std::nullopt;
  return NodeKubeconfig{path_of(place), std::string(user.substr(kUserPrefix.size()))};
}

}  // namespace proa::cli
