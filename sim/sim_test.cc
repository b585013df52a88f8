#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "sim/story.h"

namespace proa::sim {
namespace {

// How many seeds of each scenario, and from which one on: PROA_SIM_SEEDS, PROA_SIM_FIRST. One that
// failed is played again with PROA_SIM_SEEDS=1 PROA_SIM_FIRST=<seed>.
uint64_t from_environment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return static_cast<uint64_t>(
      parse_int(text == nullptr ? "" : text).value_or(static_cast<int64_t>(fallback)));
}

class SimTest : public testing::TestWithParam<ScenarioEntry> {
 protected:
  // Trouble is what this is about; PROA_SIM_LOG=info shows it.
  SimTest() {
    const char* level = std::getenv("PROA_SIM_LOG");
    CHECK(set_log_levels(level == nullptr ? "error" : level).ok());
  }
};

TEST_P(SimTest, ComesToRestAsItShould) {
  const uint64_t first = from_environment("PROA_SIM_FIRST", 1);
  const uint64_t seeds = from_environment("PROA_SIM_SEEDS", 100);
  const auto begin = std::chrono::steady_clock::now();
  Duration simulated{};
  size_t writes = 0;
  int failed = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const Outcome outcome = play(GetParam(), seed);
    simulated += outcome.simulated;
    writes += outcome.writes;
    if (outcome.violations.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << join(outcome.violations, "; ");
    if (++failed == 10) break;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double minutes = std::chrono::duration<double>(simulated).count() / 60;
  fmt::print("  {}: {} seeds, {:.0f} simulated minutes ({:.0f} a second), {} writes\n",
             GetParam().name, seeds, minutes, minutes / seconds, writes);
}

TEST_P(SimTest, TheSameSeedIsTheSameStory) {
  const Outcome once = play(GetParam(), 7);
  const Outcome again = play(GetParam(), 7);
  EXPECT_EQ(once.writes, again.writes);
  EXPECT_EQ(once.simulated, again.simulated);
}

// A day in which nobody wants anything: nothing is written, and it is over soon.
TEST(QuietDay, NothingIsWritten) {
  CHECK(set_log_levels("error").ok());
  Cluster cluster(1);
  Kubelets kubelets(cluster, 4);
  CHECK(cluster.create("apps", "deployments",
                       R"({"metadata":{"name":"web"},"spec":{"replicas":20,)"
                       R"("selector":{"matchLabels":{"app":"web"}},"template":{)"
                       R"("metadata":{"labels":{"app":"web"}},)"
                       R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})"));
  const auto pass_minute = [&] {
    for (int i = 0; i < 6; ++i) {
      cluster.pass(std::chrono::seconds(10));
      kubelets.renew();
    }
  };
  cluster.settle();
  while (kubelets.act()) cluster.settle();
  for (int minute = 0; minute < 15; ++minute) pass_minute();
  const size_t before = cluster.writes();
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kMinutes = 24 * 60;
  for (int minute = 0; minute < kMinutes; ++minute) pass_minute();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("  a quiet day: {:.0f} simulated minutes a second\n", kMinutes / seconds);
  EXPECT_EQ(cluster.writes(), before);
}

INSTANTIATE_TEST_SUITE_P(All, SimTest, testing::ValuesIn(all_scenarios()),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace proa::sim
