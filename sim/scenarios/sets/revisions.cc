#include "sim/scenarios/sets/revisions.h"
#include "json/parse.h"

#include <algorithm>

#include "api/object/view.h"
#include "json/print.h"

namespace proa::sim {
namespace revisions {

// The image of the template in its data.
std::string image_of_revision(const api::Object& revision) {
  const json::Document document = revision.document().value();
  const api::View pod = api::View(document.root()).at("data.spec.template.spec");
  return std::string(pod["containers"].item(0)["image"].text());
}

}  // namespace revisions

std::vector<api::ObjectPtr> revisions_of(Cluster& cluster, const api::Object& set) {
  std::vector<api::ObjectPtr> revisions =
      controlled_by(cluster.list("apps", "controllerrevisions"), set.metadata().uid);
  std::sort(revisions.begin(), revisions.end(), [](const auto& a, const auto& b) {
    return number_at(*a, "revision") < number_at(*b, "revision");
  });
  return revisions;
}

void check_newest_revision(const std::vector<api::ObjectPtr>& revisions, const api::Object& set,
                           Violations& violations) {
  if (revisions.empty()) {
    violations.emplace_back("it has no revision");
    return;
  }
  const api::Object& newest = *revisions.back();
  expect_equal(violations, "image of the newest revision", revisions::image_of_revision(newest),
               image_of(set));
  if (revisions.size() < 2) return;
  const api::Object& before = *revisions[revisions.size() - 2];
  if (number_at(before, "revision") == number_at(newest, "revision")) {
    violations.emplace_back("two revisions have the same number");
  }
}

bool roll_back(Cluster& cluster, std::string_view resource, const api::Object& set) {
  const std::vector<api::ObjectPtr> revisions = revisions_of(cluster, set);
  if (revisions.empty()) return false;
  const api::ObjectPtr& to = revisions[cluster.below(revisions.size())];
  const json::Document document = to->document().value();
  const api::View data = api::View(document.root())["data"];
  return cluster.world()
      .client()
      .patch(cluster.world().place("apps", resource, Cluster::kNamespace, set.metadata().name),
             api::PatchType::kStrategic, json::parse_literal(json::print(*data.value())), {}, {})
      .ok();
}

}  // namespace proa::sim
