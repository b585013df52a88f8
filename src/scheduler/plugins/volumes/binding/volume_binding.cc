#include "scheduler/plugins/volumes/binding/volume_binding.h"

#include <algorithm>
#include <map>

#include "api/object/edit.h"
#include "api/validation/field_errors.h"
#include "base/strings.h"
#include "json/print.h"
#include "kinds/core/volumes/volume_match.h"
#include "scheduler/plugins/volumes/binding/binding_hints.h"
#include "scheduler/plugins/volumes/binding/binding_writer.h"
#include "scheduler/plugins/volumes/binding/claim_search.h"

namespace proa::scheduler {
namespace volume_binding {

using api::View;

// The claims of a pod must be there and in order before anything else is looked at.
Result<void> check_claims(const client::Cache& claims, const Pod& pod) {
  for (const PodVolume& volume : volumes_of(pod)) {
    if (!volume.has_claim()) continue;
    const std::string quoted = "\"" + volume.name + "\"";
    const Result<api::ObjectPtr> claim = find_claim(claims, pod, volume);
    if (!claim && volume.kind == PodVolume::Kind::kEphemeral) {
      return Status(
          Reason::kUnknown,
          "waiting for ephemeral volume controller to create the persistentvolumeclaim " + quoted);
    }
    if (!claim) return claim.status();
    const kinds::ClaimFacts& facts = kinds::claim_facts(**claim);
    if (facts.phase == "Lost") {
      return Status(Reason::kUnknown, "persistentvolumeclaim " + quoted +
                                          " bound to non-existent persistentvolume \"" +
                                          facts.volume + "\"");
    }
    if ((*claim)->metadata().being_deleted) {
      return Status(Reason::kUnknown, "persistentvolumeclaim " + quoted + " is being deleted");
    }
    TRY(check_owner(pod, volume, **claim));
  }
  return {};
}

bool has_claim(const Pod& pod) {
  const std::vector<PodVolume>& volumes = volumes_of(pod);
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const PodVolume& volume) { return volume.has_claim(); });
}

Result<api::ObjectPtr> bound_to(const api::Object& volume, const api::Object& claim) {
  json::Document document = TRY(volume.document());
  kinds::bind_volume(document, kinds::volume_facts(volume), claim);
  return api::Object::make(json::print(document.root()));
}

Result<api::ObjectPtr> made_for(const api::Object& claim, std::string_view node) {
  json::Document document = TRY(claim.document());
  api::Edit(document).object("metadata").object("annotations").set(kinds::kSelectedNode, node);
  return api::Object::make(json::print(document.root()));
}

// One verdict per set of problems, so that reasons are not repeated.
class Verdicts {
 public:
  Verdict of(uint8_t problems) {
    Verdict& verdict = by_problems_[problems];
    if (problems != 0 && verdict.ok()) verdict = say(problems);
    return verdict;
  }
  Verdict error(std::string_view text) { return reasons_.say(Code::kError, text); }
  Verdict refusal(std::string_view text) { return reasons_.say(Code::kUnresolvable, text); }

 private:
  Verdict say(uint8_t problems) {
    const std::pair<uint8_t, const char*> texts[] = {
        {problem::kBoundElsewhere, "node(s) didn't match PersistentVolume's node affinity"},
        {problem::kNoVolume, "node(s) didn't find available persistent volumes to bind"},
        {problem::kNoSpace, "node(s) did not have enough free storage"},
        {problem::kVolumeGone,
         "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"}};
    Verdict::Reasons reasons;
    for (const auto& [bit, text] : texts) {
      if ((problems & bit) != 0) reasons.emplace_back(text);
    }
    return reasons_.say(Code::kUnresolvable, std::move(reasons));
  }

  ReasonBook reasons_;
  Verdict by_problems_[problem::kAll + 1] = {};
};

class Filter final : public NodeFilter {
 public:
  Filter(std::shared_ptr<ClaimSearch> search, Verdicts& verdicts)
      : search_(std::move(search)), verdicts_(verdicts) {}

  bool is_local() const override { return false; }

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    const ClaimSearch::Outcome outcome = search_->look(node.facts().metadata(), nullptr);
    if (outcome.error != nullptr) return verdicts_.error(*outcome.error);
    return verdicts_.of(outcome.problems);
  }
  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    return search_->suggestion(node.facts().metadata());
  }

 private:
  const std::shared_ptr<ClaimSearch> search_;
  Verdicts& verdicts_;
};

class VolumeBinding final : public FilterPlugin, public ReservePlugin, public PreBindPlugin {
 public:
  VolumeBinding(const PluginContext& context, Duration timeout)
      : cluster_(context.cluster), storage_(context.informers), writer_(context, timeout) {}

  std::string_view name() const override { return "VolumeBinding"; }

  std::vector<EventInterest> events() const override {
    constexpr uint32_t kAddOrUpdate = action::kAdd | action::kUpdate;
    return {{EventResource::kStorageClass, kAddOrUpdate},
            {EventResource::kPersistentVolumeClaim, kAddOrUpdate},
            {EventResource::kPersistentVolume, kAddOrUpdate},
            {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel},
            {EventResource::kCsiNode, kAddOrUpdate},
            {EventResource::kCsiDriver, action::kUpdate},
            {EventResource::kCsiStorageCapacity, kAddOrUpdate}};
  }

  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    return may_help_binding(pod, event);
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    searched_ = nullptr;
    if (!has_claim(pod)) return result;
    if (const Result<void> checked = check_claims(storage_.claims.cache(), pod); !checked) {
      result.verdict = verdicts_.refusal(checked.status().message());
      return result;
    }
    const Result<SortedClaims> claims = sort_claims(storage_, pod);
    if (!claims) {
      result.verdict = verdicts_.error(claims.status().message());
    } else if (claims->has_immediate) {
      result.verdict = verdicts_.refusal("pod has unbound immediate PersistentVolumeClaims");
    } else {
      searched_ = std::make_shared<ClaimSearch>(storage_, *claims);
      searched_for_ = api::Uid(pod.uid());
      if (searched_->must_ask()) result.filter = std::make_unique<Filter>(searched_, verdicts_);
    }
    return result;
  }

  Verdict reserve(const Pod& pod, NodeIndex node) override {
    if (!has_claim(pod)) return {};
    const Node& on = cluster_.at(node);
    VolumeBindings found;
    const Result<void> looked = look_again(pod, on, found);
    if (!looked) return verdicts_.error(looked.status().message());
    if (found.empty()) return {};
    auto reservation = std::make_shared<Reservation>();
    reservation->node = api::NodeName(on.name());
    const Result<void> assumed = assume(found, *reservation);
    if (!assumed) {
      take_back(*reservation);
      return verdicts_.error(assumed.status().message());
    }
    const MutexLock lock(mutex_);
    reservations_.insert_or_assign(api::Uid(pod.uid()), std::move(reservation));
    return {};
  }

  void unreserve(const Pod& pod) override {
    const std::shared_ptr<Reservation> reservation = take(pod);
    if (reservation != nullptr) take_back(*reservation);
  }

  bool has_work(const Pod& pod, api::NodeNameView /*node*/) const override {
    return find(pod) != nullptr;
  }

  Result<void> pre_bind(const Pod& pod, api::NodeNameView /*node*/, const Until& until) override {
    const std::shared_ptr<Reservation> reservation = find(pod);
    if (reservation == nullptr) return {};
    TRY(writer_.bind(pod, *reservation, until));
    take(pod);
    return {};
  }

 private:
  // The bindings that the filter found for that node.
  Result<void> look_again(const Pod& pod, const Node& node, VolumeBindings& found) {
    if (searched_ == nullptr || searched_for_ != pod.uid()) {
      const SortedClaims claims = TRY(sort_claims(storage_, pod));
      searched_ = std::make_shared<ClaimSearch>(storage_, claims);
      searched_for_ = api::Uid(pod.uid());
    }
    const ClaimSearch::Outcome outcome = searched_->look(node.facts().metadata(), &found);
    searched_ = nullptr;  // does not know the objects that are assumed next
    if (outcome.error != nullptr) return Status(Reason::kUnknown, *outcome.error);
    return {};
  }

  Result<void> assume(const VolumeBindings& found, Reservation& reservation) {
    for (const VolumeBindings::Pair& pair : found.bind) {
      const api::ObjectPtr volume = TRY(bound_to(*pair.volume, *pair.claim));
      TRY(storage_.volumes.assume(volume));
      reservation.bindings.bind.push_back({.claim = pair.claim, .volume = volume});
    }
    for (const api::ObjectPtr& one : found.provision) {
      const api::ObjectPtr claim = TRY(made_for(*one, reservation.node.view()));
      TRY(storage_.claims.assume(claim));
      reservation.bindings.provision.push_back(claim);
    }
    return {};
  }

  // Written objects are updated by the caches.
  void take_back(const Reservation& reservation) {
    const VolumeBindings& bindings = reservation.bindings;
    const size_t written = reservation.written.load();
    for (size_t i = written; i < bindings.bind.size(); ++i) {
      storage_.volumes.restore(*bindings.bind[i].volume);
    }
    const size_t claims_written = written - std::min(written, bindings.bind.size());
    for (size_t i = claims_written; i < bindings.provision.size(); ++i) {
      storage_.claims.restore(*bindings.provision[i]);
    }
  }

  std::shared_ptr<Reservation> find(const Pod& pod) const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = reservations_.find(pod.uid());
    return found == reservations_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Reservation> take(const Pod& pod) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = reservations_.find(pod.uid());
    if (found == reservations_.end()) return nullptr;
    std::shared_ptr<Reservation> taken = std::move(found->second);
    reservations_.erase(found);
    return taken;
  }

  const Cluster& cluster_;
  StorageState storage_;
  BindingWriter writer_;
  Verdicts verdicts_;
  std::shared_ptr<ClaimSearch> searched_;  // for the pod that is being scheduled
  api::Uid searched_for_;
  // Pods are bound on other threads than the one that reserves.
  mutable Mutex mutex_;
  std::map<api::Uid, std::shared_ptr<Reservation>, std::less<>> reservations_ GUARDED_BY(mutex_);
};

Result<Duration> read_timeout(View args) {
  constexpr int64_t kDefaultSeconds = 600;
  const int64_t seconds = args["bindTimeoutSeconds"].integer(kDefaultSeconds);
  api::FieldErrors errors;
  if (seconds < 0) {
    errors.invalid(api::Path("bindTimeoutSeconds"), seconds,
                   "invalid BindTimeoutSeconds, should not be a negative value");
  }
  if (args["shape"]) {
    errors.invalid(api::Path("shape"), args["shape"],
                   "unexpected field `shape`, remove it or turn on the feature gate "
                   "StorageCapacityScoring");
  }
  if (errors.empty()) return Duration(std::chrono::seconds(seconds));
  const std::vector<std::string> texts = errors.texts();
  return Status(Reason::kBadRequest,
                texts.size() == 1 ? texts.front() : "[" + join(texts, ", ") + "]");
}

}  // namespace volume_binding

Result<std::unique_ptr<Plugin>> make_volume_binding(const PluginContext& context, api::View args) {
  const Duration timeout = TRY(volume_binding::read_timeout(args));
  return std::make_unique<volume_binding::VolumeBinding>(context, timeout);
}

}  // namespace proa::scheduler
