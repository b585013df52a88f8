#pragma once

#include <array>
#include <atomic>
#include <span>
#include <string_view>

#include "apiserver/access/admission/plugin.h"
#include "base/metrics/metrics.h"

namespace proa::apiserver {

enum class AdmissionStep : uint8_t { kAdmit, kValidate };

// "admit" or "validate", as metrics say it.
std::string_view step_name(AdmissionStep step);

// How long a step of admission took, by operation. Every write passes here: no locks, and memory is
// allocated for what occurs, once. Thread-safe.
class StepTimes {
 public:
  StepTimes() = default;
  ~StepTimes();
  StepTimes(const StepTimes&) = delete;
  StepTimes& operator=(const StepTimes&) = delete;

  void count(AdmissionStep step, Operation operation, bool rejected, Duration took);

  // The labels after those of `first`: type, operation, rejected. REQUIRES: a family with kBounds
  // has begun.
  void write(MetricsText& text, std::span<const std::string_view> first) const;

  static constexpr double kBounds[] = {0.005, 0.025, 0.1, 0.5, 1, 2.5};

 private:
  static constexpr size_t kOperations = 4;
  // By step, operation, rejected.
  std::array<std::atomic<Histogram*>, 2 * kOperations* 2> times_ = {};
};

}  // namespace proa::apiserver
