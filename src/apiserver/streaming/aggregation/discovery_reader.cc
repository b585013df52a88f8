#include "apiserver/streaming/aggregation/discovery_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "apiserver/representation/media.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace discovery_reader {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "apidiscovery.k8s.io";
constexpr std::string_view kList = "APIGroupDiscoveryList";

const api::Type& list_type(const api::Schema& schema) {
  return *schema.find_kind("apidiscovery.k8s.io/v2", kList);
}

// Some clients cannot do without.
void complete_kind(Edit entry) {
  const Edit kind = entry.object("responseKind");
  for (const std::string_view name : {"group", "version", "kind"}) kind.set_default(name, "");
}

void complete_kinds(Edit resources) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const Edit resource = resources.item(i);
    complete_kind(resource);
    if (!resource.has("subresources")) continue;
    const Edit parts = resource.existing("subresources");
    for (size_t part = 0; part < parts.size(); ++part) complete_kind(parts.item(part));
  }
}

std::vector<DiscoveredVersion> versions_of(View list) {
  std::vector<DiscoveredVersion> found;
  for (const View group : list["items"].items()) {
    for (const View version : group["versions"].items()) {
      auto resources = std::make_shared<json::Document>(json::Document({}, json::Value::array()));
      const View listed = version["resources"];
      if (listed) resources->root() = listed.value()->copy(resources->arena());
      complete_kinds(Edit(*resources));
      found.push_back({.group = std::string(group["metadata"]["name"].text()),
                       .version = std::string(version["version"].text()),
                       .resources = std::move(resources)});
    }
  }
  return found;
}

void copy_kind(Edit entry, View from) {
  const Edit kind = entry.object("responseKind");
  if (from["kind"].text().empty()) return;
  kind.set("group", from["group"].text());
  kind.set("version", from["version"].text());
  kind.set("kind", from["kind"].text());
}

std::string_view scope_of(View resource) {
  return resource["namespaced"].flag() ? "Namespaced" : "Cluster";
}

Edit add_parent(Edit resources, std::string_view name, View from) {
  const Edit entry = resources.push_object();
  entry.set("resource", name);
  entry.set("scope", scope_of(from));
  return entry;
}

void add_resource(Edit resources, View from) {
  const Edit entry = add_parent(resources, from["name"].text(), from);
  copy_kind(entry, from);
  entry.set("singularResource", from["singularName"].text());
  entry.copy("verbs", from["verbs"]);
  entry.copy("shortNames", from["shortNames"]);
  entry.copy("categories", from["categories"]);
}

// Upstream's ConvertGroupVersionIntoToDiscovery.
Result<void> convert(View list, Edit resources) {
  std::map<std::string, size_t, std::less<>> places;
  for (const View each : list["resources"].items()) {
    if (split_once(each["name"].text(), '/')) continue;
    places.insert_or_assign(std::string(each["name"].text()), resources.size());
    add_resource(resources, each);
  }
  for (const View each : list["resources"].items()) {
    const auto halves = split_once(each["name"].text(), '/');
    if (!halves) continue;
    const auto [place, is_new] = places.emplace(halves->before, resources.size());
    if (is_new) add_parent(resources, halves->before, each);
    const Edit parent = resources.item(place->second);
    if (parent["scope"].text() != scope_of(each)) {
      return Status(
          Reason::kInvalid,
          fmt::format(
              "Error: Parent {} (scope: {}) and subresource {} (scope: {}) scope do not match",
              halves->before, parent["scope"].text(), halves->after, scope_of(each)));
    }
    const Edit part = parent.array("subresources").push_object();
    part.set("subresource", halves->after);
    copy_kind(part, each);
    part.copy("verbs", each["verbs"]);
  }
  return {};
}

}  // namespace discovery_reader

const std::string_view kAggregatedDiscoveryTypes =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

bool is_aggregated_discovery(std::string_view content_type) {
  using namespace discovery_reader;
  const std::vector<AcceptOffer> offers = accept_offers(content_type);
  return std::ranges::any_of(offers, [](const AcceptOffer& offer) {
    return equals_ignoring_case(offer.type, "application/json") && offer.group == kGroup &&
           offer.as == kList && (offer.version == "v2" || offer.version == "v2beta1");
  });
}

Result<std::vector<DiscoveredVersion>> read_discovery(std::string_view json,
                                                      const api::Schema& schema) {
  Budget budget;
  const api::Decoded decoded = TRY(api::decode_json(json, discovery_reader::list_type(schema),
                                                    api::FieldValidation::kIgnore, &budget));
  return discovery_reader::versions_of(decoded.document.root());
}

Result<DiscoveredVersion> read_legacy_discovery(std::string_view json, std::string_view group,
                                                std::string_view version,
                                                const api::Schema& schema) {
  using namespace discovery_reader;
  Budget budget;
  const api::Type& type = *schema.find_kind("v1", "APIResourceList");
  const api::Decoded decoded =
      TRY(api::decode_json(json, type, api::FieldValidation::kIgnore, &budget));
  json::Document list({}, json::Value::object());
  const Edit one = Edit(list).array("items").push_object();
  one.object("metadata").set("name", group);
  const Edit only = one.array("versions").push_object();
  only.set("version", version);
  TRY(convert(decoded.document.root(), only.array("resources")));
  const api::Decoded canonical = TRY(api::decode_document(std::move(list), list_type(schema),
                                                          api::FieldValidation::kIgnore, &budget));
  std::vector<DiscoveredVersion> versions = versions_of(canonical.document.root());
  if (versions.empty()) return Status(Reason::kInvalid, "no resources");
  return std::move(versions.front());
}

}  // namespace proa::apiserver
