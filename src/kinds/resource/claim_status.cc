#include "kinds/resource/claim_status.h"

#include <algorithm>
#include <limits>

#include "api/validation/metadata.h"
#include "base/net/ip_address.h"
#include "kinds/checks/conditions.h"
#include "kinds/checks/drivers.h"
#include "kinds/core/placement/node_selector_validation.h"
#include "kinds/resource/claim_spec.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds::devices {

namespace claim_status {

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();
constexpr size_t kMaxConsumers = 256;
constexpr size_t kMaxResults = 32;
constexpr size_t kMaxBindingConditions = 4;
constexpr size_t kMaxConditions = 8;
constexpr size_t kMaxDataBytes = 10240;
constexpr size_t kMaxAddresses = 16;
constexpr size_t kMaxInterfaceBytes = 256;
constexpr size_t kMaxHardwareBytes = 128;

// "driver/pool/device", plus the share id of a shared device.
std::string device_id(View device) {
  std::string id(device["driver"].text());
  for (const std::string_view part : {"pool", "device", "shareID"}) {
    if (device[part]) id.append("/").append(device[part].text());
  }
  return id;
}

std::set<std::string> allocated_devices(View claim) {
  std::set<std::string> ids;
  for (const View result : claim.at("status.allocation.devices.results").items()) {
    ids.insert(device_id(result));
  }
  return ids;
}

void validate_consumer(View consumer, const api::Path& path, api::FieldErrors& errors) {
  for (const std::string_view name : {"resource", "name", "uid"}) {
    require_text(consumer, name, path, errors);
  }
}

// An address with prefix length: "10.0.0.5/24".
void validate_address(View address, const api::Path& path, api::FieldErrors& errors) {
  if (!parse_prefix(address.text())) {
    errors.invalid(path, address.text(),
                   "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  }
}

void validate_network_data(View data, const api::Path& path, api::FieldErrors& errors) {
  if (data["interfaceName"].text().size() > kMaxInterfaceBytes) {
    errors.too_long(path.field("interfaceName"), kMaxInterfaceBytes);
  }
  if (data["hardwareAddress"].text().size() > kMaxHardwareBytes) {
    errors.too_long(path.field("hardwareAddress"), kMaxHardwareBytes);
  }
  const auto check = [&](View address, const api::Path& at) {
    validate_address(address, at, errors);
  };
  validate_distinct(data["ips"], kMaxAddresses, path.field("ips"), errors, check, text_of);
}

void validate_device(View device, const std::set<std::string>& allocated, const api::Path& path,
                     api::FieldErrors& errors) {
  validate_driver_name(device["driver"], path.field("driver"), errors);
  validate_pool_name(device["pool"], path.field("pool"), errors);
  validate_label_name(device["device"], path.field("device"), errors);
  validate_share_id(device["shareID"], path.field("shareID"), errors);
  if (!allocated.contains(device_id(device))) {
    errors.invalid(path, device_id(device), "must be an allocated device in the claim");
  }
  const View conditions = device["conditions"];
  const api::Path conditions_path = path.field("conditions");
  if (conditions.size() > kMaxConditions) {
    errors.too_many(conditions_path, conditions.size(), kMaxConditions);
  }
  validate_conditions(conditions, conditions_path, errors);
  if (device["data"]) {
    validate_raw_object(device["data"], kMaxDataBytes, path.field("data"), errors);
  }
  validate_network_data(device["networkData"], path.field("networkData"), errors);
}

void validate_binding_conditions(View result, std::string_view name, const api::Path& path,
                                 api::FieldErrors& errors) {
  const auto check = [&](View condition, const api::Path& at) {
    errors.invalid_each(at, condition.text(), api::check_qualified_name(condition.text()));
  };
  validate_distinct(result[name], kMaxBindingConditions, path.field(name), errors, check, text_of);
}

void validate_result(View result, const RequestNames& requests, const api::Path& path,
                     api::FieldErrors& errors) {
  validate_request_reference(result["request"], requests, path.field("request"), errors);
  validate_driver_name(result["driver"], path.field("driver"), errors);
  validate_pool_name(result["pool"], path.field("pool"), errors);
  validate_label_name(result["device"], path.field("device"), errors);
  validate_binding_conditions(result, "bindingConditions", path, errors);
  validate_binding_conditions(result, "bindingFailureConditions", path, errors);
  validate_share_id(result["shareID"], path.field("shareID"), errors);
}

void validate_allocation(View allocation, const RequestNames& requests, const api::Path& path,
                         api::FieldErrors& errors) {
  const api::Path devices = path.field("devices");
  const auto check_result = [&](View result, const api::Path& at) {
    validate_result(result, requests, at, errors);
  };
  validate_list(allocation["devices"]["results"], kMaxResults, devices.field("results"), errors,
                check_result);
  const auto check_configuration = [&](View configuration, const api::Path& at) {
    require_one_of(configuration["source"], {"FromClaim", "FromClass"}, at.field("source"), errors);
    validate_request_references(configuration["requests"], requests, at.field("requests"), errors);
    validate_configuration(configuration, at, errors);
  };
  // Configurations of the class and of the claim.
  validate_list(allocation["devices"]["config"], 2 * kMaxConfigurations, devices.field("config"),
                errors, check_configuration);
  if (allocation["nodeSelector"]) {
    pods::validate_node_selector(allocation["nodeSelector"], path.field("nodeSelector"), errors);
  }
}

void validate_consumers(View claim, View old, const api::Path& path, api::FieldErrors& errors) {
  const View consumers = claim["status"]["reservedFor"];
  if (consumers.empty()) return;
  if (!claim["status"]["allocation"]) {
    return errors.forbidden(path, "may not be specified when `allocated` is not set");
  }
  // Too many are reported already.
  if (!claim["metadata"]["deletionTimestamp"] || consumers.size() > kMaxConsumers) return;
  const auto before = old["status"]["reservedFor"].items();
  for (const json::Value& consumer : consumers.items()) {
    if (std::find(before.begin(), before.end(), consumer) == before.end()) {
      return errors.forbidden(path,
                              "new entries may not be added while `deallocationRequested` or "
                              "`deletionTimestamp` are set");
    }
  }
}

}  // namespace claim_status

void forget_freed_devices(api::Edit claim, View old) {
  const std::set<std::string> before = claim_status::allocated_devices(old);
  const std::set<std::string> now = claim_status::allocated_devices(claim.view());
  if (claim["status"]["devices"].empty()) return;
  const api::Edit status = claim.existing("status");
  json::Value kept = json::Value::array();
  for (json::Value& device : status.existing("devices").value().items()) {
    const std::string id = claim_status::device_id(device);
    if (!before.contains(id) || now.contains(id)) kept.push_back(claim.arena(), std::move(device));
  }
  if (kept.size() == 0) {
    status.remove("devices");
  } else {
    status.set("devices", std::move(kept));
  }
}

void validate_claim_status(View claim, View old, api::FieldErrors& errors) {
  const api::Path path("status");
  const View status = claim["status"];
  const api::Path reserved_path = path.field("reservedFor");
  const auto check_consumer = [&](View consumer, const api::Path& at) {
    claim_status::validate_consumer(consumer, at, errors);
  };
  validate_distinct(status["reservedFor"], claim_status::kMaxConsumers, reserved_path, errors,
                    check_consumer, [](View consumer) { return consumer["uid"].text(); });
  const std::set<std::string> allocated = claim_status::allocated_devices(claim);
  const auto check_device = [&](View device, const api::Path& at) {
    claim_status::validate_device(device, allocated, at, errors);
  };
  validate_distinct(status["devices"], claim_status::kAnyNumber, path.field("devices"), errors,
                    check_device, claim_status::device_id);
  claim_status::validate_consumers(claim, old, reserved_path, errors);
  const View allocation = status["allocation"];
  const View before = old["status"]["allocation"];
  const api::Path allocation_path = path.field("allocation");
  if (allocation && before) {
    api::validate_immutable(allocation, before, allocation_path, errors);
  } else if (allocation) {
    const RequestNames requests(claim["spec"]["devices"]["requests"]);
    claim_status::validate_allocation(allocation, requests, allocation_path, errors);
  }
}

}  // namespace proa::kinds::devices
