#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/time.h"

// How fast a number of replicas may change, and how long a change is thought over. Pure: what was
// done and wanted before comes in as the history.

namespace proa::controllers {

struct ScalingPolicy {
  bool percent = false;  // else: pods
  int64_t value = 0;
  Duration period{};
};

struct ScalingRules {
  enum class Select : uint8_t { kMax, kMin, kDisabled };

  Duration window{};  // in which all that was wanted counts
  Select select = Select::kMax;
  std::vector<ScalingPolicy> policies = {};
  std::optional<double> tolerance = std::nullopt;

  Duration longest_period() const;
};

struct Behavior {
  ScalingRules up;
  ScalingRules down;
};

// Nullopt where an autoscaler says nothing about it: then the defaults of times before hold.
std::optional<Behavior> read_behavior(api::View autoscaler_spec);

// What an autoscaler knows of its past; forgotten when the process ends, as upstream's.
struct ScalingHistory {
  struct Entry {
    int64_t replicas;  // of a change: by how many
    Time at;
  };
  std::vector<Entry> recommendations = {};  // before anything was limited
  std::vector<Entry> ups = {};
  std::vector<Entry> downs = {};

  // Remembers that the number was changed.
  void add_change(const Behavior& behavior, int64_t before, int64_t after, Time now);
};

struct ScalingBounds {
  int64_t least = 1;
  int64_t most = 1;
};

// A number of replicas, and how it came about: reasons and messages of the conditions AbleToScale
// and ScalingLimited.
struct LimitedReplicas {
  int64_t replicas = 0;
  std::string_view able_reason = {};
  std::string_view able_message = {};
  bool limited = false;
  std::string_view limit_reason = {};
  std::string_view limit_message = {};
};

// What becomes of `wanted` when there are `current` ones. Remembers what was wanted.
LimitedReplicas limit_replicas(int64_t current, int64_t wanted, const ScalingBounds& bounds,
                               const std::optional<Behavior>& behavior, ScalingHistory& history,
                               Time now);

}  // namespace proa::controllers
