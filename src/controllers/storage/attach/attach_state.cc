#include "controllers/storage/attach/attach_state.h"

#include <algorithm>

#include "controllers/pods/pod_facts.h"
#include "controllers/pods/pods_by_node.h"
#include "controllers/storage/attach/attach_key.h"
#include "controllers/storage/pod_claims.h"
#include "json/text/scan.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::controllers::storage {
namespace attach_state {

using client::Change;
using client::Key;

constexpr const char* kIndex = "attach-detach";

std::string of_volume(std::string_view name) { return "volume/" + std::string(name); }
std::string of_node(const api::NodeName& name) { return "node/" + name.str(); }

std::vector<std::string> index_attachment(const api::Object& attachment) {
  const AttachmentFacts& facts = attachment_facts(attachment);
  return {of_volume(facts.volume), of_node(facts.node)};
}

}  // namespace attach_state

AttachState::AttachState(const ControllerContext& context)
    : pods_(pods_by_claim(context.informers)),
      claims_(context.informers.of("", "persistentvolumeclaims")),
      volumes_(context.informers.of("", "persistentvolumes")),
      nodes_(context.informers.of("", "nodes")),
      drivers_(context.informers.of("storage.k8s.io", "csidrivers")),
      attachments_(context.informers.of("storage.k8s.io", "volumeattachments")) {
  pods_by_node(context.informers);
  attachments_.add_index(attach_state::kIndex, attach_state::index_attachment);
}

void AttachState::listen(client::WorkQueue& queue) {
  using client::Change;
  pods_.add_handler([this, &queue](const Change& change) { pod_changed(change, queue); });
  claims_.add_handler([this, &queue](const Change& change) {
    if (change.after != nullptr) claim_changed(*change.after, queue);
  });
  volumes_.add_handler([&queue](const Change& change) {
    const api::Object& volume = change.after != nullptr ? *change.after : *change.before;
    if (!device_facts(volume).driver.empty())
      queue.add(AttachKey::volume(change.key.name).queue_key());
  });
  nodes_.add_handler([this, &queue](const Change& change) { node_changed(change, queue); });
  drivers_.add_handler(
      [this, &queue](const Change& change) { driver_changed(change.key.name, queue); });
  attachments_.add_handler([&queue](const Change& change) {
    const AttachmentFacts& facts =
        attachment_facts(change.after != nullptr ? *change.after : *change.before);
    queue.add(AttachKey::volume(facts.volume).queue_key());
    queue.add(AttachKey::node(facts.node).queue_key());
  });
}

void AttachState::add_volumes_of(const api::Object& pod, client::WorkQueue& queue) const {
  for (const PodClaims::Use& use : pod_claims(pod).uses) {
    const api::ObjectPtr claim =
        claims_.cache().get({std::string(pod.metadata().name_space), use.claim});
    if (claim == nullptr) continue;
    const std::string& volume = kinds::claim_facts(*claim).volume;
    if (!volume.empty()) queue.add(AttachKey::volume(volume).queue_key());
  }
}

void AttachState::pod_changed(const client::Change& change, client::WorkQueue& queue) const {
  const api::Object& pod = change.after != nullptr ? *change.after : *change.before;
  const PodClaims& now = pod_claims(pod);
  if (now.uses.empty() || now.node.empty()) return;
  if (change.before != nullptr && change.after != nullptr) {
    const PodClaims& before = pod_claims(*change.before);
    const bool same = change.before->metadata().uid == change.after->metadata().uid;
    if (same && before.node == now.node && before.terminated == now.terminated) return;
    if (!same) add_volumes_of(*change.before, queue);
  }
  add_volumes_of(pod, queue);
}

void AttachState::claim_changed(const api::Object& claim, client::WorkQueue& queue) const {
  const kinds::ClaimFacts& facts = kinds::claim_facts(claim);
  if (facts.volume.empty()) return;
  if (pods_.cache().find("claim", client::Key::of(claim).str()).empty()) return;
  queue.add(AttachKey::volume(facts.volume).queue_key());
}

void AttachState::node_changed(const client::Change& change, client::WorkQueue& queue) const {
  const bool same = change.before != nullptr && change.after != nullptr &&
                    node_facts(*change.before) == node_facts(*change.after);
  if (same) return;
  const api::NodeName node(change.key.name);
  queue.add(AttachKey::node(node).queue_key());
  for (const api::ObjectPtr& attachment : attachments_of_node(node)) {
    queue.add(AttachKey::volume(attachment_facts(*attachment).volume).queue_key());
  }
  for (const api::ObjectPtr& pod : pods_.cache().find("node", change.key.name)) {
    add_volumes_of(*pod, queue);
  }
}

// Drivers rarely change, so all volumes are scanned.
void AttachState::driver_changed(const std::string& driver, client::WorkQueue& queue) const {
  for (const api::ObjectPtr& volume : volumes_.cache().list()) {
    if (device_facts(*volume).driver == driver)
      queue.add(AttachKey::volume(client::Key::of(*volume).name).queue_key());
  }
}

bool AttachState::is_attachable(const DeviceFacts& device) const {
  if (device.driver.empty()) return false;
  const api::ObjectPtr driver = drivers_.cache().get({"", device.driver});
  // Without a CSIDriver object, attaching is required.
  if (driver == nullptr) return true;
  const std::string_view spec = json::Scan::find(driver->json(), "spec");
  return json::Scan::find(spec, "attachRequired") != "false";
}

bool AttachState::uses(const api::Object& pod, const api::Object& claim) const {
  const PodClaims& claims = pod_claims(pod);
  if (claims.terminated) return false;
  return std::any_of(claims.uses.begin(), claims.uses.end(), [&](const PodClaims::Use& use) {
    return use.claim == claim.metadata().name && (!use.ephemeral || is_made_for(claim, pod));
  });
}

AttachState::Users AttachState::users_of(const api::Object& volume) const {
  Users users;
  const auto& owner = kinds::volume_facts(volume).claim;
  if (!owner || !is_attachable(device_facts(volume))) return users;
  const client::Key key{owner->name_space, owner->name};
  const api::ObjectPtr claim = claims_.cache().get(key);
  if (claim == nullptr) return users;
  const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
  const bool bound =
      facts.uid == owner->uid && facts.phase == "Bound" && facts.volume == volume.metadata().name;
  if (!bound) return users;
  for (api::ObjectPtr& pod : pods_.cache().find("claim", key.str())) {
    const api::NodeName& name = pod_claims(*pod).node;
    const api::ObjectPtr node = this->node(name);
    if (node == nullptr || !node_facts(*node).managed || !uses(*pod, *claim)) continue;
    users[name].push_back(std::move(pod));
  }
  return users;
}

std::vector<api::NodeName> AttachState::in_order(const Users& users) {
  std::vector<std::pair<Time, api::NodeName>> nodes;
  for (const auto& [node, pods] : users) {
    Time oldest = Time::max();
    for (const api::ObjectPtr& pod : pods) oldest = std::min(oldest, pod_facts(*pod).created);
    nodes.emplace_back(oldest, node);
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<api::NodeName> names;
  for (auto& [created, name] : nodes) names.push_back(std::move(name));
  return names;
}

std::vector<api::ObjectPtr> AttachState::attachments_of_volume(std::string_view volume) const {
  return attachments_.cache().find(attach_state::kIndex, attach_state::of_volume(volume));
}

std::vector<api::ObjectPtr> AttachState::attachments_of_node(const api::NodeName& node) const {
  return attachments_.cache().find(attach_state::kIndex, attach_state::of_node(node));
}

}  // namespace proa::controllers::storage
