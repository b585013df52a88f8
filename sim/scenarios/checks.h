#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/cluster.h"

namespace proa::sim {

using Complaints = std::vector<std::string>;

// Pods that are neither finished nor on their way out.
std::vector<api::ObjectPtr> active_pods(Cluster& cluster);
// Those that name this one as their controller.
std::vector<api::ObjectPtr> controlled_by(const std::vector<api::ObjectPtr>& objects,
                                          std::string_view uid);
// The uid of an object's controller; empty when it has none.
std::string_view controller_uid(const api::Object& object);

// "spec.replicas" of an object.
int64_t number_at(const api::Object& object, std::string_view path);
std::string text_at(const api::Object& object, std::string_view path);
// Of the first container: of a pod, or of the template of what makes pods.
std::string image_of(const api::Object& object);

// Objects whose controller is not there any more, and pods that still go when nothing moves: nobody
// will ever look after them.
Complaints leaks(Cluster& cluster);

// Adds a sentence when they differ.
void expect_equal(Complaints& complaints, std::string_view what, int64_t is, int64_t wanted);
void expect_equal(Complaints& complaints, std::string_view what, std::string_view is,
                  std::string_view wanted);

// A number that users change in a spec, and which of its values the controller may still believe
// in: those of the generation that it says it has seen, and of later ones.
class Believed {
 public:
  void wrote(const api::Object& object, int64_t value) {
    values_[object.metadata().generation] = value;
  }
  void forget() { values_.clear(); }
  int64_t most(int64_t observed_generation) const;

 private:
  std::map<int64_t, int64_t> values_;  // by generation
};

}  // namespace proa::sim
