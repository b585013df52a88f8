#include "profile/cpu_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "profile/cpu_sampler.h"

// Uses the CPU until it is told to stop.
extern "C" __attribute__((noinline)) uint64_t proa_busy_for_test(const std::atomic<bool>& stop) {
  uint64_t number = 1;
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 1000; ++i) number = number * 6364136223846793005 + 1;
  }
  return number;
}

namespace proa::profile {
namespace {

using std::chrono::milliseconds;

// How often a function of that name was on the CPU.
int64_t samples_in(const Profile& profile, std::string_view function) {
  FunctionNames names(loaded_code());
  int64_t count = 0;
  for (const Sample& sample : profile.samples) {
    if (!sample.stack.empty() && names.name_of(sample.stack[0]) == function)
      count += sample.values[0];
  }
  return count;
}

// A thread that uses the CPU, as long as this lives.
class BusyThread {
 public:
  ~BusyThread() { stop_ = true; }

 private:
  std::atomic<bool> stop_ = false;
  std::jthread thread_{[this] { proa_busy_for_test(stop_); }};
};

// A machine that has much to do gives a thread little time: again, then.
int64_t find_busy(SystemClock& clock) {
  for (int tries = 0; tries < 100; ++tries) {
    const auto profile = collect_cpu_profile(milliseconds(200), clock, {});
    if (!profile.ok()) return -1;
    if (const int64_t count = samples_in(*profile, "proa_busy_for_test"); count > 0) return count;
  }
  return 0;
}

TEST(CpuProfile, NamesTheFunctionThatUsesTheCpu) {
  SystemClock clock;
  const BusyThread busy;
  EXPECT_GT(find_busy(clock), 0);
}

TEST(CpuProfile, CountsTimeAndSamples) {
  SystemClock clock;
  const BusyThread busy;
  const auto profile = collect_cpu_profile(milliseconds(300), clock, {});
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->types.at(1).type, "cpu");
  EXPECT_GE(profile->duration, milliseconds(300));
  for (const Sample& sample : profile->samples) {
    EXPECT_FALSE(sample.stack.empty());
    EXPECT_LE(sample.stack.size(), CpuSampler::kMostFrames);
    EXPECT_EQ(sample.values.at(1), sample.values.at(0) * profile->period);
    EXPECT_EQ(std::ranges::count(sample.stack, uint64_t{0}), 0);
  }
}

TEST(CpuProfile, SeesThreadsThatBeginMeanwhile) {
  SystemClock clock;
  std::stop_source stop;
  std::atomic<bool> collecting = false;
  Result<Profile> profile = Status(Reason::kUnknown, "none");
  std::jthread collector([&] {
    collecting = true;
    profile = collect_cpu_profile(std::chrono::seconds(20), clock, stop.get_token());
  });
  while (!collecting) std::this_thread::yield();
  {
    // Those that end leave no timer behind, and new ones may get their numbers.
    for (int i = 0; i < 100; ++i) const BusyThread brief;
    const BusyThread longer;
    const Steady until = clock.steady() + std::chrono::seconds(1);
    while (clock.steady() < until) std::this_thread::yield();
  }
  stop.request_stop();
  collector.join();
  ASSERT_TRUE(profile.ok());
  EXPECT_LT(profile->duration, std::chrono::seconds(20)) << "ends when it is stopped";
  EXPECT_GT(samples_in(*profile, "proa_busy_for_test"), 0);
}

TEST(CpuProfile, IsCollectedByOneAtATime) {
  SystemClock clock;
  {
    const auto sampler = CpuSampler::start(milliseconds(10));
    ASSERT_TRUE(sampler.ok());
    const auto refused = collect_cpu_profile(milliseconds(10), clock, {});
    EXPECT_TRUE(refused.is(Reason::kAlreadyExists));
    EXPECT_EQ(refused.status().message(), "cpu profiling already in use");
  }
  EXPECT_TRUE(collect_cpu_profile(milliseconds(10), clock, {}).ok());
}

TEST(CpuSampler, CountsWhatFindsNoPlace) {
  // Nobody empties the ring.
  const auto sampler = CpuSampler::start(milliseconds(1), 4);
  ASSERT_TRUE(sampler.ok());
  std::atomic<bool> stop = false;
  std::jthread busy([&] { proa_busy_for_test(stop); });
  (*sampler)->follow_threads();
  while ((*sampler)->lost() == 0) std::this_thread::yield();
  stop = true;
  std::vector<uint64_t> stack;
  int64_t periods = 0;
  size_t taken = 0;
  while ((*sampler)->take(stack, periods)) ++taken;
  EXPECT_GE(taken, 4u);
}

}  // namespace
}  // namespace proa::profile
