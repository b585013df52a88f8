#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/schema/model.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// All types of an API and the memory they lie in. Whoever builds one adds types and then seals it;
// everybody else sees a const Schema, which never changes and which all threads may read.
class Schema {
 public:
  // Null when there is none.
  const Type* find_openapi(std::string_view name) const;
  // By "apps/v1" and "Deployment". Kinds of meta.k8s.io/v1 (DeleteOptions, Status, WatchEvent ...)
  // are found under every group and version, as upstream registers them.
  const Type* find_kind(std::string_view group_version, std::string_view kind) const;

  std::span<const Type* const> types() const { return types_; }
  size_t memory() const;

  json::Arena& arena() { return arena_; }
  Type& add();
  // Makes the types findable. Fails when two have the same name, or when a message contains itself
  // without a pointer, list or map in between: such a thing has no finite zero value.
  Result<void> seal();

 private:
  const Type* find_own_kind(std::string_view group_version, std::string_view kind) const;

  json::Arena arena_;
  std::vector<const Type*> types_;
  std::vector<const Type*> by_openapi_;
  std::vector<const Type*> by_kind_;
};

}  // namespace proa::api
