#pragma once

#include <map>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/storage/attach/facts.h"

namespace proa::controllers::storage {

// The caches that the attach-detach controller reads: pods, claims, volumes, nodes, drivers,
// attachments. Writes nothing.
class AttachState {
 public:
  // Adds indexes to informers that are not started yet.
  explicit AttachState(const ControllerContext& context);
  // Adds handlers that queue the AttachKeys of volumes and nodes affected by a change.
  void listen(client::WorkQueue& queue);

  // Pods that use the volume, by node. Empty for volumes that are not attached.
  using Users = std::map<api::NodeName, std::vector<api::ObjectPtr>>;
  Users users_of(const api::Object& volume) const;
  // The nodes of `users`, the one with the oldest pod first.
  static std::vector<api::NodeName> in_order(const Users& users);

  std::vector<api::ObjectPtr> attachments_of_volume(std::string_view volume) const;
  std::vector<api::ObjectPtr> attachments_of_node(const api::NodeName& node) const;
  // Null if it does not exist.
  api::ObjectPtr volume(const std::string& name) const { return volumes_.cache().get({"", name}); }
  api::ObjectPtr node(const api::NodeName& name) const {
    return nodes_.cache().get({"", name.str()});
  }
  const client::Informer& attachments() const { return attachments_; }
  const client::Informer& nodes() const { return nodes_; }

 private:
  bool is_attachable(const DeviceFacts& device) const;
  // Whether the pod uses this claim.
  bool uses(const api::Object& pod, const api::Object& claim) const;
  void pod_changed(const client::Change& change, client::WorkQueue& queue) const;
  void claim_changed(const api::Object& claim, client::WorkQueue& queue) const;
  void node_changed(const client::Change& change, client::WorkQueue& queue) const;
  void driver_changed(const std::string& driver, client::WorkQueue& queue) const;
  void add_volumes_of(const api::Object& pod, client::WorkQueue& queue) const;

  client::Informer& pods_;
  client::Informer& claims_;
  client::Informer& volumes_;
  client::Informer& nodes_;
  client::Informer& drivers_;
  client::Informer& attachments_;
};

}  // namespace proa::controllers::storage
