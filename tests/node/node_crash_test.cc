// Kills the program, its containerd, or both, at random times while pods are created and deleted:
// afterwards the state matches the API, nothing is left of deleted pods, and no job ran twice.
//
//   PROA_NODE_CRASH_ROUNDS=30 PROA_NODE_CRASH_SEED=7 node_crash_test
//
// The seed and the number of a round determine what is killed and when, and what is done to pods;
// so a failed round can be repeated, as far as machines are deterministic, with
// PROA_NODE_CRASH_FIRST=ROUND.

#include <signal.h>

#include <fstream>
#include <functional>
#include <iostream>

#include "cluster.h"
#include "json/print.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "pod_writer.h"
#include "traces.h"

namespace proa::node_tests {
namespace {

using namespace std::chrono_literals;
using kubelet::cri::ContainerState;
using kubelet::cri::SandboxState;

enum class Victim { kProgram, kContainerd, kBoth };
constexpr const char* kNames[] = {"proa", "containerd", "both"};

int number(const char* variable, int fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoi(text);
}

// A pod as the API has it.
struct Seen {
  std::string uid;
  std::string phase;
  bool ready = false;
  bool leaves = false;
};

class NodeCrashTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << missing();
    std::cout << "seed " << seed_ << std::endl;
    cluster_ = std::make_unique<Cluster>();
    const std::string socket = cluster_->socket();
    run_folder_ = socket.substr(0, socket.rfind('/'));
    traces_ = std::make_unique<Traces>(cluster_->data_dir(), run_folder_);
    starts_ = cluster_->data_dir() + "/kubelet/starts";
    std::filesystem::create_directories(starts_);
    std::filesystem::permissions(starts_, std::filesystem::perms::all);
    writer_ = std::make_unique<PodWriter>(cluster_->data_dir(), starts_);
    while (writer_->ask("GET", "/api/v1/namespaces/default/serviceaccounts/default").code != 200) {
      std::this_thread::sleep_for(50ms);
    }
  }
  void TearDown() override {
    writer_.reset();
    cluster_.reset();
  }

  void wait_up_to(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % milliseconds));
  }

  void kill_containerd() const {
    const int pid = std::atoi(Traces::first_line(run_folder_ + "/containerd.pid").c_str());
    ASSERT_GT(pid, 1);
    kill(pid, SIGKILL);
  }

  void crash(Victim victim) {
    if (victim != Victim::kContainerd) cluster_->stop(SIGKILL);
    if (victim != Victim::kProgram) kill_containerd();
    wait_up_to(300);
    if (victim != Victim::kContainerd) cluster_->start();
  }

  std::map<std::string, Seen> seen() {
    std::map<std::string, Seen> pods;
    const auto answer = writer_->ask("GET", "/api/v1/namespaces/default/pods");
    for (const json::Value& pod : e2e::at(answer.root(), {"items"}).items()) {
      Seen& one = pods[e2e::text_at(pod, {"metadata", "name"})];
      one.uid = e2e::text_at(pod, {"metadata", "uid"});
      one.phase = e2e::text_at(pod, {"status", "phase"});
      one.leaves = !e2e::text_at(pod, {"metadata", "deletionTimestamp"}).empty();
      const json::Value& conditions = e2e::at(pod, {"status", "conditions"});
      if (!conditions.is(json::Kind::kArray)) continue;
      for (const json::Value& condition : conditions.items()) {
        if (e2e::text_at(condition, {"type"}) == "Ready") {
          one.ready = e2e::text_at(condition, {"status"}) == "True";
        }
      }
    }
    return pods;
  }

  // Compares the API with the requests.
  Lines compare_api(const std::map<std::string, Seen>& pods) const {
    Lines wrong;
    for (const auto& [name, kind] : writer_->pods()) {
      const auto found = pods.find(name);
      if (found == pods.end()) {
        wrong.push_back(name + " is not there");
        continue;
      }
      const Seen& pod = found->second;
      const bool done = pod.phase == "Succeeded" || pod.phase == "Failed";
      const bool fine =
          kind == PodWriter::Kind::kService ? pod.phase == "Running" && pod.ready : done;
      if (!fine) wrong.push_back(name + " is " + pod.phase + (pod.ready ? "" : ", not ready"));
    }
    for (const auto& [name, pod] : pods) {
      if (!writer_->pods().contains(name)) wrong.push_back(name + " is still there, " + pod.phase);
    }
    return wrong;
  }

  // Compares the machine with the API.
  Lines compare_machine(const std::map<std::string, Seen>& pods) {
    Lines wrong;
    std::set<std::string> uids;
    std::set<std::string> running_uids;
    for (const auto& [name, pod] : pods) {
      uids.insert(pod.uid);
      if (pod.phase == "Running") running_uids.insert(pod.uid);
    }
    SystemClock clock;
    http::LoopGroup loops(1);
    http::Client client(loops, clock, {});
    const auto runtime = kubelet::cri::connect_runtime(client, cluster_->socket());
    const auto sandboxes = runtime->sandboxes({}, Until::after(clock, 10s));
    const auto containers = runtime->containers({}, Until::after(clock, 10s));
    if (!sandboxes.ok() || !containers.ok()) return {"containerd does not answer"};
    std::set<std::string> networked;  // ids of running sandboxes
    std::set<std::string> ids;        // of everything that runs
    for (const auto& sandbox : *sandboxes) {
      if (!uids.contains(sandbox.uid.str())) wrong.push_back("sandbox of " + sandbox.uid.str());
      if (sandbox.state != SandboxState::kReady) continue;
      if (!running_uids.erase(sandbox.uid.str()))
        wrong.push_back("sandbox too many " + sandbox.uid.str());
      networked.insert(sandbox.id);
      ids.insert(sandbox.id);
    }
    for (const std::string& uid : running_uids) wrong.push_back("no sandbox for " + uid);
    for (const auto& container : *containers) {
      if (container.state == ContainerState::kRunning) ids.insert(container.id);
      const auto uid = container.labels.find("io.kubernetes.pod.uid");
      const bool known = uid != container.labels.end() && uids.contains(uid->second);
      if (!known) wrong.push_back("container " + container.name);
    }
    const auto check = [&](const std::string& what, const Lines& found,
                           const std::set<std::string>& allowed) {
      for (const std::string& line : found) {
        const bool known = std::any_of(allowed.begin(), allowed.end(),
                                       [&](const std::string& id) { return contains(line, id); });
        if (!known) wrong.push_back(what + ": " + line);
      }
    };
    check("pod folder", traces_->pod_folders(), uids);
    check("log folder", traces_->log_folders(), uids);
    check("address", traces_->addresses(), networked);
    check("network result", traces_->network_results(), networked);
    check("rule", traces_->rules(), networked);
    check("shim", traces_->shims(), networked);
    // A container that a killed containerd was creating leaves state until its pod ends, with the
    // shim that both share.
    std::set<std::string> bundled = ids;
    for (const std::string& bundle : traces_->bundles()) {
      if (networked.contains(bundle.substr(0, bundle.find(' ')))) {
        bundled.insert(bundle.substr(bundle.find(' ') + 1));
      }
    }
    check("bundle", traces_->bundles(), bundled);
    std::set<std::string> stated;
    for (const std::string& bundle : traces_->bundles()) {
      stated.insert(bundle.substr(0, bundle.find(' ')));
    }
    check("runtime's state", traces_->runtime_states(), stated);
    std::set<std::string> mounted = ids;
    mounted.insert(uids.begin(), uids.end());
    mounted.insert("/netns/");  // counted below
    check("mount", traces_->mounts(), mounted);
    std::set<std::string> grouped = ids;
    grouped.insert(uids.begin(), uids.end());
    Lines groups = traces_->cgroups();
    std::erase_if(groups, [](const std::string& path) {
      return path.find("/pod") == path.rfind("/pod") && !contains(path, "/pod");
    });
    check("cgroup", groups, grouped);
    const auto count = [&](const std::string& what, const Lines& found) {
      if (found.size() == networked.size()) return;
      wrong.push_back(std::to_string(found.size()) + " " + what + " for " +
                      std::to_string(networked.size()) + " sandboxes");
    };
    count("network namespaces", traces_->namespaces());
    count("links", traces_->links());
    return wrong;
  }

  // The number of starts of job containers.
  Lines compare_starts(const std::map<std::string, Seen>& pods) {
    Lines wrong;
    for (const std::string& file : Traces::names_in(starts_)) {
      std::ifstream lines(starts_ + "/" + file);
      const auto count = std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
      if (count > 1) wrong.push_back(file + " was started " + std::to_string(count) + " times");
    }
    for (const auto& [name, pod] : pods) {
      if (pod.phase == "Failed" && failed_.insert(pod.uid).second) {
        std::cout << "  " << name << " failed\n" << details(name);
      }
      if (pod.phase != "Succeeded") continue;
      for (const char* container : {"-first", "-main"}) {
        std::ifstream lines(starts_ + "/" + pod.uid + container);
        const auto count = std::count(std::istreambuf_iterator<char>(lines), {}, '\n');
        if (count != 1) wrong.push_back(name + container + " succeeded without a start");
      }
    }
    return wrong;
  }

  // The API's state of a pod, for messages.
  std::string details(const std::string& name) {
    const auto pod = writer_->ask("GET", "/api/v1/namespaces/default/pods/" + name);
    std::string text = name + " " + json::print(e2e::at(pod.root(), {"status"})) + "\n";
    const auto events = writer_->ask("GET", "/api/v1/namespaces/default/events");
    for (const json::Value& event : e2e::at(events.root(), {"items"}).items()) {
      if (e2e::text_at(event, {"involvedObject", "name"}) != name) continue;
      text += "  " + e2e::text_at(event, {"lastTimestamp"}) + " " +
              e2e::text_at(event, {"reason"}) + " " + e2e::text_at(event, {"message"}) + "\n";
    }
    return text;
  }
  std::string all_details() {
    std::string text;
    for (const auto& [name, pod] : seen()) {
      if (!pod.ready && pod.phase != "Succeeded") text += details(name);
    }
    return text;
  }

  std::string containerd_said() const {
    return e2e::run_shell("tail -n 100 " + cluster_->data_dir() + "/log/containerd.log").text;
  }

  // What is still wrong after half a minute; empty if nothing, which is usually known sooner.
  Lines settle() {
    Lines wrong;
    std::map<std::string, Seen> pods;
    const bool settled = testkit::holds_within(30s, [&] {
      pods = seen();
      wrong = compare_api(pods);
      if (wrong.empty()) wrong = compare_machine(pods);
      return wrong.empty();
    });
    return settled ? compare_starts(pods) : wrong;
  }

  // REQUIRES: the writer is paused.
  void begin_round(int round) {
    std::seed_seq seeds{seed_, static_cast<unsigned>(round)};
    random_.seed(seeds);
    writer_->seed(random_());
    writer_->resume();
  }

  const unsigned seed_ = static_cast<unsigned>(
      number("PROA_NODE_CRASH_SEED", static_cast<int>(std::random_device()() % 1'000'000)));
  std::mt19937 random_;
  std::unique_ptr<Cluster> cluster_;
  std::string run_folder_;
  std::unique_ptr<Traces> traces_;
  std::string starts_;
  std::unique_ptr<PodWriter> writer_;
  std::set<std::string> failed_;
};

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_F(NodeCrashTest, ConvergesAndLeavesNothing) {
  const int first = number("PROA_NODE_CRASH_FIRST", 0);
  const int rounds = number("PROA_NODE_CRASH_ROUNDS", 3);
  for (int round = first; round < first + rounds; ++round) {
    const auto victim = static_cast<Victim>(round % 3);
    SCOPED_TRACE("PROA_NODE_CRASH_SEED=" + std::to_string(seed_) + " PROA_NODE_CRASH_FIRST=" +
                 std::to_string(round) + ", killed " + kNames[round % 3]);
    const auto begin = std::chrono::steady_clock::now();
    begin_round(round);
    wait_up_to(2000);
    crash(victim);
    wait_up_to(500);
    writer_->pause();
    const Lines wrong = settle();
    std::cout << "round " << round << " " << kNames[round % 3] << " " << writer_->made() << " pods "
              << std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::steady_clock::now() - begin)
                     .count()
              << " ms" << std::endl;
    ASSERT_TRUE(wrong.empty()) << text_of(wrong) << all_details() << cluster_->said()
                               << containerd_said();
  }
  writer_->remove_all();
  const Lines wrong = settle();
  EXPECT_TRUE(wrong.empty()) << text_of(wrong);
}

}  // namespace
}  // namespace proa::node_tests
