#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "api/schema/items.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// What a `resource` statement of a schema file says, with the types it names found.
struct ReadResource {
  Resource resource;
  // The file with the resource of the same name in whose form this one is stored; empty: itself.
  std::string_view stored_in;
};

struct ResourceScope {
  json::Arena& arena;
  std::string_view group_version;
  std::function<const Type*(std::string_view name)> find_type;
};

// Subresources stand below the head, a line for each.
Result<ReadResource> read_resource(const ResourceScope& scope, const SchemaItem& head,
                                   std::span<const SchemaItem> subresources);

}  // namespace proa::api
