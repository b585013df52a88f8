#include "scheduler/plugins/volumes/volume_place.h"

namespace proa::scheduler {
namespace volume_place_reader {

using api::View;

// The zones of a disk, as in upstream's gce_pd.go: the deprecated label first.
std::string_view disk_zones(const api::Metadata& metadata) {
  for (const std::string_view label : {kZoneLabels[0], kZoneLabels[2]}) {
    const std::string_view* zones = metadata.label(label);
    if (zones != nullptr && !zones->empty()) return *zones;
  }
  return {};
}

void read_pin(View required, VolumePlace& place) {
  const View terms = required["nodeSelectorTerms"];
  if (terms.size() != 1) return;
  for (const View one : terms.item(0)["matchExpressions"].items()) {
    if (one["operator"].text() != "In") continue;
    place.pin_label = one["key"].text();
    for (const View value : one["values"].items()) place.pin_values.emplace_back(value.text());
    return;
  }
}

VolumePlace read(const api::Object& volume) {
  VolumePlace place;
  const Result<json::Document> document = volume.document();
  if (!document) return place;
  const View spec = View(document->root())["spec"];
  place.driver = spec["csi"]["driver"].text();
  place.handle = spec["csi"]["volumeHandle"].text();
  place.in_tree = in_tree_plugin_of(spec);
  if (place.in_tree != nullptr) {
    place.in_tree_handle = csi_handle(*place.in_tree, spec, disk_zones(volume.metadata()));
    place.in_tree_affinity = driver_affinity(*place.in_tree, volume);
  }
  for (const std::string_view label : kZoneLabels) {
    const std::string_view* zones = volume.metadata().label(label);
    if (zones == nullptr) continue;
    std::vector<std::string> values = split_zones(*zones);
    if (values.empty()) continue;  // upstream ignores malformed values
    place.zones.push_back({.label = std::string(label), .values = std::move(values)});
  }
  read_pin(spec["nodeAffinity"]["required"], place);
  return place;
}

}  // namespace volume_place_reader

const VolumePlace& volume_place(const api::Object& volume) {
  return volume.kept<VolumePlace>([&] { return volume_place_reader::read(volume); });
}

}  // namespace proa::scheduler
