#pragma once

#include <string>
#include <vector>

#include "api/structure/structure.h"
#include "json/value.h"

namespace proa::custom {

// The paths of fields that were dropped. Bounded: nobody reads more.
class UnknownFields {
 public:
  static constexpr size_t kMost = 1'000;
  static constexpr size_t kMostBytes = size_t{64} << 10;

  void add(std::string path) {
    if (full()) return;
    bytes_ += path.size();
    paths_.push_back(std::move(path));
  }
  bool full() const { return paths_.size() >= kMost || bytes_ >= kMostBytes; }
  std::vector<std::string>& paths() { return paths_; }

 private:
  std::vector<std::string> paths_;
  size_t bytes_ = 0;
};

// Drops the fields that a schema does not know (upstream's pruning.Prune). `is_resource`:
// apiVersion, kind and metadata stay; those of embedded resources always do. `unknown`: what was
// dropped, sorted; null: nobody asks.
void prune(json::Arena& arena, json::Value& value, const api::Structure& structure,
           bool is_resource, UnknownFields* unknown = nullptr);

// Drops nulls of fields that are neither nullable nor have a default (upstream's
// PruneNonNullableNullsWithoutDefaults).
void prune_nulls(json::Arena& arena, json::Value& value, const api::Structure& structure);

}  // namespace proa::custom
