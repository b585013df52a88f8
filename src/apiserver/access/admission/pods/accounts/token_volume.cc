#include "apiserver/access/admission/pods/accounts/token_volume.h"

#include <algorithm>
#include <string>

#include "apiserver/access/admission/pods/pod_parts.h"

namespace proa::apiserver {
namespace token_volume {

using api::Edit;
using api::View;

constexpr std::string_view kNamePrefix = "kube-api-access-";
constexpr size_t kSuffixLength = 5;  // as in generated names
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
// Slightly over an hour: the API server recognizes injected tokens by this number and extends their
// lifetime for clients that do not reload them.
constexpr int64_t kTokenSeconds = 3607;
constexpr int64_t kFileMode = 0644;

// Reuses a volume that the user created under such a name.
std::string_view existing_name(View spec) {
  for (const View volume : spec["volumes"].items())
    if (volume["name"].text().starts_with(kNamePrefix)) return volume["name"].text();
  return {};
}

bool has_mount(View container) {
  const auto mounts = container["volumeMounts"].items();
  return std::any_of(mounts.begin(), mounts.end(), [](const json::Value& mount) {
    return View(mount)["mountPath"].text() == kMountPath;
  });
}

// Returns whether any mount was added.
bool add_mounts(Edit spec, std::string_view volume) {
  bool added = false;
  for (const std::string_view list : {"initContainers", "containers"}) {
    each_object(spec, list, [&](Edit container) {
      if (has_mount(container.view())) return;
      const Edit mount = container.array("volumeMounts").push_object();
      mount.set("name", volume);
      mount.set("readOnly", true);
      mount.set("mountPath", kMountPath);
      added = true;
    });
  }
  return added;
}

void add_volume(Edit spec, std::string_view name) {
  const Edit volume = spec.array("volumes").push_object();
  volume.set("name", name);
  const Edit projected = volume.object("projected");
  projected.set("defaultMode", kFileMode);
  const Edit sources = projected.array("sources");

  const Edit token = sources.push_object().object("serviceAccountToken");
  token.set("expirationSeconds", kTokenSeconds);
  token.set("path", "token");

  const Edit authority = sources.push_object().object("configMap");
  authority.set("name", "kube-root-ca.crt");
  const Edit certificate = authority.array("items").push_object();
  certificate.set("key", "ca.crt");
  certificate.set("path", "ca.crt");

  const Edit file = sources.push_object().object("downwardAPI").array("items").push_object();
  file.set("path", "namespace");
  const Edit field = file.object("fieldRef");
  field.set("apiVersion", "v1");
  field.set("fieldPath", "metadata.namespace");
}

}  // namespace token_volume

void mount_token(api::Edit pod_spec, Random& random) {
  std::string name(token_volume::existing_name(pod_spec.view()));
  const bool exists = !name.empty();
  if (!exists) {
    name = token_volume::kNamePrefix;
    name += make_suffix(random, token_volume::kSuffixLength);
  }
  if (token_volume::add_mounts(pod_spec, name) && !exists) token_volume::add_volume(pod_spec, name);
}

}  // namespace proa::apiserver
