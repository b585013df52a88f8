#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "api/schema/items.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "json/arena.h"

namespace proa::api {

// A parsed `resource` statement of a schema file, with its types resolved.
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

// Subresources follow the head, one per line.
Result<ReadResource> read_resource(const ResourceScope& scope, const SchemaItem& head,
                                   std::span<const SchemaItem> subresources);

}  // namespace proa::api
