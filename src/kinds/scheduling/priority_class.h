#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules priority_class_rules();

// Those that the server makes itself: names that begin with "system-" are theirs alone.
struct SystemPriorityClass {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
std::span<const SystemPriorityClass> system_priority_classes();

}  // namespace proa::kinds
