#include "scheduler/explain/claims.h"

#include "api/object/view.h"
#include "client/bounded_client.h"
#include "scheduler/plugins/volumes/pod_volumes.h"

namespace proa::scheduler {
namespace claims {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

client::Place place_of(const SchedulerContext& context, std::string_view group,
                       std::string_view resource, std::string name_space, std::string name) {
  return {.resource = context.schema.find_resource(group, "v1", resource),
          .name_space = std::move(name_space),
          .name = std::move(name),
          .subresource = {}};
}

// The message of the latest warning about a claim. Schedulers may not list Events; then it is
// empty.
std::string last_warning(const client::BoundedClient& client, const SchedulerContext& context,
                         const Pod& pod, const std::string& claim) {
  const auto events =
      client.list(place_of(context, "", "events", std::string(pod.name_space()), ""),
                  {.field_selector = "type=Warning,involvedObject.kind=PersistentVolumeClaim,"
                                     "involvedObject.name=" +
                                     claim});
  if (!events) return {};
  std::string message;
  std::string latest;
  for (const api::ObjectPtr& event : events->items) {
    const Result<json::Document> document = event->document();
    if (!document) continue;
    const api::View root(document->root());
    const std::string time(root["lastTimestamp"].text(root["eventTime"].text()));
    if (time < latest) continue;
    latest = time;
    message = root["message"].text();
  }
  return message;
}

std::optional<UnboundClaim> read(const client::BoundedClient& client,
                                 const SchedulerContext& context, const Pod& pod,
                                 const std::string& name) {
  const auto found = client.get(
      place_of(context, "", "persistentvolumeclaims", std::string(pod.name_space()), name));
  if (!found) return std::nullopt;
  const Result<json::Document> document = (*found)->document();
  if (!document) return std::nullopt;
  const api::View claim(document->root());
  if (claim.at("status.phase").text() == "Bound") return std::nullopt;
  UnboundClaim unbound{.name = name,
                       .storage_class = std::string(claim.at("spec.storageClassName").text()),
                       .node_selected = claim.at("metadata.annotations")[kSelectedNode].exists(),
                       .warning = last_warning(client, context, pod, name)};
  if (unbound.storage_class.empty()) return unbound;
  const auto storage_class =
      client.get(place_of(context, "storage.k8s.io", "storageclasses", "", unbound.storage_class));
  if (!storage_class) return unbound;
  const Result<json::Document> text = (*storage_class)->document();
  if (text) unbound.provisioner = api::View(text->root())["provisioner"].text();
  return unbound;
}

}  // namespace claims

std::vector<UnboundClaim> unbound_claims(const SchedulerContext& context, const Pod& pod) {
  const client::BoundedClient client(context.client, context.clock);
  std::vector<UnboundClaim> unbound;
  for (const PodVolume& volume : volumes_of(pod)) {
    if (!volume.has_claim()) continue;
    if (auto claim = claims::read(client, context, pod, volume.name)) {
      unbound.push_back(std::move(*claim));
    }
  }
  return unbound;
}

std::string describe(const UnboundClaim& claim) {
  using claims::kNoProvisioner;
  std::string text = "claim " + claim.name;
  text += claim.storage_class.empty() ? " (no StorageClass)"
                                      : " (StorageClass " + claim.storage_class + ")";
  if (!claim.warning.empty()) return text + ": " + claim.warning;
  if (!claim.storage_class.empty() && claim.provisioner.empty()) {
    return text + ": the StorageClass does not exist";
  }
  if (claim.provisioner.empty()) return text + ": is not bound";
  if (claim.provisioner == kNoProvisioner) {
    return text + ": needs a PersistentVolume that is made by hand";
  }
  return text + ": provisioner " + claim.provisioner + " has not provisioned it" +
         (claim.node_selected ? "; check that it is running" : " yet");
}

}  // namespace proa::scheduler
