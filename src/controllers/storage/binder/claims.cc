#include "controllers/storage/binder/claims.h"

#include "api/object/edit.h"
#include "controllers/storage/binder/edits.h"
#include "controllers/storage/binder/match.h"
#include "controllers/storage/pod_claims.h"

namespace proa::controllers::storage {
namespace claim_binder {

using client::Again;
using client::Key;

// Interval of the event of a pending claim: events expire. Upstream records it every 15 seconds,
// and its recorder passes one in five minutes.
constexpr Duration kEventRepeatInterval = std::chrono::minutes(5);

Key key_of(const kinds::ClaimFacts& claim) { return {claim.name_space, claim.name}; }

}  // namespace claim_binder

using client::Again;

Result<Again> ClaimBinder::reconcile(const client::Key& key) {
  const api::ObjectPtr claim = ledger_.claims().cache().get(key);
  if (claim == nullptr) {
    ledger_.forget(key);
    return Again{};
  }
  if (!ledger_.is_up_to_date(key)) return Again{};
  const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
  api::ObjectPtr holder;
  const kinds::ClassFacts* its_class = ledger_.class_of(facts, holder);
  if (!facts.volume.empty() || facts.bind_completed) {
    const client::Key named{"", facts.volume};
    if (!ledger_.is_up_to_date(named)) return Again{};
    const api::ObjectPtr volume = ledger_.volumes().cache().get(named);
    return act(claim, volume, plan_claim(facts, look(facts, its_class, volume)), its_class);
  }
  const bool delayed = its_class != nullptr && its_class->waits_for_consumer;
  const Taken taken(*this, take_match(facts, delayed));
  const ClaimState state = look(facts, its_class, taken.volume());
  return act(claim, taken.volume(), plan_claim(facts, state), its_class);
}

api::ObjectPtr ClaimBinder::take_match(const kinds::ClaimFacts& claim, bool delayed) {
  std::vector<api::ObjectPtr> volumes = ledger_.volumes_of(claim_binder::key_of(claim));
  if (!delayed) {
    for (api::ObjectPtr& volume : ledger_.free_volumes(claim.class_name())) {
      volumes.push_back(std::move(volume));
    }
  }
  MutexLock lock(mutex_);
  std::vector<api::ObjectPtr> open;
  for (api::ObjectPtr& volume : volumes) {
    const client::Key key = client::Key::of(*volume);
    if (taken_.contains(key.name) || !ledger_.is_up_to_date(key)) continue;
    open.push_back(std::move(volume));
  }
  api::ObjectPtr best = find_best_match(claim, open, delayed);
  if (best != nullptr) taken_.emplace(best->metadata().name);
  return best;
}

void ClaimBinder::put_back(const api::ObjectPtr& volume) {
  if (volume == nullptr) return;
  MutexLock lock(mutex_);
  taken_.erase(std::string(volume->metadata().name));
}

ClaimState ClaimBinder::look(const kinds::ClaimFacts& claim, const kinds::ClassFacts* its_class,
                             const api::ObjectPtr& volume) const {
  ClaimState state;
  state.volume = volume == nullptr ? nullptr : &kinds::volume_facts(*volume);
  state.its_class = its_class;
  if (volume != nullptr || claim.bind_completed) return state;
  state.has_default_class = !claim.storage_class && ledger_.default_class() != nullptr;
  for (const api::ObjectPtr& pod : ledger_.pods_using(claim_binder::key_of(claim))) {
    const PodClaims& uses = pod_claims(*pod);
    if (uses.terminated || !uses.node.empty()) continue;
    state.waiting_pods.emplace_back(pod->metadata().name);
  }
  return state;
}

Result<Again> ClaimBinder::act(const api::ObjectPtr& claim, const api::ObjectPtr& volume,
                               const ClaimPlan& plan, const kinds::ClassFacts* its_class) {
  switch (plan.step) {
    case ClaimStep::kBind:
      return bind(claim, volume);
    case ClaimStep::kWait:
      return wait(claim, plan);
    case ClaimStep::kGiveClass:
      return give_class(claim);
    case ClaimStep::kProvision:
      return provision(claim, its_class->provisioner, plan);
    case ClaimStep::kLose:
      return lose(claim, plan);
  }
  return Again{};
}

Result<Again> ClaimBinder::bind(api::ObjectPtr claim, api::ObjectPtr volume) {
  const client::Key key = client::Key::of(*claim);
  const api::ObjectPtr seen = volume;
  volume = TRY(ledger_.change_volume(seen, [&](json::Document& document) {
    return kinds::bind_volume(document, kinds::volume_facts(*seen), *claim);
  }));
  if (volume != seen) ledger_.wrote_for(key, *volume);
  volume = TRY(ledger_.change_volume_phase(volume, "Bound"));
  claim = TRY(ledger_.change_claim(claim, [&](json::Document& document) {
    return bind_claim(document, volume->metadata().name);
  }));
  const json::Document bound = TRY(volume->document());
  TRY(ledger_.change_claim_status(claim, [&](json::Document& document) {
    return set_claim_status(document, "Bound", bound.root());
  }));
  return Again{};
}

Result<Again> ClaimBinder::wait(const api::ObjectPtr& claim, const ClaimPlan& plan) {
  TRY(ledger_.change_claim_status(claim, [](json::Document& document) {
    return set_claim_status(document, "Pending", api::View());
  }));
  if (!plan.notice) return Again{};
  ledger_.tell(*claim, *plan.notice);
  return Again{claim_binder::kEventRepeatInterval};
}

Result<Again> ClaimBinder::give_class(const api::ObjectPtr& claim) {
  const api::ObjectPtr chosen = ledger_.default_class();
  if (chosen == nullptr) return Again{};
  TRY(ledger_.change_claim(claim, [&](json::Document& document) {
    api::Edit(document).object("spec").set("storageClassName", chosen->metadata().name);
    return true;
  }));
  return Again{};
}

Result<Again> ClaimBinder::provision(const api::ObjectPtr& claim, const std::string& provisioner,
                                     const ClaimPlan& plan) {
  if (kinds::claim_facts(*claim).provisioner != provisioner) {
    TRY(ledger_.change_claim(claim, [&](json::Document& document) {
      const api::Edit annotations = api::Edit(document).object("metadata").object("annotations");
      annotations.set(kinds::kBetaProvisioner, provisioner);
      annotations.set(kinds::kProvisioner, provisioner);
      return true;
    }));
    return Again{};  // the event of this write requeues it
  }
  ledger_.tell(*claim, *plan.notice);
  return Again{claim_binder::kEventRepeatInterval};
}

Result<Again> ClaimBinder::lose(const api::ObjectPtr& claim, const ClaimPlan& plan) {
  if (kinds::claim_facts(*claim).phase == "Lost") return Again{};
  TRY(ledger_.change_claim_status(claim, [](json::Document& document) {
    return set_claim_status(document, "Lost", api::View());
  }));
  ledger_.tell(*claim, *plan.notice);
  return Again{};
}

}  // namespace proa::controllers::storage
