#include "testkit/scheduler/oracle/oracle_volumes.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace proa::testkit::oracle {
namespace oracle_volumes {

using Names = std::set<std::string, std::less<>>;

constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::array kTopologyLabels = {kBetaZone, kBetaRegion, kZone, kRegion};

bool share_one(View a, View b) {
  for (const View one : a.items()) {
    for (const View other : b.items()) {
      if (one.text() == other.text()) return true;
    }
  }
  return false;
}

// The same disk, with at least one writer.
bool disks_conflict(View a, View b) {
  const auto both = [&](const char* kind) { return a[kind].exists() && b[kind].exists(); };
  const auto same = [&](const char* kind, const char* field) {
    return a[kind][field].text() == b[kind][field].text();
  };
  const auto read_only = [&](const char* kind) {
    return a[kind]["readOnly"].flag() && b[kind]["readOnly"].flag();
  };
  if (both("gcePersistentDisk") && same("gcePersistentDisk", "pdName") &&
      !read_only("gcePersistentDisk"))
    return true;
  if (both("awsElasticBlockStore") && same("awsElasticBlockStore", "volumeID")) return true;
  if (both("iscsi") && same("iscsi", "iqn") && !read_only("iscsi")) return true;
  return both("rbd") && share_one(a["rbd"]["monitors"], b["rbd"]["monitors"]) &&
         same("rbd", "pool") && same("rbd", "image") && !read_only("rbd");
}

bool is_disk(View volume) {
  return volume["gcePersistentDisk"].exists() || volume["awsElasticBlockStore"].exists() ||
         volume["rbd"].exists() || volume["iscsi"].exists();
}

bool disk_taken(const Pod& pod, const Node& node) {
  for (const View wanted : pod.spec["volumes"].items()) {
    for (const Pod* other : node.pods) {
      for (const View used : other->spec["volumes"].items()) {
        if (disks_conflict(wanted, used)) return true;
      }
    }
  }
  return false;
}

bool for_one_pod(View claim) {
  const auto modes = claim["spec"]["accessModes"].items();
  return std::any_of(modes.begin(), modes.end(),
                     [](View mode) { return mode.text() == "ReadWriteOncePod"; });
}

bool used_somewhere(const Question& question, const Names& claims) {
  for (const Node& node : question.world.nodes) {
    for (const Pod* pod : node.pods) {
      if (pod->name_space != question.pod.name_space) continue;
      for (const View volume : pod->spec["volumes"].items()) {
        if (claims.contains(volume["persistentVolumeClaim"]["claimName"].text())) return true;
      }
    }
  }
  return false;
}

struct ZoneRule {
  std::string_view key;
  Names values;
};

// Nullopt for an invalid label.
std::optional<Names> read_zones(std::string_view label) {
  Names zones;
  for (size_t at = 0; at <= label.size();) {
    const size_t end = std::min(label.find("__", at), label.size());
    const auto zone = trim(label.substr(at, end - at));
    if (zone.empty()) return std::nullopt;
    zones.emplace(zone);
    at = end + 2;
  }
  return zones;
}

void add_rules(View volume, std::vector<ZoneRule>& rules) {
  for (const auto key : kTopologyLabels) {
    const View label = volume["metadata"]["labels"][key];
    if (!label.exists()) continue;
    if (auto zones = read_zones(label.text())) rules.push_back({key, std::move(*zones)});
  }
}

// Empty on success.
std::string read_rules(const Question& question, std::vector<ZoneRule>& rules) {
  const World& world = question.world;
  for (const View volume : question.pod.spec["volumes"].items()) {
    if (!volume["persistentVolumeClaim"].exists()) continue;
    const auto name = volume["persistentVolumeClaim"]["claimName"].text();
    if (name.empty()) return "PersistentVolumeClaim had no name";
    const View claim = find(world.claims, key_of(question.pod.name_space, name));
    if (!claim.exists()) return not_found("persistentvolumeclaim", name);
    const auto bound = claim["spec"]["volumeName"].text();
    if (!bound.empty()) {
      const View there = find(world.volumes, bound);
      if (!there.exists()) return not_found("persistentvolume", bound);
      add_rules(there, rules);
      continue;
    }
    const auto wanted = storage_class_of(claim);
    if (wanted.empty()) return "PersistentVolumeClaim had no pv name and storageClass name";
    const View storage_class = find(world.storage_classes, wanted);
    if (!storage_class.exists()) return not_found("storageclass.storage.k8s.io", wanted);
    const auto mode = storage_class["volumeBindingMode"].text();
    if (mode.empty())
      return "VolumeBindingMode not set for StorageClass \"" + std::string(wanted) + "\"";
    if (mode != "WaitForFirstConsumer") return "PersistentVolume had no name";
  }
  return {};
}

bool in_zone(const ZoneRule& rule, const Node& node) {
  View label = node.labels[rule.key];
  if (!label.exists() && rule.key == kBetaZone) label = node.labels[kZone];
  if (!label.exists() && rule.key == kBetaRegion) label = node.labels[kRegion];
  return label.exists() && rule.values.contains(label.text());
}

// A single-zone cluster may have no labels.
bool has_zone(const Node& node) {
  return std::any_of(kTopologyLabels.begin(), kTopologyLabels.end(),
                     [&](std::string_view key) { return node.labels[key].exists(); });
}

}  // namespace oracle_volumes

std::optional<ClaimVolume> claim_of(const Pod& pod, View volume) {
  if (volume["persistentVolumeClaim"].exists())
    return ClaimVolume{std::string(volume["persistentVolumeClaim"]["claimName"].text()), false};
  if (volume["ephemeral"].exists())
    return ClaimVolume{std::string(pod.name) + "-" + std::string(volume["name"].text()), true};
  return std::nullopt;
}

std::string not_made_for(const Pod& pod, View claim) {
  for (const View owner : claim["metadata"]["ownerReferences"].items()) {
    if (owner["controller"].flag() && owner["uid"].text() == pod.uid) return {};
  }
  return "PVC " + key_of(pod.name_space, claim["metadata"]["name"].text()) +
         " was not created for pod " + key_of(pod.name_space, pod.name) + " (pod is not owner)";
}

std::string_view storage_class_of(View object) {
  const View old = object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
  return old.exists() ? old.text() : object["spec"]["storageClassName"].text();
}

std::string not_found(std::string_view kind, std::string_view name) {
  return std::string(kind) + " \"" + std::string(name) + "\" not found";
}

Prepared prepare_volume_restrictions(const Question& question) {
  const Pod& pod = question.pod;
  bool has_disk = false;
  oracle_volumes::Names exclusive;
  for (const View volume : pod.spec["volumes"].items()) {
    has_disk = has_disk || oracle_volumes::is_disk(volume);
    if (!volume["persistentVolumeClaim"].exists()) continue;
    const auto name = volume["persistentVolumeClaim"]["claimName"].text();
    const View claim = find(question.world.claims, key_of(pod.name_space, name));
    if (!claim.exists())
      return {.rejection = Rejection{.reasons = {not_found("persistentvolumeclaim", name)}}};
    if (oracle_volumes::for_one_pod(claim)) exclusive.emplace(name);
  }
  const bool in_use = oracle_volumes::used_somewhere(question, exclusive);
  if (!has_disk && !in_use) return {};
  return {.filter = [&pod, in_use](const Node& node) -> std::optional<Rejection> {
    if (oracle_volumes::disk_taken(pod, node))
      return Rejection{.reasons = {"node(s) had no available disk"}, .preemption_may_help = true};
    if (in_use)
      return Rejection{.reasons = {"node(s) unavailable due to PersistentVolumeClaim with "
                                   "ReadWriteOncePod access mode already in-use by another pod"},
                       .preemption_may_help = true};
    return std::nullopt;
  }};
}

Prepared prepare_volume_zone(const Question& question) {
  std::vector<oracle_volumes::ZoneRule> rules;
  const std::string problem = oracle_volumes::read_rules(question, rules);
  if (!problem.empty()) return {.rejection = Rejection{.reasons = {problem}}};
  if (rules.empty()) return {};
  return {.filter = [rules](const Node& node) -> std::optional<Rejection> {
    if (!oracle_volumes::has_zone(node)) return std::nullopt;
    for (const auto& rule : rules) {
      if (!oracle_volumes::in_zone(rule, node))
        return Rejection{.reasons = {"node(s) had no available volume zone"}};
    }
    return std::nullopt;
  }};
}

}  // namespace proa::testkit::oracle
