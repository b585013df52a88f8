#include <algorithm>
#include <set>

#include "apiserver/access/admission/nodes/restrictions.h"
#include "apiserver/access/authz/node/references.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace restrict_tokens {

using api::View;

// In-tree volume types migrated to CSI drivers.
struct Migrated {
  std::string_view source;
  std::string_view driver;
};
constexpr Migrated kMigrated[] = {
    {"gcePersistentDisk", "pd.csi.storage.gke.io"},
    {"awsElasticBlockStore", "ebs.csi.aws.com"},
    {"cinder", "cinder.csi.openstack.org"},
    {"azureDisk", "disk.csi.azure.com"},
    {"azureFile", "file.csi.azure.com"},
    {"vsphereVolume", "csi.vsphere.vmware.com"},
    {"portworxVolume", "pxd.portworx.com"},
};

// The driver of a pod's volume or of a PersistentVolume; empty: none.
std::string driver_of_source(View source) {
  if (source["csi"]) return std::string(source["csi"]["driver"].text());
  for (const Migrated& migrated : kMigrated) {
    if (source[migrated.source]) return std::string(migrated.driver);
  }
  return {};
}

// Resolves the drivers of a pod's volumes from the store.
class Drivers {
 public:
  Drivers(const NodeChange& change, View pod) : change_(change), pod_(pod) {}

  Result<std::string> of(View volume) const {
    if (volume["ephemeral"]["volumeClaimTemplate"]) {
      return of_claim(ephemeral_claim_name(pod_["metadata"]["name"].text(), volume["name"].text()));
    }
    if (const View claim = volume["persistentVolumeClaim"]) {
      return of_claim(claim["claimName"].text());
    }
    return driver_of_source(volume);
  }

  Result<bool> asks_for(std::string_view driver, std::string_view audience) const {
    const json::Document found = TRY(read("storage.k8s.io", "csidrivers", "csidriver", "", driver));
    for (const View wanted : View(found.root())["spec"]["tokenRequests"].items()) {
      if (wanted["audience"].text() == audience) return true;
    }
    return false;
  }

 private:
  Result<std::string> of_claim(std::string_view name) const {
    const json::Document claim = TRY(read("", "persistentvolumeclaims", "persistentvolumeclaim",
                                          change_.admission.request.name_space, name));
    const std::string_view volume_name = View(claim.root())["spec"]["volumeName"].text();
    const json::Document volume =
        TRY(read("", "persistentvolumes", "persistentvolume", "", volume_name));
    return driver_of_source(View(volume.root())["spec"]);
  }

  Result<json::Document> read(std::string_view group, std::string_view resource,
                              std::string_view singular, std::string_view name_space,
                              std::string_view name) const {
    const api::ObjectPtr object = TRY(change_.objects.find(group, resource, name_space, name));
    if (object == nullptr) return not_found(group, singular, name);
    return object->document();
  }

  const NodeChange& change_;
  const View pod_;
};

bool projects(View volume, std::string_view audience) {
  for (const View source : volume["projected"]["sources"].items()) {
    const View token = source["serviceAccountToken"];
    if (token && token["audience"].text() == audience) return true;
  }
  return false;
}

// Whether a volume of the pod requests tokens for the audience. Failures to inspect other volumes
// matter only if none does.
Result<bool> asks_for(const NodeChange& change, View pod, std::string_view audience) {
  const Drivers drivers(change, pod);
  std::vector<std::string> problems;
  for (const View volume : pod["spec"]["volumes"].items()) {
    if (projects(volume, audience)) return true;
    Result<bool> asks = false;
    const Result<std::string> driver = drivers.of(volume);
    if (!driver) {
      asks = driver.status();
    } else if (!driver->empty()) {
      asks = drivers.asks_for(*driver, audience);
    }
    if (asks.ok() && *asks) return true;
    if (asks.ok()) continue;
    const std::string& problem = asks.status().message();
    if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
      problems.push_back(problem);
    }
  }
  if (problems.empty()) return false;
  return Status(Reason::kForbidden,
                problems.size() == 1
                    ? problems.front()
                    : "[" + join(std::span<const std::string>(problems), ", ") + "]");
}

Result<void> check_audience(const NodeChange& change, View pod) {
  const View audiences = change.object["spec"]["audiences"];
  if (audiences.size() > 1) return change.forbidden("node may only request 0 or 1 audiences");
  const std::string_view audience = audiences.item(0).text();
  const Result<bool> asked = asks_for(change, pod, audience);
  if (!asked) {
    return change.forbidden("error validating audience " + api::quoted(audience) + ": " +
                            asked.status().message());
  }
  if (*asked) return {};
  // Access may be granted by RBAC: the audience is the resource, the account is the name.
  const Request& request = change.admission.request;
  Attributes attributes;
  attributes.user = request.user.get();
  attributes.verb = "request-serviceaccounts-token-audience";
  attributes.version = "v1";
  attributes.resource = audience;
  attributes.name_space = request.name_space;
  attributes.name = request.name;
  if (change.authorizer.authorize(attributes).allowed()) return {};
  return change.forbidden("audience " + api::quoted(audience) + " not found in pod spec volume, " +
                          request.user->name +
                          " is not authorized to request tokens for this audience");
}

}  // namespace restrict_tokens

Result<void> restrict_service_account(const NodeChange& change) {
  const api::Subresource* subresource = change.admission.request.subresource;
  if (change.operation() != Operation::kCreate) return {};
  if (subresource == nullptr || subresource->name != "token") return {};
  const api::View bound = change.object["spec"]["boundObjectRef"];
  const std::string_view name = bound["name"].text();
  const std::string_view uid = bound["uid"].text();
  if (bound["apiVersion"].text() != "v1" || bound["kind"].text() != "Pod" || name.empty()) {
    return change.forbidden("node requested token not bound to a pod");
  }
  if (uid.empty()) {
    return change.forbidden("node requested token with a pod binding without a uid");
  }
  const api::ObjectPtr object =
      TRY(change.objects.find("", "pods", change.admission.request.name_space, name));
  if (object == nullptr) return not_found("", "pod", name);
  const json::Document document = TRY(object->document());
  const api::View pod = document.root();
  if (uid != pod["metadata"]["uid"].text()) {
    return change.forbidden(
        "the UID in the bound object reference (" + std::string(uid) +
        ") does not match the UID in record. The object might have been deleted and then "
        "recreated");
  }
  if (pod["spec"]["nodeName"].text() != change.node) {
    return change.forbidden("node requested token bound to a pod scheduled on a different node");
  }
  return restrict_tokens::check_audience(change, pod);
}

}  // namespace proa::apiserver
