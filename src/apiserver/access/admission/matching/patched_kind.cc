#include "apiserver/access/admission/matching/patched_kind.h"

#include "api/codec/json/stated_kind.h"
#include "api/object/edit.h"
#include "apiserver/request/failures.h"
#include "apiserver/request/kind_mismatch.h"
#include "json/print.h"

namespace proa::apiserver {
namespace patched_kind {

Result<void> check_custom(api::StatedKind stated, const api::Type& wanted,
                          const json::Document& patched) {
  if (stated.kind.empty())
    return internal_error("Object 'Kind' is missing in '" + json::print(patched.root()) + "'");
  // Another version is converted.
  stated.api_version = wanted.group_version;
  return check_custom_kind(stated, wanted, patched.root());
}

}  // namespace patched_kind

Result<const api::Type*> settle_patched_kind(json::Document& patched, api::View before,
                                             const Matched& matched, const api::Schema& schema) {
  const api::Type& wanted = *matched.kind;
  const Result<api::StatedKind> stated = api::stated_kind(patched.root());
  if (!stated) return internal_error(stated.status().message());
  const bool is_custom = matched.resource->custom && matched.kind == matched.resource->type;
  if (is_custom) TRY(patched_kind::check_custom(*stated, wanted, patched));
  const api::Edit object(patched);
  for (const std::string_view name : {"apiVersion", "kind"}) {
    if (object[name].text().empty() && before[name]) object.set(name, before[name].text());
  }
  const api::StatedKind settled = TRY(api::stated_kind(patched.root()));
  if (is_custom) return &wanted;
  if (settled.kind == wanted.name && settled.api_version == wanted.group_version) return &wanted;
  const api::Type* type = schema.find_kind(settled.api_version, settled.kind);
  if (type == nullptr) return internal_error(kind_mismatch(settled, wanted, schema));
  if (type->name == wanted.name) return type;
  return Status(Reason::kUnknown, kind_mismatch(settled, wanted, schema));
}

}  // namespace proa::apiserver
