#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/faults.h"
#include "testkit/controllers/test_world.h"

namespace proa::sim {

// A whole cluster on one thread and a clock of its own: the API server, all controllers in a
// process that may crash and whose connection may be bad, and users. The same seed is the same
// story.
class Cluster {
 public:
  explicit Cluster(uint64_t seed);

  // The controllers do a little of what they have to do. Those that crashed come back.
  void step();
  // They are killed where they are.
  void kill();
  void set_faults(const FaultRates& rates) { faults_.set(rates); }
  // Everything that can be done now is done.
  void settle();
  void pass(Duration time);
  // Of controllers, so far.
  size_t writes() const { return faults_.writes(); }

  // As the administrator; a refusal is no failure of the story, and is reported.
  testkit::TestWorld& world() { return world_; }
  // True when the server took it.
  bool create(std::string_view group, std::string_view resource, std::string json);
  bool patch(std::string_view group, std::string_view resource, std::string_view name,
             std::string json);
  bool remove(std::string_view group, std::string_view resource, std::string_view name,
              api::Propagation propagation);
  // In the namespace that everything happens in.
  std::vector<api::ObjectPtr> list(std::string_view group, std::string_view resource);
  api::ObjectPtr get(std::string_view group, std::string_view resource, std::string_view name);

  Random& random() { return random_; }
  uint64_t below(uint64_t bound) { return random_.below(bound); }

  static constexpr const char* kNamespace = "default";

 private:
  SeededRandom random_;  // of users and faults: not the server's, so that both can be changed alone
  Faults faults_{random_};
  testkit::TestWorld world_;
};

}  // namespace proa::sim
