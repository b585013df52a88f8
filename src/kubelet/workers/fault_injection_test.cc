#include "kubelet/workers/pod_worker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "kubelet/model/status_fields.h"
#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;
using testkit::WorkerWorld;

bool contains(const Lines& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// A whole life: it comes up, restarts, is resized, is deleted.
class Life {
 public:
  Life() { put("200m", 1); }
  // Does all of it. What went wrong; empty when nothing did.
  std::string run() {
    if (!until([&] { return world.running("i") == 1; })) return "it does not begin";
    end("i", 0);
    if (!until([&] { return runs("a") && runs("b"); })) return "it does not come up";
    end("a", 1);
    if (!until([&] { return runs("a") && runs("b"); })) return "it does not restart";
    put("100m", 2);
    if (!until([&] { return runs("a") && runs("b") && is_resized(); })) return "it is not resized";
    world.remove("web");
    if (!until([&] { return contains(finished, "finish web-uid"); })) return "it does not end";
    world.drop(world.uid_of("web"));
    if (!until([&] { return world.registry().get(world.uid_of("web")).pod == nullptr; }))
      return "it stays";
    if (world.most_running() != 1) return "two ran at once";
    const Lines left = world.leftovers();
    return left.empty() && world.statuses.size() == 0 ? "" : "left: " + join(left, ", ");
  }

  WorkerWorld world;
  bool dies = false;  // the kubelet, with the call that fails

 private:
  // One container changes as it runs, the other one begins anew for it.
  void put(const std::string& cpu, int generation) {
    const std::string resources = R"("resources":{"limits":{"cpu":")" + cpu + R"("}})";
    world.put("web",
              R"({"initContainers":[{"name":"i","image":"i"}],
        "containers":[{"name":"a","image":"i","lifecycle":{"postStart":{"exec":{"command":["x"]}},
                                                           "preStop":{"exec":{"command":["y"]}}},)" +
                  resources + R"(},
                      {"name":"b","image":"i","resizePolicy":[{"resourceName":"cpu",
                       "restartPolicy":"RestartContainer"}],)" +
                  resources + "}]}",
              R"(,"generation":)" + std::to_string(generation));
  }
  bool is_resized() {
    const auto status = world.statuses.last(world.uid_of("web"));
    const api::View root(status->root());
    for (const api::View container : root["containerStatuses"].items()) {
      if (container["resources"]["limits"]["cpu"].text() != "100m") return false;
    }
    return !find_condition(root, "PodResizeInProgress");
  }
  bool runs(const std::string& container) {
    return world.running(container) == 1 && world.state("web", container) == "running";
  }
  void end(const std::string& container, int exit_code) {
    if (world.running(container) == 1) world.fake.finish(world.fake.newest(container), exit_code);
  }
  bool until(const std::function<bool()>& done) {
    const auto note = [&] {
      for (std::string& line : world.done()) finished.push_back(std::move(line));
      return done();
    };
    const bool came =
        world.work_until([&] { return (dies && !world.faults.failed().empty()) || note(); });
    if (!dies || world.faults.failed().empty()) return came;
    dies = false;
    world.faults.fail(0, testkit::Faults::Kind::kNotDone);
    world.restart_kubelet();
    return world.work_until(note);
  }

  Lines finished;
};

// How many calls a life without failures takes.
size_t calls_of_a_life() {
  Life life;
  life.world.faults.fail(0, testkit::Faults::Kind::kNotDone);
  EXPECT_EQ(life.run(), "");
  return life.world.faults.count();
}

void fail_every_call(testkit::Faults::Kind kind) {
  const size_t calls = calls_of_a_life();
  EXPECT_GT(calls, 50U);
  for (size_t number = 1; number <= calls; ++number) {
    Life life;
    life.dies = kind == testkit::Faults::Kind::kDeath;
    life.world.faults.fail(number, kind);
    const std::string wrong = life.run();
    EXPECT_EQ(wrong, "") << "after call " << number << " failed: " << life.world.faults.failed();
  }
}

TEST(EveryCallFails, AndThePodStillLivesAndGoes) {
  fail_every_call(testkit::Faults::Kind::kNotDone);
}

TEST(EveryCallFails, AlsoWhenItWasDoneAllTheSame) { fail_every_call(testkit::Faults::Kind::kDone); }

TEST(EveryCallFails, AlsoWhenTheKubeletEndsThere) {
  fail_every_call(testkit::Faults::Kind::kDeath);
}

}  // namespace
}  // namespace proa::kubelet
