#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/resource.h"
#include "base/status.h"
#include "base/threads/deadline.h"

namespace proa::apiserver {

// Who asks.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool in_group(std::string_view group) const;
};

// What is asked for, taken out of the path once. The same for a request by HTTP and for one of the
// components in this process.
struct Request {
  api::Verb verb = api::Verb::kGet;
  const api::Resource* resource = nullptr;
  const api::Subresource* subresource = nullptr;  // null: the object itself
  std::string name_space;                         // empty: all of them, or a cluster's object
  std::string name;                               // empty: a collection
  std::string subpath;                            // behind the subresource: of proxies
  User user;
  Until until;  // who asks waits no longer

  // `pods "web" not found`: the words for failures of this request.
  Status not_found() const;
  Status conflict(std::string_view why) const;
  Status already_exists(std::string_view name) const;
  Status bad_request(std::string_view why) const;
  // Adds what the failure is about, where it does not say so itself.
  StatusDetails details(std::string_view name) const;
};

// What stands on the wire for a resource in messages: "deployments.apps", "pods".
std::string qualified_resource(const api::Resource& resource);

}  // namespace proa::apiserver
