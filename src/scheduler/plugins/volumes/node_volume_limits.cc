#include "scheduler/plugins/volumes/node_volume_limits.h"

#include <algorithm>
#include <map>

#include "kinds/core/volumes/volume_facts.h"
#include "scheduler/plugins/volumes/csi_state.h"
#include "scheduler/plugins/volumes/pod_volumes.h"
#include "scheduler/plugins/volumes/volume_place.h"

namespace proa::scheduler {
namespace node_volume_limits {

// Volumes of CSI drivers: which driver's, by the driver and what it calls them.
using Volumes = std::map<std::string, std::string>;

void add(Volumes& volumes, std::string_view driver, std::string_view handle) {
  if (driver.empty() || handle.empty()) return;
  std::string name = std::string(driver) + "/" + std::string(handle);
  volumes.emplace(std::move(name), std::string(driver));
}

// Finds out which volumes of drivers pods have. The answers are for nodes that have a CSINode:
// others have no limits.
class VolumeFinder {
 public:
  explicit VolumeFinder(client::Informers& informers)
      : claims_(informers.of("", "persistentvolumeclaims").cache()),
        volumes_(informers.of("", "persistentvolumes").cache()),
        classes_(informers.of("storage.k8s.io", "storageclasses").cache()) {}

  // `is_new`: a pod that is not anywhere yet, so its claims must be there.
  Result<void> find(const Pod& pod, bool is_new, Volumes& found) const {
    for (const PodVolume& volume : volumes_of(pod)) {
      if (volume.kind == PodVolume::Kind::kInTree && volume.in_tree->migrates) {
        add(found, volume.in_tree->driver, volume.handle);
      }
      if (!volume.has_claim()) continue;
      if (volume.name.empty()) {
        return Status(Reason::kUnknown, "PersistentVolumeClaim had no name");
      }
      const Result<api::ObjectPtr> claim = find_claim(claims_, pod, volume);
      if (!claim && !is_new) continue;
      if (!claim) {
        return claim.status().in("looking up PVC " + pod.shape->name_space + "/" + volume.name);
      }
      TRY(check_owner(pod, volume, **claim));
      find(kinds::claim_facts(**claim), found);
    }
    return {};
  }

  // Volumes attached to the node, whether or not its pods use them.
  void find_attached(std::span<const api::ObjectPtr> attachments, Volumes& found) const {
    for (const api::ObjectPtr& attachment : attachments) {
      const AttachmentFacts& facts = attachment_facts(*attachment);
      if (facts.volume.empty()) continue;
      const api::ObjectPtr volume = volumes_.get({"", facts.volume});
      if (volume != nullptr) add(found, facts.driver, volume_place(*volume).handle);
    }
  }

 private:
  void find(const kinds::ClaimFacts& claim, Volumes& found) const {
    const api::ObjectPtr volume = claim.volume.empty() ? nullptr : volumes_.get({"", claim.volume});
    if (volume == nullptr) return find_by_class(claim, found);
    const VolumePlace& place = volume_place(*volume);
    if (!place.driver.empty()) {
      add(found, place.driver, place.handle);
    } else if (place.in_tree != nullptr && place.in_tree->migrates) {
      add(found, place.in_tree->driver, place.in_tree_handle);
    }
  }

  // A volume that is not there yet is one of its own, under a name that no driver gives.
  void find_by_class(const kinds::ClaimFacts& claim, Volumes& found) const {
    if (claim.class_name().empty()) return;
    const api::ObjectPtr its_class = classes_.get({"", std::string(claim.class_name())});
    if (its_class == nullptr) return;
    std::string_view driver = kinds::class_facts(*its_class).provisioner;
    if (const InTreePlugin* plugin = in_tree_plugin_named(driver)) {
      if (!plugin->migrates) return;
      driver = plugin->driver;
    }
    add(found, driver, std::string(1, '\0') + claim.name_space + "/" + claim.name);
  }

  const client::Cache& claims_;
  const client::Cache& volumes_;
  const client::Cache& classes_;
};

class Filter final : public NodeFilter {
 public:
  struct StorageCaches {
    const VolumeFinder& finder;
    const CsiState& csi;
    ReasonBook& reasons;
  };
  Filter(StorageCaches storage, Volumes wanted, Verdict rejection)
      : storage_(storage), wanted_(std::move(wanted)), rejection_(rejection) {}

  bool is_local() const override { return false; }

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    const Result<Excess> excess = find_excess(node);
    if (!excess) return storage_.reasons.say(Code::kError, excess.status().message());
    return excess->driver.empty() ? Verdict() : rejection_;
  }

  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    const Result<Excess> excess = find_excess(node);
    if (!excess || excess->driver.empty()) return {};
    return "detach " + std::to_string(excess->count) +
           (excess->count == 1 ? " volume of " : " volumes of ") + excess->driver + " (limit " +
           std::to_string(excess->limit) + ")";
  }

 private:
  // By how much the limit of a driver would be passed.
  struct Excess {
    std::string driver = {};  // empty: of none
    int64_t count = 0;
    int64_t limit = 0;
  };

  Result<Excess> find_excess(const Node& node) const {
    const CsiNodeFacts* facts = storage_.csi.node(node.name());
    if (facts == nullptr || is_far_from_limits(*facts, node)) return Excess();
    Volumes there;
    for (const PodPtr& pod : node.pods()) TRY(storage_.finder.find(*pod, false, there));
    std::map<std::string_view, int64_t> wanted;  // that are not there yet, by their drivers
    for (const auto& [name, driver] : wanted_) {
      if (there.find(name) == there.end()) ++wanted[driver];
    }
    storage_.finder.find_attached(storage_.csi.attachments(node.name()), there);
    std::map<std::string_view, int64_t> present;
    for (const auto& [name, driver] : there) ++present[driver];
    for (const auto& [driver, count] : wanted) {
      const int64_t limit = facts->limit_of(driver);
      const int64_t sum = present[driver] + count;
      if (limit >= 0 && sum > limit) return Excess{std::string(driver), sum - limit, limit};
    }
    return Excess();
  }

  // A cheap check by the number of volumes alone, whatever their drivers.
  bool is_far_from_limits(const CsiNodeFacts& facts, const Node& node) const {
    int64_t lowest = -1;
    for (const CsiNodeFacts::Driver& driver : facts.drivers) {
      if (driver.limit >= 0 && (lowest < 0 || driver.limit < lowest)) lowest = driver.limit;
    }
    if (lowest < 0) return true;
    size_t most = wanted_.size() + storage_.csi.attachments(node.name()).size();
    for (const PodPtr& pod : node.pods()) most += volumes_of(*pod).size();
    return most <= static_cast<size_t>(lowest) && !has_ephemeral(node);
  }

  // Their claims may turn out not to be theirs, which is an error.
  static bool has_ephemeral(const Node& node) {
    return std::any_of(node.pods().begin(), node.pods().end(), [](const PodPtr& pod) {
      const std::vector<PodVolume>& volumes = volumes_of(*pod);
      return std::any_of(volumes.begin(), volumes.end(), [](const PodVolume& volume) {
        return volume.kind == PodVolume::Kind::kEphemeral;
      });
    });
  }

  const StorageCaches storage_;
  const Volumes wanted_;
  const Verdict rejection_;
};

// For a pod whose volumes cannot be resolved: rejects all nodes.
class Refusal final : public NodeFilter {
 public:
  explicit Refusal(Verdict verdict) : verdict_(verdict) {}
  bool is_local() const override { return false; }
  Verdict check(NodeIndex /*index*/, const Node& /*node*/) override { return verdict_; }

 private:
  const Verdict verdict_;
};

class NodeVolumeLimits final : public FilterPlugin {
 public:
  explicit NodeVolumeLimits(const PluginContext& context)
      : finder_(context.informers), csi_(context.informers) {}

  std::string_view name() const override { return "NodeVolumeLimits"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kCsiNode, action::kAdd | action::kUpdate},
            {EventResource::kAssignedPod, action::kDelete},
            {EventResource::kUnscheduledPod, action::kDelete},
            {EventResource::kPersistentVolumeClaim, action::kAdd},
            {EventResource::kVolumeAttachment, action::kDelete}};
  }

  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    switch (event.resource) {
      case EventResource::kCsiNode:
        return event.old_object == nullptr || event.new_object == nullptr ||
               has_grown(csi_node_facts(*event.old_object), csi_node_facts(*event.new_object));
      case EventResource::kAssignedPod:
      case EventResource::kUnscheduledPod:
        return event.old_pod == nullptr || frees_volumes(*event.old_pod);
      case EventResource::kPersistentVolumeClaim:
        return event.new_object == nullptr || uses_claim(pod, *event.new_object, true);
      case EventResource::kVolumeAttachment:
        return event.old_object == nullptr ||
               may_be_waited_for(pod, attachment_facts(*event.old_object));
      default:
        return true;
    }
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    if (!pod.shape->has_volumes_of_its_own) return result;
    Volumes wanted;
    const Result<void> found = finder_.find(pod, true, wanted);
    if (!found) {
      const Code code = found.is(Reason::kNotFound) ? Code::kUnresolvable : Code::kError;
      result.filter = std::make_unique<Refusal>(reasons_.say(code, found.status().message()));
    } else if (!wanted.empty()) {
      result.filter = std::make_unique<Filter>(Filter::StorageCaches{finder_, csi_, reasons_},
                                               std::move(wanted), rejection_);
    }
    return result;
  }

 private:
  static bool has_grown(const CsiNodeFacts& before, const CsiNodeFacts& after) {
    return std::any_of(after.drivers.begin(), after.drivers.end(), [&](const auto& driver) {
      const int64_t limit_before = std::max<int64_t>(0, before.limit_of(driver.name));
      return driver.limit > limit_before;
    });
  }
  static bool frees_volumes(const Pod& gone) {
    if (gone.node.empty() && gone.nominated_node.empty()) return false;
    const std::vector<PodVolume>& volumes = volumes_of(gone);
    return std::any_of(volumes.begin(), volumes.end(), [](const PodVolume& volume) {
      return volume.kind != PodVolume::Kind::kCsi;
    });
  }
  static bool may_be_waited_for(const Pod& pod, const AttachmentFacts& gone) {
    const std::vector<PodVolume>& volumes = volumes_of(pod);
    return std::any_of(volumes.begin(), volumes.end(), [&](const PodVolume& volume) {
      return volume.kind == PodVolume::Kind::kClaim ||
             (volume.kind == PodVolume::Kind::kInTree && volume.in_tree->driver == gone.driver);
    });
  }

  const VolumeFinder finder_;
  const CsiState csi_;
  ReasonBook reasons_;
  const Verdict rejection_ = reasons_.say(Code::kUnschedulable, "node(s) exceed max volume count");
};

}  // namespace node_volume_limits

Result<std::unique_ptr<Plugin>> make_node_volume_limits(const PluginContext& context,
                                                        api::View /*args*/) {
  return std::make_unique<node_volume_limits::NodeVolumeLimits>(context);
}

}  // namespace proa::scheduler
