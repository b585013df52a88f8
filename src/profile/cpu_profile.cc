#include "profile/cpu_profile.h"

#include <algorithm>
#include <unordered_map>

#include "base/threads/mutex.h"
#include "profile/cpu_sampler.h"

namespace proa::profile {
namespace cpu_profile {

// 100 samples per second of CPU time, as Go's profiler takes.
constexpr Duration kPeriod = std::chrono::milliseconds(10);
// How often the ring is emptied, and threads are looked for.
constexpr Duration kTurn = std::chrono::milliseconds(100);
// Of a program, after any time; more are counted as lost. They hold 50 MB at most.
constexpr size_t kMostStacks = 1 << 16;

struct StackHash {
  size_t operator()(const std::vector<uint64_t>& stack) const {
    uint64_t hash = 0xcbf29ce484222325;
    for (const uint64_t address : stack) hash = (hash ^ address) * 0x100000001b3;
    return hash ^ (hash >> 32);
  }
};

// How often each stack was seen.
class Counts {
 public:
  void add_all(CpuSampler& sampler) {
    int64_t periods = 0;
    while (sampler.take(stack_, periods)) {
      const auto found = counts_.find(stack_);
      if (found != counts_.end()) {
        found->second += periods;
      } else if (counts_.size() < kMostStacks) {
        counts_.emplace(stack_, periods);
      } else {
        lost_ += static_cast<uint64_t>(periods);
      }
    }
  }

  uint64_t lost() const { return lost_; }
  void move_into(Profile& profile) {
    profile.samples.reserve(counts_.size());
    while (!counts_.empty()) {
      auto node = counts_.extract(counts_.begin());
      const int64_t periods = node.mapped();
      profile.samples.push_back(
          {std::move(node.key()), {periods, periods * static_cast<int64_t>(kPeriod.count())}});
    }
  }

 private:
  std::unordered_map<std::vector<uint64_t>, int64_t, StackHash> counts_;
  std::vector<uint64_t> stack_;
  uint64_t lost_ = 0;
};

}  // namespace cpu_profile

Result<Profile> collect_cpu_profile(Duration duration, Clock& clock, const std::stop_token& stop) {
  Profile profile{.types = {{"samples", "count"}, {"cpu", "nanoseconds"}},
                  .period_type = {"cpu", "nanoseconds"},
                  .period = cpu_profile::kPeriod.count(),
                  .begin = clock.now()};
  const std::unique_ptr<CpuSampler> sampler = TRY(CpuSampler::start(cpu_profile::kPeriod));
  const Steady begin = clock.steady();
  const Steady end = begin + duration;
  cpu_profile::Counts counts;
  Mutex mutex;
  CondVar stopped;
  const std::stop_callback wake(stop, [&] {
    MutexLock lock(mutex);
    stopped.notify_all();
  });
  while (!stop.stop_requested() && clock.steady() < end) {
    const Steady turn = std::min(end, clock.steady() + cpu_profile::kTurn);
    {
      MutexLock lock(mutex);
      while (!stop.stop_requested() && clock.steady() < turn)
        clock.wait_until(stopped, mutex, turn);
    }
    counts.add_all(*sampler);
    sampler->follow_threads();
  }
  profile.duration = clock.steady() - begin;
  counts.move_into(profile);
  const uint64_t lost = counts.lost() + sampler->lost();
  if (lost > 0) profile.comments.push_back(std::to_string(lost) + " samples were lost");
  if (sampler->threads_left_out() > 0) {
    profile.comments.push_back(std::to_string(sampler->threads_left_out()) +
                               " threads were not sampled");
  }
  return profile;
}

}  // namespace proa::profile
