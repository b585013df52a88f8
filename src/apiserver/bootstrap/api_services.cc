#include "apiserver/bootstrap/api_services.h"

#include <string>

#include "apiserver/representation/discovery/groups.h"

namespace proa::apiserver {
namespace api_services {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "apiregistration.k8s.io";
constexpr std::string_view kManaged = "kube-aggregator.kubernetes.io/automanaged";

// The aggregator resets only what it manages.
void revise(Edit stored, View wanted) {
  const std::string_view managed = stored["metadata"]["labels"][kManaged].text();
  if (managed == "onstart" || managed == "true") stored.copy("spec", wanted["spec"]);
}

json::Document service(const ServedGroup& group, const ServedVersion& version) {
  json::Document document({}, json::Value::object());
  const Edit object(document);
  const Edit metadata = object.object("metadata");
  metadata.set("name", std::string(version.name) + "." + std::string(group.name));
  metadata.object("labels").set(kManaged, "onstart");
  const Edit spec = object.object("spec");
  if (!group.name.empty()) spec.set("group", group.name);
  spec.set("version", version.name);
  spec.set("groupPriorityMinimum", group.priority);
  spec.set("versionPriority", version.priority);
  return document;
}

}  // namespace api_services

void add_api_services(const api::Schema& schema, std::vector<Wanted>& objects) {
  const api::Resource& resource = *schema.find_resource(api_services::kGroup, "v1", "apiservices");
  for (const ServedGroup& group : sort_into_groups(schema.resources())) {
    if (group.name == api_services::kGroup) continue;  // the aggregator's own
    for (const ServedVersion& version : group.versions) {
      objects.push_back({.resource = resource,
                         .document = api_services::service(group, version),
                         .revise = api_services::revise});
    }
  }
}

}  // namespace proa::apiserver
