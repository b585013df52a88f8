#pragma once

#include <map>
#include <utility>

#include "json/print.h"
#include "json/yaml.h"
#include "kinds/core/quota/usage/evaluator.h"

namespace proa::kinds::quota {

// Objects that a test put there. All are in one namespace, whatever it is called.
class FakeClusterObjects final : public ClusterObjects {
 public:
  // 2026-01-02T15:04:05Z
  Time now() const override { return Time(std::chrono::seconds(1767366245)); }

  bool has(std::string_view group, std::string_view resource) const override {
    return group.empty() || group == "resource.k8s.io" || (group == "batch" && resource == "jobs");
  }

  Result<std::vector<api::ObjectPtr>> list(std::string_view group, std::string_view resource,
                                           std::string_view) const override {
    const auto found = objects_.find({std::string(group), std::string(resource)});
    return found == objects_.end() ? std::vector<api::ObjectPtr>() : found->second;
  }

  void add(const std::string& group, const std::string& resource, std::string_view yaml) {
    const json::Document document = *json::parse_yaml(yaml);
    objects_[{group, resource}].push_back(api::Object::make(json::print(document.root())));
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<api::ObjectPtr>> objects_;
};

// "jobs.batch", "pods"
struct GroupResource {
  explicit GroupResource(std::string_view text)
      : group(text.find('.') == std::string_view::npos ? "" : text.substr(text.find('.') + 1)),
        resource(text.substr(0, text.find('.'))) {}

  std::string group;
  std::string resource;
};

}  // namespace proa::kinds::quota
