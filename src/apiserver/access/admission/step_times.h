#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <string_view>

#include "apiserver/access/admission/plugin.h"
#include "base/clock.h"
#include "base/metrics/metrics.h"
#include "base/metrics/sliding_summary.h"

namespace proa::apiserver {

enum class AdmissionStep : uint8_t { kAdmit, kValidate };

// "admit" or "validate", as metrics say it.
std::string_view step_name(AdmissionStep step);

// How long a step of admission took, by operation. Every write passes here: no locks but that of a
// summary, and memory is allocated for what occurs, once. Thread-safe.
class StepTimes {
 public:
  enum class Summary : uint8_t { kNone, kLastHours };
  explicit StepTimes(Summary summary = Summary::kNone) : summary_(summary) {}
  ~StepTimes();
  StepTimes(const StepTimes&) = delete;
  StepTimes& operator=(const StepTimes&) = delete;

  void count(AdmissionStep step, Operation operation, bool rejected, Steady begin, Steady end);

  // The labels after those of `first`: type, operation, rejected. REQUIRES: a family with kBounds
  // has begun.
  void write(MetricsText& text, std::span<const std::string_view> first) const;

  // The same labels. REQUIRES: it keeps summaries; a family of them has begun.
  void write_summaries(MetricsText& text, Steady now) const;

  static constexpr double kBounds[] = {0.005, 0.025, 0.1, 0.5, 1, 2.5};

 private:
  static constexpr size_t kOperations = 4;
  struct Times {
    Histogram seconds{kBounds};
    std::optional<SlidingSummary> summary;
  };
  // Type, operation, rejected.
  static std::array<std::string_view, 3> labels_of(size_t place);

  const Summary summary_;
  // By step, operation, rejected.
  std::array<std::atomic<Times*>, 2 * kOperations* 2> times_ = {};
};

}  // namespace proa::apiserver
