#include "controllers/storage/binder/binder.h"

#include "controllers/storage/binder/claims.h"
#include "controllers/storage/binder/match.h"
#include "controllers/storage/binder/volumes.h"
#include "controllers/storage/pod_claims.h"

namespace proa::controllers {
namespace binder {

using client::Change;
using client::Key;
using client::WorkQueue;

class VolumeBinder final : public Controller {
 public:
  explicit VolumeBinder(const ControllerContext& context)
      : ledger_(context), claims_(ledger_), volumes_(ledger_) {}

  size_t workers() const override { return 10; }

  void listen(WorkQueue& queue) override {
    ledger_.claims().add_handler([this, &queue](const Change& change) {
      queue.add(change.key);
      if (change.before != nullptr) claim_changed(*change.before, queue);
      if (change.after != nullptr) claim_changed(*change.after, queue);
    });
    ledger_.volumes().add_handler([this, &queue](const Change& change) {
      queue.add(change.key);
      if (change.before != nullptr) volume_changed(*change.before, queue);
      if (change.after == nullptr) return;
      volume_changed(*change.after, queue);
      offer(*change.after, queue);
    });
    ledger_.classes().add_handler([this, &queue](const Change& change) {
      if (change.after == nullptr) return;
      add_all(ledger_.pending_claims(change.key.name), queue);
      if (kinds::class_facts(*change.after).is_default) add_all(ledger_.pending_claims(""), queue);
    });
    ledger_.pods().add_handler(
        [this, &queue](const Change& change) { pod_changed(change, queue); });
  }

  Result<client::Again> reconcile(const Key& key) override {
    return key.name_space.empty() ? volumes_.reconcile(key) : claims_.reconcile(key);
  }

 private:
  static void add_all(const std::vector<api::ObjectPtr>& objects, WorkQueue& queue) {
    for (const api::ObjectPtr& object : objects) queue.add(Key::of(*object));
  }

  // Queues the volumes that it names and that name it.
  void claim_changed(const api::Object& claim, WorkQueue& queue) const {
    const std::string& volume = kinds::claim_facts(claim).volume;
    if (!volume.empty()) queue.add({"", volume});
    add_all(ledger_.volumes_of(Key::of(claim)), queue);
  }

  // Queues the claims that it names and that name it.
  void volume_changed(const api::Object& volume, WorkQueue& queue) const {
    const kinds::VolumeFacts& facts = kinds::volume_facts(volume);
    if (facts.claim) queue.add({facts.claim->name_space, facts.claim->name});
    add_all(ledger_.claims_naming(facts.name), queue);
  }

  // Queues pending claims that it matches.
  void offer(const api::Object& volume, WorkQueue& queue) const {
    const kinds::VolumeFacts& facts = kinds::volume_facts(volume);
    if (facts.claim || facts.phase != "Available") return;
    const api::ObjectPtr its_class = ledger_.classes().cache().get({"", facts.storage_class});
    // The scheduler chooses the volume.
    if (its_class != nullptr && kinds::class_facts(*its_class).waits_for_consumer) return;
    for (const api::ObjectPtr& claim : ledger_.pending_claims(facts.storage_class)) {
      if (storage::could_serve(volume, kinds::claim_facts(*claim), false)) {
        queue.add(Key::of(*claim));
      }
    }
  }

  // Events of claims name the pods they wait for; volumes in use are not recycled.
  void pod_changed(const Change& change, WorkQueue& queue) const {
    const api::Object& pod = change.after != nullptr ? *change.after : *change.before;
    const storage::PodClaims& now = storage::pod_claims(pod);
    if (change.before != nullptr && change.after != nullptr) {
      const storage::PodClaims& before = storage::pod_claims(*change.before);
      if (before.node == now.node && before.terminated == now.terminated) return;
    }
    for (const storage::PodClaims::Use& use : now.uses) {
      const Key key{std::string(pod.metadata().name_space), use.claim};
      const api::ObjectPtr claim = ledger_.claims().cache().get(key);
      if (claim != nullptr && kinds::claim_facts(*claim).volume.empty()) queue.add(key);
      for (const api::ObjectPtr& volume : ledger_.volumes_of(key)) {
        if (kinds::volume_facts(*volume).is_released()) queue.add(Key::of(*volume));
      }
    }
  }

  storage::Ledger ledger_;
  storage::ClaimBinder claims_;
  storage::VolumeKeeper volumes_;
};

}  // namespace binder

std::unique_ptr<Controller> make_volume_binder(const ControllerContext& context) {
  return std::make_unique<binder::VolumeBinder>(context);
}

}  // namespace proa::controllers
