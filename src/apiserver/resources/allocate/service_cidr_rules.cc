#include "apiserver/resources/allocate/service_cidr_rules.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "apiserver/resources/allocate/service_ranges.h"

namespace proa::apiserver {
namespace service_cidr_rules {

using api::Edit;
using api::View;

bool is_service_cidr(const api::Resource& resource) {
  return resource.name == "servicecidrs" && resource.group == "networking.k8s.io";
}

bool is_address(const api::Resource& resource) {
  return resource.name == "ipaddresses" && resource.group == "networking.k8s.io";
}

bool has(View list, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](View item) { return item.text() == text; });
}

void add_finalizer(Edit metadata) {
  if (has(metadata["finalizers"], kServiceCidrFinalizer)) return;
  metadata.array("finalizers").push(json::Value::borrowed(kServiceCidrFinalizer));
}

bool has_condition(View object, std::string_view type) {
  const auto conditions = object["status"]["conditions"].items();
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](View condition) { return condition["type"].text() == type; });
}

}  // namespace service_cidr_rules

void set_condition(api::Edit object, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message, Time now) {
  const api::Edit conditions = object.object("status").array("conditions");
  const auto write = [&](api::Edit condition) {
    condition.set("type", type);
    if (condition["status"].text() != status) {
      condition.set("status", status);
      condition.set("lastTransitionTime", format_time(now));
    }
    condition.set("reason", reason);
    condition.set("message", message);
  };
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions.item(i)["type"].text() == type) return write(conditions.item(i));
  }
  write(conditions.push_object());
}

bool ServiceCidrRules::concerns(const api::Resource& resource) const {
  return service_cidr_rules::is_service_cidr(resource) || service_cidr_rules::is_address(resource);
}

Result<void> ServiceCidrRules::on_write(api::Edit object, const Step& step) {
  if (!service_cidr_rules::is_service_cidr(*step.request.resource)) return {};
  // Status writes are not modified.
  if (step.request.subresource != nullptr) return {};
  if (object["metadata"]["deletionTimestamp"].exists()) return {};
  service_cidr_rules::add_finalizer(object.object("metadata"));
  if (service_cidr_rules::has_condition(object.view(), "Ready")) return {};
  const bool is_default = object["metadata"]["name"].text() == kDefaultServiceCidr;
  set_condition(
      object, "Ready", "True", "",
      is_default ? "Kubernetes default Service CIDR is ready" : "Kubernetes Service CIDR is ready",
      clock_.now());
  return {};
}

Result<void> ServiceCidrRules::on_delete(api::View object, const Step& step) {
  const api::View parent = object["spec"]["parentRef"];
  if (parent["resource"].text() != "services" || !parent["group"].text().empty()) return {};
  const auto address = parse_ip(object["metadata"]["name"].text());
  if (!address) return {};
  const ServiceName owner{parent["namespace"].text(), parent["name"].text()};
  const store::EntryPtr service = TRY(store_.get(key_of(services_, owner.name_space, owner.name)));
  if (service == nullptr) return {};
  const json::Document document = TRY(object_of(service)->document());
  const api::View addresses = api::View(document.root())["spec"]["clusterIPs"];
  const bool in_use = std::any_of(addresses.items().begin(), addresses.items().end(),
                                  [&](api::View item) { return parse_ip(item.text()) == address; });
  if (!in_use) return {};
  step.txn.compares.push_back({std::string(service->key()), service->mod_revision()});
  step.txn.operations[0] = TRY(addresses_.make_object(*address, owner));
  return {};
}

}  // namespace proa::apiserver
