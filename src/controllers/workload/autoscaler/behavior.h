#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "controllers/workload/objects/autoscaler.h"

// Scaling policies and stabilization windows: how fast the replica count may change. Pure functions
// of the history of changes and recommendations.

namespace proa::controllers {

struct ScalingPolicy {
  bool percent = false;  // else: pods
  int64_t value = 0;
  Duration period{};
};

struct ScalingRules {
  enum class Select : uint8_t { kMax, kMin, kDisabled };

  Duration window{};  // stabilization window: all recommendations in it count
  Select select = Select::kMax;
  std::vector<ScalingPolicy> policies = {};
  std::optional<double> tolerance = std::nullopt;

  Duration longest_period() const;
};

struct Behavior {
  ScalingRules up;
  ScalingRules down;
};

// Nullopt if spec.behavior is absent; then upstream's defaults of before v2 apply.
std::optional<Behavior> read_behavior(const objects::AutoscalerSpec& spec);

// Past changes and recommendations. Kept in memory only, as upstream's.
struct ScalingHistory {
  struct Entry {
    int64_t replicas;  // of a change: the difference
    Time at;
  };
  std::vector<Entry> recommendations = {};  // before limits
  std::vector<Entry> ups = {};
  std::vector<Entry> downs = {};

  // Records a change.
  void add_change(const Behavior& behavior, int64_t before, int64_t after, Time now);
};

struct ScalingBounds {
  int64_t min = 1;
  int64_t max = 1;
};

// The limited replica count, with reasons and messages of the conditions AbleToScale and
// ScalingLimited.
struct LimitedReplicas {
  int64_t replicas = 0;
  std::string_view able_reason = {};
  std::string_view able_message = {};
  bool limited = false;
  std::string_view limit_reason = {};
  std::string_view limit_message = {};
};

// Applies stabilization, policies and bounds to the recommendation `desired`, and records it.
LimitedReplicas limit_replicas(int64_t current, int64_t desired, const ScalingBounds& bounds,
                               const std::optional<Behavior>& behavior, ScalingHistory& history,
                               Time now);

}  // namespace proa::controllers
