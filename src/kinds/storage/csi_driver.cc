#include "kinds/storage/csi_driver.h"

#include <set>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/fields.h"
#include "kinds/printing/texts.h"

namespace proa::kinds {

namespace csi_driver {

constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;
constexpr int64_t kMinPeriodSeconds = 10;

// Gate VolumeLimitScaling is off: the field is kept only if it was already stored.
constexpr std::string_view kGated = "preventPodSchedulingIfMissing";

void prepare_create(api::Edit object, const Writer&) { object.object("spec").remove(kGated); }

void prepare_update(api::Edit object, View old, const Writer&) {
  if (!old["spec"][kGated]) object.object("spec").remove(kGated);
}

void validate_token_requests(View requests, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> audiences;
  each(requests, path, [&](View request, const api::Path& at) {
    if (!audiences.insert(request["audience"].text()).second) {
      return errors.duplicate(at.field("audience"), request["audience"].text());
    }
    const View seconds = request["expirationSeconds"];
    const api::Path seconds_path = at.field("expirationSeconds");
    if (!seconds) return;
    if (seconds.integer() < kMinTokenSeconds) {
      errors.invalid(seconds_path, seconds, "may not specify a duration less than 10 minutes");
    }
    if (seconds.integer() > kMaxTokenSeconds) {
      errors.invalid(seconds_path, seconds, "may not specify a duration larger than 2^32 seconds");
    }
  });
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  // The first one is misspelled as in upstream.
  if (!spec["attachRequired"]) errors.required(path.field("attachedRequired"));
  if (!spec["podInfoOnMount"]) errors.required(path.field("podInfoOnMount"));
  if (!spec["storageCapacity"]) errors.required(path.field("storageCapacity"));
  check_one_of(spec["fsGroupPolicy"], {"File", "None", "ReadWriteOnceWithFSType"},
               path.field("fsGroupPolicy"), errors);
  validate_token_requests(spec["tokenRequests"], path.field("tokenRequests"), errors);
  for (const View mode : spec["volumeLifecycleModes"].items()) {
    check_one_of(mode, {"Persistent", "Ephemeral"}, path.field("volumeLifecycleModes"), errors);
  }
  if (!spec["seLinuxMount"]) errors.required(path.field("seLinuxMount"));
  const View period = spec["nodeAllocatableUpdatePeriodSeconds"];
  if (period && period.integer() < kMinPeriodSeconds) {
    errors.invalid(path.field("nodeAllocatableUpdatePeriodSeconds"), period,
                   "must be greater than or equal to 10 seconds");
  }
  if (spec["serviceAccountTokenInSecrets"] && spec["tokenRequests"].empty()) {
    errors.invalid(path.field("serviceAccountTokenInSecrets"), spec["serviceAccountTokenInSecrets"],
                   "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["attachRequired"], old["spec"]["attachRequired"],
                          api::Path("spec.attachedRequired"), errors);
  api::validate_immutable(object["spec"]["volumeLifecycleModes"],
                          old["spec"]["volumeLifecycleModes"],
                          api::Path("spec.volumeLifecycleModes"), errors);
}

void warn(View object, View old, Warnings& warnings) {
  const View requests = object["spec"]["tokenRequests"];
  if (requests.empty() || object["spec"]["serviceAccountTokenInSecrets"]) return;
  if (old && old["spec"]["tokenRequests"] == requests) return;
  warnings.emplace_back(
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
      "prevent possible logging of tokens in volume attributes");
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "AttachRequired", .type = "boolean", .description = "Whether volumes are attached."},
    {.name = "PodInfoOnMount",
     .type = "boolean",
     .description = "Whether the driver is told about the pod."},
    {.name = "StorageCapacity",
     .type = "boolean",
     .description = "Whether the scheduler asks for room first."},
    {.name = "TokenRequests", .description = "Audiences of tokens that the driver gets."},
    {.name = "RequiresRepublish",
     .type = "boolean",
     .description = "Whether volumes are published again and again."},
    {.name = "Modes", .description = "Lifecycles that volumes can have."},
    {.name = "Age"},
};

std::string modes_text(View modes) {
  std::vector<std::string_view> texts;
  for (const View mode : modes.items()) texts.push_back(mode.text());
  return texts.empty() ? "<none>" : join(texts, ",");
}

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.flag(spec["attachRequired"].flag(true));
  cells.flag(spec["podInfoOnMount"].flag());
  cells.flag(spec["storageCapacity"].flag());
  cells.text(spec["tokenRequests"] ? join_member(spec["tokenRequests"], "audience") : "<unset>");
  cells.flag(spec["requiresRepublish"].flag());
  cells.text(modes_text(spec["volumeLifecycleModes"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace csi_driver

KindRules csi_driver_rules() {
  return {.kind = "storage.k8s.io/v1/CSIDriver",
          .prepare_create = csi_driver::prepare_create,
          .prepare_update = csi_driver::prepare_update,
          .validate = csi_driver::validate,
          .validate_update = csi_driver::validate_update,
          .warn = csi_driver::warn,
          .columns = csi_driver::kColumns,
          .row = csi_driver::row};
}

}  // namespace proa::kinds
