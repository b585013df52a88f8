#include "apiserver/access/admission/pods/accounts/secret_references.h"

#include <fmt/format.h>

#include <set>

namespace proa::apiserver {
namespace secret_references {

using api::View;

// The secrets that an account allows its pods to reference.
struct Allowed {
  std::string_view account;
  std::set<std::string_view> secrets;

  // `whose` precedes the name in the message. Empty if allowed.
  std::string problem(std::string_view whose, std::string_view secret) const {
    if (secrets.contains(secret)) return "";
    return fmt::format(
        "{} secret.secretName=\"{}\" is not allowed because service account {} does not reference "
        "that secret",
        whose, secret, account);
  }
};

std::set<std::string_view> names(View references) {
  std::set<std::string_view> names;
  for (const View reference : references.items()) names.insert(reference["name"].text());
  return names;
}

std::string in_volume(View volume, const Allowed& allowed) {
  if (volume["secret"].exists()) {
    std::string problem = allowed.problem("volume with", volume["secret"]["secretName"].text());
    if (!problem.empty()) return problem;
  }
  // Stricter than upstream's limitSecretReferences, which ignores projected volumes.
  for (const View source : volume["projected"]["sources"].items()) {
    if (!source["secret"].exists()) continue;
    std::string problem = allowed.problem("volume with", source["secret"]["name"].text());
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string in_container(View container, std::string_view kind, const Allowed& allowed) {
  const std::string_view name = container["name"].text();
  for (const View variable : container["env"].items()) {
    const View secret = variable["valueFrom"]["secretKeyRef"];
    if (!secret.exists()) continue;
    std::string problem = allowed.problem(
        fmt::format("{} {} with envVar {} referencing", kind, name, variable["name"].text()),
        secret["name"].text());
    if (!problem.empty()) return problem;
  }
  for (const View source : container["envFrom"].items()) {
    if (!source["secretRef"].exists()) continue;
    std::string problem = allowed.problem(fmt::format("{} {} with envFrom referencing", kind, name),
                                          source["secretRef"]["name"].text());
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string in_containers(View containers, std::string_view kind, const Allowed& allowed) {
  for (const View container : containers.items()) {
    std::string problem = in_container(container, kind, allowed);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string in_pull_secrets(View references, View account) {
  const std::set<std::string_view> allowed = names(account["imagePullSecrets"]);
  size_t index = 0;
  for (const View reference : references.items()) {
    const std::string_view name = reference["name"].text();
    if (!allowed.contains(name)) {
      return fmt::format(
          "imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} does not "
          "reference that imagePullSecret",
          index, name, account["metadata"]["name"].text());
    }
    ++index;
  }
  return "";
}

Allowed allowed_by(View account) {
  return {account["metadata"]["name"].text(), names(account["secrets"])};
}

}  // namespace secret_references

std::string foreign_secret_of_pod(api::View pod_spec, api::View account) {
  const secret_references::Allowed allowed = secret_references::allowed_by(account);
  for (const api::View volume : pod_spec["volumes"].items()) {
    std::string problem = secret_references::in_volume(volume, allowed);
    if (!problem.empty()) return problem;
  }
  std::string problem =
      secret_references::in_containers(pod_spec["initContainers"], "init container", allowed);
  if (problem.empty())
    problem = secret_references::in_containers(pod_spec["containers"], "container", allowed);
  if (problem.empty())
    problem = secret_references::in_pull_secrets(pod_spec["imagePullSecrets"], account);
  return problem;
}

std::string foreign_secret_of_ephemeral_containers(api::View pod_spec, api::View account) {
  return secret_references::in_containers(pod_spec["ephemeralContainers"], "ephemeral container",
                                          secret_references::allowed_by(account));
}

}  // namespace proa::apiserver
