#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/resource.h"
#include "apiserver/request/audit_notes.h"
#include "apiserver/request/resource_ptr.h"
#include "apiserver/request/trace.h"
#include "base/status.h"
#include "base/threads/deadline.h"

namespace proa::apiserver {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool in_group(std::string_view group) const;
};

// Users are shared by all their requests.
using UserPtr = std::shared_ptr<const User>;
// Without a name or groups.
const UserPtr& nobody();

using Warnings = std::vector<std::string>;

// A parsed request: the same for HTTP and in-process requests.
struct Request {
  api::Verb verb = api::Verb::kGet;
  // The deletion of an object that was selected, not named: upstream's admission is not told its
  // name.
  bool of_collection = false;
  ResourcePtr resource;
  const api::Subresource* subresource = nullptr;  // null: the object itself
  std::string name_space;                         // empty: all namespaces, or cluster-scoped
  std::string name;                               // empty: a collection
  std::string subpath;                            // the path after the subresource, for proxies
  UserPtr user = nobody();
  Until until;  // the client's deadline
  // Receives warnings for the client, who gets them also if the request fails. Null: nobody reads
  // them.
  Warnings* warnings = nullptr;
  // Receives what is to be said of the request in its audit events. Null: it is not audited.
  std::shared_ptr<AuditNotes> audit = nullptr;
  // Receives the steps of its work. Null: it is not traced.
  std::shared_ptr<Trace> trace = nullptr;

  void warn(std::string text) const {
    if (warnings != nullptr) warnings->push_back(std::move(text));
  }
  // `pods "web" not found` and similar failures of this request.
  Status not_found() const;
  Status conflict(std::string_view why) const;
  Status already_exists(std::string_view name) const;
  Status bad_request(std::string_view why) const;
  Status forbidden(std::string_view why) const;
  // Adds details to a failure that has none.
  StatusDetails details(std::string_view name) const;
};

// The resource in messages: "deployments.apps", "pods".
std::string qualified_resource(const api::Resource& resource);

}  // namespace proa::apiserver
