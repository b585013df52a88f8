#include "controllers/workload/deployment/set_writer.h"

#include <fmt/format.h>

#include "controllers/framework/writes.h"
#include "controllers/workload/deployment/templates.h"
#include "json/print.h"

namespace proa::controllers::deployments {
namespace set_writer {

using api::Edit;

client::ObjectReference about(const Writing& of) {
  return client::ObjectReference::to(of.deployment.object);
}

}  // namespace set_writer

std::string NewSet::name(const Owner& deployment) const {
  return set_name(deployment.object.metadata().name, hash);
}

json::Document make_set(const Owner& deployment, api::View document, const DeploymentFacts& facts,
                        const NewSet& wanted) {
  json::Document set;
  set.root() = json::Value::object();
  const api::Edit root(set);
  const api::View wants = document["spec"];
  const api::Edit spec = root.object("spec");
  spec.set("replicas", wanted.replicas);
  spec.set("minReadySeconds", facts.min_ready_seconds);
  spec.copy("selector", wants["selector"]);
  spec.object("selector").object("matchLabels").set(kHashLabel, wanted.hash);
  spec.copy("template", wants["template"]);
  const api::Edit labels = spec.object("template").object("metadata").object("labels");
  labels.set(kHashLabel, wanted.hash);

  const api::Edit metadata = root.object("metadata");
  metadata.set("name", wanted.name(deployment));
  metadata.set("namespace", deployment.object.metadata().name_space);
  metadata.copy("labels", labels.view());
  put_owner_reference(metadata, deployment);
  put_set_annotations(metadata, document["metadata"]["annotations"], wanted.revision);
  put_size_annotations(metadata, facts);
  return set;
}

SetWriter::SetWriter(const ControllerContext& context, Freshness& written)
    : client_(context.client),
      events_(context.events),
      resource_(*context.schema.find_resource("apps", "v1", "replicasets")),
      written_(written) {}

Result<api::ObjectPtr> SetWriter::create(const Writing& of, const NewSet& wanted) {
  json::Document set = make_set(of.deployment, of.document, of.facts, wanted);
  Result<api::ObjectPtr> created =
      client_.create(place_of(resource_, {of.key.name_space, {}}), std::move(set), {});
  written_.tried(of.key, created);
  if (!created) return created;
  if (wanted.replicas > 0) {
    events_.normal(set_writer::about(of), "ScalingReplicaSet",
                   fmt::format("Scaled up replica set {} from 0 to {}", wanted.name(of.deployment),
                               wanted.replicas));
  }
  return created;
}

Result<void> SetWriter::follow(const Writing& of, OwnedSet& newest, int64_t revision) {
  json::Document document = TRY(newest.object->document());
  const api::Edit root(document);
  bool changed = put_set_annotations(root.object("metadata"),
                                     of.document["metadata"]["annotations"], revision);
  if (newest.facts.min_ready_seconds != of.facts.min_ready_seconds) {
    root.object("spec").set("minReadySeconds", of.facts.min_ready_seconds);
    changed = true;
  }
  if (!changed) return {};
  return update(of, newest, std::move(document));
}

Result<void> SetWriter::resize(const Writing& of, OwnedSet& set, int64_t replicas) {
  json::Document document = TRY(set.object->document());
  const api::Edit root(document);
  const int64_t before = set.facts.replicas;
  const bool told = put_size_annotations(root.object("metadata"), of.facts);
  if (before == replicas && !told) return {};
  root.object("spec").set("replicas", replicas);
  TRY(update(of, set, std::move(document)));
  if (before != replicas) {
    events_.normal(
        set_writer::about(of), "ScalingReplicaSet",
        fmt::format("Scaled {} replica set {} from {} to {}", before < replicas ? "up" : "down",
                    set.facts.name, before, replicas));
  }
  return {};
}

Result<void> SetWriter::remove(const Writing& of, const OwnedSet& set) {
  const client::Key key = client::Key::of(*set.object);
  TRY(unless_gone(
      client_.remove(place_of(resource_, key), {.uid = std::string(set.object->metadata().uid)})));
  written_.removed(of.key, *set.object);
  return {};
}

Result<api::ObjectPtr> SetWriter::look(const client::Key& set) const {
  return client_.get(place_of(resource_, set));
}

Result<void> SetWriter::update(const Writing& of, OwnedSet& set, json::Document document) {
  const client::Key key = client::Key::of(*set.object);
  Result<api::ObjectPtr> updated =
      client_.update(place_of(resource_, key), std::move(document), {});
  written_.tried(of.key, updated);
  set.object = TRY(std::move(updated));
  set.facts = set_facts(*set.object);
  return {};
}

}  // namespace proa::controllers::deployments
