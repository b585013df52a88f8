#include "apiserver/access/admission/cluster/device_admin_access.h"

#include <fmt/format.h>

#include <optional>

namespace proa::apiserver {
namespace device_admin_access {

using api::View;

constexpr std::string_view kGroup = "resource.k8s.io";
constexpr std::string_view kLabel = "resource.kubernetes.io/admin-access";

// The first request of a new claim, or of a template, that asks for it.
std::optional<size_t> asking_request(View spec) {
  const View requests = spec["devices"]["requests"];
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests.item(i)["exactly"]["adminAccess"].flag()) return i;
  }
  return std::nullopt;
}

// The first device that is allocated with it.
std::optional<size_t> granted_result(View claim) {
  const View results = claim["status"]["allocation"]["devices"]["results"];
  for (size_t i = 0; i < results.size(); ++i) {
    if (results.item(i)["adminAccess"].flag()) return i;
  }
  return std::nullopt;
}

bool is_of_status(const Admission& admission) {
  return admission.is_about(kGroup, "resourceclaims", "status");
}

Result<void> refuse(View object, const Admission& admission, const api::Path& list, size_t index) {
  api::FieldErrors errors;
  const api::Path item = list.index(index);
  errors.forbidden(item.field("adminAccess"),
                   fmt::format("admin access to devices requires the `{}: true` label on the "
                               "containing namespace",
                               kLabel));
  return admission.invalid(object, errors);
}

}  // namespace device_admin_access

bool DeviceAdminAccess::concerns(const Admission& admission) const {
  using namespace device_admin_access;  // NOLINT: of this file only
  if (admission.operation == Operation::kUpdate) return is_of_status(admission);
  return admission.operation == Operation::kCreate &&
         (admission.is_about(kGroup, "resourceclaims") ||
          admission.is_about(kGroup, "resourceclaimtemplates"));
}

// The specs of both cannot be changed.
Result<void> DeviceAdminAccess::validate(api::View object, const Admission& admission) {
  using namespace device_admin_access;  // NOLINT: of this file only
  const bool of_status = is_of_status(admission);
  if (of_status && granted_result(admission.old)) return {};
  const bool is_template = admission.request.resource->name == "resourceclaimtemplates";
  const std::optional<size_t> index =
      of_status ? granted_result(object)
                : asking_request(is_template ? object["spec"]["spec"] : object["spec"]);
  if (!index) return {};
  const api::ObjectPtr name_space =
      TRY(objects_.find("", "namespaces", "", admission.request.name_space));
  if (name_space != nullptr) {
    const std::string_view* label = name_space->metadata().label(kLabel);
    if (label != nullptr && *label == "true") return {};
  }
  return refuse(
      object, admission,
      api::Path(of_status ? "status.allocation.devices.results" : "spec.devices.requests"), *index);
}

}  // namespace proa::apiserver
