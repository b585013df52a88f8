#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/front/audit/events/policy.h"
#include "apiserver/request/request.h"
#include "base/bytes.h"
#include "base/time.h"

namespace proa::apiserver::audit {

struct ObjectReference {
  std::string resource;
  std::string name_space;
  std::string name;
  std::string uid;
  std::string group;
  std::string version;
  std::string resource_version;
  std::string subresource;
};

// What is known of a request when it arrives. Shared by its events, immutable.
struct RequestFacts {
  Level level = Level::kMetadata;
  bool omits_managed_fields = false;
  std::string audit_id;
  std::string uri;  // as it was sent
  std::string verb;
  UserPtr user = nullptr;  // null: not authenticated
  std::string forwarded_for = {};
  std::string real_ip = {};
  std::string peer = {};
  std::string user_agent = {};
  std::optional<ObjectReference> object = std::nullopt;  // nullopt: not a resource request
  Time received = {};

  size_t bytes() const;
};

// What a request's body says about the object, where the path does not.
struct ObjectNames {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string resource_version;
};

// What the authorizers said.
struct AccessDecision {
  bool allowed = false;
  std::string reason;
};

// A response as it was sent, before compression.
struct SentBody {
  std::string content_type;
  std::vector<Bytes> parts;  // empty: nothing that an event shows
  size_t size = 0;
  bool is_object = false;  // it is shown as the response's object
};

// One event. Its text is made by the thread that writes it.
struct Event {
  std::shared_ptr<const RequestFacts> request;
  Stage stage = Stage::kRequestReceived;
  Time at = {};
  UserPtr impersonated = nullptr;
  std::string impersonation_constraint = {};
  ObjectNames names = {};
  int code = 0;             // zero: no response yet
  std::string status = {};  // JSON members before "code", if no body states them
  SentBody body = {};
  std::string request_object = {};                      // JSON
  Bytes patch = {};                                     // as it was sent
  bool is_truncated = false;                            // an object was too large to be kept
  std::optional<AccessDecision> access = std::nullopt;  // two annotations
  std::map<std::string, std::string, std::less<>> annotations = {};  // the others

  // What it holds, about.
  size_t bytes() const;
};

using EventPtr = std::shared_ptr<const Event>;

}  // namespace proa::apiserver::audit
