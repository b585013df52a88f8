#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/faults.h"
#include "testkit/controllers/test_world.h"

namespace proa::sim {

// A simulated cluster on one thread and its own clock: the API server, all controllers in a process
// that may crash and have a faulty connection, and users. Deterministic for a seed.
class Cluster {
 public:
  explicit Cluster(uint64_t seed);

  // Runs a random part of the controllers' pending work. Restarts them after a crash.
  void step();
  // Kills the controllers.
  void kill();
  void set_faults(const FaultRates& rates) { faults_.set(rates); }
  // Runs all pending work.
  void settle();
  void pass(Duration time);
  // Writes by controllers so far.
  size_t writes() const { return faults_.writes(); }

  // Acts as the administrator; rejections are not failures and are returned.
  testkit::TestWorld& world() { return world_; }
  // True if the server accepted it.
  bool create(std::string_view group, std::string_view resource, std::string json);
  bool patch(std::string_view group, std::string_view resource, std::string_view name,
             std::string json);
  bool remove(std::string_view group, std::string_view resource, std::string_view name,
              api::Propagation propagation);
  // In kNamespace.
  std::vector<api::ObjectPtr> list(std::string_view group, std::string_view resource);
  api::ObjectPtr get(std::string_view group, std::string_view resource, std::string_view name);

  Random& random() { return random_; }
  uint64_t below(uint64_t bound) { return random_.below(bound); }

  static constexpr const char* kNamespace = "default";

 private:
  // for users and faults; separate from the server's, so that either can change alone
  SeededRandom random_;
  Faults faults_{random_};
  testkit::TestWorld world_;
};

}  // namespace proa::sim
