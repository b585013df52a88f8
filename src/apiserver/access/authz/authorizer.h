#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "apiserver/request/request.h"

namespace proa::apiserver {

// The attributes of an access request. Views: the caller keeps the strings.
struct Attributes {
  const User* user = nullptr;
  std::string_view verb;  // "get", "deletecollection", "impersonate"; the method ("get") for a path
  bool is_resource = true;
  // Of a resource request.
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view name_space;
  std::string_view name;
  // Of a non-resource request: "/metrics".
  std::string_view path;
  // Of list, watch and deletecollection: all requirements of the selectors.
  std::span<const api::FieldSelector::Term> fields = {};
  std::span<const api::LabelSelector::Requirement> labels = {};
};

enum class Decision : uint8_t { kAllow, kDeny, kNoOpinion };

struct Verdict {
  Decision decision = Decision::kNoOpinion;
  std::string reason = "";  // for the caller and for logs

  bool allowed() const { return decision == Decision::kAllow; }
};

// The permissions of a user in a namespace, for SelfSubjectRulesReviews; may be incomplete.
struct ResourceRule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> names;
};
struct PathRule {
  std::vector<std::string> verbs;
  std::vector<std::string> paths;
};
struct RuleList {
  std::vector<ResourceRule> resources;
  std::vector<PathRule> paths;
  bool incomplete = false;
  std::string error = "";  // why it is incomplete
};

// One authorization method. Called from any thread. To add one: a unit, and a line in
// authz/chain.cc.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual Verdict authorize(const Attributes& attributes) = 0;
  // Whether it may block on a remote call. If so, it is called on a worker thread.
  virtual bool may_wait(const Attributes& attributes) const {
    (void)attributes;
    return false;
  }
  // Returns the verdict, or nullopt if it would block.
  virtual std::optional<Verdict> authorize_now(const Attributes& attributes) {
    if (may_wait(attributes)) return std::nullopt;
    return authorize(attributes);
  }
  // Appends the rules that allow something to the user.
  virtual void list_rules(const User& user, std::string_view name_space, RuleList& rules) = 0;
};

}  // namespace proa::apiserver
