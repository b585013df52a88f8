#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/typed/decode.h"

// Parts that several kinds share. All structs of this folder hold only the fields that controllers
// decide by; src/api/typed/decode.h reads them.

namespace proa::controllers::objects {

// A condition in a status. Views point into the object, as in all structs here.
struct StatusCondition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::string_view last_transition;

  bool holds() const { return status == "True"; }
  // lastTransitionTime; nullopt if absent.
  std::optional<Time> since() const;
  static const api::FieldTable& table();
};

// Null if there is none of that type.
const StatusCondition* find_condition(std::span<const StatusCondition> conditions,
                                      std::string_view type);
// False if there is none.
bool condition_holds(std::span<const StatusCondition> conditions, std::string_view type);

// rollingUpdate in the strategy of a Deployment or DaemonSet.
struct RollingUpdate {
  std::optional<api::IntOrString> max_surge;
  std::optional<api::IntOrString> max_unavailable;

  static const api::FieldTable& table();
};

struct ScaleSpec {
  int64_t replicas = 0;

  static const api::FieldTable& table();
};

struct ScaleStatus {
  int64_t replicas = 0;
  std::string selector;

  static const api::FieldTable& table();
};

// The subresource "scale".
struct Scale {
  ScaleSpec spec;
  ScaleStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
