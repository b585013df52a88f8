#pragma once

#include <span>

#include "json/value.h"

namespace proa::custom {

// Mutable members of an object, which json exposes as const only.
inline std::span<json::Member> members_of(json::Value& object) {
  const auto members = std::as_const(object).members();
  return {const_cast<json::Member*>(members.data()), members.size()};
}

// The fields that every object has, whatever its schema says.
inline bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace proa::custom
