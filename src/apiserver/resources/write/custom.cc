#include "apiserver/resources/write/custom.h"

#include <algorithm>

#include "custom/decode/defaults.h"
#include "custom/definition/definition.h"
#include "custom/schema.h"

namespace proa::apiserver {

Result<void> settle_custom(const Request& request, json::Document& document,
                           api::FieldValidation validation, std::vector<std::string>& problems,
                           Budget& budget) {
  if (!request.resource->custom) return {};
  const custom::Schema& schema = *TRY(custom::custom_resource(*request.resource).schema());
  const bool reports = validation != api::FieldValidation::kIgnore;
  const std::vector<std::string> unknown =
      TRY(schema.decode(document, {.reports_unknown = reports}, budget));
  if (!reports) return {};
  // Upstream finds duplicates when it parses, the rest after that.
  std::stable_partition(problems.begin(), problems.end(), [](const std::string& problem) {
    return problem.starts_with("duplicate");
  });
  for (const std::string& path : unknown) problems.push_back("unknown field \"" + path + "\"");
  return {};
}

Result<void> default_custom(const Request& request, json::Document& document, Budget& budget) {
  if (!request.resource->custom) return {};
  const custom::Schema& schema = *TRY(custom::custom_resource(*request.resource).schema());
  if (!schema.structure().has_defaults) return {};
  return custom::apply_defaults(document.arena(), document.root(), schema.structure(), budget);
}

Result<void> validate_custom(const Request& request, const json::Value& object,
                             const json::Value* old, Budget budget, api::FieldErrors& errors) {
  if (!request.resource->custom) return {};
  const custom::CustomResource& resource = custom::custom_resource(*request.resource);
  const custom::Schema& schema = *TRY(resource.schema());
  std::vector<std::string> warnings;
  const bool is_status = request.subresource != nullptr && request.subresource->name == "status";
  TRY(schema.validate(
      {.object = &object, .old = old, .is_status = is_status, .scale = resource.scale()}, budget,
      errors, warnings));
  for (std::string& warning : warnings) request.warn(std::move(warning));
  return {};
}

}  // namespace proa::apiserver
