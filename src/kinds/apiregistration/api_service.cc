#include "kinds/apiregistration/api_service.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "kinds/checks/data.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace api_service {

constexpr int64_t kMaxGroupPriority = 20000;
constexpr int64_t kMaxVersionPriority = 1000;

// Local API services are always available.
void prepare_create(api::Edit object, const Writer& writer) {
  if (object["spec"]["service"]) return;
  const api::Edit conditions = object.object("status").array("conditions");
  if (conditions.size() > 0) return;
  const api::Edit condition = conditions.push_object();
  condition.set("type", "Available");
  condition.set("status", "True");
  condition.set("lastTransitionTime", format_time(writer.now));
  condition.set("reason", "Local");
  condition.set("message", "Local APIServices are always available");
}

void validate_name(View object, api::FieldErrors& errors) {
  const std::string_view name = object["metadata"]["name"].text();
  const View spec = object["spec"];
  const std::string wanted = fmt::format("{}.{}", spec["version"].text(), spec["group"].text());
  const std::string rule =
      fmt::format("must be `spec.version+\".\"+spec.group`: {}", api::quoted(wanted));
  const std::string_view prefix = object["metadata"]["generateName"].text();
  if (!prefix.empty() && prefix != wanted && api::check_path_segment(prefix).empty()) {
    errors.invalid(api::Path("metadata.generateName"), prefix, rule);
  }
  if (name.empty() || name == wanted || !api::check_path_segment(name).empty()) return;
  errors.invalid(api::Path("metadata.name"), name, rule);
}

void validate_version(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View group = spec["group"];
  const View version = spec["version"];
  if (group.text().empty() && version.text() != "v1") {
    errors.required(path.field("group"),
                    "only v1 may have an empty group and it better be legacy kube");
  }
  if (!group.text().empty()) {
    check_text(group, api::check_dns1123_subdomain, path.field("group"), errors);
  }
  check_text(version, api::check_dns1035_label, path.field("version"), errors);
}

void validate_priority(View spec, std::string_view name, int64_t most, const api::Path& path,
                       api::FieldErrors& errors) {
  const int64_t priority = spec[name].integer();
  if (priority > 0 && priority <= most) return;
  errors.invalid(path.field(name), priority,
                 fmt::format("must be positive and less than {}", most));
}

// A local API service.
void validate_local(View spec, const api::Path& path, api::FieldErrors& errors) {
  const size_t bytes = size_of_base64(spec["caBundle"].text());
  if (bytes != 0) {
    errors.invalid(path.field("caBundle"), fmt::format("{} bytes", bytes),
                   "local APIServices may not have a caBundle");
  }
  if (spec["insecureSkipTLSVerify"].flag()) {
    errors.invalid(path.field("insecureSkipTLSVerify"), spec["insecureSkipTLSVerify"],
                   "local APIServices may not have insecureSkipTLSVerify");
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_name(object, errors);
  validate_version(spec, path, errors);
  validate_priority(spec, "groupPriorityMinimum", kMaxGroupPriority, path, errors);
  validate_priority(spec, "versionPriority", kMaxVersionPriority, path, errors);
  const View service = spec["service"];
  if (!service) return validate_local(spec, path, errors);
  const api::Path service_path = path.field("service");
  require_text(service, "namespace", service_path, errors);
  require_text(service, "name", service_path, errors);
  const api::Problems problems = api::check_port_number(service["port"].integer());
  if (!problems.empty()) {
    errors.invalid(service_path.field("port"), service["port"],
                   "port is not valid: " + join(problems, ", "));
  }
  if (spec["insecureSkipTLSVerify"].flag() && !spec["caBundle"].text().empty()) {
    errors.invalid(path.field("insecureSkipTLSVerify"), spec["insecureSkipTLSVerify"],
                   "may not be true if caBundle is present");
  }
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  const api::Path path("status.conditions");
  each(object["status"]["conditions"], path, [&](View condition, const api::Path& at) {
    const std::string_view status = condition["status"].text();
    if (contains({"True", "False", "Unknown"}, status)) return;
    errors.not_supported(at.field("status"), status, {"True", "False", "Unknown"});
  });
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Service", .description = "Who answers for it."},
    {.name = "Available", .description = "Whether it can be asked."},
    {.name = "Age"},
};

std::string availability(View object) {
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() != "Available") continue;
    const std::string_view status = condition["status"].text();
    const std::string_view reason = condition["reason"].text();
    if (status == "True" || reason.empty()) return std::string(status);
    return fmt::format("{} ({})", status, reason);
  }
  return "Unknown";
}

void row(View object, Cells& cells) {
  const View service = object["spec"]["service"];
  cells.text(object["metadata"]["name"].text());
  cells.text(service ? fmt::format("{}/{}", service["namespace"].text(), service["name"].text())
                     : "Local");
  cells.text(availability(object));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace api_service

KindRules api_service_rules() {
  return {.kind = "apiregistration.k8s.io/v1/APIService",
          .name = api::check_path_segment,
          .metadata = {.create = "m", .update = "um", .status = "u"},
          .prepare_create = api_service::prepare_create,
          .validate = api_service::validate,
          .validate_status_update = api_service::validate_status_update,
          .columns = api_service::kColumns,
          .row = api_service::row};
}

}  // namespace proa::kinds
