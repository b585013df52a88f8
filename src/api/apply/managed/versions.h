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

// A kind in one of its versions. Null if it is not served in that version.
struct VersionedType {
  VersionedType() = default;
  VersionedType(const Type* of) : type(of) {}  // NOLINT(google-explicit-constructor)
  // Of a custom resource: the type names it, the structure says what its objects have.
  VersionedType(const Type* of, const Structure* fields) : type(of), structure(fields) {}

  explicit operator bool() const { return type != nullptr; }
  const Type& operator*() const { return *type; }
  const Type* operator->() const { return type; }
  Place place() const {
    return structure == nullptr ? Place(*type) : Place::custom_object(*structure);
  }

  const Type* type = nullptr;
  const Structure* structure = nullptr;
};

// What the field manager needs to know of a kind whose objects are written.
struct ManagedKind {
  VersionedType type;  // in the version of the request
  std::string_view subresource;
  // Of another version. Null: there is only one version.
  std::function<VersionedType(std::string_view api_version)> find_type;
  // Converts an object, which need not be decoded, to another version that find_type() knows. The
  // result is: upstream's goes through structs, which do not have empty fields.
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
  VersionedType type;

  Place place() const { return type.place(); }
  std::string_view api_version() const { return type->group_version; }
};

// Converts objects between versions, and keeps the results.
class VersionConverter {
 public:
  explicit VersionConverter(const ManagedKind& kind) : kind_(kind) {}

  // Null if the kind is not served in that version.
  VersionedType find(std::string_view api_version) const;
  // Fails also if the object has duplicates. REQUIRES: find(api_version) is not null.
  Result<VersionedValue> convert(const VersionedValue& object, std::string_view api_version);
  // A value that lives as long as this. The text of strings is not copied.
  VersionedValue keep(json::Value value, VersionedType type);

 private:
  const ManagedKind& kind_;
  std::deque<json::Document> documents_;
  std::deque<json::Value> values_;
};

}  // namespace proa::api
