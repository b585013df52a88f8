#include "kinds/resource/resource_claim.h"

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/resource/claim_spec.h"
#include "kinds/resource/claim_status.h"

namespace proa::kinds {

namespace resource_claim {

void prepare_status_update(api::Edit object, View old, const Writer&) {
  devices::forget_freed_devices(object, old);
}

// The spec is immutable.
void validate_create(View object, api::FieldErrors& errors) {
  devices::validate_claim_spec(object["spec"], api::Path("spec"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"], old["spec"], api::Path("spec"), errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "State", .description = "Whether it has its devices, and whether they are in use."},
    {.name = "Age"},
};

std::string state_text(View object) {
  std::vector<std::string_view> states;
  const bool deleted = object["metadata"]["deletionTimestamp"].exists();
  if (deleted) states.emplace_back("deleted");
  if (object["status"]["allocation"]) {
    states.emplace_back("allocated");
    if (!object["status"]["reservedFor"].empty()) states.emplace_back("reserved");
  } else if (!deleted) {
    states.emplace_back("pending");
  }
  return join(states, ",");
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(state_text(object));
  cells.age(object["metadata"]["creationTimestamp"]);
}

constexpr TypeDefaults kDefaults[] = {
    {"resource.k8s.io/v1/ExactDeviceRequest", devices::default_device_request},
    {"resource.k8s.io/v1/DeviceSubRequest", devices::default_device_request},
};

}  // namespace resource_claim

KindRules resource_claim_rules() {
  return {.kind = "resource.k8s.io/v1/ResourceClaim",
          .metadata = {.update = "MU"},
          .defaults = resource_claim::kDefaults,
          .prepare_status_update = resource_claim::prepare_status_update,
          .validate_create = resource_claim::validate_create,
          .validate_update = resource_claim::validate_update,
          .validate_status_update = devices::validate_claim_status,
          .columns = resource_claim::kColumns,
          .row = resource_claim::row};
}

}  // namespace proa::kinds
