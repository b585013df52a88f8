#include "apiserver/resources/subresources/scale_managers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "api/apply/managed/entries.h"

namespace proa::apiserver {
namespace scale_managers {

using api::Element;
using api::ManagedEntries;
using api::ManagedEntry;

constexpr std::string_view kScaleVersion = "autoscaling/v1";

// Of the Scale.
std::array<Element, 2> replicas() { return {Element::field("spec"), Element::field("replicas")}; }

// Of the object. Borrows from the path.
std::vector<Element> elements_of(std::string_view path) {
  std::vector<Element> elements;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    elements.push_back(Element::field(path.substr(0, dot)));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return elements;
}

ManagedEntries decode(const json::Value* managers, json::Arena& arena) {
  Result<ManagedEntries> decoded = api::decode_managers(managers, arena);
  return decoded ? std::move(*decoded) : ManagedEntries();
}

// Versions do not count: the Scale has another one. Upstream's handler compares those of updaters,
// and splits the entry of one whose replicas nobody changed.
ManagedEntry* find_same(ManagedEntries& entries, const ManagedEntry& like) {
  const auto found = std::ranges::find_if(entries, [&](const ManagedEntry& entry) {
    return entry.manager == like.manager && entry.applied == like.applied &&
           entry.subresource == like.subresource;
  });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace scale_managers

json::Value managers_of_scale(const json::Value* managers, const ScaledFields& fields,
                              json::Arena& arena) {
  api::FieldSetMaker make(arena);
  scale_managers::ManagedEntries shown;
  for (scale_managers::ManagedEntry& entry : scale_managers::decode(managers, arena)) {
    const auto field = fields.find(entry.api_version);
    if (field == fields.end() || field->second.empty()) continue;
    if (!entry.fields.has(scale_managers::elements_of(field->second))) continue;
    entry.api_version = scale_managers::kScaleVersion;
    entry.fields = make.single(scale_managers::replicas());
    shown.push_back(std::move(entry));
  }
  return api::encode_managers(shown, arena);
}

json::Value managers_after_scale(const json::Value* managers, const json::Value* scale,
                                 std::string_view api_version, const ScaledFields& fields,
                                 json::Arena& arena) {
  api::FieldSetMaker make(arena);
  scale_managers::ManagedEntries scaled = scale_managers::decode(scale, arena);
  scale_managers::ManagedEntries kept;
  for (scale_managers::ManagedEntry& entry : scale_managers::decode(managers, arena)) {
    const auto field = fields.find(entry.api_version);
    if (field == fields.end()) continue;  // a version that there is no more
    const auto own = scale_managers::elements_of(field->second);
    if (!own.empty() && entry.fields.has(own)) {
      if (scale_managers::ManagedEntry* still = scale_managers::find_same(scaled, entry)) {
        scaled.erase(scaled.begin() + (still - scaled.data()));
      } else {
        // Another manager took it.
        entry.fields = make.subtract(entry.fields, make.single(own));
      }
    }
    if (!entry.fields.empty()) kept.push_back(std::move(entry));
  }
  const auto own = scale_managers::elements_of(fields.at(api_version));
  for (scale_managers::ManagedEntry& entry : scaled) {
    if (!entry.fields.has(scale_managers::replicas())) continue;
    entry.api_version = api_version;
    entry.fields = make.single(own);
    // As upstream, which looks up the times of the object's managers.
    entry.time.reset();
    kept.push_back(std::move(entry));
  }
  return api::encode_managers(kept, arena);
}

}  // namespace proa::apiserver
