#include "scheduler/plugins/volumes/volume_restrictions.h"

#include <algorithm>

#include "kinds/core/volumes/volume_facts.h"
#include "scheduler/plugins/volumes/pod_volumes.h"

namespace proa::scheduler {
namespace volume_restrictions {

bool overlap(std::span<const std::string> a, std::span<const std::string> b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) {
    return std::find(b.begin(), b.end(), one) != b.end();
  });
}

bool conflict(const Disk& a, const Disk& b) {
  if (a.kind != b.kind || a.id != b.id) return false;
  if (a.kind == Disk::Kind::kAws) return true;  // not even for reading only
  if (a.read_only && b.read_only) return false;
  return a.kind != Disk::Kind::kRbd || overlap(a.places, b.places);
}

// The first disk of one pod that the other one keeps it from; null when they get along.
const Disk* conflict(const PodShape& wanted, const PodShape& there) {
  for (const Disk& disk : wanted.disks) {
    for (const Disk& other : there.disks) {
      if (conflict(disk, other)) return &disk;
    }
  }
  return nullptr;
}

struct Rejections {
  Verdict disk = {};
  Verdict claim = {};
};

class Filter final : public NodeFilter {
 public:
  // `claims`: those that only one pod may use. `in_use`: how many of them are.
  Filter(ShapePtr shape, std::vector<std::string> claims, int64_t in_use, Rejections rejections)
      : shape_(std::move(shape)),
        claims_(std::move(claims)),
        in_use_(in_use),
        rejections_(rejections) {}

  bool is_local() const override { return claims_.empty(); }

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    if (find_conflict(node).disk != nullptr) return rejections_.disk;
    return in_use_ > 0 ? rejections_.claim : Verdict();
  }

  void pod_added(const Pod& pod, NodeIndex /*node*/) override { in_use_ += uses_by(pod); }
  void pod_removed(const Pod& pod, NodeIndex /*node*/) override { in_use_ -= uses_by(pod); }

  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    if (const Conflict found = find_conflict(node); found.disk != nullptr) {
      return "delete pod " + found.pod->key().str() + ", which uses disk " + found.disk->id;
    }
    if (in_use_ == 0) return {};
    return "delete the pod that uses claim " + claims_.front() + " (ReadWriteOncePod)";
  }

 private:
  struct Conflict {
    const Pod* pod = nullptr;
    const Disk* disk = nullptr;
  };

  Conflict find_conflict(const Node& node) const {
    if (shape_->disks.empty()) return {};
    for (const PodPtr& pod : node.pods()) {
      if (const Disk* disk = conflict(*shape_, *pod->shape)) return {pod.get(), disk};
    }
    return {};
  }

  // Upstream's updateWithPod() counts pods of other namespaces, too, when their claims have the
  // same name: preemption would then evict pods that do not conflict.
  int64_t uses_by(const Pod& pod) const {
    if (claims_.empty() || pod.name_space() != shape_->name_space) return 0;
    const std::vector<PodVolume>& volumes = volumes_of(pod);
    return std::count_if(volumes.begin(), volumes.end(), [&](const PodVolume& volume) {
      return volume.kind == PodVolume::Kind::kClaim &&
             std::find(claims_.begin(), claims_.end(), volume.name) != claims_.end();
    });
  }

  const ShapePtr shape_;
  const std::vector<std::string> claims_;
  int64_t in_use_;
  const Rejections rejections_;
};

class VolumeRestrictions final : public FilterPlugin {
 public:
  explicit VolumeRestrictions(const PluginContext& context)
      : cluster_(context.cluster),
        claims_(context.informers.of("", "persistentvolumeclaims").cache()) {}

  std::string_view name() const override { return "VolumeRestrictions"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kAssignedPod, action::kDelete},
            {EventResource::kUnscheduledPod, action::kDelete},
            {EventResource::kNode, action::kAdd},
            {EventResource::kPersistentVolumeClaim, action::kAdd}};
  }

  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.resource == EventResource::kPersistentVolumeClaim) {
      return event.new_object != nullptr && uses_claim(pod, *event.new_object, false);
    }
    if (event.old_pod == nullptr) return true;
    const Pod& gone = *event.old_pod;
    if (gone.name_space() != pod.name_space()) return false;
    return conflict(*pod.shape, *gone.shape) != nullptr || share_a_claim(pod, gone);
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    if (!pod.shape->has_volumes_of_its_own) return result;
    Result<std::vector<std::string>> claims = exclusive_claims(pod);
    if (!claims) {
      result.verdict = reasons_.say(Code::kUnresolvable, claims.status().message());
      return result;
    }
    const auto in_use = std::count_if(claims->begin(), claims->end(), [&](const auto& claim) {
      return is_in_use(pod.shape->name_space + "/" + claim);
    });
    if (in_use == 0 && pod.shape->disks.empty()) return result;
    result.filter = std::make_unique<Filter>(pod.shape, std::move(*claims), in_use, rejections_);
    return result;
  }

 private:
  static bool share_a_claim(const Pod& pod, const Pod& gone) {
    const std::vector<PodVolume>& volumes = volumes_of(gone);
    return std::any_of(volumes.begin(), volumes.end(), [&](const PodVolume& volume) {
      if (volume.kind != PodVolume::Kind::kClaim) return false;
      const std::vector<PodVolume>& wanted = volumes_of(pod);
      return std::any_of(wanted.begin(), wanted.end(), [&](const PodVolume& one) {
        return one.kind == PodVolume::Kind::kClaim && one.name == volume.name;
      });
    });
  }

  // Names of claims that only one pod may use, each once.
  Result<std::vector<std::string>> exclusive_claims(const Pod& pod) const {
    std::vector<std::string> exclusive;
    for (const PodVolume& volume : volumes_of(pod)) {
      if (volume.kind != PodVolume::Kind::kClaim) continue;
      const api::ObjectPtr claim = TRY(find_claim(claims_, pod, volume));
      if (!kinds::claim_facts(*claim).modes.contain(kinds::kReadWriteOncePod)) continue;
      if (std::find(exclusive.begin(), exclusive.end(), volume.name) == exclusive.end()) {
        exclusive.push_back(volume.name);
      }
    }
    return exclusive;
  }

  bool is_in_use(const std::string& claim) const {
    for (NodeIndex index = 0; index < cluster_.slots(); ++index) {
      const Node* node = cluster_.node(index);
      if (node != nullptr && node->users_of_claim(claim) > 0) return true;
    }
    return false;
  }

  const Cluster& cluster_;
  const client::Cache& claims_;
  ReasonBook reasons_;
  const Rejections rejections_ = {
      .disk = reasons_.say(Code::kUnschedulable, "node(s) had no available disk"),
      .claim = reasons_.say(Code::kUnschedulable,
                            "node(s) unavailable due to PersistentVolumeClaim with "
                            "ReadWriteOncePod access mode already in-use by another pod")};
};

}  // namespace volume_restrictions

Result<std::unique_ptr<Plugin>> make_volume_restrictions(const PluginContext& context,
                                                         api::View /*args*/) {
  return std::make_unique<volume_restrictions::VolumeRestrictions>(context);
}

}  // namespace proa::scheduler
