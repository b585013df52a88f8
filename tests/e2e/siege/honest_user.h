#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "testkit/load.h"
#include "tests/e2e/token_client.h"

namespace proa::e2e {

// A user who writes and reads small objects all the time, and remembers what was acknowledged.
class HonestUser {
 public:
  // What happened while one attack, or two, went on.
  struct Phase {
    std::string name;
    testkit::Latencies reads;
    testkit::Latencies writes;
    int refused = 0;  // writes
  };
  // Null: it does not exist.
  using Value = std::optional<int64_t>;
  struct Known {
    Value acknowledged;
    std::set<Value> attempted;  // since then, without a response: any of them may hold
    bool allows(const Value& value) const {
      return value == acknowledged || attempted.contains(value);
    }
  };

  HonestUser(const std::string& data_dir, int port)
      : client_(data_dir, port, "honest"),
        phases_(1, Phase{"before", {}, {}, 0}),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void begin(const std::string& name) {
    const std::lock_guard lock(mutex_);
    phases_.push_back({name, {}, {}, 0});
  }
  // Of the phase that goes on.
  Phase current() const {
    const std::lock_guard lock(mutex_);
    return phases_.back();
  }
  void finish() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  // REQUIRES for all below: finished.
  const std::vector<Phase>& phases() const { return phases_; }
  const std::map<std::string, Known>& known() const { return known_; }
  // The first few answers that were wrong.
  const std::vector<std::string>& failures() const { return failures_; }
  int acknowledged() const { return acknowledged_; }

 private:
  static constexpr int64_t kObjects = 30;

  void run(const std::stop_token& stop) {
    for (int64_t i = 0; !stop.stop_requested(); ++i) {
      const std::string name = "honest-" + std::to_string(i % kObjects);
      Known& known = known_[name];
      write(name, known, i);
      for (int again = 0; again < 3; ++again) read(name, known);
      std::this_thread::sleep_for(30ms);  // the rate: the store keeps minutes of history
    }
  }

  void write(const std::string& name, Known& known, int64_t number) {
    const std::string target = kMaps + ("/" + name);
    const bool create = !known.acknowledged.has_value();
    const bool remove = !create && number / kObjects % 5 == 4;
    const char* method = create ? "POST" : remove ? "DELETE" : "PUT";
    const Steady begin = client_.clock().steady();
    const auto response =
        client_.send(method, create ? kMaps : target, remove ? "" : config_map(name, number));
    const Duration taken = client_.clock().steady() - begin;
    const std::lock_guard lock(mutex_);
    phases_.back().writes.add(taken);
    const Value wanted = remove ? Value() : Value(number);
    if (!response.ok()) {
      known.attempted.insert(wanted);
      ++phases_.back().refused;
    } else if (response->status == 200 || response->status == 201) {
      known = {wanted, {}};
      ++acknowledged_;
    } else if (response->status == 507 || response->status == 503 || response->status == 429) {
      ++phases_.back().refused;
      if (response->body.view().find("\"message\":\"") == std::string_view::npos) {
        fail("a refusal without a text: " + text_of(response));
      }
    } else if (known.attempted.empty()) {
      fail(std::string(method) + " " + name + ": " + text_of(response));
    } else {
      // One of the attempts took place: what holds is what the next read says.
      uncertain_ = true;
    }
  }

  void read(const std::string& name, Known& known) {
    const Steady begin = client_.clock().steady();
    const auto response = client_.send_again_if_cut_off("GET", kMaps + ("/" + name));
    const Duration taken = client_.clock().steady() - begin;
    const std::lock_guard lock(mutex_);
    phases_.back().reads.add(taken);
    if (!response.ok() || (response->status != 200 && response->status != 404)) {
      fail("GET " + name + ": " + text_of(response));
      return;
    }
    Value value;
    if (response->status == 200) {
      const auto parsed = json::parse(response->body.view());
      if (parsed.ok()) value = item_of(parsed->root()).number;
    }
    if (!known.allows(value)) {
      fail("GET " + name + ": " + text_of(response) + ", acknowledged was " +
           text(known.acknowledged));
    }
    if (uncertain_) known.acknowledged = value;
    uncertain_ = false;
  }

  static std::string text(const Value& value) {
    return value.has_value() ? std::to_string(*value) : "its deletion";
  }

  // REQUIRES: lock is held.
  void fail(const std::string& why) {
    const size_t kMostTold = 20;
    if (failures_.size() < kMostTold) failures_.push_back(phases_.back().name + ": " + why);
  }

  TokenClient client_;
  mutable std::mutex mutex_;
  std::vector<Phase> phases_;
  std::vector<std::string> failures_;
  std::map<std::string, Known> known_;
  bool uncertain_ = false;
  int acknowledged_ = 0;
  std::jthread thread_;
};

}  // namespace proa::e2e
