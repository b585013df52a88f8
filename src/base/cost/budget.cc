#include "base/cost/budget.h"

#include <algorithm>
#include <utility>

namespace proa {
namespace budget {

constexpr size_t kGrowth = 32;
constexpr size_t kSlack = size_t{1} << 20;
constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

// As upstream's NewRequestEntityTooLargeError begins.
Status too_large(std::string_view what, size_t most, std::string_view unit) {
  std::string text("Request entity too large: ");
  text.append(what).append(" more than ").append(std::to_string(most)).append(unit);
  return {Reason::kRequestEntityTooLarge, std::move(text)};
}

}  // namespace budget

Budget Budget::for_growth(size_t present, size_t input) {
  return Budget({.values = budget::kUnlimited,
                 .memory = present + budget::kSlack + input * budget::kGrowth,
                 .steps = budget::kUnlimited});
}

Budget::Budget(const Budget& other)
    : limits_(other.limits_),
      values_left_(other.values_left_),
      steps_left_(other.steps_left_),
      pool_(other.pool_),
      look_below_(other.look_below_),
      until_(other.until_),
      clock_(other.clock_),
      exceeded_(other.exceeded_) {}

// What is granted moves; the rest are numbers.
// NOLINTNEXTLINE(performance-move-constructor-init)
Budget::Budget(Budget&& other) noexcept : Budget(std::as_const(other)) {
  std::swap(granted_, other.granted_);
}

Budget& Budget::operator=(Budget other) noexcept {
  std::swap(limits_, other.limits_);
  std::swap(values_left_, other.values_left_);
  std::swap(steps_left_, other.steps_left_);
  std::swap(granted_, other.granted_);
  std::swap(pool_, other.pool_);
  std::swap(look_below_, other.look_below_);
  std::swap(until_, other.until_);
  std::swap(clock_, other.clock_);
  std::swap(exceeded_, other.exceeded_);
  return *this;
}

void Budget::grant(size_t bytes) {
  if (bytes > limits_.memory) return exceed(Part::kMemory);
  const size_t wanted =
      std::min(bytes <= kFreeMemory ? kFreeMemory : bytes + kPortion, limits_.memory);
  const size_t paid = std::max(granted_, kFreeMemory);
  if (pool_ != nullptr && wanted > paid && !pool_->take(wanted - paid)) return exceed(Part::kPool);
  granted_ = wanted;
}

void Budget::give_back() {
  if (pool_ != nullptr) pool_->give_back(granted_ - kFreeMemory);
  granted_ = 0;
}

void Budget::end_with(Until until, const Clock& clock) {
  until_ = std::move(until);
  clock_ = &clock;
  look();
}

void Budget::look() {
  if (clock_ == nullptr) return;
  look_below_ = steps_left_ > kStepsPerLook ? steps_left_ - kStepsPerLook : 0;
  if (until_.stop.stop_requested() || clock_->steady() >= until_.deadline) exceed(Part::kTime);
}

Status Budget::timeout() {
  return {Reason::kTimeout, "Timeout: request did not complete within the allotted timeout"};
}

Status Budget::status() const {
  switch (exceeded_) {
    case Part::kValues:
      return budget::too_large("the body has", limits_.values, " values");
    case Part::kMemory:
      return budget::too_large("the object takes", limits_.memory, " bytes of memory");
    case Part::kSteps:
      return budget::too_large("the request takes", limits_.steps, " steps");
    case Part::kPool: {
      StatusDetails details;
      details.retry_after_seconds = 1;
      return Status(Reason::kTooManyRequests,
                    "too many large requests at once, please try again later")
          .with_details(std::move(details));
    }
    case Part::kTime:
      return timeout();
    case Part::kNone:
      break;
  }
  CHECK(false);
}

Result<void> Budget::check() const {
  if (exceeded()) return status();
  return {};
}

}  // namespace proa
