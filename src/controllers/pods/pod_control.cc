#include "controllers/pods/pod_control.h"

#include "api/object/edit.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {

json::Document pod_from_template(const Owner& owner, api::View pod_template) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit pod(document);
  pod.set("apiVersion", "v1");
  pod.set("kind", "Pod");
  const api::Edit metadata = pod.object("metadata");
  metadata.set("generateName", std::string(owner.object.metadata().name) + "-");
  metadata.set("namespace", owner.object.metadata().name_space);
  for (const char* field : {"labels", "annotations", "finalizers"}) {
    const api::View from = pod_template["metadata"][field];
    if (!from.empty()) metadata.copy(field, from);
  }
  put_owner_reference(metadata, owner);
  pod.copy("spec", pod_template["spec"]);
  return document;
}

PodControl::PodControl(const ControllerContext& context)
    : client_(context.client),
      events_(context.events),
      resource_(*context.schema.find_resource("", "v1", "pods")) {}

Result<api::ObjectPtr> PodControl::create(const Owner& owner, json::Document pod) {
  const client::Place place{.resource = &resource_,
                            .name_space = std::string(owner.object.metadata().name_space),
                            .name = {},
                            .subresource = {}};
  const auto about = client::ObjectReference::to(owner.object);
  Result<api::ObjectPtr> created = client_.create(place, std::move(pod), {});
  if (created) {
    const std::string name((*created)->metadata().name);
    events_.normal(about, "SuccessfulCreate", "Created pod: " + name);
  } else if (!is_namespace_terminating(created.status())) {
    events_.warning(about, "FailedCreate", "Error creating: " + created.status().message());
  }
  return created;
}

Result<void> PodControl::remove(const Owner& owner, const api::Object& pod) {
  Result<void> removed = client_.remove(place_of(resource_, client::Key::of(pod)),
                                        {.uid = std::string(pod.metadata().uid)});
  // Another one of that name: this one is gone as well.
  if (removed.is(Reason::kConflict)) return {};
  return tell_removed(owner, pod, std::move(removed));
}

Result<void> PodControl::remove_unchanged(const Owner& owner, const api::Object& pod) {
  const api::Metadata& metadata = pod.metadata();
  Result<void> removed =
      client_.remove(place_of(resource_, client::Key::of(pod)),
                     {.uid = std::string(metadata.uid),
                      .resource_version = std::string(metadata.resource_version)});
  if (removed.is(Reason::kConflict)) return removed;
  return tell_removed(owner, pod, std::move(removed));
}

Result<void> PodControl::tell_removed(const Owner& owner, const api::Object& pod,
                                      Result<void> outcome) {
  if (outcome.is(Reason::kNotFound)) return {};
  const auto about = client::ObjectReference::to(owner.object);
  if (outcome) {
    events_.normal(about, "SuccessfulDelete", "Deleted pod: " + std::string(pod.metadata().name));
  } else {
    events_.warning(about, "FailedDelete", "Error deleting: " + outcome.status().message());
  }
  return outcome;
}

}  // namespace proa::controllers
