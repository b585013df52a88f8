#include "sim/story.h"

#include <fmt/format.h>

namespace proa::sim {
namespace story {

using std::chrono::seconds;

constexpr size_t kNodes = 4;
constexpr int kRounds = 120;
// A day: a cluster that is not at rest by then never will be.
constexpr int kMaxQuietRounds = 24 * 60;
constexpr FaultRates kFaults{.write_refused = 40,
                             .write_unanswered = 40,
                             .crash = 25,
                             .watch_broken = 400,
                             .watch_expired = 800,
                             .late_events = true};

class Story {
 public:
  Story(const ScenarioEntry& entry, uint64_t seed)
      : cluster_(seed), kubelets_(cluster_, kNodes), scenario_(entry.make()) {}

  Outcome play() {
    const Time begin = cluster_.world().clock().now();
    cluster_.settle();
    scenario_->begin(cluster_);
    Outcome outcome{.violations = failures()};
    if (outcome.violations.empty()) outcome.violations = rest();
    if (outcome.violations.empty()) {
      outcome.violations = scenario_->violations_at_rest(cluster_, kubelets_);
    }
    outcome.simulated = cluster_.world().clock().now() - begin;
    outcome.writes = cluster_.writes();
    return outcome;
  }

 private:
  // All faults at once. Returns violations of invariants that must always hold.
  std::vector<std::string> failures() {
    cluster_.set_faults(kFaults);
    kubelets_.set_failures(true);
    const auto pause = static_cast<uint64_t>(scenario_->max_pause() / seconds(1));
    for (int round = 0; round < kRounds; ++round) {
      if (cluster_.below(4) == 0) scenario_->act(cluster_);
      for (uint64_t i = cluster_.below(6); i > 0; --i) cluster_.step();
      for (uint64_t i = cluster_.below(4); i > 0; --i) kubelets_.act();
      if (cluster_.below(30) == 0) cluster_.kill();
      if (cluster_.below(4) == 0) wait(seconds(cluster_.below(pause)));
      std::vector<std::string> violations = scenario_->violations_now(cluster_);
      if (!violations.empty()) return violations;
    }
    cluster_.set_faults({});
    kubelets_.set_failures(false);
    scenario_->calm(cluster_);
    return {};
  }

  // Only advances the clock: due work is found at the next step.
  void wait(Duration time) {
    cluster_.world().wait(time);
    kubelets_.renew();
  }

  // Runs until controllers and kubelets have no work left, however much time passes.
  std::vector<std::string> rest() {
    for (int quiet = 0, rounds = 0; quiet < 12; ++rounds) {
      if (rounds == kMaxQuietRounds) return {"it does not come to rest"};
      const size_t before = cluster_.writes();
      bool acted = false;
      cluster_.settle();
      while (kubelets_.act()) {
        acted = true;
        cluster_.settle();
      }
      for (int i = 0; i < 6; ++i) {
        cluster_.pass(seconds(10));
        kubelets_.renew();
      }
      quiet = acted || cluster_.writes() != before ? 0 : quiet + 1;
      std::vector<std::string> violations = scenario_->violations_now(cluster_);
      if (!violations.empty()) return violations;
    }
    return {};
  }

  Cluster cluster_;
  Kubelets kubelets_;
  const std::unique_ptr<Scenario> scenario_;
};

}  // namespace story

Outcome play(const ScenarioEntry& entry, uint64_t seed) { return story::Story(entry, seed).play(); }

}  // namespace proa::sim
