#include "apiserver/access/admission/step_times.h"

#include <chrono>
#include <memory>
#include <vector>

namespace proa::apiserver {

std::string_view step_name(AdmissionStep step) {
  return step == AdmissionStep::kAdmit ? "admit" : "validate";
}

StepTimes::~StepTimes() {
  for (const std::atomic<Histogram*>& made : times_) delete made.load();
}

void StepTimes::count(AdmissionStep step, Operation operation, bool rejected, Duration took) {
  const size_t place =
      (static_cast<size_t>(step) * kOperations + static_cast<size_t>(operation)) * 2 +
      (rejected ? 1 : 0);
  Histogram* found = times_[place].load(std::memory_order_acquire);
  if (found == nullptr) {
    auto made = std::make_unique<Histogram>(kBounds);
    // Otherwise somebody was faster.
    if (times_[place].compare_exchange_strong(found, made.get())) found = made.release();
  }
  found->observe(std::chrono::duration<double>(took).count());
}

void StepTimes::write(MetricsText& text, std::span<const std::string_view> first) const {
  for (size_t i = 0; i < times_.size(); ++i) {
    const Histogram* made = times_[i].load(std::memory_order_acquire);
    if (made == nullptr) continue;
    std::vector<std::string_view> labels(first.begin(), first.end());
    labels.push_back(step_name(static_cast<AdmissionStep>(i / 2 / kOperations)));
    labels.push_back(operation_name(static_cast<Operation>(i / 2 % kOperations)));
    labels.push_back(i % 2 == 1 ? "true" : "false");
    text.add(labels, *made);
  }
}

}  // namespace proa::apiserver
