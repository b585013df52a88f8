#include "testkit/kubelet/fake_runtime.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {
namespace fake_runtime_test {

using namespace std::chrono_literals;
using kubelet::cri::SandboxState;

class FakeRuntimeTest : public testing::Test {
 protected:
  FakeRuntimeTest() {
    runtime.on_change([this](const std::string& id) { changed.push_back(id); });
    runtime.add_image("busybox");
  }
  Result<std::string> run_sandbox() {
    const auto config = json::parse(R"({"metadata": {"name": "web"}})");
    return runtime.run_sandbox(config->root(), "", {});
  }
  Result<std::string> create(const std::string& sandbox, const std::string& image = "busybox") {
    const auto config =
        json::parse(R"({"metadata": {"name": "main"}, "image": {"image": ")" + image + R"("}})");
    return runtime.create_container(sandbox, config->root(), config->root(), {});
  }

  FakeClock clock;
  FakeRuntime runtime{clock};
  std::vector<std::string> changed;
};

TEST_F(FakeRuntimeTest, RemembersWhatWasDone) {
  const std::string sandbox = *run_sandbox();
  const std::string id = *create(sandbox);
  ASSERT_TRUE(runtime.start_container(id, {}).ok());
  runtime.answer_exec("cat /x", {.output = "y", .exit_code = 1});
  EXPECT_EQ(runtime.exec(id, {"cat", "/x"}, 1s, {})->output, "y");
  ASSERT_TRUE(runtime.stop_container(id, 30s, {}).ok());
  EXPECT_EQ(runtime.container(id, {})->exit_code, 143);
  ASSERT_TRUE(runtime.stop_sandbox(sandbox, {}).ok());
  ASSERT_TRUE(runtime.remove_sandbox(sandbox, {}).ok());
  EXPECT_EQ(runtime.calls(), (std::vector<std::string>{"run_sandbox web", "create_container main",
                                                       "start_container main", "exec main cat /x",
                                                       "stop_container main 30s",
                                                       "stop_sandbox web", "remove_sandbox web"}));
  EXPECT_EQ(runtime.newest("main"), "") << "containers go with their sandbox";
  EXPECT_EQ(changed, (std::vector<std::string>{sandbox, id, id, id, sandbox, sandbox}));
}

TEST_F(FakeRuntimeTest, FailsWhenItIsToldTo) {
  runtime.fail_next("run_sandbox", Status(Reason::kTimeout, "slow"));
  EXPECT_TRUE(run_sandbox().is(Reason::kTimeout));
  const std::string sandbox = *run_sandbox();
  EXPECT_TRUE(create(sandbox, "unknown").is(Reason::kNotFound));
  EXPECT_TRUE(create("unknown").is(Reason::kNotFound));
  EXPECT_TRUE(runtime.pull_image("unknown", {}, {}, {}).is(Reason::kNotFound));
  runtime.offer_image("unknown");
  ASSERT_TRUE(runtime.pull_image("unknown", {}, {}, {}).ok());
  EXPECT_TRUE(create(sandbox, "unknown").ok());
}

TEST_F(FakeRuntimeTest, ThingsEndByThemselves) {
  const std::string sandbox = *run_sandbox();
  const std::string first = *create(sandbox);
  const std::string second = *create(sandbox);
  for (const auto& id : {first, second}) ASSERT_TRUE(runtime.start_container(id, {}).ok());
  runtime.finish(first, 0);
  EXPECT_EQ(runtime.container(first, {})->reason, "Completed");
  EXPECT_EQ(runtime.newest("main"), second);
  runtime.kill_sandbox(sandbox);
  EXPECT_EQ(runtime.container(second, {})->exit_code, 137);
  EXPECT_EQ(runtime.container(first, {})->exit_code, 0);
  EXPECT_EQ(runtime.sandbox(sandbox, {})->state, SandboxState::kNotReady);
  EXPECT_FALSE(create(sandbox).ok()) << "nothing is made in a dead one";
}

}  // namespace fake_runtime_test
}  // namespace proa::testkit
