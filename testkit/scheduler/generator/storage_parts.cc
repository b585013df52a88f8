#include "testkit/scheduler/generator/plot.h"

// Volumes of pods, and the classes, drivers and free volumes available to them.

namespace proa::testkit::generator {
namespace storage_parts {

constexpr std::string_view kDriver = "csi.example.com";
constexpr std::string_view kMigratedDriver = "ebs.csi.aws.com";

// A claim and its volume, bound to each other.
struct BoundClaim {
  ClaimBuilder claim;
  VolumeBuilder volume;
};

BoundClaim make_bound(std::string_view name_space, const std::string& name) {
  const std::string volume = "pv-" + std::string(name_space) + "-" + name;
  return {make_claim(name).in(name_space).storage_class("csi-now").volume(volume),
          make_volume(volume)
              .storage_class("csi-now")
              .claimed_by(name_space, name)
              .csi(kDriver, "handle-" + volume)};
}

void write_down(TestCluster& cluster, const BoundClaim& bound) {
  cluster.claims.push_back(bound.claim.object());
  cluster.volumes.push_back(bound.volume.object());
}

void place_volume(const Plot& plot, Dice& dice, VolumeBuilder& volume) {
  switch (dice.below(5)) {
    case 0:
      volume.node_affinity(kZone, {random_zone(dice), random_zone(dice)});
      break;
    case 1:
      volume.node_affinity(kHostname, {plot.any_node(dice), plot.any_node(dice)});
      break;
    case 2:
      volume.label(kZone, dice.pick({"zone-a", "zone-b", "zone-a__zone-b"}));
      break;
    case 3:
      volume.label("failure-domain.beta.kubernetes.io/zone", random_zone(dice));
      if (dice.percent(50)) volume.label(kRegion, dice.pick({"region-1", "region-2"}));
      break;
    default:
      break;  // available on all nodes
  }
}

void use_bound_claims(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (!dice.percent(35)) return;
  for (int number = dice.between(1, 2); number > 0; --number) {
    const std::string name = "data-" + pod.name + "-" + std::to_string(number);
    BoundClaim bound = make_bound(pod.name_space, name);
    place_volume(plot, dice, bound.volume);
    if (dice.percent(10)) {
      bound.volume.json("spec.csi", "null")
          .source_json("awsElasticBlockStore", R"({"volumeID":"vol-)" + name + R"("})");
    }
    write_down(pod.cluster, bound);
    pod.builder.claim(name);
    if (pod.runs() && dice.percent(40)) {
      pod.cluster.volume_attachments.push_back(make_attachment("attachment-" + name)
                                                   .attacher(kDriver)
                                                   .node(pod.node)
                                                   .volume("pv-" + pod.name_space + "-" + name)
                                                   .attached(true)
                                                   .object());
    }
  }
}

void use_waiting_claims(const Plot& plot, Dice& dice, PodPlan& pod) {
  if (pod.runs() || !dice.percent(45)) return;
  for (int number = dice.between(1, 2); number > 0; --number) {
    const std::string name = "wait-" + pod.name + "-" + std::to_string(number);
    ClaimBuilder claim = make_claim(name);
    claim.in(pod.name_space)
        .storage_class(dice.pick({"csi-wait", "csi-wait", "csi-wait", "local-wait", "zoned-wait"}))
        .request(dice.pick({"1Gi", "5Gi", "50Gi"}));
    if (dice.percent(10)) claim.selected_node(plot.any_node(dice));
    if (dice.percent(15)) claim.json("spec.selector", R"({"matchLabels":{"speed":"fast"}})");
    pod.cluster.claims.push_back(claim.object());
    pod.builder.claim(name);
  }
}

void use_broken_claims(const Plot&, Dice& dice, PodPlan& pod) {
  if (pod.runs() || !dice.percent(15)) return;
  const std::string name = "broken-" + pod.name;
  pod.builder.claim(name);
  BoundClaim bound = make_bound(pod.name_space, name);
  ClaimBuilder claim = make_claim(name).in(pod.name_space);
  switch (dice.below(6)) {
    case 0:
      return;  // the claim does not exist
    case 1:
      bound.claim.deleted_at("2026-01-01T01:00:00Z").finalizer("kubernetes.io/pvc-protection");
      write_down(pod.cluster, bound);
      return;
    case 2:
      pod.cluster.claims.push_back(bound.claim.object());  // its volume does not exist
      return;
    case 3:
      bound.claim.json("status.phase", R"("Lost")");
      pod.cluster.claims.push_back(bound.claim.object());
      return;
    case 4:
      pod.cluster.claims.push_back(claim.storage_class("csi-now").object());  // not bound yet
      return;
    default:
      pod.cluster.claims.push_back(claim.storage_class("no-such-class").object());
  }
}

void use_exclusive_claims(const Plot&, Dice& dice, PodPlan& pod) {
  if (dice.percent(pod.runs() ? 4 : 30))
    pod.builder.claim("exclusive-" + std::to_string(dice.below(3)));
}

void add_ephemeral_claim(Dice& dice, const PodPlan& pod) {
  const std::string name = pod.name + "-scratch";
  BoundClaim bound = make_bound(pod.name_space, name);
  ClaimBuilder waiting = make_claim(name).in(pod.name_space).storage_class("csi-wait");
  const bool is_bound = pod.runs() || dice.percent(50);
  ClaimBuilder& claim = is_bound ? bound.claim : waiting;
  if (dice.percent(pod.runs() ? 99 : 90)) claim.owner("v1", "Pod", pod.name);  // else another's
  pod.cluster.claims.push_back(claim.object());
  if (is_bound) pod.cluster.volumes.push_back(bound.volume.object());
}

void use_inline_volumes(const Plot&, Dice& dice, PodPlan& pod) {
  if (dice.percent(15))
    pod.builder.volume_json(R"({"name":"inline","csi":{"driver":"csi.example.com"}})");
  if (!dice.percent(20)) return;
  pod.builder.volume_json(R"({"name":"scratch","ephemeral":{"volumeClaimTemplate":{"spec":{)"
                          R"("accessModes":["ReadWriteOnce"],"storageClassName":"csi-wait",)"
                          R"("resources":{"requests":{"storage":"1Gi"}}}}}})");
  // The controller may not have created the claim yet.
  if (pod.runs() || dice.percent(85)) add_ephemeral_claim(dice, pod);
}

void use_disks(const Plot&, Dice& dice, PodPlan& pod) {
  if (!dice.percent(pod.runs() ? 20 : 50)) return;
  const std::string disk = dice.pick({"one", "two", "three"});
  const std::string read_only = dice.percent(40) ? "true" : "false";
  switch (dice.below(4)) {
    case 0:
      pod.builder.volume_json(R"({"gcePersistentDisk":{"pdName":)" + json_text(disk) +
                              R"(,"readOnly":)" + read_only + "}}");
      break;
    case 1:
      pod.builder.volume_json(R"({"awsElasticBlockStore":{"volumeID":)" + json_text(disk) +
                              R"(,"readOnly":)" + read_only + "}}");
      break;
    case 2:
      pod.builder.volume_json(R"({"iscsi":{"targetPortal":"10.0.0.9:3260","lun":0,"iqn":)" +
                              json_text("iqn.2026-01.com.example:" + disk) + R"(,"readOnly":)" +
                              read_only + "}}");
      break;
    default:
      pod.builder.volume_json(
          R"({"rbd":{"monitors":)" + json_list({dice.pick({"10.0.0.7", "10.0.0.8"}), "10.0.0.9"}) +
          R"(,"image":)" + json_text(disk) + R"(,"readOnly":)" + read_only + "}}");
  }
}

constexpr Part kParts[] = {
    {Feature::kBoundClaims, nullptr, use_bound_claims},
    {Feature::kWaitingClaims, nullptr, use_waiting_claims},
    {Feature::kBrokenClaims, nullptr, use_broken_claims},
    {Feature::kExclusiveClaims, nullptr, use_exclusive_claims},
    {Feature::kInlineVolumes, nullptr, use_inline_volumes},
    {Feature::kDisks, nullptr, use_disks},
};

void add_classes(const Plot& plot, TestCluster& cluster) {
  cluster.storage_classes = {
      make_storage_class("csi-now").provisioner(kDriver).object(),
      make_storage_class("csi-wait").provisioner(kDriver).wait_for_consumer().object(),
      make_storage_class("local-wait").wait_for_consumer().object(),
      make_storage_class("zoned-wait")
          .provisioner("other.example.com")
          .wait_for_consumer()
          .topology(kZone, {"zone-a", "zone-b"})
          .object()};
  CsiDriverBuilder driver = make_csi_driver(kDriver);
  if (plot.has(Feature::kCsiCapacity)) driver.has_storage_capacity();
  cluster.csi_drivers = {driver.object(), make_csi_driver("other.example.com").object()};
}

// Unclaimed volumes.
void add_free_volumes(const Plot& plot, TestCluster& cluster) {
  Dice dice = plot.dice(Feature::kWaitingClaims, uint64_t{1} << 40);
  for (int number = dice.between(0, 12); number > 0; --number) {
    VolumeBuilder volume = make_volume("free-" + std::to_string(number));
    volume.storage_class(dice.pick({"local-wait", "local-wait", "csi-wait"}))
        .capacity(dice.pick({"1Gi", "10Gi", "100Gi"}))
        .node_affinity(kHostname, {plot.any_node(dice), plot.any_node(dice)});
    if (dice.percent(40)) volume.label("speed", "fast");
    if (dice.percent(15)) volume.modes({"ReadOnlyMany"});
    if (dice.percent(10)) volume.json("status.phase", R"("Released")");
    cluster.volumes.push_back(volume.object());
  }
}

void add_exclusive_claims(const Plot& plot, TestCluster& cluster) {
  for (const std::string& name_space : namespaces_of(plot)) {
    for (int number = 0; number < 3; ++number) {
      BoundClaim bound = make_bound(name_space, "exclusive-" + std::to_string(number));
      bound.claim.modes({"ReadWriteOncePod"});
      bound.volume.modes({"ReadWriteOncePod"});
      write_down(cluster, bound);
    }
  }
}

void add_limits(const Plot& plot, TestCluster& cluster) {
  for (size_t index = 0; index < plot.nodes; ++index) {
    Dice dice = plot.dice(Feature::kCsiLimits, index);
    if (dice.percent(10)) continue;
    const std::string node = Plot::node_name(index);
    CsiNodeBuilder csi = make_csi_node(node);
    if (dice.percent(90)) csi.driver(kDriver, dice.between(-1, 5), {std::string(kZone)});
    if (dice.percent(60)) {
      csi.driver(kMigratedDriver, dice.between(0, 2))
          .annotation("storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/aws-ebs");
    }
    cluster.csi_nodes.push_back(csi.object());
    if (!dice.percent(25)) continue;
    const std::string volume = "stray-" + node;
    cluster.volumes.push_back(make_volume(volume).csi(kDriver, "handle-" + volume).object());
    cluster.volume_attachments.push_back(make_attachment("attachment-" + volume)
                                             .attacher(kDriver)
                                             .node(node)
                                             .volume(volume)
                                             .attached(dice.percent(80))
                                             .object());
  }
}

void add_capacities(const Plot& plot, TestCluster& cluster) {
  Dice dice = plot.dice(Feature::kCsiCapacity, 0);
  for (const std::string_view zone : {"zone-a", "zone-b", "zone-c"}) {
    if (dice.percent(25)) continue;
    CsiCapacityBuilder capacity = make_csi_capacity("capacity-" + std::string(zone));
    capacity.storage_class("csi-wait").topology({{std::string(kZone), std::string(zone)}});
    if (dice.percent(90)) capacity.capacity(dice.pick({"0", "2Gi", "20Gi", "100Gi"}));
    if (dice.percent(30)) capacity.largest(dice.pick({"1Gi", "10Gi"}));
    cluster.csi_capacities.push_back(capacity.object());
  }
}

}  // namespace storage_parts

std::span<const Part> parts_of_storage() { return storage_parts::kParts; }

void add_storage(const Plot& plot, TestCluster& cluster) {
  storage_parts::add_classes(plot, cluster);
  if (plot.has(Feature::kWaitingClaims)) storage_parts::add_free_volumes(plot, cluster);
  if (plot.has(Feature::kExclusiveClaims)) storage_parts::add_exclusive_claims(plot, cluster);
  if (plot.has(Feature::kCsiLimits)) storage_parts::add_limits(plot, cluster);
  if (plot.has(Feature::kCsiCapacity)) storage_parts::add_capacities(plot, cluster);
}

}  // namespace proa::testkit::generator
