#include "scheduler/plugins/volumes/in_tree.h"

#include <algorithm>
#include <set>

#include "api/object/edit.h"
#include "base/strings.h"

namespace proa::scheduler {
namespace in_tree {

using api::Edit;
using api::View;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

constexpr InTreePlugin kPlugins[] = {
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone"},
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", ""},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", ""},
    {"azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
};

// "aws://zone/vol-1" or "vol-1".
std::string aws_handle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  id.remove_prefix(kScheme.size());
  const size_t path = id.find('/');
  if (path == std::string_view::npos) return {};
  id.remove_prefix(path);
  while (id.starts_with('/')) id.remove_prefix(1);
  while (id.ends_with('/')) id.remove_suffix(1);
  const bool valid = id.starts_with("vol-") && id.find('/') == std::string_view::npos;
  return valid ? std::string(id) : std::string();
}

std::vector<std::string_view> split_by_underscores(std::string_view text) {
  constexpr std::string_view kSeparator = "__";
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(kSeparator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + kSeparator.size());
  }
}

// "us-east1" of "us-east1-b" and "us-east1-c"; empty when they are not of one region.
std::string region_of(const std::vector<std::string_view>& zones) {
  std::set<std::string> regions;
  for (const std::string_view zone : zones) {
    if (std::count(zone.begin(), zone.end(), '-') != 2) return {};
    regions.emplace(zone.substr(0, zone.rfind('-')));
  }
  return regions.size() == 1 ? *regions.begin() : std::string();
}

std::string gce_handle(std::string_view disk, std::string_view label) {
  const std::vector<std::string_view> zones = split_by_underscores(label);
  std::string place = "zones/UNSPECIFIED";
  if (zones.size() > 1) {
    const std::string region = region_of(zones);
    if (region.empty()) return {};
    place = "regions/" + region;
  } else if (!label.empty()) {
    place = "zones/" + std::string(label);
  }
  return "projects/UNSPECIFIED/" + place + "/disks/" + std::string(disk);
}

// --- Node affinity in the words of the driver ---

// Calls `visit(expression)` for every expression of every term.
template <typename Visit>
void each_expression(const Edit& terms, Visit visit) {
  for (size_t i = 0; i < terms.size(); ++i) {
    const Edit term = terms.item(i);
    if (!term.has("matchExpressions")) continue;
    const Edit expressions = term.existing("matchExpressions");
    for (size_t j = 0; j < expressions.size(); ++j) visit(expressions.item(j));
  }
}

bool mentions(const Edit& terms, std::string_view key) {
  bool found = false;
  each_expression(terms, [&](const Edit& one) { found = found || one["key"].text() == key; });
  return found;
}

// Whether anything was called by the old key, with a value.
bool rename_key(const Edit& terms, std::string_view from, std::string_view to) {
  bool has_values = false;
  each_expression(terms, [&](const Edit& one) {
    if (one["key"].text() == from && !one["values"].empty()) has_values = true;
  });
  if (!has_values) return false;
  each_expression(terms, [&](const Edit& one) {
    if (one["key"].text() == from) one.set("key", to);
  });
  return true;
}

void add_zones(const Edit& terms, std::string_view key, std::string_view label) {
  std::set<std::string> zones;
  for (const std::string_view zone : split_by_underscores(label)) {
    if (!trim(zone).empty()) zones.emplace(trim(zone));
  }
  if (zones.empty()) return;
  if (terms.size() == 0) terms.push_object();
  for (size_t i = 0; i < terms.size(); ++i) {
    const Edit expression = terms.item(i).array("matchExpressions").push_object();
    expression.set("key", key);
    expression.set("operator", "In");
    const Edit values = expression.array("values");
    for (const std::string& zone : zones) {
      values.push(json::Value::string(values.arena(), zone));
    }
  }
}

// Whether the volume speaks of zones by the old labels.
bool uses_beta(const Edit& terms, const api::Metadata& metadata) {
  if (mentions(terms, kZone)) return false;
  if (mentions(terms, kBetaZone)) return true;
  return metadata.label(kZone) == nullptr && metadata.label(kBetaZone) != nullptr;
}

}  // namespace in_tree

const InTreePlugin* in_tree_plugin_of(api::View source) {
  for (const InTreePlugin& plugin : in_tree::kPlugins) {
    if (source[plugin.source].exists()) return &plugin;
  }
  return nullptr;
}

const InTreePlugin* in_tree_plugin_named(std::string_view provisioner) {
  for (const InTreePlugin& plugin : in_tree::kPlugins) {
    if (plugin.name == provisioner) return &plugin;
  }
  return nullptr;
}

std::string csi_handle(const InTreePlugin& plugin, api::View source, std::string_view zones) {
  const api::View disk = source[plugin.source];
  if (plugin.source == "awsElasticBlockStore") return in_tree::aws_handle(disk["volumeID"].text());
  if (plugin.source == "gcePersistentDisk") {
    return in_tree::gce_handle(disk["pdName"].text(), zones);
  }
  if (plugin.source == "azureDisk") {
    const bool managed = !disk["kind"] || equals_ignoring_case(disk["kind"].text(), "Managed");
    return managed ? std::string(disk["diskURI"].text()) : std::string();
  }
  return std::string(disk["volumeID"].text());
}

std::optional<kinds::pods::NodeSelector> driver_affinity(const InTreePlugin& plugin,
                                                         const api::Object& volume) {
  using namespace in_tree;
  Result<json::Document> document = volume.document();
  if (!document) return std::nullopt;
  const Edit spec = Edit(*document).object("spec");
  const Edit terms = spec.object("nodeAffinity").object("required").array("nodeSelectorTerms");
  const bool was_said =
      View(volume.document()->root())["spec"]["nodeAffinity"]["required"].exists();
  if (!plugin.zone_key.empty()) {
    const bool beta = uses_beta(terms, volume.metadata());
    const std::string_view zone = beta ? kBetaZone : kZone;
    if (!rename_key(terms, zone, plugin.zone_key)) {
      const std::string_view* label = volume.metadata().label(zone);
      if (label != nullptr) add_zones(terms, plugin.zone_key, *label);
    }
    if (beta) rename_key(terms, kBetaRegion, kRegion);
  }
  if (!was_said && terms.size() == 0) return std::nullopt;
  return kinds::pods::NodeSelector(spec["nodeAffinity"]["required"]);
}

std::vector<std::string> split_zones(std::string_view label) {
  std::vector<std::string> zones;
  for (const std::string_view part : in_tree::split_by_underscores(label)) {
    if (trim(part).empty()) return {};
    zones.emplace_back(trim(part));
  }
  return zones;
}

}  // namespace proa::scheduler
