#pragma once

#include <map>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/storage/attach/facts.h"

namespace proa::controllers::storage {

// Which kinds of keys there are: they stand where namespaces do.
inline constexpr const char* kVolumeKeys = "volume";
inline constexpr const char* kNodeKeys = "node";

// What attaching sees of the cluster: pods, claims, volumes, nodes, drivers, attachments. Only
// looks.
class AttachSights {
 public:
  // Adds indexes to informers that are not started yet.
  explicit AttachSights(const ControllerContext& context);
  // Handlers that put the keys of volumes and nodes into the queue that a change may matter to.
  void listen(client::WorkQueue& queue);

  // Pods that need the volume, by the node that they were given to. Empty for volumes that nobody
  // attaches.
  using Users = std::map<std::string, std::vector<api::ObjectPtr>>;
  Users users_of(const api::Object& volume) const;
  // The nodes of `users`, the one with the oldest pod first.
  static std::vector<std::string> in_order(const Users& users);

  std::vector<api::ObjectPtr> attachments_of_volume(std::string_view volume) const;
  std::vector<api::ObjectPtr> attachments_of_node(std::string_view node) const;
  // Null when there is none.
  api::ObjectPtr volume(const std::string& name) const { return volumes_.cache().get({"", name}); }
  api::ObjectPtr node(const std::string& name) const { return nodes_.cache().get({"", name}); }
  const client::Informer& attachments() const { return attachments_; }
  const client::Informer& nodes() const { return nodes_; }

 private:
  bool is_attachable(const DeviceFacts& device) const;
  // Whether this pod uses this very claim.
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
