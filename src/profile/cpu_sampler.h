#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace proa::profile {

// Interrupts every thread of the process each time it has used so much CPU time, and records its
// stack. There is one at a time in a process. Used by one thread.
class CpuSampler {
 public:
  // Deeper stacks lose their outermost frames.
  static constexpr size_t kMostFrames = 100;

  // Stacks that wait to be taken: a tenth of a second of 200 busy processors, in under two
  // megabytes.
  static constexpr size_t kSlots = 2048;

  // Fails with kAlreadyExists if another one runs.
  static Result<std::unique_ptr<CpuSampler>> start(Duration period, size_t slots = kSlots);
  // Whether one runs.
  static bool is_in_use();
  ~CpuSampler();
  CpuSampler(const CpuSampler&) = delete;
  CpuSampler& operator=(const CpuSampler&) = delete;

  // Also samples threads that were started meanwhile.
  void follow_threads();
  // The next recorded stack, the innermost frame first, and how many periods it stands for. False:
  // there is none now.
  bool take(std::vector<uint64_t>& stack, int64_t& periods);
  // Periods whose stack was not recorded, since the ring was full.
  uint64_t lost() const;
  // Threads that cannot be sampled: there are too many, or the kernel gives no more timers.
  size_t threads_left_out() const { return left_out_; }

 private:
  class Ring;

  CpuSampler(std::unique_ptr<Ring> ring, Duration period);
  static void on_signal(int signal, void* info, void* context);
  bool follow(int thread);

  const std::unique_ptr<Ring> ring_;
  const Duration period_;
  std::unordered_map<int, timer_t> timers_;  // by thread
  size_t left_out_ = 0;
};

}  // namespace proa::profile
