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

Result<api::ObjectPtr> PodControl::create(const Owner& owner, const json::Document& pod) {
  const client::Place place{.resource = &resource_,
                            .name_space = std::string(owner.object.metadata().name_space),
                            .name = {},
                            .subresource = {}};
  const auto about = client::ObjectReference::to(owner.object);
  Result<api::ObjectPtr> created = client_.create(place, json::print(pod.root()), {});
  if (created) {
    const std::string name((*created)->metadata().name);
    events_.normal(about, "SuccessfulCreate", "Created pod: " + name);
  } else if (!is_namespace_terminating(created.status())) {
    events_.warning(about, "FailedCreate", "Error creating: " + created.status().message());
  }
  return created;
}

Result<void> PodControl::remove(const Owner& owner, const api::Object& pod) {
  const auto about = client::ObjectReference::to(owner.object);
  const std::string name(pod.metadata().name);
  Result<void> removed = client_.remove(place_of(resource_, client::Key::of(pod)),
                                        {.uid = std::string(pod.metadata().uid)});
  // Another one of that name: this one is gone as well.
  if (removed.is(Reason::kNotFound) || removed.is(Reason::kConflict)) return {};
  if (removed) {
    events_.normal(about, "SuccessfulDelete", "Deleted pod: " + name);
  } else {
    events_.warning(about, "FailedDelete", "Error deleting: " + removed.status().message());
  }
  return removed;
}

}  // namespace proa::controllers
