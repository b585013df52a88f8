#include "controllers/framework/informers.h"

#include "controllers/framework/owners.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace informers {

std::vector<std::string> controller_uid(const api::Object& object) {
  const api::Metadata::Owner* owner = controller_of(object);
  if (owner == nullptr) return {orphans_of(object.metadata().name_space)};
  return {std::string(owner->uid)};
}

std::vector<std::string> node_name(const api::Object& pod) {
  const std::string& node = pod_facts(pod).node;
  if (node.empty()) return {};
  return {node};
}

}  // namespace informers

std::string orphans_of(std::string_view name_space) { return "/" + std::string(name_space); }

client::Informer& Informers::by_controller(std::string_view group, std::string_view resource) {
  return indexed(group, resource, "controller", informers::controller_uid);
}

client::Informer& Informers::pods_by_node() {
  return indexed("", "pods", "node", informers::node_name);
}

}  // namespace proa::controllers
