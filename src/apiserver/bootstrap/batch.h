#pragma once

#include <string_view>
#include <vector>

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// An object that is to be in the store.
struct Wanted {
  const api::Resource& resource;
  json::Document document;
  // What is made right where the object is there already ("spec.ports"); everything else is left as
  // its users want it. Of "metadata.labels", those that are wanted.
  std::vector<std::string_view> kept_right = {};
  // Where this differs, which nobody may change, a new object takes the place of the old one.
  std::string_view identity = {};
};

// Puts what is missing into the store and makes right what is wrong, in one commit; without one
// when nothing is to be done. Other servers may do the same at the same time.
Result<void> ensure_objects(const ApiContext& context, const std::vector<Wanted>& objects);

// As this server itself writes.
Request server_request(const api::Resource& resource, std::string_view name_space,
                       std::string_view name);

}  // namespace proa::apiserver
