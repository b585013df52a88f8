#include "controllers/node/pods_on_nodes.h"

#include "controllers/pods/pod_facts.h"

namespace proa::controllers::nodes {
namespace pods_on_nodes {

std::vector<std::string> node_of(const api::Object& pod) {
  const std::string& node = pod_facts(pod).node;
  if (node.empty()) return {};
  return {node};
}

}  // namespace pods_on_nodes

PodsOnNodes::PodsOnNodes(Informers& informers, std::string_view whose)
    : pods_(informers.of("", "pods")), index_("node of " + std::string(whose)) {
  pods_.add_index(index_, pods_on_nodes::node_of);
}

std::vector<api::ObjectPtr> PodsOnNodes::on(const std::string& node) const {
  return pods_.cache().find(index_, node);
}

}  // namespace proa::controllers::nodes
