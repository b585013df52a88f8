#include "kubelet/pod/status/compute/phase.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::kubelet {
namespace {

// "run", "started", "wait", "exit1", "wait-after-exit1"; "none": nothing is said about it.
std::string status_json(std::string_view name, std::string_view state) {
  const std::string head = R"({"name":")" + std::string(name) + R"(")";
  const auto exit = [](std::string_view code) {
    return R"({"terminated":{"exitCode":)" + std::string(code) + "}}";
  };
  if (state == "run") return head + R"(,"state":{"running":{}}})";
  if (state == "started") return head + R"(,"state":{"running":{}},"started":true})";
  if (state == "wait") return head + R"(,"state":{"waiting":{}}})";
  if (state.starts_with("exit")) return head + R"(,"state":)" + exit(state.substr(4)) + "}";
  return head + R"(,"state":{"waiting":{}},"lastState":)" + exit(state.substr(15)) + "}";
}

struct Case {
  const char* policy;
  // "init:exit0 side:run main:wait": kinds and states. A kind may be followed by a restart policy.
  const char* containers;
  bool initialized;
  bool stopped;
  const char* phase;
};

std::string phase_of_case(const Case& c) {
  std::string init;
  std::string regular;
  std::string init_statuses;
  std::string statuses;
  int number = 0;
  for (const std::string_view item : split(c.containers, ' ')) {
    const auto halves = split_once(item, ':');
    const auto kind = split_once(halves->before, '/');
    const std::string_view bare = kind ? kind->before : halves->before;
    const std::string name = "c" + std::to_string(number++);
    std::string policy = kind ? std::string(kind->after) : bare == "side" ? "Always" : "";
    if (!policy.empty()) policy = R"(,"restartPolicy":")" + policy + R"(")";
    const bool is_main = bare == "main";
    auto& specs = is_main ? regular : init;
    specs += (specs.empty() ? "" : ",") + (R"({"name":")" + name + R"(")") + policy + "}";
    if (halves->after == "none") continue;
    auto& list = is_main ? statuses : init_statuses;
    list += (list.empty() ? "" : ",") + status_json(name, halves->after);
  }
  const auto pod =
      Pod::read(api::Object::make(R"({"metadata":{"name":"a"},"spec":{"restartPolicy":")" +
                                  std::string(c.policy) + R"(","initContainers":[)" + init +
                                  R"(],"containers":[)" + regular + "]}}"),
                Pod::Source::kApi);
  const auto status = json::parse(R"({"initContainerStatuses":[)" + init_statuses +
                                  R"(],"containerStatuses":[)" + statuses + "]}");
  return std::string(phase_by_containers({.pod = **pod,
                                          .status = status->root(),
                                          .initialized = c.initialized,
                                          .stopped = c.stopped}));
}

TEST(Phase, FollowsFromContainers) {
  const Case cases[] = {
      // Nobody said anything yet; some wait.
      {"Always", "main:none", false, false, "Pending"},
      {"Always", "main:wait", false, false, "Pending"},
      {"Always", "main:run main:wait", false, false, "Pending"},
      {"Always", "main:run main:none", false, false, "Pending"},
      {"Always", "main:run main:run", false, false, "Running"},
      {"Always", "main:run main:exit1", false, false, "Running"},
      // All ended.
      {"Always", "main:exit0 main:exit0", false, false, "Running"},
      {"Always", "main:exit1", false, false, "Running"},
      {"Always", "main:wait-after-exit1", false, false, "Running"},
      {"Never", "main:exit0 main:exit0", false, false, "Succeeded"},
      {"Never", "main:exit0 main:exit1", false, false, "Failed"},
      {"Never", "main:run main:exit1", false, false, "Running"},
      {"OnFailure", "main:exit0 main:exit0", false, false, "Succeeded"},
      {"OnFailure", "main:exit0 main:exit1", false, false, "Running"},
      {"OnFailure", "main:exit0 main:wait-after-exit1", false, false, "Running"},
      // Their own policies count first.
      {"Always", "main/Never:exit1", false, false, "Failed"},
      {"Never", "main/Always:exit0", false, false, "Running"},
      {"Never", "main/OnFailure:exit0 main:exit0", false, false, "Succeeded"},
      {"Never", "init/OnFailure:exit1 main:wait", false, false, "Pending"},
      // Nothing is started again.
      {"Always", "main:exit0", false, true, "Succeeded"},
      {"Always", "main:exit0 main:exit137", false, true, "Failed"},
      {"Always", "main:wait-after-exit0", false, true, "Failed"},
      {"Always", "main:wait", false, true, "Pending"},
      // Init containers.
      {"Always", "init:none main:none", false, false, "Pending"},
      {"Always", "init:run main:wait", false, false, "Pending"},
      {"Always", "init:exit0 main:wait", false, false, "Pending"},
      {"Always", "init:exit0 main:run", false, false, "Running"},
      {"Never", "init:exit1 main:wait", false, false, "Failed"},
      {"Never", "init:wait-after-exit1 main:wait", false, false, "Failed"},
      {"OnFailure", "init:exit1 main:wait", false, false, "Pending"},
      {"OnFailure", "init:wait-after-exit1 main:run", true, false, "Running"},
      // Sidecars.
      {"Always", "side:run main:wait", false, false, "Pending"},
      {"Always", "side:run main:run", false, false, "Pending"},
      {"Always", "side:run main:run", true, false, "Running"},
      {"Always", "side:started main:run", false, false, "Running"},
      {"Never", "side:started main:exit0", true, false, "Running"},
      {"Never", "side:exit1 main:exit0", true, false, "Succeeded"},
      {"Never", "side:wait-after-exit1 main:exit1", true, false, "Failed"},
      {"Never", "side:none main:run", true, false, "Pending"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.policy) + " " + c.containers);
    EXPECT_EQ(phase_of_case(c), c.phase);
  }
}

TEST(Phase, IsRunningWhileAContainerShallBeginAnew) {
  const auto pod =
      Pod::read(api::Object::make(R"({"metadata":{"name":"a"},"spec":{"restartPolicy":"OnFailure",)"
                                  R"("containers":[{"name":"c"}]}})"),
                Pod::Source::kApi);
  const auto status =
      json::parse(R"({"containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":0}}}]})");
  const std::set<std::string, std::less<>> again = {"c"};
  EXPECT_EQ(
      phase_by_containers({.pod = **pod, .status = status->root(), .restart_after_stop = &again}),
      "Running");
  EXPECT_EQ(phase_by_containers({.pod = **pod, .status = status->root()}), "Succeeded");
}

TEST(Phase, OfAStaticPodFollowsItsPolicyEvenWhenItStops) {
  const auto pod = Pod::read(api::Object::make(R"({"metadata":{"name":"a"},"spec":{"containers":[)"
                                               R"({"name":"c"}]}})"),
                             Pod::Source::kFile);
  const auto status =
      json::parse(R"({"containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":0}}}]})");
  EXPECT_EQ(phase_by_containers({.pod = **pod, .status = status->root(), .stopped = true}),
            "Running");
}

}  // namespace
}  // namespace proa::kubelet
