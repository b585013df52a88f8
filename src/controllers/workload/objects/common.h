#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/typed/decode.h"

// Parts that several kinds have in common. All structs of this folder hold the fields that
// controllers decide by, and no others: src/api/typed/decode.h says how they are read.

namespace proa::controllers::objects {

// One that a status states. Its texts are the object's, as are all views here.
struct StatusCondition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::string_view last_transition;

  bool holds() const { return status == "True"; }
  // Nullopt where it states none.
  std::optional<Time> since() const;
  static const api::FieldTable& table();
};

// Null when there is none of that type.
const StatusCondition* find_condition(std::span<const StatusCondition> conditions,
                                      std::string_view type);
// False when there is none.
bool condition_holds(std::span<const StatusCondition> conditions, std::string_view type);

// spec.updateStrategy.rollingUpdate, and its like.
struct RollingUpdate {
  std::optional<api::IntOrString> max_surge;
  std::optional<api::IntOrString> max_unavailable;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
