#include "testkit/scheduler/cluster_client.h"

namespace proa::testkit {
namespace cluster_client {

class Silent final : public client::Watch {
 public:
  explicit Silent(std::vector<client::Event> events) : events_(std::move(events)) {}
  Result<std::vector<client::Event>> next(const Until&) override {
    return std::exchange(events_, {});
  }
  bool on_ready(std::function<void()> wake) override {
    if (!events_.empty()) wake();
    return true;
  }

 private:
  std::vector<client::Event> events_;
};

}  // namespace cluster_client

ClusterClient::ClusterClient(const TestCluster& cluster)
    : objects_{{"nodes", cluster.nodes},
               {"pods", cluster.pods},
               {"namespaces", cluster.namespaces},
               {"services", cluster.services},
               {"replicationcontrollers", cluster.replication_controllers},
               {"replicasets", cluster.replica_sets},
               {"statefulsets", cluster.stateful_sets},
               {"persistentvolumeclaims", cluster.claims},
               {"persistentvolumes", cluster.volumes},
               {"storageclasses", cluster.storage_classes},
               {"csinodes", cluster.csi_nodes},
               {"csidrivers", cluster.csi_drivers},
               {"csistoragecapacities", cluster.csi_capacities},
               {"volumeattachments", cluster.volume_attachments},
               {"poddisruptionbudgets", cluster.disruption_budgets}} {}

const std::vector<api::ObjectPtr>& ClusterClient::of(const client::Place& place) const {
  static const std::vector<api::ObjectPtr> kNone;
  const auto found = objects_.find(std::string(place.resource->name));
  return found == objects_.end() ? kNone : found->second;
}

Result<api::ObjectPtr> ClusterClient::get(const client::Place& place, const Until&) {
  for (const api::ObjectPtr& one : of(place)) {
    const api::Metadata& metadata = one->metadata();
    if (metadata.name == place.name && metadata.name_space == place.name_space) return one;
  }
  return Status(Reason::kNotFound, "not found");
}

Result<client::ObjectList> ClusterClient::list(const client::Place& place, const client::ListQuery&,
                                               const Until&) {
  return client::ObjectList{.items = of(place), .resource_version = "1", .continue_token = {}};
}

Result<std::unique_ptr<client::Watch>> ClusterClient::watch(const client::Place& place,
                                                            const client::WatchQuery& query,
                                                            const Until&) {
  std::vector<client::Event> events;
  if (query.send_initial_events) {
    for (const api::ObjectPtr& one : of(place)) events.push_back({client::EventType::kAdded, one});
    events.push_back({client::EventType::kBookmark,
                      api::Object::make(R"({"metadata":{"resourceVersion":"1","annotations":)"
                                        R"({"k8s.io/initial-events-end":"true"}}})")});
  }
  return std::unique_ptr<client::Watch>(
      std::make_unique<cluster_client::Silent>(std::move(events)));
}

}  // namespace proa::testkit
