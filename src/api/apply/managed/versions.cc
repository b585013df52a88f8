#include "api/apply/managed/versions.h"

#include "api/apply/fields/check.h"
#include "base/check.h"

namespace proa::api {

VersionedType VersionConverter::find(std::string_view api_version) const {
  if (api_version == kind_.api_version()) return kind_.type;
  return kind_.find_type == nullptr ? VersionedType() : kind_.find_type(api_version);
}

Result<VersionedValue> VersionConverter::convert(const VersionedValue& object,
                                                 std::string_view api_version) {
  if (object.api_version() == api_version) return object;
  const VersionedType type = find(api_version);
  CHECK(type && kind_.convert != nullptr);
  json::Document converted = TRY(kind_.convert(*object.value, api_version));
  // As upstream's versionConverter: duplicates are allowed only in the version of the request.
  const std::string problem = check_typed(converted.root(), type.place(), Duplicates::kRejected);
  if (!problem.empty()) return Status(Reason::kUnknown, problem);
  documents_.push_back(std::move(converted));
  return VersionedValue{.value = &documents_.back().root(), .type = type};
}

VersionedValue VersionConverter::keep(json::Value value, VersionedType type) {
  values_.push_back(std::move(value));
  return {.value = &values_.back(), .type = type};
}

}  // namespace proa::api
