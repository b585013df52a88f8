#include "kinds/resource/claim_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "cel/devices/device_selector.h"
#include "json/print.h"
#include "kinds/checks/drivers.h"
#include "kinds/checks/expressions.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds::devices {

namespace claim_spec {

constexpr size_t kMaxConstraints = 32;
constexpr size_t kMaxSelectors = 32;
constexpr size_t kMaxAlternatives = 8;
constexpr size_t kMaxExpressionBytes = 10240;
constexpr size_t kMaxParameterBytes = 10240;

void validate_expression(std::string_view expression, const api::Path& path,
                         api::FieldErrors& errors) {
  if (expression.size() > kMaxExpressionBytes) return errors.too_long(path, kMaxExpressionBytes);
  if (errors.full()) return;
  const cel::CheckedExpression compiled = cel::compile_device_selector(expression);
  if (!compiled.error.empty()) return report_expression(compiled, expression, path, errors);
  if (compiled.max_cost > cel::kDeviceSelectorCostLimit) {
    errors.forbidden(path, "too complex, exceeds cost limit");
  }
}

void validate_toleration(View toleration, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view key = toleration["key"].text();
  if (!key.empty()) {
    errors.invalid_each(path.field("key"), key, api::check_qualified_name(key));
  }
  const std::string_view operation = toleration["operator"].text();
  const std::string_view value = toleration["value"].text();
  if (operation == "Exists") {
    if (!value.empty()) {
      errors.invalid(path.field("value"), value, "must be empty for operator `Exists`");
    }
  } else if (operation == "Equal") {
    errors.invalid_each(path.field("value"), value, api::check_label_value(value));
  } else {
    require_one_of(toleration["operator"], {"Equal", "Exists"}, path.field("operator"), errors);
  }
  if (!toleration["effect"].text().empty()) {
    check_one_of(toleration["effect"], {"NoExecute", "NoSchedule", "None"}, path.field("effect"),
                 errors);
  }
}

// Fields that a request and its alternatives share.
void validate_subrequest(View request, const api::Path& path, api::FieldErrors& errors) {
  if (require_text(request, "deviceClassName", path, errors)) {
    check_text(request["deviceClassName"], api::check_dns1123_subdomain,
               path.field("deviceClassName"), errors);
  }
  validate_selectors(request["selectors"], path.field("selectors"), errors);
  const std::string_view mode = request["allocationMode"].text();
  const int64_t count = request["count"].integer();
  if (mode == "All") {
    if (count != 0) {
      errors.invalid(path.field("count"), count,
                     "must not be specified when allocationMode is 'All'");
    }
  } else if (mode == "ExactCount") {
    if (count <= 0) errors.invalid(path.field("count"), count, "must be greater than zero");
  } else {
    errors.not_supported(path.field("allocationMode"), mode, {"All", "ExactCount"});
  }
  const api::Path tolerations_path = path.field("tolerations");
  each(request["tolerations"], tolerations_path,
       [&](View toleration, const api::Path& at) { validate_toleration(toleration, at, errors); });
}

void validate_request(View request, const api::Path& path, api::FieldErrors& errors) {
  validate_label_name(request["name"], path.field("name"), errors);
  const View exactly = request["exactly"];
  const View alternatives = request["firstAvailable"];
  if (!exactly && alternatives.empty()) {
    errors.required(path, "exactly one of `exactly` or `firstAvailable` is required");
  } else if (exactly && !alternatives.empty()) {
    errors.invalid(path, nullptr,
                   "exactly one of `exactly` or `firstAvailable` is required, but multiple fields "
                   "are set");
  } else if (exactly) {
    validate_subrequest(exactly, path.field("exactly"), errors);
  } else {
    const auto check = [&](View alternative, const api::Path& at) {
      validate_label_name(alternative["name"], at.field("name"), errors);
      validate_subrequest(alternative, at, errors);
    };
    validate_distinct(alternatives, kMaxAlternatives, path.field("firstAvailable"), errors, check,
                      name_of);
  }
}

void validate_constraint(View constraint, const RequestNames& requests, const api::Path& path,
                         api::FieldErrors& errors) {
  validate_request_references(constraint["requests"], requests, path.field("requests"), errors);
  if (constraint["matchAttribute"]) {
    validate_fully_qualified_name(constraint["matchAttribute"], path.field("matchAttribute"),
                                  errors);
  } else if (constraint["distinctAttribute"]) {
    validate_fully_qualified_name(constraint["distinctAttribute"], path.field("distinctAttribute"),
                                  errors);
  } else {
    errors.required(path,
                    "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                    "multiple fields are set");
  }
}

}  // namespace claim_spec

RequestNames::RequestNames(View requests) {
  for (const View request : requests.items()) {
    const auto [found, is_new] = names_.try_emplace(request["name"].text());
    if (!is_new) continue;
    for (const View alternative : request["firstAvailable"].items())
      found->second.insert(alternative["name"].text());
  }
}

bool RequestNames::has(std::string_view request, std::string_view alternative) const {
  const auto found = names_.find(request);
  return found != names_.end() && found->second.contains(alternative);
}

void validate_selectors(View selectors, const api::Path& path, api::FieldErrors& errors) {
  const auto check = [&](View selector, const api::Path& at) {
    if (!selector["cel"]) return errors.required(at.field("cel"));
    const api::Path cel_path = at.field("cel");
    claim_spec::validate_expression(selector["cel"]["expression"].text(),
                                    cel_path.field("expression"), errors);
  };
  validate_list(selectors, claim_spec::kMaxSelectors, path, errors, check);
}

void validate_raw_object(View value, size_t most_bytes, const api::Path& path,
                         api::FieldErrors& errors) {
  if (!value) {
    errors.required(path);
  } else if (json::print(*value.value()).size() > most_bytes) {
    errors.too_long(path, most_bytes);
  } else if (!value.is(json::Kind::kObject)) {
    errors.invalid(path, "<value omitted>", "must be a valid JSON object");
  }
}

void validate_configuration(View configuration, const api::Path& path, api::FieldErrors& errors) {
  const View opaque = configuration["opaque"];
  const api::Path opaque_path = path.field("opaque");
  if (!opaque) return errors.required(opaque_path);
  validate_driver_name(opaque["driver"], opaque_path.field("driver"), errors);
  validate_raw_object(opaque["parameters"], claim_spec::kMaxParameterBytes,
                      opaque_path.field("parameters"), errors);
}

void validate_request_reference(View name, const RequestNames& requests, const api::Path& path,
                                api::FieldErrors& errors) {
  constexpr std::string_view kNoRequest =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const auto parts = split(name.text(), '/');
  if (parts.size() > 2) return errors.invalid(path, name.text(), kNoRequest);
  for (const std::string_view part : parts) {
    errors.invalid_each(path, part, api::check_dns1123_label(part));
  }
  const bool known = parts.size() == 1 ? requests.has(parts[0]) : requests.has(parts[0], parts[1]);
  if (!known) errors.invalid(path, name.text(), kNoRequest);
}

void validate_request_references(View names, const RequestNames& requests, const api::Path& path,
                                 api::FieldErrors& errors) {
  const auto check = [&](View name, const api::Path& at) {
    validate_request_reference(name, requests, at, errors);
  };
  validate_distinct(names, kMaxRequests, path, errors, check, text_of);
}

void validate_claim_spec(View spec, const api::Path& path, api::FieldErrors& errors) {
  const api::Path devices = path.field("devices");
  const View claim = spec["devices"];
  const View requests = claim["requests"];
  const auto check_request = [&](View request, const api::Path& at) {
    claim_spec::validate_request(request, at, errors);
  };
  validate_distinct(requests, kMaxRequests, devices.field("requests"), errors, check_request,
                    name_of);
  const RequestNames names(requests);
  const auto check_constraint = [&](View constraint, const api::Path& at) {
    claim_spec::validate_constraint(constraint, names, at, errors);
  };
  validate_list(claim["constraints"], claim_spec::kMaxConstraints, devices.field("constraints"),
                errors, check_constraint);
  const auto check_configuration = [&](View configuration, const api::Path& at) {
    validate_request_references(configuration["requests"], names, at.field("requests"), errors);
    validate_configuration(configuration, at, errors);
  };
  validate_list(claim["config"], kMaxConfigurations, devices.field("config"), errors,
                check_configuration);
}

void default_device_request(api::Edit request) {
  if (request["allocationMode"].text() == "ExactCount" && request["count"].integer() == 0) {
    request.set("count", 1);
  }
}

}  // namespace proa::kinds::devices
