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

// What somebody wants to do. Views: whoever asks keeps the texts.
struct Attributes {
  const User* user = nullptr;
  std::string_view verb;  // "get", "deletecollection", "impersonate"; of a path: the method, "get"
  bool is_resource = true;
  // Of a resource.
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view name_space;
  std::string_view name;
  // Of anything else: "/metrics".
  std::string_view path;
  // Of list, watch and deletecollection: what the selectors demand, all of it.
  std::span<const api::FieldSelector::Term> fields = {};
  std::span<const api::LabelSelector::Requirement> labels = {};
};

enum class Decision : uint8_t { kAllow, kDeny, kNoOpinion };

struct Verdict {
  Decision decision = Decision::kNoOpinion;
  std::string reason = "";  // for the one who asks, and for logs

  bool allowed() const { return decision == Decision::kAllow; }
};

// What a user may do in a namespace, as far as it can be listed: of SelfSubjectRulesReviews.
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
  std::string error = "";  // why
};

// One way to decide. Called from any thread. Adding one: a unit, and a line in authz/chain.cc.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual Verdict authorize(const Attributes& attributes) = 0;
  // Whether it may have to ask somebody else: then it is called on a worker's thread.
  virtual bool may_wait(const Attributes& attributes) const {
    (void)attributes;
    return false;
  }
  // The verdict, where that can be had without waiting.
  virtual std::optional<Verdict> authorize_now(const Attributes& attributes) {
    if (may_wait(attributes)) return std::nullopt;
    return authorize(attributes);
  }
  // Adds what it would allow.
  virtual void list_rules(const User& user, std::string_view name_space, RuleList& rules) = 0;
};

}  // namespace proa::apiserver
