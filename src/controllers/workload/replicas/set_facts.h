#pragma once

#include <cstdint>

#include "api/object/object.h"
#include "api/selector/label_selector.h"

namespace proa::controllers::replicas {

// How a kind says which pods it wants.
enum class SelectorForm : uint8_t {
  kSelector,  // a LabelSelector
  kMap,       // plain labels, as ReplicationControllers have them
};

// What a ReplicaSet or ReplicationController asks for, read once for each of its states.
struct SetFacts {
  api::LabelSelector selector;         // wants nothing when it is not valid
  api::LabelSelector template_labels;  // a pod that has all of them is fully labeled
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
};

const SetFacts& set_facts(const api::Object& set, SelectorForm form);

}  // namespace proa::controllers::replicas
