#pragma once

// Shared by the tests of this folder: a server with objects, and one plugin with a cluster.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "json/parse.h"
#include "scheduler/framework/context.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler::volumes_test {

using testkit::make_claim;
using testkit::make_csi_node;
using testkit::make_node;
using testkit::make_pod;
using testkit::make_storage_class;
using testkit::make_volume;

inline std::string_view resource_of(const testkit::ClaimBuilder&) {
  return "persistentvolumeclaims";
}
inline std::string_view resource_of(const testkit::VolumeBuilder&) { return "persistentvolumes"; }
inline std::string_view resource_of(const testkit::StorageClassBuilder&) {
  return "storageclasses";
}
inline std::string_view resource_of(const testkit::CsiNodeBuilder&) { return "csinodes"; }
inline std::string_view resource_of(const testkit::CsiDriverBuilder&) { return "csidrivers"; }
inline std::string_view resource_of(const testkit::CsiCapacityBuilder&) {
  return "csistoragecapacities";
}
inline std::string_view resource_of(const testkit::AttachmentBuilder&) {
  return "volumeattachments";
}
inline std::string_view resource_of(const testkit::NodeBuilder&) { return "nodes"; }
inline std::string_view resource_of(const testkit::PodBuilder&) { return "pods"; }

class StorageWorld : private testkit::TestContext {
 public:
  using Make = Result<std::unique_ptr<Plugin>> (*)(const PluginContext& context, api::View args);
  explicit StorageWorld(Make make, std::string_view args = "{}")
      : plugin_(std::move(*make(context(), json::parse(args).value().root()))) {
    informers.poll();
  }

  // Adds or updates an object in the plugin's caches.
  template <typename Builder>
  api::ObjectPtr put(Builder object) {
    object.version(server.next_version());
    return tell(resource_of(object), object.object());
  }
  template <typename Builder, typename... Builders>
  void put(Builder first, Builders... others) {
    put(std::move(first));
    put(std::move(others)...);
  }
  api::ObjectPtr tell(std::string_view resource, api::ObjectPtr object) {
    server.tell(resource, client::EventType::kModified, object);
    informers.poll();
    return object;
  }
  template <typename Builder>
  void remove(const Builder& object) {
    server.tell(resource_of(object), client::EventType::kDeleted, object.object());
    informers.poll();
  }
  // The same, and adds it to the cluster.
  NodeIndex add(const testkit::NodeBuilder& node) {
    const api::ObjectPtr object = put(node);
    cluster.put_node(object);
    return *cluster.find(api::NodeNameView(object->metadata().name));
  }
  PodPtr add(const testkit::PodBuilder& pod) {
    cluster.put_pod(read(pod));
    return cluster.pod(api::UidView(pod.object()->metadata().uid));
  }
  PodPtr read(const testkit::PodBuilder& pod) { return reader.read(pod.object()); }

  Plugin& plugin() { return *plugin_; }
  // REQUIRES: the plugin implements this extension point.
  template <typename Point>
  Point& as() {
    return dynamic_cast<Point&>(*plugin_);
  }
  PreFiltered pre_filter(const testkit::PodBuilder& pod) {
    return as<FilterPlugin>().pre_filter(*read(pod));
  }

  // "" if the node is feasible; otherwise the code and reasons: "Unschedulable: a, b".
  static std::string say(const Verdict& verdict) {
    if (verdict.ok()) return "";
    std::string text = verdict.code == Code::kUnschedulable  ? "Unschedulable: "
                       : verdict.code == Code::kUnresolvable ? "Unresolvable: "
                                                             : "Error: ";
    for (size_t i = 0; i < verdict.reasons->size(); ++i) {
      text.append(i == 0 ? "" : ", ").append((*verdict.reasons)[i]);
    }
    return text;
  }
  // Prefixed with "all: " if PreFilter rejected all nodes.
  std::string check(const testkit::PodBuilder& pod, NodeIndex node = 0) {
    const PreFiltered filtered = pre_filter(pod);
    if (!filtered.verdict.ok()) return "all: " + say(filtered.verdict);
    return filtered.filter ? say(filtered.filter->check(node, cluster.at(node))) : "";
  }
  std::string suggestion(const testkit::PodBuilder& pod, NodeIndex node = 0) {
    const PreFiltered filtered = pre_filter(pod);
    return filtered.filter ? filtered.filter->suggestion(node, cluster.at(node))
                           : "nothing to suggestion";
  }

  // Whether it would requeue the pod after a change of an object; null: it was added.
  bool helped_by(const testkit::PodBuilder& pod, EventResource resource, const api::Object* before,
                 const api::Object* after) {
    const ClusterEvent event{.resource = resource,
                             .action = before == nullptr  ? action::kAdd
                                       : after == nullptr ? action::kDelete
                                                          : action::kUpdateOther,
                             .old_object = before,
                             .new_object = after};
    return plugin_->may_help(*read(pod), event);
  }
  bool helped_by_deletion(const testkit::PodBuilder& pod, const testkit::PodBuilder& gone) {
    const PodPtr old_pod = read(gone);
    const ClusterEvent event{.resource = EventResource::kAssignedPod,
                             .action = action::kDelete,
                             .old_pod = old_pod.get()};
    return plugin_->may_help(*read(pod), event);
  }

  using TestContext::clock;
  using TestContext::cluster;
  using TestContext::context;
  using TestContext::informers;
  using TestContext::reader;
  using TestContext::server;

 private:
  std::unique_ptr<Plugin> plugin_;
};

// A claim generated for a pod, in its namespace.
inline testkit::ClaimBuilder make_ephemeral_claim(std::string_view pod, std::string_view volume) {
  return make_claim(std::string(pod) + "-" + std::string(volume)).owner("v1", "Pod", pod);
}
inline constexpr const char* kEphemeral =
    R"({"name":"scratch","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],)"
    R"("resources":{"requests":{"storage":"1Gi"}}}}}})";

}  // namespace proa::scheduler::volumes_test
