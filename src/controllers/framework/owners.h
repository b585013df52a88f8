#pragma once

#include <string_view>

#include "api/selector/label_selector.h"
#include "client/informer/informer.h"
#include "client/informer/work_queue.h"

// Controlling owners, and which of them are notified of changes.

namespace proa::controllers {

// Null if it has no controller.
const api::Metadata::Owner* controller_of(const api::Object& object);
// Also null for a null object or an owner of another kind.
const api::Metadata::Owner* controller_of(const api::ObjectPtr& object, std::string_view kind);

// "spec.selector" of an owner, parsed once. Null if absent or invalid.
const api::LabelSelector* selector_of(const api::Object& owner);

// Owners of one kind, and which changes of their objects concern them.
struct Owners {
  const client::Cache& cache;
  std::string_view kind;  // "DaemonSet"; a literal
  // Selects orphans to adopt; null: none.
  const api::LabelSelector* (*selector)(const api::Object& owner) = selector_of;
  // Whether a change of an object with unchanged owner matters. Null: every change does.
  bool (*matters)(const api::Object& before, const api::Object& after) = nullptr;
};

// Queues the owners that a change concerns: the current and previous controller, or for an orphan
// all owners that would adopt it.
void wake_owners(const client::Change& change, const Owners& owners, client::WorkQueue& queue);
// Does that for every change. Everything outlives the informer's handlers.
void listen_for_owned(client::Informer& objects, const Owners& owners, client::WorkQueue& queue);

}  // namespace proa::controllers
