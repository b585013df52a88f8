#include "apiserver/request/kind_mismatch.h"

#include "api/codec/protobuf/envelope.h"
#include "api/validation/field_errors.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace kind_mismatches {

// As Go's package of internal types: "core", "apps", "rbac".
std::string_view internal_package(const api::Type& type) {
  const auto halves = split_once(type.group_version, '/');
  if (!halves || halves->before == "events.k8s.io") return "core";
  return halves->before.substr(0, halves->before.find('.'));
}

}  // namespace kind_mismatches

Result<void> check_custom_kind(const api::StatedKind& stated, const api::Type& wanted,
                               api::View object) {
  api::FieldErrors errors;
  if (stated.kind != wanted.name)
    errors.invalid(api::Path("kind"), stated.kind, "must be " + std::string(wanted.name));
  if (stated.api_version != wanted.group_version) {
    errors.invalid(api::Path("apiVersion"), stated.api_version,
                   "must be " + std::string(wanted.group_version));
  }
  if (errors.empty()) return {};
  return errors.to_status(stated.group(), stated.kind, object["metadata"]["name"].text());
}

std::string kind_mismatch(const api::StatedKind& stated, const api::Type& wanted,
                          const api::Schema& schema) {
  if (schema.find_kind(stated.api_version, stated.kind) == nullptr) {
    return api::unknown_kind({.api_version = stated.api_version, .kind = stated.kind});
  }
  return "converting (" + std::string(stated.version()) + "." + stated.kind + ") to (" +
         std::string(kind_mismatches::internal_package(wanted)) + "." + std::string(wanted.name) +
         "): unknown conversion";
}

}  // namespace proa::apiserver
