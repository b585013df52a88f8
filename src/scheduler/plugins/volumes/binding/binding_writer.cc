#include "scheduler/plugins/volumes/binding/binding_writer.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"
#include "scheduler/plugins/volumes/binding/claim_search.h"

namespace proa::scheduler {
namespace binding_writer {

const api::Resource& find(const api::Schema& schema, std::string_view name) {
  for (const api::Resource* resource : schema.resources()) {
    if (resource->name == name && resource->group.empty()) return *resource->stored;
  }
  CHECK(!"a resource that there is");
  __builtin_unreachable();
}

int64_t version_of(const api::Object& object) {
  return parse_int(object.metadata().resource_version).value_or(0);
}

std::string claim_thing(std::string_view name_space, std::string_view name) {
  return "claim/" + std::string(name_space) + "/" + std::string(name);
}
std::string thing(std::string_view kind, const client::Key& key) {
  return std::string(kind) + "/" + key.str();
}

Status failure(std::string message) { return {Reason::kUnknown, std::move(message)}; }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool is_fully_bound(const api::Object& claim) {
  const kinds::ClaimFacts& facts = kinds::claim_facts(claim);
  return !facts.volume.empty() && facts.bind_completed;
}

// Everything that the pod's binding depends on.
std::vector<std::string> things_of(const Pod& pod, const Reservation& reservation) {
  std::vector<std::string> things = {thing("pod", client::Key::of(*pod.object)),
                                     "node/" + reservation.node.str()};
  for (const VolumeBindings::Pair& pair : reservation.bindings.bind) {
    things.push_back(thing("volume", client::Key::of(*pair.volume)));
    things.push_back(thing("claim", client::Key::of(*pair.claim)));
  }
  for (const api::ObjectPtr& claim : reservation.bindings.provision) {
    things.push_back(thing("claim", client::Key::of(*claim)));
  }
  return things;
}

// Pods that wait for a volume being provisioned only know its claim.
void ring_volume(ChangeNotifier& notifier, const client::Change& change) {
  if (!notifier.has_listeners()) return;
  notifier.notify(thing("volume", change.key));
  const api::Object& volume = change.after != nullptr ? *change.after : *change.before;
  const auto& claim = kinds::volume_facts(volume).claim;
  if (claim) notifier.notify(claim_thing(claim->name_space, claim->name));
}

client::Informer::Handler ring_for(std::shared_ptr<ChangeNotifier> notifier, std::string kind) {
  return [notifier = std::move(notifier), kind = std::move(kind)](const client::Change& change) {
    if (notifier->has_listeners()) notifier->notify(thing(kind, change.key));
  };
}

}  // namespace binding_writer

BindingWriter::BindingWriter(const PluginContext& context, Duration timeout)
    : client_(context.client.unbounded()),
      clock_(context.clock),
      timeout_(timeout),
      volume_resource_(binding_writer::find(context.schema, "persistentvolumes")),
      claim_resource_(binding_writer::find(context.schema, "persistentvolumeclaims")),
      volumes_(context.informers.of("", "persistentvolumes").cache()),
      claims_(context.informers.of("", "persistentvolumeclaims").cache()),
      csi_nodes_(context.informers.of("storage.k8s.io", "csinodes").cache()),
      nodes_(context.informers.of("", "nodes").cache()),
      pods_(context.informers.of("", "pods").cache()),
      notifier_(std::make_shared<ChangeNotifier>(context.clock)) {
  follow(context.informers);
}

void BindingWriter::follow(client::Informers& informers) {
  informers.of("", "persistentvolumes")
      .add_handler([notifier = notifier_](const client::Change& change) {
        binding_writer::ring_volume(*notifier, change);
      });
  informers.of("", "persistentvolumeclaims")
      .add_handler(binding_writer::ring_for(notifier_, "claim"));
  informers.of("", "nodes").add_handler(binding_writer::ring_for(notifier_, "node"));
  informers.of("", "pods").add_handler([notifier = notifier_](const client::Change& change) {
    if (change.after == nullptr && notifier->has_listeners())
      notifier->notify(binding_writer::thing("pod", change.key));
  });
}

Result<void> BindingWriter::bind(const Pod& pod, Reservation& reservation, const Until& until) {
  const Versions versions = TRY(write(reservation, until));
  const Result<void> bound = wait(pod, reservation, versions, until);
  if (!bound) return bound.status().in("binding volumes");
  return {};
}

Result<BindingWriter::Versions> BindingWriter::write(Reservation& reservation, const Until& until) {
  Versions versions;
  for (const VolumeBindings::Pair& pair : reservation.bindings.bind) {
    const client::Place place{.resource = &volume_resource_,
                              .name_space = {},
                              .name = std::string(pair.volume->metadata().name),
                              .subresource = {}};
    json::Document volume = TRY(pair.volume->document());
    const api::ObjectPtr written = TRY(client_.update(place, std::move(volume), {}, until));
    versions.volumes.push_back(binding_writer::version_of(*written));
    ++reservation.written;
  }
  for (const api::ObjectPtr& claim : reservation.bindings.provision) {
    const client::Place place{.resource = &claim_resource_,
                              .name_space = std::string(claim->metadata().name_space),
                              .name = std::string(claim->metadata().name),
                              .subresource = {}};
    json::Document document = TRY(claim->document());
    const api::ObjectPtr written = TRY(client_.update(place, std::move(document), {}, until));
    versions.claims.push_back(binding_writer::version_of(*written));
    ++reservation.written;
  }
  return versions;
}

Result<void> BindingWriter::wait(const Pod& pod, const Reservation& reservation,
                                 const Versions& versions, const Until& until) {
  const Until limit{std::min(until.deadline, clock_.steady() + timeout_), until.stop};
  ChangeNotifier::Listener listener(*notifier_, binding_writer::things_of(pod, reservation));
  while (true) {
    if (TRY(are_bound(pod, reservation, versions))) return {};
    if (listener.wait(limit)) continue;
    if (until.stop.stop_requested()) return binding_writer::failure("context canceled");
    return Status(Reason::kTimeout, "context deadline exceeded");
  }
}

Result<bool> BindingWriter::are_bound(const Pod& pod, const Reservation& reservation,
                                      const Versions& versions) const {
  const api::ObjectPtr node = nodes_.get({"", reservation.node.str()});
  if (node == nullptr) {
    return not_found("node", reservation.node.view())
        .in("failed to get node " + binding_writer::quoted(reservation.node.view()));
  }
  if (pods_.get(client::Key::of(*pod.object)) == nullptr) {
    return not_found("pod", pod.name()).in("pod does not exist any more");
  }
  const VolumeBindings& bindings = reservation.bindings;
  for (size_t i = 0; i < bindings.bind.size(); ++i) {
    const bool bound =
        TRY(is_volume_bound(bindings.bind[i], versions.volumes[i], node->metadata()));
    if (!bound) return false;
  }
  for (size_t i = 0; i < bindings.provision.size(); ++i) {
    const bool provisioned =
        TRY(is_provisioned(*bindings.provision[i], versions.claims[i], node->metadata()));
    if (!provisioned) return false;
  }
  return true;
}

Result<bool> BindingWriter::is_volume_bound(const VolumeBindings::Pair& pair, int64_t version,
                                            const api::Metadata& node) const {
  const Result<api::ObjectPtr> volume = volume_now(pair.volume->metadata().name);
  if (!volume) return volume.status().in("failed to check binding");
  const Result<api::ObjectPtr> claim = claim_now(*pair.claim);
  if (!claim) return claim.status().in("failed to check binding");
  if (binding_writer::version_of(**volume) < version) return false;
  TRY(check_place(**volume, node));
  const auto& reference = kinds::volume_facts(**volume).claim;
  if (!reference || reference->uid.empty()) {
    return binding_writer::failure("ClaimRef got reset for pv " +
                                   binding_writer::quoted((*volume)->metadata().name));
  }
  return binding_writer::is_fully_bound(**claim);
}

Result<bool> BindingWriter::is_provisioned(const api::Object& asked, int64_t version,
                                           const api::Metadata& node) const {
  const Result<api::ObjectPtr> claim = claim_now(asked);
  if (!claim) return claim.status().in("failed to check provisioning pvc");
  if (binding_writer::version_of(**claim) < version) return false;
  const kinds::ClaimFacts& facts = kinds::claim_facts(**claim);
  // A failed provisioner clears the selected node, so that another one is chosen.
  if (!facts.selected_node || *facts.selected_node != node.name) {
    return binding_writer::failure("provisioning failed for PVC " +
                                   binding_writer::quoted(facts.name));
  }
  if (!facts.volume.empty()) {
    const api::ObjectPtr volume = volumes_.get({"", facts.volume});
    if (volume == nullptr) return false;  // the cache will hear of it
    TRY(check_place(*volume, node));
  }
  return binding_writer::is_fully_bound(**claim);
}

Result<void> BindingWriter::check_place(const api::Object& volume,
                                        const api::Metadata& node) const {
  if (can_have(node, csi_nodes_, volume)) return {};
  return binding_writer::failure("pv " + binding_writer::quoted(volume.metadata().name) +
                                 " node affinity doesn't match node " +
                                 binding_writer::quoted(node.name) +
                                 ": no matching NodeSelectorTerms");
}

Result<api::ObjectPtr> BindingWriter::volume_now(std::string_view name) const {
  api::ObjectPtr volume = volumes_.get({"", std::string(name)});
  if (volume == nullptr) return not_found("persistentvolumes", name);
  return volume;
}

Result<api::ObjectPtr> BindingWriter::claim_now(const api::Object& claim) const {
  const client::Key key = client::Key::of(claim);
  api::ObjectPtr now = claims_.get(key);
  if (now == nullptr) return not_found("persistentvolumeclaims", key.str());
  return now;
}

}  // namespace proa::scheduler
