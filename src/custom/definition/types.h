#pragma once

#include <string_view>

#include "api/schema/model.h"
#include "json/arena.h"

namespace proa::custom {

struct TypeNames {
  std::string_view group_version;
  std::string_view kind;
  std::string_view list_kind;
};

struct CustomTypes {
  const api::Type* type = nullptr;
  const api::Type* list = nullptr;
};

// The types of a custom kind and of its lists, in the arena: open ones, which know metadata only.
// What else objects may have is in the schema of the definition.
CustomTypes make_types(json::Arena& arena, const TypeNames& names);

}  // namespace proa::custom
