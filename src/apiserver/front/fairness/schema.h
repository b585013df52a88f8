#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver::fairness {

// A FlowSchema: which requests it matches, and to which level they belong.
struct FlowSchema {
  enum class Distinguisher : uint8_t { kNone, kByUser, kByNamespace };
  struct Subject {
    enum class Kind : uint8_t { kUnknown, kUser, kGroup, kServiceAccount };
    Kind kind = Kind::kUnknown;
    std::string name;
    std::string name_space = {};  // of a service account
  };
  struct ResourceRule {
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    std::vector<std::string> resources;  // "pods", "pods/status"
    std::vector<std::string> namespaces;
    bool cluster_scope = false;
  };
  struct PathRule {
    std::vector<std::string> verbs;
    std::vector<std::string> paths;
  };
  struct Rule {
    std::vector<Subject> subjects;
    std::vector<ResourceRule> resources;
    std::vector<PathRule> paths;
  };

  std::string name;
  std::string uid;
  std::string level;
  int64_t precedence = 0;
  Distinguisher distinguisher = Distinguisher::kNone;
  std::vector<Rule> rules;

  bool matches(const Attributes& request) const;
  // Requests with the same one are a flow.
  std::string_view distinguish(const Attributes& request) const;
};

// REQUIRES: a FlowSchema.
FlowSchema read_flow_schema(const api::Object& object);

// Whether `one` is asked before `other`.
bool precedes(const FlowSchema& one, const FlowSchema& other);

// The schemas that are used where there is no such object.
FlowSchema mandatory_exempt_schema();
FlowSchema mandatory_catch_all_schema();

}  // namespace proa::apiserver::fairness
