#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/cluster.h"

namespace proa::sim {

using Violations = std::vector<std::string>;

// Pods that are neither finished nor being deleted.
std::vector<api::ObjectPtr> active_pods(Cluster& cluster);
// Those with this controller.
std::vector<api::ObjectPtr> controlled_by(const std::vector<api::ObjectPtr>& objects,
                                          std::string_view uid);
// The uid of an object's controller; empty if there is none.
std::string_view controller_uid(const api::Object& object);

// "spec.replicas" of an object.
int64_t number_at(const api::Object& object, std::string_view path);
std::string text_at(const api::Object& object, std::string_view path);
// The image of the first container of a pod or pod template.
std::string image_of(const api::Object& object);

// Objects whose controller is gone, and pods that are still being deleted at rest: nothing would
// ever clean them up.
Violations leaks(Cluster& cluster);

// Adds a violation if they differ.
void expect_equal(Violations& violations, std::string_view what, int64_t is, int64_t wanted);
void expect_equal(Violations& violations, std::string_view what, std::string_view is,
                  std::string_view wanted);

// A value that users change in a spec, and which of its values the controller may act on: that of
// the observed generation, and later ones.
class SpecValues {
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
