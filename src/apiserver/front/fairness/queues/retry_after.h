#pragma once

#include <cstdint>
#include <deque>

namespace proa::apiserver::fairness {

// How long clients of a level should wait before they try again, in seconds: longer while many are
// rejected, as upstream.
class RetryAfter {
 public:
  // A request was rejected at that time, in seconds since any moment.
  void note(int64_t second);
  int64_t seconds() const { return seconds_; }

 private:
  struct Second {
    int64_t at;
    int64_t rejected;
  };
  void adapt(int64_t now);

  std::deque<Second> history_;
  Second current_{0, 0};
  int64_t seconds_ = 1;
  int64_t raised_at_ = 0;
};

}  // namespace proa::apiserver::fairness
