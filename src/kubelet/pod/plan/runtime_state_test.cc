#include "kubelet/pod/plan/runtime_state.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

PodPtr make_pod(const std::string& spec) {
  return *Pod::read(api::Object::make(R"({"metadata":{"name":"a","uid":"u"},"spec":)" + spec + "}"),
                    Pod::Source::kApi);
}
cri::Sandbox sandbox(const std::string& id, cri::SandboxState state, uint32_t attempt,
                     std::vector<std::string> addresses) {
  cri::Sandbox made;
  made.id = id;
  made.state = state;
  made.attempt = attempt;
  made.addresses = std::move(addresses);
  return made;
}
cri::Container container_in(const std::string& sandbox_id) {
  cri::Container made;
  made.id = "c";
  made.sandbox_id = sandbox_id;
  return made;
}

constexpr auto kReady = cri::SandboxState::kReady;
constexpr auto kNotReady = cri::SandboxState::kNotReady;

TEST(ClassifyRuntime, TellsTheCasesApart) {
  const struct {
    const char* name;
    const char* spec;
    cri::RuntimePod running;
    size_t alternative;
    uint32_t next_attempt;
  } cases[] = {
      {"nothing", "{}", {}, 0, 0},
      {"sandbox exited", "{}", {{sandbox("s", kNotReady, 3, {"10.0.0.2"})}, {}}, 1, 4},
      {"sandbox without address", "{}", {{sandbox("s", kReady, 0, {})}, {}}, 1, 1},
      {"two ready sandboxes",
       "{}",
       {{sandbox("t", kReady, 1, {"10.0.0.2"}), sandbox("s", kReady, 0, {"10.0.0.3"})}, {}},
       1,
       2},
      {"only containers", "{}", {{}, {container_in("s")}}, 1, 0},
      {"empty sandbox", "{}", {{sandbox("s", kReady, 0, {"10.0.0.2"})}, {}}, 2, 0},
      {"host network needs no address",
       R"({"hostNetwork":true})",
       {{sandbox("s", kReady, 0, {})}, {}},
       2,
       0},
      {"containers of an earlier sandbox",
       "{}",
       {{sandbox("t", kReady, 1, {"10.0.0.2"}), sandbox("s", kNotReady, 0, {})},
        {container_in("s")}},
       2,
       0},
      {"containers", "{}", {{sandbox("s", kReady, 0, {"10.0.0.2"})}, {container_in("s")}}, 3, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = make_pod(c.spec);
    const RuntimeState state = classify_runtime(*pod, c.running);
    EXPECT_EQ(state.index(), c.alternative);
    EXPECT_EQ(usable_sandbox(state) != nullptr, c.alternative >= 2);
    if (const auto* unusable = std::get_if<UnusableSandbox>(&state)) {
      EXPECT_EQ(unusable->next_attempt, c.next_attempt);
    }
  }
}

}  // namespace
}  // namespace proa::kubelet
