// A process that is killed while policies, pods and labels change leaves rules in any state: the
// next one has those of a start on a machine without any, and in the end nothing is left.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/files.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/policy/policy_world.h"

namespace proa::policy {
namespace {

constexpr uint64_t kPods = 8;
constexpr uint64_t kPolicies = 6;

// A cluster that changes by chance.
class ChangingWorld {
 public:
  explicit ChangingWorld(uint64_t seed) : random_(seed) {
    world_.put_namespace("a", R"("team":"a")");
    world_.put_namespace("b", R"("team":"b")");
    for (uint64_t i = 0; i < kPods; ++i) {
      world_.put_pod(i % 2 == 0 ? "a" : "b", fmt::format("p{}", i),
                     fmt::format(R"("app":"x{}")", i % 3),
                     {fmt::format("10.0.0.{}", i + 1), fmt::format("fd00::{}", i + 1)},
                     i < kPods / 2 ? "here" : "there", R"({"name":"web","containerPort":80})");
    }
  }

  void change() {
    const uint64_t pod = random_.below(kPods);
    const uint64_t number = random_.below(kPolicies);
    const std::string name = fmt::format("policy-{}", number);
    const std::string label = fmt::format(R"("app":"x{}")", random_.below(3));
    switch (random_.below(4)) {
      case 0:
        world_.label_pod(pod % 2 == 0 ? "a" : "b", fmt::format("p{}", pod), label);
        break;
      case 1:
        if (there_.at(number)) world_.remove_policy("a", name);
        there_.at(number) = false;
        break;
      default:
        world_.put_policy("a", name, spec(label));
        there_.at(number) = true;
    }
  }
  void settle() { world_.settle(); }
  void restart() { world_.restart(); }

 private:
  std::string spec(const std::string& label) {
    return fmt::format(
        R"({{"podSelector":{{"matchLabels":{{{}}}}},"policyTypes":["Ingress","Egress"],)"
        R"("ingress":[{{"from":[{{"podSelector":{{"matchLabels":{{"app":"x{}"}}}}}},)"
        R"({{"ipBlock":{{"cidr":"10.0.0.0/8","except":["10.{}.0.0/16"]}}}}],)"
        R"("ports":[{{"port":"web"}},{{"port":{}}}]}}],)"
        R"("egress":[{{"to":[{{"namespaceSelector":{{"matchLabels":{{"team":"b"}}}}}}]}}]}})",
        label, random_.below(3), random_.below(256), 1 + random_.below(1000));
  }

  SeededRandom random_;
  std::array<bool, kPolicies> there_{};
  testkit::PolicyWorld world_;
};

// What the killed process does: a program of its own, since a copy of this one would have its locks
// and not the threads that hold them.
constexpr const char* kChild = "--gtest_filter=PolicyCrashChild.DISABLED_ChangesUntilItIsKilled";
constexpr const char* kSeed = "PROA_CRASH_SEED";
constexpr int kProgress = 3;  // where it writes a byte before each change

TEST(PolicyCrashChild, DISABLED_ChangesUntilItIsKilled) {
  const char* seed = std::getenv(kSeed);
  ASSERT_NE(seed, nullptr) << "started by the test below";
  ChangingWorld world(std::stoull(seed));
  while (::write(kProgress, "x", 1) == 1) {
    world.change();
    world.settle();
  }
}

class PolicyCrashTest : public testkit::NamespaceTest {
 protected:
  // Kills a process in this network namespace after so many of its changes.
  static void crash_after(uint64_t changes, uint64_t seed) {
    std::array<int, 2> ends{};
    CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const FileDescriptor progress(ends[0]);
    const std::string variable = fmt::format("{}={}", kSeed, seed);
    const char* arguments[] = {"policy_test", "--gtest_also_run_disabled_tests", kChild, nullptr};
    const char* environment[] = {variable.c_str(), nullptr};
    const pid_t child = ::fork();
    CHECK(child >= 0);
    if (child == 0) {
      // Two descriptors may be the same, which keeps its flag.
      if (ends[1] == kProgress) ::fcntl(kProgress, F_SETFD, 0);
      ::dup2(ends[1], kProgress);
      ::execve("/proc/self/exe", const_cast<char**>(arguments), const_cast<char**>(environment));
      ::_exit(1);
    }
    ::close(ends[1]);
    char byte = 0;
    for (uint64_t i = 0; i <= changes; ++i) ASSERT_EQ(::read(progress.get(), &byte, 1), 1);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
};

TEST_F(PolicyCrashTest, TheNextProcessHasTheRulesOfAFreshStart) {
  constexpr uint64_t kRounds = 20;
  SeededRandom random(3);
  size_t rules = 0;
  inside([&] {
    for (uint64_t round = 0; round < kRounds && !HasFailure(); ++round) {
      SCOPED_TRACE(fmt::format("round {}", round));
      crash_after(random.below(12), round);
      ChangingWorld world(kRounds + round);
      for (uint64_t i = random.below(12); i > 0; --i) world.change();
      world.settle();
      const std::string after = shell("nft -s list ruleset");
      shell("nft flush ruleset");
      world.restart();
      world.settle();
      EXPECT_EQ(after, shell("nft -s list ruleset"));
      rules = std::max(rules, after.size());
    }
    EXPECT_TRUE(remove_policy_rules(kTable, clock_).value());
    EXPECT_EQ(shell("nft -s list ruleset"), "");
  });
  // It was about something.
  EXPECT_GT(rules, 4000u);
}

}  // namespace
}  // namespace proa::policy
