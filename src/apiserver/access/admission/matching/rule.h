#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/matching/subject.h"

namespace proa::apiserver {

// A RuleWithOperations of a webhook or a policy: which requests it is about.
class AdmissionRule {
 public:
  explicit AdmissionRule(api::View rule);

  // Whether the request matches, as if it had been made in this version of its resource.
  bool matches(const Subject& subject, const api::Resource& version) const;
  // Whether the rule is about objects with this name: it lists none, or this one.
  bool names(std::string_view name) const;
  // The resources that the rule is about, by plural name; false: all.
  bool lists_resources(std::vector<std::string_view>& resources) const;

 private:
  struct Part {
    std::string resource;
    std::string subresource;
  };
  bool matches_scope(const Subject& subject, const api::Resource& version) const;
  bool matches_resource(std::string_view resource, std::string_view subresource) const;

  std::vector<std::string> operations_;
  std::vector<std::string> groups_;
  std::vector<std::string> versions_;
  std::vector<Part> parts_;
  std::vector<std::string> names_;
  std::string scope_;
};

}  // namespace proa::apiserver
