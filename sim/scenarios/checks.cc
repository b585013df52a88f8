#include "sim/scenarios/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "controllers/pods/pod_facts.h"

namespace proa::sim {

std::vector<api::ObjectPtr> active_pods(Cluster& cluster) {
  std::vector<api::ObjectPtr> pods = cluster.list("", "pods");
  std::erase_if(pods,
                [](const api::ObjectPtr& pod) { return !controllers::pod_facts(*pod).active(); });
  return pods;
}

std::string_view controller_uid(const api::Object& object) {
  for (const api::Metadata::Owner& owner : object.metadata().owners) {
    if (owner.controller) return owner.uid;
  }
  return {};
}

std::vector<api::ObjectPtr> controlled_by(const std::vector<api::ObjectPtr>& objects,
                                          std::string_view uid) {
  std::vector<api::ObjectPtr> found;
  for (const api::ObjectPtr& object : objects) {
    if (controller_uid(*object) == uid) found.push_back(object);
  }
  return found;
}

int64_t number_at(const api::Object& object, std::string_view path) {
  const json::Document document = object.document().value();
  return api::View(document.root()).at(path).integer();
}

std::string text_at(const api::Object& object, std::string_view path) {
  const json::Document document = object.document().value();
  return std::string(api::View(document.root()).at(path).text());
}

std::string image_of(const api::Object& object) {
  const json::Document document = object.document().value();
  const api::View spec = api::View(document.root())["spec"];
  const api::View pod = spec["template"].exists() ? spec["template"]["spec"] : spec;
  return std::string(pod["containers"].item(0)["image"].text());
}

Violations leaks(Cluster& cluster) {
  constexpr std::pair<const char*, const char*> kOwners[] = {
      {"", "replicationcontrollers"}, {"apps", "replicasets"},  {"apps", "deployments"},
      {"apps", "daemonsets"},         {"apps", "statefulsets"}, {"batch", "jobs"},
      {"batch", "cronjobs"},
  };
  std::vector<api::ObjectPtr> all = cluster.list("", "pods");
  for (const api::ObjectPtr& revision : cluster.list("apps", "controllerrevisions")) {
    all.push_back(revision);
  }
  std::set<std::string> there;
  for (const auto& [group, resource] : kOwners) {
    for (const api::ObjectPtr& object : cluster.list(group, resource)) {
      there.emplace(object->metadata().uid);
      all.push_back(object);
    }
  }
  Violations violations;
  for (const api::ObjectPtr& object : all) {
    const std::string owner(controller_uid(*object));
    const std::string name(object->metadata().name);
    if (!owner.empty() && !there.contains(owner)) {
      violations.push_back(name + " outlived its owner");
    }
    if (object->metadata().being_deleted) violations.push_back(name + " never goes");
  }
  return violations;
}

void expect_equal(Violations& violations, std::string_view what, int64_t is, int64_t wanted) {
  if (is != wanted) violations.push_back(fmt::format("{} is {}, not {}", what, is, wanted));
}

void expect_equal(Violations& violations, std::string_view what, std::string_view is,
                  std::string_view wanted) {
  if (is != wanted) violations.push_back(fmt::format("{} is {}, not {}", what, is, wanted));
}

int64_t SpecValues::most(int64_t observed_generation) const {
  // The value at the observed generation may have been written with an earlier one.
  auto from = values_.upper_bound(observed_generation);
  if (from != values_.begin()) --from;
  int64_t most = 0;
  for (; from != values_.end(); ++from) most = std::max(most, from->second);
  return most;
}

}  // namespace proa::sim
