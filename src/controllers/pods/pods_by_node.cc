#include "controllers/pods/pods_by_node.h"

#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace pods_by_node_index {

std::vector<std::string> node_name(const api::Object& pod) {
  const api::NodeName& node = pod_facts(pod).node;
  if (node.empty()) return {};
  return {node.str()};
}

}  // namespace pods_by_node_index

client::Informer& pods_by_node(Informers& informers) {
  return informers.indexed("", "pods", "node", pods_by_node_index::node_name);
}

}  // namespace proa::controllers
