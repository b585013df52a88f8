#pragma once

#include <string_view>

#include "api/selector/label_selector.h"
#include "client/informer/informer.h"
#include "client/informer/work_queue.h"

// Who controls what, and who hears of its changes.

namespace proa::controllers {

// Null when nobody controls it.
const api::Metadata::Owner* controller_of(const api::Object& object);
// Null for no object, too, and where it is of another kind.
const api::Metadata::Owner* controller_of(const api::ObjectPtr& object, std::string_view kind);

// "spec.selector" of an owner, read once. Null when there is none that can be understood.
const api::LabelSelector* selector_of(const api::Object& owner);

// Owners of one kind, and what they want to hear of the objects that they control.
struct Owners {
  const client::Cache& cache;
  std::string_view kind;  // "DaemonSet"; a literal
  // Which orphans an owner would adopt; null: none.
  const api::LabelSelector* (*selector)(const api::Object& owner) = selector_of;
  // Whether a change is worth a look, of an object that stays whose it is. None: every one is.
  bool (*matters)(const api::Object& before, const api::Object& after) = nullptr;
};

// Puts those owners into the queue whose business the change of an object is: who controls it, or
// did; of one that nobody controls, all that would adopt it.
void wake_owners(const client::Change& change, const Owners& owners, client::WorkQueue& queue);
// The same for every change. Everything outlives the informer's handlers.
void listen_for_owned(client::Informer& objects, const Owners& owners, client::WorkQueue& queue);

}  // namespace proa::controllers
