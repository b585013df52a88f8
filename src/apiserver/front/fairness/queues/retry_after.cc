#include "apiserver/front/fairness/queues/retry_after.h"

#include <algorithm>

namespace proa::apiserver::fairness {
namespace retry_after {

constexpr int64_t kLongest = 32;
// Rejected requests a second from which the time is doubled.
constexpr int64_t kMany = 3;

}  // namespace retry_after

void RetryAfter::note(int64_t second) {
  if (second == current_.at) {
    ++current_.rejected;
    return;
  }
  history_.push_back(current_);
  const int64_t needed = std::min(2 * seconds_, retry_after::kLongest);
  while (current_.at - history_.front().at > needed) history_.pop_front();
  current_ = {second, 1};
  adapt(second);
}

// By what was rejected in the last seconds() before `now`. Doubled, but not twice for one burst,
// and lowered by one: as TCP finds its window.
void RetryAfter::adapt(int64_t now) {
  int64_t rejected = 0;
  for (const Second& one : history_) {
    if (now - one.at <= seconds_ && one.at < now) rejected += one.rejected;
  }
  if (now - raised_at_ >= seconds_ && rejected >= retry_after::kMany * seconds_) {
    seconds_ = std::min(2 * seconds_, retry_after::kLongest);
    raised_at_ = now;
  } else if (rejected < seconds_ && seconds_ > 1) {
    --seconds_;
  }
}

}  // namespace proa::apiserver::fairness
