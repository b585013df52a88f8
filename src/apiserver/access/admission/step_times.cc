#include "apiserver/access/admission/step_times.h"

#include <chrono>
#include <memory>
#include <vector>

namespace proa::apiserver {
namespace step_times {

// Upstream's latencySummaryMaxAge and defObjectives.
constexpr std::chrono::hours kMaxAge(5);
constexpr double kRanks[] = {0.5, 0.9, 0.99};

}  // namespace step_times

std::string_view step_name(AdmissionStep step) {
  return step == AdmissionStep::kAdmit ? "admit" : "validate";
}

StepTimes::~StepTimes() {
  for (const std::atomic<Times*>& made : times_) delete made.load();
}

void StepTimes::count(AdmissionStep step, Operation operation, bool rejected, Steady begin,
                      Steady end) {
  const size_t place =
      (static_cast<size_t>(step) * kOperations + static_cast<size_t>(operation)) * 2 +
      (rejected ? 1 : 0);
  Times* found = times_[place].load(std::memory_order_acquire);
  if (found == nullptr) {
    auto made = std::make_unique<Times>();
    if (summary_ == Summary::kLastHours) made->summary.emplace(step_times::kMaxAge);
    // Otherwise somebody was faster.
    if (times_[place].compare_exchange_strong(found, made.get())) found = made.release();
  }
  const double seconds = std::chrono::duration<double>(end - begin).count();
  found->seconds.observe(seconds);
  if (found->summary) found->summary->observe(seconds, end.time_since_epoch());
}

std::array<std::string_view, 3> StepTimes::labels_of(size_t place) {
  return {step_name(static_cast<AdmissionStep>(place / 2 / kOperations)),
          operation_name(static_cast<Operation>(place / 2 % kOperations)),
          place % 2 == 1 ? "true" : "false"};
}

void StepTimes::write(MetricsText& text, std::span<const std::string_view> first) const {
  for (size_t i = 0; i < times_.size(); ++i) {
    const Times* made = times_[i].load(std::memory_order_acquire);
    if (made == nullptr) continue;
    std::vector<std::string_view> labels(first.begin(), first.end());
    for (const std::string_view label : labels_of(i)) labels.push_back(label);
    text.add(labels, made->seconds);
  }
}

void StepTimes::write_summaries(MetricsText& text, Steady now) const {
  for (size_t i = 0; i < times_.size(); ++i) {
    const Times* made = times_[i].load(std::memory_order_acquire);
    if (made == nullptr) continue;
    text.add(labels_of(i), made->summary->value(step_times::kRanks, now.time_since_epoch()));
  }
}

}  // namespace proa::apiserver
