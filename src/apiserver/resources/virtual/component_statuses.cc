#include "apiserver/resources/virtual/component_statuses.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "json/print.h"

namespace proa::apiserver {
namespace component_statuses {

constexpr std::string_view kStore = "etcd-0";
// By name, as lists are ordered. The store has the name that upstream's first one has.
constexpr std::string_view kNames[] = {"controller-manager", kStore, "scheduler"};

bool is_healthy(const ApiContext& context, std::string_view name) {
  if (name == kStore) return context.store.revision().value > 0;
  return std::find(context.components.begin(), context.components.end(), name) !=
         context.components.end();
}

Result<std::string> status_of(const ApiContext& context, const api::Resource& resource,
                              std::string_view name) {
  json::Document document({}, json::Value::object());
  const api::Edit object(document);
  object.set("kind", resource.type->name);
  object.set("apiVersion", resource.type->group_version);
  object.object("metadata").set("name", name);
  const api::Edit condition = object.array("conditions").push_object();
  condition.set("type", "Healthy");
  const bool healthy = is_healthy(context, name);
  condition.set("status", healthy ? "True" : "Unknown");
  if (healthy) {
    condition.set("message", "ok");
  } else {
    condition.set("error", "it does not run in this process");
  }
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(document), *resource.type, api::FieldValidation::kIgnore));
  return json::print(canonical.document.root());
}

}  // namespace component_statuses

Result<Outgoing> get_component_status(const ApiContext& context, const Request& request,
                                      const Incoming&) {
  const auto* known = std::find(std::begin(component_statuses::kNames),
                                std::end(component_statuses::kNames), request.name);
  if (known == std::end(component_statuses::kNames)) {
    StatusDetails details = request.details(request.name);
    details.kind = request.resource->singular;
    return Status(Reason::kNotFound,
                  std::string(request.resource->singular) + " \"" + request.name + "\" not found")
        .with_details(std::move(details));
  }
  std::string text = TRY(component_statuses::status_of(context, *request.resource, *known));
  return Outgoing{.object = api::Object::make(std::move(text))};
}

Result<Outgoing> list_component_statuses(const ApiContext& context, const Request& request,
                                         const Incoming& incoming) {
  const ListOptions options = TRY(list_options(incoming.target));
  const Selection selection =
      TRY(Selection::parse(*request.resource, options.label_selector, options.field_selector));
  Listed listed;
  listed.revision = context.store.revision();
  for (const std::string_view name : component_statuses::kNames) {
    const std::string text = TRY(component_statuses::status_of(context, *request.resource, name));
    store::EntryPtr entry = store::Entry::make(name, text, {});
    if (selection.matches(*object_of(entry))) listed.entries.push_back(std::move(entry));
  }
  return Outgoing{.list = std::move(listed)};
}

}  // namespace proa::apiserver
