#include "testkit/scheduler/oracle/oracle_world.h"

#include <algorithm>

#include "base/check.h"

namespace proa::testkit::oracle {
namespace oracle_world {

Pod read_pod(View object) {
  const View metadata = object["metadata"];
  return {.object = object,
          .name = metadata["name"].text(),
          .name_space = metadata["namespace"].text(),
          .uid = metadata["uid"].text(),
          .labels = metadata["labels"],
          .spec = object["spec"],
          .status = object["status"],
          .being_deleted = metadata["deletionTimestamp"].exists()};
}

Node read_node(View object) {
  return {.object = object,
          .name = object["metadata"]["name"].text(),
          .labels = object["metadata"]["labels"],
          .spec = object["spec"],
          .status = object["status"]};
}

// The scheduler does not watch finished pods.
bool counts(const Pod& pod) {
  const auto phase = pod.status["phase"].text();
  return phase != "Succeeded" && phase != "Failed";
}

}  // namespace oracle_world

World::World(const TestCluster& cluster)
    : namespaces(by_name(cluster.namespaces)),
      replication_controllers(by_name(cluster.replication_controllers)),
      replica_sets(by_name(cluster.replica_sets)),
      stateful_sets(by_name(cluster.stateful_sets)),
      claims(by_name(cluster.claims)),
      volumes(by_name(cluster.volumes)),
      storage_classes(by_name(cluster.storage_classes)),
      csi_nodes(by_name(cluster.csi_nodes)),
      csi_drivers(by_name(cluster.csi_drivers)),
      volume_list(in_order(cluster.volumes)),
      services(in_order(cluster.services)),
      csi_capacities(in_order(cluster.csi_capacities)),
      volume_attachments(in_order(cluster.volume_attachments)) {
  for (const auto& node : cluster.nodes) nodes.push_back(oracle_world::read_node(keep(*node)));
  for (const auto& object : cluster.pods) {
    const Pod& pod = add_pod(*object);
    const auto home = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
      return node.name == pod.spec["nodeName"].text();
    });
    if (home != nodes.end() && oracle_world::counts(pod)) home->pods.push_back(&pod);
  }
}

const Pod& World::add_pod(const api::Object& pod) {
  return pods_.emplace_back(oracle_world::read_pod(keep(pod)));
}

View World::keep(const api::Object& object) {
  auto document = object.document();
  CHECK(document.ok());
  return documents_.emplace_back(std::move(document).value()).root();
}

World::Named World::by_name(const std::vector<api::ObjectPtr>& objects) {
  Named named;
  for (const View object : in_order(objects)) {
    const View metadata = object["metadata"];
    named[key_of(metadata["namespace"].text(), metadata["name"].text())] = object;
  }
  return named;
}

std::vector<View> World::in_order(const std::vector<api::ObjectPtr>& objects) {
  std::vector<View> views;
  for (const auto& object : objects) views.push_back(keep(*object));
  return views;
}

std::string key_of(std::string_view name_space, std::string_view name) {
  if (name_space.empty()) return std::string(name);
  return std::string(name_space) + "/" + std::string(name);
}

View find(const World::Named& objects, std::string_view key) {
  const auto at = objects.find(key);
  return at == objects.end() ? View() : at->second;
}

bool Selector::matches(View labels) const {
  for (const auto& [key, value] : pairs) {
    if (!labels[key].exists() || labels[key].text() != value) return false;
  }
  return rest.matches(labels);
}

void normalize(std::vector<int64_t>& points, bool reverse) {
  int64_t most = 0;
  for (const int64_t score : points) most = std::max(most, score);
  for (int64_t& score : points) {
    if (most > 0) score = kMaxScore * score / most;
    if (reverse) score = kMaxScore - score;
  }
}

}  // namespace proa::testkit::oracle
