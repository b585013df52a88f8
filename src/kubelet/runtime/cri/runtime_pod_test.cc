#include "kubelet/runtime/cri/runtime_pod.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"

namespace proa::kubelet::cri {
namespace runtime_pod_test {

using namespace std::chrono_literals;

constexpr api::UidView kPod("u");

json::Document parse(const std::string& text) {
  auto parsed = json::parse(text);
  CHECK(parsed.ok());
  return std::move(*parsed);
}

class RuntimePodTest : public testing::Test {
 protected:
  RuntimePodTest() { runtime.add_image("busybox"); }

  std::string run(const std::string& uid) {
    const auto config = parse(R"({"metadata": {"name": "web", "uid": ")" + uid +
                              R"("}, "labels": {"io.kubernetes.pod.uid": ")" + uid + R"("}})");
    auto made = runtime.run_sandbox(config.root(), "", {});
    CHECK(made.ok());
    return *made;
  }
  std::string start(const std::string& sandbox, const std::string& uid, const std::string& name) {
    const auto config =
        parse(R"({"metadata": {"name": ")" + name + R"("}, "image": {"image": "busybox"},
                  "labels": {"io.kubernetes.pod.uid": ")" +
              uid + R"("}})");
    auto made = runtime.create_container(sandbox, config.root(), config.root(), {});
    CHECK(made.ok() && runtime.start_container(*made, {}).ok());
    return *made;
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
};

TEST_F(RuntimePodTest, HasAllOfOnePodTheNewestFirst) {
  const auto old_sandbox = run("u");
  const auto old_main = start(old_sandbox, "u", "main");
  runtime.kill_sandbox(old_sandbox);
  const auto other = run("other");
  start(other, "other", "main");
  const auto sandbox = run("u");
  const auto main = start(sandbox, "u", "main");
  start(sandbox, "u", "side");

  const auto pod = inspect_pod(runtime, kPod, {});
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  ASSERT_EQ(pod->sandboxes.size(), 2U);
  EXPECT_EQ(pod->sandboxes[0].id, sandbox);
  EXPECT_EQ(pod->sandboxes[0].addresses.size(), 1U) << "lists have none";
  ASSERT_EQ(pod->ready_sandbox(), &pod->sandboxes[0]);
  ASSERT_EQ(pod->containers.size(), 3U);
  EXPECT_EQ(pod->newest("main")->id, main);
  EXPECT_EQ(pod->newest("main")->sandbox_id, sandbox);
  EXPECT_EQ(pod->previous("main")->id, old_main);
  EXPECT_EQ(pod->previous("main")->exit_code, 137);
  EXPECT_EQ(pod->previous("side"), nullptr);
  EXPECT_EQ(pod->newest("none"), nullptr);
  EXPECT_TRUE(pod->any_running());
}

TEST_F(RuntimePodTest, OnlyTheNewestSandboxCounts) {
  run("u");
  const auto newer = run("u");
  runtime.kill_sandbox(newer);
  const auto pod = inspect_pod(runtime, kPod, {});
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->ready_sandbox(), nullptr);
  EXPECT_FALSE(pod->any_running());
  EXPECT_FALSE(pod->empty());
  EXPECT_TRUE(inspect_pod(runtime, api::UidView("nobody"), {})->empty());
}

TEST_F(RuntimePodTest, WhatVanishesMeanwhileIsLeftOut) {
  const auto sandbox = run("u");
  start(sandbox, "u", "main");
  runtime.fail_next("sandbox", Status(Reason::kNotFound, "gone"));
  runtime.fail_next("container", Status(Reason::kNotFound, "gone"));
  EXPECT_TRUE(inspect_pod(runtime, kPod, {})->empty());
  for (const char* method : {"sandboxes", "sandbox", "containers", "container"}) {
    SCOPED_TRACE(method);
    runtime.fail_next(method, Status(Reason::kServiceUnavailable, "down"));
    EXPECT_TRUE(inspect_pod(runtime, kPod, {}).is(Reason::kServiceUnavailable));
  }
}

}  // namespace runtime_pod_test
}  // namespace proa::kubelet::cri
