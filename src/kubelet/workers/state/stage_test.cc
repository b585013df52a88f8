#include "kubelet/workers/state/stage.h"

#include <gtest/gtest.h>

#include <array>

namespace proa::kubelet {
namespace {

TEST(NextStage, FollowsTheTable) {
  const struct {
    const char* name;
    Stage from;
    StageFacts facts;
    Stage to;
  } cases[] = {
      {"nothing happened", Stage::kPending, {}, Stage::kPending},
      {"admitted", Stage::kPending, {.admitted = true}, Stage::kSyncing},
      {"refused", Stage::kPending, {.ended = true}, Stage::kTerminating},
      {"deleted before admission", Stage::kPending, {.leaves = true}, Stage::kTerminating},
      {"finished before this kubelet started",
       Stage::kPending,
       {.admitted = true, .ended = true},
       Stage::kTerminating},
      {"runs", Stage::kSyncing, {.admitted = true}, Stage::kSyncing},
      {"phase is final", Stage::kSyncing, {.ended = true}, Stage::kTerminating},
      {"deleted", Stage::kSyncing, {.leaves = true}, Stage::kTerminating},
      {"stopping takes time", Stage::kTerminating, {.leaves = true}, Stage::kTerminating},
      {"released", Stage::kTerminating, {.released = true}, Stage::kTerminated},
      {"ended pods stay until deleted", Stage::kTerminated, {.removed = true}, Stage::kTerminated},
      {"containers remain", Stage::kTerminated, {.leaves = true}, Stage::kTerminated},
      {"removed", Stage::kTerminated, {.leaves = true, .removed = true}, Stage::kFinished},
      {"last stage", Stage::kFinished, {.admitted = true, .ended = true}, Stage::kFinished},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(next_stage(c.from, c.facts), c.to);
  }
}

TEST(NextStage, NeverGoesBackAndNeverSkipsTermination) {
  constexpr std::array kAll{Stage::kPending, Stage::kSyncing, Stage::kTerminating,
                            Stage::kTerminated, Stage::kFinished};
  for (const Stage from : kAll) {
    for (unsigned bits = 0; bits < 32; ++bits) {
      const StageFacts facts{.admitted = (bits & 1U) != 0,
                             .ended = (bits & 2U) != 0,
                             .leaves = (bits & 4U) != 0,
                             .released = (bits & 8U) != 0,
                             .removed = (bits & 16U) != 0};
      const Stage to = next_stage(from, facts);
      EXPECT_GE(to, from);
      const bool skips = from < Stage::kTerminating && to > Stage::kTerminating;
      EXPECT_FALSE(skips);
    }
  }
}

TEST(ChooseStep, FollowsTheFacts) {
  const struct {
    const char* name;
    StepFacts facts;
    Step step;
  } cases[] = {
      {"unknown pod in the runtime", {.in_runtime = true}, Step::kRemoveOrphan},
      {"unknown pod", {}, Step::kRemoveOrphan},
      {"deleted pod", {.known = true, .leaves = true, .in_runtime = true}, Step::kTerminate},
      {"deleted before it was started", {.known = true, .leaves = true}, Step::kTerminate},
      {"node not registered", {.known = true}, Step::kWait},
      {"node registered", {.known = true, .node_registered = true}, Step::kSync},
      {"adopted while the node is not registered",
       {.known = true, .in_runtime = true},
       Step::kSync},
      {"static pod without an API server", {.known = true, .is_static = true}, Step::kSync},
      {"static pod after one of its name",
       {.known = true, .is_static = true, .predecessor_remains = true, .node_registered = true},
       Step::kWait},
      {"static pod that runs already",
       {.known = true, .in_runtime = true, .is_static = true, .predecessor_remains = true},
       Step::kSync},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(choose_step(c.facts), c.step);
  }
}

}  // namespace
}  // namespace proa::kubelet
