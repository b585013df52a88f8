#include "kubelet/workers/static_pods/mirror_pods.h"

#include "api/object/edit.h"
#include "json/print.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kubelet/workers/static_pods/manifest.h"

namespace proa::kubelet {
namespace mirror_pods {

using api::Edit;
using api::View;
using kinds::pods::kMirrorAnnotation;

client::Place place_of(const api::Resource& pods, const Pod& pod) {
  return {.resource = &pods,
          .name_space = std::string(pod.name_space()),
          .name = std::string(pod.name()),
          .subresource = {}};
}

std::string_view hash_of(const Pod& pod) {
  return pod.metadata()["annotations"][kConfigHash].text();
}

// What the API gets. It belongs to the node: when that goes, so does the mirror.
Result<json::Document> make_mirror(const Pod& pod, const api::Object& node) {
  json::Document document = TRY(pod.object()->document());
  const Edit root(document);
  root.remove("status");
  const Edit metadata = root.object("metadata");
  metadata.remove("uid");
  metadata.object("annotations").set(kMirrorAnnotation, hash_of(pod));
  metadata.set("ownerReferences", json::Value::array());
  const Edit owner = metadata.array("ownerReferences").push_object();
  owner.set("apiVersion", "v1");
  owner.set("kind", "Node");
  owner.set("name", node.metadata().name);
  owner.set("uid", node.metadata().uid);
  owner.set("controller", true);
  return document;
}

Result<void> create(const client::BoundedClient& client, const api::Resource& pods, const Pod& pod,
                    const api::Object& node) {
  const client::Place place = place_of(pods, pod);
  client::Place collection = place;
  collection.name.clear();
  json::Document mirror = TRY(make_mirror(pod, node));
  const auto created = client.create(collection, std::move(mirror), {});
  if (created.ok()) return {};
  if (!created.is(Reason::kAlreadyExists)) return created.status();
  // Perhaps it is ours already, and only the watch is late.
  const auto found = client.get(place);
  if (!found.ok()) return created.status();
  const PodPtr existing = TRY(Pod::read(*found, Pod::Source::kApi));
  if (existing->metadata()["annotations"][kMirrorAnnotation].text() == hash_of(pod)) return {};
  return created.status();
}

}  // namespace mirror_pods

Result<void> reconcile_mirror(const client::BoundedClient& client, const api::Resource& pods,
                              const Pod& pod, const Pod* mirror, const api::Object& node) {
  if (mirror != nullptr) {
    const std::string_view mirrored =
        mirror->metadata()["annotations"][kinds::pods::kMirrorAnnotation].text();
    if (!mirror->deleted_at() && mirrored == mirror_pods::hash_of(pod)) return {};
    TRY(remove_mirror(client, pods, *mirror));
  }
  // Mirrors are deleted together with their Node.
  if (node.metadata().being_deleted) return {};
  return mirror_pods::create(client, pods, pod, node);
}

Result<void> remove_mirror(const client::BoundedClient& client, const api::Resource& pods,
                           const Pod& mirror) {
  auto removed = client.remove(mirror_pods::place_of(pods, mirror),
                               {.grace_seconds = 0, .uid = mirror.uid().str()});
  if (removed.is(Reason::kNotFound) || removed.is(Reason::kConflict)) return {};
  return removed;
}

}  // namespace proa::kubelet
