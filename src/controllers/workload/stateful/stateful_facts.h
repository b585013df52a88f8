#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "controllers/workload/stateful/claim_owners.h"

namespace proa::controllers {

// What is read of a StatefulSet.
struct StatefulFacts {
  std::string name;
  int64_t replicas = 1;
  int64_t start = 0;            // the first ordinal
  bool parallel = false;        // podManagementPolicy
  bool updates = true;          // false: updateStrategy OnDelete
  int64_t partition = 0;        // ordinals below it keep their revision
  int64_t made_of_current = 0;  // pods to create at the current revision, from the first ordinal
  int64_t min_ready_seconds = 0;
  int64_t history_limit = 10;
  ClaimRetention retention;
  std::string service;
  std::vector<std::string> claim_templates;
  // From the status.
  std::string current_revision;
  std::string update_revision;
  int64_t collisions = 0;

  bool wants(int64_t ordinal) const { return ordinal >= start && ordinal < start + replicas; }
};

Result<StatefulFacts> read_stateful_set(const api::Object& set);

}  // namespace proa::controllers
