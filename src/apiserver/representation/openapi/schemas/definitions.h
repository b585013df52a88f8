#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/schema/model.h"
#include "apiserver/representation/openapi/json_text.h"
#include "apiserver/representation/openapi/naming.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// Swagger 2.0 or OpenAPI 3.0.
enum class Dialect : uint8_t { kVersion2, kVersion3 };

// The types referenced by a document, as JSON schemas.
class Definitions {
 public:
  // `group_versions` of the document. Kinds without a group belong to each of them.
  Definitions(Dialect dialect, std::vector<GroupVersion> group_versions)
      : dialect_(dialect), group_versions_(std::move(group_versions)) {}

  // Custom kinds among these are written as their definition says. REQUIRES: they outlive this.
  void know(std::span<const api::Resource* const> resources);
  // Writes a reference to the type and adds it, and all types it consists of, to the definitions.
  void write_reference(JsonText& out, const api::Type& type);
  void need(const api::Type& type);
  // The types that a custom resource's own types, and its subresources, refer to.
  void need_parts_of(const api::Resource& resource);

  bool empty() const { return types_.empty(); }
  // Calls `take` with each name and schema, sorted by name.
  using Take = std::function<void(std::string_view name, std::string_view schema)>;
  void for_each(const Take& take);
  // The same for the types of a custom resource: its objects and their lists.
  void for_own_types(const api::Resource& resource, const Take& take);

 private:
  struct ByName {
    bool operator()(const api::Type* a, const api::Type* b) const {
      return a->openapi < b->openapi;
    }
  };

  bool version3() const { return dialect_ == Dialect::kVersion3; }
  std::string reference_to(const api::Type& type) const;

  void write_type(JsonText& out, const api::Type& type) const;
  void write_fields(JsonText& out, const api::Type& type) const;
  void write_kinds(JsonText& out, const api::Type& type) const;
  void write_field(JsonText& out, const api::Field& field, std::string_view description) const;
  void write_rules(JsonText& out, const api::FieldRules& rules) const;
  void write_value(JsonText& out, const api::Field& field, bool alone,
                   std::string_view default_json) const;

  const Dialect dialect_;
  const std::vector<GroupVersion> group_versions_;
  std::set<const api::Type*, ByName> types_;
  std::unordered_map<const api::Type*, const custom::CustomResource*> custom_;
};

}  // namespace proa::apiserver
