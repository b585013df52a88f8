#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules priority_class_rules();

// The classes that the server creates itself. Names that begin with "system-" are reserved for
// them.
struct SystemPriorityClass {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
std::span<const SystemPriorityClass> system_priority_classes();

}  // namespace proa::kinds
