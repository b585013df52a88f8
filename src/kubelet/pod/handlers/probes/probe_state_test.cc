#include "kubelet/pod/handlers/probes/probe_state.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{1000s};

ProbeSettings settings_of(ProbeKind kind, int64_t failures = 1, int64_t successes = 1) {
  ProbeSettings settings;
  settings.kind = kind;
  settings.period = 10s;
  settings.failure_threshold = failures;
  settings.success_threshold = successes;
  return settings;
}

ProbedContainer running(std::string id, bool has_started = true) {
  ProbedContainer now;
  now.id = std::move(id);
  now.running = true;
  now.started = kNow;
  now.has_started = has_started;
  return now;
}

TEST(ReadProbeSettings, TakesDefaultsForWhatIsMissing) {
  const auto probe = *api::decode<objects::Probe>(
      R"({"initialDelaySeconds":5,"periodSeconds":0,"failureThreshold":7,"successThreshold":-1})");
  const ProbeSettings settings = read_probe_settings(probe, ProbeKind::kReadiness);
  EXPECT_EQ(settings.initial_delay, 5s);
  EXPECT_EQ(settings.period, 10s);
  EXPECT_EQ(settings.failure_threshold, 7);
  EXPECT_EQ(settings.success_threshold, 1);
}

TEST(ProbeState, BeginsWithWhatUpstreamBeginsWith) {
  struct Case {
    const char* name;
    ProbeKind kind;
    std::optional<bool> expected;
  };
  for (const Case& c : {Case{"liveness", ProbeKind::kLiveness, true},
                        Case{"readiness", ProbeKind::kReadiness, false},
                        Case{"startup", ProbeKind::kStartup, std::nullopt}}) {
    SCOPED_TRACE(c.name);
    ProbeState state(settings_of(c.kind));
    EXPECT_EQ(state.see(ProbedContainer{}).result, std::nullopt);
    EXPECT_FALSE(state.wants_probe());
    EXPECT_EQ(state.see(running("a", c.kind != ProbeKind::kStartup)).result, c.expected);
    EXPECT_TRUE(state.wants_probe());
    // The same container once more says nothing new.
    EXPECT_EQ(state.see(running("a", c.kind != ProbeKind::kStartup)).result, std::nullopt);
  }
}

TEST(ProbeState, BelievesWhatIsSaidOftenEnough) {
  ProbeState state(settings_of(ProbeKind::kReadiness, 3, 2));
  state.see(running("a"));
  struct Step {
    bool passed;
    std::optional<bool> expected;
  };
  const std::vector<Step> steps = {{true, {}},     {true, true},   {true, true}, {false, {}},
                                   {false, {}},    {true, {}},     {false, {}},  {false, {}},
                                   {false, false}, {false, false}, {true, {}},   {true, true}};
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(state.judge(steps[i].passed), steps[i].expected);
    EXPECT_TRUE(state.wants_probe());
  }
}

TEST(ProbeState, HoldsAfterAVerdictUntilThereIsAnotherContainer) {
  struct Case {
    const char* name;
    ProbeKind kind;
    bool passed;
    bool goes_on;
  };
  for (const Case& c : {Case{"liveness failed", ProbeKind::kLiveness, false, false},
                        Case{"liveness passed", ProbeKind::kLiveness, true, true},
                        Case{"readiness failed", ProbeKind::kReadiness, false, true},
                        Case{"startup failed", ProbeKind::kStartup, false, false},
                        Case{"startup passed", ProbeKind::kStartup, true, false}}) {
    SCOPED_TRACE(c.name);
    const bool started = c.kind != ProbeKind::kStartup;
    ProbeState state(settings_of(c.kind));
    state.see(running("a", started));
    EXPECT_EQ(state.judge(c.passed), c.passed);
    EXPECT_EQ(state.wants_probe(), c.goes_on);
    state.see(running("a", started));
    EXPECT_EQ(state.wants_probe(), c.goes_on);
    EXPECT_EQ(state.see(running("b", started)).forget, "a");
    EXPECT_TRUE(state.wants_probe());
  }
}

TEST(ProbeState, WaitsForTheStartupProbe) {
  ProbeState liveness(settings_of(ProbeKind::kLiveness));
  liveness.see(running("a", false));
  EXPECT_FALSE(liveness.wants_probe());
  liveness.open_gate();
  EXPECT_TRUE(liveness.wants_probe());
  ProbeState startup(settings_of(ProbeKind::kStartup));
  startup.see(running("a", true));
  EXPECT_FALSE(startup.wants_probe());
}

TEST(ProbeState, FailsOnceWhenTheContainerEnds) {
  ProbeState state(settings_of(ProbeKind::kReadiness));
  state.see(running("a"));
  state.judge(true);
  ProbedContainer ended;
  ended.id = "a";
  ended.ended = true;
  EXPECT_EQ(state.see(ended).result, false);
  EXPECT_EQ(state.see(ended).result, std::nullopt);
  EXPECT_FALSE(state.wants_probe());
}

TEST(ProbeState, TakesNothingBackFromAContainerThatRanBefore) {
  for (const ProbeKind kind : {ProbeKind::kLiveness, ProbeKind::kReadiness}) {
    ProbeState state(settings_of(kind));
    ProbedContainer now = running("a");
    now.adopted = true;
    EXPECT_EQ(state.see(now).result, std::nullopt);
    EXPECT_TRUE(state.wants_probe());
  }
  ProbeState startup(settings_of(ProbeKind::kStartup));
  ProbedContainer now = running("a", true);
  now.adopted = true;
  EXPECT_EQ(startup.see(now).result, true);
  EXPECT_FALSE(startup.wants_probe());
}

TEST(ProbeState, WaitsForWhatIsLeftOfTheInitialDelay) {
  ProbeSettings settings = settings_of(ProbeKind::kReadiness);
  settings.initial_delay = 30s;
  ProbeState state(settings);
  state.see(running("a"));
  EXPECT_EQ(state.first_wait(kNow), 30s);
  EXPECT_EQ(state.first_wait(kNow + 10s), 20s);
  EXPECT_EQ(state.first_wait(kNow + 40s), 0s);
  EXPECT_EQ(state.first_wait(kNow - 1h), 30s);  // the date was set back
}

}  // namespace
}  // namespace proa::kubelet
