#pragma once

#include <cstdint>

#include "api/object/object.h"
#include "api/selector/label_selector.h"

namespace proa::controllers::replicas {

// The form of spec.selector.
enum class SelectorForm : uint8_t {
  kSelector,  // a LabelSelector
  kMap,       // plain labels, as ReplicationControllers have them
};

// What is read of a ReplicaSet or ReplicationController, once per version of it.
struct SetFacts {
  api::LabelSelector selector;         // matches nothing if invalid
  api::LabelSelector template_labels;  // of fully labeled pods
  int64_t replicas = 1;
  int64_t min_ready_seconds = 0;
};

const SetFacts& set_facts(const api::Object& set, SelectorForm form);

}  // namespace proa::controllers::replicas
