#include "testkit/scheduler/oracle/oracle_volume_limits.h"

#include <algorithm>

#include "testkit/scheduler/oracle/oracle_migration.h"
#include "testkit/scheduler/oracle/oracle_volumes.h"

namespace proa::testkit::oracle {
namespace oracle_volume_limits {

// "driver/handle" -> driver.
using Volumes = std::map<std::string, std::string>;
using Counts = std::map<std::string, int64_t>;

struct Attachable {
  std::string driver = {};
  std::string handle = {};
};

std::optional<Attachable> from_class(const World& world, bool has_csi_node, View claim) {
  const View storage_class = find(world.storage_classes, storage_class_of(claim));
  if (!storage_class.exists()) return std::nullopt;
  // Not provisioned yet: a placeholder that is not a valid handle.
  const std::string handle = "to be made for " + key_of(claim["metadata"]["namespace"].text(),
                                                        claim["metadata"]["name"].text());
  const auto provisioner = storage_class["provisioner"].text();
  const InTreeKind* kind = in_tree_plugin(provisioner);
  if (kind == nullptr) return Attachable{std::string(provisioner), handle};
  if (!has_csi_node || !kind->served) return std::nullopt;
  return Attachable{kind->driver, handle};
}

std::optional<Attachable> from_claim(const World& world, bool has_csi_node, View claim) {
  const View volume = find(world.volumes, claim["spec"]["volumeName"].text());
  if (!volume.exists()) return from_class(world, has_csi_node, claim);
  const View csi = volume["spec"]["csi"];
  if (csi.exists())
    return Attachable{std::string(csi["driver"].text()), std::string(csi["volumeHandle"].text())};
  const InTreeKind* kind = in_tree_kind(volume["spec"]);
  if (kind == nullptr || !has_csi_node || !kind->served) return std::nullopt;
  const Handle handle = handle_of(*kind, volume["spec"], volume["metadata"]["labels"]);
  if (!handle.problem.empty()) return std::nullopt;
  return Attachable{kind->driver, handle.handle};
}

void add(const Attachable& volume, Volumes& volumes) {
  if (!volume.driver.empty() && !volume.handle.empty())
    volumes[volume.driver + "/" + volume.handle] = volume.driver;
}

// An inline volume of the pod.
std::optional<Rejection> add_inline(View volume, bool has_csi_node, Volumes& volumes) {
  const InTreeKind* kind = in_tree_kind(volume);
  if (kind == nullptr || !has_csi_node || !kind->served) return std::nullopt;
  const Handle handle = handle_of(*kind, volume, {});
  if (!handle.problem.empty()) return Rejection{.error = handle.problem};
  volumes[std::string(kind->driver) + "/" + handle.handle] = kind->driver;
  return std::nullopt;
}

std::optional<Rejection> add_volumes(const World& world, const Pod& pod, bool has_csi_node,
                                     bool is_new, Volumes& volumes) {
  for (const View volume : pod.spec["volumes"].items()) {
    const auto wanted = claim_of(pod, volume);
    if (!wanted) {
      if (auto problem = add_inline(volume, has_csi_node, volumes)) return problem;
      continue;
    }
    if (wanted->claim.empty()) return Rejection{.error = "PersistentVolumeClaim had no name"};
    const auto key = key_of(pod.name_space, wanted->claim);
    const View claim = find(world.claims, key);
    if (!claim.exists()) {
      if (!is_new) continue;
      return Rejection{.reasons = {"looking up PVC " + key + ": " +
                                   not_found("persistentvolumeclaim", wanted->claim)}};
    }
    if (wanted->ephemeral) {
      const auto problem = not_made_for(pod, claim);
      if (!problem.empty()) return Rejection{.error = problem};
    }
    if (const auto found = from_claim(world, has_csi_node, claim)) add(*found, volumes);
  }
  return std::nullopt;
}

Counts read_limits(View csi_node) {
  Counts limits;
  for (const View driver : csi_node["spec"]["drivers"].items()) {
    const View count = driver["allocatable"]["count"];
    if (count.exists()) limits[std::string(driver["name"].text())] = count.integer();
  }
  return limits;
}

Volumes attachments(const World& world, std::string_view node) {
  Volumes volumes;
  for (const View one : world.volume_attachments) {
    const View spec = one["spec"];
    if (spec["nodeName"].text() != node || spec["attacher"].text().empty()) continue;
    const View csi =
        find(world.volumes, spec["source"]["persistentVolumeName"].text())["spec"]["csi"];
    if (!csi.exists()) continue;
    const std::string driver(spec["attacher"].text());
    volumes[driver + "/" + std::string(csi["volumeHandle"].text())] = driver;
  }
  return volumes;
}

std::optional<Rejection> check(const Question& question, const Node& node) {
  const World& world = question.world;
  const View csi_node = find(world.csi_nodes, node.name);
  Volumes added;
  if (auto problem = add_volumes(world, question.pod, csi_node.exists(), true, added))
    return problem;
  const Counts limits = read_limits(csi_node);
  if (added.empty() || limits.empty()) return std::nullopt;
  Volumes used;
  for (const Pod* pod : node.pods) {
    if (auto problem = add_volumes(world, *pod, csi_node.exists(), false, used)) return problem;
  }
  Counts counts;
  for (const auto& [name, driver] : used) {
    added.erase(name);
    ++counts[driver];
  }
  for (const auto& [name, driver] : attachments(world, node.name)) {
    if (!used.contains(name)) ++counts[driver];
  }
  Counts more;
  for (const auto& [name, driver] : added) ++more[driver];
  for (const auto& [driver, count] : more) {
    const auto limit = limits.find(driver);
    if (limit != limits.end() && counts[driver] + count > limit->second)
      return Rejection{.reasons = {"node(s) exceed max volume count"}, .preemption_may_help = true};
  }
  return std::nullopt;
}

}  // namespace oracle_volume_limits

Prepared prepare_volume_limits(const Question& question) {
  const auto volumes = question.pod.spec["volumes"].items();
  const bool concerned = std::any_of(volumes.begin(), volumes.end(), [&](View volume) {
    return claim_of(question.pod, volume).has_value() || in_tree_kind(volume) != nullptr;
  });
  if (!concerned) return {};
  return {.filter = [&question](const Node& node) {
    return oracle_volume_limits::check(question, node);
  }};
}

}  // namespace proa::testkit::oracle
