#include "controllers/workload/autoscaler/scale_target.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "base/strings.h"
#include "json/print.h"

namespace proa::controllers {
namespace scale_target {

// How often a write is tried that others are faster than.
constexpr int kTries = 5;

// "apps" of "apps/v1", "" of "v1".
Result<std::string_view> group_of(std::string_view api_version) {
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  if (slashes > 1) {
    return Status(Reason::kBadRequest,
                  "unexpected GroupVersion string: " + std::string(api_version));
  }
  const auto halves = split_once(api_version, '/');
  return halves ? halves->before : std::string_view();
}

// All that may be meant: the same objects, in several versions.
std::vector<const api::Resource*> find_resources(const api::Schema& schema, std::string_view group,
                                                 std::string_view kind) {
  std::vector<const api::Resource*> found;
  for (const api::Resource* resource : schema.resources()) {
    if (resource->group == group && resource->type->name == kind) found.push_back(resource);
  }
  return found;
}

}  // namespace scale_target

ScaleTarget::ScaleTarget(client::Place place, api::ObjectPtr scale) : place_(std::move(place)) {
  take(std::move(scale));
}

void ScaleTarget::take(api::ObjectPtr scale) {
  scale_ = std::move(scale);
  const Result<json::Document> document = scale_->document();
  if (!document) return;
  const api::View root = document->root();
  facts_ = {.wanted = root["spec"]["replicas"].integer(),
            .there = root["status"]["replicas"].integer(),
            .selector = std::string(root["status"]["selector"].text())};
}

Result<ScaleTarget> ScaleTarget::read(const client::BoundedClient& client,
                                      const api::Schema& schema, std::string_view name_space,
                                      api::View reference) {
  const std::string_view group = TRY(scale_target::group_of(reference["apiVersion"].text()));
  const std::string_view kind = reference["kind"].text();
  const auto resources = scale_target::find_resources(schema, group, kind);
  if (resources.empty()) {
    return Status(Reason::kNotFound,
                  "no matches for kind " + api::quoted(kind) + " in group " + api::quoted(group));
  }
  Result<void> first;
  for (const api::Resource* resource : resources) {
    client::Place place{.resource = resource,
                        .name_space = std::string(name_space),
                        .name = std::string(reference["name"].text()),
                        .subresource = "scale"};
    const Result<api::ObjectPtr> scale = client.get(place);
    if (scale) return ScaleTarget(std::move(place), *scale);
    if (first) first = scale.status();
  }
  return first.status();
}

Result<void> ScaleTarget::write(const client::BoundedClient& client, int64_t replicas) {
  Result<void> outcome;
  for (int tries = 0; tries < scale_target::kTries; ++tries) {
    json::Document document = TRY(scale_->document());
    api::Edit(document).object("spec").set("replicas", replicas);
    const Result<api::ObjectPtr> written = client.update(place_, std::move(document), {});
    if (written) return {};
    outcome = written.status();
    if (!written.is(Reason::kConflict)) break;
    const Result<api::ObjectPtr> latest = client.get(place_);
    if (latest) take(*latest);
  }
  return outcome;
}

}  // namespace proa::controllers
