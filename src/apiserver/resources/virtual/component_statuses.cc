#include "apiserver/resources/virtual/component_statuses.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "apiserver/objects/reader.h"
#include "apiserver/request/health_checks.h"
#include "json/print.h"

namespace proa::apiserver {
namespace component_statuses {

// Sorted by name, as lists are. The store has upstream's name for its first etcd.
struct Component {
  std::string_view name;
  std::string_view check;  // of this process, if it has it
  std::string_view lease;  // in kube-system, held by the leader; empty: the store
};
constexpr Component kComponents[] = {
    {"controller-manager", "controllers", "kube-controller-manager"},
    {"etcd-0", "etcd", ""},
    {"scheduler", "scheduler", "kube-scheduler"}};

// Whether any process holds the component's Lease.
Result<void> check_lease(const ApiContext& context, std::string_view name) {
  const std::string what = "lease kube-system/" + std::string(name);
  const api::ObjectPtr lease = TRY(ObjectReader(context.store, context.schema)
                                       .find("coordination.k8s.io", "leases", "kube-system", name));
  if (lease == nullptr) return Status(Reason::kNotFound, what + " does not exist");
  const json::Document document = TRY(lease->document());
  const api::View spec = api::View(document.root())["spec"];
  if (spec["holderIdentity"].text().empty()) {
    return Status(Reason::kNotFound, what + " has no holder");
  }
  const Result<Time> renewed = parse_time(spec["renewTime"].text());
  const auto duration = std::chrono::seconds(spec["leaseDurationSeconds"].integer());
  if (!renewed || *renewed + duration < context.clock.now()) {
    return Status(Reason::kTimeout, what + " expired");
  }
  return {};
}

struct State {
  std::string_view status;  // of the condition Healthy
  std::string message;
  std::string error;
};

// As etcd's health check.
std::string etcd_message(const Result<void>& health) {
  json::Document document({}, json::Value::object());
  const api::Edit answer(document);
  answer.set("health", health ? "true" : "false");
  if (!health) answer.set("reason", health.status().message());
  return json::print(document.root());
}

State state_of(const ApiContext& context, const Component& component) {
  const bool is_store = component.lease.empty();
  const Result<void> here =
      context.health == nullptr ? Result<void>() : context.health->run(component.check);
  if (!here) {
    return {"False", is_store ? etcd_message(here) : std::string(), here.status().message()};
  }
  if (is_store) return {"True", etcd_message(here), ""};
  // It may be another process that is not doing its work.
  const Result<void> leads = check_lease(context, component.lease);
  if (!leads) return {"Unknown", "", leads.status().message()};
  return {"True", "ok", ""};
}

Result<std::string> status_of(const ApiContext& context, const api::Resource& resource,
                              const Component& component) {
  json::Document document({}, json::Value::object());
  const api::Edit object(document);
  object.set("kind", resource.type->name);
  object.set("apiVersion", resource.type->group_version);
  object.object("metadata").set("name", component.name);
  const api::Edit condition = object.array("conditions").push_object();
  condition.set("type", "Healthy");
  const State state = state_of(context, component);
  condition.set("status", state.status);
  if (!state.message.empty()) condition.set("message", state.message);
  if (!state.error.empty()) condition.set("error", state.error);
  const api::Decoded canonical =
      TRY(api::decode_document(std::move(document), *resource.type, api::FieldValidation::kIgnore));
  return json::print(canonical.document.root());
}

}  // namespace component_statuses

Result<Answer> get_component_status(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const auto* known = std::find_if(
      std::begin(component_statuses::kComponents), std::end(component_statuses::kComponents),
      [&](const auto& component) { return component.name == request.name; });
  if (known == std::end(component_statuses::kComponents)) {
    StatusDetails details = request.details(request.name);
    details.kind = request.resource->singular;
    return Status(Reason::kNotFound,
                  std::string(request.resource->singular) + " \"" + request.name + "\" not found")
        .with_details(std::move(details));
  }
  std::string text = TRY(component_statuses::status_of(context, *request.resource, *known));
  return Answer{.object = api::Object::make(std::move(text))};
}

Result<Answer> list_component_statuses(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  const Selection selection =
      TRY(Selection::make(*request.resource, call.list().labels, call.list().fields));
  Listed listed;
  listed.revision = context.store.revision();
  for (const component_statuses::Component& component : component_statuses::kComponents) {
    const std::string text =
        TRY(component_statuses::status_of(context, *request.resource, component));
    store::EntryPtr entry = store::Entry::make(component.name, text, {});
    if (selection.matches(*object_of(entry))) listed.entries.push_back(std::move(entry));
  }
  return Answer{.list = std::move(listed)};
}

}  // namespace proa::apiserver
