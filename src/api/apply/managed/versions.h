#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/apply/fields/field_set.h"
#include "api/apply/fields/place.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// What the field manager needs to know of a kind whose objects are written.
struct ManagedKind {
  const Type* type = nullptr;  // in the version of the request
  std::string_view subresource;
  // Of another version; null if the kind is not served in it. Null: there is only one version.
  std::function<const Type*(std::string_view api_version)> find_type;
  // Converts an object to another version that find_type() knows.
  std::function<Result<json::Document>(const json::Value& object, std::string_view api_version)>
      convert;
  // The fields that requests like this one cannot change (upstream's GetResetFields), by version:
  // nobody owns them because of it. Null: none. The set outlives the write.
  std::function<FieldSet(std::string_view api_version)> reset_fields;

  // Of a CustomResourceDefinition: an object without fields has no empty ones either.
  bool custom = false;

  std::string_view api_version() const { return type->group_version; }
};

// An object in one of its versions.
struct VersionedValue {
  const json::Value* value = nullptr;
  const Type* type = nullptr;

  Place place() const { return Place(*type); }
  std::string_view api_version() const { return type->group_version; }
};

// Converts objects between versions, and keeps the results.
class VersionConverter {
 public:
  explicit VersionConverter(const ManagedKind& kind) : kind_(kind) {}

  bool knows(std::string_view api_version) const { return find(api_version) != nullptr; }
  // REQUIRES: knows(api_version).
  Result<VersionedValue> convert(const VersionedValue& object, std::string_view api_version);
  // A value that lives as long as this. The text of strings is not copied.
  VersionedValue keep(json::Value value, const Type& type);

 private:
  const Type* find(std::string_view api_version) const;

  const ManagedKind& kind_;
  std::deque<json::Document> documents_;
  std::deque<json::Value> values_;
};

}  // namespace proa::api
