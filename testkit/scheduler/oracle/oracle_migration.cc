#include "testkit/scheduler/oracle/oracle_migration.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::testkit::oracle {
namespace oracle_migration {

constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";

constexpr InTreeKind kKinds[] = {
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone"},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com"},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com"},
    {"azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
};

std::vector<std::string> split_zones(std::string_view label) {
  std::vector<std::string> zones;
  for (size_t at = 0; at <= label.size();) {
    const size_t end = std::min(label.find("__", at), label.size());
    zones.emplace_back(label.substr(at, end - at));
    at = end + 2;
  }
  return zones;
}

// "us-east1-b" is in "us-east1"; empty unless all are in one.
std::string gce_region(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const auto& zone : zones) {
    const auto parts = split(zone, '-');
    if (parts.size() != 3) return {};
    regions.insert(std::string(parts[0]) + "-" + std::string(parts[1]));
  }
  return regions.size() == 1 ? *regions.begin() : std::string();
}

Handle gce_handle(View disk, View labels) {
  const std::string name = "/disks/" + std::string(disk["pdName"].text());
  auto label = labels[kBetaZone].text();
  if (label.empty()) label = labels[kZone].text();
  const auto zones = split_zones(label);
  if (label.empty()) return {.handle = "projects/UNSPECIFIED/zones/UNSPECIFIED" + name};
  if (zones.size() == 1) return {.handle = "projects/UNSPECIFIED/zones/" + zones[0] + name};
  const std::string region = gce_region(zones);
  if (region.empty()) return {.problem = "failed to get region from zones"};
  return {.handle = "projects/UNSPECIFIED/regions/" + region + name};
}

// "aws://us-east-1a/vol-1" is volume "vol-1".
Handle aws_handle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return {.handle = std::string(id)};
  const auto slash = id.find('/', kScheme.size());
  auto path = slash == std::string_view::npos ? std::string_view() : id.substr(slash);
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with("vol-") || path.find('/') != std::string_view::npos)
    return {.problem = "Invalid format for AWS volume (" + std::string(id) + ")"};
  return {.handle = std::string(path)};
}

bool names(const std::vector<NodeTerm>& terms, std::string_view key, bool with_values) {
  for (const auto& term : terms) {
    for (const auto& one : term.expressions) {
      if (one.key == key && (!with_values || !one.values.empty())) return true;
    }
  }
  return false;
}

void rename(std::vector<NodeTerm>& terms, std::string_view from, std::string_view to) {
  for (auto& term : terms) {
    for (auto& one : term.expressions) {
      if (one.key == from) one.key = to;
    }
  }
}

// All of them must be so, too.
void add_zones(std::vector<NodeTerm>& terms, std::string_view key, std::string_view label) {
  std::set<std::string> zones;
  for (const auto& zone : split_zones(label)) {
    if (!trim(zone).empty()) zones.emplace(trim(zone));
  }
  if (zones.empty()) return;
  if (terms.empty()) terms.emplace_back();
  for (auto& term : terms)
    term.expressions.push_back({std::string(key), "In", {zones.begin(), zones.end()}});
}

// Old names or new ones: what the volume's affinity uses, else what its labels use.
bool uses_old_names(const std::vector<NodeTerm>& terms, View labels) {
  if (names(terms, kZone, false)) return false;
  if (names(terms, kBetaZone, false)) return true;
  return !labels[kZone].exists() && labels[kBetaZone].exists();
}

}  // namespace oracle_migration

const InTreeKind* in_tree_kind(View source) {
  for (const auto& kind : oracle_migration::kKinds) {
    if (source[kind.field].exists()) return &kind;
  }
  return nullptr;
}

const InTreeKind* in_tree_plugin(std::string_view plugin) {
  for (const auto& kind : oracle_migration::kKinds) {
    if (kind.plugin == plugin) return &kind;
  }
  return nullptr;
}

Handle handle_of(const InTreeKind& kind, View source, View labels) {
  const std::string_view field = kind.field;
  const View disk = source[field];
  if (field == "gcePersistentDisk") return oracle_migration::gce_handle(disk, labels);
  if (field == "awsElasticBlockStore") return oracle_migration::aws_handle(disk["volumeID"].text());
  if (field == "azureDisk") {
    const auto sort = disk["kind"].text("Managed");
    if (!equals_ignoring_case(sort, "managed"))
      return {.problem = "kind(" + std::string(sort) + ") is not supported in csi migration"};
    return {.handle = std::string(disk["diskURI"].text())};
  }
  return {.handle = std::string(disk["volumeID"].text())};
}

std::vector<NodeTerm> translated_terms(const InTreeKind& kind, View volume) {
  using oracle_migration::kBetaRegion;
  using oracle_migration::kRegion;
  auto terms = read_node_terms(volume["spec"]["nodeAffinity"]["required"]);
  const std::string_view zone_key = kind.zone_key;
  if (zone_key.empty()) return terms;
  const View labels = volume["metadata"]["labels"];
  const bool old = oracle_migration::uses_old_names(terms, labels);
  const auto zone = old ? oracle_migration::kBetaZone : oracle_migration::kZone;
  if (oracle_migration::names(terms, zone, true)) {
    oracle_migration::rename(terms, zone, zone_key);
  } else if (labels[zone].exists()) {
    oracle_migration::add_zones(terms, zone_key, labels[zone].text());
  }
  if (old && oracle_migration::names(terms, kBetaRegion, true))
    oracle_migration::rename(terms, kBetaRegion, kRegion);
  return terms;
}

}  // namespace proa::testkit::oracle
