#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "testkit/process.h"
#include "tests/e2e/admin.h"

namespace proa::node_tests {

// Creates and deletes pods through the API, one after another, retrying until there is a response,
// whatever happens to the server. Runs on its own thread.
class PodWriter {
 public:
  enum class Kind {
    kService,  // runs until it is deleted
    kJob,      // runs once, to completion
  };
  using Pods = std::map<std::string, Kind>;

  // `starts`: a folder where each container of a job writes a line when it starts, to a file named
  // after the pod's uid and the container.
  PodWriter(std::string data_dir, std::string starts)
      : data_dir_(std::move(data_dir)), starts_(std::move(starts)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~PodWriter() {
    thread_.request_stop();
    go(true);
  }

  // Returns when no request is in progress.
  void pause() {
    std::unique_lock lock(mutex_);
    goes_ = false;
    changed_.wait(lock, [&] { return !busy_; });
  }
  void resume() { go(true); }

  // The actions from now on. REQUIRES: paused.
  void seed(unsigned number) { random_.seed(number); }
  // Pods that were created and not deleted. REQUIRES: paused.
  const Pods& pods() const { return pods_; }
  int made() const { return made_; }
  // REQUIRES: paused.
  void remove_all() {
    while (!pods_.empty()) remove(pods_.begin()->first);
  }
  // Retries until there is a response. From one thread at a time, and while it is paused.
  e2e::Admin::Answer ask(std::string_view method, const std::string& target,
                         const std::string& body = "") {
    while (true) {
      if (!admin_) admin_.emplace(data_dir_);
      e2e::Admin::Answer answer = admin_->ask(method, target, body);
      if (answer.code != 0 && answer.code < 500 && answer.code != 429) return answer;
      // The next server may have another port.
      admin_.reset();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

 private:
  static constexpr const char* kPods = "/api/v1/namespaces/default/pods";
  static constexpr size_t kMaxPods = 6;

  void go(bool goes) {
    const std::lock_guard lock(mutex_);
    goes_ = goes;
    changed_.notify_all();
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex_);
        busy_ = false;
        changed_.notify_all();
        changed_.wait(lock, [&] { return goes_; });
        busy_ = true;
      }
      if (stop.stop_requested()) break;
      step();
      std::this_thread::sleep_for(std::chrono::milliseconds(up_to(150)));
    }
    const std::lock_guard lock(mutex_);
    busy_ = false;
    changed_.notify_all();
  }

  unsigned up_to(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }

  void step() {
    const bool full = pods_.size() >= kMaxPods;
    if (full || (pods_.size() > 2 && up_to(2) == 0)) {
      remove(std::next(pods_.begin(), up_to(static_cast<unsigned>(pods_.size()) - 1))->first);
    } else {
      create(up_to(1) == 0 ? Kind::kService : Kind::kJob);
    }
  }

  void create(Kind kind) {
    const std::string name = "p" + std::to_string(made_++);
    const auto answer = ask("POST", kPods, kind == Kind::kService ? service(name) : job(name));
    // A call whose response was lost may have created it.
    EXPECT_TRUE(answer.code == 201 || answer.code == 409) << answer.code;
    pods_[name] = kind;
  }

  void remove(const std::string& name) {
    const std::string query = up_to(3) == 0 ? "?gracePeriodSeconds=0" : "";
    const auto answer = ask("DELETE", std::string(kPods) + "/" + name + query);
    EXPECT_TRUE(answer.code == 200 || answer.code == 202 || answer.code == 404) << answer.code;
    pods_.erase(std::string(name));
  }

  // With mounts, a host port, and a handler for SIGTERM.
  std::string service(const std::string& name) {
    const std::string port = std::to_string(testkit::free_port());
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"terminationGracePeriodSeconds":2,
      "volumes":[{"name":"memory","emptyDir":{"medium":"Memory"}},{"name":"disk","emptyDir":{}}],
      "containers":[{"name":"main","image":"busybox:1",
        "command":["sh","-c","trap 'exit 0' TERM; sleep 3600 & wait"],
        "ports":[{"containerPort":80,"hostPort":)" +
           port + R"(}],
        "volumeMounts":[{"name":"memory","mountPath":"/memory"},{"name":"disk","mountPath":"/disk"},
                        {"name":"disk","mountPath":"/part","subPath":"part"}]}]}})";
  }

  std::string job(const std::string& name) {
    const auto container = [](const std::string& own_name, const std::string& work) {
      return R"({"name":")" + own_name + R"(","image":"busybox:1",
        "command":["sh","-c","date >> /starts/$UID-)" +
             own_name + "; " + work + R"("],
        "env":[{"name":"UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}],
        "volumeMounts":[{"name":"starts","mountPath":"/starts"}]})";
    };
    const std::string seconds = std::to_string(up_to(2));
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"restartPolicy":"Never",
      "terminationGracePeriodSeconds":1,
      "volumes":[{"name":"starts","hostPath":{"path":")" +
           starts_ + R"("}}],
      "initContainers":[)" +
           container("first", "true") + R"(],
      "containers":[)" +
           container("main", "sleep " + seconds) + "]}}";
  }

  const std::string data_dir_;
  const std::string starts_;
  std::mt19937 random_;
  std::optional<e2e::Admin> admin_;
  Pods pods_;
  int made_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool goes_ = false;
  bool busy_ = true;
  std::jthread thread_;
};

}  // namespace proa::node_tests
