#include "controllers/workload/disruption/expected_pods.h"

#include <map>
#include <set>

#include "base/strings.h"
#include "controllers/framework/custom/custom_resources.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/workload/objects/common.h"
#include "json/text/scan.h"

namespace proa::controllers::disruption {
namespace expected_pods {

using api::Metadata;

// Scans the text: no other field is needed.
int64_t replicas_of(const api::Object& object) {
  const std::string_view spec = json::Scan::find(object.json(), "spec");
  return parse_int(json::Scan::find(spec, "replicas")).value_or(1);
}

std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_a(const Metadata::Owner& owner, std::string_view kind, std::string_view group,
          std::string_view old_group = {}) {
  const std::string_view named = group_of(owner.api_version);
  return owner.kind == kind && (named == group || (!old_group.empty() && named == old_group));
}

// "jobs.batch"
std::string name_of(const api::Resource& resource) {
  std::string name(resource.name);
  if (!resource.group.empty()) name.append(".").append(resource.group);
  return name;
}

}  // namespace expected_pods

ExpectedPods::ExpectedPods(const ControllerContext& context)
    : client_(context.client),
      schema_(context.schema),
      custom_(context.informers.custom()),
      replication_controllers_(context.informers.of("", "replicationcontrollers")),
      replica_sets_(context.informers.of("apps", "replicasets")),
      deployments_(context.informers.of("apps", "deployments")),
      stateful_sets_(context.informers.of("apps", "statefulsets")) {}

void ExpectedPods::listen(const std::function<void(const std::string&)>& changed) const {
  for (client::Informer* informer :
       {&replication_controllers_, &replica_sets_, &deployments_, &stateful_sets_}) {
    informer->add_handler([changed](const client::Change& change) {
      const bool stayed =
          change.before != nullptr && change.after != nullptr &&
          expected_pods::replicas_of(*change.before) == expected_pods::replicas_of(*change.after);
      if (!stayed) changed(change.key.name_space);
    });
  }
}

Result<ExpectedPods::Count> ExpectedPods::count(const std::vector<api::ObjectPtr>& pods) const {
  Count count;
  std::set<std::string_view> asked;    // uids of owners
  std::map<api::Uid, int64_t> scales;  // several ReplicaSets may have one Deployment
  for (const api::ObjectPtr& pod : pods) {
    const api::Metadata& metadata = pod->metadata();
    const api::Metadata::Owner* owner = controller_of(*pod);
    if (owner == nullptr) {
      count.unmanaged.emplace_back(metadata.name);
      continue;
    }
    if (!asked.insert(owner->uid).second) continue;
    const Found found = TRY(find(*owner, std::string(metadata.name_space)));
    if (!found) {
      return Status(Reason::kNotFound,
                    "found no controllers for pod \"" + std::string(metadata.name) + "\"");
    }
    scales[found->uid] = found->replicas;
  }
  for (const auto& [uid, replicas] : scales) count.expected += replicas;
  return count;
}

ExpectedPods::Found ExpectedPods::in_cache(const client::Informer& informer,
                                           const api::Metadata::Owner& owner,
                                           const std::string& name_space) {
  const api::ObjectPtr object = informer.cache().get({name_space, std::string(owner.name)});
  if (object == nullptr || object->metadata().uid != owner.uid) return std::nullopt;
  return Scale{.uid = api::Uid(owner.uid), .replicas = expected_pods::replicas_of(*object)};
}

ExpectedPods::Found ExpectedPods::find_deployment_or_set(const api::Metadata::Owner& owner,
                                                         const std::string& name_space) const {
  const api::ObjectPtr set = replica_sets_.cache().get({name_space, std::string(owner.name)});
  if (set == nullptr || set->metadata().uid != owner.uid) return std::nullopt;
  const api::Metadata::Owner* above = controller_of(*set);
  if (above == nullptr || above->kind != "Deployment") {
    return in_cache(replica_sets_, owner, name_space);
  }
  if (!expected_pods::is_a(*above, "Deployment", "apps", "extensions")) return std::nullopt;
  return in_cache(deployments_, *above, name_space);
}

Result<ExpectedPods::Found> ExpectedPods::find(const api::Metadata::Owner& owner,
                                               const std::string& name_space) const {
  Found found;
  if (expected_pods::is_a(owner, "ReplicationController", "")) {
    found = in_cache(replication_controllers_, owner, name_space);
  } else if (expected_pods::is_a(owner, "ReplicaSet", "apps", "extensions")) {
    found = find_deployment_or_set(owner, name_space);
  } else if (expected_pods::is_a(owner, "StatefulSet", "apps")) {
    found = in_cache(stateful_sets_, owner, name_space);
  }
  if (found) return found;
  return get_scale(owner, name_space);
}

Result<ExpectedPods::Found> ExpectedPods::get_scale(const api::Metadata::Owner& owner,
                                                    const std::string& name_space) const {
  const api::Type* type = schema_.find_kind(owner.api_version, owner.kind);
  const api::Resource* resource = type == nullptr ? nullptr : schema_.find_resource_of(*type);
  const CustomVersion custom =
      resource == nullptr ? custom_.find_kind(owner.api_version, owner.kind) : CustomVersion();
  if (custom) resource = custom.resource;
  if (resource == nullptr) {
    return Status(Reason::kBadRequest, "no matches for kind \"" + std::string(owner.kind) +
                                           "\" in version \"" + std::string(owner.api_version) +
                                           "\"");
  }
  if (resource->find_subresource("scale") == nullptr) {
    return Status(Reason::kBadRequest,
                  expected_pods::name_of(*resource) + " does not implement the scale subresource");
  }
  const Result<api::ObjectPtr> scale =
      client_.get(place_of(*resource, {name_space, std::string(owner.name)}, "scale"));
  if (scale.is(Reason::kNotFound)) return Found();
  if (!scale) return scale.status();
  if ((*scale)->metadata().uid != owner.uid) return Found();
  const objects::Scale read = TRY(api::decode<objects::Scale>(**scale));
  return Found(Scale{.uid = api::Uid(owner.uid), .replicas = read.spec.replicas});
}

}  // namespace proa::controllers::disruption
