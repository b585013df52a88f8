#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/managed/managed.h"

namespace proa::apiserver {

// A bootstrap object.
struct Wanted {
  const api::Resource& resource;
  json::Document document;
  // Fields that are reset if the object exists ("spec.ports"); users may change all others. Of
  // "metadata.labels" only the given labels are reset.
  std::vector<std::string_view> enforced = {};
  // An immutable field; if it differs, the object is deleted and recreated.
  std::string_view identity = {};
  // Who manages its fields.
  std::string_view manager = kServerManager;
  // Corrects a stored object by rules of its own, given the wanted one with its defaults.
  std::function<void(api::Edit stored, api::View wanted)> revise = {};

  std::string key() const;  // in the store
};

// Creates missing objects and corrects enforced fields, in one commit, or in as many as the store
// needs for so many objects; commits nothing if there are no changes. Safe to run concurrently on
// several servers.
Result<void> ensure_objects(const ApiContext& context, const std::vector<Wanted>& objects);

// A request by the server itself.
Request server_request(const api::Resource& resource, std::string_view name_space,
                       std::string_view name);

// Whether one more object may be too much for the store: what is there is committed first.
bool is_full(const store::Txn& txn, const store::Store& store);

}  // namespace proa::apiserver
