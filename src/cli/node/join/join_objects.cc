#include "cli/node/join/join_objects.h"

#include <fmt/format.h>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::cli {
namespace join_objects {

// The default group of `proa token create`.
constexpr std::string_view kTokenGroup = "system:bootstrappers:proa:default-node-token";

struct Binding {
  std::string_view name;
  std::string_view role;
  std::string_view group;
};
// As kubeadm binds them, under other names.
constexpr Binding kBindings[] = {
    {"proa:node-bootstrapper", "system:node-bootstrapper", kTokenGroup},
    {"proa:node-autoapprove-bootstrap",
     "system:certificates.k8s.io:certificatesigningrequests:nodeclient", kTokenGroup},
    {"proa:node-autoapprove-certificate-rotation",
     "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"}};

Result<void> ensure_binding(const client::BoundedClient& client, const Binding& binding) {
  const client::Place place{.resource = api::builtin_schema().find_resource(
                                "rbac.authorization.k8s.io", "v1", "clusterrolebindings"),
                            .name_space = "",
                            .name = "",
                            .subresource = ""};
  const auto made = client.create(
      place,
      json::parse_literal(fmt::format(
          R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
          R"("metadata":{{"name":"{}"}},)"
          R"("roleRef":{{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
          R"("name":"{}"}},)"
          R"("subjects":[{{"apiGroup":"rbac.authorization.k8s.io","kind":"Group",)"
          R"("name":"{}"}}]}})",
          binding.name, binding.role, binding.group)),
      {});
  if (!made && !made.is(Reason::kAlreadyExists)) return made.status();
  return {};
}

// Without a user: only the cluster's address and CA.
std::string kubeconfig_for(const std::string& server, const std::string& authority_pem) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: \"\"\n"
      "  cluster:\n"
      "    certificate-authority-data: {}\n"
      "    server: {}\n"
      "contexts: null\n"
      "current-context: \"\"\n"
      "users: null\n",
      to_base64(authority_pem), server);
}

client::Place cluster_info() {
  return {.resource = api::builtin_schema().find_resource("", "v1", "configmaps"),
          .name_space = "kube-public",
          .name = "cluster-info",
          .subresource = ""};
}

Result<void> ensure_cluster_info(const client::BoundedClient& client,
                                 const std::string& kubeconfig) {
  client::Place place = cluster_info();
  const auto found = client.get(place);
  if (!found && !found.is(Reason::kNotFound)) return found.status();
  if (found) {
    json::Document document = TRY((*found)->document());
    if (api::View(document.root()).at("data.kubeconfig").text() == kubeconfig) return {};
    api::Edit(document).object("data").set("kubeconfig", kubeconfig);
    TRY(client.update(place, std::move(document), {}));
    return {};
  }
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cluster-info",)"
                     R"("namespace":"kube-public"},"data":{"kubeconfig":)";
  json::print_string_to(text, kubeconfig);
  place.name.clear();
  TRY(client.create(place, json::parse_literal(text + "}}"), {}));
  return {};
}

}  // namespace join_objects

Result<void> ensure_join_objects(const client::BoundedClient& client, const std::string& server,
                                 const std::string& authority_pem) {
  for (const join_objects::Binding& binding : join_objects::kBindings) {
    TRY(join_objects::ensure_binding(client, binding));
  }
  return join_objects::ensure_cluster_info(client,
                                           join_objects::kubeconfig_for(server, authority_pem));
}

Result<std::string> advertised_server(const client::BoundedClient& client) {
  const api::ObjectPtr found = TRY(client.get(join_objects::cluster_info()));
  const json::Document map = TRY(found->document());
  const json::Document kubeconfig =
      TRY(json::parse_yaml(api::View(map.root()).at("data.kubeconfig").text()));
  return std::string(api::View(kubeconfig.root())["clusters"].item(0)["cluster"]["server"].text());
}

}  // namespace proa::cli
