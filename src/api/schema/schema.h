#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// All types and resources of an API, and their memory. Its builder adds types and then seals it; a
// const Schema is immutable and thread-safe.
class Schema {
 public:
  // Null when there is none.
  const Type* find_openapi(std::string_view name) const;
  // By "apps/v1" and "Deployment". Kinds of meta.k8s.io/v1 (DeleteOptions, Status, WatchEvent ...)
  // are found under every group and version, as upstream registers them.
  const Type* find_kind(std::string_view group_version, std::string_view kind) const;

  std::span<const Type* const> types() const { return types_; }

  // In discovery order: core first, groups and versions by priority, resources by name.
  std::span<const Resource* const> resources() const { return resources_; }
  // Null when there is none.
  const Resource* find_resource(std::string_view group, std::string_view version,
                                std::string_view name) const;
  // The resource with objects of that type.
  const Resource* find_resource_of(const Type& type) const;

  size_t memory() const;

  json::Arena& arena() { return arena_; }
  Type& add();
  Resource& add(const Resource& resource);
  // Indexes types and resources. Fails if two have the same name, or if a message contains itself
  // without a pointer, list or map in between: it would have no finite zero value.
  Result<void> seal();

 private:
  Result<void> seal_types();
  Result<void> seal_resources();
  const Type* find_own_kind(std::string_view group_version, std::string_view kind) const;

  json::Arena arena_;
  std::vector<const Type*> types_;
  std::vector<const Type*> by_openapi_;
  std::vector<const Type*> by_kind_;
  std::vector<const Resource*> resources_;
  std::vector<const Resource*> by_path_;
  std::vector<const Resource*> by_type_;
};

}  // namespace proa::api
