#include "controllers/workload/autoscaler/scale_target.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::controllers {
namespace scale_target {

constexpr int kMaxTries = 5;  // of a write that conflicts

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

struct Found {
  const api::Resource* resource = nullptr;
  custom::DefinitionPtr definition = nullptr;  // keeps a custom one alive
};

// The kind's resources in all versions of the group.
std::vector<Found> find_resources(const KnownResources& known, std::string_view group,
                                  std::string_view kind) {
  std::vector<Found> found;
  for (const api::Resource* resource : known.schema.resources()) {
    if (resource->group == group && resource->type->name == kind) {
      found.push_back({.resource = resource});
    }
  }
  for (const CustomVersion& version : known.custom.versions_of(group, kind)) {
    found.push_back({.resource = version.resource, .definition = version.definition});
  }
  return found;
}

}  // namespace scale_target

ScaleTarget::ScaleTarget(client::Place place, custom::DefinitionPtr definition,
                         api::ObjectPtr object, objects::Scale scale)
    : place_(std::move(place)),
      definition_(std::move(definition)),
      object_(std::move(object)),
      scale_(std::move(scale)) {}

Result<ScaleTarget> ScaleTarget::read(const client::BoundedClient& client,
                                      const KnownResources& known, std::string_view name_space,
                                      const objects::ObjectReference& reference) {
  const std::string_view group = TRY(scale_target::group_of(reference.api_version));
  const auto resources = scale_target::find_resources(known, group, reference.kind);
  if (resources.empty()) {
    return Status(Reason::kNotFound, "no matches for kind " + api::quoted(reference.kind) +
                                         " in group " + api::quoted(group));
  }
  Result<void> first;
  for (const scale_target::Found& found : resources) {
    client::Place place{.resource = found.resource,
                        .name_space = std::string(name_space),
                        .name = reference.name,
                        .subresource = "scale"};
    const Result<api::ObjectPtr> object = client.get(place);
    if (object) {
      objects::Scale scale = TRY(api::decode<objects::Scale>(**object));
      return ScaleTarget(std::move(place), found.definition, *object, std::move(scale));
    }
    if (first) first = object.status();
  }
  return first.status();
}

Result<void> ScaleTarget::write(const client::BoundedClient& client, int64_t replicas) {
  Result<void> outcome;
  for (int tries = 0; tries < scale_target::kMaxTries; ++tries) {
    json::Document document = TRY(object_->document());
    api::Edit(document).object("spec").set("replicas", replicas);
    const Result<api::ObjectPtr> written = client.update(place_, std::move(document), {});
    if (written) return {};
    outcome = written.status();
    if (!written.is(Reason::kConflict)) break;
    const Result<api::ObjectPtr> latest = client.get(place_);
    if (latest) object_ = *latest;
  }
  return outcome;
}

}  // namespace proa::controllers
