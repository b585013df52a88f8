// Our CRI client against a real containerd: pods with a network, containers with logs, events.

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/threads/mutex.h"
#include "json/parse.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "kubelet/runtime/cri/runtime_events.h"
#include "kubelet/runtime/cri/runtime_pod.h"
#include "testkit/kubelet/test_containerd.h"

namespace proa::kubelet::cri {
namespace cri_test {

using namespace std::chrono_literals;
using testkit::TestContainerd;

json::Document parse(const std::string& text) {
  auto parsed = json::parse(text);
  CHECK(parsed.ok());
  return std::move(*parsed);
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Records the events of RuntimeEvents.
class Heard {
 public:
  RuntimeEvents::Listener listener() {
    return {.changed =
                [this](const std::string& id) {
                  const MutexLock lock(mutex_);
                  ids_.insert(id);
                  told_.notify_all();
                },
            .resumed =
                [this] {
                  const MutexLock lock(mutex_);
                  ++resumed_;
                  told_.notify_all();
                }};
  }
  bool wait_for(const std::string& id) {
    return wait([&]() REQUIRES(mutex_) { return ids_.count(id) != 0; });
  }
  bool wait_for_resumed(int count) {
    return wait([&]() REQUIRES(mutex_) { return resumed_ >= count; });
  }
  void forget() {
    const MutexLock lock(mutex_);
    ids_.clear();
  }

 private:
  template <typename Condition>
  bool wait(Condition holds) {
    const MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!holds()) {
      if (!told_.wait_until(mutex_, deadline)) return holds();
    }
    return true;
  }

  Mutex mutex_;
  CondVar told_;
  std::multiset<std::string> ids_ GUARDED_BY(mutex_);
  int resumed_ GUARDED_BY(mutex_) = 0;
};

class CriTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = TestContainerd::missing(); !why.empty()) GTEST_SKIP() << why;
    containerd = std::make_unique<TestContainerd>();
    runtime = &containerd->runtime();
    events = follow_runtime(containerd->client(), containerd->loop(), containerd->socket(),
                            heard.listener());
    ASSERT_TRUE(heard.wait_for_resumed(1)) << containerd->log();
  }
  void TearDown() override {
    events.reset();
    containerd.reset();
  }

  json::Document sandbox_config(uint32_t attempt = 0) const {
    return parse(
        R"({"metadata": {"name": "web", "uid": "u-1", "namespace": "default", "attempt": )" +
        std::to_string(attempt) + R"(}, "hostname": "web", "log_directory": ")" +
        containerd->file("logs") + R"(",
        "labels": {"io.kubernetes.pod.name": "web", "io.kubernetes.pod.uid": "u-1"},
        "annotations": {"note": "x"},
        "linux": {"security_context": {"namespace_options": {"pid": 1}}}})");
  }
  static json::Document container_config(const std::string& command, uint32_t attempt = 0) {
    json::Document made =
        parse(R"({"metadata": {"name": "main", "attempt": )" + std::to_string(attempt) +
              R"(}, "image": {"image": "docker.io/proa/busybox:1"}, "command": ["sh", "-c", ""],
        "envs": [{"key": "GREETING", "value": "hello"}], "log_path": "main_)" +
              std::to_string(attempt) + R"(.log",
        "labels": {"io.kubernetes.pod.uid": "u-1", "io.kubernetes.container.name": "main"},
        "annotations": {"io.kubernetes.container.restartCount": "0"},
        "linux": {"resources": {"cpu_period": 100000, "cpu_quota": 50000, "cpu_shares": 512},
                  "security_context": {"namespace_options": {"pid": 1},
                                       "run_as_user": {"value": 0}}}})");
    made.root().find("command")->items()[2] = json::Value::string(made.arena(), command);
    return made;
  }
  Until soon() { return Until::after(containerd->clock(), 60s); }

  std::string run_sandbox() {
    const json::Document config = sandbox_config();
    auto made = runtime->run_sandbox(config.root(), "", soon());
    EXPECT_TRUE(made.ok()) << made.status().message() << "\n" << containerd->log();
    return made.ok() ? *made : std::string();
  }
  std::string start(const std::string& sandbox, const std::string& command, uint32_t attempt = 0) {
    const json::Document pod = sandbox_config();
    const json::Document config = container_config(command, attempt);
    auto made = runtime->create_container(sandbox, config.root(), pod.root(), soon());
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made.ok()) return {};
    const auto started = runtime->start_container(*made, soon());
    EXPECT_TRUE(started.ok()) << started.status().message();
    return *made;
  }
  // Exits are reported when they are visible, or again when they become visible.
  Container wait_for_end(const std::string& id) {
    while (true) {
      const bool told = heard.wait_for(id);
      EXPECT_TRUE(told);
      heard.forget();
      auto found = runtime->container(id, soon());
      EXPECT_TRUE(found.ok()) << found.status().message();
      if (!told || !found.ok() || found->state == ContainerState::kExited)
        return found.ok() ? *found : Container{};
    }
  }

  std::unique_ptr<TestContainerd> containerd;
  Runtime* runtime = nullptr;
  Heard heard;
  std::unique_ptr<RuntimeEvents> events;
};

TEST_F(CriTest, RunsAPodFromItsBeginningToItsEnd) {
  const auto version = runtime->version(soon());
  ASSERT_TRUE(version.ok()) << version.status().message();
  EXPECT_EQ(version->name, "containerd");
  EXPECT_EQ(version->api_version, "v1");
  const auto ready = runtime->readiness(soon());
  ASSERT_TRUE(ready.ok());
  EXPECT_TRUE(ready->runtime_ready && ready->network_ready);

  const std::string sandbox_id = run_sandbox();
  ASSERT_FALSE(sandbox_id.empty());
  const auto sandbox = runtime->sandbox(sandbox_id, soon());
  ASSERT_TRUE(sandbox.ok()) << sandbox.status().message();
  EXPECT_EQ(sandbox->name, "web");
  EXPECT_EQ(sandbox->uid, "u-1");
  EXPECT_EQ(sandbox->state, SandboxState::kReady);
  EXPECT_EQ(sandbox->annotations.at("note"), "x");
  ASSERT_EQ(sandbox->addresses.size(), 1U);
  EXPECT_TRUE(sandbox->addresses[0].starts_with(containerd->address_prefix()));

  const std::string id = start(sandbox_id,
                               "echo $GREETING from $(hostname); echo oops >&2; "
                               "while [ ! -e /tmp/end ]; do sleep 0.05; done; exit 3");
  ASSERT_FALSE(id.empty());
  auto pod = inspect_pod(*runtime, api::UidView("u-1"), soon());
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  ASSERT_NE(pod->ready_sandbox(), nullptr);
  EXPECT_EQ(pod->ready_sandbox()->addresses, sandbox->addresses);
  ASSERT_NE(pod->newest("main"), nullptr);
  const Container& running = *pod->newest("main");
  EXPECT_EQ(running.state, ContainerState::kRunning);
  EXPECT_EQ(running.sandbox_id, sandbox_id);
  EXPECT_EQ(running.image, TestContainerd::kBusybox);
  EXPECT_FALSE(running.image_id.empty());
  EXPECT_GE(running.started, running.created);
  EXPECT_EQ(running.log_path, containerd->file("logs") + "/main_0.log");
  EXPECT_TRUE(inspect_pod(*runtime, api::UidView("another"), soon())->empty());

  const auto told = runtime->exec(id, {"sh", "-c", "echo out; echo err >&2; exit 5"}, 10s, soon());
  ASSERT_TRUE(told.ok()) << told.status().message();
  EXPECT_EQ(told->output, "out\n");
  EXPECT_EQ(told->errors, "err\n");
  EXPECT_EQ(told->exit_code, 5);
  const auto late = runtime->exec(id, {"sleep", "30"}, 1s, soon());
  ASSERT_TRUE(late.is(Reason::kTimeout));
  EXPECT_EQ(late.status().message(), "command timed out: \"sleep 30\" timed out after 1s");
  const auto url = runtime->exec_url(id, {"sh"}, {.output = true}, soon());
  ASSERT_TRUE(url.ok()) << url.status().message();
  EXPECT_TRUE(url->starts_with("http://127.0.0.1:"));

  heard.forget();
  ASSERT_TRUE(runtime->exec(id, {"touch", "/tmp/end"}, 10s, soon()).ok());
  const Container ended = wait_for_end(id);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.reason, "Error");
  EXPECT_GE(ended.finished, ended.started);
  const std::string log = content(running.log_path);
  EXPECT_NE(log.find(" stdout F hello from web\n"), std::string::npos) << log;
  EXPECT_NE(log.find(" stderr F oops\n"), std::string::npos) << log;

  ASSERT_TRUE(runtime->remove_container(id, soon()).ok());
  EXPECT_TRUE(runtime->container(id, soon()).is(Reason::kNotFound));
  ASSERT_TRUE(runtime->stop_sandbox(sandbox_id, soon()).ok());
  EXPECT_EQ(runtime->sandbox(sandbox_id, soon())->state, SandboxState::kNotReady);
  ASSERT_TRUE(runtime->remove_sandbox(sandbox_id, soon()).ok());
  EXPECT_TRUE(inspect_pod(*runtime, api::UidView("u-1"), soon())->empty());
}

TEST_F(CriTest, StopsWithGraceAndChangesResources) {
  const std::string sandbox_id = run_sandbox();
  ASSERT_FALSE(sandbox_id.empty());
  const std::string polite = start(sandbox_id, "trap 'exit 7' TERM; while :; do sleep 0.05; done");
  const std::string deaf = start(sandbox_id, "trap '' TERM; while :; do sleep 0.05; done", 1);
  // Both have installed their signal handlers once they are in their loops.
  ASSERT_TRUE(runtime->exec(polite, {"sleep", "0.3"}, 10s, soon()).ok());

  const json::Document resources = parse(R"({"cpu_period": 100000, "cpu_quota": 20000})");
  const auto updated = runtime->update_resources(polite, resources.root(), soon());
  EXPECT_TRUE(updated.ok()) << updated.status().message();
  EXPECT_TRUE(runtime->reopen_log(polite, soon()).ok());

  ASSERT_TRUE(runtime->stop_container(polite, 20s, soon()).ok());
  EXPECT_EQ(runtime->container(polite, soon())->exit_code, 7);
  ASSERT_TRUE(runtime->stop_container(deaf, 1s, soon()).ok());
  EXPECT_EQ(runtime->container(deaf, soon())->exit_code, 137);

  // Already removed objects are no failure; unknown ones cannot be queried.
  for (const auto& done :
       {runtime->stop_container("none", 1s, soon()), runtime->remove_container("none", soon()),
        runtime->stop_sandbox("none", soon()), runtime->remove_sandbox("none", soon()),
        runtime->remove_image("docker.io/proa/none:1", soon())}) {
    EXPECT_TRUE(done.ok()) << done.status().message();
  }
  EXPECT_TRUE(runtime->sandbox("none", soon()).is(Reason::kNotFound));
  EXPECT_TRUE(runtime->start_container("none", soon()).is(Reason::kNotFound));
}

TEST_F(CriTest, KnowsImages) {
  const auto found = runtime->image(TestContainerd::kBusybox, soon());
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_TRUE((*found)->id.starts_with("sha256:"));
  EXPECT_EQ((*found)->tags, std::vector<std::string>{TestContainerd::kBusybox});
  EXPECT_GT((*found)->size, 100'000);
  EXPECT_EQ(runtime->images(soon())->size(), 2U);
  const auto none = runtime->image("docker.io/proa/none:1", soon());
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_FALSE(none->has_value());
  const auto filesystems = runtime->image_filesystems(soon());
  ASSERT_TRUE(filesystems.ok()) << filesystems.status().message();
  ASSERT_EQ(filesystems->size(), 1U);
  EXPECT_FALSE(filesystems->front().mountpoint.empty());
  const json::Value nothing{};
  const auto pulled =
      runtime->pull_image("127.0.0.1:1/none:1", {.user = "u", .password = "p"}, nothing, soon());
  ASSERT_FALSE(pulled.ok());
  EXPECT_NE(pulled.status().message().find("127.0.0.1:1/none:1"), std::string::npos)
      << pulled.status().message();
}

TEST_F(CriTest, EventsGoOnAfterARestartOfContainerd) {
  const std::string sandbox_id = run_sandbox();
  const std::string id = start(sandbox_id, "while [ ! -e /tmp/end ]; do sleep 0.05; done; exit 0");
  ASSERT_FALSE(id.empty());
  containerd->stop();
  containerd->start();
  ASSERT_TRUE(heard.wait_for_resumed(2)) << containerd->log();
  heard.forget();
  ASSERT_TRUE(runtime->exec(id, {"touch", "/tmp/end"}, 10s, soon()).ok());
  const Container ended = wait_for_end(id);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.reason, "Completed");
}

}  // namespace cri_test
}  // namespace proa::kubelet::cri
